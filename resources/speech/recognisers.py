"""The recogniser that a robot description asks for, with the names that are known now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Final

from resources.robots.description import SpeechDescription
from resources.speech import whisper_model
from resources.speech.both import BothRecognisers
from resources.speech.in_words import read_in_words
from resources.speech.nearest import Nearest
from resources.speech.recognising import Recogniser
from resources.speech.sphinx import SphinxRecogniser, SpokenLanguage
from resources.speech.spoken_names import classed, read_names
from resources.speech.trigrams import Trigrams
from resources.speech.whisper import WhisperRecogniser
from resources.types.speech import SpokenModel

OFTEN: Final = ("gripper", "centimetres", "degrees", "drive to the cabinet then turn left ninety degrees")
"""What is said here besides names: it tells Whisper how people speak to a robot."""


class Recognisers:
    """Makes recognisers; what takes long to load is loaded once.

    Raises PluginUnavailable if something that is asked for is not installed, SoundError for a model that
    cannot be used.
    """

    def __init__(self, language: SpokenModel, wanted: SpeechDescription) -> None:
        self._language = language
        kind = wanted.recogniser
        if kind == "best":
            kind = "both" if is_whisper_installed(wanted) else "pocketsphinx"
        self.kind = kind
        self._free: WhisperRecogniser | None = None
        self._trigrams: Trigrams | None = None
        if kind in ("both", "whisper"):
            folder = Path(wanted.whisper_model) if wanted.whisper_model else None
            self._free = WhisperRecogniser(read_in_words(Path(language.spoken)), folder=folder)
        if kind == "both":
            self._trigrams = Trigrams(Path(language.model))

    def now(self) -> Recogniser:
        """One that knows what is known now. Raises SoundError."""
        known = read_names(Path(self._language.names))
        names = classed(known, self._language.classes)
        if self._free is not None:
            self._free.expects((*(" ".join(each.words) for each in known), *OFTEN))
        if self.kind == "whisper":
            assert self._free is not None
            return self._free
        grammar = SphinxRecogniser(SpokenLanguage(self._language.model, names))
        if self._free is None or self._trigrams is None:
            return grammar
        return BothRecognisers(grammar, self._free, Nearest(grammar.dictionary, self._trigrams))


def is_whisper_installed(wanted: SpeechDescription) -> bool:
    """Whether Whisper may be used without anybody asking for it: its package, and a model."""
    packages = ["faster_whisper"] if wanted.whisper_model else ["faster_whisper", whisper_model.PACKAGE]
    return all(importlib.util.find_spec(each) is not None for each in packages)
