"""Numbers with units in a row of words, as people say them, in SI; and the way back into words.

Everything is worked out exactly and rounded once, so that "35 cm" is 0.35, and what `in_words` writes is
read back as the very same value. Which words are units is told to `quantities_at`: the recogniser finds them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from fractions import Fraction
from typing import Final

import msgspec

from grammars.reading.numerals import TIMES, Number, numbers_at, part_at
from grammars.reading.utterance import Quantity
from grammars.units import COUNT, SIGNATURE_UNITS, SPOKEN, TIME, WITHIN, Unit

# Units that are also the beginning of something else to do ("two metres turn left").
_ALSO_VERBS = frozenset(("turn", "rev", "time"))
#: "A turn to the left" says nothing of how far.
_NEVER_ALONE = frozenset(("turn", "rotation", "rev"))
_INSIDE = frozenset(("-", "+", "/"))
#: Between two numbers: "20 to 30 cm", "two or three metres".
_RANGE = frozenset(("to", "or", "-"))
_SPOIL = frozenset(("per", "/", "celsius", "fahrenheit", "squared", "cubed"))


class UnitSpan(msgspec.Struct, frozen=True):
    """A unit that stands in the words. end: the position after it."""

    end: int
    unit: Unit


Spans = Mapping[int, tuple[UnitSpan, ...]]
"""Units by the position where they begin, the longest first."""


def quantities_at(
    words: Sequence[str], starts: Iterable[int], units: Spans, after_a: Set[int] = frozenset()
) -> dict[int, tuple[Quantity, ...]]:
    """Every quantity by where it begins, the longest first; and the shorter ones it may also be.

    starts: the positions that are looked at, those of numbers. "A second" is found at its unit.
    after_a: positions before which "a" or "an" was dropped.
    What contradicts itself ("two metres seconds") is none.
    """
    found: dict[int, tuple[Quantity, ...]] = {}
    reader = _Reader(words, units, after_a)
    alone = (at for at in after_a if at in units or (at < len(words) and words[at] in WITHIN))
    for at in sorted({*starts, *alone}):
        # "five metres" of "minus twenty five metres", "20 s" of "10-20 s" is not what was said
        if at < reader.taken or (at and words[at - 1] in _INSIDE):
            continue
        quantities = sorted(reader.read(at), key=lambda each: -each.end)
        if quantities:
            found[at] = tuple(dict.fromkeys(quantities))
    return found


def converted(quantity: Quantity, unit: str) -> float | None:
    """What a quantity is in the unit of a signature; None if it cannot be that.

    A bare number is in that unit already; "three times" is only a number, "50 percent" is one too.
    """
    wanted = SIGNATURE_UNITS.get(unit)
    if quantity.unit == "" or quantity.unit == unit:
        return quantity.value
    if wanted is None:
        return None
    if not wanted.dimension:
        return quantity.value if quantity.unit in (COUNT, "fraction") else None
    if wanted.dimension != quantity.unit:
        return None
    value = quantity.value / math.pi if wanted.is_pi else quantity.value
    return _nearest(value, wanted.factor)


def guessed(value: float, unit: str, fits: Callable[[float], bool]) -> tuple[float, bool] | None:
    """(value, whether that is sure) of a bare number in the unit of a signature, as people leave units out.

    Angles are in degrees and times in seconds; a length is in the greatest unit in which it fits, and that is
    never sure. None if it fits in none of them.
    """
    wanted = SIGNATURE_UNITS.get(unit)
    usual = _USUAL.get(wanted.dimension, ()) if wanted is not None and unit == wanted.dimension else ()
    for factor, sure_from in usual or ((1.0, math.inf),):
        if fits(value * factor):
            return value * factor, abs(value) >= sure_from or value == 0
    return None


#: By dimension: (one of the unit in SI, from how many of it on there is no doubt).
_USUAL: Final[Mapping[str, tuple[tuple[float, float], ...]]] = {
    "rad": ((math.pi / 180, 5.0),),
    TIME: ((1.0, 0.0),),
    "m": ((1.0, math.inf), (0.01, math.inf), (0.001, math.inf)),
}


#: Numbers with so many digits are short.
_MOST_SHORT: Final = 6


def in_words(value: float, unit: str = "") -> str:
    """A value in the unit of a signature as a person would write it: "10 seconds", "30 centimetres".

    What it says is read back, and `converted` to the unit, as exactly this value. For a value that is not
    finite there are no such words.
    """
    if not math.isfinite(value):
        return f"{value}"
    sign = "minus " if value < 0 else ""
    value = abs(value)
    if unit == TIME and 60 < value < 86400 and value == int(value) and value % 60:
        return sign + _minutes(int(value))
    ways = [
        (number, spoken)
        for spoken in SPOKEN.get(unit, ())
        if (number := _number(value, unit, spoken.unit)) is not None
        and spoken.least <= Fraction(number) < spoken.most
    ]
    if ways:  # what was said in radians is no 57.29577951308232 degrees
        short = (way for way in ways if len(way[0].replace(".", "")) <= _MOST_SHORT)
        number, spoken = next(short, ways[0])
        return f"{sign}{number} {spoken.one if number == '1' else spoken.many}"
    return sign + _plain(value)  # a bare number is in the signature's unit, whatever that is


class _Reader:
    """The quantities at positions of one text. taken: the position after the last number and its unit."""

    def __init__(self, words: Sequence[str], units: Spans, after_a: Set[int]) -> None:
        self._words = words
        self._units = units
        self._after_a = after_a
        self.taken = 0

    def read(self, at: int) -> Iterator[Quantity]:
        if self._words[at] in TIMES:
            yield Quantity(float(TIMES[self._words[at]]), at + 1, COUNT, is_whole=True)
            return
        numbers = numbers_at(self._words, at, self._after_a)
        is_unit_alone = (
            not numbers
            and at in self._after_a
            and self._past(at) in self._units
            and self._words[at] not in _NEVER_ALONE
        )
        for number in (Number(Fraction(1), at),) if is_unit_alone else numbers:
            after = number.end
            self.taken = max(self.taken, at + 1 if number.may_begin_later else after)
            if number.is_part and self._word(after) == "of":
                after += 1
            spans = self._spans(self._past(after))
            if not spans:
                yield from self._lower_end(number)
            if spans and not number.may_begin_later:
                self.taken = max(self.taken, *(span.end for span in spans))
            fitting = [span for span in spans if not self._is_contradicted(span)]
            if spans and not fitting:
                continue
            several = [
                msgspec.structs.replace(quantity, is_vague=span.unit.is_vague)
                for span in fitting
                for quantity in self._sums(number, span)
            ]
            is_bare = not is_unit_alone and not any(span.unit.is_vague for span in fitting)
            if is_bare and self._words[at] != "point" and not number.is_spelt:
                several += _quantity(number.value, Unit("", Fraction(1)), number.end)
            for quantity in several:
                yield msgspec.structs.replace(quantity, is_vague=quantity.is_vague or number.is_vague)

    def _past(self, at: int) -> int:
        """The place behind words that may stand before a unit, if one follows."""
        end = at
        while self._word(end) in WITHIN:
            end += 1
        return end if end in self._units else at

    def _lower_end(self, number: Number) -> Iterator[Quantity]:
        """ "20 to 30 cm": as little as that."""
        if self._word(number.end) not in _RANGE:
            return
        for other in numbers_at(self._words, number.end + 1, self._after_a):
            spans = self._spans(self._past(other.end)) if 0 < number.value < other.value else ()
            for span in spans:
                if span.unit.dimension != COUNT and not self._is_contradicted(span):
                    self.taken = max(self.taken, span.end)
                    for quantity in _quantity(number.value * span.unit.factor, span.unit, span.end):
                        yield msgspec.structs.replace(quantity, is_vague=True)

    def _sums(self, number: Number, span: UnitSpan) -> Iterator[Quantity]:
        """A number with a unit, and with the smaller terms that follow: "two minutes and thirty seconds"."""
        unit, end, least = span.unit, span.end, span.unit.factor
        sign = -1 if number.value < 0 else 1
        total = abs(number.value) * unit.factor
        yield from _quantity(sign * total, unit, end)
        part = part_at(self._words, end + 1, self._after_a) if self._word(end) == "and" else None
        if part is not None and part.value < 1 and self._word(part.end) != "of":  # "one metre and a half"
            yield from _quantity(sign * (total + part.value * unit.factor), unit, part.end)
        while (added := self._added(end, unit, least)) is not None:
            amount, end, least = added
            total += amount
            yield from _quantity(sign * total, unit, end)

    def _added(self, at: int, unit: Unit, least: Fraction) -> tuple[Fraction, int, Fraction] | None:
        """(amount in SI, end, factor of its unit) of a smaller term: "and thirty seconds", or only "20"."""
        is_joined = self._word(at) in ("and", ",")
        for number in numbers_at(self._words, at + 1 if is_joined else at, self._after_a):
            if number.has_sign:
                continue
            spans = self._spans(number.end)
            for span in spans:
                same = span.unit.dimension == unit.dimension and span.unit.is_pi == unit.is_pi
                if same and span.unit.factor < least and not self._is_contradicted(span):
                    return number.value * span.unit.factor, span.end, span.unit.factor
            if spans or is_joined or not unit.next_smaller or least != unit.factor:
                continue
            if number.value.denominator == 1 and 0 < number.value < unit.factor / unit.next_smaller:
                return number.value * unit.next_smaller, number.end, unit.next_smaller
        return None

    def _spans(self, at: int) -> tuple[UnitSpan, ...]:
        """The units at a position, the longest first; "per second", "/ s", "a second" belong to them."""
        found: list[UnitSpan] = []
        for span in self._units.get(at, ()):
            below = span.end
            if self._word(below) in ("per", "/"):
                below += 1
            elif below not in self._after_a:
                found.append(span)
                continue
            rates = (
                UnitSpan(time.end, rate)
                for time in self._units.get(below, ())
                if time.unit.dimension == TIME and (rate := span.unit.per(time.unit)) is not None
            )
            found.append(next(rates, span))
        return tuple(found)

    def _is_contradicted(self, span: UnitSpan) -> bool:
        """Whether another unit, or half of one, follows at once: "two metres seconds"."""
        following = self._word(span.end)
        is_new = span.end in self._after_a or following in _ALSO_VERBS
        # A step is no unit behind another one: "heavier than 2 kg, step two".
        follows = [each for each in self._units.get(span.end, ()) if not each.unit.is_vague]
        return following in _SPOIL or (bool(follows) and not is_new)

    def _word(self, at: int) -> str:
        return self._words[at] if at < len(self._words) else ""


def _quantity(value: Fraction, unit: Unit, end: int) -> Iterator[Quantity]:
    """In SI, if it is a number that a computer can hold."""
    try:
        rounded = float(value) * math.pi if unit.is_pi else float(value)
    except OverflowError:
        return
    if math.isfinite(rounded):
        is_count = unit.dimension in ("", COUNT)
        one = float(unit.factor) * (math.pi if unit.is_pi else 1.0)
        yield Quantity(
            rounded,
            end,
            unit.dimension,
            is_whole=is_count and value.denominator == 1,
            scale=one if unit.dimension else 0.0,
        )


def _nearest(value: float, factor: Fraction) -> float:
    """value / factor, rounded to what was meant: 0.03 m are 30 mm and not 30.000000000000004."""
    exact = float(Fraction(value) / factor)
    short = float(f"{exact:.12g}")
    return short if float(Fraction(short) * factor) == value else exact


def _minutes(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    amounts = ((hours, "hour"), (minutes, "minute"), (rest, "second"))
    terms = [f"{amount} {name}{'' if amount == 1 else 's'}" for amount, name in amounts if amount]
    return " and ".join(terms) if len(terms) < 3 else f"{terms[0]} {terms[1]} and {terms[2]}"


def _number(value: float, unit: str, spoken: Unit) -> str | None:
    """How many of a spoken unit a value is, in digits that are read back as exactly it; None if none are."""
    own = SIGNATURE_UNITS[unit]
    factor = spoken.factor / own.factor
    exact = value * (math.pi if own.is_pi and not spoken.is_pi else 1.0)
    exact = exact / math.pi if spoken.is_pi and not own.is_pi else exact
    for digits in (4, 6, 9, 12, 17):
        try:
            rounded = float(f"{float(Fraction(exact) / factor):.{digits}g}")
        except OverflowError:
            return None
        if not math.isfinite(rounded):
            continue
        written = _plain(rounded)
        back = next(_quantity(Fraction(written) * spoken.factor, spoken, 0), None)
        if back is not None and converted(back, unit) == value:
            return written
    return None


def _plain(value: float) -> str:
    """A number without exponent: "0.3", "10", "0.00000001"."""
    written = format(Decimal(repr(value)), "f")
    return written.rstrip("0").rstrip(".") if "." in written else written
