"""What one action has for itself alone, held against what somebody else would ask for. Pure.

A request may leave open what only its handle tells: whoever asked for any arm has the left one. The type of
such a request has `as_held(held)`: the same request, with what it left open filled in from the handle of what
turned out to be meant, or from another request that names it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from framework.plugins.need import in_words


class HeldAlone(NamedTuple):
    """What is held for oneself alone: the request as it was made, and the handle that it gave."""

    request: Any
    handle: Any


class Withheld(msgspec.Struct, frozen=True):
    """What cannot be had because an action has it.

    what: the request, in words; "" if there is nothing. is_open: it left open which one is meant, and another
    one may do. instead: what to do instead, of what the action uses besides its needs; may be empty.
    """

    what: str = ""
    is_open: bool = False
    instead: str = ""


def withheld(
    wanted: Sequence[Any],
    needs: Iterable[HeldAlone],
    besides: Iterable[Any],
    *,
    in_hand: bool,
    instead: str,
) -> Withheld:
    """The first of these requests that an action stands in the way of.

    needs: what it holds for these; besides: requests that name what it uses besides.
    in_hand: by a person's own hand: who leaves open which one is meant means what they have in it.
    """
    for request, named in itertools.product(wanted, besides):
        if _could_be(request, named):
            return Withheld(in_words(request), request != named, instead)
    of_needs = [(each, held.request, _filled(*held)) for each, held in itertools.product(wanted, needs)]
    for request, asked, named in of_needs:
        if request in (asked, named):  # equal requests are one resource, whatever it turned out to be
            return Withheld(in_words(request))
    for request, _, named in of_needs:
        if in_hand and _could_be(request, named):
            return Withheld(in_words(request), is_open=True)
    return Withheld()


def _could_be(request: Any, named: Any) -> bool:
    """Whether that is meant, or may be."""
    return type(request) is type(named) and bool(_filled(request, named) == named)


def _filled(request: Any, held: Any) -> Any:
    fill = getattr(request, "as_held", None)
    return request if fill is None or held is None else fill(held)
