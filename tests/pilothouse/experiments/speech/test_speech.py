"""The experiment on speech: small, but whole; and what it says in which voice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from framework.errors import PluginUnavailable
from grammars.intent.heard import NO_PLAN
from pilothouse.experiments.definition import facts
from pilothouse.experiments.speech import NOISES, _distance, _Speech
from pilothouse.experiments.speech.sentences import foreign, instructions, model
from pilothouse.experiments.speech.voices import FLITE, VOICES, Voice, loud_from_until_s, spoken, with_noise


class Unseen:
    """Progress that nobody watches."""

    def begin(self, what: str, steps: int) -> None:
        """Nothing."""

    def step(self) -> None:
        """Nothing."""


def test_it_measures_everything_that_it_has_goals_for() -> None:
    small = _Speech(commands=2, people=1, foreign_h=0.002, crying=VOICES[:1], made=100, foreign_said=1)
    figures = small.measure(Unseen(), 0)
    assert set(facts("speech").goals) <= set(figures)
    assert figures["emergency_found_pct"] == 100.0
    assert all(figures[f"whole_pct_{name}"] == 100.0 for name in NOISES)


def test_what_people_say_was_not_learnt(tmp_path: Path) -> None:
    drawn = instructions(4, 4, 3)
    said = drawn.people
    assert (len(set(drawn.drawn)), len(set(said))) == (4, 4)
    file = tmp_path / "model.arpa"
    _, with_all = model(file, without=(), made=200)
    _, without = model(file, without=said, made=200)
    assert without < with_all
    assert not set(said) & set(NO_PLAN)


def test_other_seeds_say_other_things_and_the_same_seed_the_same() -> None:
    assert instructions(3, 3, 1) == instructions(3, 3, 1) != instructions(3, 3, 2)


def test_foreign_speech_never_ends_and_every_voice_says_everything() -> None:
    told = foreign((FLITE, Voice("en-us")))
    pairs = [next(told) for _ in range(500)]
    assert len(set(pairs)) == 500
    assert len({text for text, _ in pairs}) == 250


@pytest.mark.parametrize("voice", VOICES, ids=str)
def test_every_voice_speaks(voice: Voice) -> None:
    sound = spoken("open the gripper", voice)
    from_s, until_s = loud_from_until_s(sound)
    assert 0.0 <= from_s < 0.5 < until_s < 3.0
    assert np.abs(sound.astype(int)).max() > 5_000


def test_voices_differ_and_noise_is_as_loud_as_it_is_said() -> None:
    sounds = [spoken("open the gripper", voice) for voice in VOICES]
    assert len({len(sound) for sound in sounds}) > 3
    clean, noisy = spoken("open the gripper"), with_noise(spoken("open the gripper"), 10.0)
    loud = clean[np.abs(clean) > 200].astype(float)
    noise = noisy.astype(float) - clean
    assert 10 * np.log10(np.mean(loud**2) / np.mean(noise**2)) == pytest.approx(10.0, abs=0.3)
    assert with_noise(clean, None) is clean


def test_a_voice_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(PluginUnavailable, match="apt-get install espeak-ng"):
        spoken("nobody has said this before", Voice("en-us"))


def test_words_that_differ_are_counted() -> None:
    assert _distance(["go", "to", "the", "cup"], ["go", "the", "red", "cup"]) == 2
    assert _distance([], ["go"]) == 1
