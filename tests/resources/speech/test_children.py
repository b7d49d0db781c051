"""The processes of sound and speech, as they really run: heard, killed, made to babble, started again."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest
import soundfile

from framework.errors import ProcessStartFailed
from framework.processes.child_events import LossReason, Said
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingReader
from grammars.tools.ngrams import arpa
from pilothouse.experiments.speech.voices import spoken
from resources.audio.format import BLOCK_S, RATE_HZ
from resources.audio.reading import AudioReading, excerpt
from resources.children.arguments import MicrophoneArguments, SoundFilesArguments
from resources.children.failing import FailMode, fail_command
from resources.children.specs import microphone_spec, sound_files_spec
from resources.robots.description import SpeechDescription
from resources.speech.agreeing import agreed
from resources.speech.arguments import EarArguments, EndpointArguments, RecogniserArguments
from resources.speech.specs import ear_spec, endpoint_spec, recogniser_spec
from resources.types.sensors import AudioFeed
from resources.types.speech import (
    EarHandle,
    Phase,
    SpeechMark,
    SpokenModel,
    SpokenName,
    Transcript,
    TranscriptFeed,
    TranscriptKind,
    UtteranceFeed,
    decode_mark,
    decode_transcript,
)
from tests.framework.processes.family import kill, until
from tests.resources.children.harness import Harness, harness


def recorded(folder: Path, *texts: str) -> Path:
    """A folder of recordings, one a text."""
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        soundfile.write(folder / f"{number}.wav", spoken(text), RATE_HZ)
    return folder


async def playing(home: Harness, path: Path, before_s: float, between_s: float = 2.0) -> AudioFeed:
    arguments = SoundFilesArguments(
        str(path), before_s, between_s, run_directory=str(home.directory.path), device="mouth"
    )
    return await home.start("sound", sound_files_spec(arguments), AudioFeed)


async def detecting(home: Harness, audio: AudioFeed, **changes: object) -> UtteranceFeed:
    arguments = EndpointArguments(str(home.directory.path), audio, since_s=0.0)
    return await home.start(
        "detector", msgspec.structs.replace(endpoint_spec(arguments), **changes), UtteranceFeed
    )


async def listening(home: Harness, audio: AudioFeed) -> EarHandle:
    return await home.start("ear", ear_spec(EarArguments(str(home.directory.path), audio)), EarHandle)


class Marks:
    """All marks of a detector, over its lives. judged_s: how far it has come."""

    def __init__(self, feed: UtteranceFeed) -> None:
        self._reader = RingReader(Path(feed.marks.ring))
        self._sequence = 0
        self.found: list[SpeechMark] = []
        self.judged_s = 0.0

    def look(self) -> list[SpeechMark]:
        if self._reader.replaced():
            self._reader.reopen()
            self._sequence = 0
        for sample in self._reader.since(self._sequence):
            self._sequence = sample.sequence
            mark = decode_mark(sample.payload)
            if mark.phase is Phase.PROGRESS:
                self.judged_s = mark.until_s
            else:
                self.found.append(mark)
        return self.found

    async def first(self, phase: Phase) -> SpeechMark:
        await until(lambda: any(mark.phase is phase for mark in self.look()))
        return next(mark for mark in self.found if mark.phase is phase)


def test_what_is_no_sound_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "it.wav").write_text("no sound")

    async def main() -> None:
        async with harness() as home:
            for path, words in (
                (tmp_path / "none.wav", "there is no file .*none.wav"),
                (tmp_path / "it.wav", "it.wav cannot be read as sound"),
            ):
                with pytest.raises(ProcessStartFailed, match=words):
                    await playing(home, path, before_s=1.0)

    asyncio.run(main())


def test_a_machine_without_a_microphone_says_so() -> None:
    async def main() -> None:
        async with harness() as home:
            arguments = MicrophoneArguments(
                "no such thing", run_directory=str(home.directory.path), device="ear"
            )
            with pytest.raises(ProcessStartFailed, match=r"there is no microphone 'no such thing'|PortAudio"):
                await home.start("microphone", microphone_spec(arguments), AudioFeed)

    asyncio.run(main())


def test_a_recording_is_heard_as_if_somebody_spoke_now_and_the_utterance_is_cut_out(tmp_path: Path) -> None:
    async def main() -> None:
        async with harness() as home:
            began_s = time.monotonic()
            audio = await playing(home, recorded(tmp_path / "said", "show the environment"), before_s=0.5)
            marks = Marks(await detecting(home, audio))
            ended = await marks.first(Phase.ENDED)
            assert [mark.phase for mark in marks.found] == [Phase.BEGAN, Phase.ENDED]
            assert began_s < ended.began_s < ended.until_s < time.monotonic()
            found = excerpt(Path(audio.stream.ring), ended.began_s, ended.until_s)
            assert found.is_whole
            said_s = len(spoken("show the environment")) / RATE_HZ
            assert said_s - 0.5 < len(found.samples) / RATE_HZ < said_s + 1.0
            assert np.abs(found.samples).max() > 5_000

    asyncio.run(main())


def test_a_broken_recording_among_others_is_told_and_passed_over(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "said", "show the environment")
    (folder / "00.wav").write_text("no sound")

    async def main() -> None:
        async with harness() as home:
            audio = await playing(home, folder, before_s=0.1, between_s=0.3)
            told = await home.diaries["sound"].first(Said)
            assert "00.wav cannot be read as sound" in told.message
            reading = AudioReading(Path(audio.stream.ring))
            await until(lambda: any(np.abs(block.samples).max() > 5_000 for block in reading.news()))
            reading.close()

    # The first one by name is good: what is refused at the start is only a folder that begins with none.
    (folder / "0.wav").rename(folder / "0-first.wav")
    asyncio.run(main())


@pytest.mark.parametrize("how", [FailMode.GARBAGE, FailMode.HANG, FailMode.STALE])
def test_every_way_of_the_detector_to_fail_is_found_out(tmp_path: Path, how: FailMode) -> None:
    reasons = {
        FailMode.GARBAGE: LossReason.GARBAGE,
        FailMode.HANG: LossReason.HUNG,
        FailMode.STALE: LossReason.STALE,
    }

    async def main() -> None:
        async with harness() as home:
            audio = await playing(home, recorded(tmp_path / "said", "show the environment"), before_s=60.0)
            await detecting(home, audio, restart=None)
            home.children["detector"].send(fail_command(how))
            assert await home.lost("detector") is reasons[how]

    asyncio.run(main())


def test_what_is_said_while_the_detector_dies_is_not_lost(tmp_path: Path) -> None:
    async def main() -> None:
        async with harness() as home:
            audio = await playing(
                home, recorded(tmp_path / "said", "move the left arm up ten centimetres"), before_s=0.5
            )
            marks = Marks(await detecting(home, audio))
            began = await marks.first(Phase.BEGAN)
            # It has told how far it is, in the middle of the sentence.
            await until(lambda: bool(marks.look()) and marks.judged_s > began.until_s)
            assert [mark.phase for mark in marks.found] == [Phase.BEGAN]
            kill(home.children["detector"].pid)
            ended = await marks.first(Phase.ENDED)
            assert ended.utterance == began.utterance
            assert (
                ended.until_s - ended.began_s
                > len(spoken("move the left arm up ten centimetres")) / RATE_HZ - 0.5
            )

    asyncio.run(main())


def test_emergency_stop_latches_and_once_reset_it_is_not_heard_again_by_a_new_ear(tmp_path: Path) -> None:
    async def main() -> None:
        async with harness() as home:
            folder = recorded(tmp_path / "said", "show the environment", "emergency stop")
            audio = await playing(home, folder, before_s=0.5, between_s=1.0)
            await listening(home, audio)
            await until(lambda: home.emergency.is_latched)
            assert home.emergency.reason == "“emergency stop” was heard by a recording"
            assert home.emergency.reset(home.emergency.token)
            reset_s = time.monotonic()
            ear = RingReader(home.directory.path / "ear_mouth.ring")
            await until(lambda: ear.age_s(reset_s) < 0)  # it has told how far it is
            before = home.children["ear"].restarts
            kill(home.children["ear"].pid)
            await until(lambda: home.children["ear"].restarts > before)
            await until(ear.replaced)
            ear.reopen()
            heard_s = time.monotonic()
            await until(lambda: ear.age_s(heard_s) < -10 * BLOCK_S)  # all that there is, and more
            ear.close()
            assert not home.emergency.is_latched

    asyncio.run(main())


SAID = ("look at the name_things", "open the gripper", "move the left arm up ten centimetres", "go home")


def language(folder: Path) -> SpokenModel:
    """A small one in which names are things; no name is known."""
    model, names, spoken = folder / "it.arpa", folder / "names.json", folder / "it.spoken"
    spoken.write_text('{"10": "ten", "cm": "centimetres"}')
    model.write_text(arpa([(each.split(), 5.0) for each in SAID]))
    know(names)
    return SpokenModel(str(model), str(names), {"name_things": ("things",)}, str(spoken))


def know(names: Path, *known: str) -> None:
    """These names are known from now on."""
    new = names.with_suffix(".new")
    new.write_bytes(msgspec.json.encode([SpokenName(tuple(each.split()), ("things",)) for each in known]))
    new.replace(names)


class Written:
    """All that recognisers have written, over their lives."""

    def __init__(self, feed: TranscriptFeed) -> None:
        self._reading = EverySample(Path(feed.transcripts.ring))
        self.found: list[Transcript] = []

    def texts(self) -> list[str]:
        """Of each utterance that is written down, once."""
        self.found += [decode_transcript(sample.payload) for sample in self._reading.news()]
        return [text for _, text in sorted({(e.utterance, e.text) for e in self.found if e.kind is WRITTEN})]


WRITTEN = TranscriptKind.WRITTEN


async def recognising(
    home: Harness, feed: UtteranceFeed, model: SpokenModel, wanted: SpeechDescription = SpeechDescription()
) -> Written:
    arguments = RecogniserArguments(str(home.directory.path), feed, model, wanted)
    return Written(await home.start("recogniser", recogniser_spec(arguments), TranscriptFeed))


def test_what_is_said_is_written_down_also_by_the_next_recogniser_and_names_are_learnt(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with harness() as home:
            folder = recorded(
                tmp_path / "said", "go home", "move the left arm up ten centimetres", "look at the zorblatt"
            )
            audio = await playing(home, folder, before_s=1.0, between_s=2.0)
            model = language(tmp_path)
            marks = await detecting(home, audio)
            written = await recognising(home, marks, model, SpeechDescription("both"))
            await until(lambda: written.texts() == ["go home"])
            know(Path(model.names), "zorblatt")
            watched = Marks(marks)
            await until(lambda: len([m for m in watched.look() if m.phase is Phase.BEGAN]) == 2)
            kill(home.children["recogniser"].pid)
            said = ["go home", "move the left arm up ten centimetres", "look at the zorblatt"]
            await until(lambda: written.texts() == said)
            assert home.children["recogniser"].restarts == 1
            assert any(each.kind is TranscriptKind.PARTIAL for each in written.found)
            last = next(each for each in reversed(written.found) if each.kind is WRITTEN)
            taken = agreed(last.readings, lambda text: text in said)
            assert taken is not None
            assert taken.text == said[-1]
            assert last.heard

    asyncio.run(main())


def test_a_recogniser_without_a_model_says_what_it_wants(tmp_path: Path) -> None:
    async def main() -> None:
        async with harness() as home:
            audio = await playing(home, recorded(tmp_path / "said", "go home"), before_s=60.0)
            marks = await detecting(home, audio)
            names = tmp_path / "names.json"
            know(names)
            model = SpokenModel(str(tmp_path / "none.arpa"), str(names))
            with pytest.raises(ProcessStartFailed, match=r"none\.arpa cannot be used: .* ARPA"):
                await recognising(home, marks, model, SpeechDescription("pocketsphinx"))

    asyncio.run(main())
