"""The examples of docs/actions.md that move something work as they stand."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pilothouse as ph
from tests.actions.fake_robot import ROOT


@pytest.fixture
def documented(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module of these examples."""
    module = ModuleType("documented")
    monkeypatch.setitem(sys.modules, "documented", module)
    module.__dict__["ph"] = ph
    text = (ROOT / "docs" / "actions.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        if "class Home" in block or "ScriptedArm" in block:
            exec(block, module.__dict__)
    return module


def test_the_action_of_the_documentation_passes_its_test(
    documented: Any, virtual: Any, transport: Any, tmp_path: Path
) -> None:
    documented.test_a_reflex_in_the_middle(virtual, transport, tmp_path)
