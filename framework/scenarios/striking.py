"""Faults beside the steps: each strikes at its moment, lasts, and is mended; and how long it is felt.

A plan's action is *served* while its tree says that it is up (ready or moving) and everything that it shows
or moves has told something new since the strike. It is *repaired* when it is served again, or has ended, or
waits for a person's word: from then on nothing is open that nobody was told of.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from typing import Final

import msgspec

from framework.clock import Clock
from framework.errors import PilothouseError
from framework.events import EventKind
from framework.scenarios.invariants import Breach, Broken
from framework.scenarios.phases import Moment, PhaseTracker
from framework.scenarios.report import Struck
from framework.scenarios.scenario import Phase, Strike, When
from framework.scenarios.stage import Stage, StageActivity
from framework.scenarios.watching import Watcher
from framework.tree.view import NodeState

TOLD_WITHIN_S: Final = 3.0
"""Whoever has lost something is told so soon."""

_NEWS = tuple(kind for kind in EventKind if kind is not EventKind.DOING)
"""What of an action's words says that something has changed: that it goes on does not."""

_UP = (Phase.READY, Phase.MOVING)
_NOT_DOWN = (*_UP, Phase.STOPPING)
"""What is stopped by somebody's word has not lost what it had, whatever has just failed beneath it."""


class _Service(msgspec.Struct):
    """An action that was up when something failed. moved, shown: what of it has to tell something new."""

    plan: str
    moved: tuple[str, ...]
    shows: bool
    seen_events: int
    repaired_s: float | None = None
    was_down: bool = False
    is_judged: bool = False


class _Wound(msgspec.Struct):
    """A strike that was carried out, and whom it may have hurt."""

    strike: Strike
    at_s: float
    moments: tuple[Moment, ...]
    services: dict[str, _Service]
    words: str
    is_over: bool = False


class _Waiting(msgspec.Struct):
    """A strike whose moment has come, but whose place was not up, or had failed already."""

    strike: Strike
    at_s: float
    moments: tuple[Moment, ...]
    error: str


class Strikes:
    """Arms them. A place that is not up when the moment comes is struck as soon as it is, while the action is
    in that phase, this time or the next.

    `look` with each look of the watcher; `close` at the end, which mends everything."""

    def __init__(self, strikes: tuple[Strike, ...], stage: Stage, watcher: Watcher, clock: Clock) -> None:
        self._stage = stage
        self._watcher = watcher
        self._clock = clock
        self._begun_s = stage.now_s()
        self._armed = list(strikes)
        self._counts: Counter[tuple[str, Phase]] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._wounds: list[_Wound] = []
        self._waiting: list[_Waiting] = []
        self._missed: list[_Waiting] = []
        self._never: list[Strike] = []
        self._broken_places: Counter[str] = Counter()
        self.broken: list[Broken] = []
        self.tracker = PhaseTracker(stage, self._came)

    async def close(self) -> None:
        """No further strike; what is broken is mended, as well as that is possible."""
        self._never += self._armed
        self._armed.clear()
        self._missed, self._waiting = self._missed + self._waiting, []
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for place in sorted(self._broken_places):
            self._mend(place)

    def end(self) -> None:
        """Nothing is looked at any more."""
        self.tracker.close()

    def look(self) -> None:
        """Look at what is open."""
        self.tracker.look()
        self._strike_what_waits()
        now_s = self._stage.now_s()
        activities = {each.node: each for each in self.tracker.activities}
        for wound in self._wounds:
            if not wound.is_over:
                for node, service in wound.services.items():
                    self._judge(wound, service, activities.get(node), node, now_s)
                wound.is_over = all(each.repaired_s is not None for each in wound.services.values())

    @property
    def is_quiet(self) -> bool:
        """Nothing is under way, and all that was struck is repaired."""
        return not self._tasks and all(wound.is_over for wound in self._wounds)

    def struck(self) -> tuple[Struck, ...]:
        """What has become of each, those first that struck first; then those whose moment never came."""
        done = [
            Struck(
                wound.strike,
                wound.at_s - self._begun_s,
                tuple(wound.moments),
                repaired_ms=_repaired_ms(wound),
                words=wound.words,
            )
            for wound in self._wounds
        ]
        missed = [
            Struck(each.strike, each.at_s - self._begun_s, each.moments, error=each.error)
            for each in (*self._waiting, *self._missed)
        ]
        never = [Struck(strike, error="its moment never came", never=True) for strike in self._never]
        return (*done, *missed, *never)

    def first_s(self) -> dict[Moment, dict[str, float]]:
        """See `Report`."""
        return {
            moment: {place: at_s - self._begun_s for place, at_s in first_s.items()}
            for moment, first_s in self.tracker.first_s.items()
        }

    def _came(self, moment: Moment) -> None:
        self._counts[moment.action, moment.phase] += 1
        self._counts["", moment.phase] += 1
        for strike in tuple(self._armed):
            when = strike.when
            is_meant = when.phase is moment.phase and when.action in ("", moment.action)
            if is_meant and self._counts[when.action, when.phase] == when.nth:
                self._armed.remove(strike)
                self._begin(self._carry_out(strike, moment, self._stage.now_s()), strike)

    async def _carry_out(self, strike: Strike, came: Moment, came_s: float) -> None:
        if strike.when.after_s:
            await self._clock.sleep(strike.when.after_s)
        self.tracker.look()
        self._watcher.look()
        moments = self.tracker.now()
        if self._stage.now_s() == came_s and came not in moments:
            moments = (*moments, came)  # it lasted no time, and in that very instant this strikes
        try:
            self._strike(strike, moments)
        except PilothouseError as error:
            self._waiting.append(_Waiting(strike, self._stage.now_s(), moments, str(error)))

    def _strike_what_waits(self) -> None:
        if not self._waiting:
            return
        moments = self.tracker.now()
        for waiting in tuple(self._waiting):
            if _is_in(waiting.strike.when, moments):
                with suppress(PilothouseError):
                    self._strike(waiting.strike, moments)
                    self._waiting.remove(waiting)

    def _strike(self, strike: Strike, moments: tuple[Moment, ...]) -> None:
        """Raises PilothouseError if it cannot be done now."""
        place = strike.fail.device
        services = self._services()
        at_s = self._stage.now_s()
        words = self._stage.fail(place, strike.fail.how)
        self._broken_places[place] += 1
        self._wounds.append(_Wound(strike, at_s, moments, services, words))
        if strike.lasts_s:
            self._begin(self._mend_after(place, strike.lasts_s), strike)

    async def _mend_after(self, place: str, lasts_s: float) -> None:
        await self._clock.sleep(lasts_s)
        self._broken_places[place] -= 1
        if self._broken_places[place] <= 0:
            del self._broken_places[place]
            self._mend(place)

    def _begin(self, doing: Coroutine[None, None, None], strike: Strike) -> None:
        task = asyncio.create_task(doing, name=f"strike {strike.fail.device}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _mend(self, place: str) -> None:
        with suppress(PilothouseError):  # a process that is gone meanwhile, for one: nothing is to be mended
            self._stage.restore(place)

    def _services(self) -> dict[str, _Service]:
        since = self._stage.events.last_sequence
        shows = bool(self._watcher.views)
        return {
            each.node: _Service(each.plan, each.moves, shows and not each.moves, since)
            for each in self.tracker.activities
            if self.tracker.phase(each.node) in _UP
        }

    def _judge(
        self, wound: _Wound, service: _Service, activity: StageActivity | None, node: str, now_s: float
    ) -> None:
        if service.repaired_s is not None:
            return
        phase = self.tracker.phase(node)
        service.was_down = service.was_down or (activity is not None and phase not in _NOT_DOWN)
        waits_for_somebody = activity is None or activity.awaits_word or activity.state is NodeState.PAUSED
        if waits_for_somebody or (phase in _UP and self._is_fresh(service, wound.at_s)):
            service.repaired_s = now_s
        is_due = service.was_down and service.repaired_s is not None
        if (is_due or now_s - wound.at_s > TOLD_WITHIN_S) and not service.is_judged:
            service.is_judged = True
            news = self._stage.events.history(service.seen_events)
            if not any(event.plan == service.plan and event.kind in _NEWS for event in news):
                words = f"plan {service.plan} has lost what it had by {wound.strike.fail}, and nobody is told"
                self.broken.append(Broken(Breach.UNTOLD, words, now_s - self._begun_s))

    def _is_fresh(self, service: _Service, since_s: float) -> bool:
        if service.moved:
            told = {each.device: each.reported_s for each in self._stage.motions()}
            return all(told[each] > since_s for each in service.moved if each in told)
        return not service.shows or any(view.stamp_s > since_s for view in self._watcher.views)


def _is_in(when: When, moments: tuple[Moment, ...]) -> bool:
    return any(each.phase is when.phase and when.action in ("", each.action) for each in moments)


def _repaired_ms(wound: _Wound) -> float | None:
    """Until the last one was served again; None if nobody was, or nobody had to be."""
    times = [each.repaired_s for each in wound.services.values()]
    if not times or any(each is None for each in times):
        return None
    return 1000.0 * (max(each for each in times if each is not None) - wound.at_s)
