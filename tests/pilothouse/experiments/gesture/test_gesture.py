"""The experiment on generated hands, in small: constants are those that were fitted, figures are as named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pilothouse.experiments import gesture, load
from pilothouse.experiments.definition import Progress
from pilothouse.experiments.gesture.fitting import HANDS, edge, fitted, least_sure
from pilothouse.experiments.gesture.pointing import tried
from pilothouse.experiments.gesture.rendered_shown import FIGURES
from pilothouse.experiments.gesture.shown import SET_A, SET_B, events, frames, held_trial
from pilothouse.experiments.intervals import rate_at_most, wilson
from pilothouse.experiments.report import document, picture
from resources.gestures.shapes import FITTED, LEAST_SURE
from resources.types.gestures import GestureKind


class Silent(Progress):
    def begin(self, what: str, steps: int) -> None:
        self.left = steps

    def step(self) -> None:
        self.left -= 1


def test_the_constants_in_the_source_are_those_that_fitting_gives() -> None:
    shown = frames(np.random.default_rng([0, SET_A]), HANDS)
    edges = fitted(shown)
    for name in FITTED.__struct_fields__:
        assert getattr(FITTED, name) == pytest.approx(getattr(edges, name), abs=2e-3), name
    assert least_sure(shown, FITTED)[0] == pytest.approx(LEAST_SURE, abs=0.021)
    assert SET_A != SET_B


def test_an_edge_lies_between_what_it_tells_apart() -> None:
    random = np.random.default_rng(0)
    middle, width = edge(random.normal(3.0, 0.2, 300), np.append(random.normal(1.0, 0.2, 200), np.nan))
    assert 1.7 < middle < 2.3
    assert 0.0 < width < 0.3


@pytest.mark.parametrize("kind", [GestureKind.FIST, GestureKind.THUMB_DOWN])
def test_a_held_gesture_is_one_event(kind: GestureKind) -> None:
    came = [
        [each.kind for each in events(held_trial(kind, np.random.default_rng(seed)))] for seed in range(10)
    ]
    assert came.count([kind]) >= 8


def test_things_far_apart_are_told_apart_and_near_ones_are_asked_about() -> None:
    random = np.random.default_rng(1)
    far, near = tried(20.0, 60, random), tried(3.0, 60, random)
    assert far[True].right >= 50 and far[True].tries == 60
    assert near[False].asked > near[False].right


def test_intervals() -> None:
    low, high = wilson(50, 100)
    assert (low, high) == pytest.approx((0.404, 0.596), abs=1e-3)
    assert wilson(100, 100)[1] == pytest.approx(1.0) and wilson(0, 100)[0] == 0.0
    assert rate_at_most(0, 10.0) == pytest.approx(0.384, abs=1e-3)


def test_it_measures_all_its_goals_and_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"HANDS": 5, "STREAMS": 1, "STREAM_S": 10.0, "POINTINGS": 20, "PEOPLE": 3, "POINTERS": 1}
    for name, less in few.items():
        monkeypatch.setattr(gesture, name, less)
    monkeypatch.setattr(gesture, "why_missing", lambda: "there is no MediaPipe here")
    experiment = load("gesture")
    progress = Silent()
    figures = experiment.run(progress, 0)
    assert isinstance(figures, dict)
    assert progress.left == 0
    assert set(experiment.facts.goals) <= set(figures)
    assert {figures[name] for name in FIGURES} == {None}
    picture(experiment, figures, tmp_path / "gesture.png")
    assert document(experiment, figures, 0).figures == figures
