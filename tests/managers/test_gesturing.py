"""From the hands of an operator to what is done: what stands on what, what counts, and when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import msgspec
import pytest

from framework.errors import MalformedMessage, ResourceFailed, ResourceUnavailable
from framework.events import EventBus, EventKind
from framework.plan.instruction import Instruction, Source
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar
from framework.supervisor import Reply
from framework.testing.children import Script
from framework.transport.ring import RingReader, RingWriter
from managers.gesture_manager import MOST_SOURCES, GestureManager
from managers.gesturing import LOOK_S, MEANT_S, Gesturing
from resources.gestures.specs import RESTARTS
from resources.types.gestures import (
    Gesture,
    GestureKind,
    Gestures,
    GesturesFeed,
    HandRead,
    Hands,
    HandsFeed,
    HandsTrouble,
    Reading,
    TrackedHand,
    decode_hands,
    encode_reading,
    landmarks,
)
from resources.types.masters import HandSide
from resources.types.sensors import Camera, CameraFeed, Device
from resources.types.streams import StreamFormat, StreamHandle
from tests.faults.stage import Stage
from tests.managers.test_sensor_manager import having

Play = Callable[[Any], None]
UP = (0.0, -1.0, 0.0)
RIGHT = HandSide.RIGHT


class Supervisor:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.events = EventBus()
        self.paused: list[tuple[Instruction, bool]] = []
        self.answered: list[tuple[Instruction, int, float]] = []

    def pause_by_gesture(self, said: Instruction, *, everything: bool = False) -> Reply | None:
        self.paused.append((said, everything))
        return None

    def answer_by_gesture(self, said: Instruction, choice: int, began_s: float) -> Reply | None:
        self.answered.append((said, choice, began_s))
        return None


class Hall:
    """A gesture manager whose processes are scripted: the test writes what is read.

    cameras: of the robot, by the names under which their hands are served.
    """

    def __init__(self, stage: Stage, cameras: Mapping[str, Camera | Device] | None = None) -> None:
        self.stage = stage
        self.cameras = cameras or {}
        self.tracked: list[tuple[str, str, CameraFeed]] = []
        self.supervisor = Supervisor()
        self.readers: list[RingWriter] = []
        self.feeds: list[HandsFeed] = []
        self.shown: list[Reading] = []
        self.ended: list[str] = []

    async def open(self) -> None:
        stage = self.stage
        self.manager = await stage.enter(
            GestureManager(
                stage.transport,
                stage.folder,
                self._reader,
                self._tracker,
                self.cameras,
                clock=stage.clock,
            )
        )
        self.registrar = await stage.enter(ResourceRegistrar("supervisor", stage.transport))

    def gesturing(self) -> Gesturing:
        return Gesturing(
            self.registrar, self.manager, self.supervisor, self.stage.clock, self.stage.clock.now_s
        )

    def _reader(self, feed: HandsFeed) -> ProcessSpec:
        name = f"gestures {feed.stream.name}"
        ring = f"gestures_{feed.stream.name}"
        self.readers.append(RingWriter(self.stage.folder, ring, slot_bytes=4096, slots=16, replace=True))
        self.feeds.append(feed)
        readings = StreamHandle(ring, str(self.readers[-1].path), StreamFormat.REPORT)
        handle = msgspec.json.encode(GesturesFeed(feed, readings))
        self.stage.launcher.set_script(name, Script(0.3, handle))
        return ProcessSpec((ring,), name, restart=RESTARTS)

    def _tracker(self, source: str, stream: str, camera: CameraFeed) -> ProcessSpec:
        self.tracked.append((source, stream, camera))
        handle = StreamHandle(stream, f"/nowhere/{stream}.ring", StreamFormat.REPORT, camera.stream.frame)
        feed = HandsFeed(source, handle, is_placed=True)
        self.stage.launcher.set_script(f"hands {source}", Script(0.3, msgspec.json.encode(feed)))
        return ProcessSpec(("tracker",), f"hands {source}", restart=RESTARTS)

    def read(self, *gestures: Gesture, ago_s: float = 0.0, meta: bytes = b"", **more: Any) -> None:
        """What the newest reading process has read."""
        content = encode_reading(Reading(gestures=gestures, **more))
        self.readers[-1].write(content, stamp_s=self.stage.clock.now_s() - ago_s, meta=meta)

    def watch(self, gesturing: Gesturing, who: str = "ann") -> Any:
        return gesturing.watch(who, UP, self.shown.append, self.ended.append)


def held(kind: GestureKind, began_s: float = 1.0, confidence: float = 0.93) -> Gesture:
    return Gesture(kind, began_s, confidence, RIGHT)


def hands(frame: str, taken_s: float = 5.0) -> tuple[TrackedHand, ...]:
    return (TrackedHand(RIGHT, frame, taken_s, 0.9, landmarks([(0.1, 0.2, 0.3)] * 21)),)


def gesturing(play: Play, scene: Callable[[Hall, Gesturing], Coroutine[Any, Any, None]]) -> None:
    async def main(stage: Stage) -> None:
        hall = Hall(stage)
        await hall.open()
        async with hall.gesturing() as it:
            await scene(hall, it)
        await stage.everybody_leaves()
        assert list(stage.folder.glob("hands_*")) == []

    play(main)


async def on(hall: Hall, it: Gesturing, who: str = "ann") -> Any:
    watched = hall.watch(it, who)
    await asyncio.sleep(1.0)
    assert hall.readers and not hall.ended
    return watched


# -- the resources


def test_gestures_stand_on_hands_and_hands_on_a_source_that_is_on(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        hall = Hall(stage)
        await hall.open()
        (client,) = await stage.come(1)
        client.ask(Gestures("ann's camera"))
        await client.answer()
        assert isinstance(client.error, ResourceUnavailable)
        assert "switch gestures on there" in str(client.error)
        with hall.manager.source("ann's camera", UP) as source:
            client = await having(stage, Gestures("ann's camera"))
            assert client.value.hands == source.feed and source.feed.up == UP
            other = await having(stage, Hands("ann's camera"))
            source.write(hands(source.feed.stream.frame), 5.0)
            with RingReader(hall.stage.folder / f"{source.feed.stream.name}.ring") as reader:
                sample = reader.latest()
                assert sample is not None and sample.stamp_s == 5.0
                assert decode_hands(sample.payload) == hands(source.feed.stream.frame)
            with pytest.raises(MalformedMessage):
                source.write([hands("one")[0], hands("another")[0]], 5.0)
        await asyncio.sleep(1.0)
        for each in (client, other):
            assert isinstance(each.error, ResourceFailed)
            assert "ann's camera has switched its gestures off" in str(each.error)
        await stage.everybody_leaves()

    play(scene)


def test_one_name_is_one_source_and_there_are_so_many(play: Play) -> None:
    async def scene(stage: Stage) -> None:
        hall = Hall(stage)
        await hall.open()
        entered = []
        for number in range(MOST_SOURCES):
            entered.append(hall.manager.source(f"page {number}", UP))
            entered[-1].__enter__()
        for name, words in (("page 1", "watched already"), ("page 99", "switch one off")):
            with pytest.raises(ResourceUnavailable, match=words), hall.manager.source(name, UP):
                raise AssertionError("it is refused")
        for each in entered:
            each.__exit__(None, None, None)
        await stage.everybody_leaves()

    play(scene)


# -- what gestures do


def test_palms_and_fists_let_things_rest_and_thumbs_answer(play: Play) -> None:
    async def scene(hall: Hall, it: Gesturing) -> None:
        await on(hall, it)
        every = (GestureKind.OPEN_PALM, GestureKind.FIST, GestureKind.THUMB_UP, GestureKind.THUMB_DOWN)
        for kind in every:
            hall.read(held(kind))
            await asyncio.sleep(2 * LOOK_S)
        supervisor = hall.supervisor
        assert [(said.text, everything) for said, everything in supervisor.paused] == [
            ("open palm", False),
            ("fist", True),
        ]
        assert [(said.text, choice, began_s) for said, choice, began_s in supervisor.answered] == [
            ("thumb up", 1, 1.0),
            ("thumb down", 0, 1.0),
        ]
        for said in (*(each[0] for each in supervisor.paused), *(each[0] for each in supervisor.answered)):
            assert (said.source, said.who, said.confidence) == (Source.GESTURE, "ann", 0.93)

    gesturing(play, scene)


def test_pointing_and_pinching_do_nothing_by_themselves(play: Play) -> None:
    async def scene(hall: Hall, it: Gesturing) -> None:
        await on(hall, it)
        hall.read(held(GestureKind.POINT), held(GestureKind.PINCH))
        await asyncio.sleep(1.0)
        assert hall.supervisor.paused == [] and hall.supervisor.answered == []
        assert hall.shown == [Reading(gestures=(held(GestureKind.POINT), held(GestureKind.PINCH)))]

    gesturing(play, scene)


def test_an_answer_that_comes_late_is_none_and_a_pause_always_is_one(play: Play) -> None:
    async def scene(hall: Hall, it: Gesturing) -> None:
        await on(hall, it)
        for kind in (GestureKind.THUMB_UP, GestureKind.THUMB_DOWN, GestureKind.OPEN_PALM):
            hall.read(held(kind), ago_s=MEANT_S + 0.1)
        await asyncio.sleep(1.0)
        assert hall.supervisor.answered == [] and len(hall.supervisor.paused) == 1

    gesturing(play, scene)


def test_each_reading_is_shown_and_what_is_none_harms_nothing(play: Play) -> None:
    async def scene(hall: Hall, it: Gesturing) -> None:
        await on(hall, it)
        read = HandRead(RIGHT, GestureKind.FIST, 0.9, 0.4)
        hall.read(hands=(read,))
        hall.readers[-1].write(b"garbage", stamp_s=hall.stage.clock.now_s())
        hall.read(trouble=HandsTrouble.FROZEN)
        await asyncio.sleep(2 * LOOK_S)
        assert hall.shown == [Reading((read,)), Reading(trouble=HandsTrouble.FROZEN)]

    gesturing(play, scene)


# -- its ends


def test_hands_go_into_the_ring_only_while_they_are_on(play: Play) -> None:
    async def scene(hall: Hall, it: Gesturing) -> None:
        watched = hall.watch(it)
        watched.take(hands, 5.0)  # before: not looked at
        await asyncio.sleep(1.0)
        reader = RingReader(hall.stage.folder / f"{hall.feeds[-1].stream.name}.ring")
        assert reader.sequence == 0
        watched.take(hands, 5.0)
        assert reader.sequence == 1
        watched.close()
        await asyncio.sleep(1.0)
        watched.take(hands, 5.0)
        assert reader.sequence == 1 and reader.closed
        reader.close()
        assert hall.ended == [""]
        assert not [event for event in hall.supervisor.events.history() if event.kind is EventKind.ERROR]

    gesturing(play, scene)


def test_off_and_on_again_at_once_is_on(play: Play) -> None:
    async def scene(hall: Hall, it: Gesturing) -> None:
        for _ in range(3):
            watched = hall.watch(it)
            await asyncio.sleep(0.01)
            watched.close()
        hall.watch(it)
        await asyncio.sleep(3.0)
        assert hall.ended == ["", "", ""]
        hall.read(held(GestureKind.OPEN_PALM))
        await asyncio.sleep(2 * LOOK_S)
        assert len(hall.supervisor.paused) == 1

    gesturing(play, scene)


def test_a_reading_process_that_dies_is_started_again_and_read_on(play: Play) -> None:
    async def scene(hall: Hall, it: Gesturing) -> None:
        await on(hall, it)
        name = f"gestures {hall.feeds[0].stream.name}"
        hall.stage.launcher.life(name).die()
        await asyncio.sleep(5.0)
        assert hall.ended == []
        assert {each.trouble for each in hall.shown} == {HandsTrouble.UNREAD}
        hall.readers[-1] = RingWriter(
            hall.stage.folder, hall.readers[-1].path.stem, slot_bytes=4096, slots=16, replace=True
        )
        hall.read(held(GestureKind.OPEN_PALM))
        await asyncio.sleep(2 * LOOK_S)
        assert len(hall.supervisor.paused) == 1

    gesturing(play, scene)


def test_what_cannot_be_read_any_more_is_told(play: Play) -> None:
    async def scene(hall: Hall, it: Gesturing) -> None:
        await on(hall, it)
        name = f"gestures {hall.feeds[0].stream.name}"
        for _ in range(40):
            if hall.ended:
                break
            hall.stage.launcher.life(name).die()
            await asyncio.sleep(2.0)
        (why,) = hall.ended
        assert name in why
        (told,) = [each for each in hall.supervisor.events.history() if each.kind is EventKind.ERROR]
        assert told.text.startswith("The gestures of ann are not read: ")
        hall.ended.clear()
        await on(hall, it)

    gesturing(play, scene)
