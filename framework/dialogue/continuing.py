"""What makes sense only behind what was done last: "open it again, but only three centimetres", "both down
again", "same with left, and after this both back". Pure.

The language knows how steps of one instruction relate to those before them. So what was done is said once
more in front of the text, and of the steps that both come to, those that were done are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from framework.dialogue.choices import best_of
from framework.plan.ast import Cancel, Plan
from framework.plan.ast import Sequence as InSequence
from framework.plan.parser import NotUnderstood, Reading, Understood

Parse = Callable[[str], Understood | NotUnderstood]


def continued(
    text: str, done: Sequence[Plan], parse: Parse, in_words: Callable[[Plan], str]
) -> tuple[Reading, ...]:
    """What a text means behind what was done, one after the other; empty if nothing."""
    before = one_after_the_other(done)
    result = parse(f"{_opening(before, in_words)}{text}")
    if not isinstance(result, Understood):
        return ()
    found = []
    for reading in best_of(result.readings):
        plan = _behind(before, reading.plan)
        if plan is None or reading.left_out or any(isinstance(each, Cancel) for each in _steps(plan)):
            return ()  # it is not quite what was done, or not all that was said
        found.append(msgspec.structs.replace(reading, plan=plan, follows=False))
    return tuple(found)


def one_after_the_other(plans: Sequence[Plan]) -> Plan:
    """Plans as one, flat."""
    steps = tuple(step for plan in plans for step in _steps(plan))
    return steps[0] if len(steps) == 1 else InSequence(steps)


def _opening(before: Plan, in_words: Callable[[Plan], str]) -> str:
    """A plan in words, and what stands between it and the next one."""
    words, last = in_words(before), _steps(before)[-1]
    both = in_words(one_after_the_other((before, last)))
    return both.removesuffix(in_words(last)) if both.startswith(words) else f"{words}, "


def _behind(before: Plan, plan: Plan) -> Plan | None:
    """The steps of a plan without those before; None if it does not begin with just those, or that is all."""
    done, steps = _steps(before), _steps(plan)
    if steps[: len(done)] != done or len(steps) == len(done):
        return None
    return one_after_the_other(steps[len(done) :])


def _steps(plan: Plan) -> tuple[Plan, ...]:
    return plan.steps if isinstance(plan, InSequence) else (plan,)
