"""What differs only behind the place where a text got stuck is not read again."""

from __future__ import annotations

import pytest

from framework.plan import NotUnderstood
from grammars.reading.failed import Failed, first_difference
from grammars.reading.joins import Joins
from grammars.reading.matching import Matching
from grammars.reading.outcome import Whole
from grammars.reading.utterance import Utterance
from tests.grammars.kitchen import LANGUAGE, WORLD


def _read(text: str) -> Utterance:
    return LANGUAGE.recogniser.read(text, WORLD, LANGUAGE.kinds)


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        ("watch the kettle", "watch the kettle", 2),
        ("watch the kettle now", "watch the kettle", 2),
        ("watch the kettle now", "watch the kettle please", 2),
        ("watch two kettles", "watch three kettles", 1),
        ("wait 2", "wait 2 s", 1),  # the same words, another number
        ("hum and hum", "um and hum", 0),
    ],
)
def test_where_two_texts_begin_to_differ(one: str, other: str, place: int) -> None:
    assert first_difference(_read(one), _read(other)) == place


def test_only_what_differs_behind_both_places_is_ruled_out() -> None:
    utterance = LANGUAGE.recogniser.read("hum and hum and hum", WORLD, LANGUAGE.kinds)
    asked: list[int] = []

    def loosely() -> int:
        asked.append(1)
        return 2

    failed = Failed(utterance, 1, loosely)
    assert not failed.rules_out(LANGUAGE.recogniser.read("hum then hum", WORLD, LANGUAGE.kinds))
    assert not asked
    assert not failed.rules_out(LANGUAGE.recogniser.read("hum and watch", WORLD, LANGUAGE.kinds))
    assert failed.rules_out(LANGUAGE.recogniser.read("hum and hum then hum", WORLD, LANGUAGE.kinds))
    assert asked == [1]


def test_what_is_left_out_or_put_right_behind_the_place_is_not_walked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walked: list[tuple[str, ...]] = []
    instructions = Joins.instructions

    def counted(self: Joins, matching: Matching) -> list[Whole]:
        walked.append(matching.tokens)
        return instructions(self, matching)

    monkeypatch.setattr(Joins, "instructions", counted)
    assert isinstance(LANGUAGE.parse("zorp hum and watsch um the kettle", WORLD), NotUnderstood)
    # It gets stuck at once, as nobody knows a "zorp"; parts are read for what the refusal quotes.
    assert {each for each in walked if each[0] == "zorp" and len(each) > 2} == {
        ("zorp", "hum", "and", "watch", "um", "kettle")
    }
