"""Numbers and units at the beginning of a row of words."""

from __future__ import annotations

import math
from collections.abc import Sequence

_TO_TEN = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_UNDER_TWENTY = (*_TO_TEN, "eleven", "twelve", *_TEENS)
_ONES = {word: number for number, word in enumerate(_UNDER_TWENTY)}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}

#: For each unit of a signature: what people say, and how much of the unit it is.
_UNITS: dict[str, dict[str, float]] = {
    "m": {
        **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), 1.0),
        **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeter", "centimeters"), 0.01),
        **dict.fromkeys(("mm", "millimetre", "millimetres", "millimeter", "millimeters"), 0.001),
    },
    "s": {
        **dict.fromkeys(("s", "sec", "second", "seconds"), 1.0),
        **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
        **dict.fromkeys(("min", "minute", "minutes"), 60.0),
    },
    "Hz": dict.fromkeys(("hz", "hertz"), 1.0),
    "N": dict.fromkeys(("n", "newton", "newtons"), 1.0),
    "kg": dict.fromkeys(("kg", "kilo", "kilos", "kilogram", "kilograms"), 1.0),
    "rad": {
        **dict.fromkeys(("rad", "radian", "radians"), 1.0),
        **dict.fromkeys(("deg", "degree", "degrees"), math.pi / 180),
    },
    "°": dict.fromkeys(("deg", "degree", "degrees"), 1.0),
}


def number_at(words: Sequence[str], at: int) -> tuple[float, int] | None:
    """A number and the position after it; None if none begins here. "minus twenty five", "2.5", "half"."""
    sign = 1.0
    if at < len(words) and words[at] in ("minus", "negative", "plus"):
        sign = 1.0 if words[at] == "plus" else -1.0
        at += 1
    if at >= len(words):
        return None
    if (digits := _digits(words[at])) is not None:
        return sign * digits, at + 1
    if words[at] in ("half", "quarter"):
        return sign * (0.5 if words[at] == "half" else 0.25), at + 1
    return _spelled(words, at, sign)


def with_unit(words: Sequence[str], at: int, value: float, unit: str) -> tuple[float, int]:
    """The value in the signature's unit, after the unit that is said at `at`, if one is."""
    if at < len(words) and (factor := _UNITS.get(unit, {}).get(words[at])) is not None:
        return value * factor, at + 1
    return value, at


def _digits(word: str) -> float | None:
    try:
        value = float(word.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and word[-1].isdigit() else None


def _spelled(words: Sequence[str], at: int, sign: float) -> tuple[float, int] | None:
    total, group, begin = 0.0, 0.0, at
    previous = ""
    while at < len(words):
        word = words[at]
        if word in _ONES:
            if previous == "one" or (previous == "ten" and _ONES[word] > 9):
                break
            group += _ONES[word]
            previous = "one"
        elif word in _TENS:
            if previous in ("one", "ten"):
                break
            group += _TENS[word]
            previous = "ten"
        elif word in _SCALES and at > begin:
            if word == "hundred":
                group *= 100
            else:
                total, group = total + group * _SCALES[word], 0.0
            previous = "scale"
        elif word == "and" and previous == "scale" and at + 1 < len(words) and _is_part(words[at + 1]):
            pass
        else:
            break
        at += 1
    if at == begin:
        return None
    value = total + group
    if at + 1 < len(words) and words[at] == "point" and words[at + 1] in _ONES:
        at += 1
        scale = 0.1
        while at < len(words) and _ONES.get(words[at], 10) < 10:
            value += _ONES[words[at]] * scale
            scale /= 10
            at += 1
    return sign * value, at


def _is_part(word: str) -> bool:
    return word in _ONES or word in _TENS
