"""One source of hands: what is read of its pictures, and what is said of one that cannot be believed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.experiments.gesture.drawn import POSES, posed
from resources.gestures.holding import RULES
from resources.gestures.watching import FROZEN_S, SILENT_S, SLOWEST_S, UNREADABLE_S, Watching
from resources.types.gestures import (
    Gesture,
    GestureKind,
    HandsTrouble,
    Reading,
    TrackedHand,
    encode_hands,
    landmarks,
)
from resources.types.masters import HandSide
from tests.effort import random_inputs
from tests.resources.gestures.drawn import POINT

UP = (0.0, -1.0, 0.0)
PERIOD_S = 1 / 15
PALM, THUMB = GestureKind.OPEN_PALM, GestureKind.THUMB_UP


class Source:
    """A camera of the test, and who watches it."""

    def __init__(self, period_s: float = PERIOD_S, age_s: float = 0.05) -> None:
        self.period_s, self.age_s = period_s, age_s
        self.now_s = 100.0
        self.watching = Watching(UP, self.now_s)
        self.readings: list[Reading] = []
        self.random = np.random.default_rng(1)

    def see(self, *hands: TrackedHand) -> Reading:
        self.now_s += self.period_s
        reading = self.watching.picture(encode_hands(hands), self.now_s + self.age_s)
        self.readings.append(reading)
        return reading

    def hand(self, kind: GestureKind, side: HandSide = HandSide.RIGHT, at_m: float = 0.0) -> TrackedHand:
        """With half a millimetre of noise, as no picture is like another."""
        points = posed(POSES[kind]) + self.random.normal((at_m, 0.0, 0.0), 5e-4, (21, 3))
        return TrackedHand(side, "camera", self.now_s + self.period_s, 0.97, landmarks(points.tolist()))

    def show(self, kind: GestureKind, for_s: float) -> None:
        for _ in range(round(for_s / self.period_s)):
            self.see(self.hand(kind))

    def nothing(self, for_s: float) -> None:
        for _ in range(round(for_s / self.period_s)):
            self.see()

    def troubles(self, kind: GestureKind, for_s: float) -> list[HandsTrouble]:
        """Each that is told, as who looks sixty times a second tells it."""
        told = [HandsTrouble.NONE]
        for _ in range(round(for_s / self.period_s)):
            for look in range(round(60 * self.period_s)):
                told.append(self.watching.trouble(self.now_s + self.age_s + look / 60))
            told.append(self.see(self.hand(kind)).trouble)
        return [each for before, each in pairwise(told) if each is not before]

    @property
    def gestures(self) -> list[Gesture]:
        return [gesture for reading in self.readings for gesture in reading.gestures]


@pytest.mark.parametrize("kind", [PALM, THUMB])
def test_a_hand_is_read_and_what_it_holds_is_told_once(kind: GestureKind) -> None:
    source = Source()
    source.nothing(1.0)
    began_s = source.now_s
    source.show(kind, RULES.hold_s / 2)
    (hand,) = source.readings[-1].hands
    assert (hand.side, hand.kind) == (HandSide.RIGHT, kind)
    assert hand.confidence > 0.9 and 0.2 < hand.held < 0.8
    source.show(kind, 3.0)
    (gesture,) = source.gestures
    assert gesture.kind is kind and gesture.began_s == pytest.approx(began_s, abs=2 * PERIOD_S)
    assert gesture.confidence > 0.9
    assert {reading.trouble for reading in source.readings} == {HandsTrouble.NONE}


def test_two_hands_that_are_apart_are_read_each() -> None:
    source = Source()
    source.nothing(1.0)
    for _ in range(30):
        source.see(source.hand(PALM), source.hand(THUMB, HandSide.LEFT, at_m=0.5))
    assert {(each.hand, each.kind) for each in source.gestures} == {
        (HandSide.RIGHT, PALM),
        (HandSide.LEFT, THUMB),
    }


def test_hands_that_cross_hold_nothing() -> None:
    source = Source()
    for _ in range(30):
        source.see(source.hand(PALM), source.hand(THUMB, HandSide.LEFT, at_m=0.05))
    assert source.gestures == []


def test_a_source_that_freezes_is_told_and_counts_no_more() -> None:
    source = Source()
    source.nothing(1.0)
    hand = source.hand(PALM)
    for _ in range(60):
        source.see(hand)
    assert source.gestures == []
    frozen = [reading.trouble is HandsTrouble.FROZEN for reading in source.readings]
    assert frozen.index(True) == pytest.approx((1.0 + FROZEN_S) / PERIOD_S, abs=3)
    assert frozen[-1]
    source.show(PALM, 2.0)
    assert source.readings[-1].trouble is HandsTrouble.NONE and len(source.gestures) == 1


def test_an_empty_room_is_no_frozen_picture() -> None:
    source = Source()
    source.nothing(10.0)
    assert {reading.trouble for reading in source.readings} == {HandsTrouble.NONE}


def test_a_source_that_stops_is_silent_and_what_it_held_before_does_not_count() -> None:
    source = Source()
    source.nothing(1.0)
    source.show(PALM, 0.6 * RULES.hold_s)
    troubles = [source.watching.trouble(source.now_s + share * SILENT_S) for share in (0.9, 1.2)]
    assert troubles == [HandsTrouble.NONE, HandsTrouble.SILENT]
    source.now_s += 2.0
    source.show(PALM, 0.6 * RULES.hold_s)
    assert source.gestures == []
    assert source.readings[-1].trouble is HandsTrouble.NONE


def test_pictures_that_come_slowly_hold_a_gesture_for_longer() -> None:
    source = Source(period_s=0.45)
    source.nothing(2.0)
    assert source.troubles(PALM, 10.0) == []
    assert len(source.gestures) == 1


@pytest.mark.parametrize("period_s", [0.55, 0.9])
def test_pictures_that_come_too_slowly_are_told_once_and_hold_nothing(period_s: float) -> None:
    source = Source(period_s=period_s)
    assert source.troubles(PALM, 30.0) == [HandsTrouble.TOO_SLOW]
    assert source.gestures == []


def test_pictures_that_come_more_slowly_than_silence_are_told_as_that_and_not_again_and_again() -> None:
    source = Source(period_s=1.2)
    assert source.troubles(PALM, 60.0) == [HandsTrouble.SILENT, HandsTrouble.TOO_SLOW]
    slower = Source(period_s=1.1 * SLOWEST_S)
    assert slower.troubles(PALM, 60.0) == [HandsTrouble.SILENT]
    assert source.gestures == slower.gestures == []


def test_pictures_that_come_too_late_are_told_however_many_there_are() -> None:
    source = Source(age_s=1.1 * RULES.silent_s)
    assert source.troubles(PALM, 10.0) == [HandsTrouble.TOO_SLOW]
    assert source.gestures == []


def test_a_source_on_the_limit_is_told_once_and_one_that_is_fast_again_counts() -> None:
    source = Source()
    for number in range(60):
        source.period_s = RULES.silent_s + (0.03 if number % 8 < 4 else -0.03)
        source.see()
    changes = [a.trouble for a, b in pairwise(source.readings) if a.trouble is not b.trouble]
    slow = source.readings[-1]
    assert changes == [HandsTrouble.NONE] and slow.trouble is HandsTrouble.TOO_SLOW
    source.period_s = PERIOD_S
    source.nothing(1.0)
    source.show(PALM, 2.0)
    assert source.readings[-1].trouble is HandsTrouble.NONE and len(source.gestures) == 1


def test_a_gesture_that_was_held_counts_whatever_was_thought_of_its_pictures() -> None:
    source = Source(period_s=0.55)
    source.nothing(5.0)
    assert source.readings[-1].trouble is HandsTrouble.TOO_SLOW
    source.period_s = 0.97 * RULES.silent_s
    source.show(PALM, 5.0)
    assert len(source.gestures) == 1
    (first,) = (number for number, reading in enumerate(source.readings) if reading.gestures)
    assert {reading.trouble for reading in source.readings[first:]} == {HandsTrouble.NONE}


def test_one_pause_is_not_too_slow() -> None:
    source = Source()
    source.show(PALM, 0.5)
    source.period_s = 0.8
    assert source.see(source.hand(PALM)).trouble is HandsTrouble.NONE
    source.period_s = PERIOD_S
    source.show(PALM, 1.0)
    assert {reading.trouble for reading in source.readings} == {HandsTrouble.NONE}


def test_a_reading_says_when_its_picture_was_taken() -> None:
    source = Source()
    hand = source.hand(PALM)
    assert source.see(hand).taken_s == hand.taken_s
    assert source.see().taken_s == 0.0


@random_inputs(400)
@given(st.binary(max_size=5000))
def test_what_is_no_picture_is_told_and_raises_nothing(garbage: bytes) -> None:
    watching = Watching(UP, 100.0)
    reading = watching.picture(garbage, 100.1)
    assert not reading.gestures and reading.trouble in (HandsTrouble.UNREADABLE, HandsTrouble.NONE)


def test_a_source_of_nonsense_counts_for_a_while_no_more() -> None:
    source = Source()
    source.nothing(0.5)
    assert source.watching.picture(b"garbage", source.now_s) == Reading(trouble=HandsTrouble.UNREADABLE)
    source.show(PALM, 1.5)
    assert source.gestures == [] and source.readings[-1].trouble is HandsTrouble.UNREADABLE
    source.now_s += UNREADABLE_S
    source.nothing(0.6)
    source.show(PALM, 1.0)
    assert len(source.gestures) == 1


@pytest.mark.parametrize("is_placed", [True, False])
def test_a_hand_points_only_where_its_frame_is_known_and_its_ray_was_measured(is_placed: bool) -> None:
    watching = Watching(UP, 100.0, is_placed=is_placed)
    ray = (0.0, 0.0, 0.5, 0.0, 0.0, 1.0)
    found = []
    for points, its_ray in ((POINT, ray), (POINT, None), (posed(POSES[PALM]), ray)):
        hand = TrackedHand(HandSide.RIGHT, "camera", 100.0, 0.97, landmarks(points.tolist()), its_ray)
        found.append(watching.picture(encode_hands((hand,)), 100.0).hands[0])
    assert [each.kind for each in found] == [GestureKind.POINT, GestureKind.POINT, PALM]
    assert [each.ray for each in found] == [ray if is_placed else None, None, None]
