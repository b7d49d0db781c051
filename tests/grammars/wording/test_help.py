"""Help gives sentences that are understood as they stand."""

from __future__ import annotations

import pytest

from framework.plan import Do, NothingKnown, Understood, World
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import SlotList
from grammars import Language
from grammars.reading.reader import Read, Reader
from grammars.wording.help import help_on, helping
from tests.grammars.home import DOMAIN, LANGUAGE
from tests.grammars.kitchen import action


@pytest.mark.parametrize("topic", ["", "taxi", "\x00", "😀", "the", "apple " * 500])
def test_any_topic_is_answered(topic: str) -> None:
    for each in help_on(LANGUAGE, topic, DOMAIN.world):
        assert each.say


@pytest.mark.parametrize(
    ("topic", "actions"),
    [
        ("taxi", []),
        ("apple", ["bring", "cook"]),
        ("the living room", ["clean"]),
        ("Playing", ["play"]),
        ("cook", ["cook"]),
        ("oven", ["heat"]),
    ],
)
def test_a_topic_chooses(topic: str, actions: list[str]) -> None:
    assert [each.action for each in help_on(LANGUAGE, topic, DOMAIN.world)] == actions


def test_every_example_is_understood_and_means_its_action() -> None:
    found = help_on(LANGUAGE, "", DOMAIN.world)
    assert {each.action for each in found} == {each.name for each in DOMAIN.actions} - {
        "tell"
    }  # free words only
    assert found[0].does == "Bring something to somebody."
    assert found[0].say[:2] == ("bring the apple", "fetch the red mug to Ann")
    for each in found:
        for text in each.say:
            result = LANGUAGE.parse(text, DOMAIN.world)
            assert isinstance(result, Understood)
            plan = result.readings[0].plan
            assert isinstance(plan, Do) and plan.action == each.action


def test_what_cannot_be_said_now_is_left_out() -> None:
    fetch = action(
        "fetch", ("fetch {thing}",), ParameterSpec("thing", str), lists=(SlotList("thing", "things"),)
    )
    assert help_on(Language((fetch,)), "", NothingKnown()) == ()


def test_who_has_something_else_to_do_has_a_turn_after_every_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed = 0
    read = Reader.read

    def counted(reader: Reader, text: str, world: World) -> Read:
        nonlocal parsed
        parsed += 1
        return read(reader, text, world)

    monkeypatch.setattr(Reader, "read", counted)
    steps = helping(LANGUAGE, "apple", DOMAIN.world)
    most = 0
    before = parsed
    for _ in steps:
        most, before = max(most, parsed - before), parsed
    assert parsed > 5 and most == 1
