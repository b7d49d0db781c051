"""What English knows of a word that no phrase has: whether it is a verb, or a noun; and how often it is said.

The NIH's SPECIALIST lexicon as `lemminflect` carries it, and the word counts of film subtitles that
`pyspellchecker` carries. They take half a second to load: at the first word that is asked for, or before
(`load`); a command that understands nothing itself never pays for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache


def load() -> None:
    """Load it now, so that the first sentence that is refused does not wait for it. Not for the main loop."""
    _lemmas(_ANY_WORD)
    frequency(_ANY_WORD)


def frequency(word: str) -> int:
    """How often it was said, of 1.6 thousand million words; 0 if never, at most 50 if it was only listed."""
    return _counts().get(word, 0)


def is_verb(word: str) -> bool:
    """Whether an English verb in its plain form, and no adjective: "tickle", not "tickled" and not "blue"."""
    lemmas = _lemmas(word)
    return word in lemmas.get("VERB", ()) and "ADJ" not in lemmas


def may_be_verb(word: str) -> bool:
    """Whether an English verb in its plain form, if maybe an adjective, too: "open", "close"."""
    return word in _lemmas(word).get("VERB", ())


def is_being_done(word: str) -> bool:
    """Whether an English verb with its "-ing": "taking", but not "bring"."""
    lemmas = _lemmas(word).get("VERB", ()) if word.endswith("ing") else ()
    return bool(lemmas) and word not in lemmas


def is_finite(word: str) -> bool:
    """Whether a form of an English verb that tells of somebody: "hurts", "called", not "call", "calling"."""
    lemmas = _lemmas(word).get("VERB", ())
    return bool(lemmas) and word not in lemmas and not word.endswith("ing")


def is_known(word: str) -> bool:
    """Whether it is any English word at all."""
    return bool(_lemmas(word))


def only_qualifies(word: str) -> bool:
    """Whether an English adverb, and no noun or verb: "quite", "sure", but not "pending"."""
    lemmas = _lemmas(word)
    return "ADV" in lemmas and not {"NOUN", "VERB", "PROPN", "AUX"} & lemmas.keys()


def is_noun(word: str) -> bool:
    """Whether an English noun, in any number: "dinosaurs"."""
    return bool(_lemmas(word).get("NOUN"))


_ANY_WORD = "be"


@cache
def _counts() -> Mapping[str, int]:
    from spellchecker import SpellChecker

    counts: Mapping[str, int] = SpellChecker(distance=1).word_frequency.dictionary
    return counts


@lru_cache(maxsize=4096)
def _lemmas(word: str) -> Mapping[str, tuple[str, ...]]:
    if not word.isalpha():
        return {}
    from lemminflect import getAllLemmas

    found: Mapping[str, tuple[str, ...]] = getAllLemmas(word)
    return found
