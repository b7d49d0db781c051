"""Who came in and who was turned away, as sentences for the log."""

from __future__ import annotations

from typing import Final

from resources.types.operator import Entered, EntryNote, Refusal

_WHY: Final = {
    Refusal.WRONG_CODE: "it had a wrong code",
    Refusal.USED_CODE: "its code was used before",
    Refusal.OLD_CODE: "its code is too old",
    Refusal.NO_CODE: "no code is open",
    Refusal.TOO_MANY_TRIES: "it tries codes too often",
    Refusal.FULL: "as many devices as can be are there already",
    Refusal.UNKNOWN: "it is not paired, or was away for too long",
    Refusal.REVOKED: "its session was ended, and it needs a new code",
    Refusal.OTHER_SITE: "it showed a page of another site",
}


def in_words(note: EntryNote) -> str:
    """A sentence."""
    if isinstance(note, Entered):
        how = "has paired" if note.by_code else "has come back without a code"
        return f"{note.name} {how}, from {note.address}."
    others = f" {note.others} more were not, since the last such line." if note.others else ""
    return f"A device at {note.address} was not let in: {_WHY[note.why]}.{others}"
