"""What hands show becomes what is done: readings → the supervisor, while somebody has their hands watched.

| gesture | what it does |
|---|---|
| open palm | everything that moves rests; what cannot rest ends |
| fist | every plan rests, as by the word "pause" |
| thumb up, thumb down | yes, no: to the question that was put to whoever shows it, before they began to |
| point, pinch | nothing by themselves |

No gesture starts anything, or lets anything go on, but as the answer to a question. Before a camera of the
robot thumbs answer nothing: nobody knows who stands there, or whether they were asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from framework.clock import Clock
from framework.errors import MalformedMessage, PilothouseError, StreamError
from framework.events import EventBus, EventKind
from framework.plan.instruction import Instruction, Source
from framework.registrar import Lease, ResourceRegistrar
from framework.supervisor import Reply
from framework.transport.every_sample import EverySample
from framework.transport.ring import Sample
from framework.unreadable import UNREADABLE
from managers.gesture_manager import STARTED_WITHIN_S, GestureManager, HandsSource
from resources.gestures.holding import RULES
from resources.types.gestures import (
    Gesture,
    GestureKind,
    Gestures,
    GesturesFeed,
    HandsTrouble,
    Reading,
    TrackedHand,
    decode_reading,
)
from resources.types.streams import Pose7, decode_meta
from resources.types.whereabouts import Point

log = logging.getLogger("pilothouse.gestures")

LOOK_S: Final = 0.03
"""So often it is looked for what hands show [s]."""

MEANT_S: Final = 1.0
"""An answer that was read longer ago is not taken any more [s]; a pause always is."""

UNREAD_S: Final = 1.5
"""Without any reading for so long the process that reads has died, or hangs [s]: it writes two a second."""

_SHOWN: Final = {
    GestureKind.OPEN_PALM: "open palm",
    GestureKind.FIST: "fist",
    GestureKind.THUMB_UP: "thumb up",
    GestureKind.THUMB_DOWN: "thumb down",
}

_IN_WORDS: Final = {
    HandsTrouble.NONE: "Hands before {} count again.",
    HandsTrouble.SILENT: "Hands before {} count no longer: no picture of it is read.",
    HandsTrouble.FROZEN: "Hands before {} count no longer: it gives the same picture again and again.",
    HandsTrouble.TOO_SLOW: "Hands before {} count no longer: its pictures come more than "
    f"{RULES.silent_s:g} s apart, or so late. Close other programs, or have the camera give more pictures a "
    "second, or smaller ones.",
    HandsTrouble.UNREADABLE: "Hands before {} count no longer: what is found there is none.",
    HandsTrouble.UNREAD: "Hands before {} count no longer: the process that reads them has died, or hangs.",
}
"""Of a camera of the robot's; what a page shows is said there."""


class Understands(Protocol):
    """Of the supervisor, what gestures need."""

    events: EventBus

    def pause_by_gesture(self, said: Instruction, *, everything: bool = False) -> Reply | None: ...

    def answer_by_gesture(self, said: Instruction, choice: int, began_s: float) -> Reply | None: ...


class Gesturing:
    """Has what hands show carried out. An async context manager: leaving it ends all watching.

    Args:
        registrar: asks for `Gestures`.
        manager: where sources are switched on.
        supervisor: is told what was shown.
        monotonic_s: reads CLOCK_MONOTONIC, with which hands are stamped.
    """

    def __init__(
        self,
        registrar: ResourceRegistrar,
        manager: GestureManager,
        supervisor: Understands,
        clock: Clock,
        monotonic_s: Callable[[], float],
    ) -> None:
        self.registrar = registrar
        self.manager = manager
        self.supervisor = supervisor
        self.clock = clock
        self.monotonic_s = monotonic_s
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Gesturing:
        return self

    async def __aexit__(self, *error: Any) -> None:
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def watch(
        self, who: str, up: Point | None, show: Callable[[Reading], None], ended: Callable[[str], None]
    ) -> WatchedHands:
        """Switch the hands of an operator on, once the ones before are off. up: what is up in their frame.

        show: is told each reading; ended: why it is over, "" if they were switched off.
        """
        watched = WatchedHands(self, who, up, show)
        before = self._tasks.get(who)
        task = asyncio.create_task(watched.run(before, ended), name=f"watching the hands of {who}")
        self._tasks[who] = task
        task.add_done_callback(partial(self._forget, who))
        return watched

    async def before_camera(
        self, lease: Lease, camera: str, placed: Callable[[Reading, Pose7, float], None]
    ) -> None:
        """What is shown before a camera of the robot, until that is lost. Thumbs answer nothing there.

        lease: of its `Gestures`. placed: is told each reading that counts, where the camera was, and when its
        picture was taken, by the clock [s]. What goes wrong in it is told, and keeps no hand from counting.
        """
        trouble = HandsTrouble.NONE

        def show(reading: Reading) -> None:
            nonlocal trouble
            if reading.trouble is not trouble:
                trouble = reading.trouble
                self.supervisor.events.emit(EventKind.DEVICE, _IN_WORDS[trouble].format(camera))

        who = f"somebody before {camera}"
        acts = _Acts(self, who, show, may_answer=False, placed=placed)
        over = asyncio.ensure_future(lease.failed())
        try:
            await acts.read(lease, over.done)
        finally:
            over.cancel()
            await asyncio.gather(over, return_exceptions=True)

    def _forget(self, who: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(who) is task:
            del self._tasks[who]


class WatchedHands:
    """The hands of one operator while they are on."""

    def __init__(self, of: Gesturing, who: str, up: Point | None, show: Callable[[Reading], None]) -> None:
        self._of = of
        self._who = who
        self._up = up
        self._show = show
        self._source: HandsSource | None = None
        self._closing = asyncio.Event()

    def take(self, hands: Callable[[str], Sequence[TrackedHand]], taken_s: float) -> None:
        """One picture. hands: makes them for the frame that they are in. Raises MalformedMessage.

        Before it is on, and after the end, it is not looked at.
        """
        if self._source is not None:
            self._source.write(hands(self._source.feed.stream.frame), taken_s)

    def close(self) -> None:
        """Switch them off; does not wait."""
        self._closing.set()

    async def run(self, before: asyncio.Task[None] | None, ended: Callable[[str], None]) -> None:
        """Read them until the end."""
        why = ""
        try:
            if before is not None:
                await asyncio.wait([before])
            if not self._closing.is_set():
                await self._watch()
        except PilothouseError as error:
            why = error.why
            text = f"The gestures of {self._who} are not read: {why.rstrip('.')}."
            self._of.supervisor.events.emit(EventKind.ERROR, text, who=self._who)
        except Exception as error:  # whoever shows their hands must not believe that somebody looks
            log.exception("watching the hands of %s ended", self._who)
            why = f"an error in the program, which is in the log: {type(error).__name__}"
        finally:
            ended(why)

    async def _watch(self) -> None:
        request = Gestures(self._who)
        acts = _Acts(self._of, self._who, self._show, may_answer=True)
        with self._of.manager.source(self._who, self._up) as source:
            self._source = source
            try:
                async with self._of.registrar.request(
                    request, who=self._who, timeout_s=STARTED_WITHIN_S
                ) as lease:
                    await acts.read(lease, self._closing.is_set)
            finally:
                self._source = None


class _Acts:
    """Does what one source's gestures mean.

    show: is told each reading. may_answer: thumbs answer what was asked of `who`.
    placed: is told each reading of a picture that counts as well, where its frame was in the world, and when
        that was.
    """

    def __init__(
        self,
        of: Gesturing,
        who: str,
        show: Callable[[Reading], None],
        *,
        may_answer: bool,
        placed: Callable[[Reading, Pose7, float], None] | None = None,
    ) -> None:
        self._of = of
        self._who = who
        self._show = show
        self._may_answer = may_answer
        self._placed = placed
        self._is_placing_broken = False

    async def read(self, lease: Lease, is_over: Callable[[], bool]) -> None:
        """What its hands show, until then."""
        feed: GesturesFeed = lease.value
        readings = EverySample(Path(feed.readings.ring))
        clock = self._of.clock
        due_s = clock.now_s() + UNREAD_S
        try:
            while not is_over():
                news: list[Sample] = []
                with suppress(StreamError):  # of a process that has just died; the lease will tell
                    news = readings.news()
                for sample in news:
                    self._take(sample)
                if news:
                    due_s = clock.now_s() + UNREAD_S
                elif clock.now_s() >= due_s:
                    due_s = clock.now_s() + UNREAD_S
                    self._show(Reading(trouble=HandsTrouble.UNREAD))
                await clock.sleep(LOOK_S)
        finally:
            readings.close()

    def _take(self, sample: Sample) -> None:
        try:
            reading = decode_reading(sample.payload)
        except MalformedMessage:
            return  # of a process that is made to fail; it is started anew
        for gesture in reading.gestures:
            self._act(gesture, sample.stamp_s)
        if self._placed is not None and reading.hands and reading.trouble is HandsTrouble.NONE:
            self._place(self._placed, reading, sample)
        self._show(reading)

    def _place(
        self, placed: Callable[[Reading, Pose7, float], None], reading: Reading, sample: Sample
    ) -> None:
        """Pointing is beside the matter: whatever goes wrong in it, palms and fists count."""
        of = self._of
        taken_s = of.clock.now_s() - (of.monotonic_s() - reading.taken_s)
        try:
            with suppress(*UNREADABLE):
                world_T_camera = decode_meta(sample.meta).world_T_frame
                if world_T_camera is not None:
                    placed(reading, world_T_camera, taken_s)
        except Exception as error:
            if not self._is_placing_broken:  # once: it comes fifteen times a second
                self._is_placing_broken = True
                log.exception("where %s points is not known", self._who)
                text = (
                    f"Where {self._who} points does not count: an error in the program, which is in the log: "
                    f"{type(error).__name__}. Palms and fists do."
                )
                of.supervisor.events.emit(EventKind.ERROR, text)

    def _act(self, gesture: Gesture, read_s: float) -> None:
        if gesture.kind not in _SHOWN:
            return
        of = self._of
        now_s, monotonic_s = of.clock.now_s(), of.monotonic_s()
        words = _SHOWN[gesture.kind]
        said = Instruction(words, Source.GESTURE, self._who, now_s, gesture.confidence)
        match gesture.kind:
            case GestureKind.OPEN_PALM:
                of.supervisor.pause_by_gesture(said)
            case GestureKind.FIST:
                of.supervisor.pause_by_gesture(said, everything=True)
            case _ if self._may_answer and monotonic_s - read_s <= MEANT_S:
                choice = int(gesture.kind is GestureKind.THUMB_UP)
                of.supervisor.answer_by_gesture(said, choice, gesture.began_s + now_s - monotonic_s)
