"""From a microphone to words: what stands on what, which one is heard, and what is told of failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from framework.processes.spec import ProcessSpec
from framework.testing.children import Dies, Script
from managers.page_sounds import PageSounds
from managers.speech_manager import HOLD_TO_TALK, NAMES_FILE, SpeechManager, SpeechPrograms
from resources.speech.specs import EAR_RESTARTS
from resources.speech.spoken_names import read_names
from resources.types.sensors import AudioFeed
from resources.types.speech import (
    LanguageModel,
    PageMicrophone,
    Recording,
    Speech,
    SpokenModel,
    SpokenName,
    TranscriptFeed,
    UtteranceFeed,
)
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.stage import Client, Stage
from tests.managers.test_sensor_manager import having, hearing, microphone

Play = Callable[[Any], None]
Names = tuple[SpokenName, ...]

MODEL = SpokenModel("/nowhere/it.arpa", "", {"name_things": ("things",)})
CUP, TABLE = SpokenName(("cup",), ("things",)), SpokenName(("table",), ("things",))


def audio(device: str) -> AudioFeed:
    return AudioFeed(device, StreamHandle(device, f"/nowhere/{device}.ring", StreamFormat.AUDIO))


def report(name: str) -> StreamHandle:
    return StreamHandle(name, f"/nowhere/{name}.ring", StreamFormat.REPORT)


class Hall:
    """A speech manager with scripted processes. names: what is known; since_s: from when on each listens."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.names: Names = (CUP,)
        self.since_s: list[float] = []
        self.is_addressed: list[bool] = []
        self.is_mute = False
        self.sounds = PageSounds(stage.folder, stage.clock.now_s)
        stage.launcher.set_script("model", Script(0.5, msgspec.json.encode(MODEL)))

    async def open(self) -> SpeechManager:
        async def names() -> Names:
            return self.names

        manager: SpeechManager = await self.stage.enter(
            SpeechManager(
                self.stage.transport,
                self.stage.folder,
                SpeechPrograms(
                    ear=lambda feed: ProcessSpec((feed.device,), f"ear {feed.device}", restart=EAR_RESTARTS),
                    recording=self.recording,
                    endpoint=self.endpoint,
                    recogniser=self.recogniser,
                    model=lambda: ProcessSpec(("model",), "model", restart=None),
                ),
                names,
                self.sounds.feed,
                lambda: self.sounds.talked_into,
                clock=self.stage.clock,
                monotonic_s=self.stage.clock.now_s,
            )
        )
        return manager

    def recording(self, path: str, name: str) -> ProcessSpec:
        dies = not path.endswith(".wav")
        script = Script(
            0.2, msgspec.json.encode(audio(name)), dies_before_ready=dies, last_words=("no sound",)
        )
        self.stage.launcher.set_script(f"sound {name}", script)
        return ProcessSpec((path,), f"sound {name}", restart=None)

    def endpoint(self, feed: AudioFeed, since_s: float) -> ProcessSpec:
        self.since_s.append(since_s)
        handle = msgspec.json.encode(UtteranceFeed(feed, report(f"utterances_{feed.device}")))
        self.stage.launcher.set_script(f"endpoint {feed.device}", Script(0.3, handle))
        return ProcessSpec((feed.device,), f"endpoint {feed.device}")

    def recogniser(self, feed: UtteranceFeed, model: SpokenModel, is_addressed: bool) -> ProcessSpec:
        self.is_addressed.append(is_addressed)
        assert Path(model.names).is_file() and model.classes == MODEL.classes
        device = feed.audio.device
        handle = msgspec.json.encode(TranscriptFeed(feed, report(f"transcripts_{device}")))
        words = ("no model",)
        script = Script(0.4, handle, dies_before_ready=self.is_mute, last_words=words if self.is_mute else ())
        self.stage.launcher.set_script(f"recogniser {device}", script)
        spec = ProcessSpec((device,), f"recogniser {device}")
        return msgspec.structs.replace(spec, restart=None) if self.is_mute else spec

    def alive(self, name: str) -> bool:
        lives = list(self.stage.launcher.lives.get(name, ()))
        return bool(lives) and lives[-1].is_alive


def heard_by(client: Client) -> str:
    feed: TranscriptFeed = client.value
    device: str = feed.utterances.audio.device
    return device


def test_speech_stands_on_microphone_detector_model_and_recogniser_and_leaves_none_of_them(
    play: Play,
) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast"))
        hall = Hall(stage)
        await hall.open()
        client = await having(stage, Speech())
        assert heard_by(client) == "mast"
        parts = ("microphone mast", "ear mast", "endpoint mast", "recogniser mast")
        assert all(map(hall.alive, parts)) and not hall.alive("model")  # it ends when it is made
        await client.leave()
        await asyncio.sleep(2)
        assert not any(map(hall.alive, parts))
        assert not (stage.folder / NAMES_FILE).exists()

    play(scene)


def test_two_who_listen_share_everything(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast", mount="mast"))
        hall = Hall(stage)
        await hall.open()
        one, other = await having(stage, Speech()), await having(stage, Speech(audience="mast"))
        assert one.value == other.value
        assert all(
            len(stage.launcher.lives[each]) == 1 for each in ("endpoint mast", "recogniser mast", "model")
        )

    play(scene)


def test_when_a_microphone_dies_the_next_one_is_heard_from_that_moment_on(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast", 2), microphone("phone", 1))
        hall = Hall(stage)
        await hall.open()
        client = await having(stage, Speech())
        assert heard_by(client) == "mast"
        died_s = stage.clock.now_s()
        stage.launcher.life("microphone mast").die()
        await asyncio.sleep(5)
        assert heard_by(client) == "phone"
        assert "is heard by phone now" in client.told[-1].status.message
        assert died_s < hall.since_s[-1] < died_s + 2.0
        assert not hall.alive("recogniser mast") and not hall.alive("endpoint mast")

    play(scene)


def test_when_the_last_microphone_dies_a_page_stands_in_and_the_robots_own_once_it_is_back(
    play: Play,
) -> None:
    async def scene(stage: Stage) -> None:
        sensors = await hearing(stage, microphone("mast", retry_after_s=60.0))
        hall = Hall(stage)
        await hall.open()
        client = await having(stage, Speech())
        sensors.unplug("mast")
        await asyncio.sleep(5)
        assert client.error is None
        assert not hall.alive("recogniser mast")
        assert "mast" in client.told[-1].status.message and HOLD_TO_TALK in client.told[-1].status.message
        stage.launcher.set_script("ear page_1", Script(0.2))
        sound = hall.sounds.open("console page 1")  # somebody presses its button
        await asyncio.sleep(3)
        assert heard_by(client) == "page_1" and hall.is_addressed == [False, True]
        hall.sounds.close(sound)
        await asyncio.sleep(3)
        sensors.plug_in("mast")
        await asyncio.sleep(8)
        assert heard_by(client) == "mast" and hall.is_addressed[-1] is False
        sensors.unplug("mast")  # and once more
        await asyncio.sleep(5)
        assert HOLD_TO_TALK in client.told[-1].status.message

    play(scene)


def test_a_recogniser_that_cannot_start_where_the_microphone_is_back_is_tried_again(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        sensors = await hearing(stage, microphone("mast", retry_after_s=60.0))
        hall = Hall(stage)
        await hall.open()
        client = await having(stage, Speech())
        sensors.unplug("mast")
        await asyncio.sleep(5)
        hall.is_mute = True
        sensors.plug_in("mast")
        await asyncio.sleep(10)
        assert client.error is None and len(hall.is_addressed) > 2
        assert "no model" in client.told[-1].status.message and HOLD_TO_TALK in client.told[-1].status.message
        hall.is_mute = False
        await asyncio.sleep(10)
        assert hall.alive("recogniser mast")

    play(scene)


def test_a_page_that_is_talked_into_gives_way_to_the_robots_own_microphone(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        sensors = await hearing(stage, microphone("mast"))
        hall = Hall(stage)
        await hall.open()
        client = await having(stage, Speech())
        stage.launcher.set_script("ear page_1", Script(0.2))
        hall.sounds.open("console page 1")
        await asyncio.sleep(2)
        assert heard_by(client) == "mast"  # as long as that works, nobody's page is listened to for others
        sensors.unplug("mast")
        await asyncio.sleep(3)
        assert heard_by(client) == "page_1"
        sensors.plug_in("mast")
        await asyncio.sleep(8)
        assert heard_by(client) == "mast"

    play(scene)


def test_when_the_last_microphone_at_a_mount_dies_whoever_listens_there_is_told_why(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast", mount="mast", retry_after_s=60.0))
        hall = Hall(stage)
        await hall.open()
        hall.sounds.open("console page 1")
        client = await having(stage, Speech(audience="mast"))
        stage.launcher.life("microphone mast").die()
        await asyncio.sleep(5)
        assert client.error is not None and "mast" in str(client.error)
        assert not hall.alive("recogniser mast")

    play(scene)


def test_a_recogniser_that_dies_is_started_again(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage, microphone("mast"))
        hall = Hall(stage)
        await hall.open()
        client = await having(stage, Speech())
        stage.launcher.life("recogniser mast").die()
        await asyncio.sleep(3)
        assert hall.alive("recogniser mast") and len(stage.launcher.lives["recogniser mast"]) == 2
        assert heard_by(client) == "mast" and any("recogniser mast" in t.status.message for t in client.told)

    play(scene)


def test_without_a_microphone_it_is_refused_and_nothing_is_left(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage)
        await Hall(stage).open()
        client = await having(stage, Speech())
        assert "the robot has no microphone" in str(client.error)

    play(scene)


def test_a_recording_has_an_ear_too_and_what_is_no_sound_is_refused(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await hearing(stage)
        hall = Hall(stage)
        await hall.open()
        refused = await having(stage, Speech(recording="/nowhere/it.txt"))
        assert "no sound" in str(refused.error)
        client = await having(stage, Recording("/nowhere/it.wav"))
        assert hall.alive(f"ear {client.value.device}")

    play(scene)


def test_what_becomes_known_is_written_for_the_recognisers_within_a_moment(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        hall = Hall(stage)
        await hall.open()
        client = await having(stage, LanguageModel())
        file = Path(client.value.names)
        assert read_names(file) == (CUP,)
        hall.names = (CUP, TABLE)
        await asyncio.sleep(0.15)
        assert read_names(file) == (CUP, TABLE)

    play(scene)


def test_a_pages_microphone_has_its_ear_before_anything_takes_long_and_is_heard_from_its_opening_on(
    play: Play,
) -> None:
    async def scene(stage: Stage) -> None:
        hall = Hall(stage)
        stage.launcher.set_script("model", Script(5.0, msgspec.json.encode(MODEL)))
        await hall.open()
        sound = hall.sounds.open("console page 1")
        device, opened_s = sound.request.device, stage.clock.now_s()
        (client,) = await stage.come(1)
        client.ask(Speech(page=sound.request), timeout_s=100.0)
        await asyncio.sleep(1.0)
        assert hall.alive(f"ear {device}") and not hall.alive(f"endpoint {device}")
        await client.answer(60.0)
        assert heard_by(client) == device and hall.since_s[-1] <= opened_s
        await client.leave()
        await asyncio.sleep(2.0)
        assert not hall.alive(f"ear {device}") and not (stage.folder / f"{device}.ring").exists()
        hall.sounds.close(sound)

    play(scene)


def test_a_pages_microphone_that_is_not_open_is_refused(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        await Hall(stage).open()
        client = await having(stage, Speech(page=PageMicrophone("console page 1", "page_1")))
        assert "microphone of console page 1 is not open" in str(client.error)

    play(scene)


def test_a_pages_microphone_whose_ear_cannot_be_kept_is_closed(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        hall = Hall(stage)
        await hall.open()
        sound = hall.sounds.open("console page 1")
        client = await having(stage, Speech(page=sound.request))
        ear = f"ear {sound.request.device}"
        stage.launcher.set_script(ear, Script(0.1, acts=(Dies(0.1),)))
        stage.launcher.life(ear).die()
        await asyncio.sleep(20)
        assert client.error is not None and 'nobody listens for "emergency stop"' in str(client.error)
        hall.sounds.close(sound)

    play(scene)
