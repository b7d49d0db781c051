"""A plan that somebody wants, before it is decided whether it may start. Data only."""

from __future__ import annotations

import msgspec

from framework.dialogue.pointing import Pointed
from framework.plan.ast import Plan
from framework.plan.parser import Correction


class Wish(msgspec.Struct, frozen=True):
    """What is to be done, and what that rests on.

    text: what was said, as the parser saw it; empty if the plan does not come from words.
    said: what the text means; differs from the plan in what was pointed at.
    confidence: the least of the parser's, the recogniser's and that of pointing, 0 … 1.
    corrections: misspellings that were assumed. left_out: words that were not understood.
    warned: remarks that warn of it.
    pointed: what the words that point were replaced with.
    replaces: the plan whose place it takes: it counts from where that has begun.
    is_guessed: it was not understood, but is like what was meant so before.
    takes_back: it goes back there, and no further. words: it in words, if they are not those of the plan.
    """

    plan: Plan
    text: str = ""
    said: Plan | None = None
    confidence: float = 1.0
    corrections: tuple[Correction, ...] = ()
    pointed: tuple[Pointed, ...] = ()
    replaces: str = ""
    takes_back: bool = False
    words: str = ""
    left_out: tuple[str, ...] = ()
    is_guessed: bool = False
    warned: tuple[str, ...] = ()
