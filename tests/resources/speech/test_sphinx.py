"""The recogniser hears what may be said here: names by their classes, and new ones without a new model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from framework.errors import SoundError
from grammars.tools.ngrams import arpa
from pilothouse.experiments.speech.voices import FLITE, Voice, silence, spoken, with_noise
from resources.speech.dictionary import Dictionary
from resources.speech.sphinx import SphinxRecogniser, SpokenLanguage

THINGS = "name_things"
SENTENCES = (
    f"show me the {THINGS}",
    f"look at the {THINGS}",
    f"go to the {THINGS} and open the gripper",
    "open the gripper",
    "close the gripper",
    "move the left arm up ten centimetres",
    "go home",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("language") / "instructions.arpa"
    path.write_text(arpa([(sentence.split(), 5.0) for sentence in SENTENCES]))
    return str(path)


@pytest.fixture(scope="module")
def recogniser(model: str) -> SphinxRecogniser:
    return SphinxRecogniser(SpokenLanguage(model, {THINGS: (("red", "cup"), ("table",), ("valve",))}))


def heard(recogniser: SphinxRecogniser, text: str, voice: Voice = FLITE, snr_db: float | None = None) -> str:
    sound = np.concatenate([silence(0.3), spoken(text, voice), silence(0.3)])
    found = recogniser.recognised(sound if snr_db is None else with_noise(sound, snr_db))
    return found.text if found is not None else ""


@pytest.mark.parametrize("voice", [FLITE, Voice("en-us")], ids=str)
@pytest.mark.parametrize("snr_db", [None, 20.0])
def test_instructions_with_known_names_are_heard(
    recogniser: SphinxRecogniser, voice: Voice, snr_db: float | None
) -> None:
    for text in ("look at the red cup", "go to the table and open the gripper", "close the gripper"):
        assert heard(recogniser, text, voice, snr_db) == text


def test_names_that_nobody_has_heard_of_are_heard_once_they_are_known(
    model: str, recogniser: SphinxRecogniser
) -> None:
    """ "Zorblatt" stands in no dictionary and in no sentence of the model."""
    assert heard(recogniser, "look at the zorblatt") != "look at the zorblatt"
    after = SphinxRecogniser(SpokenLanguage(model, {THINGS: (("red", "cup"), ("zorblatt",))}))
    assert heard(after, "look at the zorblatt") == "look at the zorblatt"


def test_names_that_become_known_later_are_heard_as_by_one_that_knew_them_from_the_start(model: str) -> None:
    """Also while somebody speaks; what is known no more is heard no more."""
    before, after = {THINGS: (("zorblatt",), ("valve",))}, {THINGS: (("red", "cup"), ("table",))}
    recogniser = SphinxRecogniser(SpokenLanguage(model, before))
    recogniser.begins()
    recogniser.goes_on(spoken("look at"))
    recogniser.knows(after)
    fresh = SphinxRecogniser(SpokenLanguage(model, after))
    for text in ("look at the red cup", "look at the table", "look at the valve"):
        assert heard(recogniser, text) == heard(fresh, text)
    assert recogniser.dictionary.entries == fresh.dictionary.entries
    recogniser.begins()
    assert "look at the" in recogniser.goes_on(spoken("look at the table"))


def test_names_that_cannot_be_loaded_leave_those_from_before(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk after the first of both decoders has read them: no word may be told as another name."""
    recogniser = SphinxRecogniser(SpokenLanguage(model, {THINGS: (("red", "cup"), ("table",))}))
    before = recogniser.dictionary
    load, loaded = recogniser._load, list[Dictionary]()

    def full(dictionary: Dictionary) -> None:
        loaded.append(dictionary)
        load(dictionary)
        if len(loaded) == 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(recogniser, "_load", full)
    with pytest.raises(SoundError, match="No space"):
        recogniser.knows({THINGS: (("valve",), ("red", "cup"))})
    assert recogniser.dictionary is before
    assert heard(recogniser, "look at the red cup") == "look at the red cup"


def test_words_are_told_with_their_times_and_which_of_them_are_a_name(recogniser: SphinxRecogniser) -> None:
    sound = np.concatenate([silence(1.0), spoken("look at the red cup"), silence(0.5)])
    found = recogniser.recognised(sound)
    assert found is not None
    assert [each.word for each in found.words] == ["look", "at", "the", "red", "cup"]
    assert [each.of_name for each in found.words] == [False, False, False, True, True]
    assert all(each.began_s < each.until_s for each in found.words)
    assert 0.9 < found.words[0].began_s < 1.4
    assert found.words[-1].until_s < len(sound) / 16_000


def test_silence_is_nothing_and_one_utterance_does_not_touch_the_next(recogniser: SphinxRecogniser) -> None:
    assert recogniser.recognised(silence(1.0)) is None
    assert heard(recogniser, "open the gripper") == "open the gripper"
    assert recogniser.recognised(silence(0.1)) is None
    assert heard(recogniser, "open the gripper") == "open the gripper"


def test_a_model_that_is_none_is_refused(tmp_path: Path) -> None:
    for name, content in (("none.arpa", None), ("broken.arpa", "hello")):
        path = tmp_path / name
        if content is not None:
            path.write_text(content)
        with pytest.raises(SoundError, match="cannot be used"):
            SphinxRecogniser(SpokenLanguage(str(path)))


def test_a_name_that_nobody_can_say_is_told_and_the_others_are_heard(model: str) -> None:
    recogniser = SphinxRecogniser(SpokenLanguage(model, {THINGS: (("?!",), ("red", "cup"), ("table",))}))
    assert recogniser.unsayable == (("?!",),)
    assert heard(recogniser, "look at the red cup") == "look at the red cup"
