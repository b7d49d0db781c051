"""Hands that show gestures, do other things, and point: what is read of them. All hands are generated.

    hands.py     bones and joints, and the 21 points that come of them
    poses.py     the gestures, and what must be none
    motion.py    from pose to pose, before a tracker with noise and losses
    shown.py     single pictures, held gestures, and streams without any
    pointing.py  rays, words, and the thing that is meant
    ray_noise.py how still the rays of tracked hands are
    drawn.py     hands as pictures, which a real tracker takes for hands
    rendered.py  the same in three dimensions, lit, with depth; any hand, skin and light
    rendered_shown.py  what is read of those, through the real tracker
    fitting.py   how the constants of `resources.gestures.shapes` were fitted, on other hands

Rendered hands are measured where MediaPipe is (`make hands`); elsewhere their figures are not there.

Generated hands say whether the geometry holds under known noise. They say nothing about trackers, skins,
sleeves and light: that takes pictures of people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.gesture.pointing import APART_DEG, Outcomes, biased_people, tried
from pilothouse.experiments.gesture.poses import GESTURES
from pilothouse.experiments.gesture.ray_noise import ray_noise
from pilothouse.experiments.gesture.rendered_shown import FIGURES, rendered_figures
from pilothouse.experiments.gesture.shown import (
    EVERY,
    SET_B,
    events,
    frames,
    held_trial,
    idle_stream,
    read_frames,
)
from pilothouse.experiments.intervals import rate_at_most, wilson
from resources.gestures.tracker_library import why_missing
from resources.types.gestures import GestureKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

HANDS: Final = 300
"""Single pictures of each pose, and held trials of each gesture; another hand each."""

STREAMS: Final = 30
STREAM_S: Final = 60.0
POINTINGS: Final = 2000
PEOPLE: Final = 100
POINTERS: Final = 30
PAIRS: Final = 9


RENDERED: Final = 40
"""Rendered single pictures of each pose."""

RENDERED_HELD: Final = 15
RENDERED_IDLE_S: Final = 90.0


class GestureRuns:
    """Measures, and keeps what the picture shows."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, GestureKind], int] = {}
        self._outcomes: dict[int, dict[bool, Outcomes]] = {}

    def measure(self, progress: Progress, seed: int) -> Figures:
        """All figures, of seed set B."""
        random = np.random.default_rng([seed, SET_B])
        figures = self._frames(random, progress)
        figures |= self._held(random, progress)
        figures |= self._idle(random, progress)
        figures |= self._pointing(random, progress)
        if why_missing():
            return figures | dict.fromkeys(FIGURES)
        return figures | rendered_figures(
            np.random.default_rng([seed, SET_B, 1]),
            progress,
            hands=RENDERED,
            held=RENDERED_HELD,
            idle_s=RENDERED_IDLE_S,
        )

    def _frames(self, random: np.random.Generator, progress: Progress) -> Figures:
        progress.begin("single pictures", len(EVERY))
        shown = frames(random, HANDS, progress)
        self._read = {}
        for name, kind in zip(shown.names, read_frames(shown), strict=True):
            self._read[name, kind] = self._read.get((name, kind), 0) + 1
        hits = {kind: self._read.get((str(kind), kind), 0) for kind in GESTURES}
        tries = HANDS * len(GESTURES)
        none = sum(self._read.get((name, GestureKind.NONE), 0) for name in EVERY if name not in GESTURES)
        others = HANDS * (len(EVERY) - len(GESTURES))
        figures: Figures = {
            "frame_pct": 100.0 * sum(hits.values()) / tries,
            "frame_pct_low": 100.0 * wilson(sum(hits.values()), tries)[0],
        }
        figures |= {f"frame_pct_{kind.value}": 100.0 * hit / HANDS for kind, hit in hits.items()}
        figures["other_frame_pct"] = 100.0 * none / others
        figures["other_frame_pct_low"] = 100.0 * wilson(none, others)[0]
        return figures

    def _held(self, random: np.random.Generator, progress: Progress) -> Figures:
        progress.begin("held gestures", len(GESTURES))
        right: dict[GestureKind, int] = {}
        other = 0
        for kind in GESTURES:
            right[kind] = 0
            for _ in range(HANDS):
                came = events(held_trial(kind, random))
                right[kind] += [each.kind for each in came] == [kind]
                other += sum(each.kind is not kind for each in came)
            progress.step()
        hits, tries = sum(right.values()), HANDS * len(GESTURES)
        figures: Figures = {
            "held_pct": 100.0 * hits / tries,
            "held_pct_low": 100.0 * wilson(hits, tries)[0],
        }
        figures |= {f"held_pct_{kind.value}": 100.0 * hit / HANDS for kind, hit in right.items()}
        figures["held_other_pct"] = 100.0 * other / tries
        return figures

    def _idle(self, random: np.random.Generator, progress: Progress) -> Figures:
        progress.begin("hands that show nothing", STREAMS)
        count, minutes = 0, 0.0
        for _ in range(STREAMS):
            pictures = idle_stream(STREAM_S, random)
            count += len(events(pictures))
            minutes += float(pictures.times[-1]) / 60.0
            progress.step()
        return {
            "false_per_min": count / minutes,
            "false_per_min_high": rate_at_most(count, minutes),
            "idle_min": minutes,
        }

    def _pointing(self, random: np.random.Generator, progress: Progress) -> Figures:
        progress.begin("pointing, with words", len(APART_DEG) + 2)
        figures: Figures = {}
        for apart in APART_DEG:
            self._outcomes[apart] = outcomes = tried(apart, POINTINGS, random)
            aim = tried(apart, POINTINGS, random, aim_share=1.0)[True]
            named, bare = outcomes[True], outcomes[False]
            figures[f"right_object_pct_{apart}"] = _right_pct(named)
            answered = named.right + named.wrong
            figures[f"right_object_pct_{apart}_low"] = (
                100.0 * wilson(named.right, answered)[0] if answered else None
            )
            figures[f"asked_pct_{apart}"] = 100.0 * named.asked / named.tries
            figures[f"wrong_pct_{apart}"] = 100.0 * named.wrong / named.tries
            figures[f"wrong_pct_{apart}_high"] = 100.0 * wilson(named.wrong, named.tries)[1]
            figures[f"asked_pct_{apart}_bare"] = 100.0 * bare.asked / bare.tries
            figures[f"wrong_pct_{apart}_bare"] = 100.0 * bare.wrong / bare.tries
            figures[f"asked_pct_{apart}_aim"] = 100.0 * aim.asked / aim.tries
            figures[f"wrong_pct_{apart}_aim"] = 100.0 * aim.wrong / aim.tries
            progress.step()
        errors = biased_people(PEOPLE, PAIRS, random)
        progress.step()
        figures |= {"bias_deg": errors.before_deg, "bias_deg_offset": errors.after_deg}
        for name, noise in zip(("finger", "wrist"), ray_noise(POINTERS, random), strict=True):
            figures[f"{name}_ray_deg"] = noise.single_deg
            figures[f"{name}_ray_mean_deg"] = noise.mean_deg
        progress.step()
        return figures

    def draw(self, drawing: Picture, figures: Figures) -> None:
        """What single pictures are read as; held gestures; pointing."""
        left, right = drawing.subplots(1, 2, width_ratios=(3, 2))
        self._draw_read(left)
        self._draw_pointing(right)

    def _draw_read(self, axes: Axes) -> None:
        names, kinds = list(EVERY), list(GestureKind)
        shares = np.array([[self._read.get((name, kind), 0) / HANDS for kind in kinds] for name in names])
        axes.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
        for row, column in zip(*np.nonzero(shares), strict=True):
            colour = "white" if shares[row, column] > 0.5 else "black"
            axes.text(column, row, f"{100 * shares[row, column]:.0f}", ha="center", va="center", color=colour)
        axes.set_xticks(range(len(kinds)), [kind.value for kind in kinds], rotation=60)
        axes.set_yticks(range(len(names)), names)
        axes.set_title("single pictures of a pose, read as [%]")

    def _draw_pointing(self, axes: Axes) -> None:
        bars = [
            (f"{apart}°, {'that cup' if named else 'that'}", outcomes[named])
            for apart, outcomes in self._outcomes.items()
            for named in (True, False)
        ]
        begun = [0.0] * len(bars)
        for what, colour in (("right", "tab:blue"), ("asked", "tab:grey"), ("wrong", "tab:red")):
            shares = [100.0 * getattr(outcome, what) / outcome.tries for _, outcome in bars]
            axes.barh([words for words, _ in bars], shares, left=begun, color=colour, label=what)
            begun = [start + share for start, share in zip(begun, shares, strict=True)]
        axes.set(title="things side by side, 3° of noise", xlabel="[%]", xlim=(0, 100))
        axes.invert_yaxis()
        axes.legend(fontsize="small", loc="lower left")


def _right_pct(outcomes: Outcomes) -> float | None:
    answered = outcomes.right + outcomes.wrong
    return 100.0 * outcomes.right / answered if answered else None


_RUNS: Final = GestureRuns()
measure, draw = _RUNS.measure, _RUNS.draw
