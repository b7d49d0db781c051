"""The state folder: what is kept comes back; what is wrong is said, never misread."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import DescriptionError, InstallationError
from framework.state import StateFolder


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    StateFolder(tmp_path / "state").write("poses", {"dock": [1.0, 2.0]})
    assert StateFolder(tmp_path / "state").read("poses", dict[str, list[float]]) == {"dock": [1.0, 2.0]}


def test_nothing_kept_is_none(tmp_path: Path) -> None:
    assert StateFolder(tmp_path).read("poses", dict[str, float]) is None


def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    state.write("poses", 1)
    state.remove("poses")
    state.remove("poses")
    assert state.read("poses", int) is None


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    (tmp_path / "poses.json").write_bytes(b'{"dock": ')
    with pytest.raises(DescriptionError, match=r"poses\.json"):
        state.read("poses", dict[str, float])


def test_a_later_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "version").write_text("99")
    with pytest.raises(InstallationError, match="99"):
        StateFolder(tmp_path)


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InstallationError, match="--state"):
        StateFolder(file / "state")


def test_a_failed_write_leaves_the_old_content(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    state.write("poses", 1)
    with pytest.raises(TypeError):
        state.write("poses", object())
    assert state.read("poses", int) == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["poses.json", "version"]
