"""A recogniser of this installation's own language, by pocketsphinx: a trigram model, and names as classes.

The language model is made of what may be said here (`grammars.tools.spoken_sentences`), so it knows no other
words. A class of names is one word of it, and its names are that word's pronunciations: what is known may
change at any moment without a new model, and which name it was is told by the pronunciation that was heard.
Sound is given the noise of a room (`blocks.with_floor`), with which the acoustic model was trained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from pocketsphinx import Config, Decoder, get_model_path

from resources.audio.blocks import Samples, with_floor
from resources.audio.format import RATE_HZ
from resources.speech.pronunciation import pronounced

Words = tuple[str, ...]

_SEARCH: Final = "instructions"
_FRAMES_HZ: Final = 100.0
_SEARCHED_WIDELY: Final = {
    "lw": 10.0, "beam": 1e-80, "wbeam": 1e-50, "pbeam": 1e-80, "maxhmmpf": 60_000, "topn": 8, "ds": 1,
}  # fmt: skip
"""The model's weight, and how much of the search is kept. Of 120 plain instructions in four voices 66 are
heard word by word like this, 58 as pocketsphinx does by itself; in a fifth of the sound's time, not a
tenth."""

_SILENCES: Final = ("<s>", "</s>", "<sil>", "[NOISE]", "[SPEECH]", "++NOISE++")
_MOST_ALTERNATIVES: Final = 8


class SpokenLanguage(msgspec.Struct, frozen=True):
    """What can be said here. model: file of the language model (ARPA); names: of each class, in order."""

    model: str
    names: Mapping[str, tuple[Words, ...]] = {}


class TimedWord(msgspec.Struct, frozen=True):
    """A word of an utterance. began_s, until_s: in the utterance [s]. of_name: it belongs to a known name."""

    word: str
    began_s: float
    until_s: float
    of_name: bool = False


class Heard(msgspec.Struct, frozen=True):
    """What an utterance may be: its words, and other ways in which it may be read, the likeliest first."""

    words: tuple[TimedWord, ...]
    others: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The words alone."""
        return " ".join(each.word for each in self.words)


class SphinxRecogniser:
    """Recognises one utterance at a time. Raises RuntimeError if the model cannot be read."""

    def __init__(self, language: SpokenLanguage) -> None:
        self._random = np.random.default_rng(0)
        self._pronounced: dict[str, str] = {}
        self._names: dict[str, Words] = {}  # by the dictionary's word: "name_views(2)"
        self._decoder = Decoder(
            Config(
                hmm=get_model_path("en-us/en-us"),
                dict=get_model_path("en-us/cmudict-en-us.dict"),
                lm=None,
                samprate=RATE_HZ,
                loglevel="FATAL",
                **_SEARCHED_WIDELY,
            )
        )
        self._learn(_words_of(Path(language.model)), language.names)
        self._decoder.add_lm_file(_SEARCH, language.model)
        self._decoder.activate_search(_SEARCH)

    def heard(self, sound: Samples) -> Heard | None:
        """What was said in a whole utterance, (n,) int16; None if that was nothing."""
        self._decoder.start_utt()
        self._decoder.process_raw(with_floor(sound, self._random).tobytes(), False, True)
        self._decoder.end_utt()
        if self._decoder.hyp() is None:
            return None
        words = tuple(self._timed())
        best = " ".join(each.word for each in words)
        others: dict[str, None] = {}
        for hypothesis in self._decoder.nbest():
            text = self._plain(hypothesis.hypstr) if hypothesis is not None else ""
            if text and text != best:
                others[text] = None
            if len(others) == _MOST_ALTERNATIVES:
                break
        return Heard(words, tuple(others)) if words else None

    def _timed(self) -> list[TimedWord]:
        found: list[TimedWord] = []
        for segment in self._decoder.seg():
            if segment.word in _SILENCES:
                continue
            began_s, until_s = segment.start_frame / _FRAMES_HZ, (segment.end_frame + 1) / _FRAMES_HZ
            name = self._names.get(segment.word)
            words = name or (_bare(segment.word),)
            each_s = (until_s - began_s) / len(words)
            found += [
                TimedWord(word, began_s + n * each_s, began_s + (n + 1) * each_s, name is not None)
                for n, word in enumerate(words)
            ]
        return found

    def _plain(self, said: str) -> str:
        words = (self._names.get(word, (_bare(word),)) for word in said.split() if word not in _SILENCES)
        return " ".join(word for each in words for word in each)

    def _learn(self, words: Sequence[str], names: Mapping[str, tuple[Words, ...]]) -> None:
        """Everything that can be said gets a pronunciation, the dictionary's or espeak-ng's."""
        of_names = {word for each in names.values() for name in each for word in name}
        unknown = [w for w in {*words, *of_names} if w not in names and self._decoder.lookup_word(w) is None]
        self._pronounced = pronounced(sorted(unknown))
        for word in words:
            if word in self._pronounced:
                self._decoder.add_word(word, self._pronounced[word], update=False)
        for token, each in names.items():
            for number, name in enumerate(each):
                phones = [self._phones(word) for word in name]
                if all(phones):
                    entry = token if number == 0 else f"{token}({number + 1})"
                    self._decoder.add_word(entry, " ".join(phones), update=False)
                    self._names[entry] = name

    def _phones(self, word: str) -> str:
        return self._decoder.lookup_word(word) or self._pronounced.get(word, "")


def _bare(word: str) -> str:
    """A word without the number of its pronunciation: "the(2)" is "the"."""
    return word.partition("(")[0]


def _words_of(model: Path) -> list[str]:
    """The words of a language model in the ARPA format."""
    words: list[str] = []
    with model.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("\\2-grams"):
                break
            parts = line.split("\t")
            if len(parts) > 1 and not parts[1].startswith("<"):
                words.append(parts[1].strip())
    return words
