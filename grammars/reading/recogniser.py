"""From a text to an `Utterance`: its words, the quantities and the known names in them.

The pipeline is spaCy's blank English one, without any model: its tokenizer (told where to split), its
LIKE_NUM (told which words begin numbers), PhraseMatcher for units and names, edit distance for misspellings.
docs/language.md says what is spaCy's and what is ours. It is imported when a `Recogniser` is made, and
nowhere else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, TypeVar

from framework.plan.parser import World
from grammars.reading.listing import NO_STEPS, Steps, separated
from grammars.reading.names import Names
from grammars.reading.numerals import begins_number
from grammars.reading.quantities import UnitSpan, quantities_at
from grammars.reading.tokens import LEADING, SEPARATORS, Words, folded, kept
from grammars.reading.utterance import Named, Quantity, Utterance
from grammars.units import UNITS

if TYPE_CHECKING:
    from spacy.tokens import Doc


class Recogniser:
    """Reads texts. One is enough for a language; several threads may use it.

    It keeps what it knew of the world's names and looks only at what has changed. What people say leaves
    nothing behind, however much it is (spaCy's memory zones), but the last few texts: one that is not
    understood is read several times.

    aliases: nouns that people use for one thing, with commas between them. turning_round: see `Core`.
    steps: words that the steps of a list begin with.
    """

    def __init__(
        self,
        aliases: Iterable[str] = (),
        *,
        turning_round: Sequence[str] = (),
        steps: Steps = NO_STEPS,
    ) -> None:
        from spacy.attrs import LIKE_NUM  # type: ignore[import-not-found]  # half of spaCy has no stubs
        from spacy.lang.en import English
        from spacy.language import Language
        from spacy.matcher import PhraseMatcher
        from spacy.tokenizer import Tokenizer  # type: ignore[import-not-found]
        from spacy.tokens import Doc

        self._lock = threading.Lock()

        def tokenizer(nlp: Language) -> Callable[[str], Doc]:
            made: Callable[[str], Doc] = Tokenizer(
                nlp.vocab, prefix_search=LEADING.match, infix_finditer=SEPARATORS.finditer
            )
            return made

        # Without English's own tokenizer, whose special cases alone take longer to load than all the rest.
        self._nlp = English(create_tokenizer=tokenizer)
        getters: dict[int, object] = self._nlp.vocab.lex_attr_getters  # type: ignore[attr-defined]
        getters[LIKE_NUM] = begins_number
        for lexeme in self._nlp.vocab:
            lexeme.like_num = begins_number(lexeme.text)
        for getter in [each for each in getters if each != LIKE_NUM]:
            del getters[getter]  # nobody asks for the shape of a word, and each new one would pay for it
        self._document = Doc
        self._units = PhraseMatcher(self._nlp.vocab, attr="ORTH")
        self._unit_by_id = {}
        for words, unit in UNITS.items():
            key = " ".join(words)
            self._units.add(key, [Doc(self._nlp.vocab, words=list(words))])
            self._unit_by_id[self._nlp.vocab.strings[key]] = unit
        self._steps = steps
        self._names = Names(self._nlp.vocab, self._split, aliases, turning_round)
        self._read: dict[str, tuple[int, tuple[str, ...], Utterance]] = {}
        self._words_of: dict[str, tuple[str, ...]] = {}

    def read(self, text: str, world: World, kinds: Iterable[str]) -> Utterance:
        """A text's words, quantities, and the names of the given kinds as the world knows them now.

        Any text is read; what goes beyond `tokens.MOST_CHARACTERS` becomes one unknown token.
        """
        kinds = tuple(dict.fromkeys(kinds))
        answers = [(kind, world.known(kind)) for kind in kinds]
        with self._lock:
            for kind, known in answers:
                self._names.update(kind, known)
            read = self._read.get(text)
            if read is not None and read[:2] == (self._names.version, kinds):
                return read[2]
            with self._nlp.memory_zone():
                found = self._words(text)
                doc = self._document(self._nlp.vocab, words=[token.text for token in found.tokens])
                quantities = self._quantities(doc, found)
                names: Mapping[str, Mapping[int, tuple[Named, ...]]] = self._names.exact(doc, kinds)
                names = self._with_owners(names, found, kinds)
                del doc
            utterance = Utterance(text, found.tokens, quantities, names)
            _keep(self._read, text, (self._names.version, kinds, utterance))
        return utterance

    def respaced(self, words: Sequence[str]) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
        """(position, how many words, what is meant) where a space of a known name is missing or too many."""
        with self._lock:
            return self._names.respaced(words)

    def name_words(self) -> Set[str]:
        """The words of known names."""
        with self._lock:
            return self._names.words()

    def all_near(self, said: str) -> dict[str, int]:
        """Words of known names that may be meant by one that nobody knows, and with how many mistakes."""
        with self._lock:
            return self._names.all_near(said)

    def near_words(self, said: str) -> tuple[str, ...]:
        """Words of known names that may be meant by a word that nobody knows."""
        with self._lock:
            return self._names.near_words(said)

    def has_name_within(self, said: str, world: World, kinds: Iterable[str]) -> bool:
        """Whether something of one of these kinds is called by nothing but some of these words."""
        words = self.words(said)
        with self._lock:
            for kind in kinds:
                self._names.update(kind, world.known(kind))
            return self._names.has_within(words)

    def words(self, text: str) -> tuple[str, ...]:
        """Only the words of a text."""
        with self._lock:
            words = self._words_of.get(text)
            if words is None:
                with self._nlp.memory_zone():
                    words = self._split(text)
                _keep(self._words_of, text, words)
            return words

    def _split(self, text: str) -> tuple[str, ...]:
        return tuple(token.text for token in self._words(text).tokens)

    def _words(self, text: str) -> Words:
        as_read = folded(separated(text, self._steps))
        return kept([(piece.text, piece.idx) for piece in self._nlp.make_doc(as_read.text)], as_read)

    def _with_owners(
        self,
        names: Mapping[str, Mapping[int, tuple[Named, ...]]],
        found: Words,
        kinds: tuple[str, ...],
    ) -> Mapping[str, Mapping[int, tuple[Named, ...]]]:
        """Also the names that something belongs to: the cup's, in "the cup's position"."""
        words = [token.text for token in found.tokens]
        owners = [word.removesuffix("'s") for word in words]
        if owners == words:
            return names
        doc = self._document(self._nlp.vocab, words=owners)
        merged: dict[str, Mapping[int, tuple[Named, ...]]] = {}
        for kind, places in self._names.exact(doc, kinds).items():
            known = names.get(kind, {})
            merged[kind] = {
                **known,
                **{
                    at: (*known.get(at, ()), *(each for each in named if words[each.end - 1].endswith("'s")))
                    for at, named in places.items()
                },
            }
        return merged

    def _quantities(self, doc: Doc, found: Words) -> Mapping[int, tuple[Quantity, ...]]:
        starts = [token.i for token in doc if token.like_num]
        if not starts and not found.after_a:
            return {}
        spans: dict[int, tuple[UnitSpan, ...]] = {}
        for number, start, end in sorted(self._units(doc), key=lambda span: -span[2]):
            spans[start] = (*spans.get(start, ()), UnitSpan(end, self._unit_by_id[number]))
        return quantities_at([token.text for token in found.tokens], starts, spans, found.after_a)


#: So many of the last texts are kept, if they are no longer than this [characters].
_MOST_KEPT, _MOST_KEPT_CHARACTERS = 64, 1000
_What = TypeVar("_What")


def _keep(kept: dict[str, _What], text: str, what: _What) -> None:
    """Keep what was found in a text, for the oldest one that is kept."""
    if len(text) <= _MOST_KEPT_CHARACTERS:
        if len(kept) >= _MOST_KEPT:
            del kept[next(iter(kept))]
        kept[text] = what
