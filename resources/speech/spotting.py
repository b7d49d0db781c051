"""Hearing "emergency stop" in whatever is said, without knowing anything else: keyphrase spotting.

Its own search with its own models, so that nothing that happens to the recogniser touches it. Only what a
voice detector takes for a voice is searched: noise has no phrases in it, and costs nothing then. It is
searched as it comes, and once more as a whole as soon as there is a pause: then it is known how loud it was.
Source: pocketsphinx, keyphrase search (phone loop against the phrase).
"""

from __future__ import annotations

import tempfile
from collections import deque
from typing import Final

import numpy as np
from pocketsphinx import Config, Decoder, get_model_path

from resources.audio.blocks import Samples, with_floor
from resources.audio.format import BLOCK_S, RATE_HZ
from resources.speech.detector import VoiceDetector

EMERGENCY: Final = (
    "IH M ER JH AH N S IY",
    "EH M ER JH AH N S IY",
    "IY M EH R JH AH N S IY",
    "IH M AH JH AH N S IY",
)
STOP: Final = ("S T AA P", "S T AO P")
"""How people say it, in the phones of the CMU dictionary: in America and Britain, in a hurry."""

THRESHOLD: Final = 1e-20
"""How likely the phrase must be, compared with all else that it may be."""

OTHER_SOUNDS: Final = 1e-8
"""How likely all else is taken to be, phone by phone. With pocketsphinx's own .1 it nearly always wins:
measured with eight voices, clean and at 10 dB, 6 of 48 are heard then, 48 of 48 like this; with 1e-9 three
sentences of 40 that have "emergency" and "stop" apart in them are taken for it, with this none."""

VOICE_AT: Final = 0.15
"""From this probability of a voice on, blocks are searched: far below what counts as an utterance."""

_SEARCH: Final = "emergency"
_SILENCE: Final = np.zeros(round(0.2 * RATE_HZ), np.int16)
_BEFORE_BLOCKS: Final = round(0.4 / BLOCK_S)
_AFTER_BLOCKS: Final = round(0.2 / BLOCK_S)
_MOST_BLOCKS: Final = round(20.0 / BLOCK_S)  # then the search begins anew, over what came last
_OVERLAP_BLOCKS: Final = round(1.5 / BLOCK_S)
_WHOLE_BLOCKS: Final = round(3.0 / BLOCK_S)  # what is searched as a whole: the phrase, and some before it


class EmergencySpotter:
    """Takes each block in order; true with the block at which the phrase has been heard."""

    def __init__(self, detector: VoiceDetector, threshold: float = THRESHOLD) -> None:
        self._detector = detector
        self._decoder = _decoder(threshold)
        self._random = np.random.default_rng(0)
        self._recent: deque[Samples] = deque(maxlen=_WHOLE_BLOCKS)
        self._is_searching = False
        self._searched = 0  # blocks of this search
        self._quiet = 0

    def block(self, samples: Samples) -> bool:
        """One more block, (512,) int16."""
        is_voice = self._detector.probability(samples) >= VOICE_AT
        self._quiet = 0 if is_voice else self._quiet + 1
        found = False
        if is_voice and not self._is_searching:
            self._begin(list(self._recent)[-_BEFORE_BLOCKS:])
        if self._is_searching:
            found = self._search(samples)
        self._recent.append(samples)
        if found:
            self._end()
        elif self._is_searching and self._quiet >= _AFTER_BLOCKS:
            found = self._end() or self._search_whole()
        elif self._is_searching and self._searched >= _MOST_BLOCKS:
            found = self._end()
            if not found:
                self._begin(list(self._recent)[-_OVERLAP_BLOCKS:])
        if found:
            self._recent.clear()  # one cry is one stop
        return found

    def forget(self) -> bool:
        """What comes next has nothing to do with what was before; whether that was the phrase.

        What was not decided yet is decided now: where there is doubt, everything stops.
        """
        found = self._is_searching and (self._end() or self._search_whole())
        self._detector.forget()
        self._recent.clear()
        return found

    @property
    def is_searching(self) -> bool:
        """Whether somebody speaks, and it is not decided what."""
        return self._is_searching

    def _begin(self, before: list[Samples]) -> None:
        self._decoder.start_utt()
        self._is_searching, self._searched = True, 0
        for samples in before:
            self._search(samples)

    def _search(self, samples: Samples) -> bool:
        self._searched += 1
        self._decoder.process_raw(with_floor(samples, self._random).tobytes(), False, False)
        return self._decoder.hyp() is not None

    def _search_whole(self) -> bool:
        self._decoder.start_utt()
        # What ends in the middle of its last sound is no word: some silence after it.
        sound = with_floor(np.concatenate([*self._recent, _SILENCE]), self._random)
        self._decoder.process_raw(sound.tobytes(), False, True)
        self._decoder.end_utt()
        return self._decoder.hyp() is not None

    def _end(self) -> bool:
        """The search is over; whether what it had not decided yet was the phrase."""
        self._decoder.end_utt()
        self._is_searching, self._searched = False, 0
        return self._decoder.hyp() is not None


def _decoder(threshold: float) -> Decoder:
    """A decoder that looks for the phrase in every pronunciation, and for nothing else."""
    model, dictionary = get_model_path("en-us/en-us"), get_model_path("en-us/cmudict-en-us.dict")
    decoder = Decoder(
        Config(hmm=model, dict=dictionary, lm=None, kws_plp=OTHER_SOUNDS, samprate=RATE_HZ, loglevel="FATAL")
    )
    # Words of their own: a keyphrase is looked for in the first pronunciation of its words only.
    firsts = [(f"emergency_{number}", phones) for number, phones in enumerate(EMERGENCY)]
    seconds = [(f"stop_{number}", phones) for number, phones in enumerate(STOP)]
    for word, phones in (*firsts, *seconds):
        decoder.add_word(word, phones, update=word == seconds[-1][0])
    lines = [f"{first} {second} /{threshold}/" for first, _ in firsts for second, _ in seconds]
    with tempfile.NamedTemporaryFile("w", suffix=".kws") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        decoder.add_kws(_SEARCH, file.name)
    decoder.activate_search(_SEARCH)
    return decoder
