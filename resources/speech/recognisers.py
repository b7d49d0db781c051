"""The recogniser that a robot description asks for, with the names that are known now."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

from framework.errors import PluginUnavailable, SoundError
from resources.robots.description import SpeechDescription, read_description
from resources.speech import vosk_recogniser, whisper_model
from resources.speech.apart import ApartRecogniser
from resources.speech.both import BothRecognisers
from resources.speech.dictionary import Dictionary
from resources.speech.in_words import read_in_words
from resources.speech.nearest import Nearest
from resources.speech.recognising import Recogniser
from resources.speech.sphinx import SphinxRecogniser, SpokenLanguage, words_of
from resources.speech.spoken_names import classed, read_names
from resources.speech.trigrams import Trigrams
from resources.speech.vosk_recogniser import VoskRecogniser
from resources.speech.waking import phones_of_phrase
from resources.speech.whisper import WhisperRecogniser
from resources.types.speech import SpokenModel

OFTEN: Final = ("gripper", "centimetres", "degrees", "drive to the cabinet then turn left ninety degrees")
"""What is said here besides names: it tells Whisper how people speak to a robot."""


class Recognisers:
    """Makes recognisers; what takes long to load is loaded once. Leave it (`with`): a process ends, too.

    kind: which one; trouble: why it is not a better one, if that is no wish.

    Raises PluginUnavailable if something that is asked for is not installed, SoundError for a model that
    cannot be used.
    """

    def __init__(self, language: SpokenModel, wanted: SpeechDescription) -> None:
        self._language = language
        kind = wanted.recogniser
        self.trouble = ""
        self._free: WhisperRecogniser | None = None
        self._vosk: VoskRecogniser | None = None
        self._trigrams: Trigrams | None = None
        self._grammar: SphinxRecogniser | ApartRecogniser | None = None
        if kind == "best":
            kind = "pocketsphinx"
            if is_whisper_installed(wanted):
                try:
                    self._free, kind = self._whisper(wanted), "both"
                except (PluginUnavailable, SoundError) as error:  # nobody has asked for it
                    self.trouble = f"only one recogniser hears: {error.why}"
        elif kind in ("both", "whisper"):
            self._free = self._whisper(wanted)
        self.kind = kind
        if kind == "vosk":
            folder = Path(wanted.vosk_model) if wanted.vosk_model else None
            self._vosk = VoskRecogniser(folder, self._words())
        if kind == "both":
            self._trigrams = Trigrams(Path(language.model))

    def __enter__(self) -> Recognisers:
        return self

    def __exit__(self, *error: object) -> None:
        if isinstance(self._grammar, ApartRecogniser):
            self._grammar.close()
        self._grammar = None

    def look(self) -> None:
        """Often: raises SoundError if what recognises in a process of its own has ended."""
        if isinstance(self._grammar, ApartRecogniser):
            self._grammar.look()

    def _whisper(self, wanted: SpeechDescription) -> WhisperRecogniser:
        folder = Path(wanted.whisper_model) if wanted.whisper_model else None
        return WhisperRecogniser(read_in_words(Path(self._language.spoken)), folder=folder)

    def now(self) -> Recogniser:
        """One that knows what is known now. Raises SoundError."""
        if self._vosk is not None:
            self._vosk.expects(self._words())
            return self._vosk
        known = read_names(Path(self._language.names))
        names = classed(known, self._language.classes)
        if self._free is not None:
            self._free.expects((*(" ".join(each.words) for each in known), *OFTEN))
        if self.kind == "whisper":
            assert self._free is not None
            return self._free
        if self._grammar is None:
            language = SpokenLanguage(self._language.model, names)
            of_kind = SphinxRecogniser if self._trigrams is None else ApartRecogniser
            self._grammar = of_kind(language)
        else:
            self._grammar.knows(names)
        if self._free is None or self._trigrams is None:
            return self._grammar
        dictionary = Dictionary(self._model_words, names)
        self._free.knows(dictionary.words)
        return BothRecognisers(self._grammar, self._free, Nearest(dictionary, self._trigrams))

    @cached_property
    def _model_words(self) -> list[str]:
        return words_of(Path(self._language.model))

    def _words(self) -> Iterator[str]:
        """All that can be said here, names included."""
        yield from self._model_words
        for name in read_names(Path(self._language.names)):
            yield from name.words


def is_whisper_installed(wanted: SpeechDescription) -> bool:
    """Whether Whisper may be used without anybody asking for it: its package, and a model."""
    packages = ["faster_whisper"] if wanted.whisper_model else ["faster_whisper", whisper_model.PACKAGE]
    return all(importlib.util.find_spec(each) is not None for each in packages)


def main() -> int:
    """Say whether the recogniser of a robot description can be used; exit code 1 if not."""
    wanted = read_description(Path(sys.argv[1])).speech
    try:
        phones_of_phrase(wanted.wake)
        if wanted.recogniser in ("whisper", "both") or wanted.whisper_model:
            whisper_model.loaded(Path(wanted.whisper_model) if wanted.whisper_model else None)
        if wanted.recogniser == "vosk":
            vosk_recogniser.loaded(Path(wanted.vosk_model) if wanted.vosk_model else None)
    except (PluginUnavailable, SoundError) as error:
        print(error.why, file=sys.stderr)
        return 1
    print(f"{wanted.recogniser}: as the robot description wants it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
