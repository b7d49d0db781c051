"""Text for eyes → words for ears. Pure.

Numbers, units and lists become words; what only eyes can use (quotation marks, brackets, addresses) goes. And
what would stop the robot is never said by the robot: whoever hears "stop" while it speaks then knows that a
person has said it, and the ear for "emergency stop" need not know of the robot's own voice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

LONGEST: Final = 140
"""Characters that are said of one text; some 9 s, in which people are hardly heard. The rest can be read."""

GOES_ON: Final = "The rest is on the screen."

#: What the robot does not say, and what it says for it; all of `framework.dialogue.stopping.STOPS`.
UNSAID: Final[Mapping[str, str]] = {
    "emergency stopped": "latched for safety",
    "emergency stops": "safety latches",
    "emergency stop": "safety latch",
    "emergency": "danger",
    "estop": "safety latch",
    "e-stop": "safety latch",
    "stopped": "ended",
    "stopping": "ending",
    "stops": "ends",
    "stop": "end",
    "halted": "ended",
    "halts": "ends",
    "halt": "end",
    "freezes": "hangs",
    "freeze": "hang",
    "brakes": "slows down",
    "brake": "slow down",
    "aborted": "given up",
    "aborts": "gives up",
    "abort": "give up",
    "mayday": "danger",
    "whoa": "oh",
}

#: A unit behind a number: of one, of many.
_UNITS: Final[Mapping[str, tuple[str, str]]] = {
    "mm": ("millimetre", "millimetres"),
    "cm": ("centimetre", "centimetres"),
    "m": ("metre", "metres"),
    "km": ("kilometre", "kilometres"),
    "m/s": ("metre a second", "metres a second"),
    "cm/s": ("centimetre a second", "centimetres a second"),
    "rad/s": ("radian a second", "radians a second"),
    "°/s": ("degree a second", "degrees a second"),
    "ms": ("millisecond", "milliseconds"),
    "s": ("second", "seconds"),
    "min": ("minute", "minutes"),
    "h": ("hour", "hours"),
    "Hz": ("hertz", "hertz"),
    "°": ("degree", "degrees"),
    "rad": ("radian", "radians"),
    "%": ("percent", "percent"),
    "N m": ("newton metre", "newton metres"),
    "Nm": ("newton metre", "newton metres"),
    "N": ("newton", "newtons"),
    "kg": ("kilogram", "kilograms"),
    "g": ("gram", "grams"),
    "MB": ("megabyte", "megabytes"),
    "px": ("pixel", "pixels"),
}

_UNIT: Final = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_QUANTITY: Final = re.compile(rf"(?<![\w.])([-−]?)(\d+(?:\.\d+)?)(?: ?({_UNIT})(?![\w/]))?(?!\w|\.\d)")
_OPTION: Final = re.compile(r"(?:(?<=, )|(?<=\? )|(?<=: ))(\d{1,2}): ")
_ASIDE: Final = re.compile(r" ?\([^()]*\)")
_ADDRESS: Final = re.compile(r"\b(?:https?|file)://\S+|(?<!\w)(?:\.{0,2}/[\w.~+:-]+){2,}")
_MARKS: Final = re.compile(r"[\"“”„«»‘`*_|<>{}\[\]()#~^\\=]")
_SOUGHT: Final = "|".join(each.replace(" ", "[ -]+") for each in sorted(UNSAID, key=len, reverse=True))
_UNSAID: Final = re.compile(rf"(?<![^\W\d])({_SOUGHT})(?![^\W\d])", re.IGNORECASE)  # no letter beside it
_SENTENCE_END: Final = re.compile(r"[.!?](?= |$)")

_SMALL: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_MOST: Final = 1_000_000  # a longer number is said digit by digit


def speakable(text: str, longest: int = LONGEST) -> str:
    """How a text is said; "" if nothing of it can be. What is longer ends with where the rest is."""
    words = " ".join(text.replace("\n- ", ". ").replace("\n", ". ").split())
    words = _ADDRESS.sub("the address on the screen", words)
    words = _until_settled(words, lambda each: _ASIDE.sub("", each))
    words = _OPTION.sub(lambda found: f"{_whole(int(found[1]))}, ", words)
    words = _QUANTITY.sub(_quantity, words)
    words = words.replace("→", " to ").replace("…", ".").replace("–", ", ").replace("&", " and ")
    words = _MARKS.sub(" ", words)
    words = "".join(each if each.isprintable() else " " for each in words)
    words = _until_settled(" ".join(words.split()), lambda each: _UNSAID.sub(_instead, each))
    words = re.sub(r" ([.,;:!?])", r"\1", words)
    words = re.sub(r"([.!?;:,])[.;:,]+", r"\1", words)
    return _shortened(words, longest) if any(map(str.isalnum, words)) else ""


def number_in_words(digits: str) -> str:
    """ "12.5" is "twelve point five"; a number of seven digits or more is said digit by digit."""
    whole, _, fraction = digits.partition(".")
    said = _whole(int(whole)) if int(whole) < _MOST else " ".join(_SMALL[int(each)] for each in whole)
    return f"{said} point {' '.join(_SMALL[int(each)] for each in fraction)}" if fraction else said


def _whole(number: int) -> str:
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens, rest = divmod(number, 10)
        return _TENS[tens] + (f"-{_SMALL[rest]}" if rest else "")
    size, name = (100, "hundred") if number < 1000 else (1000, "thousand")
    most, rest = divmod(number, size)
    return f"{_whole(most)} {name}" + (f" {_whole(rest)}" if rest else "")


def _quantity(found: re.Match[str]) -> str:
    sign, digits, unit = found.groups()
    said = f"{'minus ' if sign else ''}{number_in_words(digits)}"
    if unit is None:
        return said
    one, many = _UNITS[unit]
    return f"{said} {one if float(digits) == 1.0 else many}"


def _instead(found: re.Match[str]) -> str:
    words = found[1].lower()
    said = UNSAID.get(words) or UNSAID[" ".join(re.split("[ -]+", words))]
    return said[0].upper() + said[1:] if found[1][0].isupper() else said


def _until_settled(text: str, change: Callable[[str], str]) -> str:
    """Changed until a change changes nothing: what is within another, or only comes about by a change."""
    while (changed := change(text)) != text:
        text = changed
    return text


def _shortened(words: str, longest: int) -> str:
    if len(words) <= longest:
        return words
    ends = [found.end() for found in _SENTENCE_END.finditer(words, 0, longest)]
    kept = words[: ends[-1]] if ends else words[:longest].rpartition(" ")[0] + "."
    return f"{kept} {GOES_ON}"
