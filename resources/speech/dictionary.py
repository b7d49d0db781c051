"""The pronouncing dictionary of what can be said here, and of nothing else: a small one is searched quickly.

Words are pronounced as the CMU dictionary has them, others by espeak-ng. A class of names is a word whose
pronunciations are its names: "name_views(2)" is the second one.
Source: The CMU Pronouncing Dictionary, which comes with pocketsphinx.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from pocketsphinx import get_model_path

from resources.speech.pronunciation import pronounced

Words = tuple[str, ...]


class Dictionary:
    """How words and names are pronounced.

    entries: the phones of each, in order. names: the name that an entry is, by the entry.
    unsayable: names that nobody can pronounce here.
    """

    def __init__(self, words: Iterable[str], classes: Mapping[str, tuple[Words, ...]]) -> None:
        of_names = {word for each in classes.values() for name in each for word in name}
        plain = [word for word in dict.fromkeys(words) if word not in classes]
        unknown = sorted({*plain, *of_names} - _cmu().keys())
        known = {**_cmu(), **{word: (phones,) for word, phones in pronounced(unknown).items()}}
        self.names: dict[str, Words] = {}
        self.entries: dict[str, str] = {}
        for word in plain:
            self._add(word, known.get(word, ()))
        for token, each in classes.items():
            sayable = [name for name in each if all(word in known for word in name)]
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
    unknown = [word for word in dict.fromkeys(words) if word not in _cmu()]
    others = pronounced(unknown)
    return [_cmu()[word][0] if word in _cmu() else others.get(word, "") for word in words]


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
