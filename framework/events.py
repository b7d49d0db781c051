"""What happens, as sentences for everybody who listens: console, command line, journals, tests.

An event is made where something happens (an action's runner, a tree, the supervisor); each layer
above fills in what it knows: the tree its node, the supervisor plan and operator, the bus time and number.

The bus keeps a bounded history with sequence numbers, so that whoever comes
late gets what was said before. A listener that raises harms nobody else, and a
slow one holds nobody up: it loses the oldest events and is told how many.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from enum import StrEnum

import msgspec

from framework.clock import Clock, LoopClock

log = logging.getLogger("pilothouse.supervisor")

HISTORY = 2000


class EventKind(StrEnum):
    """What an event is about."""

    HEARD = "heard"
    UNDERSTOOD = "understood"
    REFUSED = "refused"
    ANSWERED = "answered"
    STARTED = "started"
    DOING = "doing"
    WAITING = "waiting"
    ESTABLISHED = "established"
    SWITCHED = "switched"
    PAUSED = "paused"
    RESUMED = "resumed"
    FAILED = "failed"
    ENDED = "ended"
    CANCELLED = "cancelled"
    ASKED = "asked"
    EMERGENCY = "emergency"
    RESET = "reset"
    DEVICE = "device"
    ERROR = "error"
    HEARING = "hearing"  # what is being said, as far as it is understood by now; told to who listens alone


class Subject(StrEnum):
    """What a sentence says beyond its kind, for who shows it in a way of their own."""

    NONE = ""
    ABILITIES = "abilities"  # what can be asked for, a line each
    NOT_UNDERSTOOD = "not_understood"  # a refusal: these words, or a part of them, mean nothing here
    NO_ACTION = "no_action"  # a refusal: the robot cannot do that
    NO_THING = "no_thing"  # a refusal: data["unknown"] is not known
    NOT_NOW = "not_now"  # a refusal: it is understood, and not possible now
    READ_BACK = "read_back"  # data["words"]: what was understood
    HOLDS = "holds"  # data["device"] lets go of the hand that drives it; data["why"]
    SEAT = "seat"  # what the session data["session"] may do now; its own page says that itself


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One sentence about what has happened.

    plan, action: whom it concerns, empty if nobody in particular. who: the operator who is the reason;
    people: others whom it concerns, because the plan is to be carried out with them.
    data: more of it, by name: "node" of a tree, "fraction" done, "question" and its options.
    aside: how a mere question was answered; screens leave it out until somebody asks for all.
    t_s: on the installation's clock; wall_s: seconds since 1970 UTC, for people; NaN until it is published.
    sequence: counts from 1, without gaps, for one bus; 0 until it is published.
    """

    kind: EventKind
    text: str
    plan: str = ""
    action: str = ""
    who: str = ""
    data: Mapping[str, str | int | float | bool] = {}
    aside: bool = False
    subject: Subject = Subject.NONE
    people: tuple[str, ...] = ()
    t_s: float = math.nan
    wall_s: float = math.nan
    sequence: int = 0

    @property
    def fraction(self) -> float:
        """How much is done, 0 to 1; -1 where it is not known."""
        return float(self.data.get("fraction", -1.0))

    @property
    def node(self) -> str:
        """The node of a plan's tree in which it happened; empty if none."""
        return str(self.data.get("node", ""))


class EventBus:
    """Everything that happens, in order. Belongs to one event loop."""

    def __init__(self, clock: Clock | None = None, history: int = HISTORY) -> None:
        self._clock = clock or LoopClock()
        self._history: deque[Event] = deque(maxlen=history)
        self._last = 0
        self._listeners: list[Callable[[Event], None]] = []
        self._to_deliver: deque[Event] = deque()
        self._is_delivering = False
        self._followers: set[asyncio.Event] = set()

    @property
    def last_sequence(self) -> int:
        """The number of the latest event, 0 if there was none."""
        return self._last

    def emit(
        self,
        kind: EventKind,
        text: str,
        *,
        plan: str = "",
        action: str = "",
        who: str = "",
        data: Mapping[str, str | int | float | bool] | None = None,
        aside: bool = False,
        subject: Subject = Subject.NONE,
        people: tuple[str, ...] = (),
    ) -> Event:
        """Say something to everybody: `publish` with the event made here."""
        return self.publish(Event(kind, text, plan, action, who, data or {}, aside, subject, people))

    def publish(self, event: Event) -> Event:
        """Tell everybody, with time and number. What listeners publish meanwhile is delivered after it."""
        self._last += 1
        event = msgspec.structs.replace(
            event, t_s=self._clock.now_s(), wall_s=self._clock.wall_s(), sequence=self._last
        )
        self._history.append(event)
        self._to_deliver.append(event)
        for follower in self._followers:
            follower.set()
        if not self._is_delivering:
            self._deliver()
        return event

    def history(self, since: int = 0) -> tuple[Event, ...]:
        """The kept events with a sequence number above `since`, the oldest first."""
        return tuple(event for event in self._history if event.sequence > since)

    def listen(self, listener: Callable[[Event], None], *, since: int | None = None) -> Callable[[], None]:
        """Call `listener` with each event, on the loop; with `since`, first with the kept later ones.

        Returns what ends that. Idempotent.
        """
        for event in self.history(since) if since is not None else ():
            self._call(listener, event)
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

    async def follow(self, since: int | None = None) -> AsyncIterator[Event]:
        """Each event, without end; with `since`, first the kept ones after that number.

        Whoever is slower than the history is long gets an ERROR event that says how many are lost.
        """
        seen = self._last if since is None else since
        news = asyncio.Event()
        self._followers.add(news)
        try:
            while True:
                news.clear()
                for event in self.history(seen):
                    if (lost := event.sequence - seen - 1) > 0 and (since is None or seen > since):
                        yield msgspec.structs.replace(
                            event,
                            kind=EventKind.ERROR,
                            text=f"{lost} events were lost, because they were not read in time.",
                            data={"lost": lost},
                            sequence=event.sequence - 1,
                        )
                    seen = event.sequence
                    yield event
                if self._last == seen:
                    await news.wait()
        finally:
            self._followers.discard(news)

    def _deliver(self) -> None:
        self._is_delivering = True
        try:
            while self._to_deliver:
                event = self._to_deliver.popleft()
                for listener in tuple(self._listeners):
                    self._call(listener, event)
        finally:
            self._is_delivering = False

    def _call(self, listener: Callable[[Event], None], event: Event) -> None:
        try:
            listener(event)
        except Exception:
            log.exception("a listener failed at %r; the others are told nevertheless", event.text)
