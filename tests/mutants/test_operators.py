"""Mutants drawn by lot: each is one change that can be made, and stays itself when lines come above it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutants import operators
from tests.mutants.operators import SHARES, changes, drawn

CODE = """
def ready(book, now_s, late_s, *, is_up=True):
    if book.count and now_s >= late_s:
        book.count -= 1
    while not is_up:
        compare(now_s, late_s)
        return
    return book.count + 1
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(operators, "ROOT", tmp_path)
    file = tmp_path / "ready.py"
    file.write_text(CODE)
    return file


def test_each_is_one_change_that_is_still_python(file: Path) -> None:
    found = changes(file)
    assert {change.operator for change in found} == {
        "compare",
        "negate",
        "join",
        "drop",
        "off by one",
        "arguments",
    }
    for change in found:
        before, after = change.unique(CODE)
        assert CODE.count(before) == 1
        assert ast.dump(ast.parse(CODE.replace(before, after))) != ast.dump(ast.parse(CODE))


def test_they_keep_their_names_when_lines_come_above_them(file: Path) -> None:
    names = [change.name for change in changes(file)]
    file.write_text(f"import math\n\n\n{CODE}")
    assert [change.name for change in changes(file)] == names


def test_the_two_halves_have_nothing_in_common(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "SHARES", {name: SHARES[name] for name in ("interlock", "state")})
    shown, held_back = ({change.name for change in drawn(14, half)} for half in (0, 1))
    wanted = sum(share for _, share in operators.SHARES.values())
    assert len(shown) == len(held_back) == wanted and not shown & held_back
