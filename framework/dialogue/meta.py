"""Commands about the supervisor itself, and the words for them: data only.

A grammar file brings the words of a language (`MetaPhrases`); how they are found in an utterance is in
`meta_reading.py`. `ALWAYS` counts beside every language: the stop in all its forms. `PLAIN`, a minimum
of the rest, is used where no language brings its own phrases.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from framework.dialogue.correction import CorrectionWords
from framework.dialogue.named_before import NamingWords
from framework.dialogue.referring import Sign
from framework.dialogue.spelling import words_of


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


HARMLESS: Final = (MetaKind.NO, MetaKind.PAUSE, MetaKind.STATUS)
"""Nothing begins to move by these: they are carried out even if a text is only like them."""


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
    (`ALWAYS`) count in every language and cannot be taken away, only added to.

    Attributes:
        phrases: by kind, the whole utterances that mean it ("hold on"). CHOICE has none: see `numbers`.
        openings: by kind (CANCEL, PAUSE, RESUME), what stands before the thing that is meant: "cancel" for
            "cancel the tracking". If nothing of that name is done and the language makes a plan of several
            parts of the whole text, that is what it is.
        doubtful_openings: the same, where an action may have such phrases as well: "stop", "don't".
            If nothing of that name is done and the language understands the text, it is no command.
        all_of_it: what names nothing in particular there: "the rest".
        corrections: how a correction of the last instruction begins: "no", "no i meant", "i mean", "rather".
            What follows is the whole instruction, or the name or value that was meant. The longest counts.
        no_such: words behind that with which it corrects nothing: "need" for "no need to go there".
        in_place_of: what stands behind what is wanted, and before what is not: "instead of".
        instead_of: how a correction begins that names the wrong word too: "not" for "not the hand, the cup".
        but: what stands between the wrong and the right word there, besides a comma: "but", "i meant".
        closings: how a correction ends that does not begin like one: "i meant" for "20 cm i meant".
        naming, naming_beside: what things are called, besides their own nouns, of which one is named: "one",
            "hand"; and what may stand beside that without telling anything apart: "the", "with".
        asking: how questions begin that request nothing: "is the other one open too?".
        courtesies: what is said of the talk itself, and not of what was done: "thanks"; beside_courtesies:
            what may stand with these: "again", "once more", "back".
        referring: by sign, the words of what refers to what was done last (`framework.dialogue.referring`);
            spelt: words of that as some write them, and as they are written: "doon" for "down".
        of_things: with what words begin that name a thing, and no way: "with" for "with the left".
        previous: what means the one before the last: "previous"; nouns_of_places: what stands behind that
            and behind "first": "place". there: what points, and may mean what was named last.
        pronouns: words for something without its name; referring_back: other words of what says only in part
            what it is about, and leaves the rest to what was said before: "same", "other".
        pointing: words that are said while pointing, as an answer: "this", "that one", "here".
        polite_before, polite_after: what means nothing at the beginning and the end: "please", "thank you".
        polite_openings: beginnings of a polite request, of several words: "could you".
        numbers: for 1, 2, 3 … the ways to say it: ("one",), ("two",) and so on; digits always count.
        ordinals: the same for "first", "second" …
        last: ways to say the last of the options.
        number_words: what may stand beside a number: "number", "option".
        plan_words: what stands before the number of a plan: "plan" for "pause plan two".
        filling: words that tell no option from another: "the", "one", "a".
        going_on: what says that what is paused goes on, and means something else when nothing is: "drive on".
        holding: words before a command at the end of a remark that it may be about: "don't", "until".
    """

    phrases: Mapping[MetaKind, tuple[str, ...]] = {}
    openings: Mapping[MetaKind, tuple[str, ...]] = {}
    doubtful_openings: tuple[str, ...] = ()
    all_of_it: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    no_such: tuple[str, ...] = ()
    in_place_of: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    closings: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()
    naming_beside: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    courtesies: tuple[str, ...] = ()
    beside_courtesies: tuple[str, ...] = ()
    referring: Mapping[Sign, tuple[str, ...]] = {}
    spelt: Mapping[str, str] = {}
    of_things: tuple[str, ...] = ()
    previous: tuple[str, ...] = ()
    nouns_of_places: tuple[str, ...] = ()
    there: tuple[str, ...] = ()
    pronouns: tuple[str, ...] = ()
    referring_back: tuple[str, ...] = ()
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
    holding: tuple[str, ...] = ()
    going_on: tuple[str, ...] = ()

    @property
    def correction_words(self) -> CorrectionWords:
        """What corrections need of it."""
        openings = (*self.corrections, *self.referring.get(Sign.TOO_FAR, ()))
        ending = tuple(" ".join(words_of(each)) for each in self.doubtful_openings)
        return CorrectionWords(
            openings,
            self.instead_of,
            self.but,
            self.filling,
            self.closings,
            ending,
            self.pronouns,
            (*self.pronouns, *self.referring_back),
            self.no_such,
            self.in_place_of,
        )

    @property
    def naming_words(self) -> NamingWords:
        """How names that were said before are said again."""
        return NamingWords(
            {word: at for at, ways in enumerate(self.ordinals) for word in ways},
            frozenset(self.previous),
            frozenset((*self.nouns_of_places, *self.naming)),
            frozenset(self.there),
            frozenset(word for ways in self.numbers for word in ways),
        )


def _said(phrases: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in phrases.split(";"))


#: Utterances made of these words alone, "emergency" or "estop" among them, are the emergency stop.
EMERGENCY_WORDS = frozenset(("emergency", "estop", "stop", "halt", "e"))
EMERGENCY_ALONE = frozenset(("emergency", "estop"))
#: Utterances made of these words alone are a stop.
STOP_WORDS = frozenset(("stop", "halt", "freeze", "whoa", "brake", "abort"))

ALWAYS = MetaPhrases(
    phrases={
        MetaKind.EMERGENCY: _said("e stop; emergency stop"),
        MetaKind.STOP: _said(
            "stop; halt; stop everything; everything stop; stop all; all stop; stop it all; stop all of it; "
            "stop it; stop that; stop this; stop moving; stop right there; stop right now; freeze; whoa; "
            "halt everything; abort; abort everything; cancel everything; cancel all; hold it right there; "
            "hit the brakes; brakes; stop moving now; stop all motion; stop all movement"
        ),
    },
    polite_before=_said("please; hey; just; now; kindly"),
    polite_after=_said("please; now; thanks"),
    polite_openings=_said("can you; could you; would you; will you"),
)

PLAIN = MetaPhrases(
    phrases={
        MetaKind.RESET: _said(
            "reset; reset everything; reset stop; reset the stop; reset emergency stop; "
            "reset the emergency stop; release the emergency stop; clear the emergency stop"
        ),
        MetaKind.CANCEL: _said("cancel; cancel it; cancel that; never mind"),
        MetaKind.PAUSE: _said("pause; pause everything; pause it; pause that; hold on; hold it; wait"),
        MetaKind.RESUME: _said("resume; resume everything; carry on; continue; go on; proceed; keep going"),
        MetaKind.DONE: _said("done; i'm done; i am done; that's it; that is it; finished; i'm finished"),
        MetaKind.STATUS: _said(
            "what are you doing; status; what is going on; what's going on; what is happening; "
            "what's happening"
        ),
        MetaKind.YES: _said("yes; yes yes; yeah; ok; okay; do it; yes do it; go ahead; confirm; right"),
        MetaKind.NO: _said(
            "no; no no; no thanks; no thank you; no don't; don't; do not; none; none of these; "
            "none of them; neither"
        ),
    },
    openings={
        MetaKind.CANCEL: _said("cancel; abort"),
        MetaKind.PAUSE: _said("pause"),
        MetaKind.RESUME: _said("resume; carry on with; go on with; continue with"),
    },
    doubtful_openings=_said("stop; quit; don't; do not; no more"),
    corrections=_said(
        "no; no i meant; no i mean; i meant; i mean; rather; no rather; i said; no i said; actually; sorry; "
        "sorry i meant; make that"
    ),
    instead_of=_said("not; no not"),
    but=_said("but; but rather; i meant; i mean"),
    pronouns=_said("it; that; this; them; these; those"),
    referring_back=_said("other; its; his; her; him; one; ones; same; both"),
    pointing=_said("this; that; this one; that one; here; there; it; that thing"),
    polite_before=ALWAYS.polite_before,
    polite_after=ALWAYS.polite_after,
    polite_openings=ALWAYS.polite_openings,
    numbers=tuple(
        (word,) for word in ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    ),
    ordinals=tuple(
        (word,)
        for word in ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
    ),
    last=("last",),
    number_words=_said("number; option; answer"),
    plan_words=("plan",),
    filling=_said("the; a; an; one; ones"),
)
