"""What people say beside an instruction: "drive back half a metre, there is nobody behind you". Pure.

Strangers talk while they instruct. What tells something and asks for nothing is an aside, and is left out; it
stands in a part of its own, set off by a mark or by how it begins:

remark     somebody or something, and what is so of it: "my knees are killing me", "here is a cable"
premise    the same before "so" and an order, or an occasion: "they can't see, so …", "time for lunch, so …"
reason     "because …"; purpose: "so that I can read it"; likeness: "like an egg", "as if it rested in water"
caution    what must not happen, with a verb that is none of ours: "but don't bump it". It is heeded as far as
           it can be: what is done is done carefully
courtesy   "good morning, everyone", "shall we?", "if you'd be so kind" (`courtesies`)

What may ask for something, or change what is asked for, is no aside: a verb of ours that begins a part, a
length, an angle or another quantity, a denial of what one of ours could do, a condition, a correction, a wish
for a thing, a word about a part of the robot. Then the whole is not understood, or is asked about. An aside
that warns is left out, too, but then what moves is asked about (`warning`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from grammars.core import Asides, Core
from grammars.lexicon import is_finite, is_noun, is_verb, may_be_verb
from grammars.reading.courtesies import is_courtesy, is_outcry, is_tag
from grammars.reading.inflection import base_forms
from grammars.reading.tokens import MARKS, begins_with
from grammars.reading.utterance import Utterance
from grammars.reading.warning import Danger, danger_of
from grammars.units import COUNT

#: Under which kinds the world knows what is around; others are the robot's own.
THINGS: Final = "world."
#: So many words a remark, and one word that is cried out again and again, may have.
_MOST_WORDS: Final = 24
_MOST_OUTCRY: Final = 4
#: Behind a wish, so far away is "to": "like all of you to".
_MOST_WISHED: Final = 5
#: Written in one with the word before, these tell of it.
_SHORT: Final = ("'s", "'re", "'ve", "'d", "'ll", "'m")


class Aside(msgspec.Struct, frozen=True):
    """Tokens, from and to, with the mark or the join before them.

    instead: what they come to, if anything. danger: of what they warn.
    """

    begin: int
    end: int
    instead: str = ""
    danger: Danger = Danger.NONE


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
    told = found.told(parts)
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
        self._references = (*core.references, *core.pointing)
        self._said = utterance.text
        self._spans = [(token.start, token.end) for token in utterance.tokens]
        self._asking_of_others = self._words.asking_of_others - self._words.in_premises
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

    def told(self, parts: Sequence[tuple[int, int]]) -> list[Aside | None]:
        """What each part is, if it is an aside. What is told before what is concluded of it is a premise."""
        found: list[Aside | None] = []
        after = [begin for begin, _ in parts[1:]]
        for (begin, end), follows in zip(parts, [*after, -1], strict=True):
            aside = self.aside(begin, end)
            if aside is None and follows >= 0 and self._concludes(follows):
                aside = self._premise(begin, end)
            if aside is not None and self._refers_to(begin, end):
                aside = None
            found.append(aside)
        return found

    def aside(self, begin: int, end: int) -> Aside | None:
        """What a part is, if it is an aside."""
        at, whole = self._opened(begin, end), end
        while end > at and (self._tokens[end - 1] in MARKS or self._tokens[end - 1] in self._words.joining):
            end -= 1
        said = self._tokens[at:end]
        if not said or len(said) > _MOST_WORDS:
            return None
        is_tag_behind = at > 0 and is_tag(said, self._words)
        is_word_again = len(set(said)) == 1 < len(said) <= _MOST_OUTCRY and at in self._about.strange
        if is_tag_behind or is_word_again or is_outcry(said, self._words) or is_courtesy(said, self._core):
            return Aside(begin, whole)
        if not self._measured.isdisjoint(range(at, end)):
            return None
        if self._chooses(at, end):
            return None
        danger = danger_of(said, self._text(at, end), self._words)
        if said[0] in self._words.persons and self._wishes_others_to_see(at, end):
            return Aside(begin, whole, danger=danger)
        if self._opens(self._words.because, at):
            return Aside(begin, whole, danger=danger)
        is_purpose = self._is_purpose(begin, at, end) and not self._concludes(begin)
        if is_purpose and not self._words.addressing.isdisjoint(said):
            return None
        if is_purpose or self._opens(self._words.likeness, at):
            return None if self._changes(said) else Aside(begin, whole)
        if self._is_caution(at, end):
            return Aside(begin, whole, self._words.heeded)
        never = self._words.never
        if not self._words.pleasing.isdisjoint(said):
            never = never - self._words.modest  # "it would make them so happy"
        if said[0] in self._words.persons and not self._words.own_doing.isdisjoint(said[1:2]):
            never = never - self._words.persons  # "I'll be right behind"
        if not never.isdisjoint(said) or self._is_second_person(said):
            return None
        is_told = said[0] in self._words.persons and self._tells_of_persons(at, end)
        if is_told or self._tells_of_others(at, end) or self._tells_of_known(at, end):
            return Aside(begin, whole, danger=danger)
        return None

    def _premise(self, begin: int, end: int) -> Aside | None:
        """What a part before "so" and an order is, if it says why: it may say more than a remark alone.

        It may say of somebody what asks for something elsewhere ("they can't see"), and tell of the robot
        what is so, but not what it is to do ("you should …").
        """
        at, whole = self._opened(begin, end), end
        while end > at and self._tokens[end - 1] in MARKS:
            end -= 1
        said, words = self._tokens[at:end], self._words
        if not 0 < len(said) <= _MOST_WORDS or not self._measured.isdisjoint(range(at, end)):
            return None
        wishes_to_know = any(
            verb in words.wishing_of_others and to == "to" and after in words.learning
            for verb, to, after in zip(said, said[1:], said[2:], strict=False)
        )
        if not (words.never - words.modest if wishes_to_know else words.never).isdisjoint(said):
            return None
        if (self._own(at, end) and not wishes_to_know) or self._chooses(at, end):
            return None
        if any(
            self._tokens[place] in words.addressing and self._opens(words.obliging, place + 1)
            for place in range(at, end)
        ):
            return None
        if not self._opens(words.occasions, at) and (
            self._telling(at, end) < 0 or not self._asking_of_others.isdisjoint(said)
        ):
            return None
        return Aside(begin, whole, danger=danger_of(said, self._text(at, end), words))

    def _concludes(self, at: int) -> bool:
        """Whether an order is concluded here of what was said before: "so please turn", not "so I see"."""
        tokens, words = self._tokens, self._words
        while at < len(tokens) and tokens[at] in MARKS:
            at += 1
        size = self._opens(words.concluding, at)
        if not size or self._begins_reason(at):
            return False
        core = self._core.questions
        while (
            at + size < len(tokens)
            and (tokens[at + size] in core.courtesy or tokens[at + size] in words.joining)
            and not self._is_ours(tokens[at + size])
        ):
            size += 1
        first = tokens[at + size : at + size + 1]
        return (
            bool(first)
            and first[0] not in MARKS
            and (
                (self._about.is_ours(first[0]) and may_be_verb(first[0]))
                or first[0] in core.modal
                or first[0] in words.inviting
            )
        )

    def _telling(self, at: int, end: int) -> int:
        """Where the verb stands that says what is so: "can't" in "boys at back can't hear"; -1 if none."""
        said, words = self._tokens[at:end], self._words
        for place, word in enumerate(said):
            is_short = word.endswith(_SHORT) and place + 1 < len(said)
            if place == 0 and not is_short:
                continue
            if word in words.relating:
                return -1
            is_told = word in words.aux or is_short
            is_told = is_told or (is_finite(word) and at + place not in self._about.names)
            is_base = is_verb(word) and (word in words.wishing or not self._is_ours(word))
            is_told = is_told or (is_base and _is_plural(said[place - 1]))
            if is_told:
                is_noun_first = self._determiner(at, end) not in ("", said[0])
                begins_as_order = place > 0 and self._is_ours(said[0]) and word not in words.aux
                begins_as_order = begins_as_order and not is_noun_first
                return -1 if begins_as_order else at + place
        return -1

    def _refers_to(self, begin: int, end: int) -> bool:
        """Whether what is said later refers to a thing that is named here."""
        if not self._has_name(begin, end):
            return False
        later = " ".join(self._tokens[end:])
        return any(re.search(rf"\b{re.escape(each)}\b", later) for each in self._references)

    def _text(self, at: int, end: int) -> str:
        """What was said, with what does not count in tokens ("my", "the")."""
        before = self._spans[at - 1][1] if at else 0
        return self._said[before : self._spans[end - 1][1]]

    def is_reason(self, begin: int, end: int) -> bool:
        """Whether a part is a reason or a likeness."""
        return self._begins_reason(self._opened(begin, end))

    def _begins_aside(self, at: int) -> bool:
        """Whether a part begins here without a mark: a reason, a likeness, or "and I …"."""
        tokens = self._tokens
        if tokens[at - 1] in self._words.aux or tokens[at - 1].endswith(_SHORT):
            return False  # "I'm out of breath", "she would like you to turn"
        if self._begins_reason(at) and not self._is_wish(at):
            return True
        if tokens[at - 1] not in self._words.continuing and (
            tokens[at] in self._core.statements.openings
            or (tokens[at] in self._words.persons and tokens[at + 1 : at + 2] in self._wishes)
        ):
            return True  # "… 30 cm it's going to look cool"
        if self._concludes(at):
            return True  # "I can't see a thing so raise it"
        if tokens[at] not in self._words.joining or at + 2 >= len(tokens):
            return False
        if tokens[at + 1] in self._words.persons or tokens[at + 1] in self._words.subjects:
            return True
        return bool(self._opens(self._words.cautions, at + 1) or self._opens(self._words.denials, at + 1))

    def _is_wish(self, at: int) -> bool:
        """Whether "like" is a verb here: "they'd all like to see"."""
        tokens = self._tokens
        if tokens[at] not in self._words.wishing:
            return False
        return "to" in tokens[at + 1 : at + _MOST_WISHED]

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
        return begins_with(self._tokens, at, several)

    def _changes(self, said: Sequence[str]) -> bool:
        """Whether a purpose or a likeness says how, or where: "like before", "so that it is on the left"."""
        return not self._words.changing.isdisjoint(said)

    def _is_caution(self, at: int, end: int) -> bool:
        said = self._tokens[at:end]
        size = self._opens(self._words.cautions, at)
        if size and size < len(said):
            return not any(map(self._is_ours, said[size:])) and self._own(at, end) == 0
        size = self._opens(self._words.denials, at)
        if not size or size >= len(said) or self._has_name(at + size, at + size + 1):
            return False  # "not to the table" denies a thing
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

    def _wishes_others_to_see(self, at: int, end: int) -> bool:
        """Whether it wants others to see or know what is none of ours: "I want the class to see it"."""
        said, words = self._tokens[at:end], self._words
        wish = next((place for place, word in enumerate(said) if word in words.wishing), -1)
        to = next((place for place, word in enumerate(said) if word == "to"), -1)
        if not 0 < wish < to - 1 or to + 1 == len(said):
            return False
        if not (words.addressing | words.denied).isdisjoint(said[wish:to]):
            return False
        if self._own(at, end) or self._has_name(at, end) or not words.never.isdisjoint(said):
            return False
        is_to_do = any(each in words.addressing and self._is_ours(verb) for each, verb in pairwise(said[to:]))
        return said[to + 1] in words.learning and not is_to_do

    def _chooses(self, at: int, end: int) -> bool:
        """Whether it may say which one, or what rather: "the red one's mine", "he prefers the shelf"."""
        said, words = self._tokens[at:end], self._words
        if not words.preferring.isdisjoint(said):
            return True
        return any(each in words.selecting and before not in words.young for before, each in pairwise(said))

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

    def _tells_of_known(self, at: int, end: int) -> bool:
        """Whether it tells of somebody whom the speaker knows, in whatever words: "my mum is late"."""
        said, words = self._tokens[at:end], self._words
        return (
            self._determiner(at, end) != ""
            and (verb := self._telling(at, end)) >= 0
            and words.asking_of_others.isdisjoint(said)
            and not self._own(at, end)
            and not any(self._is_asked_of(word) for word in self._tokens[verb:end])
        )

    def _determiner(self, at: int, end: int) -> str:
        """With what the first noun begins, as it was said: "my", "the"; empty if with nothing of the kind."""
        first = next(iter(self._text(at, end).casefold().strip(" ,.;:!?").split()), "")
        return first if first in self._words.determining else ""

    def _is_asked_of(self, word: str) -> bool:
        """Whether a word may ask the robot for something, in any of its forms; others just "watch"."""
        never = self._words.learning | self._words.wishing
        return any(self._is_ours(form) and form not in never for form in base_forms(word))

    def _own(self, at: int, end: int) -> int:
        return sum(place in self._about.own for place in range(at, end))

    def _has_strange(self, at: int, end: int) -> bool:
        return any(place in self._about.strange for place in range(at, end))

    def _has_name(self, at: int, end: int) -> bool:
        return any(place in self._about.names for place in range(at, end))


def _is_plural(word: str) -> bool:
    """Whether an English noun for several: "boys", "parents"."""
    return word.endswith("s") and is_noun(word)
