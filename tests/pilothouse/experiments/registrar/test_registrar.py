"""The registrar experiment in a few rounds of each part: all figures come out; `-m bench`: goals are met."""

from __future__ import annotations

import asyncio

import pytest

from pilothouse.experiments import load, registrar
from pilothouse.experiments.definition import Figures
from pilothouse.experiments.registrar import failures, hangs, local, zenoh
from pilothouse.experiments.registrar.local import BATCH, LoadedRegistrar


class Quiet:
    """Nobody watches."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.steps = 0
        self.expected = 0

    def begin(self, what: str, steps: int) -> None:
        self.parts.append(what)
        self.expected += steps

    def step(self) -> None:
        self.steps += 1


def measured(progress: Quiet) -> Figures:
    return asyncio.run(registrar.measure(progress, 0))


def test_a_short_run_gives_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, few in (
        (local, {"ROUNDS": 3, "WARM_UP": 1}),
        (zenoh, {"ROUNDS": 3, "WARM_UP": 1}),
        (failures, {"FAILURES": 2, "KILLS": 2}),
    ):
        for name, value in few.items():
            monkeypatch.setattr(module, name, value)
    progress = Quiet()
    figures = measured(progress)
    promised = {f"{kind}_us_{count}" for kind in registrar.KINDS for count in registrar.RESIDENT}
    promised |= {"zenoh_request_us", "zenoh_raw_us", "notify_ms_p99", "child_death_ms_p99", "loop_lag_ms_p99"}
    assert promised | load("registrar").facts.goals.keys() <= figures.keys()
    assert all(isinstance(figure, float) and figure > 0 for figure in figures.values())
    assert progress.steps == progress.expected and len(progress.parts) == 4


def test_a_house_measures_what_it_says() -> None:
    async def main() -> None:
        loaded = LoadedRegistrar(resident=3)
        async with loaded.open():
            await loaded.batch(counts=False)
            assert not loaded.new_us
            await loaded.batch(counts=True)
            assert len(loaded.new_us) == len(loaded.shared_us) == len(loaded.release_us) == BATCH
            # A shared request starts no provider; it can only be quicker.
            assert min(loaded.shared_us) < min(loaded.new_us)

    asyncio.run(main())


@pytest.mark.bench
def test_all_goals_are_met() -> None:
    figures = measured(Quiet())
    assert load("registrar").missed(figures) == ()


@pytest.mark.real
def test_a_stopped_process_is_told_of_in_time() -> None:
    progress = Quiet()
    figures = asyncio.run(hangs.measure_hangs(progress, 0, stops=2))
    assert progress.steps == progress.expected == 2
    assert figures["false_alarms"] == 0
    assert 0 < float(figures["hang_told_ms_p50"] or 0) <= float(figures["hang_told_ms_p99"] or 0)


@pytest.mark.bench
@pytest.mark.parametrize("busy", [0, 2])
def test_goal_a_hang_is_told_within_300_ms(busy: int) -> None:
    figures = asyncio.run(hangs.measure_hangs(Quiet(), 0, stops=100, busy=busy))
    assert float(figures["hang_told_ms_p99"] or 0) <= 300
    assert figures["false_alarms"] == 0
