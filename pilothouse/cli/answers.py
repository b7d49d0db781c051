"""A question at the command line, and what is typed in answer to it. Pure."""

from __future__ import annotations

import msgspec

_YES = frozenset(("y", "yes", "yeah", "yep", "ok", "okay", "sure", "do it"))
_NO = frozenset(("n", "no", "nope", "none", "none of these", "neither", "leave it"))


class Asked(msgspec.Struct, frozen=True):
    """A question that was asked. within_s: how long it waits; None: as long as it takes."""

    question: str
    options: tuple[str, ...] = ()
    within_s: float | None = None

    @property
    def has_deadline(self) -> bool:
        """Whether silence is an answer."""
        return self.within_s is not None


def choice_of(words: str, asked: Asked) -> int | None:
    """The number of an answer (yes is 1, no is 0); None if the words are no answer but an instruction."""
    said = " ".join(words.casefold().split()).rstrip(".!")
    if said.isascii() and said.isdigit():
        return min(int(said), 999)
    if said in _NO:
        return 0
    if said in _YES and len(asked.options) < 2:
        return 1
    meant = [
        number
        for number, option in enumerate(asked.options, start=1)
        if option.casefold().rstrip(".") == said
    ]
    return meant[0] if len(meant) == 1 else None
