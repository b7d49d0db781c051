"""Who keeps what their hand has had: a stop takes nothing from anybody.

Everybody may stop whoever drives, in whatever way: that ends the motion. What they drove (and the seat that
they drove it from) stays kept for them: nothing else has it without their word, or the word of somebody who
may dispose of it (the console), until they give it back or are not there any more.

    granted to a hand ──let go by their own word, or asked to by who may──▶ nobody's
           ▲         ──let go in any other way──▶ kept ──their word, the console's, gone──▶ nobody's
           └──────────────── they take it again ───┘

Pure; a part of the motion interlock. It asks people's managers who is there and who may dispose of what.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class People(Protocol):
    """What is known of people."""

    def keeps(self, person: str) -> bool:
        """Whether what this one's hand has let go of is still theirs: they are there, and nobody who may
        dispose of it has asked them to let go."""

    def besides(self, person: str) -> tuple[str, ...]:
        """Devices that go with what this one drives, or has driven last: the gripper of an arm."""

    def disposes(self, by: str, person: str) -> bool:
        """Whether the word of `by` ("" is nobody in particular) is enough for what is kept for a person."""


class Keepers:
    """What is kept for whom, by the names of devices. people: None: nothing is kept for anybody."""

    def __init__(self) -> None:
        self.people: People | None = None
        self._kept: dict[str, str] = {}

    def takes(self, thing: str, person: str) -> None:
        """A person's hand is granted this: nothing is kept any more for whom this was, nor for them."""
        for each in {self._kept.get(thing, person), person}:
            self.gives_back(each)

    def lets_go(self, thing: str, person: str, *, by_word: bool) -> None:
        """A person's hand does not have it any more. by_word: they have said so themselves."""
        if not by_word and self.people is not None and self.people.keeps(person):
            self._kept |= dict.fromkeys((thing, *self.people.besides(person)), person)

    def gives_back(self, person: str) -> tuple[str, ...]:
        """Nothing is kept for them any more; what was."""
        given = tuple(thing for thing, keeper in self._kept.items() if keeper == person)
        for thing in given:
            del self._kept[thing]
        return given

    def keeper(self, thing: str, words_of: Iterable[str]) -> str:
        """For whom it is kept, if no word of these is enough to have it; else "".

        words_of: whose hand it is for, and who has said that it is to be so.
        """
        person = self._kept.get(thing, "")
        return person if person and self.needs_word_of(person, words_of) else ""

    def needs_word_of(self, person: str, words_of: Iterable[str]) -> bool:
        """Whether what is kept for this one needs another word than these."""
        people = self.people
        if people is None or not people.keeps(person):
            return False
        return not any(by == person or people.disposes(by, person) for by in words_of)

    @property
    def persons(self) -> tuple[str, ...]:
        """Those for whom something is kept."""
        people = self.people
        if people is None:
            return ()
        return tuple(dict.fromkeys(each for each in self._kept.values() if people.keeps(each)))
