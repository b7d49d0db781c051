"""Whether a condition holds just now, and what is there instead. Looks at a stage, changes nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

from framework.events import Event
from framework.scenarios import scenario as s
from framework.scenarios.stage import Stage
from framework.scenarios.watching import Watcher
from framework.supervisor.plans import PlanView

_LAST_EVENTS = 8


class Judge:
    """Judges conditions about one stage. What was said counts from event number `since` on."""

    def __init__(self, stage: Stage, watcher: Watcher) -> None:
        self._stage = stage
        self._watcher = watcher
        self.mark_s = stage.now_s()
        self.since = stage.events.last_sequence

    def missing(self, conditions: Sequence[s.Condition]) -> tuple[str, ...]:
        """For each condition that does not hold: what was expected and what is there instead."""
        return tuple(why for condition in conditions if (why := self._why_not(condition)))

    def came_s(self, conditions: Sequence[s.Condition]) -> float:
        """When the conditions, which hold, came to do so: of a view, when its first sample was seen."""
        seen = [
            first.seen_s
            for condition in conditions
            if isinstance(condition, s.Shown)
            for device in ([condition.device] if condition.device != s.ANY else self._watcher.shown())
            if (first := self._watcher.first_sample(device)) is not None
        ]
        only_views = all(isinstance(condition, s.Shown) for condition in conditions)
        return max(seen) if seen and only_views else self._stage.now_s()

    def last_events(self) -> tuple[str, ...]:
        """The latest of what was said since the mark, for a report."""
        events = self._stage.events.history(self.since)[-_LAST_EVENTS:]
        return tuple(
            f"  {event.t_s - self.mark_s:+.3f} s {event.kind.value}: {event.text}" for event in events
        )

    def _events(self) -> tuple[Event, ...]:
        return self._stage.events.history(self.since)

    def _why_not(self, condition: s.Condition) -> str:
        match condition:
            case s.EventSeen():
                return self._event(condition)
            case s.Told(words=words, wanted=wanted):
                said = [event.text for event in self._events() if words.casefold() in event.text.casefold()]
                if bool(said) == wanted:
                    return ""
                return f"{condition}: {'nobody said so' if wanted else f'but {said[0]!r} was said'}"
            case s.Heard():
                return self._heard(condition)
            case s.Motion():
                return self._watcher.motion.why_not(condition)
            case s.Shown():
                return self._shown(condition)
            case s.DeviceIs(device=name, state=state):
                device = next((each for each in self._stage.devices() if each.name == name), None)
                if device is not None and device.state == state:
                    return ""
                is_ = "there is none" if device is None else f"it is {device.state} {device.detail}".rstrip()
                return f"{condition}: {is_}"
            case s.ResourceIs():
                return self._resource(condition)
            case s.PlanIs(words=words, state=state):
                plan = next((each for each in reversed(self._stage.plans()) if each.words == words), None)
                if plan is not None and plan.state == state:
                    return ""
                return f"{condition}: {_plan(plan, self._stage)}"
            case s.ProcessIs(process=pattern, runs=runs):
                names = [each.name for each in self._stage.processes()]
                if any(fnmatchcase(name, pattern) for name in names) == runs:
                    return ""
                return f"{condition}: running are {', '.join(sorted(names)) or 'none'}"
            case s.NothingRunning():
                running = [plan.words for plan in self._stage.plans() if not plan.state.is_over]
                return f"{condition}: {'; '.join(running)} is" if running else ""
            case s.Empty():
                left = self._stage.leaked()
                return f"{condition}: left are {', '.join(left)}" if left else ""
            case s.Stopped(is_set=is_set):
                return "" if self._stage.is_stopped == is_set else f"{condition}: it is the other way round"
            case s.Either(groups=groups):
                whys = [self.missing(group) for group in groups]
                if not all(whys):
                    return ""
                return f"{condition}: {'; '.join(why for each in whys for why in each)}"

    def _event(self, condition: s.EventSeen) -> str:
        events = self._events()
        for event in events:
            right_kind = condition.kind is None or event.kind == condition.kind
            if right_kind and re.search(condition.pattern, event.text, re.IGNORECASE):
                return ""
        return f"{condition}: none of {len(events)} events is that"

    def _heard(self, condition: s.Heard) -> str:
        said = [
            event
            for event in self._events()
            if condition.words.casefold() in event.text.casefold()
            and (not condition.by or condition.by in (event.who, *event.people))
        ]
        if not said:
            return f"{condition}: nobody said so"
        late_s = said[0].t_s - self.mark_s
        if condition.within_s is not None and late_s > condition.within_s:
            return f"{condition}: it was said after {late_s:.3f} s"
        return f"{condition}: it was said {len(said)} times" if condition.once and len(said) > 1 else ""

    def _shown(self, condition: s.Shown) -> str:
        watcher = self._watcher
        views = ", ".join(sorted({view.device for view in watcher.views})) or "nothing"
        if condition.device == s.NOTHING:
            return "" if not watcher.views else f"{condition}: shown is {views}"
        candidates = watcher.shown() if condition.device == s.ANY else (condition.device,)
        firsts = [first for each in candidates if (first := watcher.first_sample(each)) is not None]
        if not firsts:
            of = "it" if condition.device == s.ANY else condition.device
            return f"{condition}: shown is {views}, with no new sample of {of}"
        gap_s = min(first.seen_s for first in firsts) - self.mark_s
        if condition.gap_below_s is not None and gap_s >= condition.gap_below_s:
            return f"{condition}: the gap was {gap_s:.3f} s"
        return ""

    def _resource(self, condition: s.ResourceIs) -> str:
        found = [each for each in self._stage.resources() if fnmatchcase(each.name, condition.resource)]
        if condition.state == s.ABSENT:
            return f"{condition}: there is {found[0].name} ({found[0].state})" if found else ""
        if any(each.state == condition.state for each in found):
            return ""
        are = ", ".join(f"{each.name} ({each.state})" for each in found) or "there is none"
        return f"{condition}: {are}"


def _plan(plan: PlanView | None, stage: Stage) -> str:
    if plan is not None:
        return f"it is {plan.state.value}" + (f" ({plan.detail})" if plan.detail else "")
    others = ", ".join(repr(each.words) for each in stage.plans())
    return f"there is none; there are {others or 'none at all'}"
