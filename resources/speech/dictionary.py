"""The pronouncing dictionary of what can be said here, and of nothing else: a small one is searched quickly.

Words are pronounced as the CMU dictionary has them, others by espeak-ng. A class of names is a word whose
pronunciations are its names: "name_views(2)" is the second one.
Source: The CMU Pronouncing Dictionary, which comes with pocketsphinx.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

from pocketsphinx import get_model_path

from resources.speech.pronunciation import pronounced

Words = tuple[str, ...]

_MADE_UP: Final[dict[str, tuple[str, ...]]] = {}
"""How words are pronounced that are in no dictionary: to ask takes a program, which is not asked twice."""

_MOST_MADE_UP: Final = 10_000  # whatever anybody says comes here


class Dictionary:
    """How words and names are pronounced.

    entries: the phones of each, in order. names: the name that an entry is, by the entry.
    unsayable: names that nobody can pronounce here.
    """

    def __init__(self, words: Iterable[str], classes: Mapping[str, tuple[Words, ...]]) -> None:
        of_names = {word for each in classes.values() for name in each for word in name}
        plain = [word for word in dict.fromkeys(words) if word not in classes]
        known = _ways({*plain, *of_names})
        self.names: dict[str, Words] = {}
        self.entries: dict[str, str] = {}
        for word in plain:
            self._add(word, known[word])
        for token, each in classes.items():
            sayable = [name for name in each if all(known[word] for word in name)]
            self._add(token, [" ".join(known[word][0] for word in name) for name in sayable])
            self.names |= {_entry(token, number): name for number, name in enumerate(sayable)}
        said = set(self.names.values())
        self.unsayable = tuple(name for each in classes.values() for name in each if name not in said)

    @property
    def words(self) -> tuple[str, ...]:
        """All that can be said, those of names among them."""
        plain = (entry for entry in self.entries if entry not in self.names)
        every = (*(word.partition("(")[0] for word in plain), *chain.from_iterable(self.names.values()))
        return tuple(dict.fromkeys(every))

    def __str__(self) -> str:
        return "".join(f"{entry} {phones}\n" for entry, phones in self.entries.items())

    def _add(self, word: str, every: Iterable[str]) -> None:
        self.entries |= {_entry(word, number): phones for number, phones in enumerate(every)}


def pronunciations(words: Sequence[str]) -> list[str]:
    """How words of any kind are pronounced, each in its usual way; "" is what nobody can say."""
    known = _ways(set(words))
    return [known[word][0] if known[word] else "" for word in words]


def _ways(words: Collection[str]) -> dict[str, tuple[str, ...]]:
    """How each word is pronounced, the usual way first; in no way, if nobody can say it."""
    cmu = _cmu()
    if len(_MADE_UP) > _MOST_MADE_UP:
        _MADE_UP.clear()
    others = sorted(word for word in words if word not in cmu and word not in _MADE_UP)
    _MADE_UP.update({word: (phones,) for word, phones in pronounced(others).items()})
    return {word: cmu.get(word) or _MADE_UP.get(word, ()) for word in words}


def _entry(word: str, number: int) -> str:
    return word if number == 0 else f"{word}({number + 1})"


@cache
def _cmu() -> Mapping[str, tuple[str, ...]]:
    """Every word, and how it is pronounced, the usual way first."""
    found: dict[str, tuple[str, ...]] = {}
    for line in Path(get_model_path("en-us/cmudict-en-us.dict")).read_text(encoding="utf-8").splitlines():
        entry, _, phones = line.partition(" ")
        word = entry.partition("(")[0]
        found[word] = (*found.get(word, ()), phones.strip())
    return found
