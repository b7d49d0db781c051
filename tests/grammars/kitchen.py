"""A domain without robots: what a kitchen helper could be asked. The parser must know nothing of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from framework.plan import Known
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import Phrases, SlotList
from framework.plugins.signature import ActionSpec


class Heat(StrEnum):
    LOW = "low"
    VERY_HIGH = "very_high"


def parameter(name: str, kind: Any, default: Any = msgspec.NODEFAULT, unit: str = "") -> ParameterSpec:
    return ParameterSpec(name, kind, default, unit)


def action(name: str, say: tuple[str, ...], *parameters: ParameterSpec, **more: Any) -> ActionSpec:
    lines = tuple(range(1, len(say) + 1))
    return ActionSpec(
        name, parameters=parameters, phrases=Phrases(f"{name}/phrases.yaml", say, lines, **more)
    )


KITCHEN = (
    action("set_table", ("(set|lay) the table",), samples=("please set the table",)),
    action("boil", ("boil [<some>] {food} [for {time_s}]",), parameter("food", str),
           parameter("time_s", float, 60.0, "s"), rules=(("some", "(some|a few)"),)),
    action("stir", ("stir [it] {times} times", "stir once{times:=1}"), parameter("times", int)),
    action("heat", ("turn the heat to {heat}", "[make it] {heat} heat"), parameter("heat", Heat)),
    action("light", ("turn the light {is_on}",), parameter("is_on", bool)),
    action("serve", ("serve {dish} [to {guest}]",), parameter("dish", str), parameter("guest", str, ""),
           lists=(SlotList("dish", "", (("soup_of_day", ("soup of the day", "the soup")),)),
                  SlotList("guest", "people"))),
)  # fmt: skip


class Guests:
    """A world that knows people and food."""

    def __init__(self, **names: tuple[str, ...]) -> None:
        self._names = names

    def names(self, kind: str) -> tuple[str, ...]:
        return self._names.get(kind, ())

    def known(self, kind: str) -> tuple[Known, ...]:
        return tuple(Known(name, name) for name in self.names(kind))
