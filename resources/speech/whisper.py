"""A free recogniser: any English words, by Whisper. It knows no grammar, so it tells what is not for us.

What was heard becomes words as they are spoken ("5 cm": "five centimeters") by a function that is handed in.
Whisper expects half a minute of sound; an utterance is shorter, so half of it is computed, which takes a
quarter of the time and hears no worse. Where nobody speaks it makes something up: that is told by its own
doubt, and by text that is a piece of its prompt. What it says again and again was said once (`repeated`).
It can also be held to the words of a language: it then tells what it may have been in these.
Source: A. Radford et al., "Robust speech recognition via large-scale weak supervision" (2022), section 4.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from resources.audio.blocks import Samples, with_floor
from resources.audio.denoising import without_noise
from resources.audio.format import BLOCK, BLOCK_S, RATE_HZ
from resources.speech.recognising import ALONE, Recognised
from resources.speech.repeated import said_once
from resources.speech.whisper_model import loaded
from resources.types.speech import TimedWord

InWords = Callable[[str], Sequence[str]]
"""A text as Whisper writes it, in the words as they are spoken: small letters, no marks, numbers as words."""

NO_SPEECH: Final = 0.6
"""From this probability on nobody speaks. Measured: noise .84 and more, voices at 10 dB .06 at most.
Whisper's own rule asks for a doubtful text besides; but of noise it makes "right arm, right arm", and is sure
of it."""

_BEAM: Final = 5
_BEAM_WITHIN: Final = 8
_FRAMES_HZ: Final = 100
_SHORT, _LONG = 1500, 3000  # frames that are computed
_MARGIN: Final = 50  # frames of silence that the end of an utterance needs
_MOST_TOKENS: Final = 80
_MOST_PROMPT: Final = 150  # tokens
_NO_REPEAT: Final = 10  # tokens: it falls into saying the same again and again
_IN_A_BATCH: Final = 5  # texts whose likelihood is computed: twenty at once take twice as long
_LEAST: Final = 1e-9
_TIME_STEP_S: Final = 0.02
_LEAST_LEVEL: Final = 60.0  # steps of the 16 bits: no block of a room in which nobody speaks is louder
_OF_PROMPT: Final = 4  # so many words in a row of the prompt's are its own


class WhisperRecogniser:
    """Recognises one utterance at a time, in about a third of a second on one core.

    Args:
        in_words: see `InWords`.
        prompt: known names and what else is often said here; what comes first matters most.
        folder: the user's own model; None takes the package's (`whisper_model`).
        at_once: batches of readings whose likelihood is computed beside each other, each on one core.

    Raises PluginUnavailable if a package is missing, SoundError if the model cannot be used.
    """

    def __init__(
        self,
        in_words: InWords,
        prompt: Sequence[str] = (),
        folder: Path | None = None,
        at_once: int = 2,
    ) -> None:
        self._model = loaded(folder, at_once)
        self._beside = ThreadPoolExecutor(at_once, "likelihoods")
        self._in_words = in_words
        tokenizer = self._model.hf_tokenizer
        self._end = tokenizer.token_to_id("<|endoftext|>")
        self._start = [tokenizer.token_to_id("<|startoftranscript|>")]
        if self._model.model.is_multilingual:
            self._start += [tokenizer.token_to_id(token) for token in ("<|en|>", "<|transcribe|>")]
        self._start.append(tokenizer.token_to_id("<|notimestamps|>"))
        self._last: tuple[Samples, Any, int] | None = None
        self._foreign: list[int] = []
        self._tokens_of: dict[str, frozenset[int]] = {}
        self.expects(prompt)

    def knows(self, words: Collection[str]) -> None:
        """From now on these are the words of our language (`within`)."""
        tokenizer = self._model.hf_tokenizer
        new = [word for word in words if word not in self._tokens_of]
        ways = [f" {way}" for word in new for way in (word, word.capitalize())]
        every = tokenizer.encode_batch(ways, add_special_tokens=False)
        self._tokens_of |= {
            word: frozenset((*small.ids, *capital.ids))
            for word, small, capital in zip(new, every[::2], every[1::2], strict=True)
        }
        ours = {self._end}.union(*(self._tokens_of[word] for word in words))
        self._foreign = [each for each in range(tokenizer.get_vocab_size()) if each not in ours]

    def expects(self, prompt: Sequence[str]) -> None:
        """From now on this is often said here."""
        tokenizer = self._model.hf_tokenizer
        said = tokenizer.encode(" " + ", ".join(prompt), add_special_tokens=False).ids[:_MOST_PROMPT]
        self._prompt = [tokenizer.token_to_id("<|startofprev|>"), *said] if prompt else []
        self._prompt_words = f" {' '.join(self._in_words(', '.join(prompt)))} "

    def recognised(self, sound: Samples) -> Recognised | None:
        """See `Recogniser`. What is longer than half a minute is no utterance."""
        loud_s = _loud_from_until_s(sound)
        if len(sound) > (_LONG - _MARGIN) / _FRAMES_HZ * RATE_HZ or loud_s is None:
            return None
        encoded, frames = self._encoded(sound)
        found = self._written(encoded, _BEAM, [-1])
        if found.no_speech_prob > NO_SPEECH:
            return None
        # As it was written, too: who speaks very fast has said it twice.
        written = [tuple(self._in_words(self._text(tokens))) for tokens in found.sequences_ids]
        every = [each for words in written for each in dict.fromkeys((self._once(words, loud_s), words))]
        if not every[0] or self._is_of_prompt(every[0]):
            return None
        words = self._timed(encoded, frames, found.sequences_ids[0], every[0], loud_s)
        others = dict.fromkeys(" ".join(each) for each in every[1:] if each and each != every[0])
        return Recognised(words, tuple(others), ALONE)

    def within(self, sound: Samples) -> tuple[str, ...]:
        """What it may be in words of our language only (`knows`), the likeliest first."""
        loud_s = _loud_from_until_s(sound)
        if loud_s is None or not self._foreign:
            return ()
        found = self._written(self._encoded(sound)[0], _BEAM_WITHIN, self._foreign)
        written = (tuple(self._in_words(self._text(tokens))) for tokens in found.sequences_ids)
        every = (" ".join(self._once(words, loud_s)) for words in written)
        return tuple(dict.fromkeys(text for text in every if text))

    def _written(self, encoded: Any, beam: int, never: list[int]) -> Any:
        """What the decoder writes, and how likely it is that nobody speaks. never: tokens it must not use."""
        prompt = [*self._prompt, *self._start]
        return self._model.model.generate(
            encoded,
            [prompt],
            beam_size=beam,
            num_hypotheses=beam,
            max_length=len(prompt) + _MOST_TOKENS,
            return_no_speech_prob=True,
            no_repeat_ngram_size=_NO_REPEAT,
            suppress_tokens=never,
        )[0]

    def _once(self, words: tuple[str, ...], loud_s: tuple[float, float]) -> tuple[str, ...]:
        return said_once(words, loud_s[1] - loud_s[0])

    def likelihoods(self, sound: Samples, texts: Sequence[str]) -> list[float]:
        """How likely each text was said: the logarithm of its words' probability.

        That nothing comes after it does not count: a piece of what was said is likely, too.
        """
        encoded, frames = self._encoded(sound)
        every = self._model.hf_tokenizer.encode_batch(
            [f" {text}" for text in texts], add_special_tokens=False
        )
        tokens = [each.ids[:_MOST_TOKENS] for each in every]

        def weighed(some: Sequence[Sequence[int]]) -> list[float]:
            aligned = self._model.model.align(
                _times(encoded, len(some)), self._start, some, [frames] * len(some)
            )
            return [sum(math.log(max(p, _LEAST)) for p in each.text_token_probs) for each in aligned]

        batches = [tokens[at : at + _IN_A_BATCH] for at in range(0, len(tokens), _IN_A_BATCH)]
        return list(chain.from_iterable(self._beside.map(weighed, batches)))

    def begins(self) -> None:
        """See `Recogniser`: it can tell only at the end."""

    def goes_on(self, sound: Samples) -> str:
        """See `Recogniser`."""
        return ""

    def forgets(self) -> None:
        """See `Recogniser`."""

    def _encoded(self, sound: Samples) -> tuple[Any, int]:
        """What the encoder makes of it, and how many of its frames are sound; known of the last sound."""
        if self._last is not None and self._last[0] is sound:
            return self._last[1:]
        encoded, frames = self._encode(sound)
        self._last = sound, encoded, frames
        return encoded, frames

    def _encode(self, sound: Samples) -> tuple[Any, int]:
        from ctranslate2 import StorageView

        quiet = with_floor(without_noise(sound), np.random.default_rng(0)).astype(np.float32) / 32_768.0
        features: NDArray[np.float32] = self._model.feature_extractor(quiet)
        frames = features.shape[1]
        length = _SHORT if frames + _MARGIN <= _SHORT else _LONG
        features = np.pad(features[:, :length], ((0, 0), (0, max(0, length - frames))))
        view = StorageView.from_array(np.ascontiguousarray(features[None], np.float32))
        return self._model.model.encode(view), min(frames, length)

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._model.hf_tokenizer.decode([each for each in tokens if each < self._end]))

    def _timed(
        self,
        encoded: Any,
        frames: int,
        tokens: Sequence[int],
        words: Sequence[str],
        loud_s: tuple[float, float],
    ) -> tuple[TimedWord, ...]:
        """When each word was said, where it is loud: those that Whisper wrote as one share its time."""
        plain = [each for each in tokens if each < self._end]
        aligned = self._model.model.align(encoded, self._start, [plain], frames)[0].alignments
        began: dict[int, int] = {}
        for token, frame in aligned:
            began.setdefault(token, frame)
        end_s = min((max((frame for _, frame in aligned), default=0) + 1) * _TIME_STEP_S, loud_s[1])
        chunks: list[tuple[float, tuple[str, ...]]] = []
        for group in self._groups(plain):
            at_s = max(began.get(group[0], 0) * _TIME_STEP_S, loud_s[0])
            chunks.append((at_s, tuple(self._in_words(self._text([plain[n] for n in group])))))
        if tuple(word for _, each in chunks for word in each) != tuple(words):
            chunks = [(chunks[0][0], tuple(words))]  # a number of several groups: all share the whole time
        chunks = [each for each in chunks if each[1]]
        found: list[TimedWord] = []
        for number, (at_s, each) in enumerate(chunks):
            until_s = chunks[number + 1][0] if number + 1 < len(chunks) else end_s
            step_s = max(until_s - at_s, _TIME_STEP_S) / len(each)
            found += [
                TimedWord(word, at_s + n * step_s, at_s + (n + 1) * step_s) for n, word in enumerate(each)
            ]
        return tuple(found)

    def _groups(self, tokens: Sequence[int]) -> list[list[int]]:
        """The tokens' places, word by word: a word begins with a space."""
        groups: list[list[int]] = []
        for place, token in enumerate(tokens):
            if not groups or self._text([token]).startswith(" "):
                groups.append([])
            groups[-1].append(place)
        return groups

    def _is_of_prompt(self, words: Sequence[str]) -> bool:
        """Whether it is a piece of the prompt: names one after the other, which nobody says."""
        return len(words) >= _OF_PROMPT and f" {' '.join(words)} " in self._prompt_words


def _times(encoded: Any, count: int) -> Any:
    """The same several times, as one batch."""
    from ctranslate2 import StorageView

    return StorageView.from_array(np.ascontiguousarray(np.repeat(np.asarray(encoded), count, axis=0)))


def _loud_from_until_s(sound: Samples) -> tuple[float, float] | None:
    """Where it is louder than a room in which nobody speaks [s]; None if it is nowhere."""
    blocks = sound[: len(sound) // BLOCK * BLOCK].reshape(-1, BLOCK).astype(np.float64)
    loud = np.flatnonzero(np.sqrt(np.mean(np.square(blocks), axis=1)) >= _LEAST_LEVEL)
    return (float(loud[0]) * BLOCK_S, float(loud[-1] + 1) * BLOCK_S) if len(loud) else None
