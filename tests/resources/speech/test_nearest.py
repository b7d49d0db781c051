"""What was freely heard becomes what can be said here; what is far from it is told to be far."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.errors import SoundError
from grammars.tools.ngrams import arpa
from resources.speech.dictionary import Dictionary
from resources.speech.nearest import Nearest
from resources.speech.phones import COSTS, PHONES, distance, numbers_of
from resources.speech.trigrams import Trigrams

THINGS = "name_things"
SENTENCES = (
    f"show me the {THINGS}",
    f"look at the {THINGS}",
    f"go to the {THINGS} and open the gripper",
    "open the gripper",
    "turn left ninety degrees",
    "wait fifteen seconds",
    "wait fifty seconds",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Trigrams:
    path: Path = tmp_path_factory.mktemp("language") / "instructions.arpa"
    path.write_text(arpa([(sentence.split(), 5.0) for sentence in SENTENCES]))
    return Trigrams(path)


@pytest.fixture(scope="module")
def nearest(model: Trigrams) -> Nearest:
    words = {word for sentence in SENTENCES for word in sentence.split()} - {THINGS}
    return Nearest(Dictionary(sorted(words), {THINGS: (("red", "cup"), ("drum",), ("zorblatt",))}), model)


@pytest.mark.parametrize("content", [None, "hello", "\\1-grams:\n-1.0\tgo\tmany\n", "\\1-grams:\n-1.0\tgo\n"])
def test_what_is_no_language_model_is_refused(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "it.arpa"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SoundError, match=r"cannot be used|knows no end"):
        Trigrams(path)


def test_a_language_model_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "it.arpa"
    path.write_bytes(b"\\1-grams:\n-1.0\t\xff\xfe\n")
    with pytest.raises(SoundError, match="cannot be used"):
        Trigrams(path)


def test_nothing_is_near_to_nothing(nearest: Nearest) -> None:
    assert nearest.sentences("") == ()
    assert nearest.sentences("?!") == ()


def test_what_can_be_said_stays_as_it_is(nearest: Nearest) -> None:
    for text in ("look at the drum", "go to the red cup and open the gripper", "turn left ninety degrees"):
        best = nearest.sentences(text)[0]
        assert (" ".join(best.words), best.distance) == (text, 0.0)


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("look at the rum", "look at the drum"),
        ("look at the read cub", "look at the red cup"),
        ("oh been the griper", "open the gripper"),
        ("show me the soar blat", "show me the zorblatt"),
    ],
)
def test_other_words_that_sound_like_it_become_it(nearest: Nearest, heard: str, meant: str) -> None:
    best = nearest.sentences(heard)[0]
    assert " ".join(best.words) == meant
    assert 0.0 <= best.distance < 4.0


def test_what_sounds_alike_is_told_too_the_likelier_first(nearest: Nearest) -> None:
    found = nearest.sentences("wait fiftee seconds")
    assert {" ".join(each.words) for each in found[:2]} == {"wait fifteen seconds", "wait fifty seconds"}
    assert [each.cost for each in found] == sorted(each.cost for each in found)


def test_a_long_text_ends(nearest: Nearest) -> None:
    assert len(nearest.sentences("order a taxi to the station " * 40)) <= 8


def test_words_that_were_seen_together_are_likelier(model: Trigrams) -> None:
    assert model.of_sentence(("open", "the", "gripper")) > model.of_sentence(("gripper", "the", "open"))
    assert model.log10(("<s>", "open"), "nobody") < model.log10(("<s>", "open"), "the")


def test_sounds_are_as_far_from_each_other_whichever_is_first() -> None:
    assert (COSTS == COSTS.T).all()
    assert (COSTS.diagonal() == 0.0).all()
    drum, rum, left = (numbers_of(each) for each in ("D R AH M", "R AH M", "L EH F T"))
    assert distance(drum, drum) == 0.0
    assert distance(drum, rum) == pytest.approx(distance(rum, drum))
    assert 0.0 < distance(drum, rum) < distance(drum, left)
    assert distance((), drum) == pytest.approx(distance(drum, ()))
    assert len(PHONES) == 39
