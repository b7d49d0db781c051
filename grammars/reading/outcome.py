"""What a part of a text was understood as, how well that is founded, and which of several ways are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

import msgspec

from framework.plan.ast import Cancel, Condition, Do, If, Plan, Until, Wait, While, parts
from grammars.reading.combining import Steps

T = TypeVar("T")
#: Different readings of one piece of text that are kept; of equally good ones more, so that none is left out.
MOST_READINGS, MOST_EQUAL = 4, 12


class Outcome(msgspec.Struct, Generic[T], frozen=True, gc=False):
    """A piece of text that ends at the token `end`, understood as `what`.

    known, free: words that are names or numbers, and words that nothing vouches for.
    said: parameters that were said. style: how unusual the way of putting it would be; doubt: see `Part`.
    is_open: what comes next would belong to it ("if … then A" ends with its sentence).
    is_scoped: what follows "and" has its own "until" or the like; no further one is about all of it.
    is_stray: it ends something that nobody has heard of.
    takes_otherwise: it ends with an "if" that an "otherwise" would belong to.
    follows: it is to come after what is being done.
    manners: how many manners ("slowly") were taken for something that is done.
    is_event: of a condition: it says that something happens.
    left_out: words that nobody knows (tokens, from and to), without which this is what is meant.
    """

    what: T
    end: int
    known: int = 0
    free: int = 0
    said: int = 0
    style: int = 0
    doubt: float = 0.0
    is_open: bool = False
    takes_otherwise: bool = False
    is_scoped: bool = False
    is_stray: bool = False
    manners: int = 0
    follows: bool = False
    left_out: tuple[tuple[int, int], ...] = ()
    is_event: bool = False

    @property
    def cost(self) -> tuple[int, float, int, int, int, int, int]:
        """The lower, the better: words of the grammar before known names before free words; of equally
        founded readings the one in which fewer things are done, on fewer conditions; then what says more, in
        a more usual way.
        """
        return self.free, self.doubt, self.known, *weight(self.what), -self.said, self.style


#: Elements that "and" joins, or that "then" joins.
Row = Outcome[Steps]
Whole = Outcome[Plan]
Asked = Outcome[Condition]


def with_more(
    first: Outcome[Any], rest: Outcome[Any], what: T, *, style: int = 0, closes: bool = False
) -> Outcome[T]:
    """Two pieces, one after the other, understood as `what`. closes: nothing can be added any more."""
    return Outcome(
        what,
        rest.end,
        first.known + rest.known,
        first.free + rest.free,
        first.said + rest.said,
        first.style + rest.style + style,
        max(first.doubt, rest.doubt),
        rest.is_open and not closes,
        rest.takes_otherwise and not closes,
        rest.is_scoped and not closes,
        first.is_stray or rest.is_stray,
        first.manners + rest.manners,
        left_out=first.left_out + rest.left_out,
        is_event=first.is_event,
    )


def weight(what: object) -> tuple[int, int]:
    """How many things are begun or ended in plans or a condition, and under how many conditions."""
    begun, conditions = int(isinstance(what, Do | Cancel)), int(isinstance(what, If | Until | While | Wait))
    inside: Iterable[object] = what if isinstance(what, tuple) else parts(what)  # type: ignore[arg-type]
    for each in inside:
        more = weight(each)
        begun, conditions = begun + more[0], conditions + more[1]
    return begun, conditions


def best(outcomes: Iterable[Outcome[T]]) -> list[Outcome[T]]:
    """The best few for each end, the best first; equal ones once."""
    groups: dict[tuple[int, bool, bool, bool, int], list[Outcome[T]]] = {}
    for each in outcomes:
        key = (each.end, each.is_open, each.takes_otherwise, each.is_scoped, each.manners)
        groups.setdefault(key, []).append(each)
    kept: list[Outcome[T]] = []
    for group in groups.values():
        if len(group) == 1:
            kept += group
            continue
        group.sort(key=lambda each: each.cost)
        different: list[Outcome[T]] = []
        for each in group:
            is_equal = each.cost == group[0].cost
            if len(different) >= (MOST_EQUAL if is_equal else MOST_READINGS):
                break
            if all(each.what != other.what for other in different):
                different.append(each)
        kept += different
    return kept
