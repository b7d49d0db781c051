"""Parameters: what a class may state, what plain data becomes, and how every problem is named."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import pytest

from framework.errors import DescriptionError, PlanError, PluginUnavailable
from framework.plugins import Action, Driver, action_spec, param
from framework.plugins.driver import parameters_of
from framework.plugins.parameters import Parameters, convert, read_parameters


class Grip(StrEnum):
    FIRM = "firm"
    SOFT = "soft"


class Place(msgspec.Struct, frozen=True):
    x_m: float
    y_m: float = 0.0


class Reach(Action):
    target: str
    distance_m: float = param(default=0.3, ge=0.1, le=0.8)
    speed: float = param(default=0.1, gt=0.0, lt=1.0, unit="m/s")
    times: int = 1
    grip: Grip = Grip.SOFT
    side: Literal["left", "right"] = "left"
    place: Place | None = None
    way: str = param(default="straight", one_of=("straight", "round"))

    async def run(self) -> None: ...


PARAMETERS = read_parameters(Reach, Action)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, ["reach needs target: str"]),
        ({"target": "cup", "distance_m": 3}, ["distance_m = 3", "too large", "from 0.1 to 0.8 m"]),
        ({"target": "cup", "distance_m": 0.0}, ["too small"]),
        ({"target": "cup", "distance_m": math.nan}, ["not finite"]),
        ({"target": "cup", "distance_m": math.inf}, ["not finite"]),
        ({"target": "cup", "distance_m": "far"}, ["distance_m = 'far'", "float"]),
        ({"target": "cup", "distance_m": True}, ["distance_m = True", "bool"]),
        ({"target": "cup", "speed": 0.0}, ["speed = 0.0", "> 0 and < 1 m/s"]),
        ({"target": "cup", "times": 1.5}, ["times = 1.5", "int"]),
        ({"target": 7}, ["target = 7"]),
        ({"target": "cup", "grip": "hard"}, ["grip = 'hard'", "one of 'firm', 'soft'"]),
        ({"target": "cup", "side": "up"}, ["side = 'up'", "one of 'left', 'right'"]),
        ({"target": "cup", "place": {"x_m": "one"}}, ["place", "x_m"]),
        ({"target": "cup", "place": {"x_m": math.inf}}, ["not finite"]),
        ({"target": "cup", "way": "crooked"}, ["way = 'crooked'", "one of 'straight', 'round'"]),
        ({"target": "cup", "colour": "red"}, ["no parameter 'colour'", "it has target, distance_m"]),
        ({"colour": "red", "times": "x"}, ["colour", "times", "target"]),
    ],
)
def test_each_problem_names_parameter_value_and_what_is_allowed(
    given: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(PlanError) as caught:
        convert("reach", PARAMETERS, given)
    for word in words:
        assert word in str(caught.value)


def test_plain_data_becomes_typed_values() -> None:
    values = convert(
        "reach", PARAMETERS, {"target": "cup", "distance_m": 0.5, "grip": "firm", "place": {"x_m": 1}}
    )
    assert values == {
        "target": "cup",
        "distance_m": 0.5,
        "speed": 0.1,
        "times": 1,
        "grip": Grip.FIRM,
        "side": "left",
        "place": Place(1.0),
        "way": "straight",
    }


def test_the_name_says_the_unit() -> None:
    units = {parameter.name: parameter.unit for parameter in PARAMETERS}
    assert units["distance_m"] == "m"
    assert units["speed"] == "m/s"
    assert units["times"] == ""


def test_parameters_are_inherited_and_may_be_narrowed() -> None:
    class Near(Reach):
        distance_m: float = param(default=0.2, ge=0.1, le=0.25)
        how: str = "gently"

    names = {parameter.name: parameter for parameter in read_parameters(Near, Action)}
    assert names["distance_m"].le == 0.25
    assert {"target", "how"} <= set(names)


def _action(annotation: Any, **attributes: Any) -> type[Action]:
    async def run(self: Action) -> None: ...

    return type("Made", (Action,), {"__annotations__": {"x": annotation}, "run": run, **attributes})


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (_action("Unknown"), "name 'Unknown' is not defined"),
        (_action("1 +"), "cannot be read"),
        (_action(object), "allowed are bool, int"),
        (_action(Any), "allowed are bool, int"),
        (_action(Action), "allowed are bool, int"),
        (_action(float, x=param(default=2.0, le=1.0)), "too large"),
        (_action(float, x="near"), "default 'near' of parameter x"),
        (_action(str, x=param(default="a", ge=1.0)), "has bounds, but it is no number"),
    ],
)
def test_a_bad_annotation_is_a_reason_not_an_accident(made: type[Action], reason: str) -> None:
    with pytest.raises(PluginUnavailable, match=reason.replace("+", r"\+")):
        action_spec(made)


def test_a_parameter_must_not_hide_what_every_action_has() -> None:
    class Talker(Action):
        say: str = "hello"  # type: ignore[assignment]

        async def run(self) -> None: ...

    with pytest.raises(PluginUnavailable, match="say has the name of something every action has"):
        action_spec(Talker)


# ---------------------------------------------------------------- what travels to a driver's process


class Drawing(Parameters, frozen=True):
    rate_hz: Annotated[float, msgspec.Meta(ge=0.1, le=60.0, description="of the pictures")] = 10.0
    width: Annotated[int, msgspec.Meta(ge=16, extra={"unit": "px"})] = 848


class Told(Drawing, frozen=True, kw_only=True):
    device: str


class Drawn(Driver):
    mount: str = "front"
    drawing: Drawing


def test_a_driver_has_each_field_of_what_travels_as_a_parameter_of_its_own() -> None:
    mount, rate, width = parameters_of(Drawn)
    assert (mount.name, rate.name, width.name) == ("mount", "rate_hz", "width")
    assert (rate.allowed, rate.doc, rate.default) == ("float from 0.1 to 60 Hz", "of the pictures", 10.0)
    assert width.unit == "px"
    driver = Drawn(rate_hz=30, mount="roof")
    assert (driver.mount, driver.drawing) == ("roof", Drawing(30.0))
    told = Told(device="eye", **msgspec.structs.asdict(driver.drawing))
    assert msgspec.json.decode(msgspec.json.encode(told), type=Told) == told


@pytest.mark.parametrize("wrong", [{"rate_hz": 61}, {"rate_hz": math.nan}, {"width": 15}, {"width": "wide"}])
def test_what_travels_is_checked_for_the_driver_and_by_itself(wrong: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=next(iter(wrong))):
        Drawn(**wrong)
    if "wide" not in wrong.values():
        with pytest.raises(DescriptionError, match=next(iter(wrong))):
            Told(device="eye", **wrong)
