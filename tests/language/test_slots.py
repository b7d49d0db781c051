"""Slots of generated household commands: from their templates, and from plans."""

from __future__ import annotations

import pytest

from framework.errors import DescriptionError
from framework.plan.ast import Do, Reference, Sequence
from pilothouse.experiments.language.slots import Slot, plan_slots, template_slots


def test_a_template_gives_types_and_words_in_order() -> None:
    slots = template_slots(
        "take the apple from the  side table , and find Robin in the kitchen please",
        "take the {object alike} from the {location placement 1} , and find {name} "
        "in the {location room} please",
    )
    assert slots == (
        Slot("object alike", "apple"),
        Slot("location placement", "side table"),
        Slot("name", "robin"),
        Slot("location room", "kitchen"),
    )


@pytest.mark.parametrize(
    ("placeholder", "kind"),
    [
        ("object ?", "object"),
        ("object alike ?", "object alike"),
        ('object where category="tableware"', "object"),
        ("object where canpour=True", "object"),
        ("location room 2", "location room"),
        ("location placement ?", "location placement"),
        ("pron", "pron"),
    ],
)
def test_number_vagueness_and_condition_are_no_part_of_the_type(placeholder: str, kind: str) -> None:
    assert template_slots("give me  a thing", f"give me  {{{placeholder}}}") == (Slot(kind, "a thing"),)


def test_a_word_that_ends_as_the_next_one_begins_is_not_cut() -> None:
    slots = template_slots("put it on the nightstand and go", "put it on the {location placement} and go")
    assert slots == (Slot("location placement", "nightstand"),)


def test_a_sentence_without_slots_has_none() -> None:
    assert template_slots("close the door", "close the door") == ()


def test_a_sentence_of_another_template_is_said() -> None:
    with pytest.raises(DescriptionError, match="not of its template"):
        template_slots("open the door", "go to the {location room}")


def test_the_mark_of_a_question_does_not_count() -> None:
    slots = template_slots("answer a What time is it? please", "answer a {question} please")
    assert slots == (Slot("question", "what time is it"),)


def test_a_plan_gives_the_slots_in_the_order_of_the_sentence() -> None:
    bring = Do("bring", {"location_placement": "desk", "object": "cup", "colour": "red", "name": "Alex"})
    plan = Sequence((bring, Do("find", {"location_room": "kitchen", "name": "Alex"})))
    text = "bring Alex the red cup from the desk, then find Alex in the kitchen"
    assert plan_slots(plan, text) == (
        Slot("name", "alex"),
        Slot("object", "cup"),
        Slot("location placement", "desk"),
        Slot("name", "alex"),
        Slot("location room", "kitchen"),
    )


def test_a_second_slot_of_a_type_and_words_within_words() -> None:
    plan = Do("take", {"location_placement_2": "bed", "location_placement": "bedside table"})
    assert plan_slots(plan, "take it from the bedside table to the bed") == (
        Slot("location placement", "bedside table"),
        Slot("location placement", "bed"),
    )


def test_them_is_a_slot_and_it_is_none() -> None:
    plan = Sequence((Do("greet", {"name": Reference("them")}), Do("put", {"object": Reference("it")})))
    assert plan_slots(plan, "greet them, put it down") == (Slot("pron", "them"),)


def test_words_that_were_not_said_are_kept_so_that_they_count_as_wrong() -> None:
    assert plan_slots(Do("go", {"location_room": "kitchen"}), "go to the garage") == (
        Slot("location room", "kitchen"),
    )
