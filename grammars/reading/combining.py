"""Plans put together: what "and" means, and that sequences are flat."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

from framework.plan.again import again, times
from framework.plan.ast import Alongside, Condition, Do, Parallel, Plan, Sequence, actions_of, parts
from framework.plan.signature import is_continuous

Steps = tuple[Plan, ...]


class Combining:
    """Puts plans together.

    stays: whether an action is continuous. collide: what two actions both need for themselves alone.
    waits: whether one of two actions that do may wait for the other: what runs by itself for a hand.
    """

    def __init__(
        self,
        stays: Callable[[Do], bool],
        collide: Callable[[Do, Do], str],
        waits: Callable[[Do, Do], bool] = lambda one, other: False,
    ) -> None:
        self._stays = stays
        self._collide = collide
        self._waits = waits

    def by_and(self, elements: Steps) -> Plan:
        """At once while all are continuous and nothing is needed twice; a finite one closes its group."""
        groups: list[list[Plan]] = []
        may_join, begun = False, list[Do]()  # what the last group consists of
        for element in elements:
            actions = list(actions_of(element))
            if may_join and not self._do_collide(begun, actions):
                groups[-1].append(element)
                begun += actions
            else:
                groups.append([element])
                begun = actions
            may_join = self.lasts(element)
        return in_sequence(tuple(at_once(tuple(group)) for group in groups))

    def clash(self, plan: Plan | Condition) -> str:
        """What two things that a plan does at once both need for themselves alone; empty if nothing."""
        found = ""
        if isinstance(plan, Parallel | Alongside):
            pairs = ((one, other) for one, other in combinations(parts(plan), 2))
            actions = (both for one, other in pairs for both in product(actions_of(one), actions_of(other)))
            found = next(
                filter(None, (self._collide(*both) for both in actions if not self._waits(*both))), ""
            )
        return found or next(filter(None, map(self.clash, parts(plan))), "")

    def again(self, elements: Steps, pause: Plan | None = None) -> Plan:
        """All of them again and again, with a pause after each time."""
        return again(self.by_and(elements), pause)

    def times(self, elements: Steps, count: int, pause: Plan | None = None) -> Plan:
        """All of them so many times, with a pause between two."""
        return times(self.by_and(elements), count, pause)

    def lasts(self, plan: Plan) -> bool:
        """Whether a plan goes on until something ends it."""
        return is_continuous(plan, self._stays)

    def _do_collide(self, begun: list[Do], actions: list[Do]) -> bool:
        return any(self._collide(one, other) for other in actions for one in begun)


def in_sequence(steps: Steps) -> Plan:
    """One after the other, flat."""
    flat = tuple(part for step in steps for part in (step.steps if isinstance(step, Sequence) else (step,)))
    return flat[0] if len(flat) == 1 else Sequence(flat)


def at_once(branches: Steps) -> Plan:
    """All at once, flat."""
    flat = tuple(
        part
        for branch in branches
        for part in (branch.branches if isinstance(branch, Parallel) else (branch,))
    )
    return flat[0] if len(flat) == 1 else Parallel(flat)
