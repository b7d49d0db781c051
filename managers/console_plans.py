"""Plans as console and command line handle them: from files and words into plans, and into files again.

What a running plan does with an order or a change is the supervisor's business; what a file means is
`framework.plan.umrf`'s. Nothing here starts anything by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import msgspec

from framework.errors import PlanError
from framework.plan import (
    NotUnderstood,
    Parser,
    Plan,
    Reference,
    Signatures,
    Value,
    Wording,
    World,
    actions_of,
    check,
    from_json,
    in_words,
    to_json,
)
from framework.plan.umrf import read_umrf, to_umrf
from framework.tree.change import Change, Insert, Remove, Replace
from resources.console.backend import SavedPlan
from resources.web.page_messages import ChangeKind, PlanForm

#: Below this a reading is asked back; where nobody can be asked it is refused.
LEAST_CONFIDENCE = 0.9

_MOST_READINGS = 4
_LONGEST_NAME = 60


class ReadPlan(msgspec.Struct, frozen=True):
    """The plan of a file; notes: what of the file was left out, or is understood in some way."""

    plan: Plan
    form: PlanForm
    notes: tuple[str, ...] = ()


def read_plan(content: str | bytes, signatures: Signatures) -> ReadPlan:
    """The plan of a file, a UMRF graph or our own JSON, checked against the actions that there are.

    Raises PlanError with everything that is wrong with it, a line each.
    """
    if is_own_form(content):
        plan = from_json(content)
        check(plan, signatures)
        return ReadPlan(plan, PlanForm.PLAN)
    loaded = read_umrf(content, signatures)
    return ReadPlan(loaded.plan, PlanForm.UMRF, loaded.notes)


def is_own_form(content: str | bytes) -> bool:
    """Whether a file looks like our own JSON: an object that says its `kind`, which no UMRF file does."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("kind"), str)


def written(plan: Plan, words: str, form: PlanForm) -> SavedPlan:
    """A plan as a file, whose name says what it does."""
    said = re.findall(r"[a-z0-9]+", words.casefold()) or ["plan"]
    name = said[0][:_LONGEST_NAME]
    for word in said[1:]:
        if len(name) + len(word) >= _LONGEST_NAME:
            break
        name = f"{name}_{word}"
    if form is PlanForm.UMRF:
        return SavedPlan(f"{name}.umrf.json", _text(to_umrf(plan, name=name)))
    return SavedPlan(f"{name}.plan.json", _text(to_json(plan)))


def understood(text: str, parser: Parser, world: World, wording: Wording) -> Plan:
    """The plan that an instruction means, where nobody can be asked back.

    Raises PlanError in words: it is not understood, or means more than one thing, or only something like it.
    """
    if not text.strip():
        raise PlanError("say what is to be done there, for example: show the camera")
    result = parser.parse(text, world)
    if isinstance(result, NotUnderstood):
        raise PlanError(str(result))
    best = result.readings[0]
    alike = [each for each in result.readings if each.confidence == best.confidence]
    if len(alike) > 1:
        could = "; ".join(in_words(each.plan, wording) for each in alike[:_MOST_READINGS])
        raise PlanError(f'"{text}" means more than one thing: {could}. Say it more exactly')
    if best.is_assumed or best.confidence < LEAST_CONFIDENCE:
        raise PlanError(f'"{text}" is not quite clear; if you mean "{in_words(best.plan, wording)}", say so')
    if any(reference.is_pointing for reference in _references(best.plan)):
        raise PlanError(f'"{text}" points at something; name it instead')
    return best.plan


def change_of(node: str, how: ChangeKind, plan: Callable[[], Plan]) -> Change:
    """A change as trees know it; `plan` is asked for only if it needs one."""
    match how:
        case ChangeKind.REMOVE:
            return Remove(node)
        case ChangeKind.REPLACE:
            return Replace(node, plan())
        case ChangeKind.BEFORE:
            return Insert(plan(), before=node)
        case ChangeKind.AFTER:
            return Insert(plan(), after=node)
        case ChangeKind.INTO:
            return Insert(plan(), into=node)


def _references(plan: Plan) -> Iterator[Reference]:
    for do in actions_of(plan):
        values: tuple[Value, ...] = tuple(do.parameters.values())
        yield from (value for value in values if isinstance(value, Reference))


def _text(written_plan: bytes | str) -> str:
    """For people: indented, with a line's end."""
    return json.dumps(json.loads(written_plan), indent=2, ensure_ascii=False) + "\n"
