"""Why a plan that fits its actions is not begun all the same, in an operator's words. Pure.

Four reasons: a number beyond what an action may do, a condition that nobody could ever tell, nothing that
could be done again, and something that the same operator keeps until told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from framework.dialogue.activity import i_am
from framework.phrasing import the
from framework.plan.ast import Do, Parallel, Plan, Reference, Sequence, actions_of, leaves_of
from framework.plan.signature import Signatures
from framework.plan.words import doing
from framework.plugins.parameters import ParameterSpec
from framework.plugins.withheld import Withheld
from framework.supervisor.awaited import is_told_here
from framework.supervisor.plans import PlanRecord
from framework.supervisor.retained import HAS_IT, done_by
from framework.tree.action import ActionNode
from framework.tree.runner import Conditions

NOTHING_TO_REPEAT: Final = "there is nothing to repeat: you have asked for nothing yet that has started"
_END_IT = 'say "carry on"'


def beyond(plan: Plan, signatures: Signatures) -> str:
    """ "5000 m is too much: at most 1 m at once"; empty if no number is too large or too small."""
    for do in actions_of(plan):
        signature = signatures.find(do.action)
        for parameter in signature.parameters if signature is not None else ():
            value = do.parameters.get(parameter.name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                words = _beyond(float(value), parameter)
                if words:
                    return words
    return ""


def _beyond(value: float, parameter: ParameterSpec) -> str:
    most = parameter.le if parameter.le is not None else parameter.lt
    least = parameter.ge if parameter.ge is not None else parameter.gt
    said = _said(value, parameter.unit)
    if not math.isfinite(value) or not parameter.problem_with(parameter.type(value)):
        return ""
    if most is not None and value >= most:
        return f"{said} is too much: at most {_said(most, parameter.unit)} at once"
    if least is not None and value <= least:
        more = "more than" if parameter.ge is None else "at least"
        return f"{said} is too little: {more} {_said(least, parameter.unit)}"
    return ""


def _said(value: float, unit: str) -> str:
    if unit == "rad":
        return f"{math.degrees(value):.4g}°"
    if unit == "m" and abs(value) >= 1000.0:
        return f"{value / 1000.0:.4g} km"
    return f"{value:.4g} {unit}".strip()


def undecidable(plan: Plan, conditions: Conditions) -> str:
    """What a plan looks at that nobody will ever be able to tell, and what it would take; empty if nothing.

    It would wait for ever, or go on for ever, without a word. What "it" is, is known only when it runs.
    """
    for leaf in leaves_of(plan):
        refers = any(isinstance(value, Reference) for value in leaf.arguments.values())
        if not (refers or is_told_here(leaf)) and (why := conditions.why_undecidable(leaf)):
            return f"I could never tell that: {why}"
    return ""


def repeats_nothing(plan: Plan, started: Iterable[PlanRecord], signatures: Signatures) -> bool:
    """Whether it begins with doing again what was done before, and its operator has had nothing done.

    started: the operator's plans.
    """
    is_nothing = all(each.is_repetition or each.wish.takes_back for each in started)
    return is_nothing and repeats(plan, signatures)


def repeats(plan: Plan, signatures: Signatures) -> bool:
    """Whether it begins with doing again what was done before."""
    first = plan
    while isinstance(first, Sequence) and first.steps:
        first = first.steps[0]
    signature = signatures.find(first.action) if isinstance(first, Do) else None
    return signature is not None and signature.repeats


def held(
    plan: Plan,
    who: str,
    records: Iterable[PlanRecord],
    signatures: Signatures,
) -> str:
    """What this operator has to end first, or does instead; empty if nothing.

    What counts is what an action has, not what it has asked for: "the arm" may have turned out to be the left
    one.

    Only for what is to begin at once: a plan that waits for something, or ends something, has thought of it.
    """
    if not _is_plain(plan):
        return ""
    for record in records:
        for action in record.run.actions:
            signature = signatures.find(action.do.action)
            if signature is None or not signature.retains or action.state_now() not in HAS_IT:
                continue
            if not record.is_theirs(who, action.do):
                continue
            for do in actions_of(plan):
                wanted = signatures.find(do.action)
                if wanted is not None and wanted.priority > signature.priority:
                    continue  # it is taken from what holds it, which goes on afterwards
                stands_in_the_way = action.withholds(do)
                if stands_in_the_way.what:
                    is_another = wanted is not None and wanted.retains
                    return _to_end_first(action, record.person(action.do), stands_in_the_way, is_another)
    return ""


def _to_end_first(action: ActionNode, person: str, has: Withheld, is_another: bool) -> str:
    """What is said of it. has: what both need; is_another: the wanted one would be kept in its place."""
    or_say_which = f", or say which {has.what} you mean" if has.is_open else ""
    if has.instead:
        return f"{has.instead}{or_say_which}"
    that_needs = f"that needs {the(has.what)}, and "
    if does := done_by(person, action):
        if is_another and not has.is_open:
            return f"{does} already: {_END_IT} first"
        return f"{that_needs}{does}: {_END_IT} first{or_say_which}"
    if is_another:
        that_needs = "that needs the same, and "
    activity = i_am(action.words, is_single=True)
    return f'{that_needs}{activity}: say "stop {doing(action.words)}" first{or_say_which}'


def _is_plain(plan: Plan) -> bool:
    return isinstance(plan, Do) or (
        isinstance(plan, Sequence | Parallel) and all(map(_is_plain, _plans(plan)))
    )


def _plans(plan: Sequence | Parallel) -> tuple[Plan, ...]:
    return plan.steps if isinstance(plan, Sequence) else plan.branches
