"""Hearing the phrase by which the robot is addressed ("hey pilot house"), at the beginning of an utterance.

Its own search, which knows these words only: the recogniser's language needs them not, and gets what comes
after them. In the middle of an utterance they address nobody: what was said before them might be "do not".
Source: pocketsphinx, keyphrase search, as in `spotting.py`.
"""

from __future__ import annotations

import math
import tempfile
from collections import deque
from pathlib import Path
from typing import Final

import numpy as np
from pocketsphinx import Config, Decoder, get_model_path

from framework.errors import SoundError
from resources.audio.blocks import Samples, level_dbfs, with_floor
from resources.audio.format import BLOCK, BLOCK_S, RATE_HZ
from resources.speech.pronunciation import pronounced
from resources.speech.spotting import OTHER_SOUNDS

THRESHOLD: Final = 1e-7
"""How likely a phrase of seven sounds must be, compared with all else that it may be, and …"""

A_SOUND: Final = 1e-7
"""… so much less for each sound more: long phrases are said less exactly, and are seldom heard in others."""

LEAST: Final = 1e-40

BEGINS_WITHIN_S: Final = 0.63
"""It begins so soon after the utterance, which is cut out .4 s before the voice [s]. Measured with six voices
at 20 dB: it is found at .39 to .60 s, and at .66 to .96 s if "don't", "no" or "stop" comes before it."""

LOOKS_S: Final = (1.2, 1.6, 2.0, 2.6)
"""While somebody speaks it is looked for when so much of it is there [s]."""

LEAST_PHONES: Final = 6
"""A shorter phrase is heard in everything that people say. Its first word hardly tells: "the robot" is taken
for "hey robot", so what people say of the robot is no good phrase."""

_SEARCH: Final = "wake"
_FRAME_S: Final = 0.01
_SILENCE: Final = np.zeros(round(0.2 * RATE_HZ), np.int16)
_NOTHING: Final = np.zeros(0, np.int16)
_FADES_S: Final = 0.15  # its last sound may go on for so long
_SOFTER_DB: Final = 15.0
_LEAST_SAID_S: Final = 0.16


class WakePhrase:
    """Looks for the phrase in one utterance at a time, as it comes (`begins`, `goes_on`) or as a whole.

    Raises SoundError for a phrase that cannot be listened for.
    """

    def __init__(self, phrase: str) -> None:
        self._decoder = _decoder(phones_of_phrase(phrase))
        self._random = np.random.default_rng(0)
        self._looks: deque[float] = deque()
        self._begun: Samples = _NOTHING

    def begins(self) -> None:
        """Another utterance begins."""
        self.forgets()
        self._looks.extend(LOOKS_S)

    def goes_on(self, sound: Samples) -> float | None:
        """More of it, (n,) int16. Where the phrase ended in it, from the utterance's beginning [s].

        It is looked for a few times only, and each time in all that there is: a search that goes on as the
        sound comes does not know yet how loud that is, and misses what is said first.
        """
        if not self._looks:
            return None
        self._begun = np.concatenate([self._begun, sound])
        length_s = len(self._begun) / RATE_HZ
        if length_s < self._looks[0]:
            return None
        while self._looks and length_s >= self._looks[0]:
            self._looks.popleft()
        found = self._ends_in(self._begun)
        is_over = found is not None and length_s - found >= _FADES_S
        return found if is_over or not self._looks else None  # else its last word goes on, perhaps

    def forgets(self) -> None:
        """It is over; idempotent."""
        self._looks.clear()
        self._begun = _NOTHING

    def ends_in(self, sound: Samples) -> float | None:
        """Where the phrase ends in a whole utterance, (n,) int16 [s]; None if that does not begin with it."""
        self.forgets()
        return self._ends_in(sound)

    def _ends_in(self, sound: Samples) -> float | None:
        self._decoder.start_utt()
        whole = with_floor(np.concatenate([sound, _SILENCE]), self._random)
        self._decoder.process_raw(whole.tobytes(), False, True)
        self._decoder.end_utt()
        return self._found()

    def _found(self) -> float | None:
        if self._decoder.hyp() is None:
            return None
        for found in self._decoder.seg():
            if found.start_frame * _FRAME_S <= BEGINS_WITHIN_S:
                return float(found.end_frame) * _FRAME_S
        return None


def is_something_said(sound: Samples, until_s: float) -> bool:
    """Whether anything follows in an utterance, (n,) int16, of which the phrase was all until then [s]."""
    until_s += _FADES_S
    at = min(round(until_s * RATE_HZ), len(sound))
    loud = max(map(level_dbfs, _blocks(sound[:at])), default=-math.inf) - _SOFTER_DB
    return sum(level_dbfs(each) > loud for each in _blocks(sound[at:])) * BLOCK_S >= _LEAST_SAID_S


def _blocks(sound: Samples) -> list[Samples]:
    return list(sound[: len(sound) // BLOCK * BLOCK].reshape(-1, BLOCK))


def phones_of_phrase(phrase: str) -> list[tuple[str, ...]]:
    """How each of its words may be pronounced, in phones of the CMU dictionary.

    Raises SoundError for a phrase that cannot be listened for.
    """
    words = phrase.lower().split()
    said = _in_dictionary(words)
    said |= {
        word: (phones,) for word, phones in pronounced([each for each in words if each not in said]).items()
    }
    unknown = ", ".join(repr(word) for word in words if word not in said)
    if unknown:
        raise SoundError(
            f"nobody knows how to say {unknown} of the wake phrase {phrase!r}: "
            "take words of a dictionary, or install espeak-ng"
        )
    if sum(len(said[word][0].split()) for word in words) < LEAST_PHONES:
        raise SoundError(
            f"the wake phrase {phrase!r} is too short, and would be heard in whatever people say: "
            f'{LEAST_PHONES} sounds are the least, "hey pilot house" has ten'
        )
    return [said[word] for word in words]


def _in_dictionary(words: list[str]) -> dict[str, tuple[str, ...]]:
    """Of those that are in it, all pronunciations: "robot", "robot(2)"."""
    found: dict[str, tuple[str, ...]] = {}
    with Path(get_model_path("en-us/cmudict-en-us.dict")).open(encoding="utf-8") as lines:
        for line in lines:
            word, _, phones = line.strip().partition(" ")
            base = word.partition("(")[0]
            if base in words:
                found[base] = (*found.get(base, ()), phones.strip())
    return found


def threshold(phones: int) -> float:
    """How likely a phrase of so many sounds must be."""
    return max(THRESHOLD * A_SOUND ** max(phones - 7, 0), LEAST)


def _decoder(words: list[tuple[str, ...]]) -> Decoder:
    """A decoder that looks for these words, each in every pronunciation, and for nothing else."""
    model, dictionary = get_model_path("en-us/en-us"), get_model_path("en-us/cmudict-en-us.dict")
    decoder = Decoder(
        Config(hmm=model, dict=dictionary, lm=None, kws_plp=OTHER_SOUNDS, samprate=RATE_HZ, loglevel="FATAL")
    )
    # Words of their own: a keyphrase is looked for in the first pronunciation of its words only.
    ways = [""]
    new: list[tuple[str, str]] = []
    for at, pronunciations in enumerate(words):
        named = [(f"wake_{at}_{number}", phones) for number, phones in enumerate(pronunciations)]
        new += named
        ways = [f"{before} {name}".strip() for before in ways for name, _ in named]
    for word, phones in new:
        decoder.add_word(word, phones, update=word == new[-1][0])
    with tempfile.NamedTemporaryFile("w", suffix=".kws") as file:
        likely = threshold(sum(len(word[0].split()) for word in words))
        file.write("".join(f"{way} /{likely}/\n" for way in ways))
        file.flush()
        decoder.add_kws(_SEARCH, file.name)
    decoder.activate_search(_SEARCH)
    return decoder
