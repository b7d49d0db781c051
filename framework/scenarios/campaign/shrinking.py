"""A failing case with as few faults as still fail in the same way: delta debugging.

Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002.
First over the faults, then over their times: at once, for the first time, until the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from framework.scenarios.scenario import Scenario, Strike

MOST_PLAYS: Final = 40

Fails = Callable[[Scenario], bool]
"""Whether a case fails in the way that is looked for."""


def shrunk(case: Scenario, fails: Fails, *, most_plays: int = MOST_PLAYS) -> Scenario:
    """The smallest case that was found to fail; the case itself if none smaller does."""
    left = most_plays

    def still_fails(strikes: Sequence[Strike]) -> bool:
        nonlocal left
        if left <= 0:
            return False
        left -= 1
        return fails(with_faults(case, strikes))

    strikes = _fewest(list(case.faults), still_fails)
    for number in range(len(strikes)):
        for simplify in (_at_once, _till_the_end):
            simpler = simplify(strikes[number])
            tried = [*strikes[:number], simpler, *strikes[number + 1 :]]
            if simpler != strikes[number] and still_fails(tried):
                strikes = tried
    return with_faults(case, strikes)


def with_faults(case: Scenario, strikes: Sequence[Strike]) -> Scenario:
    """The same story, with these."""
    return msgspec.structs.replace(case, faults=tuple(strikes))


def _fewest(strikes: list[Strike], fails: Callable[[Sequence[Strike]], bool]) -> list[Strike]:
    """ddmin over complements: what may be left out is."""
    parts = 2
    if fails([]):
        return []
    while len(strikes) >= 2:
        size = max(len(strikes) // parts, 1)
        for begin in range(0, len(strikes), size):
            rest = strikes[:begin] + strikes[begin + size :]
            if rest and fails(rest):
                strikes, parts = rest, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(2 * parts, len(strikes))
    return strikes


def _at_once(strike: Strike) -> Strike:
    return msgspec.structs.replace(strike, when=msgspec.structs.replace(strike.when, after_s=0.0))


def _till_the_end(strike: Strike) -> Strike:
    return msgspec.structs.replace(strike, lasts_s=0.0)
