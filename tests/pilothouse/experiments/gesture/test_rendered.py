"""Rendered hands through the real tracker; without its environment (`make hands`) these are skipped."""

from __future__ import annotations

import numpy as np
import pytest

from pilothouse.experiments.definition import Progress
from pilothouse.experiments.gesture.hands import mean_bones
from pilothouse.experiments.gesture.poses import GESTURES
from pilothouse.experiments.gesture.rendered import (
    CAMERA,
    UPRIGHT,
    Look,
    about,
    before_camera,
    rendered,
    some_middle,
)
from pilothouse.experiments.gesture.rendered_shown import FIGURES, UP, off_deg, rendered_figures
from resources.gestures.reading import seen
from resources.gestures.tracker_library import why_missing
from resources.gestures.tracker_pipe import TrackerAtWork
from resources.types.gestures import GestureKind, Landmark
from resources.types.masters import HandSide

HANDS = 24


class Silent(Progress):
    def begin(self, what: str, steps: int) -> None:
        self.left = steps

    def step(self) -> None:
        self.left -= 1


def test_hands_that_point_are_found_and_depth_tells_where() -> None:
    if missing := why_missing():
        pytest.skip(missing)
    random, bones = np.random.default_rng(3), mean_bones(HandSide.RIGHT)
    rays: list[float] = []
    sides: list[HandSide] = []
    with TrackerAtWork(CAMERA, follows=False) as tracker:
        for _ in range(HANDS):
            turn = about((1.0, 0.0, 0.0), np.radians(random.uniform(-35.0, 35.0))) @ UPRIGHT
            shape = GESTURES[GestureKind.POINT](bones, random)
            points = before_camera(bones, shape, turn, some_middle(random))
            found, _ = tracker.hands(*rendered(points, Look(random), random), anew=True)
            for hand in found:
                sides.append(hand.side)
                if seen(hand, UP).kind is GestureKind.POINT and hand.ray is not None:
                    rays.append(off_deg(hand.ray, points[Landmark.INDEX_TIP] - points[Landmark.WRIST]))
    assert sides.count(HandSide.RIGHT) >= 0.8 * len(sides) >= 0.5 * HANDS
    assert len(rays) >= HANDS // 5
    assert np.median(rays) < 8.0


@pytest.mark.soak
def test_every_figure_is_measured() -> None:
    if missing := why_missing():
        pytest.skip(missing)
    progress = Silent()
    figures = rendered_figures(np.random.default_rng(3), progress, hands=8, held=1, idle_s=5.0)
    assert tuple(figures) == FIGURES and progress.left == 0
    found = figures["rendered_found_pct"]
    assert found is not None and found > 60.0
