"""The grammar reference is made from the code, and whoever forgets that is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammars.core import Marker
from grammars.tools.reference import BEGIN, END, main, reference, replaced


def test_a_document_without_a_place_for_it() -> None:
    with pytest.raises(ValueError, match="needs two lines"):
        replaced("# Language\n")
    with pytest.raises(ValueError, match="needs two lines"):
        replaced(f"{END}\n{BEGIN}\n")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "language.md"
    assert main([str(file)]) == 1
    file.write_text("no place")
    assert main(["--check", str(file)]) == 1
    file.write_text(f"# Language\n\n{BEGIN}\nold\n{END}\n\nrest\n")
    assert main(["--check", str(file)]) == 1
    assert "is stale" in capsys.readouterr().err
    assert file.read_text().count("old") == 1
    assert main([str(file)]) == 0
    assert main(["--check", str(file)]) == 0
    text = file.read_text()
    assert text.startswith("# Language\n") and text.endswith("\n\nrest\n") and "\nold\n" not in text
    assert main([]) == 0
    assert capsys.readouterr().out == reference()


def test_everything_is_in_it() -> None:
    text = reference()
    for marker in Marker:
        assert f"`{marker.value}`" in text
    for words in ("{slot:=value}", "metre", "percent", "emergency", "<pass>", "`flag`"):
        assert words in text


def test_tables_are_tables() -> None:
    for line in reference().splitlines():
        if line.startswith("|"):
            assert line.endswith("|")
    heads = [line for line in reference().splitlines() if set(line) == {"|", "-"}]
    assert len(heads) == 6
