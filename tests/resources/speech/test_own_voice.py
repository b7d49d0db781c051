"""The robot hears itself, with all that really runs: its voice, a detector, a recogniser, and who listens.

There is no loudspeaker and no room here: what the microphone hears is the sound that the voice's own engine
makes, at the moment at which the voice says it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr

from framework.clock import LoopClock
from framework.events import Event, EventBus, EventKind
from framework.plan.instruction import Instruction
from framework.registrar import ResourceRegistrar
from framework.supervisor import Question, Reply
from framework.transport.local import LocalTransport
from grammars.tools.ngrams import arpa
from managers.answering_aloud import AnsweringAloud
from managers.listening import Listening
from pilothouse.experiments.speech.voices import FLITE, spoken
from resources.audio.blocks import Samples
from resources.audio.format import RATE_HZ
from resources.children.arguments import LoudspeakerArguments, SoundFilesArguments, SoundFolderParameters
from resources.children.specs import loudspeaker_spec, sound_files_spec
from resources.robots.description import SpeechDescription
from resources.speech.arguments import EndpointArguments, RecogniserArguments
from resources.speech.specs import endpoint_spec, recogniser_spec
from resources.types.sensors import AudioFeed
from resources.types.speech import Speech, SpokenModel, TranscriptFeed, UtteranceFeed
from resources.types.voice import Loudspeaker, LoudspeakerFeed
from resources.voice.engines import VoiceParameters, engine_of
from tests.framework.processes.family import until
from tests.resources.children.harness import Harness, harness

ASKED = "Shall I go home? Say yes."
SAID = ("yes", "no", "stop", "go home", "say yes", "shall i go home say yes", "open the gripper")
BEFORE_S = 12.0
"""Silence in which all that listens is started [s]."""


class Supervisor:
    """Has asked something, and keeps what it is told."""

    def __init__(self) -> None:
        self.events = EventBus()
        self.told: list[str] = []
        self.stops = 0
        question = Question("Shall I go home?", "ann")
        question.id = "q1"
        self.questions = (question,)

    def tell(self, instruction: Instruction) -> Reply:
        self.told.append(instruction.text)
        reply = Reply()
        reply.settle(True)
        return reply

    def understands(self, text: str) -> bool:
        return text in SAID

    def may_answer(self, text: str, who: str) -> bool:
        return text in ("yes", "no")

    def is_stop(self, text: str) -> bool:
        return text == "stop"

    def takes_back(self, text: str, who: str) -> bool:
        return self.is_stop(text)

    async def think(self, work: Callable[[], Any], /) -> Any:
        return work()


def robot_says(words: str, folder: Path) -> Samples:
    """The sound that its voice makes of them, (n,) int16 at 16 kHz."""
    making = engine_of(VoiceParameters(), folder).begin(words, folder)
    sound = making.sound(wait_s=10.0)
    making.close()
    assert sound is not None
    return np.asarray(soxr.resample(sound.samples, sound.rate_hz, RATE_HZ) * 20_000, np.int16)


@asynccontextmanager
async def provided(registrar: ResourceRegistrar, request: type, feed: object) -> AsyncIterator[None]:
    @registrar.provides(request)
    @asynccontextmanager
    async def provide(_: Any) -> AsyncIterator[object]:
        yield feed

    async with registrar:
        yield


async def heard(home: Harness, folder: Path, sound: Samples, *, speaks: bool) -> tuple[Supervisor, list[str]]:
    """What the supervisor is told when this is heard while the robot speaks, or does not; the answers."""
    run = str(home.directory.path)
    recording = folder / f"heard_{len(home.pids)}.wav"
    soundfile.write(recording, np.concatenate([sound, np.zeros(2 * RATE_HZ, np.int16)]), RATE_HZ)
    file, names = folder / "it.arpa", folder / "names.json"
    file.write_text(arpa([(each.split(), 5.0) for each in SAID]))
    names.write_text("[]")
    name = recording.stem
    playing = SoundFilesArguments(str(recording), BEFORE_S, run_directory=run, device=f"mouth_{name}")
    audio = await home.start(f"sound {name}", sound_files_spec(playing), AudioFeed)
    assert audio.until_s is not None
    begins_s = audio.until_s - len(sound) / RATE_HZ - 2.0
    marks = await home.start(
        f"detector {name}", endpoint_spec(EndpointArguments(run, audio, since_s=0.0)), UtteranceFeed
    )
    arguments = RecogniserArguments(
        run, marks, SpokenModel(str(file), str(names)), SpeechDescription("pocketsphinx")
    )
    feed = await home.start(f"recogniser {name}", recogniser_spec(arguments), TranscriptFeed)
    supervisor, clock = Supervisor(), LoopClock()
    transport = LocalTransport()
    with AnsweringAloud(home.directory.path, supervisor, clock, time.monotonic) as voice:
        speaker = LoudspeakerArguments(
            run_directory=run,
            device=f"voice_{name}",
            folder=SoundFolderParameters(path=str(folder / f"answers_{name}")),
        )
        mouth = await home.start(f"voice {name}", loudspeaker_spec(speaker), LoudspeakerFeed)
        async with (
            provided(ResourceRegistrar("speech_manager", transport), Speech, feed),
            provided(ResourceRegistrar("sensor_manager", transport), Loudspeaker, mouth),
            ResourceRegistrar("supervisor", transport) as asks,
            asks.request(Loudspeaker()) as lease,
        ):
            speaking = asyncio.create_task(voice.speak_by(lease))
            said: list[str] = []
            assert time.monotonic() < begins_s, "all has to be there before anybody speaks"
            listening = Listening(asks, supervisor, clock, time.monotonic, voice)

            async def speak() -> None:
                await until(lambda: time.monotonic() >= begins_s - 0.1, 60.0)
                if speaks:
                    question = supervisor.questions[0]
                    voice.answer(Event(EventKind.ASKED, ASKED, who="ann", data=question.data))

            talking = asyncio.create_task(speak())
            said = [
                event.text
                async for event in listening.listen(Speech(recording="it", is_addressed=True), "ann")
            ]
            await talking
            speaking.cancel()
            await asyncio.gather(speaking, return_exceptions=True)
    return supervisor, said


def test_a_yes_that_the_robot_says_confirms_nothing_and_a_stop_that_somebody_says_meanwhile_stops(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with harness() as home:
            own = robot_says(ASKED, tmp_path)
            alone, _ = await heard(home, tmp_path, own, speaks=False)
            # Were it a person's voice, it would count: so well it is heard.
            assert any("yes" in text.split() for text in alone.told), alone.told
            itself, said = await heard(home, tmp_path, own, speaks=True)
            assert itself.told == [] and not any("have not done it" in text for text in said)
            stop = spoken("stop", FLITE)
            over = (own * 0.01).astype(np.int16)  # softer than the person by 40 dB, as in a headset
            over[RATE_HZ // 2 : RATE_HZ // 2 + len(stop)] += stop[: len(over) - RATE_HZ // 2]
            stopped, _ = await heard(home, tmp_path, over, speaks=True)
            assert stopped.told == ["stop"]

    asyncio.run(main())
