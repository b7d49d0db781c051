"""No child of ours is given longer than others before it counts as hanging: a quarter of a second."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from framework.processes.spec import ProcessSpec

RESOURCES = Path(__file__).parents[2] / "resources"
SPECS = sorted(file for file in RESOURCES.rglob("*.py") if "ProcessSpec(\n" in file.read_text())


@pytest.mark.parametrize("file", SPECS, ids=lambda file: str(file.relative_to(RESOURCES)))
def test_a_spec_does_not_lengthen_the_silence_that_is_allowed(file: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    given = {keyword.arg for call in calls for keyword in call.keywords}
    assert not given & {"beat_s", "hang_after_beats", "slow_after_s"}


def test_the_usual_silence_is_a_quarter_of_a_second() -> None:
    assert ProcessSpec(("x",), "x").hang_after_s == pytest.approx(0.25)
    assert len(SPECS) >= 4
