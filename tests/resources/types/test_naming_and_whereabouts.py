"""Names that nobody knows, and where things are for a viewer: the sums and the words."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from resources.arms.pose import Pose, inverse
from resources.types.context import KnownThing, ThingKind
from resources.types.naming import either, listed, near, plain, unknown
from resources.types.streams import Pose7
from resources.types.whereabouts import bearing, direction_in_words, distance_in_words, into, support_of


@pytest.mark.parametrize(
    ("name", "as_compared"),
    [
        ("Front_Camera", "front camera"),
        ("  the   red cup ", "red cup"),
        ("The", "the"),
        ("", ""),
        ("a b", "b"),
    ],
)
def test_names_are_compared_plain(name: str, as_compared: str) -> None:
    assert plain(name) == as_compared


def test_a_name_that_nobody_knows_is_answered_with_the_near_ones_or_with_all() -> None:
    names = ("red cup", "blue cup", "table", "front_camera")
    assert near("red cub", names) == ("red cup",)
    assert near("cup", names) == ("red cup", "blue cup")
    assert near("zzz", names) == ()
    assert (
        unknown("the frnt camera", names, "there is") == "I know no 'frnt camera'; do you mean front_camera?"
    )
    assert unknown("x", names, "there is") == (
        "I know no 'x'; there is red cup, blue cup, table and front_camera"
    )
    assert unknown("x", (), "there is") == "I know no 'x'; there is nothing just now"
    many = [f"thing{n}" for n in range(50)]
    assert unknown("x", many, "there is").endswith("thing11 and others")


def test_rows_of_names() -> None:
    assert (listed(()), listed(("a",)), listed(("a", "b", "c"))) == ("", "a", "a, b and c")
    assert either(["a", "b"]) == "a or b"


def test_into_a_frame_is_what_matrices_say() -> None:
    lots = random.Random(4)
    for _ in range(100):
        turn = np.array([lots.gauss(0, 1) for _ in range(4)])
        turn /= np.linalg.norm(turn)
        place = [lots.uniform(-5, 5) for _ in range(3)]
        point = tuple(lots.uniform(-5, 5) for _ in range(3))
        x, y, z, w = (float(value) for value in turn)
        pose: Pose7 = (place[0], place[1], place[2], x, y, z, w)
        matrix = inverse(Pose((place[0], place[1], place[2]), (x, y, z, w)).matrix())
        expected = (matrix @ [*point, 1.0])[:3]
        np.testing.assert_allclose(into(pose, (point[0], point[1], point[2])), expected, atol=1e-9)


def test_bearings_are_along_the_floor() -> None:
    seen = bearing((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), (3.0, 4.0, 1.0))
    assert (seen.distance_m, seen.height_m) == (5.0, 1.0)
    assert seen.azimuth_rad == pytest.approx(math.atan2(4, 3))
    assert str(seen) == "5.0 m away, ahead on the left"
    assert str(bearing((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.1, 1.0))) == "right here, where I am"


@pytest.mark.parametrize(
    ("metres", "words"), [(0.0, "0 cm"), (0.124, "12 cm"), (0.996, "1.0 m"), (12.34, "12.3 m")]
)
def test_distances_in_words(metres: float, words: str) -> None:
    assert distance_in_words(metres) == words


def test_left_is_left_and_right_is_right() -> None:
    for degrees in (10, 40, 90, 140):
        assert "left" in direction_in_words(math.radians(degrees))
        assert "right" in direction_in_words(math.radians(-degrees))
    assert direction_in_words(math.pi) == direction_in_words(-math.pi) == "behind me"


def thing(name: str, place: tuple[float, float, float], size: tuple[float, float, float]) -> KnownThing:
    kind = ThingKind.OBJECT if name == "cup" else ThingKind.FIXTURE
    return KnownThing(name, kind, (*place, 0.0, 0.0, math.sin(0.4), math.cos(0.4)), size)


@pytest.mark.parametrize(
    ("place", "support"),
    [
        ((2.0, 0.0, 0.80), "table"),
        ((2.0, 0.0, 0.95), None),  # it hovers
        ((2.0, 0.0, 0.50), "table"),  # under its top: within
        ((2.0, 0.9, 0.80), None),  # beside it
        ((0.0, 0.0, 0.05), None),
    ],
)
def test_what_stands_on_what(place: tuple[float, float, float], support: str | None) -> None:
    table = thing("table", (2.0, 0.0, 0.375), (0.75, 1.4, 0.75))
    cup = thing("cup", place, (0.08, 0.08, 0.1))
    found = support_of(cup, (table, cup, KnownThing("lost", ThingKind.FIXTURE)))
    assert (found.name if found else None) == support
    assert support_of(KnownThing("lost", ThingKind.OBJECT), (table,)) is None
