"""What the installation hears of synthetic voices: words, utterances, and "emergency stop".

voices.py    who speaks, in which room, with which noise
sentences.py what is said: instructions that the model does not know, cries, what sounds like one, foreign
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.intervals import rate_at_most, wilson
from pilothouse.experiments.speech.sentences import (
    CRIES_SAID,
    MADE,
    NEAR,
    foreign,
    instructions,
    model,
)
from pilothouse.experiments.speech.voices import (
    CRYING,
    VOICES,
    Voice,
    cut,
    loud_from_until_s,
    silence,
    spoken,
    with_noise,
)
from resources.audio.blocks import Samples
from resources.audio.format import BLOCK_S, RATE_HZ
from resources.audio.reading import Block
from resources.speech.detector import VoiceDetector
from resources.speech.endpoint_child import Listening
from resources.speech.endpointing import Endpointer
from resources.speech.sphinx import SphinxRecogniser
from resources.speech.spotting import EmergencySpotter
from resources.types.speech import Phase

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

COMMANDS: Final = 300
FOREIGN_H: Final = 1.0
CRIES: Final = len(CRIES_SAID) * len(CRYING)
NOISES: Final = {"clean": None, "20db": 20.0, "10db": 10.0}
_BEFORE_S, _AFTER_S = 0.6, 1.0
_FADES_S: Final = 0.05  # of the end of a room's echo


def measure(progress: Progress, seed: int) -> Figures:
    """All figures."""
    return _Speech(COMMANDS, FOREIGN_H).measure(progress, seed)


class _Speech:
    """How much is said: instructions, hours of foreign speech, voices that cry; made: see `model`."""

    def __init__(
        self,
        commands: int,
        foreign_h: float,
        crying: Sequence[Voice] = CRYING,
        made: int = MADE,
    ) -> None:
        self._commands = commands
        self._foreign_h = foreign_h
        self._crying = crying
        self._made = made

    def measure(self, progress: Progress, seed: int) -> Figures:
        figures = self._instructions(progress, seed)
        return figures | self._cries(progress) | self._foreign(progress)

    def _instructions(self, progress: Progress, seed: int) -> Figures:
        said = instructions(self._commands, seed)
        with tempfile.TemporaryDirectory() as folder:
            began_s = time.perf_counter()
            language, sentences = model(Path(folder) / "instructions.arpa", without=said, made=self._made)
            model_s = time.perf_counter() - began_s
            recogniser = SphinxRecogniser(language)
            figures: Figures = {"model_sentences": sentences, "model_s": model_s, "instructions": len(said)}
            shares: list[float] = []
            for name, snr_db in NOISES.items():
                progress.begin(f"instructions, {name}", len(said))
                figures |= self._at(name, snr_db, said, recogniser, shares, progress)
        figures["recogniser_cpu_pct"] = 100.0 * float(np.mean(shares))
        return figures

    def _at(
        self,
        name: str,
        snr_db: float | None,
        said: Sequence[str],
        recogniser: SphinxRecogniser,
        shares: list[float],
        progress: Progress,
    ) -> Figures:
        exact = whole = wrong = words = 0
        for number, text in enumerate(said):
            voice = VOICES[number % len(VOICES)]
            sound = np.concatenate([silence(_BEFORE_S), spoken(text, voice), silence(_AFTER_S)])
            sound = with_noise(sound, snr_db, number)
            began_s = time.process_time()
            heard = recogniser.recognised(sound)
            shares.append((time.process_time() - began_s) * RATE_HZ / len(sound))
            found = heard.text if heard is not None else ""
            exact += found == text
            wrong += _distance(text.split(), found.split())
            words += len(text.split())
            whole += _is_whole(sound, *loud_from_until_s(spoken(text, voice)))
            progress.step()
        count = len(said)
        return {
            f"exact_pct_{name}_pocketsphinx": 100.0 * exact / count,
            f"exact_pct_{name}_pocketsphinx_low": 100.0 * wilson(exact, count)[0],
            f"words_wrong_pct_{name}_pocketsphinx": 100.0 * wrong / words,
            f"whole_pct_{name}": 100.0 * whole / count,
        }

    def _cries(self, progress: Progress) -> Figures:
        progress.begin("emergency stop", len(self._crying))
        found = cries = near = others = 0
        late_s: list[float] = []
        for voice in self._crying:
            for number, text in enumerate(CRIES_SAID):
                cry = spoken(text, voice)
                snr_db = 10.0 if number % 2 else None
                at_s = _heard_at_s(with_noise(np.concatenate([silence(1.0), cry, silence(1.5)]), snr_db))
                cries += 1
                found += at_s is not None
                if at_s is not None and text.endswith("emergency stop"):
                    late_s.append(at_s - 1.0 - loud_from_until_s(cry)[1])
            for text in NEAR:
                others += 1
                near += (
                    _heard_at_s(np.concatenate([silence(0.5), spoken(text, voice), silence(1.0)])) is not None
                )
            progress.step()
        return {
            "emergency_found_pct": 100.0 * found / cries,
            "emergency_found_pct_low": 100.0 * wilson(found, cries)[0],
            "emergency_late_ms_max": 1e3 * max(late_s) if late_s else None,
            "emergency_near_pct": 100.0 * near / others,
        }

    def _foreign(self, progress: Progress) -> Figures:
        progress.begin("foreign speech", max(1, round(60 * self._foreign_h)))
        spotter = EmergencySpotter(VoiceDetector())
        blocks = false = minutes = 0
        cpu_s = time.process_time()
        for text, voice in foreign(VOICES):
            for block in cut(spoken(text, voice), silence(0.7)):
                false += spotter.block(block)
                blocks += 1
            if blocks * BLOCK_S / 60.0 >= minutes + 1:
                minutes += 1
                progress.step()
            if blocks * BLOCK_S >= 3600.0 * self._foreign_h:
                break
        hours = blocks * BLOCK_S / 3600.0
        return {
            "emergency_false_per_h": false / hours,
            "emergency_false_per_h_high": rate_at_most(false, hours),
            "emergency_heard_h": hours,
            "ear_cpu_pct": 100.0 * (time.process_time() - cpu_s) / (3600.0 * hours),
        }


def _heard_at_s(sound: Samples) -> float | None:
    """Where "emergency stop" was heard, if it was [s]."""
    spotter = EmergencySpotter(VoiceDetector())
    return next((n * BLOCK_S for n, block in enumerate(cut(sound), start=1) if spotter.block(block)), None)


def _is_whole(sound: Samples, from_s: float, until_s: float) -> bool:
    """Whether one utterance was marked, and nothing of it is missing. from_s, until_s: where it is loud."""
    listening = Listening(Endpointer(), VoiceDetector())
    marks = [
        mark
        for n, samples in enumerate(cut(sound), start=1)
        for mark in listening.block(Block(n * BLOCK_S, samples))
    ]
    ended = [mark for mark in marks if mark.phase is Phase.ENDED]
    if len(marks) != 2 or len(ended) != 1:
        return False
    (it,) = ended
    return it.began_s <= _BEFORE_S + from_s and it.until_s >= _BEFORE_S + until_s - _FADES_S


def _distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Words to put in, leave out or change (Levenshtein)."""
    row = list(range(len(other) + 1))
    for number, word in enumerate(one, start=1):
        before, row = row, [number]
        for at, each in enumerate(other, start=1):
            row.append(min(before[at] + 1, row[-1] + 1, before[at - 1] + (word != each)))
    return row[-1]


def draw(drawing: Picture, figures: Figures) -> None:
    """How many instructions are heard word by word, by noise, beside what they have to be."""
    axes = drawing.subplots()
    names = list(NOISES)
    shares = [float(figures[f"exact_pct_{name}_pocketsphinx"] or 0.0) for name in names]
    lows = [float(figures[f"exact_pct_{name}_pocketsphinx_low"] or 0.0) for name in names]
    errors = [[share - low for share, low in zip(shares, lows, strict=True)], [0.0] * len(names)]
    axes.bar(names, shares, yerr=errors, color="tab:blue", label="pocketsphinx")
    axes.plot(names, [95, 88, 60], "k_", markersize=40, label="goal")
    axes.set(ylabel="heard word by word [%]", ylim=(0, 100), title="synthetic voices, the whole language")
    axes.legend()
