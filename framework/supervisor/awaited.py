"""Conditions that the supervisor itself can tell: what an operator says, and what is being done.

    State("said", {"words": "go"})                true once the plan's operator has said just this
    State("running", {"what": "track the hand"})  true while something that these words mean is being done

One reader for each plan; everything else is passed on to the installation's
reader. Words count for the plan's own operator; a plan of nobody in particular
listens to anybody. They count from when the condition is first looked at, so
that what was said before a plan got there does not carry it on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from framework.dialogue.meta_reading import MetaReader
from framework.plan.ast import Compare, Plan, Sequence, State, Wait
from framework.plan.words import value_in_words
from framework.tree.run import TreeRun
from framework.tree.runner import Conditions

SAID, RUNNING = "said", "running"


def is_told_here(condition: State | Compare) -> bool:
    """Whether the supervisor itself tells it."""
    return isinstance(condition, State) and condition.name in (SAID, RUNNING)


def end_of(plan_id: str) -> Wait:
    """Waits until a plan is over: first in a plan that comes after it."""
    return Wait(State(RUNNING, {"what": f"plan {plan_id}"}, is_so=False))


def comes_after(plan: Plan, plan_id: str) -> bool:
    """Whether a plan was made to come after that one."""
    return isinstance(plan, Sequence) and bool(plan.steps) and plan.steps[0] == end_of(plan_id)


class Doing(Protocol):
    """Knows what is being done: the plans of the supervisor."""

    def is_being_done(self, what: str) -> bool: ...


class AwaitedConditions:
    """The conditions of one plan (`framework.tree.Conditions`).

    others: reads all other conditions. reader: how words are compared.
    run: the plan; what it did not look at with its latest tick is not waited for.
    """

    run: TreeRun

    def __init__(self, others: Conditions, reader: MetaReader, doing: Doing) -> None:
        self._others = others
        self._reader = reader
        self._doing = doing
        # By identity: "wait until I say go" twice in one plan waits twice.
        self._awaited: dict[int, _Awaited] = {}
        self._asks_what_runs = False
        self._changed: list[Callable[[], None]] = []

    def read(self, condition: State | Compare) -> bool | None:
        """Whether it holds now; None if that cannot be told."""
        if isinstance(condition, State) and condition.name == SAID:
            awaited = self._awaited.setdefault(id(condition), _Awaited(condition))
            awaited.looked_at = self.run.ticks
            return awaited.was_said is condition.is_so
        if isinstance(condition, State) and condition.name == RUNNING:
            self._asks_what_runs = True
            return self._doing.is_being_done(_words(condition)) is condition.is_so
        return self._others.read(condition)

    def is_finding_out(self, condition: State | Compare) -> bool:
        """Whether it cannot be told yet, but may be soon."""
        return self._others.is_finding_out(condition)

    def why_undecidable(self, condition: State | Compare) -> str:
        """Why it could not be told whatever comes; what is said and done here always can."""
        return "" if is_told_here(condition) else self._others.why_undecidable(condition)

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` whenever an answer may have changed; returns what ends that."""
        end_others = self._others.watch(changed)
        self._changed.append(changed)

        def end() -> None:
            end_others()
            if changed in self._changed:
                self._changed.remove(changed)

        return end

    def awaits(self, said: str) -> bool:
        """Whether these words (already normal) are waited for just now."""
        return bool(self._waiting_for(said))

    def hear(self, said: str) -> None:
        """These words (already normal) have been said."""
        for awaited in self._waiting_for(said):
            awaited.was_said = True
        self._tell()

    def runs_differently(self) -> None:
        """Something has begun or ended."""
        if self._asks_what_runs:
            self._tell()

    def _waiting_for(self, said: str) -> list[_Awaited]:
        return [
            awaited
            for awaited in self._awaited.values()
            if said
            and not awaited.was_said
            and awaited.looked_at == self.run.ticks
            and self._reader.normal(_words(awaited.condition)) == said
        ]

    def _tell(self) -> None:
        for changed in tuple(self._changed):
            changed()


class _Awaited:
    """A condition that was looked at. It is kept, so that no other one can get its identity."""

    def __init__(self, condition: State) -> None:
        self.condition = condition
        self.was_said = False
        self.looked_at = 0


def _words(condition: State) -> str:
    return " ".join(value_in_words(value) for value in condition.arguments.values())
