"""Whether a plan fits the actions that there are. All that is wrong is said at once."""

from __future__ import annotations

import difflib

from framework.errors import PlanError
from framework.plan.ast import (
    CONDITIONS,
    Condition,
    Do,
    Parallel,
    Plan,
    Reference,
    Sequence,
    actions_of,
    parts,
)
from framework.plan.signature import Signatures
from framework.plugins.parameters import convert

MOST_LEVELS = 32
MOST_NODES = 500


def check(plan: Plan, signatures: Signatures) -> None:
    """Raise PlanError, one line a problem, unless every action can be started as the plan says.

    Looked at: actions unknown or unavailable; parameters unknown, missing, of a wrong type or out
    of bounds; empty sequences; a reference with nothing before it is left to the run, because an
    earlier plan may have given what it means. More than 32 levels or 500 nodes are refused.
    """
    too_large = _size_problem(plan)
    if too_large:
        raise PlanError(too_large)
    problems = _empty(plan)
    for do in actions_of(plan):
        problems += problems_with(do, signatures)
    if problems:
        raise PlanError("\n".join(dict.fromkeys(problems)))


def problems_with(do: Do, signatures: Signatures) -> list[str]:
    """What keeps one action from being started; empty if nothing does."""
    signature = signatures.find(do.action)
    if signature is None:
        near = difflib.get_close_matches(do.action, signatures.names(), n=1)
        known = (
            f"did you mean {near[0]!r}?" if near else f"there are {', '.join(signatures.names()) or 'none'}"
        )
        return [f"there is no action {do.action!r}; {known}"]
    if signature.unavailable:
        return [f"{do.action} is unavailable: {signature.unavailable}"]
    # A reference's value is known only when the action starts: then the runner looks at it.
    known_later = {name for name, value in do.parameters.items() if isinstance(value, Reference)}
    names = {parameter.name for parameter in signature.parameters}
    now = tuple(parameter for parameter in signature.parameters if parameter.name not in known_later)
    given = {
        name: value for name, value in do.parameters.items() if name not in known_later or name not in names
    }
    try:
        convert(do.action, now, given)
    except PlanError as error:
        return [str(error)]
    return []


def _size_problem(plan: Plan) -> str:
    """Walks without recursion: the plan may be nested deeper than Python's stack."""
    to_see: list[tuple[Plan | Condition, int]] = [(plan, 1)]
    nodes = 0
    while to_see:
        node, level = to_see.pop()
        nodes += 1
        if level > MOST_LEVELS:
            return f"The plan is nested more than {MOST_LEVELS} levels deep; say it in several instructions."
        if nodes > MOST_NODES:
            return f"The plan has more than {MOST_NODES} parts; say it in several instructions."
        to_see += [(part, level + 1) for part in parts(node)]
    return ""


def _empty(plan: Plan | Condition) -> list[str]:
    problems: list[str] = []
    if isinstance(plan, Sequence | Parallel) and not parts(plan):
        problems.append(
            f"a {'sequence' if isinstance(plan, Sequence) else 'parallel'} needs at least one part"
        )
    if isinstance(plan, CONDITIONS) and getattr(plan, "conditions", None) == ():
        problems.append("a condition of several needs at least one")
    for part in parts(plan):
        problems += _empty(part)
    return problems
