"""Rendered hands through the real tracker, in small; without its environment (`make hands`) this is skipped."""

from __future__ import annotations

import numpy as np
import pytest

from pilothouse.experiments.definition import Progress
from pilothouse.experiments.gesture.rendered_shown import FIGURES, rendered_figures
from resources.gestures.tracker_library import why_missing


class Silent(Progress):
    def begin(self, what: str, steps: int) -> None:
        self.left = steps

    def step(self) -> None:
        self.left -= 1


def test_most_rendered_hands_are_found_and_depth_tells_where_they_point() -> None:
    if missing := why_missing():
        pytest.skip(missing)
    progress = Silent()
    figures = rendered_figures(np.random.default_rng(3), progress, hands=8, held=1, idle_s=5.0)
    assert tuple(figures) == FIGURES and progress.left == 0
    found, plain, measured = (
        figures[name] for name in ("rendered_found_pct", "rendered_ray_deg", "rendered_ray_deg_depth")
    )
    assert found is not None and found > 60.0
    assert plain is not None and measured is not None and measured < 10.0 and measured < plain
