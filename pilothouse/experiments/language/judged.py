"""What became of one sentence: carried out as meant, asked about, refused, or carried out wrongly.

Two plans are the same if they differ only in parameters that equal their defaults, in
the last digits of a number, in upper and lower case or in a full stop after free text.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from enum import Enum
from typing import Any

import msgspec

from framework.dialogue.confirmation import LEAST_CONFIDENCE
from framework.dialogue.meta_reading import MetaReader
from framework.errors import PlanError
from framework.plan.ast import Plan, Reference
from framework.plan.check import check
from framework.plan.parser import Parser, Reading, Understood, World
from framework.plan.signature import Signatures


class Verdict(Enum):
    """What becomes of a sentence."""

    EXACT = "exact"
    ASKED = "asked"
    REFUSED = "refused"
    WRONG = "wrong"


class Judged(msgspec.Struct, frozen=True):
    """A sentence and what became of it.

    plans: the readings, the best first. said: why it was refused, or which command it was taken for.
    """

    text: str
    verdict: Verdict
    plans: tuple[Plan, ...] = ()
    said: str = ""


def is_unasked(found: tuple[Reading, ...]) -> bool:
    """Whether the best reading is carried out unasked: certain, alone at the top, spelt as known."""
    if not found:
        return False
    best = found[0]
    alone = len(found) == 1 or found[1].confidence < best.confidence
    return alone and best.confidence >= LEAST_CONFIDENCE and not best.is_assumed


class Judge:
    """Does with a sentence what a supervisor does before anything begins.

    Commands such as "stop" come first, then the language, then the check of the plan.
    meta: None for a language without such commands.
    """

    def __init__(
        self, parser: Parser, world: World, signatures: Signatures, meta: MetaReader | None = None
    ) -> None:
        self._parser = parser
        self._world = world
        self._signatures = signatures
        self._meta = meta

    def judge(self, text: str, right: Iterable[Plan] = ()) -> Judged:
        """What becomes of a sentence that means any of the plans `right`; none: it has to be refused."""
        command = self._meta.command(text) if self._meta is not None else None
        if command is not None and not command.what:  # what names something may be a part of a plan
            return Judged(text, Verdict.WRONG, said=f"the command {command.kind}")
        answer = self._parser.parse(text, self._world)
        if not isinstance(answer, Understood):
            return Judged(text, Verdict.REFUSED, said=str(answer))
        plans = tuple(reading.plan for reading in answer.readings)
        try:
            check(plans[0], self._signatures)
        except PlanError as error:
            return Judged(text, Verdict.REFUSED, plans, str(error))
        if not is_unasked(answer.readings):
            return Judged(text, Verdict.ASKED, plans)
        meant = any(is_same(plans[0], plan, self._signatures) for plan in right)
        return Judged(text, Verdict.EXACT if meant else Verdict.WRONG, plans)


def is_same(one: Plan, other: Plan, signatures: Signatures, beside: Collection[tuple[str, str]] = ()) -> bool:
    """Whether two plans are the same, as this module says. beside: (action, parameter) that do not count."""
    return _equal(_plain(one, signatures, beside), _plain(other, signatures, beside))


def _plain(node: Any, signatures: Signatures, beside: Collection[tuple[str, str]]) -> Any:
    """A plan as nested tuples and leaves, without what makes no difference."""
    if isinstance(node, Reference):
        return ("reference", node.word.casefold(), node.is_pointing)
    if isinstance(node, msgspec.Struct):
        inside = {field: getattr(node, field) for field in node.__struct_fields__}
        if "action" in inside:
            said = _said(inside["action"], inside["parameters"], signatures)
            inside["parameters"] = {
                name: value for name, value in said.items() if (inside["action"], name) not in beside
            }
        return (type(node).__name__, _plain(inside, signatures, beside))
    if isinstance(node, dict):
        return tuple((key, _plain(value, signatures, beside)) for key, value in sorted(node.items()))
    if isinstance(node, list | tuple):
        return tuple(_plain(part, signatures, beside) for part in node)
    return node


def _said(action: str, parameters: dict[str, Any], signatures: Signatures) -> dict[str, Any]:
    """The parameters that are not at their defaults."""
    signature = signatures.find(action)
    defaults = {spec.name: spec.default for spec in signature.parameters} if signature is not None else {}
    return {
        name: value for name, value in parameters.items() if name not in defaults or value != defaults[name]
    }


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold().split() == other.casefold().split() or _bare(one) == _bare(other)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9)
    return type(one) is type(other) and bool(one == other)


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!").rstrip()
