"""`pilothouse experiment`: what it writes, what it says of goals, and how it refuses."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from framework.errors import TransportError
from framework.loop_lag import quantile
from pilothouse.cli import experiment as command
from pilothouse.experiments import NAMES, definition, load
from pilothouse.experiments.definition import (
    Direction,
    Experiment,
    Facts,
    Figures,
    Goal,
    Progress,
    shown,
)
from pilothouse.experiments.report import document, this_machine


async def measure(progress: Progress, seed: int) -> Figures:
    progress.begin("counting", 2)
    progress.step()
    progress.step()
    return {"wait_us": 12.5, "told": True, "leaked": 0, "gap_ms": None, "broken": float("nan"), "seed": seed}


SAMPLE = Experiment(
    name="sample",
    facts=Facts(
        summary="a sample",
        paper_title="theirs",
        paper={"wait_us": 353.0},
        peers={"others": {"leaked": 7}},
        at_most={"wait_us": 45},
        exactly={"told": True, "leaked": 0},
    ),
    run=measure,
)


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "load", lambda name: SAMPLE if name == "sample" else load(name))


def typed(*words: object) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args([str(word) for word in words]))


# -- what cannot be done


def test_an_unknown_name_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("registar") == 2
    said = capsys.readouterr().err
    assert "there are registrar" in said and "did you mean 'registrar'?" in said


def test_without_what_draws_the_extra_is_named_before_anything_runs(
    tmp_path: Path, sample: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert typed("sample", "--plot", tmp_path / "figure.png") == 2
    assert "pip install 'pilothouse[experiments]'" in capsys.readouterr().err
    assert typed("sample", "--json", tmp_path / "figures.json") == 0


@pytest.mark.parametrize("option", ["--json", "--plot"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(
    option: str,
    tmp_path: Path,
    sample: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command, "_measure", lambda *_: pytest.fail("it ran"))
    absent = tmp_path / "absent" / "file.png"
    assert typed("sample", option, absent) == 2
    assert f"{absent} cannot be written" in capsys.readouterr().err
    assert typed("sample", option, tmp_path) == 2


def test_a_picture_of_an_unknown_format_is_refused_with_the_known_ones(
    tmp_path: Path, sample: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("sample", "--plot", tmp_path / "figure.docx") == 2
    assert ".png" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_figures_and_picture_cannot_share_a_file(tmp_path: Path, sample: None) -> None:
    assert typed("sample", "--json", tmp_path / "a.png", "--plot", tmp_path / "a.png") == 2


def test_an_experiment_that_fails_says_why_and_leaves_the_old_file(
    tmp_path: Path, sample: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Figures:
        raise TransportError("no loopback here")

    monkeypatch.setattr(command, "_measure", fail)
    file = tmp_path / "figures.json"
    file.write_text("old")
    assert typed("sample", "--json", file) == 1
    assert "sample failed: no loopback here" in capsys.readouterr().err
    assert file.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["figures.json"]


# -- what it gives


def test_the_document_has_just_the_published_keys(tmp_path: Path, sample: None) -> None:
    file = tmp_path / "figures.json"
    assert typed("sample", "--json", file, "--seed", 7) == 0
    found: dict[str, Any] = json.loads(file.read_text())
    assert list(found) == ["name", "figures", "paper", "seed", "machine"]
    assert found["figures"] == {
        "wait_us": 12.5,
        "told": True,
        "leaked": 0,
        "gap_ms": None,
        "broken": None,
        "seed": 7,
    }
    assert found["paper"] == {"wait_us": 353.0} and found["seed"] == 7
    assert [one.name for one in tmp_path.iterdir()] == ["figures.json"]


def test_the_machine_is_described_without_host_name_or_path() -> None:
    import platform

    machine = this_machine()
    assert machine.cores >= 1 and machine.cpu and machine.python.split()[1] == platform.python_version()
    assert platform.node() not in str(machine) and "/" not in str(machine)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_picture_is_drawn(tmp_path: Path, sample: None, ending: str) -> None:
    file = tmp_path / f"figures.{ending}"
    assert typed("sample", "--plot", file) == 0
    assert file.stat().st_size > 1000


def test_the_table_has_the_others_numbers_and_the_goals(
    sample: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed("sample") == 0
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if "wait_us" in line)
    assert "12.5" in row and "≤ 45" in row and "yes" in row and "353" in row


def test_a_missed_goal_is_shown_and_fails_only_if_strict(
    sample: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_measure", lambda *_: {"wait_us": 46.0, "told": True, "leaked": 0})
    assert typed("sample") == 0
    assert "Not reached: wait_us" in capsys.readouterr().out
    assert typed("sample", "--strict") == 1


def test_without_a_name_they_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed() == 0
    listed = capsys.readouterr().out
    assert typed("--list") == 0
    assert capsys.readouterr().out == listed
    for name in NAMES:
        assert f"{name} " in listed


def test_every_experiment_can_be_loaded_and_has_its_own_name() -> None:
    for name in NAMES:
        experiment = load(name)
        assert experiment.name == name and experiment.facts.summary


# -- the parts


def test_what_was_not_measured_meets_no_goal() -> None:
    assert SAMPLE.missed({"wait_us": None, "told": False}) == ("wait_us", "told", "leaked")
    assert SAMPLE.missed({"wait_us": 45, "told": True, "leaked": 0}) == ()
    at_least = Goal(Direction.AT_LEAST, 3)
    assert at_least.is_met(3) and not at_least.is_met(2.9)


def test_figures_are_shown_shortly() -> None:
    assert [shown(one) for one in (None, True, False, 7, 0.01234, 1234.5)] == [
        "–",
        "yes",
        "no",
        "7",
        "0.0123",
        "1234",
    ]


def test_nan_is_null() -> None:
    assert document(SAMPLE, {"x": float("inf")}, 0).figures == {"x": None}


@pytest.mark.parametrize(
    ("fraction", "value"), [(0.0, 1.0), (0.5, 2.0), (0.51, 3.0), (0.99, 4.0), (1.0, 4.0)]
)
def test_a_quantile_is_a_sample(fraction: float, value: float) -> None:
    assert quantile([4.0, 3.0, 2.0, 1.0], fraction) == value


def test_progress_is_a_protocol_that_the_bar_fulfils() -> None:
    bar: definition.Progress = command._Watched()
    assert bar is not None
