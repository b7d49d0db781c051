"""A recogniser of this installation's words by Vosk, with a model that the user brings.

Models are large and come with no package: the folder of one is named in the robot description. It is asked
for the words that can be said here, in any order; what is none of them it writes as "[unk]".
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from framework.errors import PluginUnavailable, SoundError
from resources.audio.blocks import Samples
from resources.audio.format import RATE_HZ
from resources.speech.recognising import ALONE, Recognised
from resources.types.speech import TimedWord

if TYPE_CHECKING:
    from vosk import Model

INSTALLING: Final = "pip install 'pilothouse[vosk]'"
WANTED: Final = (
    "a folder with a Vosk model of English is wanted (with am/ and conf/ in it, as it comes out of its "
    "archive): name it in the robot description, speech: {recogniser: vosk, vosk_model: /folder}"
)
NO_WORD: Final = "[unk]"

_COMMON: Final = ("stop", "the", "left", "move", "yes")
"""A model that knows none of them is none of English."""

_MOST_WAYS: Final = 5


class VoskRecogniser:
    """Recognises one utterance at a time.

    Args:
        folder: the model's.
        words: those that can be said here; others are not heard.

    Raises PluginUnavailable if the package is missing, SoundError if the model cannot be used.
    """

    def __init__(self, folder: Path | None, words: Iterable[str]) -> None:
        self._model = loaded(folder)
        self._whole: Any
        self._quick: Any
        self.expects(words)

    def expects(self, words: Iterable[str]) -> None:
        """From now on these words can be said; those that the model does not know are left out."""
        from vosk import KaldiRecognizer

        known = sorted({word for word in words if self._model.vosk_model_find_word(word) >= 0})
        if not known:
            raise SoundError(f"the Vosk model knows none of the words that can be said here; {WANTED}")
        listed = json.dumps([*known, NO_WORD])
        self._whole = KaldiRecognizer(self._model, float(RATE_HZ), listed)
        self._whole.SetMaxAlternatives(_MOST_WAYS)
        self._whole.SetWords(True)
        self._quick = KaldiRecognizer(self._model, float(RATE_HZ), listed)

    def recognised(self, sound: Samples) -> Recognised | None:
        """See `Recogniser`."""
        self._whole.Reset()
        self._whole.AcceptWaveform(sound.tobytes())
        return read_result(self._whole.FinalResult())

    def begins(self) -> None:
        """See `Recogniser`."""
        self._quick.Reset()

    def goes_on(self, sound: Samples) -> str:
        """See `Recogniser`."""
        self._quick.AcceptWaveform(sound.tobytes())
        return str(json.loads(self._quick.PartialResult()).get("partial", ""))

    def forgets(self) -> None:
        """See `Recogniser`."""
        self._quick.Reset()


def loaded(folder: Path | None) -> Model:
    """The model of a folder. Takes a second or more.

    Raises PluginUnavailable if the package is missing, SoundError if that is no model of English.
    """
    try:
        from vosk import Model, SetLogLevel
    except ImportError as error:
        raise PluginUnavailable("vosk", f"{error}: {INSTALLING}") from error
    if folder is None:
        raise SoundError(f"no Vosk model is named; {WANTED}")
    if not folder.is_dir():
        raise SoundError(f"there is no folder {folder}; {WANTED}")
    SetLogLevel(-1)
    try:
        model = Model(str(folder))  # never without a folder: it would look on the network
    except Exception as error:  # the package raises plain ones
        raise SoundError(
            f"the folder {folder} has no Vosk model that can be used: {error}; {WANTED}"
        ) from error
    if all(model.vosk_model_find_word(word) < 0 for word in _COMMON):
        raise SoundError(f"the Vosk model in {folder} is of another language: it does not know "
                         f"{', '.join(_COMMON)}; {WANTED}")  # fmt: skip
    return model


def read_result(result: str) -> Recognised | None:
    """What Vosk answers, as JSON: the likeliest way with the times of its words, and others."""
    ways: list[dict[str, Any]] = json.loads(result).get("alternatives", [])
    texts = list(dict.fromkeys(way.get("text", "").strip() for way in ways))
    if not texts or not texts[0]:
        return None
    words = tuple(
        TimedWord(each["word"], float(each["start"]), float(each["end"]))
        for each in ways[0].get("result", [])
    )
    return Recognised(words, tuple(text for text in texts[1:] if text), ALONE)
