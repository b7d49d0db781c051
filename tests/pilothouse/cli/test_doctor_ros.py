"""What `pilothouse doctor --ros` says of where rclpy is, with stand-ins for interpreters."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from pilothouse.cli.doctor_ros import diagnose
from resources.robots.description import RosDescription
from resources.ros import environment
from tests.resources.ros.test_environment import WORKS, stand_in


@pytest.mark.parametrize("how", ["described", "by the variable"])
def test_the_doctor_takes_nothing_where_a_run_would_stop_at_what_is_named(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = stand_in(tmp_path / "broken", "exit 3")
    stand_in(tmp_path / ".venv-ros" / "bin", WORKS)
    monkeypatch.setattr(environment, "CHECKOUT", tmp_path)
    monkeypatch.setattr(environment, "INSTALLED", tmp_path / "nowhere")
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    monkeypatch.setenv(environment.VARIABLE, broken if how == "by the variable" else "")
    said = StringIO()
    assert (
        diagnose(RosDescription(python=broken if how == "described" else ""), Console(file=said, width=200))
        == 1
    )
    words = said.getvalue()
    assert "✓" in words
    assert "Taken" not in words
    assert "None is taken: " in words
