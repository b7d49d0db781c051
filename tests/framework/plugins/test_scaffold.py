"""What `pilothouse new` writes: refused in words where it must be, and working at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from framework.errors import PluginUnavailable
from framework.plugins import new_action, new_driver, new_grammar


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "cannot name a plugin"),
        ("Wave", "small letters"),
        ("look at", "small letters"),
        ("../wave", "small letters"),
        ("2wave", "a letter first"),
        ("w" * 41, "at most 40"),
        ("wave\n", "small letters"),
        ("class", "word of Python's own"),
        ("match", "word of Python's own"),
    ],
)
def test_bad_names_are_refused_in_words(tmp_path: Path, name: str, words: str) -> None:
    for write in (new_action, new_driver, new_grammar):
        with pytest.raises(PluginUnavailable, match=words):
            write(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "wave").mkdir()
    (tmp_path / "wave" / "action.py").write_text("mine")
    with pytest.raises(PluginUnavailable, match="is there already and is not overwritten"):
        new_action("wave", tmp_path)
    assert [file.name for file in (tmp_path / "wave").iterdir()] == ["action.py"]
    assert (tmp_path / "wave" / "action.py").read_text() == "mine"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PluginUnavailable, match="cannot be written: Not a directory"):
        new_action("wave", tmp_path / "file")


def test_what_is_written_passes_its_own_test_at_once(tmp_path: Path) -> None:
    """`wave` is a module of Python's own, too: neither may get in the other's way."""
    for name in ("wave", "look_around", "test"):
        new_action(name, tmp_path / "actions")
        new_driver(name, tmp_path / "drivers")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert "6 passed" in done.stdout, done.stdout + done.stderr


def test_what_is_written_is_clean(tmp_path: Path) -> None:
    files = new_action("wave", tmp_path) + new_driver("blink", tmp_path)
    python = [str(file) for file in files if file.suffix == ".py"]
    root = Path(__file__).parents[3]
    for tool in (["ruff", "check", "--config", str(root / "pyproject.toml")], ["mypy", "--strict"]):
        done = subprocess.run(
            [sys.executable, "-m", *tool, *(python if tool[0] == "ruff" else python[:1])],
            capture_output=True,
            text=True,
            cwd=root,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
