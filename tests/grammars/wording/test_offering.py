"""What a refusal offers is understood, and is about what was said; what it quotes is a whole phrase."""

from __future__ import annotations

import re

import pytest

from framework.events import Subject
from framework.plan import NotUnderstood
from tests.grammars.wording.test_teaching import LANGUAGE, WORLD


def _refused(text: str) -> NotUnderstood:
    result = LANGUAGE.parse(text, WORLD)
    assert isinstance(result, NotUnderstood)
    return result


def _offered(text: str) -> list[str]:
    return re.findall(r'"([^"]+)"', _refused(text).reason.partition("You could say")[2])


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("look at the kettle and wipe it", "look at the kettle"),
        ("check the red pot to qwerty zzyzx", "check the red pot"),
        ("bring the left arm home, and then sing us a song", "bring the left arm home"),
        ("pour the kettle out", "look at the kettle"),
    ],
)
def test_what_is_understood_of_it_or_named_in_it_is_offered(text: str, offered: str) -> None:
    assert offered in _offered(text)


@pytest.mark.parametrize("text", ["swap your battery", "clap for yourself", "pour your hand's water"])
def test_nothing_is_offered_of_what_is_no_thing_around(text: str) -> None:
    assert not any("your" in each or "'s" in each for each in _offered(text))


def test_all_that_is_offered_is_understood() -> None:
    for text in ("wipe it", "sing", "look at the qwerty", "take the kettle", "grab the lid of the red pot"):
        assert all(not isinstance(LANGUAGE.parse(each, WORLD), NotUnderstood) for each in _offered(text))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("check the red pot qwertily", "check the red pot qwertily"),
        ("check the qwerty, please", "check the qwerty"),
        ("look at the kettle, and check thirdly", "check thirdly"),
        ("look at the kettle, which stands over there on top of the zzyzx", "the zzyzx"),
    ],
)
def test_what_was_not_understood_is_quoted_as_a_whole_phrase(text: str, quoted: str) -> None:
    refused = _refused(text)
    assert refused.kind in (Subject.NOT_UNDERSTOOD, Subject.NO_THING)
    if refused.kind is Subject.NOT_UNDERSTOOD:
        assert f'"{quoted}"' in refused.reason or quoted in refused.reason


def test_what_is_only_polite_or_remarked_is_not_blamed() -> None:
    assert '"please"' not in _refused("check the zzyzx on the mantelpiece, please").reason
    assert "excuse" not in _refused("excuse me, check the zzyzx on the mantelpiece").reason.casefold()
