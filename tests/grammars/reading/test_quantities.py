"""Numbers and units become SI, and SI becomes words that are read back as the same."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.plan import NothingKnown
from grammars.reading.quantities import converted, in_words
from grammars.reading.utterance import Quantity
from grammars.units import SIGNATURE_UNITS
from grammars.wording.spoken import in_letters
from tests.effort import random_inputs
from tests.grammars.compiled_later import RecogniserLater

RECOGNISER = RecogniserLater()


def best(text: str) -> tuple[float, str, bool] | None:
    """(value, unit, is_whole) of the quantity that the whole text is."""
    utterance = RECOGNISER.read(text, NothingKnown(), ())
    found = [each for each in utterance.quantities.get(0, ()) if each.end == len(utterance.tokens)]
    return (found[0].value, found[0].unit, found[0].is_whole) if found else None


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "hundred",
            "minus",
            "point",
            "third",
            "the third",
            "first",
            "second",
            "2nd",
            "1st",
            "e5",
            "nan",
            "inf",
        ),
        *(
            "--3",
            "1.5.2",
            "1/0",
            "two metres seconds",
            "two metres per",
            "ten degrees celsius",
            "metre",
            "the metre",
        ),
        *(
            "couple",
            "and a half",
            "9" * 500,
            "1e999",
            "m",
            "ten metres per metre",
            "²",
            "Ⅳ",
            "half past",
            "twenty zero",
        ),
        *(
            "two metres minus one centimetre",
            "2 metres 3 kilometres",
            "10-20",
            "two hundred hundred",
            "1,2,3",
        ),
    ],
)
def test_no_quantities(text: str) -> None:
    assert best(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("zero", 0), ("seventeen", 17), ("twenty five", 25), ("twenty-five", 25), ("a hundred and two", 102),
        ("one hundred three", 103), ("two thousand three hundred and four", 2304), ("one million", 1e6),
        ("twelve hundred", 1200), ("a thousand and one", 1001), ("2 thousand", 2000), ("1.5 million", 1.5e6),
        ("one point five", 1.5), ("zero point oh five", 0.05), ("2 point 5", 2.5), ("1.5", 1.5),
        ("1,5", 1.5), (".5", 0.5),
        ("half", 0.5), ("a quarter", 0.25), ("three quarters", 0.75), ("a third", 1 / 3),
        ("two thirds", 2 / 3),
        ("two and a half", 2.5), ("one and a half", 1.5), ("2 and three quarters", 2.75), ("1/2", 0.5),
        ("1 1/2", 1.5),
        ("½", 0.5), ("2½", 2.5), ("a couple of", 2), ("a dozen", 12), ("two dozen", 24), ("half a dozen", 6),
        ("minus five", -5), ("-4", -4),
        ("negative 1,5", -1.5), ("−3", -3), ("+3", 3), ("1,250,000", 1_250_000), ("٣", 3),
    ],
)  # fmt: skip
def test_numbers(text: str, value: float) -> None:
    assert best(text) == (float(value), "", float(value).is_integer())


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("ten seconds", 10, "s"), ("10s", 10, "s"), ("half a metre", 0.5, "m"), ("30 cm", 0.3, "m"),
        ("35cm", 0.35, "m"),
        ("a quarter of an hour", 900, "s"), ("half an hour", 1800, "s"), ("an hour and a half", 5400, "s"),
        ("one metre and a half", 1.5, "m"), ("a second", 1, "s"), ("a couple of minutes", 120, "s"),
        ("two minutes and thirty seconds", 150, "s"), ("1 h 30", 5400, "s"), ("1 m 20", 1.2, "m"),
        ("1 m 20 cm", 1.2, "m"),
        ("1 hour, 2 minutes and 3 seconds", 3723, "s"), ("6 feet 2", 1.8796, "m"), ("3 inches", 0.0762, "m"),
        ("90 degrees", math.pi / 2, "rad"), ("90°", math.pi / 2, "rad"),
        ("a quarter turn", math.pi / 2, "rad"),
        ("half a turn", math.pi, "rad"), ("two turns", 4 * math.pi, "rad"), ("1.5 rad", 1.5, "rad"),
        ("five newtons", 5, "N"), ("3 newton metres", 3, "N m"), ("2 kg", 2, "kg"), ("250 g", 0.25, "kg"),
        ("10 Hz", 10, "Hz"),
        ("0.5 m/s", 0.5, "m/s"), ("20 mm/s", 0.02, "m/s"), ("36 km/h", 10, "m/s"),
        ("ten metres per second", 10, "m/s"),
        ("180 deg/s", math.pi, "rad/s"), ("ten radians per second", 10, "rad/s"),
        ("three times a second", 3, "Hz"),
        ("50 percent", 0.5, "fraction"), ("50 %", 0.5, "fraction"), ("minus 30 centimetres", -0.3, "m"),
        ("point five metres", 0.5, "m"), ("two and a half seconds", 2.5, "s"), ("200 pixels", 200, "px"),
        ("500 ms", 0.5, "s"),
        ("-1 m 20", -1.2, "m"), ("2½ m", 2.5, "m"), ("5µm", 5e-6, "m"),
    ],
)  # fmt: skip
def test_quantities(text: str, value: float, unit: str) -> None:
    assert best(text) == (float(value), unit, False)


@pytest.mark.parametrize(
    ("text", "value"), [("once", 1), ("twice", 2), ("three times", 3), ("a dozen times", 12)]
)
def test_how_often(text: str, value: int) -> None:
    assert best(text) == (value, "times", True)


def test_what_can_be_read_in_two_ways_is_given_twice() -> None:
    quantities = RECOGNISER.read("1,250 m", NothingKnown(), ()).quantities[0]
    assert [each.value for each in quantities if each.unit] == [1250.0, 1.25]


def test_a_part_of_a_number_is_none() -> None:
    quantities = RECOGNISER.read("minus twenty five metres", NothingKnown(), ()).quantities
    assert list(quantities) == [0]
    assert [(each.value, each.end) for each in quantities[0]] == [(-25.0, 4), (-25.0, 3)]


def test_the_shorter_ways_are_given_too() -> None:
    quantities = RECOGNISER.read("two minutes and thirty seconds", NothingKnown(), ()).quantities
    assert [(each.value, each.end) for each in quantities[0]] == [(150.0, 5), (120.0, 2), (2.0, 1)]


# -- into the unit of a signature, and into words


@pytest.mark.parametrize(
    ("quantity", "unit", "value"),
    [
        (Quantity(0.03, 1, "m"), "mm", 30.0),
        (Quantity(math.pi / 2, 1, "rad"), "°", 90.0),
        (Quantity(0.5, 1, "fraction"), "0 to 1", 0.5),
        (Quantity(0.5, 1, "fraction"), "", 0.5),
        (Quantity(3.0, 1, "times"), "", 3.0),
        (Quantity(3.0, 1), "m", 3.0),
        (Quantity(3.0, 1, "times"), "m", None),
        (Quantity(3.0, 1, "s"), "m", None),
        (Quantity(3.0, 1, "s"), "", None),
        (Quantity(3.0, 1, "s"), "furlong", None),
    ],
)
def test_conversion(quantity: Quantity, unit: str, value: float | None) -> None:
    assert converted(quantity, unit) == value


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (10.0, "s", "10 seconds"), (1.0, "s", "1 second"), (150.0, "s", "2 minutes and 30 seconds"),
        (3600.0, "s", "1 hour"),
        (0.3, "m", "30 centimetres"), (1.5, "m", "1.5 metres"), (0.005, "m", "5 millimetres"),
        (2500.0, "m", "2.5 kilometres"),
        (math.pi / 2, "rad", "90 degrees"), (90.0, "°", "90 degrees"), (0.5, "fraction", "50 percent"),
        (3.0, "", "3"),
        (2.5, "", "2.5"), (-0.3, "m", "minus 30 centimetres"), (0.02, "m/s", "2 centimetres per second"),
        (0.0, "m", "0 metres"),
        (math.inf, "m", "inf"), (5.0, "mm", "5 millimetres"), (10.0, "Hz", "10 hertz"), (7.0, "furlong", "7"),
    ],
)  # fmt: skip
def test_in_words(value: float, unit: str, words: str) -> None:
    assert in_words(value, unit) == words


NICE = st.floats(-1e6, 1e6).map(lambda value: round(value, 4)) | st.integers(-100_000, 100_000).map(float)


@random_inputs(600)
@given(NICE | st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(sorted(SIGNATURE_UNITS)))
def test_what_is_written_is_read_back_exactly(value: float, unit: str) -> None:
    text = in_words(value, unit)
    utterance = RECOGNISER.read(text, NothingKnown(), ())
    found = [each for each in utterance.quantities.get(0, ()) if each.end == len(utterance.tokens)]
    assert found, text
    assert converted(found[0], unit) == value, text


@given(st.integers(0, 999))
def test_letters_are_read_back(number: int) -> None:
    assert best(in_letters(number)) == (float(number), "", True)


WORDS = (
    "one",
    "a",
    "hundred",
    "half",
    "and",
    "two",
    "metres",
    "seconds",
    "per",
    "/",
    "-",
    "point",
    "20",
    "1,5",
    "third",
    "of",
)


@random_inputs(400)
@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
def test_any_row_of_such_words_is_survived(text: str) -> None:
    for at, quantities in RECOGNISER.read(text, NothingKnown(), ()).quantities.items():
        ends = [each.end for each in quantities]
        assert ends == sorted(ends, reverse=True) and ends[-1] > at
        assert all(math.isfinite(each.value) for each in quantities)
