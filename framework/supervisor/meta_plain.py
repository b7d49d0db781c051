"""What is understood without a grammar file: the stop in all its forms, always; a minimum of the rest.

`ALWAYS` counts beside every language. `PLAIN` is used where no language brings its own phrases.
"""

from __future__ import annotations

from framework.supervisor.meta import MetaKind, MetaPhrases


def _said(phrases: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in phrases.split(";"))


#: Utterances made of these words alone, "emergency" or "estop" among them, are the emergency stop.
EMERGENCY_WORDS = frozenset(("emergency", "estop", "stop", "halt", "e"))
EMERGENCY_ALONE = frozenset(("emergency", "estop"))
#: Utterances made of these words alone are a stop.
STOP_WORDS = frozenset(("stop", "halt"))

ALWAYS = MetaPhrases(
    phrases={
        MetaKind.EMERGENCY: _said("e stop; emergency stop"),
        MetaKind.STOP: _said(
            "stop; halt; stop everything; everything stop; stop all; all stop; stop it all; stop all of it; "
            "stop it; stop that; stop this; stop moving; stop right there; stop right now; freeze; whoa; "
            "halt everything; abort; abort everything; cancel everything; cancel all"
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
