"""Which of several readings is meant, and how sure that is.

The one counts in which the fewest words are vouched for by nothing, then the one with the most words of the
grammar's own, then the one that says the most parameters, then the most usual way of putting it. Readings
that are equal in all of that and mean different things are equally sure: the operator is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from framework.plan.ast import Plan
from framework.plan.parser import Reading
from grammars.reading.outcome import Whole

#: What the share of free words takes away at most: a text for somebody to say is no doubt.
_MOST_FOR_FREE_WORDS = 0.09
#: How sure a reading is that is not the best one, compared with what it would be alone.
LESS_LIKELY = 0.5
#: The same with a misspelling put right: it is offered.
CORRECTED = 0.8
MOST_READINGS = 12


def readings(
    wholes: Iterable[Whole],
    size: int,
    said: Callable[[int, int], str] = lambda begin, end: "",
) -> tuple[Reading, ...]:
    """All that a text of so many words may mean, the best first; equal plans once.

    said: the words from one token to another.
    """
    sayable = [whole for whole in wholes if not _is_for_others(whole)]
    sayable.sort(key=lambda whole: whole.cost)  # stable: equal ones stay in the order of the grammar
    found: list[Reading] = []
    plans: list[Plan] = []
    for whole in sayable:
        if whole.what in plans:
            continue
        plans.append(whole.what)
        confidence = max(0.0, 1.0 - _MOST_FOR_FREE_WORDS * whole.free / max(size, 1) - whole.doubt)
        if whole.cost != sayable[0].cost:
            confidence = min(confidence, found[0].confidence) * LESS_LIKELY
        elif found:
            confidence = found[0].confidence
        left_out = tuple(said(begin, end) for begin, end in whole.left_out)
        found.append(Reading(whole.what, round(confidence, 6), (), whole.follows, left_out))
        if len(found) == MOST_READINGS:
            break
    return tuple(found)


def _is_for_others(whole: Whole) -> bool:
    """Whether it ends something unheard-of: alone that is no instruction of this language, and beside one it
    is a remark ("no more and no less").
    """
    return whole.is_stray
