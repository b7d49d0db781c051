"""Each recogniser alone, and both: what is taken of an utterance, whether unasked, and when that is known.

Alone a recogniser has nobody to contradict it: what the language understands first is taken, and believed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from framework.dialogue.confirmation import LEAST_CONFIDENCE
from framework.errors import PluginUnavailable
from pilothouse.experiments.speech.meaning import Meaning, Meanings
from pilothouse.experiments.speech.sentences import our_lab_once, prompt
from pilothouse.spoken_language import spoken_table
from resources.audio.blocks import Samples
from resources.speech.agreeing import agreed
from resources.speech.apart import ApartRecogniser
from resources.speech.both import BothRecognisers, FreeRecogniser
from resources.speech.dictionary import Dictionary
from resources.speech.in_words import InWords
from resources.speech.nearest import Nearest
from resources.speech.recognising import Recognised, Recogniser
from resources.speech.sphinx import SpokenLanguage, words_of
from resources.speech.trigrams import Trigrams
from resources.speech.whisper import WhisperRecogniser
from resources.types.speech import Reading

SPHINX: Final = "pocketsphinx"
WHISPER: Final = "whisper"
BOTH: Final = "both"


class Taken(msgspec.Struct, frozen=True):
    """What one way made of an utterance.

    text: "" if it was rejected. is_unasked: it would be carried out without a question. wall_s: from the end
    of the sound to its meaning; cpu_s: of all threads that recognise, None if that is not known.
    """

    text: str
    meaning: Meaning | None
    is_unasked: bool
    wall_s: float
    cpu_s: float | None


class Recognisers:
    """All that are installed, as the recogniser's process has them. Leave it (`with`): a process ends, too.

    is_whisper_there: whether there are three ways, or one.
    """

    def __init__(self, language: SpokenLanguage) -> None:
        self.meanings = Meanings(our_lab_once())
        dictionary = Dictionary(words_of(Path(language.model)), language.names)
        self._apart = ApartRecogniser(language)
        self._sphinx = _Watched(self._apart, self._apart)
        self._nearest = Nearest(dictionary, Trigrams(Path(language.model)))
        self._whisper: _WatchedFree | None = None
        self._both: BothRecognisers | None = None
        try:
            free = WhisperRecogniser(InWords(spoken_table()), prompt())
        except PluginUnavailable:
            return
        free.knows(dictionary.words)
        self._whisper = _WatchedFree(free, self._apart)
        self._both = BothRecognisers(self._sphinx, self._whisper, self._nearest)

    def __enter__(self) -> Recognisers:
        return self

    def __exit__(self, *error: object) -> None:
        self._apart.close()

    @property
    def is_whisper_there(self) -> bool:
        """Whether the free recogniser is installed."""
        return self._whisper is not None

    def taken(self, sound: Samples) -> Mapping[str, Taken]:
        """What each way makes of an utterance."""
        if self._whisper is None or self._both is None:
            watch = _Watch(self._apart)
            return {SPHINX: self._alone(_texts(self._sphinx.recognised(sound)), *watch.read())}
        watch = _Watch(self._apart)
        heard = self._both.recognised(sound)
        choice = agreed(heard.readings, self.meanings.is_understood) if heard is not None else None
        meaning = self.meanings.of(choice.text) if choice is not None else None
        is_sure = choice is not None and choice.confidence >= LEAST_CONFIDENCE
        text = choice.text if choice is not None else ""
        is_unasked = is_sure and meaning is not None and meaning.is_unasked
        found = {BOTH: Taken(text, meaning, is_unasked, *watch.read())}
        found[SPHINX] = self._alone(_texts(self._sphinx.last), self._sphinx.wall_s, self._sphinx.cpu_s)
        watch = _Watch(self._apart)
        free = _texts(self._whisper.last)
        near = self._nearest.sentences(free[0]) if free else ()
        texts = (*free[:1], *(" ".join(each.words) for each in near), *free[1:])
        found[WHISPER] = self._alone(texts, self._whisper.wall_s + watch.read()[0], None)
        return found

    def readings(self, sound: Samples) -> tuple[Reading, ...]:
        """All that it may be to both, the likeliest first. Raises PluginUnavailable if there is one only."""
        if self._both is None:
            raise PluginUnavailable("faster_whisper", "two recognisers are wanted: make speech")
        heard = self._both.recognised(sound)
        return heard.readings if heard is not None else ()

    def _alone(self, texts: tuple[str, ...], wall_s: float, cpu_s: float | None) -> Taken:
        watch = _Watch(self._apart)
        understood = next((text for text in texts if text and self.meanings.is_understood(text)), "")
        meaning = self.meanings.of(understood) if understood else None
        is_unasked = meaning is not None and meaning.is_unasked
        wall_s += watch.read()[0]
        return Taken(understood or next(iter(texts), ""), meaning, is_unasked, wall_s, cpu_s)


class _Watched:
    """A recogniser that tells what it made of the last sound, and how long that took.

    cpu_s: what the process apart has used meanwhile, so of its own.
    """

    def __init__(self, inner: Recogniser, apart: ApartRecogniser) -> None:
        self._inner = inner
        self._apart = apart
        self.last: Recognised | None = None
        self.wall_s = self.cpu_s = 0.0

    def recognised(self, sound: Samples) -> Recognised | None:
        """See `Recogniser`."""
        began_s, cpu_s = time.perf_counter(), self._apart.cpu_s
        self.last = self._inner.recognised(sound)
        self.wall_s, self.cpu_s = time.perf_counter() - began_s, self._apart.cpu_s - cpu_s
        return self.last

    def begins(self) -> None:
        """See `Recogniser`."""
        self._inner.begins()

    def goes_on(self, sound: Samples) -> str:
        """See `Recogniser`."""
        return self._inner.goes_on(sound)

    def forgets(self) -> None:
        """See `Recogniser`."""
        self._inner.forgets()


class _WatchedFree(_Watched):
    def __init__(self, inner: FreeRecogniser, apart: ApartRecogniser) -> None:
        super().__init__(inner, apart)
        self.within = inner.within
        self.likelihoods = inner.likelihoods


class _Watch:
    """Of this process and of the one apart."""

    def __init__(self, apart: ApartRecogniser) -> None:
        self._apart = apart
        self._wall_s, self._cpu_s = time.perf_counter(), self._used_s()

    def read(self) -> tuple[float, float]:
        """Since it was started: on the clock, and of the processor [s]."""
        return time.perf_counter() - self._wall_s, self._used_s() - self._cpu_s

    def _used_s(self) -> float:
        return time.process_time() + self._apart.cpu_s


def _texts(found: Recognised | None) -> tuple[str, ...]:
    return (found.text, *found.others) if found is not None else ()
