"""What was learnt: read from its file, or refused in words; and how texts are cut into pieces for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from framework.errors import DescriptionError
from grammars.intent.intents import Kind
from grammars.intent.model import FILE, KEY, house_model, load
from grammars.intent.pieces import BEGIN, END, UNKNOWN, Pieces

KNOWN = (BEGIN, END, UNKNOWN, "<world>", "grip", "##per", "##p", "##er", "cafe", ",", "<", "world", ">")


def pieces(*words: str, most: int = 20) -> list[str]:
    return [KNOWN[place] for place in Pieces(KNOWN).of(words, most)][1:-1]


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (("gripper",), ["grip", "##per"]),  # the longest first
        (("Gripp",), ["grip", "##p"]),
        (("gripz", "grip"), [UNKNOWN, "grip"]),
        (("Café,",), ["cafe", ","]),
        (("<world>",), ["<world>"]),
        (("<door>",), ["<", UNKNOWN, ">"]),  # no mark of ours
        (("",), []),
        ((), []),
    ],
)
def test_words_are_cut_into_pieces_that_are_known(words: tuple[str, ...], known: list[str]) -> None:
    assert pieces(*words) == known


def test_a_long_text_is_cut_off_and_still_has_an_end() -> None:
    places = Pieces(KNOWN).of(["grip"] * 50, 10)
    assert len(places) == 10 and places[0] == KNOWN.index(BEGIN) and places[-1] == KNOWN.index(END)


def test_pieces_without_an_end_are_none() -> None:
    with pytest.raises(ValueError, match="SEP"):
        Pieces([BEGIN, UNKNOWN, "grip"])


def test_the_likeliest_come_first_and_are_no_more_than_certain_together() -> None:
    scored = house_model().scorer.scored(["off", "to", "the", "<world>"])
    assert [each.score for each in scored] == sorted((each.score for each in scored), reverse=True)
    assert sum(each.score for each in scored) <= 1.0 + 1e-6
    assert (scored[0].intent.kind, scored[0].intent.name) == (Kind.ACTION, "drive_to")


def test_the_same_text_is_the_same_each_time_however_long_others_were() -> None:
    scorer, text = house_model().scorer, ["close", "the", "gripper"]
    before = scorer.scored(text)
    scorer.scored(["and"] * 500)
    scorer.scored([])
    assert scorer.scored(text) == before


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no network",
        FILE.read_bytes()[:5000],
        FILE.read_bytes().replace(KEY.encode(), b"another"[: len(KEY)].ljust(len(KEY), b"_")),
        FILE.read_bytes().replace(b'"pieces":', b'"peaces":'),
    ],
    ids=["empty", "other", "cut off", "without the rest", "with another rest"],
)
def test_what_was_not_learnt_is_refused_in_words(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "learnt.onnx"
    file.write_bytes(content)
    with pytest.raises(DescriptionError, match="what was learnt cannot be read") as refused:
        load(file)
    assert "learnt.onnx" in str(refused.value)


def test_a_missing_file_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="what was learnt cannot be read"):
        load(tmp_path / "gone.onnx")


def test_without_what_runs_it_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(DescriptionError, match=r"cannot be used: .*onnxruntime"):
        load()
