"""The experiments on the arm's law reach their goals; what is timed is measured elsewhere (`make bench`)."""

from __future__ import annotations

from pathlib import Path

from pilothouse.experiments import NAMES, load
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.impedance import costs, jump, press, track
from pilothouse.experiments.report import document, picture


class Silent(Progress):
    def begin(self, what: str, steps: int) -> None:
        self.left = steps

    def step(self) -> None:
        self.left -= 1


def test_the_tool_follows_within_a_fifth_of_a_millimetre() -> None:
    errors = 1e3 * track()
    assert float((errors**2).mean() ** 0.5) <= 0.2
    assert errors.max() <= 0.35


def test_pressing_ends_just_under_the_greatest_force_and_a_declared_table_is_touched_gently() -> None:
    declared = press(0.25, declared=True, settle_s=1.5)
    assert 28.0 <= declared.static_n <= 31.0
    assert declared.peak_n <= 31.5
    assert declared.spike_n < 60.0


def test_an_outlier_moves_nothing_unless_the_gate_is_off() -> None:
    assert jump().moved.max() < 0.001
    assert jump(gated=False).moved.max() > 0.03


def test_the_cost_of_a_tick_is_measured_beside_a_step() -> None:
    cost = costs(ticks=50)
    assert 0.0 < cost.step < cost.tick < cost.two_arms


def test_the_observer_reaches_its_goals_and_is_drawn(tmp_path: Path) -> None:
    assert {"impedance", "observer"} <= set(NAMES)
    experiment = load("observer")
    progress = Silent()
    figures = experiment.run(progress, 0)
    assert isinstance(figures, dict)
    assert progress.left == 0
    assert experiment.missed(figures) == ()
    settled = [figures[f"settle_ms_{gain}"] for gain in (25, 50, 100, 200)]
    assert settled == sorted(settled, key=lambda value: -float(value or 0))
    picture(experiment, figures, tmp_path / "observer.png")
    assert document(experiment, figures, 0).figures == figures


def test_the_picture_of_the_impedance_experiment_stands_without_its_traces(tmp_path: Path) -> None:
    experiment = load("impedance")
    figures: Figures = {"step_us_p50": 4.0, "tick_us_p50": 60.0, "two_arms_tick_us_p50": 120.0}
    picture(experiment, figures, tmp_path / "impedance.png")
    assert (tmp_path / "impedance.png").stat().st_size > 10_000
