"""A text as the grammar sees it: words with their places, and what stands where (quantities, known names).

`recogniser.py` makes it, `network.py` matches it. Data only.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from framework.plan.parser import Known
from grammars.core import Marker


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word as it is compared (case folded), or one of , ; . : ? !, and where it stands in the text.

    start, end: characters of the text, end excluded. Articles are no tokens; they stand between them.
    """

    text: str
    start: int
    end: int


class Quantity(msgspec.Struct, frozen=True):
    """A number with or without a unit. end: the token after it.

    value: in the SI unit named by `unit` ("m", "s", "rad", "N", "kg", "Hz", "m/s", "rad/s", "fraction");
        unit "" is a bare number.
    scale: one of the unit that was said, in SI; 0 of a bare number.
    is_vague: "a few", "20 to 30": it may be more.
    """

    value: float
    end: int
    unit: str = ""
    is_whole: bool = False
    scale: float = 0.0
    is_vague: bool = False


class Named(msgspec.Struct, frozen=True):
    """A known name that stands in the text. end: the token after it."""

    known: Known
    end: int


class Manner(msgspec.Struct, frozen=True):
    """What was said. quantity: of a rate or a share."""

    marker: Marker
    quantity: Quantity | None = None


class Gap(msgspec.Struct, frozen=True):
    """Where a manner stood: before the token `at`. before, behind: about what ends there, or begins there."""

    at: int
    manner: Manner
    before: bool = True
    behind: bool = True


class Utterance(msgspec.Struct, frozen=True):
    """One text, read. Positions are indices into `tokens`.

    quantities: by the position where they begin, the longest first.
    names: by kind (a list's provider), then by position, the longest first.
    """

    text: str
    tokens: tuple[Token, ...]
    quantities: Mapping[int, tuple[Quantity, ...]]
    names: Mapping[str, Mapping[int, tuple[Named, ...]]]


def from_on(utterance: Utterance, at: int) -> Utterance:
    """The rest of an utterance, from a token on."""
    return msgspec.structs.replace(
        utterance,
        tokens=utterance.tokens[at:],
        quantities={
            begin - at: tuple(msgspec.structs.replace(each, end=each.end - at) for each in several)
            for begin, several in utterance.quantities.items()
            if begin >= at
        },
        names={
            kind: {
                begin - at: tuple(msgspec.structs.replace(each, end=each.end - at) for each in several)
                for begin, several in places.items()
                if begin >= at
            }
            for kind, places in utterance.names.items()
        },
    )
