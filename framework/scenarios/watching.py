"""Looking at a stage while a scenario runs: what is shown since when, what moves, how devices and plans are.

It looks at views at each turn (a gap is measured by this), and at the rest twenty times a second. It
changes nothing and judges nothing.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

import msgspec

from framework.clock import Clock
from framework.scenarios.motion import MotionLog
from framework.scenarios.report import Span
from framework.scenarios.scenario import ABSENT
from framework.scenarios.stage import Stage, StageMotion, StageView
from framework.scenarios.swaying import Swaying

LOOK_S = 0.01
"""How often views are looked at: a gap is known to this."""

STATES_EVERY_S = 0.05

_BEST_SPAN_GAP_S = 0.5
"""A view whose samples come this far apart is drawn as a gap."""


class FirstSample(msgspec.Struct, frozen=True):
    """The first sample of a device that was taken after the mark: when it was seen in the page's ring."""

    seen_s: float
    stamp_s: float


class Watcher:
    """What is seen of a stage. `mark` forgets the first samples, so that the next ones count.

    is_drawn: states are looked at, too, for a picture; conditions need none.
    on_look: hears with each look how what moves stands.
    """

    def __init__(self, stage: Stage, clock: Clock, *, look_s: float = LOOK_S, is_drawn: bool = True) -> None:
        self.motion = MotionLog()
        self.on_look: Callable[[tuple[StageMotion, ...], float], None] = lambda motions, now_s: None
        self._swaying = Swaying()
        self._stage = stage
        self._clock = clock
        self._look_s = look_s
        self._is_drawn = is_drawn
        self._begun_s = stage.now_s()
        self._mark_s = self._begun_s
        self._sequences: dict[str, int] = {}
        self._first: dict[str, FirstSample] = {}
        self._views: tuple[StageView, ...] = ()
        self._open: dict[tuple[str, str], tuple[str, float, float]] = {}
        self._spans: list[Span] = []
        self._resources: set[str] = set()
        self._states_due_s = self._begun_s if is_drawn else math.inf

    def mark(self) -> None:
        """Something is about to be done: samples that are taken from now on are news."""
        self._mark_s = self._stage.now_s()
        self._first.clear()
        self.motion.mark(self._mark_s)

    def first_sample(self, device: str) -> FirstSample | None:
        """The first one of a device since the mark, as long as the device is shown."""
        is_shown = any(view.device == device for view in self._views)
        return self._first.get(device) if is_shown else None

    def shown(self) -> tuple[str, ...]:
        """The devices that show something taken since the mark."""
        return tuple(view.device for view in self._views if view.device in self._first)

    @property
    def views(self) -> tuple[StageView, ...]:
        """All that was shown at the last look."""
        return self._views

    async def run(self) -> None:
        """Look, until cancelled."""
        while True:
            self.look()
            await self._clock.sleep(self._look_s)

    def look(self, *, at_all: bool = False) -> None:
        """Look once; `at_all`, also at what is not due yet."""
        now_s = self._stage.now_s()
        motions = self._swaying.steadied(self._stage.motions(), now_s)
        self.motion.see(motions, now_s)
        self.on_look(motions, now_s)
        self._views = self._stage.views()
        for view in self._views:
            if view.sequence and view.sequence != self._sequences.get(view.id, 0):
                self._sequences[view.id] = view.sequence
                self._see("shown", view.device, view.device, now_s, _BEST_SPAN_GAP_S)
                if view.stamp_s > self._mark_s and view.device not in self._first:
                    self._first[view.device] = FirstSample(now_s, view.stamp_s)
        gone = self._sequences.keys() - {view.id for view in self._views}
        for view_id in gone:
            del self._sequences[view_id]
        if (at_all and self._is_drawn) or now_s >= self._states_due_s:
            self._states_due_s = now_s + STATES_EVERY_S
            for device in self._stage.devices():
                self._see("device", device.name, device.state, now_s)
            resources = {resource.name: resource.state for resource in self._stage.resources()}
            for name in self._resources - resources.keys():
                self._see("resource", name, ABSENT, now_s)
            self._resources |= resources.keys()
            for name, state in resources.items():
                self._see("resource", name, state, now_s)
            for plan in self._stage.plans():
                lane, state = f"{plan.id}: {plan.words}", plan.state.value
                before = self._open.get(("plan", lane))
                # Of one that has ended the end is kept, as a moment; what ended before is not ours.
                if not plan.state.is_over or (before is not None and before[0] != state):
                    self._see("plan", lane, state, now_s)

    def spans(self) -> tuple[Span, ...]:
        """Everything that was seen so far, in the order of its beginning."""
        still = [
            Span(group, lane, label, since_s, until_s)
            for (group, lane), (label, since_s, until_s) in self._open.items()
        ]
        return tuple(sorted([*self._spans, *still], key=lambda span: (span.from_s, span.group, span.lane)))

    def _see(self, group: str, lane: str, label: str, now_s: float, gap_s: float = math.inf) -> None:
        t_s = now_s - self._begun_s
        key = (group, lane)
        before = self._open.get(key)
        if before is not None:
            label_before, since_s, until_s = before
            if label_before == label and t_s - until_s <= gap_s:
                self._open[key] = (label, since_s, t_s)
                return
            end_s = t_s if math.isinf(gap_s) else until_s
            self._spans.append(Span(group, lane, label_before, since_s, end_s))
        self._open[key] = (label, t_s, t_s)


async def ended(task: asyncio.Task[None]) -> None:
    """Cancel a watcher's task and wait for it; what it failed with is raised."""
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        if not task.cancelled():
            raise
