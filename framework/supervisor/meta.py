"""Commands about the supervisor itself, recognised on the whole utterance before any grammar sees it.

Pure text work: no state, no plans. "stop" in all its forms must be understood
without anything else working. What is ambiguous with an action's own phrases
("stop at the door") is told apart later, by what is running.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

import msgspec


class MetaKind(StrEnum):
    """What is meant."""

    STOP = "stop"
    EMERGENCY = "emergency"
    RESET = "reset"
    CANCEL = "cancel"
    PAUSE = "pause"
    RESUME = "resume"
    STATUS = "status"
    YES = "yes"
    NO = "no"
    CHOICE = "choice"


class Meta(msgspec.Struct, frozen=True):
    """One command. what: what is to be cancelled, in words; choice: the number that was chosen, from 1.

    is_certain: False if an action may want the same words ("stop …", "don't …").
    """

    kind: MetaKind
    what: str = ""
    choice: int = 0
    is_certain: bool = True


def clean(text: str) -> str:
    """One line of the text, for people: without control characters, spaces collapsed."""
    visible = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in text)
    return " ".join(visible.split())


def normal(text: str) -> str:
    """Lower case, without punctuation, control characters and politeness; for comparing."""
    plain = unicodedata.normalize("NFKC", clean(text)).casefold().replace("’", "'")
    words = re.sub(r"[^\w']+", " ", plain).replace("_", " ").split()
    while words and words[0] in _BEFORE:
        words.pop(0)
    while words and words[-1] in _AFTER:
        words.pop()
    joined = " ".join(words)
    for opening in _OPENINGS:
        if joined.startswith(opening + " "):
            return joined[len(opening) + 1 :]
    return joined


def meta_command(text: str) -> Meta | None:
    """The command that the whole utterance is, or None."""
    said = normal(text)
    words = said.split()
    if not words:
        # "please now" is politeness around nothing; "ok" and "now" may be all there is.
        said = " ".join(re.sub(r"[^\w']+", " ", clean(text).casefold()).split())
        words = said.split()
    if not words or len(words) > _MOST_WORDS:
        return None
    if (set(words) <= _EMERGENCY_WORDS and set(words) & {"emergency", "estop"}) or said in ("e stop",):
        return Meta(MetaKind.EMERGENCY)
    if set(words) <= {"stop", "halt"} or said in _STOP:
        return Meta(MetaKind.STOP)
    for kind, phrases in _PHRASES.items():
        if said in phrases:
            return Meta(kind)
    if (choice := _choice(words)) > 0:
        return Meta(MetaKind.CHOICE, choice=choice)
    for opening, certain in _CANCELLING:
        if said == opening.strip():
            return Meta(MetaKind.CANCEL)
        if said.startswith(opening):
            return Meta(MetaKind.CANCEL, what=said[len(opening) :], is_certain=certain)
    return None


def _choice(words: list[str]) -> int:
    rest = [word for word in words if word not in ("number", "option", "the", "one") or len(words) == 1]
    if len(rest) != 1:
        return 0
    word = rest[0]
    if word.isascii() and word.isdigit():
        return int(word) if len(word) < 4 else 0
    for number, names in enumerate(_NUMBERS, start=1):
        if word in names:
            return number
    return 0


_MOST_WORDS = 30
_BEFORE = frozenset(("please", "hey", "just", "now", "kindly"))
_AFTER = frozenset(("please", "now", "thanks"))
_OPENINGS = ("can you", "could you", "would you", "will you")
_EMERGENCY_WORDS = frozenset(("emergency", "estop", "stop", "halt", "e"))


def _said(phrases: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in phrases.split(";"))


_STOP = _said(
    "stop everything; everything stop; stop all; all stop; stop it all; stop all of it; stop it; stop that; "
    "stop this; stop moving; stop right there; freeze; whoa; halt everything; abort; abort everything; "
    "cancel everything; cancel all"
)
_PHRASES: dict[MetaKind, frozenset[str]] = {
    MetaKind.RESET: _said(
        "reset; reset everything; reset stop; reset the stop; reset emergency stop; "
        "reset the emergency stop; release emergency stop; release the emergency stop; "
        "clear the emergency stop"
    ),
    MetaKind.PAUSE: _said("pause; pause everything; pause it; pause that; hold on; hold it; wait"),
    MetaKind.RESUME: _said(
        "resume; resume everything; carry on; continue; go on; proceed; keep going; unpause"
    ),
    MetaKind.STATUS: _said(
        "what are you doing; what are you up to; what do you do; status; what is going on; what's going on; "
        "what is happening; what's happening; what is running; what's running"
    ),
    MetaKind.YES: _said(
        "yes; yep; yeah; yes yes; ok; okay; sure; do it; yes do it; go ahead; yes go ahead; confirm; "
        "confirmed; affirmative; correct; right; that's right"
    ),
    MetaKind.NO: _said("no; nope; no no; no thanks; no thank you; no don't; don't; do not; negative; wrong"),
}
_CANCELLING = (
    ("cancel ", True),
    ("never mind", True),
    ("abort ", True),
    ("stop ", False),
    ("quit ", False),
    ("don't ", False),
    ("do not ", False),
    ("no more ", False),
)
_NUMBERS = (
    ("one", "first"),
    ("two", "second"),
    ("three", "third"),
    ("four", "fourth"),
    ("five", "fifth"),
    ("six", "sixth"),
    ("seven", "seventh"),
    ("eight", "eighth"),
    ("nine", "ninth"),
)
