"""What people say beside an instruction: "drive back half a metre, there is nobody behind you". Pure.

Strangers talk while they instruct. What tells something and asks for nothing is an aside, and is left out; it
stands in a part of its own, set off by a mark or by how it begins:

remark     somebody or something, and what is so of it: "my knees are killing me", "here is a cable"
reason     "because …"; purpose: "so that I can read it"; likeness: "like an egg", "as if it rested in water"
caution    what must not happen, with a verb that is none of ours: "but don't bump it". It is heeded as far as
           it can be: what is done is done carefully
outcry     "snap snap!", "mamma mia"

What may ask for something, or change what is asked for, is no aside: a verb of ours that begins a part, a
length, an angle or another quantity, a denial of what one of ours could do, a condition, a correction, a wish
for a thing, a word about a part of the robot. Then the whole is not understood, or is asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

import msgspec

from grammars.core import Asides, Core
from grammars.lexicon import is_verb
from grammars.reading.inflection import base_forms
from grammars.reading.tokens import MARKS
from grammars.reading.utterance import Utterance
from grammars.units import COUNT

#: Under which kinds the world knows what is around; others are the robot's own.
THINGS: Final = "world."
#: So many words a remark, an outcry, and what begins an aside may have.
_MOST_WORDS: Final = 24
_MOST_OUTCRY: Final = 4
_MOST_OPENING: Final = 4


class Aside(msgspec.Struct, frozen=True):
    """Tokens, from and to, with the mark or the join before them. instead: what they come to, if anything."""

    begin: int
    end: int
    instead: str = ""


class About(msgspec.Struct, frozen=True):
    """What has to be known of words, to tell asides.

    is_ours: whether a word may be the verb of an instruction. own: places of names of the robot's own things;
    names: of all names; strange: of words that nobody knows.
    """

    is_ours: Callable[[str], bool]
    own: Collection[int]
    names: Collection[int]
    strange: Collection[int]


def asides(utterance: Utterance, core: Core, about: About) -> Iterator[tuple[Aside, ...]]:
    """All asides of a text; then those at its end, those at its beginning, and reasons alone."""
    found = _Finder(utterance, core, about)
    parts = found.parts()
    told = [found.aside(begin, end) for begin, end in parts]
    if not any(told) or all(told):
        return
    first, last = told.index(None), len(told) - 1 - told[::-1].index(None)
    ways = (
        [each for each in told if each],
        [each for each in told[last + 1 :] if each],
        [each for each in told[:first] if each],
        [
            each
            for (begin, end), each in zip(parts, told, strict=True)
            if each and found.is_reason(begin, end)
        ],
    )
    yield from (way for way in dict.fromkeys(map(tuple, ways)) if way)


class _Finder:
    def __init__(self, utterance: Utterance, core: Core, about: About) -> None:
        self._tokens = [token.text for token in utterance.tokens]
        self._words: Asides = core.asides
        self._core = core
        self._about = about
        self._wishes = [[each] for each in self._words.wishing]
        self._measured = frozenset(
            place
            for begin, several in utterance.quantities.items()
            for each in several[:1]
            if each.unit not in ("", COUNT)
            for place in range(begin, each.end)
        )

    def parts(self) -> list[tuple[int, int]]:
        """(begin, end) of each part, with the mark or the join before it."""
        tokens, found, begin = self._tokens, [], 0
        for at in range(1, len(tokens)):
            before = tokens[at - 1]
            is_new = tokens[at] in MARKS or (
                before not in MARKS and before not in self._words.joining and self._begins_aside(at)
            )
            if is_new and any(each not in MARKS for each in tokens[begin:at]):
                found.append((begin, at))
                begin = at
        if found and all(each in MARKS for each in tokens[begin:]):
            begin, _ = found.pop()
        found.append((begin, len(tokens)))
        return found

    def aside(self, begin: int, end: int) -> Aside | None:
        """What a part is, if it is an aside."""
        at, whole = self._opened(begin, end), end
        while end > at and (self._tokens[end - 1] in MARKS or self._tokens[end - 1] in self._words.joining):
            end -= 1
        said = self._tokens[at:end]
        if not said or len(said) > _MOST_WORDS:
            return None
        if self._is_outcry(at, end):
            return Aside(begin, whole)
        if not self._measured.isdisjoint(range(at, end)):
            return None
        if self._opens(self._words.because, at):
            return Aside(begin, whole)
        is_purpose = self._is_purpose(begin, at, end)
        if is_purpose and not self._words.addressing.isdisjoint(said):
            return None
        if is_purpose or self._opens(self._words.likeness, at):
            return None if self._changes(said) else Aside(begin, whole)
        if self._is_caution(at, end):
            return Aside(begin, whole, self._words.heeded)
        if not self._words.never.isdisjoint(said) or self._is_second_person(said):
            return None
        is_told = said[0] in self._words.persons and self._tells_of_persons(at, end)
        return Aside(begin, whole) if is_told or self._tells_of_others(at, end) else None

    def is_reason(self, begin: int, end: int) -> bool:
        """Whether a part is a reason or a likeness."""
        return self._begins_reason(self._opened(begin, end))

    def _begins_aside(self, at: int) -> bool:
        """Whether a part begins here without a mark: a reason, a likeness, or "and I …"."""
        tokens = self._tokens
        if self._begins_reason(at):
            return True
        if tokens[at - 1] not in self._words.continuing and (
            tokens[at] in self._core.statements.openings
            or (tokens[at] in self._words.persons and tokens[at + 1 : at + 2] in self._wishes)
        ):
            return True  # "… 30 cm it's going to look cool"
        if tokens[at] not in self._words.joining or at + 2 >= len(tokens):
            return False
        if tokens[at + 1] in self._words.persons or tokens[at + 1] in self._words.subjects:
            return True
        return bool(self._opens(self._words.cautions, at + 1) or self._opens(self._words.denials, at + 1))

    def _begins_reason(self, at: int) -> bool:
        words = self._words
        return any(self._opens(each, at) for each in (words.because, words.purpose, words.likeness))

    def _is_purpose(self, begin: int, at: int, end: int) -> bool:
        """Whether it says what for: "so that …", "so the boys look at me"."""
        if self._opens(self._words.purpose, at):
            return True
        first = self._tokens[at]
        return (
            self._words.purpose_of.issuperset(self._tokens[max(begin, at - 1) : at])
            and begin < at
            and end - at > 1
            and not self._is_ours(first)
            and not is_verb(first)
        )

    def _opened(self, at: int, end: int) -> int:
        while at < end and (self._tokens[at] in MARKS or self._tokens[at] in self._words.joining):
            if self._begins_reason(at):
                break
            at += 1
        return at

    def _opens(self, several: Collection[str], at: int) -> int:
        """How many words of one of several ways begin here; 0 if none does."""
        for size in range(min(_MOST_OPENING, len(self._tokens) - at), 0, -1):
            if " ".join(self._tokens[at : at + size]) in several:
                return size
        return 0

    def _is_outcry(self, at: int, end: int) -> bool:
        said = self._tokens[at:end]
        if " ".join(said) in self._words.outcries or all(each in self._words.outcries for each in said):
            return True
        is_one_word = len(set(said)) == 1 < len(said) <= _MOST_OUTCRY
        return is_one_word and at in self._about.strange

    def _changes(self, said: Sequence[str]) -> bool:
        """Whether a purpose or a likeness says how, or where: "like before", "so that it is on the left"."""
        return not self._words.changing.isdisjoint(said)

    def _is_caution(self, at: int, end: int) -> bool:
        said = self._tokens[at:end]
        size = self._opens(self._words.cautions, at)
        if size and size < len(said):
            return not any(map(self._is_ours, said[size:])) and self._own(at, end) == 0
        size = self._opens(self._words.denials, at)
        if not size or size >= len(said):
            return False
        verb = next((form for form in base_forms(said[size]) if is_verb(form)), "")
        return bool(verb) and not self._is_ours(said[size]) and not any(map(self._is_ours, said[size + 1 :]))

    def _is_second_person(self, said: Sequence[str]) -> bool:
        """Whether it is about the robot: what it should be like may be what is asked for."""
        return any(each in self._words.addressing for each in said[:-1])

    def _tells_of_persons(self, at: int, end: int) -> bool:
        """Whether somebody tells of themselves: "I am in a hurry", "I want to check my frame", no more."""
        said = self._tokens[at:end]
        wish = next((place for place, word in enumerate(said) if word in self._words.wishing), -1)
        if wish >= 0:
            behind = said[wish + 1 :]
            has_to = behind[:1] == ["to"]
            if not has_to and said[wish] not in self._words.wishing_to:
                return False
            behind = behind[1:] if has_to else behind
            # "I want to check my frame" shows nothing: what is to be checked is none of ours.
            is_of_ours = self._own(at, end) or self._has_name(at, end) or not self._has_strange(at, end)
            if not behind or (self._is_asked(behind[0]) and is_of_ours):
                return False
        elif len(said) < 2:
            return False
        has_ours = any(map(self._is_ours, said[1:]))
        return not has_ours or (self._own(at, end) == 0 and not self._has_name(at, end))

    def _is_asked(self, verb: str) -> bool:
        return self._is_ours(verb) or verb in self._words.perceiving

    def _tells_of_others(self, at: int, end: int) -> bool:
        """Whether it says that something is so: "the floor is wet", and not what should be so."""
        said = self._tokens[at:end]
        if not self._words.asking_of_others.isdisjoint(said) or self._own(at, end):
            return False
        if len(said) < 2:
            return False
        if said[0] in self._words.subjects:
            return True
        is_so = said[1] in self._core.statements.verbs  # "eyes are", and no "eye" that is a verb
        if not is_so and (is_verb(said[0]) or self._about.is_ours(said[0])):
            return False
        # "The boys are moving" tells of them; a verb in its plain form may be what is asked for.
        is_asked = any(self._about.is_ours(word) and is_verb(word) for word in said[1:])
        return self._core.statements.has(said) and not is_asked

    def _is_ours(self, word: str) -> bool:
        """Whether a word is a verb of ours, and not only one that phrases begin with ("it", "eyes")."""
        return self._about.is_ours(word) and any(map(is_verb, base_forms(word)))

    def _own(self, at: int, end: int) -> int:
        return sum(place in self._about.own for place in range(at, end))

    def _has_strange(self, at: int, end: int) -> bool:
        return any(place in self._about.strange for place in range(at, end))

    def _has_name(self, at: int, end: int) -> bool:
        return any(place in self._about.names for place in range(at, end))
