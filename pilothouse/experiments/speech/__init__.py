"""What the installation hears of synthetic voices: words, utterances, and "emergency stop".

voices.py      who speaks, in which room, with which noise
sentences.py   what is said: instructions that the model does not know, cries, what sounds like one, foreign
recognisers.py what each recogniser makes of it alone, and what both make of it
meaning.py     whether that means what was said
renaming.py    how soon a name that has become known is heard
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from framework.loop_lag import quantile
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.intervals import rate_at_most, wilson
from pilothouse.experiments.speech.recognisers import BOTH, SPHINX, WHISPER, Recognisers, Taken
from pilothouse.experiments.speech.renaming import NEW, known_within_s
from pilothouse.experiments.speech.sentences import (
    CRIES_SAID,
    MADE,
    NEAR,
    Instructions,
    foreign,
    instructions,
    model,
    our_lab_once,
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
from resources.speech.spotting import EmergencySpotter
from resources.types.speech import Phase, SpeechMark

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

COMMANDS: Final = 300
PEOPLE: Final = 100
"""Besides: instructions that people's sentences were put into, with words among them that no grammar has."""
FOREIGN_SAID: Final = 200
FOREIGN_FITTED: Final = 50
"""So many of the foreign utterances were looked at when the thresholds were chosen; they are not counted."""
FOREIGN_H: Final = 1.0
CRIES: Final = len(CRIES_SAID) * len(CRYING)
NOISES: Final = {"clean": None, "20db": 20.0, "10db": 10.0}
_BEFORE_S, _AFTER_S = 0.6, 1.0
_FADES_S: Final = 0.05  # of the end of a room's echo


class Heard(msgspec.Struct, frozen=True):
    """What was said, and what one way took it for. sound_s: how long the sound was."""

    said: str
    taken: Taken
    sound_s: float

    def is_meant(self, recognisers: Recognisers) -> bool:
        """Whether it was taken for what it means."""
        meanings = recognisers.meanings
        return meanings.are_same(meanings.of(self.said), self.taken.meaning)


def around(sound: Samples) -> Samples:
    """It, with silence before and after it."""
    return np.concatenate([silence(_BEFORE_S), sound, silence(_AFTER_S)])


def measure(progress: Progress, seed: int) -> Figures:
    """All figures."""
    return _Speech(COMMANDS, FOREIGN_H).measure(progress, seed)


class _Speech:
    """How much is said: instructions, foreign utterances and hours, voices that cry; made: see `model`."""

    def __init__(
        self,
        commands: int,
        foreign_h: float,
        crying: Sequence[Voice] = CRYING,
        made: int = MADE,
        foreign_said: int = FOREIGN_SAID,
        people: int = PEOPLE,
    ) -> None:
        self._commands = commands
        self._people = people
        self._foreign_h = foreign_h
        self._crying = crying
        self._made = made
        self._foreign_said = foreign_said

    def measure(self, progress: Progress, seed: int) -> Figures:
        figures = self._instructions(progress, seed)
        return figures | self._cries(progress) | self._foreign(progress)

    def _instructions(self, progress: Progress, seed: int) -> Figures:
        drawn = instructions(self._commands, self._people, seed)
        said = (*drawn.drawn, *drawn.people)
        with tempfile.TemporaryDirectory() as folder:
            began_s = time.perf_counter()
            language, sentences = model(
                Path(folder) / "instructions.arpa", without=drawn.people, made=self._made
            )
            figures: Figures = {"model_sentences": sentences, "model_s": time.perf_counter() - began_s}
            progress.begin("names that become known", len(NEW))
            known_s = known_within_s(our_lab_once(), language, Path(folder), progress.step)
            figures["known_ms_max"] = 1e3 * known_s
            with Recognisers(language) as recognisers:
                gc.freeze()  # as processes of recognisers begin
                figures |= {"is_whisper_installed": recognisers.is_whisper_there, "instructions": len(said)}
                return figures | self._recognised(drawn, recognisers, progress)

    def _recognised(self, drawn: Instructions, recognisers: Recognisers, progress: Progress) -> Figures:
        said = (*drawn.drawn, *drawn.people)
        figures: Figures = {}
        heard: dict[str, list[Heard]] = {}
        for name, snr_db in NOISES.items():
            progress.begin(f"instructions, {name}", len(said))
            at, whole = self._at(snr_db, said, recognisers, progress)
            figures |= {f"whole_pct_{name}": 100.0 * whole / len(said)}
            for way, each in at.items():
                commands, people = each[: len(drawn.drawn)], each[len(drawn.drawn) :]
                figures |= _words(commands, f"{name}_{way}", recognisers)
                figures |= {
                    f"people_{key}": of for key, of in _words(people, f"{name}_{way}", recognisers).items()
                }
                heard.setdefault(way, []).extend(each)
        for way, each in heard.items():
            figures |= _costs(each, way, recognisers)
        return figures | self._accepted(recognisers, progress)

    def _at(
        self, snr_db: float | None, said: Sequence[str], recognisers: Recognisers, progress: Progress
    ) -> tuple[dict[str, list[Heard]], int]:
        """What each way took of each instruction; how many utterances were marked whole."""
        found: dict[str, list[Heard]] = {}
        whole = 0
        for number, text in enumerate(said):
            voice = VOICES[number % len(VOICES)]
            sound = with_noise(around(spoken(text, voice)), snr_db, number)
            marks = marked(sound)
            whole += _is_whole(marks, *loud_from_until_s(spoken(text, voice)))
            cut_out = utterance(sound, marks)
            for way, taken in recognisers.taken(cut_out).items():
                found.setdefault(way, []).append(Heard(text, taken, len(cut_out) / RATE_HZ))
            progress.step()
        return found, whole

    def _accepted(self, recognisers: Recognisers, progress: Progress) -> Figures:
        """How much of foreign speech is taken for an instruction, asked about or not."""
        progress.begin("foreign utterances", self._foreign_said)
        accepted: Counter[str] = Counter()
        unasked: Counter[str] = Counter()
        others = islice(foreign(VOICES), FOREIGN_FITTED, FOREIGN_FITTED + self._foreign_said)
        for text, voice in others:
            sound = around(spoken(text, voice))
            for way, taken in recognisers.taken(utterance(sound, marked(sound))).items():
                accepted[way] += taken.meaning is not None
                unasked[way] += taken.is_unasked
            progress.step()
        count = self._foreign_said
        figures: Figures = {"foreign_said": count}
        for way in (SPHINX, WHISPER, BOTH) if recognisers.is_whisper_there else (SPHINX,):
            figures[f"foreign_accepted_pct_{way}"] = 100.0 * accepted[way] / count
            figures[f"foreign_accepted_pct_{way}_high"] = 100.0 * wilson(accepted[way], count)[1]
            figures[f"foreign_unasked_pct_{way}"] = 100.0 * unasked[way] / count
        return figures

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


def _words(heard: Sequence[Heard], name: str, recognisers: Recognisers) -> Figures:
    """Of the instructions of one noise: heard word by word, and meant the same."""
    count = len(heard)
    exact = sum(each.taken.text == each.said for each in heard)
    trees = sum(each.is_meant(recognisers) for each in heard)
    wrong = sum(_distance(each.said.split(), each.taken.text.split()) for each in heard)
    return {
        f"exact_pct_{name}": 100.0 * exact / count,
        f"exact_pct_{name}_low": 100.0 * wilson(exact, count)[0],
        f"tree_pct_{name}": 100.0 * trees / count,
        f"tree_pct_{name}_low": 100.0 * wilson(trees, count)[0],
        f"words_wrong_pct_{name}": 100.0 * wrong / sum(len(each.said.split()) for each in heard),
    }


def _costs(heard: Sequence[Heard], way: str, recognisers: Recognisers) -> Figures:
    """Of the instructions of all noises: carried out unasked and not said, and how long it takes."""
    count = len(heard)
    wrong = sum(each.taken.is_unasked and not each.is_meant(recognisers) for each in heard)
    wall_ms = sorted(1e3 * each.taken.wall_s for each in heard)
    return {
        f"wrong_executed_pct_{way}": 100.0 * wrong / count,
        f"wrong_executed_pct_{way}_high": 100.0 * wilson(wrong, count)[1],
        f"unasked_pct_{way}": 100.0 * sum(each.taken.is_unasked for each in heard) / count,
        f"rejected_pct_{way}": 100.0 * sum(each.taken.meaning is None for each in heard) / count,
        f"end_to_tree_ms_p50_{way}": quantile(wall_ms, 0.5),
        f"end_to_tree_ms_p95_{way}": quantile(wall_ms, 0.95),
        f"cpu_pct_{way}": _cpu_pct(heard),
    }


def _cpu_pct(heard: Sequence[Heard]) -> float | None:
    """Of one core, while somebody speaks."""
    shares = [each.taken.cpu_s / each.sound_s for each in heard if each.taken.cpu_s is not None]
    return 100.0 * float(np.mean(shares)) if shares else None


def _heard_at_s(sound: Samples) -> float | None:
    """Where "emergency stop" was heard, if it was [s]."""
    spotter = EmergencySpotter(VoiceDetector())
    return next((n * BLOCK_S for n, block in enumerate(cut(sound), start=1) if spotter.block(block)), None)


def marked(sound: Samples) -> list[SpeechMark]:
    """What the end-of-speech detector marks of it, from its first sample on."""
    listening = Listening(Endpointer(), VoiceDetector())
    return [
        mark
        for n, samples in enumerate(cut(sound), start=1)
        for mark in listening.block(Block(n * BLOCK_S, samples))
    ]


def utterance(sound: Samples, marks: Sequence[SpeechMark]) -> Samples:
    """What the recogniser is given: the first utterance that ended; nothing if none did."""
    ended = next((mark for mark in marks if mark.phase is Phase.ENDED), None)
    if ended is None:
        return sound[:0]
    return sound[max(0, round(ended.began_s * RATE_HZ)) : round(ended.until_s * RATE_HZ)]


def _is_whole(marks: Sequence[SpeechMark], from_s: float, until_s: float) -> bool:
    """Whether one utterance was marked, and nothing of it is missing. from_s, until_s: where it is loud."""
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
    """How many instructions are heard word by word, by noise and recogniser, beside what they have to be."""
    axes = drawing.subplots()
    ways = [way for way in (SPHINX, WHISPER, BOTH) if f"exact_pct_clean_{way}" in figures]
    places = np.arange(len(NOISES))
    width = 0.8 / len(ways)
    for number, way in enumerate(ways):
        shares = [float(figures[f"exact_pct_{name}_{way}"] or 0.0) for name in NOISES]
        lows = [float(figures[f"exact_pct_{name}_{way}_low"] or 0.0) for name in NOISES]
        errors = [[share - low for share, low in zip(shares, lows, strict=True)], [0.0] * len(shares)]
        axes.bar(places + (number - (len(ways) - 1) / 2) * width, shares, width, yerr=errors, label=way)
    axes.plot(places, [95, 88, 60], "k_", markersize=40, label="goal")
    axes.set_xticks(places, list(NOISES))
    axes.set(ylabel="heard word by word [%]", ylim=(0, 100), title="synthetic voices, the whole language")
    axes.legend()
