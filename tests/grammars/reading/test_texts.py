"""What counts as words that somebody is to hear: no question, no "something funny", only what was said."""

from __future__ import annotations

import pytest

from framework.plan import Do, NotUnderstood, Plan, State
from framework.plan.ast import If
from tests.grammars.compiled_later import CompiledLater
from tests.grammars.kitchen import CONDITIONS, KITCHEN, WORLD, action, parameter

TELL = action(
    "tell",
    ("tell me {statements:text}", "say {texts:text}", "say that {texts:text}", "note {text}"),
    parameter("text", str),
)
TELLING = CompiledLater((*KITCHEN, TELL), conditions=CONDITIONS)


def plan_of(text: str) -> Plan | None:
    result = TELLING.parse(text, WORLD)
    return None if isinstance(result, NotUnderstood) else result.readings[0].plan


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("say hello", "hello"),
        ("say that lunch is served", "lunch is served"),
        ("say hello again", "hello again"),
        ('say "something funny"', "something funny"),
        ("say: something funny", "something funny"),
        ("tell me dinner's ready", "dinner's ready"),
        ("tell me, dinner is ready", "dinner is ready"),
        ('tell me "today\'s date"', "today's date"),
        ("note today's date", "today's date"),
    ],
)
def test_what_is_to_be_said_is_said_as_it_was(text: str, said: str) -> None:
    assert plan_of(text) == Do("tell", {"text": said})


@pytest.mark.parametrize(
    "text",
    [
        "say something funny",
        "say a joke",
        "say what you think of it",
        "say what",
        "say to the boss that I am late",
        "say it louder",
        "say hello once more",
        "tell me today's date",
        "tell me the cook's phone number",
        "tell me, do you like it",
        "tell me the number? is it free?",
    ],
)
def test_words_about_what_is_to_be_said_are_no_text(text: str) -> None:
    assert plan_of(text) is None


def test_what_is_taken_apart_is_so_only_outside_of_texts() -> None:
    """ "The kettle's boiling" is taken apart in a condition; a text beside it stays as it was typed."""
    apart = plan_of("if the kettle's boiling set the table")
    assert apart is not None
    assert apart == plan_of("if the kettle is boiling set the table")
    both = plan_of("if the kettle's boiling note the cook's number")
    assert both == If(State("boiling", {"pot": "kettle"}), Do("tell", {"text": "the cook's number"}))
