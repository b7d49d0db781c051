"""Reading an action's class: needs, memory, risk, and what is refused with which words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from framework.errors import PilothouseError, PlanError, PluginUnavailable
from framework.plugins import Action, OnPreempt, Risk, action_spec, needs, param
from framework.plugins.need import in_words
from framework.plugins.signature import snake_case
from tests.framework.plugins.stage import Arm, Sensor


class Unfrozen(msgspec.Struct):
    name: str = ""


class Named(msgspec.Struct, frozen=True):
    name: str


class Memory(msgspec.Struct):
    tries: int = 0


class Follow(Action):
    """Follow a thing.

    At length.
    """

    continuous = True
    risk = Risk.MOVES
    on_preempt = "give_up"
    thing: str
    memory: Memory
    feed = needs(lambda given: Named(given.thing), Sensor)
    arm = needs(lambda given: [Arm("left"), Arm("right")], exclusive=True, returns=False)

    async def run(self) -> None: ...


def test_a_signature_says_all_that_others_need_to_know() -> None:
    spec = action_spec(Follow)
    assert (spec.name, spec.doc, spec.continuous, spec.risk) == (
        "follow",
        "Follow a thing.",
        True,
        Risk.MOVES,
    )
    assert spec.on_preempt is OnPreempt.GIVE_UP
    assert spec.memory_type is Memory
    assert [(need.name, need.exclusive, need.returns) for need in spec.needs] == [
        ("feed", False, True),
        ("arm", True, False),
    ]
    assert spec.requests({"thing": "hand"}) == {
        "feed": (Named("hand"), Sensor()),
        "arm": (Arm("left"), Arm("right")),
    }


def _made(**attributes: Any) -> type[Action]:
    async def run(self: Action) -> None: ...

    return type("Made", (Action,), {"run": run, **attributes})


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (_made(run=lambda self: None), "async def run"),
        (type("Empty", (Action,), {}), "async def run"),
        (_made(x=needs()), "names nothing that could be requested"),
        (_made(x=needs(Unfrozen)), "not frozen"),
        (_made(x=needs(Named)), "name"),
        (_made(x=needs("camera")), "cannot be requested"),
        (_made(x=needs(int)), "cannot be a request type"),
        (_made(risk="deadly"), "risk is one of none, moves, dangerous"),
        (_made(while_stopped=True, risk="moves"), "moves nothing"),
        (_made(while_stopped=True, continuous=True), "does not go on"),
        (_made(only_answers=True, risk="moves"), "moves and takes nothing"),
        (_made(only_answers=True, x=needs(Arm(), exclusive=True)), "moves and takes nothing"),
        (_made(on_preempt="wait"), "on_preempt one of resume, give_up"),
        (_made(__annotations__={"memory": dict}), "memory is annotated"),
        (_made(__annotations__={"memory": Named}), "cannot be made empty"),
    ],
)
def test_what_is_wrong_with_a_class_is_said(made: type[Action], reason: str) -> None:
    with pytest.raises(PluginUnavailable, match=reason):
        action_spec(made)


def test_a_need_that_cannot_be_worked_out_is_a_plan_error() -> None:
    class Odd(Action):
        feed = needs(lambda given: given.nothing)
        wrong = needs(lambda given: "camera")

        async def run(self) -> None: ...

    by_name = {need.name: need for need in action_spec(Odd).needs}
    for name, words in (("feed", "nothing"), ("wrong", "cannot be requested")):
        with pytest.raises(PlanError, match=words):
            by_name[name].requests({})


def test_a_need_that_these_parameters_do_not_have_asks_for_nothing() -> None:
    class Sometimes(Action):
        feed = needs(lambda given: () if given.blind else Named("camera"))
        blind: bool = False

        async def run(self) -> None: ...

    (need,) = action_spec(Sometimes).needs
    assert need.requests({"blind": True}) == ()
    assert need.requests({"blind": False}) == (Named("camera"),)


@pytest.mark.parametrize("priority", [2, "operator", None])
def test_a_priority_that_is_none_is_said(priority: object) -> None:
    with pytest.raises(PluginUnavailable, match=r"it is one of ph\.Priority\.BACKGROUND"):
        action_spec(_made(priority=priority))


def test_only_a_text_with_a_default_can_be_who_asks() -> None:
    asked = param(default=0, asked_by="sessions")
    with pytest.raises(PluginUnavailable, match="make it a str"):
        action_spec(_made(__annotations__={"session": int}, session=asked))
    with pytest.raises(PluginUnavailable, match="make it a str"):
        action_spec(_made(__annotations__={"session": str}, session=param(asked_by="sessions")))


def test_an_action_outside_of_a_runner_says_so() -> None:
    follow = Follow()
    with pytest.raises(PilothouseError, match="ActionRunner"):
        follow.say("hello")
    with pytest.raises(PilothouseError, match="when a runner has acquired it"):
        _ = follow.feed


@pytest.mark.parametrize(
    ("class_name", "name"),
    [
        ("Show", "show"),
        ("ShowEnvironment", "show_environment"),
        ("LookAt2", "look_at2"),
        ("GPSWalk", "gpswalk"),
    ],
)
def test_names_of_classes(class_name: str, name: str) -> None:
    assert snake_case(class_name) == name


def test_requests_in_words_leave_out_what_goes_without_saying() -> None:
    assert in_words(Sensor()) == "Sensor()"
    assert in_words(Sensor("poor")) == "Sensor(kind='poor')"
    assert in_words(Named("x")) == "Named(name='x')"


def test_a_request_that_has_words_of_its_own_is_said_in_them() -> None:
    class Cup(msgspec.Struct, frozen=True):
        colour: str

        def __str__(self) -> str:
            return f"the {self.colour} cup"

    assert in_words(Cup("red")) == "the red cup"
