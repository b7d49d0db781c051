"""The `fci` experiment in short: all its figures, and the picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import ProcessDied
from pilothouse.experiments import NAMES, load
from pilothouse.experiments.fci import FciRuns, _client
from resources.fci_sim.simulated_box import free_addresses
from tests.resources.drivers.franka.wheel import needs_pylibfranka

pytestmark = [pytest.mark.real, needs_pylibfranka]


class Silent:
    """A progress nobody watches."""

    def begin(self, what: str, steps: int) -> None: ...

    def step(self) -> None: ...


def test_all_figures(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    runs = FciRuns(runs=2, steps=400, wall_steps=200)
    figures = runs.measure(Silent(), 0)
    assert figures["digest_equal"] is True
    assert set(figures) >= {"steps_per_s", "bare_steps_per_s", "wall_hz", "missed_pct", "state_age_ms_p99"}
    picture = Figure()
    runs.draw(picture, figures)
    picture.savefig(tmp_path / "fci.png")
    assert "fci" in NAMES
    assert set(load("fci").facts.goals) <= set(figures)


def test_a_client_that_fails_is_told_in_its_words() -> None:
    (nobody,) = free_addresses(1)
    with pytest.raises(ProcessDied, match="Connection to FCI refused"):
        _client(nobody, 10)
