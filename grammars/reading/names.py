"""Names of known things in a row of words, and their words, for those who look for misspelt ones.

What is known is told by the world, again and again; what was known already costs nothing, and what is new
is added. spaCy's PhraseMatcher finds the names that stand there; `correcting` judges misspellings (spaCy's
FUZZY1 compares every word with every other: 20 ms where this takes 0.2 ms, and takes two neighbours exchanged
for two mistakes).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from framework.plan.parser import Known
from grammars.reading.asides import THINGS
from grammars.reading.correcting import LEAST_LETTERS, Spellings
from grammars.reading.numerals import ONES
from grammars.reading.utterance import Named

if TYPE_CHECKING:
    from spacy.matcher import PhraseMatcher
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

Phrase = tuple[str, ...]
Found = dict[int, tuple[Named, ...]]
_Ways = tuple[tuple[Phrase, ...], Phrase, tuple[Phrase, ...]]
"""The ways to say a thing, its name in plans, and what else people call such things."""
Aliases = Mapping[str, tuple[Phrase, ...]]
"""What else people call what somebody calls a "drum"."""

_MOST_WORDS = 12  # of one name
_MOST_MISSPELT = 40  # tries for one text, so that its time is bounded
_MOST_LOOKED_AT = 500  # words of a text
# This many names that are known no more may stay in the matcher before it is built anew.
_MOST_STALE = 2000
_NUMBERS = {word: str(number) for word, number in ONES.items()}
_NUMERALS = {number: word for word, number in _NUMBERS.items()}


class Names:
    """The known names of all kinds that were asked for. Not for several threads at once.

    vocab: spaCy's, of the documents that are looked at. split: a name's words, as those of texts are.
    aliases, turning_round: see `Core`.
    """

    def __init__(
        self,
        vocab: Vocab,
        split: Callable[[str], Phrase],
        aliases: Iterable[str],
        turning_round: Sequence[str] = (),
    ) -> None:
        from spacy.tokens import Doc as Document

        self._vocab = vocab
        self._split = split
        self._document = Document
        self._turning_round = turning_round
        self._aliases = _by_noun(split(each) for each in aliases)
        self._known: dict[str, tuple[Known, ...]] = {}
        self._phrases: dict[str, Mapping[Phrase, tuple[Known, ...]]] = {}
        self._own: dict[str, frozenset[Phrase]] = {}
        self._ways: dict[Known, _Ways] = {}
        self._in_matcher: dict[Phrase, int] = {}
        self._by_id: dict[int, Phrase] = {}
        self._matcher = self._new_matcher()
        self._misspellings: _Misspellings | None = None
        self._called_with: dict[str, set[frozenset[str]]] | None = None
        #: Counts the changes of what is known.
        self.version = 0

    def update(self, kind: str, known: tuple[Known, ...]) -> None:
        """What is known of a kind now. An answer that equals the last one costs next to nothing."""
        last = self._known.get(kind)
        if last is not None and (last is known or last == known):
            return
        self._known[kind] = known
        self.version += 1
        self._called_with = None
        if len(self._ways) > _MOST_STALE + 2 * sum(map(len, self._known.values())):
            live = {each for others in self._known.values() for each in others}
            self._ways = {each: ways for each, ways in self._ways.items() if each in live}
        ways = {each: self._ways_of(each) for each in known}
        if not kind.startswith(THINGS):
            ways = {
                each: (own, value, (*also, *self._turned(own))) for each, (own, value, also) in ways.items()
            }
        self._phrases[kind] = _phrases(ways)
        self._own[kind] = frozenset(phrase for phrases, _, _ in ways.values() for phrase in phrases)
        self._misspellings = None
        if len(self._in_matcher) > _MOST_STALE + sum(map(len, self._phrases.values())):
            self._in_matcher.clear()
            self._by_id.clear()
            self._matcher = self._new_matcher()
            for phrases in self._phrases.values():
                self._add(phrases)
        else:
            self._add(self._phrases[kind])

    def exact(self, doc: Doc, kinds: Iterable[str]) -> dict[str, Found]:
        """By kind and position, the longest first: the names that stand in a text's words."""
        found: dict[str, Found] = {kind: {} for kind in kinds}
        spans = sorted((start, -end, self._by_id[number]) for number, start, end in self._matcher(doc))
        for kind, positions in found.items() if spans else ():
            phrases = self._phrases.get(kind, {})
            own = self._own.get(kind, frozenset())
            for start, end, phrase in spans:
                named = tuple(Named(known, -end) for known in phrases.get(phrase, ()))
                if named and (phrase in own or not any(phrase in each for each in self._own.values())):
                    positions[start] = (*positions.get(start, ()), *named)
        return found

    def respaced(self, words: Sequence[str]) -> tuple[tuple[int, int, Phrase], ...]:
        """(position, how many words, what is meant) where a space of a name is missing or too many."""
        return tuple(islice(self._misspelt().of(words[:_MOST_LOOKED_AT]), _MOST_MISSPELT))

    def words(self) -> Set[str]:
        """Those of all names that have some letters."""
        return self._misspelt().words

    def all_near(self, said: str) -> dict[str, int]:
        """Words of names that may be meant by a word that is in none, and with how many mistakes."""
        misspelt = self._misspelt()
        return {} if said in misspelt.words else misspelt.spellings.all_near(said)

    def near_words(self, said: str) -> tuple[str, ...]:
        """Words of names that may be meant by a word that is in none."""
        misspelt = self._misspelt()
        return () if said in misspelt.words else misspelt.spellings.near(said)

    def has_within(self, words: Collection[str]) -> bool:
        """Whether something of any kind is called by nothing but some of these words, in whatever order."""
        if self._called_with is None:
            self._called_with = {}
            for known in dict.fromkeys(each for several in self._known.values() for each in several):
                for phrase in self._ways_of(known)[0][:1]:  # its name, not what else it is called
                    self._called_with.setdefault(phrase[0], set()).add(frozenset(phrase))
        said = frozenset(words)
        return any(name <= said for word in said for name in self._called_with.get(word, ()))

    def _misspelt(self) -> _Misspellings:
        if self._misspellings is None:
            live = dict.fromkeys(phrase for phrases in self._phrases.values() for phrase in phrases)
            self._misspellings = _Misspellings(live)
        return self._misspellings

    def _ways_of(self, known: Known) -> _Ways:
        """The ways to say a known thing, and its name in plans. Most are known under several kinds."""
        found = self._ways.get(known)
        if found is None:
            ways = (phrase for said in (known.name, *known.says) for phrase in _ways(said, self._split))
            own = tuple(dict.fromkeys(ways))
            aliases = tuple(dict.fromkeys(alias for phrase in own for alias in self._called(phrase)))
            found = self._ways[known] = own, self._split(known.value), aliases
        return found

    def _called(self, phrase: Phrase) -> Iterator[Phrase]:
        """The same with other words for the noun: "blue barrel" for "blue drum", and of several."""
        *before, noun = phrase
        for alias in self._aliases.get(noun, ()):
            yield (*before, *alias)
        for alias in self._aliases.get(noun[:-1], ()) if noun.endswith("s") else ():
            yield (*before, *alias[:-1], f"{alias[-1]}s")

    def _turned(self, phrases: Iterable[Phrase]) -> Iterator[Phrase]:
        """Names of two nouns turned round: "motor on wrist" for "wrist motor"."""
        for words in phrases:
            if len(words) == 2 and all(word.isalpha() for word in words):
                yield from ((words[1], joining, words[0]) for joining in self._turning_round)

    def _new_matcher(self) -> PhraseMatcher:
        from spacy.matcher import PhraseMatcher as Matcher

        return Matcher(self._vocab, attr="ORTH")  # words are folded already, so ORTH is what LOWER would be

    def _add(self, phrases: Iterable[Phrase]) -> None:
        for phrase in phrases:
            if phrase not in self._in_matcher:
                key = " ".join(phrase)
                self._matcher.add(key, [self._document(self._vocab, words=[*phrase])])
                self._in_matcher[phrase] = number = self._vocab.strings[key]
                self._by_id[number] = phrase


class _Misspellings:
    """The words of all names, and which of them a word may be meant for."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self.words: set[str] = set()
        self._joined: dict[str, Phrase] = {}
        for phrase in phrases:
            self.words.update(word for word in phrase if word.isalpha())
            for pair in pairwise(phrase):
                joined = "".join(pair)
                if len(joined) > LEAST_LETTERS and joined.isalpha():
                    self._joined.setdefault(joined, pair)
        self.spellings = Spellings(self.words)

    def of(self, words: Sequence[str]) -> Iterator[tuple[int, int, Phrase]]:
        """(position, how many words, the words that may be meant) where a space is missing or too many."""
        for at, word in enumerate(words):
            if (pair := self._joined.get(word)) is not None:
                yield at, 1, pair
            joined = word + words[at + 1] if at + 1 < len(words) else ""
            if joined in self.words:
                yield at, 2, (joined,)


def _phrases(ways: Mapping[Known, _Ways]) -> Mapping[Phrase, tuple[Known, ...]]:
    """Every way to say each of the known things, and which of them it may mean."""
    found: dict[Phrase, tuple[Known, ...]] = {}
    for known, (phrases, _, _) in ways.items():
        for phrase in phrases:
            found[phrase] = (*found.get(phrase, ()), known)
    called: dict[Phrase, tuple[Known, ...]] = {}
    for known, (_, _, aliases) in ways.items():
        for phrase in aliases:
            if phrase not in found:  # an alias never stands in the way of a name
                called[phrase] = (*called.get(phrase, ()), known)
    found |= called
    for known, (_, value, _) in ways.items():
        # What it is called in plans tells apart what shares a name; it hides no name.
        if value and len(value) <= _MOST_WORDS:
            found.setdefault(value, (known,))
    return found


def _by_noun(groups: Iterable[Phrase]) -> Aliases:
    """For each noun of a group the others."""
    found: dict[str, tuple[Phrase, ...]] = {}
    for group in groups:
        nouns = [*_parted(group)]
        for noun in nouns:
            if len(noun) == 1:
                others = (other for other in nouns if other != noun)
                found[noun[0]] = (*found.get(noun[0], ()), *others)
    return found


def _parted(words: Phrase) -> Iterator[Phrase]:
    """What stands between commas."""
    found: list[str] = []
    for word in (*words, ","):
        if word == ",":
            yield tuple(found)
            found = []
        else:
            found.append(word)


def _ways(said: str, split: Callable[[str], Phrase]) -> Iterator[Phrase]:
    phrase = split(said)
    if not phrase or len(phrase) > _MOST_WORDS:
        return
    yield phrase
    yield tuple(_NUMERALS.get(word, word) for word in phrase)  # "camera 2" is said "camera two" as well
    yield tuple(_NUMBERS.get(word, word) for word in phrase)
    if "-" in said:
        yield split(said.replace("-", ""))  # "RGB-D camera", "RGBD camera"
