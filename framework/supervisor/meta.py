"""Commands about the supervisor itself, and the words for them: data only.

A grammar file brings the words of a language (`MetaPhrases`); how they are found
in an utterance is in `meta_reading.py`, and what is understood without any file
in `meta_plain.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from framework.dialogue.correction import CorrectionWords


class MetaKind(StrEnum):
    """What is meant."""

    STOP = "stop"
    EMERGENCY = "emergency"
    RESET = "reset"
    CANCEL = "cancel"
    PAUSE = "pause"
    RESUME = "resume"
    DONE = "done"
    STATUS = "status"
    YES = "yes"
    NO = "no"
    CHOICE = "choice"


class Meta(msgspec.Struct, frozen=True):
    """One command.

    what: what is to be cancelled, paused or resumed, in words; empty: whatever there is.
    choice: the number that was chosen, from 1; -1 is the last one.
    is_certain: False if an action may want the same words ("stop …", "don't …").
    """

    kind: MetaKind
    what: str = ""
    choice: int = 0
    is_certain: bool = True


class MetaPhrases(msgspec.Struct, frozen=True):
    """The words of one language for all of these. Case, punctuation and politeness do not count.

    What is missing here is not understood, except STOP and EMERGENCY: their built-in words
    (`meta_plain.ALWAYS`) count in every language and cannot be taken away, only added to.

    Attributes:
        phrases: by kind, the whole utterances that mean it ("hold on"). CHOICE has none: see `numbers`.
        openings: by kind (CANCEL, PAUSE, RESUME), what stands before the thing that is meant: "cancel" for
            "cancel the tracking". If nothing of that name is done and the language makes a plan of several
            parts of the whole text, that is what it is.
        doubtful_openings: the same, where an action may have such phrases as well: "stop", "don't".
            If nothing of that name is done and the language understands the text, it is no command.
        corrections: how a correction of the last instruction begins: "no", "no i meant", "i mean", "rather".
            What follows is the whole instruction, or the name or value that was meant. The longest counts.
        instead_of: how a correction begins that names the wrong word too: "not" for "not the hand, the cup".
        but: what stands between the wrong and the right word there, besides a comma: "but", "i meant".
        pointing: words that are said while pointing, as an answer: "this", "that one", "here".
        polite_before, polite_after: what means nothing at the beginning and the end: "please", "thank you".
        polite_openings: beginnings of a polite request, of several words: "could you".
        numbers: for 1, 2, 3 … the ways to say it: ("one",), ("two",) and so on; digits always count.
        ordinals: the same for "first", "second" …
        last: ways to say the last of the options.
        number_words: what may stand beside a number: "number", "option".
        plan_words: what stands before the number of a plan: "plan" for "pause plan two".
        filling: words that tell no option from another: "the", "one", "a".
    """

    phrases: Mapping[MetaKind, tuple[str, ...]] = {}
    openings: Mapping[MetaKind, tuple[str, ...]] = {}
    doubtful_openings: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    pointing: tuple[str, ...] = ()
    polite_before: tuple[str, ...] = ()
    polite_after: tuple[str, ...] = ()
    polite_openings: tuple[str, ...] = ()
    numbers: tuple[tuple[str, ...], ...] = ()
    ordinals: tuple[tuple[str, ...], ...] = ()
    last: tuple[str, ...] = ()
    number_words: tuple[str, ...] = ()
    plan_words: tuple[str, ...] = ()
    filling: tuple[str, ...] = ()

    @property
    def correction_words(self) -> CorrectionWords:
        """What corrections need of it."""
        return CorrectionWords(self.corrections, self.instead_of, self.but, self.filling)
