"""Whisper hears English words, and nothing where nobody speaks; a model that is none is refused in words."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from framework.errors import PluginUnavailable, SoundError
from pilothouse.experiments.speech.voices import FLITE, Voice, silence, spoken, with_noise
from resources.audio.blocks import Samples
from resources.speech import whisper_model
from resources.speech.recognising import Recognised
from resources.speech.whisper import WhisperRecogniser

PROMPT = ("red cup", "table", "left arm", "right arm", "drive to the table then open the gripper")
NUMBERS = {"5": "five", "15": "fifteen", "cm": "centimetres"}


def in_words(text: str) -> list[str]:
    words = re.findall(r"[a-z']+|\d+", text.casefold())
    return [NUMBERS.get(word, word) for word in words]


@pytest.fixture(scope="module")
def recogniser() -> WhisperRecogniser:
    return WhisperRecogniser(in_words, PROMPT)


def heard(recogniser: WhisperRecogniser, sound: Samples) -> Recognised | None:
    return recogniser.recognised(np.concatenate([silence(0.5), sound, silence(0.7)]))


# -- what is no model


def copied(to: Path) -> Path:
    folder = to / "model"
    folder.mkdir()
    for file in whisper_model.packaged().iterdir():
        (folder / file.name).symlink_to(file)
    return folder


@pytest.mark.parametrize("name", whisper_model.NEEDED)
def test_a_model_of_which_a_file_is_missing_is_refused_and_the_file_named(tmp_path: Path, name: str) -> None:
    folder = copied(tmp_path)
    (folder / name).unlink()
    with pytest.raises(SoundError, match=f"{name} missing"):
        WhisperRecogniser(in_words, folder=folder)


@pytest.mark.parametrize("name", ["model.bin", "tokenizer.json"])
def test_a_model_that_was_copied_by_half_is_refused(tmp_path: Path, name: str) -> None:
    folder = copied(tmp_path)
    whole = (folder / name).read_bytes()
    (folder / name).unlink()
    (folder / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SoundError, match="was its copying interrupted"):
        WhisperRecogniser(in_words, folder=folder)


def test_a_tokenizer_of_something_else_is_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").write_text(
        '{"version": "1.0", "added_tokens": [],'
        ' "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}'
    )
    with pytest.raises(SoundError, match="none of Whisper"):
        WhisperRecogniser(in_words, folder=folder)


def test_a_package_with_another_model_in_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "package_of_somebody"
    package.mkdir()
    (package / "__init__.py").write_text("")
    shutil.copytree(copied(tmp_path), package / "model")
    (package / "model" / "config.json").write_text("{}")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(whisper_model, "PACKAGE", "package_of_somebody")
    with pytest.raises(SoundError, match=r"config\.json is not the file that was tried"):
        whisper_model.packaged()


def test_without_the_package_it_is_said_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(whisper_model, "PACKAGE", "package_of_nobody")
    with pytest.raises(PluginUnavailable, match=r"pip install 'pilothouse\[speech\]'"):
        WhisperRecogniser(in_words)
    assert whisper_model.main() == 1
    assert "make speech" in capsys.readouterr().err


# -- what is nothing


@pytest.mark.parametrize(
    "sound",
    [
        silence(0.0),
        silence(2.0),
        np.random.default_rng(1).normal(0.0, 15.0, 32_000).astype(np.int16),
        np.random.default_rng(2).normal(0.0, 1000.0, 48_000).astype(np.int16),
        np.random.default_rng(3).normal(0.0, 6000.0, 16_000).astype(np.int16),
        (8_000 * np.sin(np.arange(32_000) * 0.2)).astype(np.int16),
        np.concatenate([silence(0.5), np.full(512, 20_000, np.int16), silence(0.5)]),
    ],
    ids=["empty", "silence", "quiet room", "noise", "loud noise", "tone", "knock"],
)
def test_where_nobody_speaks_nothing_is_heard(recogniser: WhisperRecogniser, sound: Samples) -> None:
    assert recogniser.recognised(sound) is None


def test_a_speech_is_no_utterance(recogniser: WhisperRecogniser) -> None:
    assert recogniser.recognised(np.tile(spoken("open the gripper"), 40)) is None


# -- what is said


@pytest.mark.parametrize("voice", [FLITE, Voice("en-us")], ids=str)
@pytest.mark.parametrize("text", ["open the gripper", "drive to the table then turn left"])
def test_instructions_are_heard(recogniser: WhisperRecogniser, voice: Voice, text: str) -> None:
    for snr_db in (None, 20.0):
        found = heard(recogniser, with_noise(spoken(text, voice), snr_db))
        assert found is not None
        assert text in (found.text, *found.others)


def test_foreign_speech_comes_back_as_what_it_is(recogniser: WhisperRecogniser) -> None:
    found = heard(recogniser, spoken("can you order a taxi for me"))
    assert found is not None
    assert {"order", "taxi"} <= set(found.text.split())


def test_numbers_and_units_are_words_and_each_word_has_its_time(recogniser: WhisperRecogniser) -> None:
    found = heard(recogniser, spoken("move the left arm up 15 centimetres"))
    assert found is not None
    assert found.text in (
        "move the left arm up fifteen centimetres",
        "move the left arm up fifteen centimeters",
    )
    assert 0.4 < found.words[0].began_s < 0.8
    assert all(each.began_s < each.until_s for each in found.words)
    assert all(
        one.until_s <= other.began_s + 1e-6 for one, other in zip(found.words, found.words[1:], strict=False)
    )
    assert found.text not in found.others


def test_the_same_sound_is_the_same_text_whatever_came_before(recogniser: WhisperRecogniser) -> None:
    first = heard(recogniser, spoken("look at the red cup"))
    heard(recogniser, spoken("order a taxi"))
    assert heard(recogniser, spoken("look at the red cup")) == first


def test_held_to_our_words_it_writes_no_others(recogniser: WhisperRecogniser) -> None:
    sound = np.concatenate([silence(0.5), spoken("drive to the drum"), silence(0.7)])
    assert recogniser.within(sound) == ()  # it knows none yet
    ours = {"drive", "to", "the", "room", "drum", "table", "left"}
    recogniser.knows(ours)
    try:
        found = recogniser.within(sound)
        assert found[0] == "drive to the drum"
        assert {word for text in found for word in text.split()} <= ours
        assert recogniser.within(silence(1.0)) == ()
    finally:
        recogniser.knows(())


def test_what_was_said_is_likelier_than_what_was_not(recogniser: WhisperRecogniser) -> None:
    sound = np.concatenate([silence(0.5), spoken("drive to the table", FLITE), silence(0.7)])
    texts = ["drive to the table", "open the gripper", "drive to the table and back again"]
    said, other, longer = recogniser.likelihoods(sound, texts)
    assert said > max(other, longer) + 5.0
    assert recogniser.likelihoods(sound, []) == []
