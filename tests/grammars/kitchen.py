"""A domain without robots: what a kitchen helper could be asked. The parser must know nothing of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from framework.plan import Comparison, Do, Known, Plan, Understood, Value
from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import Phrases, SlotList
from framework.plugins.signature import ActionSpec
from framework.plugins.template import parse_template
from grammars import Language
from grammars.conditions import Sayable
from tests.grammars.compiled_later import CompiledLater


class Heat(StrEnum):
    LOW = "low"
    VERY_HIGH = "very_high"


def parameter(
    name: str, kind: Any, default: Any = msgspec.NODEFAULT, unit: str = "", **limits: Any
) -> ParameterSpec:
    return ParameterSpec(name, kind, default, unit, **limits)


def action(
    name: str, say: tuple[str, ...], *parameters: ParameterSpec, continuous: bool = False, **more: Any
) -> ActionSpec:
    lines = tuple(range(1, len(say) + 1))
    phrases = Phrases(f"{name}/phrases.yaml", say, lines, **more)
    return ActionSpec(name, parameters=parameters, phrases=phrases, continuous=continuous)


POTS = SlotList("pot", "pots")
KITCHEN = (
    action("set_table", ("(set|lay) the table",), samples=("please set the table",)),
    action("boil", ("boil [<some>] {food} [for {time_s}]",), parameter("food", str),
           parameter("time_s", float, 60.0, "s"), rules=(("some", "(some|a few)"),)),
    action("stir", ("stir [it] {times} times", "stir once{times:=1}"), parameter("times", int)),
    action("heat", ("turn the heat to {heat}", "[make it] {heat} heat"), parameter("heat", Heat)),
    action("light", ("turn the light {is_on}",), parameter("is_on", bool)),
    action("serve", ("serve {dish} [to {guest}]",), parameter("dish", str), parameter("guest", str, ""),
           lists=(SlotList("dish", "", (("soup_of_day", ("soup of the day", "the soup")),
                                        ("stew", ("stew",)))),
                  SlotList("guest", "people"))),
    action("watch", ("(watch|observe) {pot}", "keep an eye on {pot}"), parameter("pot", str),
           continuous=True, lists=(POTS,)),
    action("hum", ("hum [a song]",), continuous=True, samples=("hum a song",)),
    action("announce", ("announce {text}",), parameter("text", str)),
    action("move", ("move {pot} [by] {way_m}",), parameter("pot", str), parameter("way_m", float, unit="m"),
           lists=(POTS,)),
)  # fmt: skip
WAIT = action("wait", ("wait [for] {duration_s}",), parameter("duration_s", float, unit="s"))


def ways(name: str, *texts: str, **more: Any) -> tuple[Sayable, ...]:
    return tuple(Sayable(name, parse_template(text), lists={"pot": POTS}, **more) for text in texts)


CONDITIONS = (
    *ways("boiling", "{pot} is boiling", "you see {pot} boil"),
    *ways("boiling", "{pot} is cold", is_so=False),
    *ways("weight", "{pot} is heavier than {value}", comparison=Comparison.MORE, unit="kg"),
)


class Guests:
    """A world that knows people, pots and food."""

    def __init__(self, *known: Known, **names: tuple[str, ...]) -> None:
        self._names = names
        self._known = known

    def names(self, kind: str) -> tuple[str, ...]:
        return tuple(known.name for known in self.known(kind))

    def known(self, kind: str) -> tuple[Known, ...]:
        more = self._known if kind == "pots" else ()
        return (*(Known(name, name) for name in self._names.get(kind, ())), *more)


def both_watch(one: Do, other: Do) -> str:
    """There is only one pair of eyes."""
    return "the eyes" if one.action == other.action == "watch" else ""


WORLD = Guests(
    people=("Ann", "Uncle_Bob", "Bob"),
    food=("eggs", "rice"),
    pots=("kettle", "red pot", "pan", "salt and pepper"),
)
LANGUAGE = CompiledLater((*KITCHEN, WAIT), conditions=CONDITIONS, collide=both_watch)


def do(name: str, /, **values: Value) -> Do:
    return Do(name, dict(values))


def plan_of(text: str, language: Language = LANGUAGE, world: Any = WORLD) -> Plan:
    """What a text means, if it can mean only one thing and needs no correction."""
    result = language.parse(text, world)
    assert isinstance(result, Understood), f"{text!r}: {result}"
    sure = result.readings[0].confidence
    best = [reading.plan for reading in result.readings if reading.confidence == sure]
    assert len(best) == 1, f"{text!r} may mean {best}"
    assert not result.readings[0].is_assumed
    return best[0]
