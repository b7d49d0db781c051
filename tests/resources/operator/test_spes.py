"""The open phone page's messages: what is believed, which way is which, and that nothing late moves any."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework.errors import MalformedMessage
from resources.operator.spes import (
    MAX_BYTES,
    Quaternion,
    SpesHand,
    SpesLog,
    SpesMessage,
    SpesPose,
    Xyz,
    base_T_hand,
    decode_spes,
)
from resources.types.masters import SILENCE_S, HandSample

PERIOD_S = 1 / 60
UPRIGHT = {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}


def message(**changes: Any) -> str:
    """As the page sends it; position and orientation as dictionaries."""
    data = {
        "position": {"x": 0.1, "y": 1.2, "z": -0.3},
        "orientation": UPRIGHT,
        "move": False,
        "gripper": "open",
        "fps": 58.3,
        "scale": 1.0,
        "reservedButtonA": False,
        "reservedButtonB": False,
        "device": "Phone",
        "message": "Using device pose",
    }
    return json.dumps({"type": "pose", "data": {**data, **changes}})


def pose(*, move: bool = False, x: float = 0.0, gripper: Any = None, scale: float = 1.0) -> SpesPose:
    return SpesPose(Xyz(x, 0.0, 0.0), Quaternion(0.0, 0.0, 0.0, 1.0), move, scale, gripper)


class Page:
    """A page that sends evenly; `hand.take` at the right times."""

    def __init__(self, hand: SpesHand | None = None) -> None:
        self.hand = hand or SpesHand("s")
        self.now_s = 100.0

    def send(self, after_s: float = PERIOD_S, **fields: Any) -> HandSample | None:
        self.now_s += after_s
        return self.hand.take(pose(**fields), self.now_s)

    def steadily(self, count: int, **fields: Any) -> list[HandSample]:
        found = [self.send(**fields) for _ in range(count)]
        return [each for each in found if each is not None]

    def engage(self) -> HandSample:
        self.steadily(5)
        held = self.steadily(1, move=True)[0]
        assert held.engagement
        return held


# ---------------------------------------------------------------- decoding


def test_the_page_s_message_is_understood() -> None:
    found = decode_spes(message(move=True, gripper="close", scale=0.5))
    assert isinstance(found, SpesMessage)
    assert (found.data.move, found.data.gripper, found.data.scale) == (True, "close", 0.5)
    assert isinstance(decode_spes('{"type": "log", "data": {"what": 1}}'), SpesLog)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"type": "pose"}',
        '{"type": "pose", "data": {}}',
        '{"type": "command", "data": {"move": true}}',
        message(position={"x": 0.0, "y": 0.0}),
        message(position={"x": "0", "y": 0.0, "z": 0.0}),
        message(position={"x": 1e9, "y": 0.0, "z": 0.0}),
        message(position={"x": 101.0, "y": 0.0, "z": 0.0}),
        message(orientation={"x": 0.0, "y": 0.0, "z": 0.0, "w": 0.0}),
        message(orientation={"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.1}),
        message(move="true"),
        message(move=1),
        message(scale=None),
        message(gripper="half"),
        message(message="x" * MAX_BYTES),
        message().replace("0.1", "NaN"),
        message().replace("0.1", "Infinity"),
        message().replace("0.1", "1e999"),
        "[" * 3000,
    ],
)
def test_what_is_no_pose_is_refused(text: str) -> None:
    with pytest.raises(MalformedMessage):
        decode_spes(text)


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=300))
def test_garbage_is_refused_and_nothing_else_happens(garbage: bytes | str) -> None:
    with pytest.raises(MalformedMessage):
        decode_spes(garbage)


def test_a_message_that_was_damaged_on_its_way_is_refused_or_still_a_pose() -> None:
    rng = random.Random(1)
    for _ in range(2000):
        damaged = bytearray(message().encode())
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            found = decode_spes(bytes(damaged))
        except MalformedMessage:
            continue
        if isinstance(found, SpesMessage):
            assert all(map(math.isfinite, base_T_hand(found.data)))


# ---------------------------------------------------------------- axes


def matrix(quaternion: tuple[float, ...]) -> np.ndarray[Any, Any]:
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ((0.0, 0.0, -1.0), (1.0, 0.0, 0.0)),
        ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    ],
    ids=["ahead", "left", "up"],
)
def test_ahead_left_and_up_are_what_the_person_sees(
    theirs: tuple[float, float, float], ours: tuple[float, float, float]
) -> None:
    moved = base_T_hand(SpesPose(Xyz(*theirs), Quaternion(0, 0, 0, 1), False))
    assert moved == (*ours, 0.0, 0.0, 0.0, 1.0)
    half = math.sqrt(0.5)
    x, y, z = (half * each for each in theirs)
    turned = base_T_hand(SpesPose(Xyz(0, 0, 0), Quaternion(x, y, z, half), False))
    assert turned[3:] == pytest.approx((*(half * each for each in ours), half))


def test_turns_are_the_same_turns_in_our_axes() -> None:
    ours_of_theirs = np.array([[0, 0, -1], [-1, 0, 0], [0, 1, 0]])
    rng = np.random.default_rng(2)
    for _ in range(50):
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        found = base_T_hand(SpesPose(Xyz(0, 0, 0), Quaternion(*quaternion), False))
        wanted = ours_of_theirs @ matrix(tuple(quaternion)) @ ours_of_theirs.T
        np.testing.assert_allclose(matrix(found[3:]), wanted, atol=1e-12)


def test_a_nearly_unit_quaternion_becomes_one() -> None:
    found = base_T_hand(SpesPose(Xyz(0, 0, 0), Quaternion(0, 0, 0, 1.009), False))
    assert found[6] == 1.0


# ---------------------------------------------------------------- clutch


def test_each_pressing_is_a_new_engagement() -> None:
    page = Page()
    seen = []
    for _ in range(3):
        page.steadily(4)
        seen += [each.engagement for each in page.steadily(4, move=True)]
    assert seen == [1] * 4 + [2] * 4 + [3] * 4
    assert page.steadily(1)[0].engagement == 0


def test_numbers_go_on_from_those_of_the_session() -> None:
    page = Page(SpesHand("s", number=70, engagement=9, grips=2))
    samples = [*page.steadily(5), *page.steadily(2, move=True)]
    assert [each.number for each in samples] == list(range(71, 78))
    assert samples[-1].engagement == 10
    assert samples[-1].grips == 2
    assert all(each.session == "s" for each in samples)


def test_a_clutch_that_is_held_when_the_page_comes_moves_nothing() -> None:
    page = Page()
    assert {each.engagement for each in page.steadily(200, move=True)} == {0}
    page.engage()


def test_silence_breaks_the_engagement_until_it_is_pressed_anew() -> None:
    page = Page()
    page.engage()
    page.send(SILENCE_S + 0.05, move=True)
    assert {each.engagement for each in page.steadily(100, move=True)} == {0}
    page.steadily(3)
    assert page.steadily(1, move=True)[0].engagement == 2


def test_a_message_of_nonsense_breaks_the_engagement() -> None:
    page = Page()
    page.engage()
    page.hand.break_off()
    assert {each.engagement for each in page.steadily(20, move=True)} == {0}
    page.steadily(2)
    assert page.steadily(1, move=True)[0].engagement == 2


def test_scale_keeps_its_bounds_and_the_gripper_is_counted() -> None:
    page = Page()
    page.steadily(3, gripper="open")
    closed = page.steadily(3, gripper="close", scale=4.0)
    opened = page.steadily(3, gripper="open", scale=0.0)
    assert [each.grips for each in (*closed, *opened)] == [1, 1, 1, 2, 2, 2]
    assert closed[0].scale == 2.0
    assert opened[0].scale == 0.05


# ---------------------------------------------------------------- lateness


def test_a_steady_page_is_never_late() -> None:
    page = Page()
    rng = random.Random(3)
    samples = [page.send(PERIOD_S + rng.uniform(-0.004, 0.004)) for _ in range(500)]
    ages = [each.received_s - each.taken_s for each in samples if each is not None]
    assert len(ages) == 500
    assert max(ages) < 0.02


def test_poses_that_were_held_up_are_dropped_and_the_clutch_with_them() -> None:
    page = Page()
    page.engage()
    page.steadily(24, move=True)
    assert page.send(1.0, move=True) is None
    held_up = [page.send(1e-4, move=True, x=0.01 * number) for number in range(59)]
    assert all(each is None for each in held_up[:50])
    assert all(each is None or each.engagement == 0 for each in held_up)
    fresh = page.steadily(60, move=True)
    assert len(fresh) == 60, "what is behind it is as fresh as ever"
    assert {each.engagement for each in fresh} == {0}
    page.engage()


def test_a_clutch_that_was_pressed_in_what_was_held_up_moves_nothing() -> None:
    page = Page()
    page.steadily(24)
    page.now_s += 2.0
    for number in range(120):
        page.hand.skip(pose(move=number > 60), page.now_s)
    page.send(0.0, move=True)
    assert {each.engagement for each in page.steadily(100, move=True)} <= {0}


def test_a_page_that_rests_for_a_while_is_believed_again_soon() -> None:
    page = Page()
    page.steadily(24)
    page.now_s += 30.0
    page.steadily(90)
    before = page.hand.late
    assert 0 < before < 90
    page.engage()
    assert page.hand.late == before


def test_a_slower_picture_is_not_taken_for_lateness() -> None:
    page = Page()
    page.steadily(60)
    before = page.hand.late
    page.engage()
    slow = [page.send(1 / 30, move=True) for _ in range(60)]
    assert page.hand.late == before
    assert [each.engagement for each in slow if each is not None] == [1] * 60


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0.0, 0.5), st.booleans()), max_size=120))
def test_whatever_comes_samples_are_fresh_ordered_and_engagements_rise(
    steps: list[tuple[float, bool]],
) -> None:
    page, last, engaged = Page(), 0, 0
    was_open, gap_s = False, 0.0
    for after_s, move in steps:
        sample = page.send(after_s, move=move)
        gap_s = after_s
        if sample is None:
            continue
        assert sample.number == last + 1
        assert 0.0 <= sample.received_s - sample.taken_s <= SILENCE_S
        assert sample.engagement in (0, engaged, engaged + 1)
        if sample.engagement > engaged:
            assert was_open and gap_s <= SILENCE_S and move
        last, engaged = sample.number, max(engaged, sample.engagement)
        was_open = was_open or not move
