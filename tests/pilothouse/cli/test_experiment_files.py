"""Files that are handed in to an experiment: none is ignored, whatever its option is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.cli.main import main
from pilothouse.experiments.definition import facts


@pytest.mark.parametrize("option", list(facts("language").files))
def test_a_file_that_is_not_there_is_refused(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "nothing.jsonl"
    assert main(["experiment", "language", f"--{option}", str(missing)]) == 2
    assert f"--{option} is unavailable" in " ".join(capsys.readouterr().err.split())


def test_an_experiment_that_takes_no_such_file_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiment", "gesture", "--at-home", str(tmp_path)]) == 2
    assert "takes no such file" in " ".join(capsys.readouterr().err.split())
