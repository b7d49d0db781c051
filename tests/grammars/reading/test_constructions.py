"""Frames of verbs, put into the constructions of a language."""

from __future__ import annotations

import pytest

from framework.plugins.phrases import VerbFrame
from framework.plugins.template import AnyOrder, Choice, Rule, Sequence, Slot, Word, parse_template
from grammars.reading.constructions import templates_of
from grammars.reading.inflection import participle

FRAME = VerbFrame("<arm>", ("raise", "lift"), ("rise",), roles=("[up]", "[<far>]"), sets="{way:=up}")


def test_roles_come_in_any_order_beside_verb_and_theme() -> None:
    (found,) = templates_of(FRAME, [parse_template("(<verb> + <theme> + <roles>)")])
    verbs = Choice((Word("raise"), Word("lift")))
    up, far = parse_template("[up]"), parse_template("[<far>]")
    assert found == Sequence((AnyOrder((verbs, Rule("arm"), up, far)), Slot("way", constant="up")))


def test_a_construction_that_names_what_a_frame_does_not_have_is_none_of_it() -> None:
    constructions = [parse_template("<theme> <must> be <state>"), parse_template("<theme> <must> <goes>")]
    found = list(templates_of(FRAME, constructions))
    assert found == [
        Sequence((Sequence((Rule("arm"), Rule("must"), Word("rise"))), Slot("way", constant="up")))
    ]


def test_of_a_choice_what_it_has_remains() -> None:
    (found,) = templates_of(
        VerbFrame("it", ("shut",)), [parse_template("<theme> (<goes>|be <done>) <roles>")]
    )
    assert found == Sequence((Word("it"), Choice((Sequence((Word("be"), Word("shut"))),)), Sequence(())))


def test_what_one_does_oneself_needs_no_theme_and_has_its_own_construction() -> None:
    constructions = [parse_template("(<acts> + <roles>)"), parse_template("(<verb> + <theme> + <roles>)")]
    (found,) = templates_of(VerbFrame(acts=("go",), roles=("<goal>", "[back]")), constructions)
    assert found == AnyOrder((Word("go"), Rule("goal"), parse_template("[back]")))


def test_a_verb_that_is_a_template_has_no_participle() -> None:
    (found,) = templates_of(VerbFrame("it", ("(give|get) me", "show")), [parse_template("<theme> <done>")])
    assert found == Sequence((Word("it"), Word("shown")))


@pytest.mark.parametrize(
    ("verb", "done"),
    [
        ("open", "opened"), ("close", "closed"), ("stop", "stopped"), ("carry", "carried"),
        ("put up", "put up"), ("bring", "brought"), ("stay", "stayed"), ("lift up", "lifted up"),
    ],
)  # fmt: skip
def test_participles(verb: str, done: str) -> None:
    assert participle(verb) == done
