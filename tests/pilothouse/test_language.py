"""The language that an installation is made with, and what it says about the phrases of plugins."""

from __future__ import annotations

from pathlib import Path

import pytest

from framework.plan import Do, NothingKnown, Understood
from grammars import Language, lexicon
from pilothouse.catalogue import action_catalogue
from pilothouse.language import checked_language

ACTION = '''"""Waves."""

import pilothouse as ph


class Wave(ph.Action):
    """Wave at somebody."""

    who: str = ph.param(default="")

    async def run(self) -> None: ...
'''


def checked(folder: Path, phrases: str) -> tuple[Language, tuple[str, ...]]:
    """The language with an action in a user's folder, and what is said about its phrases."""
    plugin = folder / "wave"
    plugin.mkdir()
    (plugin / "__init__.py").write_text(ACTION)
    (plugin / "phrases.yaml").write_text(phrases)
    return checked_language(action_catalogue([folder]))


def means(language: Language, text: str) -> str:
    """The action that a sentence asks for."""
    result = language.parse(text, NothingKnown())
    assert isinstance(result, Understood) and isinstance(result.readings[0].plan, Do)
    return result.readings[0].plan.action


def test_good_phrases_are_no_news(tmp_path: Path) -> None:
    language, told = checked(tmp_path, 'say: ["wave [at {who}]"]\nsamples: ["wave at Anna"]\n')
    assert told == () and means(language, "wave at Anna") == "wave"


def test_what_is_wrong_is_said_with_file_and_line(tmp_path: Path) -> None:
    language, told = checked(tmp_path, 'say: ["wave", "stop moving"]\nsamples: ["flap your arms"]\n')
    assert all("phrases.yaml:" in each for each in told)
    for words in ("stop moving", "flap your arms"):
        assert any(words in each for each in told), told
    assert means(language, "wave") == "wave"


def test_nobody_takes_the_sentences_of_others_away(tmp_path: Path) -> None:
    language, told = checked(tmp_path, 'say: ["wave", "show the camera"]\n')
    assert means(language, "show the camera") == "show"
    (sentence,) = told
    assert "wave cannot be asked for" in sentence and "phrases.yaml:1" in sentence
    assert "show the camera" in sentence


def test_ours_are_understood_and_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[bool] = []
    monkeypatch.setattr(lexicon, "load", lambda: loaded.append(True))
    language, told = checked_language(action_catalogue())
    assert loaded  # and not at the first sentence that is refused
    assert told == () and means(language, "show the camera") == "show"
