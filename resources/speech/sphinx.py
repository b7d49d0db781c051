"""A recogniser of this installation's own language, by pocketsphinx: a trigram model, and names as classes.

The language model is made of what may be said here (`grammars.tools.spoken_sentences`), so it knows no other
words. A class of names is one word of it, and its names are that word's pronunciations: what is known may
change at any moment without a new model, and which name it was is told by the pronunciation that was heard.
A whole utterance is heard without the noise beneath it (`without_noise`), and then with that of a room
(`blocks.with_floor`), with which the acoustic model was trained.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from pocketsphinx import Config, Decoder, get_model_path

from framework.errors import SoundError
from resources.audio.blocks import Samples, with_floor
from resources.audio.denoising import without_noise
from resources.audio.format import RATE_HZ
from resources.speech.dictionary import Dictionary, Words
from resources.speech.recognising import ALONE, Recognised
from resources.types.speech import TimedWord

_SEARCH: Final = "instructions"
_FRAMES_HZ: Final = 100.0
_SEARCHED_WIDELY: Final = {
    "lw": 10.0, "beam": 1e-80, "wbeam": 1e-50, "pbeam": 1e-80, "maxhmmpf": 60_000, "topn": 8, "ds": 1,
}  # fmt: skip
"""The model's weight, and how much of the search is kept. Of 120 plain instructions in four voices 66 are
heard word by word like this, 58 as pocketsphinx does by itself; in a fifth of the sound's time, not a
tenth."""

_SEARCHED_QUICKLY: Final = {"fwdflat": False, "bestpath": False}
"""For what is shown while somebody speaks."""

FLOOR: Final = 120.0
"""A room's noise for this recogniser, louder than for the ear (`blocks.FLOOR`). Of 30 synthetic instructions
without noise 8 are heard word by word with it, 6 with 60, 4 with the ear's 15; at 20 dB 6 (7), at 10 dB 2."""

_SILENCES: Final = ("<s>", "</s>", "<sil>", "[NOISE]", "[SPEECH]", "++NOISE++")
_MOST_ALTERNATIVES: Final = 16
_MOST_HYPOTHESES: Final = 200  # many differ in silences only


class SpokenLanguage(msgspec.Struct, frozen=True):
    """What can be said here. model: file of the language model (ARPA); names: of each class, in order."""

    model: str
    names: Mapping[str, tuple[Words, ...]] = {}


class SphinxRecogniser:
    """Recognises one utterance at a time. Raises SoundError if the model cannot be read.

    dictionary: how what can be said is pronounced. unsayable: names that nobody can pronounce here: they are
    not heard.
    """

    def __init__(self, language: SpokenLanguage) -> None:
        self._random = np.random.default_rng(0)
        self._is_listening = False
        try:
            self._words = words_of(Path(language.model))
            dictionary = Dictionary(self._words, language.names)
            self._decoder = _decoder(dictionary, language.model, _SEARCHED_WIDELY)
            self._quick = _decoder(dictionary, language.model, _SEARCHED_QUICKLY)
        except (RuntimeError, OSError, UnicodeDecodeError) as error:
            raise SoundError(
                f"the language model {language.model} cannot be used: {error}; a trigram model in the ARPA "
                "format is wanted (grammars.tools.ngrams)"
            ) from error
        self._has(dictionary)

    def knows(self, names: Mapping[str, tuple[Words, ...]]) -> None:
        """From the next utterance on these are the names of each class.

        The models stay: another dictionary is read in 20 ms, they take half a second. Raises SoundError; then
        the names are those from before.
        """
        self.forgets()
        dictionary = Dictionary(self._words, names)
        try:
            self._load(dictionary)
        except (RuntimeError, OSError) as error:
            self._load(self.dictionary)  # one of both decoders may have read the new one
            raise SoundError(f"the names that are known now cannot be heard: {error}") from error
        self._has(dictionary)

    def _load(self, dictionary: Dictionary) -> None:
        with _as_file(dictionary) as file:
            for decoder in (self._decoder, self._quick):
                decoder.load_dict(file)

    def _has(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self._names = dictionary.names
        self.unsayable = dictionary.unsayable

    def recognised(self, sound: Samples) -> Recognised | None:
        """See `Recogniser`."""
        self._decoder.start_utt()
        quiet = with_floor(without_noise(sound), self._random, FLOOR)
        self._decoder.process_raw(quiet.tobytes(), False, True)
        self._decoder.end_utt()
        if self._decoder.hyp() is None:
            return None
        words = tuple(self._timed())
        best = " ".join(each.word for each in words)
        others: dict[str, None] = {}
        for hypothesis in islice(self._decoder.nbest(), _MOST_HYPOTHESES):
            text = self._plain(hypothesis.hypstr) if hypothesis is not None else ""
            if text and text != best:
                others[text] = None
            if len(others) == _MOST_ALTERNATIVES:
                break
        return Recognised(words, tuple(others), ALONE) if words else None

    def begins(self) -> None:
        """Another utterance begins, of which no more than its beginning is known for now."""
        self.forgets()
        self._quick.start_utt()
        self._is_listening = True

    def goes_on(self, sound: Samples) -> str:
        """What was said so far, with more of it, (n,) int16."""
        if len(sound):
            self._quick.process_raw(with_floor(sound, self._random).tobytes(), False, False)
        found = self._quick.hyp()
        return self._plain(found.hypstr) if found is not None else ""

    def forgets(self) -> None:
        """What has begun is not shown any further."""
        if self._is_listening:
            self._quick.end_utt()
            self._is_listening = False

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


def _decoder(dictionary: Dictionary, model: str, search: Mapping[str, float]) -> Decoder:
    """Searches for what the model and the dictionary have."""
    with _as_file(dictionary) as file:
        acoustic = get_model_path("en-us/en-us")
        config = Config(hmm=acoustic, dict=file, lm=None, samprate=RATE_HZ, loglevel="FATAL", **search)
        decoder = Decoder(config)
    decoder.add_lm_file(_SEARCH, model)
    decoder.activate_search(_SEARCH)
    return decoder


@contextmanager
def _as_file(dictionary: Dictionary) -> Iterator[str]:
    with tempfile.NamedTemporaryFile("w", suffix=".dict", encoding="utf-8") as file:
        file.write(str(dictionary))
        file.flush()
        yield file.name


def _bare(word: str) -> str:
    """A word without the number of its pronunciation: "the(2)" is "the"."""
    return word.partition("(")[0]


def words_of(model: Path) -> list[str]:
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
