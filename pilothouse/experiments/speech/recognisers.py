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
from resources.speech.both import BothRecognisers
from resources.speech.in_words import InWords
from resources.speech.nearest import Nearest
from resources.speech.recognising import Recognised
from resources.speech.sphinx import SphinxRecogniser, SpokenLanguage
from resources.speech.trigrams import Trigrams
from resources.speech.whisper import WhisperRecogniser

SPHINX: Final = "pocketsphinx"
WHISPER: Final = "whisper"
BOTH: Final = "both"


class Taken(msgspec.Struct, frozen=True):
    """What one way made of an utterance.

    text: "" if it was rejected. is_unasked: it would be carried out without a question. wall_s: from the end
    of the sound to its meaning; cpu_s: of all threads.
    """

    text: str
    meaning: Meaning | None
    is_unasked: bool
    wall_s: float
    cpu_s: float


class Recognisers:
    """All that are installed. is_whisper_there: whether there are three ways, or one."""

    def __init__(self, language: SpokenLanguage) -> None:
        self.meanings = Meanings(our_lab_once())
        self._sphinx = SphinxRecogniser(language)
        try:
            self._whisper: WhisperRecogniser | None = WhisperRecogniser(InWords(spoken_table()), prompt())
        except PluginUnavailable:
            self._whisper = None
        self._nearest = Nearest(self._sphinx.dictionary, Trigrams(Path(language.model)))
        if self._whisper is not None:
            self._whisper.knows(self._sphinx.dictionary.words)
        self._both = (
            BothRecognisers(self._sphinx, self._whisper, self._nearest) if self._whisper is not None else None
        )

    @property
    def is_whisper_there(self) -> bool:
        """Whether the free recogniser is installed."""
        return self._whisper is not None

    def taken(self, sound: Samples) -> Mapping[str, Taken]:
        """What each way makes of an utterance."""
        watch = _Watch()
        found = {SPHINX: self._alone(_texts(self._sphinx.recognised(sound)), watch)}
        if self._whisper is None or self._both is None:
            return found
        watch.restart()
        free = _texts(self._whisper.recognised(sound))
        near = self._nearest.sentences(free[0]) if free else ()
        found[WHISPER] = self._alone((*free[:1], *(" ".join(each.words) for each in near), *free[1:]), watch)
        watch.restart()
        heard = self._both.recognised(sound)
        choice = agreed(heard.readings, self.meanings.is_understood) if heard is not None else None
        meaning = self.meanings.of(choice.text) if choice is not None else None
        is_sure = choice is not None and choice.confidence >= LEAST_CONFIDENCE
        found[BOTH] = Taken(
            choice.text if choice is not None else "",
            meaning,
            is_sure and meaning is not None and meaning.is_unasked,
            *watch.read(),
        )
        return found

    def _alone(self, texts: tuple[str, ...], watch: _Watch) -> Taken:
        understood = next((text for text in texts if text and self.meanings.is_understood(text)), "")
        meaning = self.meanings.of(understood) if understood else None
        is_unasked = meaning is not None and meaning.is_unasked
        return Taken(understood or next(iter(texts), ""), meaning, is_unasked, *watch.read())


class _Watch:
    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self._wall_s, self._cpu_s = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """Since it was started: on the clock, and of the processor [s]."""
        return time.perf_counter() - self._wall_s, time.process_time() - self._cpu_s


def _texts(found: Recognised | None) -> tuple[str, ...]:
    return (found.text, *found.others) if found is not None else ()
