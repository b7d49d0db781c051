"""Notices from a thread of its own that the main loop does not turn, and names who holds it: file and line.

While one callback runs nothing else does: no stop that was typed, no lease, no heartbeat. `LoopWatchdog`
looks every `LOOK_S` at when the loop last turned (`LoopLag`); what it sees is judged by `HeldJudge`, which is
pure. The stack of the loop's thread says whose code is running: the innermost that is a plugin's or ours.

**Borrowed beats.** Control processes stop when the supervisor's heartbeat is older than .2 s. While a
*plugin's* own code holds the loop, and for `BORROWED_S` at most, the watchdog beats in its place, so that one
action's `time.sleep` does not stop everybody's arm. It does not while our own code holds it (then nobody
knows what is wrong), nor when the latch could not be reached by others, nor when it was itself not running.
Control processes hold it to a bound of their own (`MOST_LENT_S`), and count a lent beat as such.
What was borrowed is regained slowly: a plugin that holds the loop again and again stops everything too.
docs/reliability.md says why that is safe.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import Context
from enum import StrEnum
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Final, NamedTuple

import msgspec

from framework.loop_lag import PERIOD_S, LoopLag
from framework.thread_state import ThreadProcessor

log = logging.getLogger("pilothouse.loop")

#: How often it looks [s].
LOOK_S: Final = 0.02
#: A loop that has not turned for so long is held [s].
LIMIT_S: Final = 0.1
#: So long the heartbeat goes on in place of a loop that a plugin holds [s] …
BORROWED_S: Final = 0.5
#: … and so much of that is regained in each second in which the loop turns [s].
REGAINED: Final = 0.1
#: A plugin that holds the loop for so long has failed [s]: by then it has stopped everybody's arm.
FAILS_S: Final = BORROWED_S
#: A look that comes so late [s] says nothing about the loop: the watchdog was not running either.
_STARVED_S: Final = 5 * LOOK_S
_MOST_FRAMES: Final = 200
_MOST_KEPT: Final = 20
#: The same place is told of again after so long [s].
_TOLD_AGAIN_S: Final = 60.0


class Owner(StrEnum):
    """Whose code it is."""

    ACTION = "action"
    DRIVER = "driver"
    OURS = "ours"


class Place(msgspec.Struct, frozen=True):
    """A line that is being executed."""

    file: str
    line: int
    function: str


class Holder(msgspec.Struct, frozen=True):
    """Who holds the loop.

    name: the plugin's, or the task's. is_alone: a plugin's own code runs, or what is not ours.
    """

    owner: Owner
    name: str
    place: Place
    is_alone: bool = False


class Held(msgspec.Struct, frozen=True):
    """The loop was held. at_s: when it was told, CLOCK_MONOTONIC; times: how often at this place by now."""

    holder: Holder
    held_s: float
    at_s: float
    times: int = 1


#: Whose a file is, and the plugin's name; None for what belongs to nobody here (the standard library).
Whose = Callable[[str], tuple[Owner, str] | None]


def blamed(stack: Sequence[Place], whose: Whose, task: str = "") -> Holder:
    """Who holds the loop with this stack, the innermost place first. task: the one that runs, if any does."""
    ours: Place | None = None
    for place in stack:
        found = whose(place.file)
        if found is None:
            continue
        owner, name = found
        if owner is not Owner.OURS:
            # What a plugin calls in our house is our fault: our line is named, and the plugin let off.
            return Holder(owner, name, place, is_alone=True) if ours is None else _of_ours(ours, name)
        ours = ours or place
    if ours is None:
        ours = stack[0] if stack else Place("", 0, "?")
    return _of_ours(ours, task)


def _of_ours(place: Place, name: str) -> Holder:
    return Holder(Owner.OURS, name or place.function, place)


def in_words(held: Held) -> str:
    """For people: who, how long, where."""
    holder, place = held.holder, held.holder.place
    short = "/".join(Path(place.file).parts[-2:])
    who = (
        f"the {holder.owner} {holder.name}" if holder.owner is not Owner.OURS else f'"{holder.name}" of ours'
    )
    again = f" for the {held.times}th time" if held.times > 3 else " again" if held.times > 1 else ""
    return (
        f"{who} held up everything{again} for {held.held_s:.1f} s: {short}:{place.line}, in {place.function}"
    )


class Look(NamedTuple):
    """What a look has come to. is_news: the loop is held, for the first time since it turned."""

    beats: bool = False
    is_news: bool = False


class Hold:
    """Who has held the loop, one after the other, since it last turned; and each for how long.

    Written by the watchdog's thread, and read on the loop when that turns again.
    """

    def __init__(self) -> None:
        self._shares: dict[tuple[Owner, str], Share] = {}
        self.is_told = False

    def add(self, holder: Holder, context: Context | None, for_s: float) -> None:
        """Somebody has held it for so much longer."""
        key = holder.owner, holder.name
        before = self._shares.get(key, Share(holder, context, 0.0))
        self._shares[key] = before._replace(held_s=before.held_s + for_s)

    @property
    def is_by_one(self) -> bool:
        """Whether nobody else was seen."""
        return len(self._shares) == 1

    @property
    def longest(self) -> Share | None:
        """Who has held it for longest, and so long."""
        return max(tuple(self._shares.values()), key=lambda share: share.held_s, default=None)


class Share(NamedTuple):
    """One of those who held the loop. context: of the callback in which they were seen first."""

    holder: Holder
    context: Context | None
    held_s: float


class HeldJudge:
    """Judges what the watchdog sees. Pure: times come in, CLOCK_MONOTONIC [s]."""

    def __init__(self) -> None:
        self._turned_s: float | None = None
        self._looked_s: float | None = None
        self._seen_s = 0.0
        self._counted_s = 0.0
        self._left_s = BORROWED_S
        self.hold = Hold()

    def look(
        self,
        now_s: float,
        turned_s: float,
        holder: Callable[[], tuple[Holder, Context | None]],
        *,
        can_stop: bool,
        waited_s: float = 0.0,
    ) -> Look:
        """One look.

        turned_s: when the loop last turned. holder: who has the loop's thread now, and the context of the
        callback that it is in. can_stop: others can set the emergency stop. waited_s: since the last look
        the loop's thread could have run, but others had the processors: nobody holds it by that.
        """
        before_s, self._looked_s = self._looked_s, now_s
        passed_s = now_s - before_s if before_s is not None else 0.0
        if turned_s != self._turned_s:
            self._turned_s, self._seen_s, self._counted_s = turned_s, 0.0, 0.0
            self.hold = Hold()
            self._left_s = min(BORROWED_S, self._left_s + REGAINED * passed_s)
            return Look()
        is_starved = passed_s > _STARVED_S
        self._seen_s += max(0.0, (min(passed_s, LOOK_S) if is_starved else passed_s) - waited_s)
        if self._seen_s < 2 * PERIOD_S:  # it wakes every PERIOD_S
            return Look()
        now, context = holder()
        self.hold.add(now, context, self._seen_s - self._counted_s)
        self._counted_s = self._seen_s
        if self._seen_s <= LIMIT_S:
            return Look()
        is_news, self.hold.is_told = not self.hold.is_told, True
        return Look(self._may_beat(now, passed_s, can_stop=can_stop), is_news)

    def _may_beat(self, now: Holder, passed_s: float, *, can_stop: bool) -> bool:
        if not (now.is_alone and can_stop and self.hold.is_by_one and passed_s <= _STARVED_S):
            self._left_s = 0.0  # not in this hold any more
        if self._left_s <= 0.0:
            return False
        self._left_s -= passed_s
        return True


class HeldBook:
    """What is known of how the loop was held: for the status, and when it is worth telling people."""

    def __init__(self) -> None:
        self.count = 0
        self._last: deque[Held] = deque(maxlen=_MOST_KEPT)
        self._times: dict[tuple[str, int], int] = {}
        self._told_s: dict[tuple[str, int], float] = {}

    @property
    def last(self) -> tuple[Held, ...]:
        """The latest, the oldest first."""
        return tuple(self._last)

    def note(self, held: Held) -> Held | None:
        """One more; what people are to be told of it, None if they have just been told of the same place."""
        place = (held.holder.place.file, held.holder.place.line)
        self.count += 1
        self._times[place] = self._times.get(place, 0) + 1
        held = msgspec.structs.replace(held, times=self._times[place])
        self._last.append(held)
        if held.at_s - self._told_s.get(place, float("-inf")) < _TOLD_AGAIN_S:
            return None
        self._told_s[place] = held.at_s
        return held


class LoopWatchdog:
    """The thread. Entered (`with`) on the loop that it watches.

    Args:
        lag: notes when the loop turns.
        whose: whose a file is.
        told: called on the loop, as soon as that turns again, with what the callback's context was.
        lend: tells control processes since when the loop has been held, and that they may go on.
        can_stop: see `HeldJudge.look`.
    """

    def __init__(
        self,
        lag: LoopLag,
        whose: Whose,
        told: Callable[[Held, Context | None], None],
        *,
        lend: Callable[[float, float], None],
        can_stop: Callable[[], bool],
    ) -> None:
        self._lag = lag
        self._whose = whose
        self._told = told
        self._lend = lend
        self._can_stop = can_stop
        self._judge = HeldJudge()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="loop watchdog", daemon=True)

    def __enter__(self) -> LoopWatchdog:
        self._loop = asyncio.get_running_loop()
        self._loops_thread = threading.get_ident()
        self._processor = ThreadProcessor(threading.get_ident(), threading.get_native_id())
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_S):
            now_s = time.monotonic()
            turned_s = self._lag.woken_s
            if turned_s is None:
                continue
            waited_s = self._processor.waited_s(now_s)
            look = self._judge.look(
                now_s, turned_s, self._holder, can_stop=self._can_stop(), waited_s=waited_s
            )
            if look.beats:
                self._lend(turned_s, now_s)
            hold = self._judge.hold
            if look.is_news and (longest := hold.longest) is not None:
                try:  # first of all: writing the log takes its time
                    self._loop.call_soon_threadsafe(self._turns, hold)
                except RuntimeError:  # the loop is closed
                    return
                holder, place = longest.holder, longest.holder.place
                log.error(
                    "the main loop has been held for %.2f s by %s %r: %s:%d, in %s",
                    now_s - turned_s,
                    holder.owner,
                    holder.name,
                    place.file,
                    place.line,
                    place.function,
                )

    def _turns(self, hold: Hold) -> None:
        """On the loop: whatever held it has ended. Who did so for longest is told, with their own time."""
        longest = hold.longest
        if longest is not None:
            self._told(Held(longest.holder, longest.held_s, time.monotonic()), longest.context)

    def _holder(self) -> tuple[Holder, Context | None]:
        task = asyncio.current_task(self._loop)
        stack, context = _stack_of(self._loops_thread)
        return blamed(stack, self._whose, task.get_name() if task is not None else ""), context


_RUNS_CALLBACKS: Final[CodeType] = asyncio.Handle._run.__code__


def _stack_of(thread: int) -> tuple[list[Place], Context | None]:
    """What a thread is executing, the innermost place first; the context of the callback that it is in."""
    stack: list[Place] = []
    frame: FrameType | None = sys._current_frames().get(thread)
    while frame is not None and len(stack) < _MOST_FRAMES:
        code = frame.f_code
        if code is _RUNS_CALLBACKS:
            return stack, getattr(frame.f_locals.get("self"), "_context", None)
        stack.append(Place(code.co_filename, frame.f_lineno or 0, code.co_qualname))
        frame = frame.f_back
    return stack, None
