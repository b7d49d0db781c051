"""What a text means in our lab: whether it is understood, carried out unasked, and the same as another."""

from __future__ import annotations

import msgspec

from framework.errors import PlanError
from framework.plan.ast import Plan
from framework.plan.check import check
from framework.plan.parser import Understood
from pilothouse.experiments.language.judged import is_same, is_unasked
from pilothouse.experiments.language.lab import Lab


class Meaning(msgspec.Struct, frozen=True):
    """A plan, or a command such as "stop". is_unasked: typed, it would be carried out without a question."""

    plan: Plan | None = None
    command: str = ""
    is_unasked: bool = True


class Meanings:
    """Of texts, in a lab."""

    def __init__(self, here: Lab) -> None:
        self._here = here

    def of(self, text: str) -> Meaning | None:
        """What it means; None if it is not understood."""
        command = self._here.meta.command(text)
        if command is not None and not command.what:
            return Meaning(command=str(command.kind))
        answer = self._here.language.parse(text, self._here.world)
        if not isinstance(answer, Understood):
            return None
        plan = answer.readings[0].plan
        try:
            check(plan, self._here.signatures)
        except PlanError:
            return None
        return Meaning(plan, is_unasked=is_unasked(answer.readings))

    def is_understood(self, text: str) -> bool:
        """Whether it means anything here."""
        return self.of(text) is not None

    def are_same(self, one: Meaning | None, other: Meaning | None) -> bool:
        """Whether both mean the same; nothing means nothing."""
        if one is None or other is None:
            return False
        if one.plan is None or other.plan is None:
            return one.command == other.command and one.plan is other.plan
        return is_same(one.plan, other.plan, self._here.signatures)
