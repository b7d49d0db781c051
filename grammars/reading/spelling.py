"""Misspelt words: which words of a text are none at all, and what is meant by them. Pure.

A word that neither phrases, nor known names, nor English have is a slip of somebody's fingers, if a word of
ours or of everyday English is near (`correcting`). How likely a word is meant is how often it is said times
how easily fingers slip so: a noisy channel (Kernighan, Church and Gale, "A spelling correction program based
on a noisy channel model", COLING 1990), with steps for the slips instead of a table of them. One that is far
ahead of all others is certain, and is taken without asking; but not where it decides a side, a way, a number
or a thing, and another one that does is near. What is between quotes, or begins with a capital within a text,
is spelt as it is meant.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from itertools import islice, product
from math import log10
from typing import Final

import msgspec

from framework.dialogue.stopping import is_stop_word, meant_stop
from framework.plan.parser import Correction
from grammars import lexicon
from grammars.reading.correcting import VOWELS, Vocabulary, mistakes_in, without_vowels
from grammars.reading.recogniser import Recogniser
from grammars.reading.utterance import Utterance
from grammars.units import UNITS

#: In so many words a text may be misspelt that it is not certain about.
MOST_DOUBTED: Final = 3
#: Ways to put a text right that are tried.
MOST_WAYS: Final = 8
#: Words of so many letters may be slips; of less than four, only by letters that change places.
_LEAST: Final = 2
_SHORT: Final = 4
#: How often everyday words are said, those that are often misspelt in three letters, and in two.
_EVERYDAY, _COMMON, _VERY_COMMON, _MOST_COMMON = 3_000, 50_000, 100_000, 10_000_000
#: So common a word tells nothing apart.
_EVERYWHERE: Final = 1_500_000
#: What English says so rarely is no word, unless its lexicon has it.
_LISTED: Final = 2_500
#: By how much a word of ours is likelier than another one that is said as often, as a power of ten.
_OURS: Final = 1.5
#: A word of ours is never as rare as English has it: "gripper".
_OURS_AT_LEAST: Final = 1_000
#: By so much (as a power of ten) one has to be ahead of the others to be certain; of what decides, much more.
_AHEAD, _FAR_AHEAD = 1.49, 1.9
#: What is asked about is asked with others that are no farther behind.
_BEHIND: Final = 2.5
#: Of so many letters one may be wrong, and it is still certain; in a word that is none of ours.
_CLEAR, _CLEAR_ENGLISH = 5, 6
_MOST_MEANT: Final = 3
_FIRST_IS_WRONG: Final = 1.5
_ANY_WORD: Final = "teh"
_ROW: Final = re.compile(r"(.)\1\1")
_QUOTED: Final = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»|(?<!\w)['‘][^'’]+['’](?!\w)")


class Slip(Enum):
    """What fingers did: how unlikely that is, as a power of ten.

    letters: two changed places, or one was doubled or not. vowels: they were left out. order: all are there,
    the first one first. one, two: a letter is wrong, missing or too many, or two are.
    """

    LETTERS = 0.0
    VOWELS = 1.5
    ORDER = 2.0
    ONE = 3.0
    TWO = 5.0


class Misspelt(msgspec.Struct, frozen=True):
    """A word, from `start` to `end` of a text, and what may be meant by it, the likeliest first."""

    start: int
    end: int
    said: str
    meant: tuple[str, ...]
    is_certain: bool = False


class Spelt(msgspec.Struct, frozen=True):
    """A text with misspellings put right. corrections: those that are not certain; places: all, in `text`."""

    text: str
    corrections: tuple[Correction, ...] = ()
    places: tuple[tuple[int, int, Misspelt], ...] = ()


class Speller:
    """Finds misspelt words.

    is_ours: whether a word is known as it stands. strange: the places of words that no phrase and no name
    has.
    deciding: words that decide which one, which way or how much; names and numbers do, too.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        recogniser: Recogniser,
        strange: Callable[[Utterance], frozenset[int]],
        is_ours: Callable[[str], bool],
        deciding: frozenset[str],
    ) -> None:
        self._vocabulary = vocabulary
        self._recogniser = recogniser
        self._strange = strange
        self._is_ours = is_ours
        self._deciding = deciding

    def load(self) -> None:
        """Load and index all words, so that the first sentence does not wait. Not for the main loop."""
        lexicon.load()
        self._near(_ANY_WORD)

    def misspelt(self, utterance: Utterance) -> tuple[Misspelt, ...]:
        """The words of a text that are none, as far as it can be told what is meant by them."""
        return tuple(self._found(utterance, self._nonword))

    def doubtful(self, utterance: Utterance) -> tuple[Misspelt, ...]:
        """Words that are English, but where words of ours are near, and names with a space too many."""
        words = [token.text for token in utterance.tokens]
        found = [*self._found(utterance, self._other_word)]
        for at, size, meant in self._recogniser.respaced(words):
            start, end = utterance.tokens[at].start, utterance.tokens[at + size - 1].end
            if all(each.end <= start or end <= each.start for each in found):
                found.append(Misspelt(start, end, utterance.text[start:end], (" ".join(meant),)))
        return tuple(sorted(found, key=lambda each: each.start))

    def _found(
        self, utterance: Utterance, meant_by: Callable[[str], tuple[tuple[str, ...], bool]]
    ) -> Iterator[Misspelt]:
        text, quoted = utterance.text, [*_QUOTED.finditer(utterance.text)]
        for at in sorted(self._strange(utterance)):
            token = utterance.tokens[at]
            said = text[token.start : token.end]
            if not _may_be_slip(utterance, at) or self._is_ours(token.text):
                continue
            if any(each.start() < token.end and token.start < each.end() for each in quoted):
                continue
            meant, is_certain = meant_by(token.text)
            if meant:
                yield Misspelt(token.start, token.end, said, meant, is_certain)

    def _nonword(self, said: str) -> tuple[tuple[str, ...], bool]:
        """What is meant by a word that is none; whether that is certain."""
        if lexicon.frequency(said) >= _LISTED or lexicon.is_known(said) or _ROW.search(said):
            return (), False
        if is_stop_word(said):  # what stops is never taken for anything else
            stop = meant_stop(said)
            return ((stop,), True) if stop != said else ((), False)
        near = self._near(said)
        if not near:
            return self._apart(said)
        scores = {
            word: _how_usual(word, is_ours) - _cost(said, word, slip)
            for word, (slip, is_ours) in near.items()
        }
        ranked = sorted(scores, key=lambda word: (-scores[word], word))
        best = ranked[0]
        slip, is_ours = near[best]
        if self._is_certain(said, ranked, scores) and _is_clear(said, best, slip, is_ours):
            return (best,), True
        ours = [word for word in ranked if near[word][1]]
        close = [word for word in ours if scores[word] > scores[ours[0]] - _BEHIND]
        return tuple(close[:_MOST_MEANT]), False

    def _is_certain(self, said: str, ranked: Sequence[str], scores: dict[str, float]) -> bool:
        best = ranked[0]
        others = [other for other in ranked[1:] if not _is_same_unit(best, other)]
        if any(scores[best] - scores[other] < _AHEAD for other in others):
            return False
        rivals = (other for other in others if self._decides(other))
        return not self._decides(best) or (
            len(said) > _LEAST and all(scores[best] - scores[other] >= _FAR_AHEAD for other in rivals)
        )

    def _decides(self, word: str) -> bool:
        """Whether it decides which one, which way or how much; not the "where" of "where you started"."""
        is_of_name = word in self._recogniser.name_words() and lexicon.frequency(word) < _EVERYWHERE
        return is_of_name or word in self._deciding

    def _is_meant(self, word: str) -> bool:
        return word in self._vocabulary.meant or word in self._recogniser.name_words()

    def _near(self, said: str) -> dict[str, tuple[Slip, bool]]:
        """Words that may be meant: the slip, and whether they are ours."""
        found: dict[str, tuple[Slip, bool]] = {}
        ours = {*self._vocabulary.all_near(said), *self._recogniser.all_near(said)}
        ours.update(self._vocabulary.without_vowels.get(said, ()))
        ours.update(self._vocabulary.by_letters.get("".join(sorted(said)), ()))
        ours.update(word for word in _same_lettered(said) if self._is_meant(word))
        for word in (*ours, *_one_off(said)):
            slip = _slip(said, word) if word != said else None
            is_ours = word in ours or self._is_meant(word)
            if slip is not None and _may_be_meant(said, word, slip, is_ours):
                found[word] = slip, is_ours
        return found

    def _apart(self, said: str) -> tuple[tuple[str, ...], bool]:
        """Two words that were written as one: "thedoor", "redcup"."""
        if len(said) < _CLEAR:
            return (), False
        if names := self._recogniser.respaced((said,)):
            return (" ".join(names[0][2]),), True
        pairs = [
            (said[:at], said[at:])
            for at in range(_LEAST, len(said) - 1)
            if self._is_meant(said[:at])
            and self._is_meant(said[at:])
            and _is_glued(lexicon.frequency(said[:at]), lexicon.frequency(said[at:]))
        ]
        return (tuple(map(" ".join, pairs)), True) if len(pairs) == 1 else ((), False)

    def _other_word(self, said: str) -> tuple[tuple[str, ...], bool]:
        """Words of ours that are near a word of English that no phrase has: "lest" for "left"."""
        if self._vocabulary.is_spelt(said):
            return (), False
        found = {*self._vocabulary.near(said), *self._recogniser.near_words(said)}
        mistakes = {each: mistakes_in(said, each) for each in found}
        least = min(mistakes.values(), default=0)
        return tuple(sorted(each for each in found if mistakes[each] == least))[:_MOST_MEANT], False


def ways(text: str, misspelt: Sequence[Misspelt]) -> Iterator[Spelt]:
    """The text with misspellings put right: those that are certain always, the others in every way.

    At last all but one of those.
    """
    doubted = [each for each in misspelt if not each.is_certain]
    if len(doubted) > MOST_DOUBTED:
        doubted = []
    tried = product(*(each.meant for each in doubted))
    choices = [dict(zip(doubted, words, strict=True)) for words in islice(tried, MOST_WAYS)]
    for each in doubted:
        choices.append({other: other.meant[0] for other in doubted if other is not each})
    certain = {each: each.meant[0] for each in misspelt if each.is_certain}
    for choice in choices[:MOST_WAYS]:
        yield _put_right(text, {**certain, **choice})


def _put_right(text: str, meant: dict[Misspelt, str]) -> Spelt:
    written, places, at = "", [], 0
    corrections = []
    for each in sorted(meant, key=lambda each: each.start):
        written += text[at : each.start]
        word = meant[each].capitalize() if each.said[:1].isupper() else meant[each]
        places.append((len(written), len(written) + len(word), each))
        written += word
        at = each.end
        if not each.is_certain:
            corrections.append(Correction(each.said, meant[each]))
    return Spelt(written + text[at:], tuple(corrections), tuple(places))


def _may_be_slip(utterance: Utterance, at: int) -> bool:
    """Whether a token is a word of plain letters, and no name: those have capitals within a text."""
    token = utterance.tokens[at]
    said, before = utterance.text[token.start : token.end], utterance.text[: token.start].rstrip()
    if len(said) < _LEAST or not (said.isascii() and said.isalpha()) or said.lower() != token.text:
        return False
    around = utterance.text[token.start - 1 : token.start] + utterance.text[token.end : token.end + 1]
    if any(each.isalnum() or each in "'’" for each in around):
        return False
    if any(letter.isupper() for letter in said[1:]):
        return said.isupper() and utterance.text.isupper()
    return not said[0].isupper() or not before or before[-1] in ".!?"


def _is_glued(first: int, second: int) -> bool:
    """Whether words that are said so often are written as one by mistake: "thedoor", but not "forthwith"."""
    return first >= _EVERYWHERE or min(first, second) >= _VERY_COMMON


def _is_same_unit(one: str, other: str) -> bool:
    """Whether it comes to the same: "minute" and "minutes"."""
    unit = UNITS.get((one,))
    return unit is not None and unit == UNITS.get((other,))


def _is_clear(said: str, word: str, slip: Slip, is_ours: bool) -> bool:
    """Whether such a slip leaves no doubt of a word. "Robo" may be short for it."""
    match slip:
        case Slip.LETTERS if len(word) < _SHORT:
            return lexicon.frequency(word) >= _VERY_COMMON or (word,) in UNITS
        case Slip.LETTERS | Slip.ORDER:
            return True
        case Slip.VOWELS:
            return len(said) > _LEAST
        case Slip.ONE:
            is_short = len(said) < _CLEAR and word.startswith(said)
            is_long = len(word) >= (_CLEAR if is_ours else _CLEAR_ENGLISH)
            return is_long and said[0] == word[0] and not is_short
    return False


def _may_be_meant(said: str, word: str, slip: Slip, is_ours: bool) -> bool:
    """Short words are known as they are spelt, but for the most common slips in the most common words."""
    often = lexicon.frequency(word)
    if not is_ours and often < _EVERYDAY:
        return False
    match slip:
        case Slip.LETTERS if len(said) == _LEAST:
            return often >= _MOST_COMMON
        case Slip.LETTERS if len(said) < _SHORT:
            return often >= _COMMON or len(word) >= _SHORT or (word,) in UNITS
        case Slip.LETTERS:
            return True
        case Slip.VOWELS if len(said) == _LEAST:
            return often >= _EVERYWHERE
        case Slip.VOWELS:
            return often >= _VERY_COMMON or (is_ours and len(said) >= _SHORT)
        case Slip.ONE:
            return min(len(said), len(word)) >= _SHORT - 1
    return is_ours


def _how_usual(word: str, is_ours: bool) -> float:
    """As a power of ten."""
    often = lexicon.frequency(word)
    return log10(max(often, _OURS_AT_LEAST)) + _OURS if is_ours else log10(often)


def _cost(said: str, word: str, slip: Slip) -> float:
    return slip.value + (_FIRST_IS_WRONG if slip is not Slip.LETTERS and said[0] != word[0] else 0.0)


def _slip(said: str, word: str) -> Slip | None:
    """How a word became what was said; None if no finger slips so."""
    if _same_letters(said, word):
        return Slip.LETTERS
    if VOWELS.isdisjoint(said) and said[0] == word[0] and without_vowels(word) == said:
        return Slip.VOWELS
    if len(said) >= _CLEAR and said[0] == word[0] and sorted(said) == sorted(word):
        return Slip.ORDER
    match mistakes_in(said, word):
        case 1:
            return Slip.ONE
        case 2:
            return Slip.TWO
    return None


def _same_lettered(said: str) -> Iterator[str]:
    """The word with two neighbours in each other's place, or without one of two that are the same."""
    for at in range(len(said) - 1):
        if said[at] == said[at + 1]:
            yield said[:at] + said[at + 1 :]
        else:
            yield said[:at] + said[at + 1] + said[at] + said[at + 2 :]


def _same_letters(said: str, word: str) -> bool:
    """Whether two neighbours changed places, or a letter was doubled or not."""
    if len(said) == len(word):
        at = next((at for at in range(len(said)) if said[at] != word[at]), len(said))
        return said[at : at + 2] == word[at : at + 2][::-1] and said[at + 2 :] == word[at + 2 :]
    short, long = sorted((said, word), key=len)
    return len(long) == len(short) + 1 and any(
        long[at] == long[at - 1] and long[:at] + long[at + 1 :] == short for at in range(1, len(long))
    )


def _one_off(said: str) -> set[str]:
    """What is one letter more, less, other or exchanged away, if English has it."""
    found = set()
    for at in range(len(said) + 1):
        rest = said[at:]
        if rest:
            found.add(said[:at] + rest[1:])
        if len(rest) > 1:
            found.add(said[:at] + rest[1] + rest[0] + rest[2:])
        for letter in string.ascii_lowercase:
            found.add(said[:at] + letter + rest)
            if rest:
                found.add(said[:at] + letter + rest[1:])
    return {word for word in found if lexicon.frequency(word) >= _EVERYDAY}
