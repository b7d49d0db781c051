"""Where known things are to one another, in sentences."""

from __future__ import annotations

import time

import msgspec

import pilothouse as ph
from actions.describe import answering, comparing, words


def thing(name: str, x: float, kind: ph.ThingKind = ph.ThingKind.FIXTURE, part_of: str = "") -> ph.KnownThing:
    return ph.KnownThing(name, kind, (x, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0), part_of=part_of)


ROBOT = thing("inspector", 0.0, ph.ThingKind.ROBOT)
TABLE, SHELF, FAR = thing("table", 2.0), thing("shelf", 3.0), thing("door", 9.0)
CUP = thing("red cup", 2.1, ph.ThingKind.OBJECT, "table")
LOST = ph.KnownThing("drum", ph.ThingKind.FIXTURE)
THINGS = (ROBOT, TABLE, SHELF, FAR, CUP, LOST)


def test_where_nobody_knows_where_a_thing_is_nothing_is_told_of_it() -> None:
    assert "I do not know where" in comparing.beside(LOST, THINGS)
    assert "I do not know where" in comparing.between(TABLE, LOST)
    assert "I do not know where" in comparing.nearest((LOST,), "", THINGS)


def test_what_is_beside_a_thing_is_neither_far_nor_on_it() -> None:
    told = comparing.beside(TABLE, THINGS)
    assert told == "Next to the table I know the shelf (1.0 m from it)."
    assert comparing.beside(FAR, THINGS).startswith("I know of nothing next to the door.")


def test_how_far_two_things_are_apart() -> None:
    assert comparing.between(TABLE, FAR) == "From the table to the door it is 7.0 m, from middle to middle."


def test_which_one_is_nearest_or_farthest() -> None:
    assert comparing.nearest((TABLE, FAR), "which is nearest", THINGS).startswith("The nearest is the table.")
    assert comparing.nearest((TABLE, FAR), "the farthest?", THINGS).startswith("The farthest is the door.")


def test_whether_a_thing_stands_on_another() -> None:
    assert comparing.standing(CUP, "table", THINGS).startswith("Yes, as far as I know.")
    assert comparing.standing(CUP, "shelf", THINGS).startswith("No, as far as I know.")


TOLD_S = 1.8e9
TOLD = f"I was told so {time.strftime('at %H:%M on ', time.localtime(TOLD_S))}"
KITCHEN = ph.KnownThing("kitchen", ph.ThingKind.PLACE, (2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), (3.0, 3.0, 0.0))
ANN = msgspec.structs.replace(thing("Ann", 2.5, ph.ThingKind.PERSON), told_wall_s=TOLD_S)
SEEN = thing("Bob", 2.0, ph.ThingKind.PERSON)
AT_HOME = (ROBOT, KITCHEN, ANN)


def test_where_a_person_is_is_told_with_when_that_was_told() -> None:
    for told in (words.one(ANN, AT_HOME), comparing.standing(ANN, "kitchen", AT_HOME)):
        assert "Ann is in the kitchen, 2.5 m in front of me." in told
        assert TOLD in told and told.endswith("and people walk: I do not see them.")
    assert "told" not in words.one(SEEN, (ROBOT, SEEN)), "a sensor follows him"


def test_whether_something_is_somewhere_nobody_knows_of_what_is_nowhere() -> None:
    assert comparing.standing(LOST, "table", THINGS) == (
        "I cannot know that: nothing tells me where the drum is."
    )


def test_who_is_in_a_room_is_who_was_told_of() -> None:
    told = answering.who("kitchen", AT_HOME)
    assert told.startswith(f"I know Ann in the kitchen. {TOLD}")
    assert answering.who("kitchen", (ROBOT, KITCHEN)).startswith("I know of nobody")
    assert answering.who("", (ROBOT, SEEN)) == "I know Bob."


def test_rooms_and_people_are_counted_as_what_they_are() -> None:
    assert answering.how_many("room", "", "", AT_HOME).startswith("I know 1 place: the kitchen.")
    assert answering.how_many("person", "", "", AT_HOME).startswith("I know 1 person: Ann.")
