"""The household language: a whole domain as data, beyond the sentences of the development set."""

from __future__ import annotations

import pytest

from framework.plan.ast import actions_of
from framework.plan.parser import NotUnderstood, Understood
from grammars import Language
from grammars.domain import Domain, read_domain
from pilothouse.experiments.language.sets import files
from pilothouse.experiments.language.slots import plan_slots

FILE = files({})["household"]


@pytest.fixture(scope="module")
def domain() -> Domain:
    return read_domain(FILE)


@pytest.fixture(scope="module")
def language(domain: Domain) -> Language:
    return Language(domain.actions, conditions=domain.conditions)


def test_every_sample_is_its_own_action_and_no_other(domain: Domain, language: Language) -> None:
    for spec in domain.actions:
        for sample in spec.phrases.samples:
            answer = language.parse(sample, domain.world)
            assert isinstance(answer, Understood), f"{sample!r}: {answer}"
            best = [each for each in answer.readings if each.confidence == answer.readings[0].confidence]
            found = [getattr(each.plan, "action", each.plan) for each in best]
            assert found == [spec.name], sample


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        (
            "find Robin in the garage, then escort them to the sofa",
            [("name", "robin"), ("location room", "garage"), ("pron", "them"), ("location beacon", "sofa")],
        ),
        (
            "could you hand the milk to the woman wearing glasses in the office",
            [("object", "milk"), ("location room", "office")],
        ),
        (
            "get the lemon from the fridge and put it on the kitchen table",
            [
                ("object alike", "lemon"),
                ("location placement", "fridge"),
                ("location placement", "kitchen table"),
            ],
        ),
        (
            "tell me how many guests there are in the hallway and answer a What time is it?",
            [("location room", "hallway"), ("question", "what time is it")],
        ),
        ("answer a Which river is the longest? please", [("question", "which river is the longest")]),
    ],
)
def test_other_rooms_people_and_things(
    domain: Domain, language: Language, text: str, slots: list[tuple[str, str]]
) -> None:
    answer = language.parse(text, domain.world)
    assert isinstance(answer, Understood), answer
    assert [tuple(slot) for slot in plan_slots(answer.readings[0].plan, text)] == slots


def test_near_and_under_are_kept(domain: Domain, language: Language) -> None:
    for said, relation in (
        ("under", "under"),
        ("next to", "near"),
        ("to the left of", "left of"),
        ("on", None),
    ):
        answer = language.parse(f"put the cup {said} the table", domain.world)
        assert isinstance(answer, Understood), answer
        (do,) = actions_of(answer.readings[0].plan)
        assert (do.parameters.get("relation"), do.parameters["location_placement"]) == (relation, "table")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("connect the phone to the charger", "disconnect the phone from the charger"),
        ("close the front door", "lock the front door"),
        ("come here", "go back"),
        ("raise the blinds", "lower the blinds"),
        ("switch the light on", "switch the light off"),
        ("push the chair", "pull the chair"),
    ],
)
def test_what_means_something_else_is_another_plan(
    domain: Domain, language: Language, one: str, other: str
) -> None:
    plans = []
    for text in (one, other):
        answer = language.parse(text, domain.world)
        assert isinstance(answer, Understood), answer
        plans.append(answer.readings[0].plan)
    assert plans[0] != plans[1]


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("find the person who is waving", {"who": "person", "gesture": "waving"}),
        (
            "find the woman in the red dress who is sitting on the sofa",
            {
                "who": "woman",
                "colour": "red",
                "outfit": "dress",
                "posture": "sitting",
                "location_beacon": "sofa",
            },
        ),
        (
            "bring me the bottle that is on the table in the kitchen",
            {"object": "bottle", "location_placement": "table", "location_room": "kitchen"},
        ),
        ("bring me something to drink", {"object_2": "drink"}),
        ("take the book with the blue cover", {"object": "book", "colour_2": "blue", "having": "cover"}),
    ],
)
def test_what_tells_which_one_is_meant(
    domain: Domain, language: Language, text: str, parameters: dict[str, str]
) -> None:
    answer = language.parse(text, domain.world)
    assert isinstance(answer, Understood), answer
    (do,) = actions_of(answer.readings[0].plan)
    assert do.parameters == parameters


@pytest.mark.parametrize(
    "text",
    [
        "there are some bags in the drawer can you take one",
        "fly to the kitchen",
        "find the unicorn in the kitchen",
        "put the sofa on the milk",
        "show the camera",
    ],
)
def test_what_is_no_command_of_this_kind_is_refused(domain: Domain, language: Language, text: str) -> None:
    assert isinstance(language.parse(text, domain.world), NotUnderstood)
