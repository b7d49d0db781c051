"""Sentences with no end of readings: they are refused, and do not hold up whoever stops robots."""

from __future__ import annotations

import pytest

from framework.plan import NotUnderstood, Sequence, Understood
from grammars.reading.matching import MOST_STEPS, Matching
from tests.grammars.kitchen import LANGUAGE, WORLD, plan_of


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Matching]:
    """What was tried, each with its steps."""
    found: list[Matching] = []
    begin = Matching.__init__

    def remember(matching: Matching, *args: object, **options: object) -> None:
        begin(matching, *args, **options)  # type: ignore[arg-type]  # passed on as it came
        found.append(matching)

    monkeypatch.setattr(Matching, "__init__", remember)
    return found


@pytest.mark.parametrize(
    "text",
    [" then ".join(["wait until I say go"] * 33), " then ".join(["when I say go set the table"] * 28)],
)
def test_a_sentence_of_a_great_many_readings_is_given_up(text: str, tried: list[Matching]) -> None:
    answer = LANGUAGE.parse(text, WORLD)
    assert isinstance(answer, NotUnderstood)
    assert answer.reason == "That is too much at once; say it in several instructions."
    assert len(tried) == 1, "nothing else is tried with it"
    assert tried[0].steps < 1.01 * MOST_STEPS


def test_a_sentence_that_is_only_long_is_understood(tried: list[Matching]) -> None:
    plan = plan_of(" then ".join(["set the table"] * 50))
    assert isinstance(plan, Sequence) and len(plan.steps) == 50
    answer = LANGUAGE.parse(" then ".join(["wait until I say go"] * 7), WORLD)
    assert isinstance(answer, Understood)
    assert max(each.steps for each in tried) < 0.5 * MOST_STEPS
