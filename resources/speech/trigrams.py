"""How likely words follow each other: a trigram model in the ARPA format (`grammars.tools.ngrams`).

Source: S. M. Katz, "Estimation of probabilities from sparse data" (1987): a trigram that was never seen is
taken from its bigram, with the weight of its context.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from framework.errors import SoundError

BEGIN: Final = "<s>"
END: Final = "</s>"
UNKNOWN: Final = -6.0
"""log10 of the probability of a word that the model does not have."""

Context = tuple[str, ...]


class Trigrams:
    """A model that is looked up. Raises SoundError if the file is no such model."""

    def __init__(self, file: Path) -> None:
        self._found: dict[Context, tuple[float, float]] = {}
        try:
            self._read(file)
        except (OSError, ValueError, IndexError) as error:
            raise SoundError(
                f"the language model {file} cannot be used: {error}; a trigram model in the ARPA format is "
                "wanted (grammars.tools.ngrams)"
            ) from error
        if (END,) not in self._found:
            raise SoundError(
                f"the language model {file} knows no end of a sentence; a trigram model in the ARPA "
                "format is wanted (grammars.tools.ngrams)"
            )

    def log10(self, context: Context, word: str) -> float:
        """log10 of the probability of a word after two words, or fewer."""
        weight = 0.0
        while True:
            found = self._found.get((*context, word))
            if found is not None:
                return weight + found[0]
            if not context:
                return weight + UNKNOWN
            known = self._found.get(context)
            weight += known[1] if known is not None else 0.0
            context = context[1:]

    def of_sentence(self, words: Sequence[str]) -> float:
        """log10 of the probability of a whole sentence."""
        every = (BEGIN, *words, END)
        return sum(self.log10(every[max(0, n - 2) : n], every[n]) for n in range(1, len(every)))

    def _read(self, file: Path) -> None:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                parts = line.rstrip("\n").split("\t")
                if len(parts) > 1:
                    weight = float(parts[2]) if len(parts) > 2 else 0.0
                    self._found[tuple(parts[1].split(" "))] = (float(parts[0]), weight)
