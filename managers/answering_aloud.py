"""The robot answers aloud: what is said to whoever speaks to it, and what can be heard of it.

It writes down what is to be said (`resources.types.voice`), for whichever loudspeaker is open, and reads
what is spoken when, for who listens: the robot's own words are never an instruction
(`resources.speech.own_words`). It never waits for a loudspeaker: texts appear at once, whether anything is
heard of them or not.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol, Self

import msgspec

from framework.clock import Clock
from framework.errors import StreamError
from framework.events import Event, EventBus
from framework.registrar import Lease
from framework.status import Severity
from framework.supervisor import Question
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingWriter
from framework.unreadable import UNREADABLE
from managers.said_aloud import spoken_words, urgency_for_all, urgency_of_answer
from resources.speech.own_words import ROOM_S, OwnWords
from resources.types.voice import (
    ANSWERS,
    Hush,
    LeaveOut,
    LoudspeakerFeed,
    Say,
    SayOrder,
    Spoken,
    SpokenPhase,
    Urgency,
    decode_spoken,
    encode_say_order,
)

log = logging.getLogger("pilothouse.voice")

LOOK_S: Final = 0.1
"""So often it is looked how far the loudspeaker is, and which questions are still open [s]."""

SAID_AGAIN_S: Final = 8.0
"""An answer that the loudspeaker has failed to say is said by the next one, if that is there so soon [s]."""

_SLOT_BYTES, _SLOTS = 4096, 64
_REMEMBERED: Final = 64  # sentences: of the last minutes


class Asks(Protocol):
    """Of the supervisor, what speaking needs."""

    events: EventBus

    @property
    def questions(self) -> tuple[Question, ...]: ...

    @property
    def stops(self) -> int: ...


class _Unsaid(msgspec.Struct, frozen=True):
    """What is to be said. question: the id of the one that it puts, or ""."""

    say: Say
    since_s: float
    question: str = ""


class AnsweringAloud:
    """Has answers said; a context manager, within the event loop.

    Args:
        directory: the run directory.
        supervisor: says what happens, and which questions are open.
        is_there: whether the robot has a loudspeaker at all; without one nothing is said.
        monotonic_s: reads CLOCK_MONOTONIC, with which sound is stamped.

    Raises SharedMemoryFull on entering.
    """

    def __init__(
        self,
        directory: Path,
        supervisor: Asks,
        clock: Clock,
        monotonic_s: Callable[[], float],
        *,
        is_there: bool = True,
    ) -> None:
        self._directory = directory
        self._supervisor = supervisor
        self._clock = clock
        self._monotonic_s = monotonic_s
        self._is_there = is_there
        self._ring: RingWriter | None = None
        self._ends: Callable[[], None] = lambda: None
        self._reading: EverySample | None = None
        self._last = 0
        self._is_held = False
        self._unsaid: dict[int, _Unsaid] = {}
        self._spoken: dict[tuple[int, float], Spoken] = {}  # the number, and when it began: it may again
        self._stops = supervisor.stops

    def __enter__(self) -> Self:
        if self._is_there:
            self._ring = RingWriter(
                self._directory, ANSWERS, slot_bytes=_SLOT_BYTES, slots=_SLOTS, replace=True
            )
            self._ends = self._supervisor.events.listen(self._heard)
        return self

    def __exit__(self, *error: object) -> None:
        self._ends()
        self._let_go()
        if self._ring is not None:
            self._ring.close()
            self._ring = None

    # -- what is said

    def answer(self, event: Event) -> None:
        """What has come of a spoken instruction: said, if it is of the kind that is."""
        urgency = urgency_of_answer(event)
        if urgency is not None:
            self._say(event, urgency)

    def hush(self) -> None:
        """Be silent at once; nothing that waits is said any more."""
        self._unsaid.clear()
        self._write(Hush(self._last))

    def asks(self, who: str) -> bool:
        """Whether this operator is asked something, or an action waits for their word."""
        return any(each.may_be_answered_by(who) for each in self._supervisor.questions)

    def _heard(self, event: Event) -> None:
        """Something has happened, whoever wanted it."""
        if self._supervisor.stops != self._stops:
            self._stops = self._supervisor.stops
            self.hush()
        urgency = urgency_for_all(event)
        if urgency is not None:
            self._say(event, urgency)

    def _say(self, event: Event, urgency: Urgency) -> None:
        words = spoken_words(event)
        if not words or self._ring is None:
            return
        self._forget_old()  # there may be no loudspeaker for long
        self._last += 1
        say = Say(self._last, words, urgency)
        self._unsaid[say.number] = _Unsaid(say, self._monotonic_s(), str(event.data.get("question", "")))
        self._write(say)

    def _write(self, order: SayOrder) -> None:
        if self._ring is not None:
            self._ring.write(encode_say_order(order), stamp_s=self._monotonic_s())

    # -- what is heard of it

    def own_words(self, from_s: float, until_s: float) -> OwnWords | None:
        """What the robot can be heard to say between two moments, CLOCK_MONOTONIC [s]; None if nothing."""
        self._read()
        if self._reading is None and self._is_held and self._unsaid:
            return OwnWords("", from_s, until_s)  # it may speak, and nobody knows what
        said = [
            each
            for each in self._spoken.values()
            if each.from_s <= until_s and from_s <= each.until_s + ROOM_S
        ]
        if not said:
            return None
        words = " ".join(each.words for each in said)
        return OwnWords(words, min(each.from_s for each in said), max(each.until_s for each in said))

    async def speak_by(self, lease: Lease) -> None:
        """Speak by a loudspeaker that is held, until it fails; another one may take its place meanwhile."""
        feed: LoudspeakerFeed | None = None
        self._is_held = True
        try:
            while lease.status.severity is not Severity.FATAL:
                if lease.value is not feed:
                    feed = lease.value
                    self._go_over(Path(feed.stream.ring))
                elif self._reading is None:
                    self._open(Path(feed.stream.ring))
                self._read()
                self._leave_out_settled()
                await self._clock.sleep(LOOK_S)
        finally:
            self._is_held = False

    def _go_over(self, ring: Path) -> None:
        self._read()  # what the one before has said to its end
        self._let_go()
        self._open(ring)
        self._say_again()

    def _open(self, ring: Path) -> None:
        with suppress(StreamError):  # of a process that has just died; the lease will tell
            self._reading = EverySample(ring)

    def _say_again(self) -> None:
        """To a loudspeaker that is new: what no other has said, in its order."""
        self._forget_old()
        for each in self._unsaid.values():
            self._write(each.say)

    def _forget_old(self) -> None:
        """What nobody has said in time, and the questions that are settled."""
        since_s = self._monotonic_s() - SAID_AGAIN_S
        self._leave_out_settled()
        for number, each in tuple(self._unsaid.items()):
            if each.say.urgency is not Urgency.QUESTION and each.since_s < since_s:
                del self._unsaid[number]

    def _leave_out_settled(self) -> None:
        """A question that is not open any more need not be asked."""
        is_open = {question.id for question in self._supervisor.questions}
        for number, each in tuple(self._unsaid.items()):
            if each.question and each.question not in is_open:
                del self._unsaid[number]
                self._write(LeaveOut(number))

    def _read(self) -> None:
        if self._reading is None:
            return
        try:
            samples = self._reading.news()
        except StreamError:
            self._let_go()
            return
        for sample in samples:
            with suppress(*UNREADABLE):
                self._note(decode_spoken(sample.payload))

    def _note(self, spoken: Spoken) -> None:
        if spoken.phase is SpokenPhase.PROGRESS:
            return
        is_said_again = spoken.phase is SpokenPhase.CUT and not spoken.why
        if spoken.phase is not SpokenPhase.BEGINS and not is_said_again:
            self._unsaid.pop(spoken.number, None)
        if spoken.phase is SpokenPhase.LEFT_OUT:
            log.info("not said aloud, because %s: %s", spoken.why, spoken.words)
            return
        self._spoken[spoken.number, spoken.from_s] = spoken
        while len(self._spoken) > _REMEMBERED:
            del self._spoken[next(iter(self._spoken))]

    def _let_go(self) -> None:
        if self._reading is not None:
            self._reading.close()
            self._reading = None
