"""What each action is at, as its tree and its devices tell it: the moments at which faults strike.

Looked at with every event, every line of a registrar's journal and every look of the watcher, so that a phase
that lasts no time is seen, too. Changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec

from framework.events import Event
from framework.scenarios.scenario import Phase
from framework.scenarios.stage import Stage, StageActivity
from framework.tree.view import NodeState


class Moment(msgspec.Struct, frozen=True, order=True):
    """An action comes into a phase."""

    action: str
    phase: Phase

    def __str__(self) -> str:
        return f"{self.action}: {self.phase.value}"


class _Node:
    """One action of a plan, and what it has been through."""

    def __init__(self) -> None:
        self.phase: Phase | None = None
        self.was_up = False
        self.was_interrupted = False
        self.was_paused = False

    def comes_to(self, activity: StageActivity, moves: bool) -> Phase | None:
        """Its phase now, None between phases."""
        match activity.state:
            case NodeState.WAITING:
                self.was_interrupted = self.was_interrupted or self.was_up
                if self.was_paused and self.was_up:
                    return Phase.RESUMING
                return Phase.HANDING_OVER if self.was_up else Phase.STARTING
            case NodeState.RUNNING | NodeState.ASKING:
                if moves:
                    self._is_up()
                    return Phase.MOVING
                if self.was_interrupted:
                    return Phase.RESUMING
                return self.phase or Phase.STARTING
            case NodeState.READY:
                self._is_up()
                return Phase.MOVING if moves else Phase.READY
            case NodeState.PAUSED:
                self.was_paused, self.was_interrupted = True, self.was_interrupted or self.was_up
                return None
            case NodeState.STOPPING:
                return Phase.STOPPING
            case _:
                return None

    def _is_up(self) -> None:
        self.was_up, self.was_interrupted, self.was_paused = True, False, False


class PhaseTracker:
    """Tells `came` each moment when it comes. `close` ends that."""

    def __init__(self, stage: Stage, came: Callable[[Moment], None]) -> None:
        self._stage = stage
        self._came = came
        self._nodes: dict[str, _Node] = {}
        self._actions: dict[str, str] = {}
        self._is_looking = False
        self._ends = [stage.events.listen(self._event)]
        self._ends += [journal.listen(lambda entry: self.look()) for journal in stage.journals()]
        self.seen: Counter[Moment] = Counter()
        self.first_s: dict[Moment, dict[str, float]] = {}
        """When each moment came first, under ""; and when each place was first up in that phase."""
        self.activities: tuple[StageActivity, ...] = ()

    def close(self) -> None:
        """No more is told."""
        while self._ends:
            self._ends.pop()()

    def now(self) -> tuple[Moment, ...]:
        """What all actions are at."""
        return tuple(
            Moment(self._actions.get(activity.node, ""), phase)
            for activity in self.activities
            if (phase := self.phase(activity.node)) is not None
        )

    def phase(self, node: str) -> Phase | None:
        """What one action is at."""
        known = self._nodes.get(node)
        return known.phase if known is not None else None

    def look(self) -> None:
        """Look once. What is told may say things itself: that is looked at the next time."""
        if self._is_looking:
            return
        self._is_looking = True
        try:
            self._look()
        finally:
            self._is_looking = False

    def _look(self) -> None:
        self.activities = self._stage.activities()
        now_s, up = self._stage.now_s(), self._stage.up()
        moving = {each.device for each in self._stage.motions() if not each.is_at_rest}
        for activity in self.activities:
            action = self._actions.get(activity.node)
            if action is None:
                continue  # it has not said a word yet
            node = self._nodes.setdefault(activity.node, _Node())
            phase = node.comes_to(activity, not moving.isdisjoint(activity.moves))
            has_come = phase is not node.phase
            node.phase = phase
            if phase is None:
                continue
            moment = Moment(action, phase)
            first_s = self.first_s.setdefault(moment, {"": now_s})
            if not up <= first_s.keys():
                first_s.update((place, now_s) for place in up - first_s.keys())
            if has_come:
                self.seen[moment] += 1
                self._came(moment)
        over = self._nodes.keys() - {activity.node for activity in self.activities}
        for gone in over:
            del self._nodes[gone]

    def _event(self, event: Event) -> None:
        if event.action and event.node:
            self._actions[event.node] = event.action
        self.look()
