"""The language model of an installation is made once, kept, and told where that cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from framework.errors import InstallationError
from pilothouse.spoken_language import SpokenLanguageArguments, made, main


def test_where_it_cannot_be_kept_that_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    arguments = SpokenLanguageArguments(str(tmp_path / "cache" / "speech"))
    with pytest.raises(InstallationError, match=r"speech, and that cannot be used: .*XDG_CACHE_HOME"):
        main(cast("Any", None), arguments)


def test_it_is_made_once_and_anew_where_it_is_broken(tmp_path: Path) -> None:
    first = made(tmp_path, count=2)
    file, (about,) = Path(first.model), tmp_path.glob("*.json")
    assert file.read_text().startswith("\\data\\") and first.classes
    file.write_text("kept")
    assert made(tmp_path, count=2) == first and file.read_text() == "kept"
    about.write_text("{")
    assert made(tmp_path, count=2) == first and file.read_text().startswith("\\data\\")
    assert made(tmp_path, count=3).model != first.model
