"""The units people say, as exact factors of SI. Data only; `reading/quantities.py` reads and writes them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec

TIME = "s"
LENGTH, ANGLE = "m", "rad"
#: "three times", "10 times per second": a number that nothing with a unit can be.
COUNT = "times"


class Unit(msgspec.Struct, frozen=True):
    """A unit. factor: how much of the SI unit `dimension` one of it is; is_pi: times π.

    next_smaller: factor of the unit that a bare number after it is in ("1 m 20"); 0 if in none.
    is_vague: no two people mean the same by it: "two steps".
    """

    dimension: str
    factor: Fraction
    is_pi: bool = False
    next_smaller: Fraction = Fraction(0)
    is_vague: bool = False

    def per(self, time: Unit) -> Unit | None:
        """This unit per a unit of time; None if nobody measures that."""
        rate = _RATES.get(self.dimension)
        return Unit(rate, self.factor / time.factor, self.is_pi) if rate else None


_RATES = {"m": "m/s", "rad": "rad/s", COUNT: "Hz"}


def _units() -> dict[tuple[str, ...], Unit]:
    found: dict[tuple[str, ...], Unit] = {}

    def add(
        names: str,
        dimension: str,
        factor: str,
        *,
        is_pi: bool = False,
        smaller: str = "0",
        is_vague: bool = False,
    ) -> None:
        for name in names.split():
            words = tuple(name.split("_"))
            found[words] = Unit(dimension, Fraction(factor), is_pi, Fraction(smaller), is_vague)

    for metre in ("metre", "metres", "meter", "meters"):
        add(metre, "m", "1", smaller="0.01")
        add(f"kilo{metre}", "m", "1000", smaller="1")
        add(f"centi{metre}", "m", "0.01")
        add(f"milli{metre}", "m", "0.001")
        add(f"micro{metre}", "m", "0.000001")
        add(f"newton_{metre}", "N m", "1")
    add("m", "m", "1", smaller="0.01")
    add("km", "m", "1000", smaller="1")
    add("mtr mtrs mts metr", "m", "1", smaller="0.01")
    add("cm cms centi centis cent_metre", "m", "0.01")
    add("mm mms milli millis mil", "m", "0.001")
    add("micron microns μm", "m", "0.000001")
    add("inch inches inchs ″", "m", "0.0254")
    add("foot feet ft ′", "m", "0.3048", smaller="0.0254")
    add("yard yards yd yds", "m", "0.9144")
    add("mile miles", "m", "1609.344")
    add("step steps pace paces stride strides footstep footsteps", "m", "0.5", is_vague=True)
    add("s sec secs second seconds", TIME, "1")
    add("ms msec millisecond milliseconds", TIME, "0.001")
    add("min mins minute minutes", TIME, "60", smaller="1")
    add("h hr hrs hour hours", TIME, "3600", smaller="60")
    add("day days", TIME, "86400")
    add("rad rads radian radians", "rad", "1")
    add("mrad milliradian milliradians", "rad", "0.001")
    add("deg degs degree degrees", "rad", "1/180", is_pi=True)
    add("turn turns revolution revolutions rotation rotations rev revs", "rad", "2", is_pi=True)
    add("circle circles full_circle full_circles", "rad", "2", is_pi=True)
    add("n newton newtons", "N", "1")
    add("kn kilonewton kilonewtons", "N", "1000")
    add("nm n_m", "N m", "1")
    add("kg kilo kilos kilogram kilograms kilogramme kilogrammes", "kg", "1")
    add("g gram grams gramme grammes", "kg", "0.001")
    add("lb lbs pound pounds", "kg", "0.45359237")
    add("hz hertz fps", "Hz", "1")
    add("khz kilohertz", "Hz", "1000")
    add("kph kmh", "m/s", "5/18")
    add("mph", "m/s", "0.44704")
    add("mps", "m/s", "1")
    add("rpm", "rad/s", "1/30", is_pi=True)
    add("percent pct per_cent", "fraction", "0.01")
    add("px pixel pixels", "px", "1")
    add("times time", COUNT, "1")
    return found


#: What may stand between a number and its unit without changing either: "two full metres", "thirty-odd cm".
WITHIN = frozenset((
    "full", "whole", "good", "odd", "solid", "long", "entire", "complete", "ish",
    "giant", "big", "large", "small", "little", "tiny", "baby", "single",
))  # fmt: skip
#: Units as they are written and not spoken.
ABBREVIATIONS = frozenset((
    "m", "km", "cm", "mm", "μm", "ft", "yd", "mtr", "mtrs", "mts",
    "metr", "cms", "mms", "yds", "′", "″", "s", "sec", "secs", "ms", "msec", "min", "mins", "h", "hr",
    "hrs", "rad", "rads", "mrad", "deg", "degs", "rev", "revs", "n", "kn", "nm", "kg", "g", "lb", "lbs",
    "hz", "khz", "fps", "kph", "kmh", "mph", "mps", "rpm", "px", "pct",
))  # fmt: skip
#: By the words that are said.
UNITS: Mapping[tuple[str, ...], Unit] = _units()

#: For the unit of a signature (`framework.plugins.parameters.UNITS`): the SI unit, and how much of it it is.
SIGNATURE_UNITS: Mapping[str, Unit] = {
    **{
        unit: Unit(unit, Fraction(1))
        for unit in ("m", "s", "rad", "N", "N m", "kg", "Hz", "m/s", "rad/s", "px", "fraction", COUNT)
    },
    "": Unit("", Fraction(1)),
    "mm": Unit("m", Fraction(1, 1000)),
    "cm": Unit("m", Fraction(1, 100)),
    "ms": Unit(TIME, Fraction(1, 1000)),
    "°": Unit("rad", Fraction(1, 180), is_pi=True),
    "0 to 1": Unit("fraction", Fraction(1)),
}


class Spoken(msgspec.Struct, frozen=True):
    """A unit as it is written for people, used for amounts from `least` up to `most` of it."""

    one: str
    many: str
    unit: Unit
    least: Fraction = Fraction(0)
    most: Fraction = Fraction(10**9)


def _spoken(one: str, many: str, least: str = "0", most: str = "1000000000") -> Spoken:
    return Spoken(one, many, UNITS[tuple(many.split())], Fraction(least), Fraction(most))


#: For the unit of a signature: how amounts of it are written; what fits first is taken, the last fits all.
SPOKEN: Mapping[str, tuple[Spoken, ...]] = {
    "m": (
        _spoken("metre", "metres", "1", "1000"),
        _spoken("kilometre", "kilometres", "1"),
        _spoken("centimetre", "centimetres", "1"),
        _spoken("millimetre", "millimetres", "0.001"),
        _spoken("metre", "metres"),
    ),
    TIME: (
        _spoken("hour", "hours", "1"),
        _spoken("minute", "minutes", "1"),
        _spoken("second", "seconds", "1"),
        _spoken("millisecond", "milliseconds", "1"),
        _spoken("second", "seconds"),
    ),
    "rad": (_spoken("degree", "degrees", "0.001"), _spoken("radian", "radians")),
    "N": (_spoken("newton", "newtons"),),
    "N m": (_spoken("newton metre", "newton metres"),),
    "kg": (
        _spoken("kilogram", "kilograms", "1"),
        _spoken("gram", "grams", "1"),
        _spoken("kilogram", "kilograms"),
    ),
    "Hz": (_spoken("hertz", "hertz"),),
    "px": (_spoken("pixel", "pixels"),),
    "fraction": (_spoken("percent", "percent"),),
    "0 to 1": (_spoken("percent", "percent"),),
    "mm": (_spoken("millimetre", "millimetres"),),
    "cm": (_spoken("centimetre", "centimetres"),),
    "ms": (_spoken("millisecond", "milliseconds"),),
    "°": (_spoken("degree", "degrees"),),
    "m/s": (
        Spoken("metre per second", "metres per second", Unit("m/s", Fraction(1)), Fraction(1)),
        Spoken("centimetre per second", "centimetres per second", Unit("m/s", Fraction(1, 100)), Fraction(1)),
        Spoken(
            "millimetre per second", "millimetres per second", Unit("m/s", Fraction(1, 1000)), Fraction(1)
        ),
        Spoken("metre per second", "metres per second", Unit("m/s", Fraction(1))),
    ),
    "rad/s": (
        Spoken(
            "degree per second",
            "degrees per second",
            Unit("rad/s", Fraction(1, 180), True),
            Fraction(1, 1000),
        ),
        Spoken("radian per second", "radians per second", Unit("rad/s", Fraction(1))),
    ),
}

_METRES = tuple(
    f"{prefix}{metre}" for prefix in ("", "kilo", "centi", "milli", "micro") for metre in ("metre", "metres")
)

#: Units that are written short or otherwise, as people say them: "cm" and "centimeters" are "centimetres".
IN_FULL: Mapping[str, str] = {each.replace("metre", "meter"): each for each in _METRES} | {
    short: each.many
    for short in ABBREVIATIONS
    for written in SPOKEN.values()
    for each in reversed(written)
    if (unit := UNITS.get((short,))) is not None
    and (each.unit.dimension, each.unit.factor, each.unit.is_pi) == (unit.dimension, unit.factor, unit.is_pi)
}
