"""What of a hand's samples closes the clutch, and what never does: sample by sample, without a robot."""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.arms.pose import Quaternion, axis_angle, product
from resources.controllers.clutch import ARMING_S, FIRST_OPEN, UNSEEN, Clutch
from resources.types.masters import SEEN_WITHIN_S, SILENCE_S, HandSample
from resources.types.motion import TrackPose
from resources.types.streams import Pose7
from tests.effort import random_inputs

PERIOD_S = 0.016


class Wire:
    """Samples of one session, and a clutch that hears them at once unless it is said otherwise."""

    def __init__(self) -> None:
        self.clutch = Clutch("me")
        self.now_s = 100.0
        self.number = 0

    def sample(self, engagement: int) -> HandSample:
        self.number += 1
        return HandSample("me", self.number, self.now_s, self.now_s, engagement)

    def hear(
        self, engagement: int, *, after_s: float = PERIOD_S, at_rest: bool = True, **fields: Any
    ) -> bool:
        self.now_s += after_s
        self.clutch.look(self.now_s)
        sample = msgspec.structs.replace(self.sample(engagement), **fields)
        return self.clutch.hear(sample, self.now_s, at_rest=at_rest)

    def lead(self, hand: Pose7, tool: Pose7, engagement: int = 1, **fields: Any) -> TrackPose:
        """Where the tool is to be for a hand that is here."""
        assert self.hear(engagement, base_T_hand=hand, **fields)
        return self.clutch.target(tool)[0]


def test_a_pressing_that_is_seen_closes_it() -> None:
    wire = Wire()
    assert [wire.hear(engagement) for engagement in (0, 1, 1, 0, 2)] == [False, True, True, False, True]


@pytest.mark.parametrize("gap_s", [SEEN_WITHIN_S + 0.001, 0.5, 30.0])
def test_what_was_pressed_in_a_gap_moves_nothing_until_it_is_pressed_anew(gap_s: float) -> None:
    wire = Wire()
    wire.hear(0)
    assert not wire.hear(1, after_s=gap_s)
    assert wire.clutch.disengaged == UNSEEN
    assert not any(wire.hear(1) for _ in range(100))
    wire.hear(0)
    assert wire.hear(2)


def test_a_hiccup_of_the_page_while_it_is_pressed_costs_no_pressing() -> None:
    wire = Wire()
    wire.hear(0)
    assert wire.hear(1, after_s=SEEN_WITHIN_S - 0.001)


def test_an_old_sample_that_lay_in_the_ring_shows_no_open_clutch() -> None:
    """The order to follow came while the link was silent; the person has pressed since."""
    wire = Wire()
    old = wire.sample(0)
    wire.now_s += 20.0
    wire.clutch.hear(old, wire.now_s, at_rest=True)
    assert not any(wire.hear(1) for _ in range(100))
    assert wire.clutch.engaged == 0


def test_what_was_held_when_it_began_moves_nothing() -> None:
    wire = Wire()
    assert not any(wire.hear(1) for _ in range(10))
    assert wire.clutch.disengaged == FIRST_OPEN


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_number_that_falls_opens_it_at_once(number: int) -> None:
    wire = Wire()
    wire.hear(0)
    wire.hear(2)
    wire.hear(0)
    assert wire.hear(3)
    assert not wire.hear(number)
    assert wire.clutch.engaged == 0
    assert not wire.hear(3)


def test_a_new_pressing_between_two_samples_is_one() -> None:
    wire = Wire()
    wire.hear(0)
    wire.hear(1)
    assert wire.hear(2)
    assert wire.clutch.engaged == 2


def test_a_loop_that_stood_still_while_it_was_pressed_waits_for_the_next_pressing() -> None:
    wire = Wire()
    wire.hear(0)
    wire.hear(1)
    wire.now_s += 0.15  # the samples of this time are never seen
    assert wire.clutch.look(wire.now_s)
    assert not wire.hear(1, after_s=0.0)
    assert not any(wire.hear(1) for _ in range(20))


def test_somebody_else_s_samples_open_and_close_nothing() -> None:
    wire = Wire()
    wire.hear(0)
    assert wire.hear(1)
    other = msgspec.structs.replace(wire.sample(0), session="you")
    assert not wire.clutch.hear(other, wire.now_s, at_rest=True)
    assert wire.clutch.engaged == 1


def test_a_pressing_before_the_present_one_ends_that_and_moves_nothing() -> None:
    wire = Wire()
    wire.hear(0)
    assert wire.hear(2)
    assert not wire.hear(1)
    assert not wire.hear(1)
    assert not wire.hear(2)
    assert wire.clutch.engaged == 0


def test_late_poses_do_not_bridge_a_gap_between_two_poses() -> None:
    """Each comes in time after the one before, and what the hand did for 0.19 s was never seen."""
    wire = Wire()
    wire.hear(0)
    assert wire.hear(1)
    wire.now_s += 0.098
    late = msgspec.structs.replace(wire.sample(1), taken_s=wire.now_s - 0.097)
    assert wire.clutch.hear(late, wire.now_s, at_rest=True)
    assert not wire.hear(1, after_s=0.095)
    assert wire.clutch.disengaged == "no pose for 192 ms"
    assert not wire.hear(1)
    wire.hear(0)
    assert wire.hear(2)


def test_it_waits_until_the_robot_rests_but_not_for_ever() -> None:
    wire = Wire()
    wire.hear(0)
    assert not any(wire.hear(1, at_rest=False) for _ in range(5))
    assert wire.hear(1)
    wire.hear(0)
    waited = [wire.hear(2, at_rest=False) for _ in range(2 + round(ARMING_S / PERIOD_S))]
    assert not waited[0] and waited[-1]


# ---------------------------------------------------------------- where the tool is to be

TOOL = (0.5, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0)
"""It points down."""


def hand_at(x: float, quaternion: Quaternion = (0.0, 0.0, 0.0, 1.0)) -> Pose7:
    return (x, 0.0, 0.0, *quaternion)


def test_each_pressing_begins_where_the_tool_is() -> None:
    wire = Wire()
    wire.hear(0)
    assert wire.lead(hand_at(0.0), TOOL).base_T_tool == pytest.approx(TOOL)
    assert wire.lead(hand_at(0.05), TOOL).base_T_tool[0] == pytest.approx(0.55)
    wire.hear(0)
    assert wire.lead(hand_at(0.3), TOOL, engagement=2).base_T_tool == pytest.approx(TOOL)


def test_another_scale_counts_from_where_the_hand_is_then() -> None:
    wire = Wire()
    wire.hear(0)
    wire.lead(hand_at(0.0), TOOL)
    ahead = [
        wire.lead(hand_at(x), TOOL, scale=s).base_T_tool[0] for x, s in ((0.05, 1), (0.05, 0.2), (0.1, 0.2))
    ]
    assert ahead == pytest.approx([0.55, 0.55, 0.56])


def test_the_hand_turns_the_tool_in_the_base_s_axes_however_each_is_held() -> None:
    wire, turned = Wire(), axis_angle((0.0, 0.0, 1.0), 0.3)
    held = axis_angle((1.0, 0.0, 0.0), math.pi / 2)
    wire.hear(0)
    wire.lead(hand_at(0.0, held), TOOL)
    tool = wire.lead(hand_at(0.0, product(turned, held)), TOOL).base_T_tool
    assert tool == pytest.approx((*TOOL[:3], *product(turned, (1.0, 0.0, 0.0, 0.0))))


def test_a_scale_is_for_velocities_too_and_not_for_turns() -> None:
    wire = Wire()
    wire.hear(0)
    twist, acceleration = (0.1, 0.0, 0.0, 0.0, 0.0, 0.4), (0.2, 0.0, 0.0, 0.0, 0.0, 0.1)
    track = wire.lead(hand_at(0.0), TOOL, scale=0.2, twist=twist, acceleration=acceleration)
    assert track.twist == pytest.approx((0.02, 0.0, 0.0, 0.0, 0.0, 0.4))
    assert track.acceleration == pytest.approx((0.04, 0.0, 0.0, 0.0, 0.0, 0.1))


# ---------------------------------------------------------------- whatever comes

step = st.tuples(
    st.sampled_from([0.004, 0.016, 0.016, 0.05, 0.099, 0.101, 0.301]),  # since the one before [s]
    st.integers(0, 6),  # the pressing that it says
    st.sampled_from([1, 1, 1, 1, 0, -3, 7]),  # by how much its number is higher
    st.sampled_from(["me", "me", "me", "you"]),
    st.booleans(),  # the arm rests
    st.sampled_from([0.0, 0.0, 0.0, 0.01, 0.4, math.nan]),  # where it is
    st.sampled_from([0.0, 0.0, 0.02, 0.2, -1.0]),  # how late it comes [s]
)


@random_inputs(200)
@given(steps=st.lists(step, min_size=20, max_size=120))
def test_whatever_comes_no_pressing_counts_twice_or_without_having_been_seen_to_begin(
    steps: list[tuple[float, int, int, str, bool, float, float]],
) -> None:
    clutch, now_s, number, heard_s, over = Clutch("me"), 50.0, -1, -math.inf, 0
    taken_s = 0.0  # of the newest that moved it
    silent_before: dict[int, float] = {}  # each pressing: since the sample before its first [s]
    for after_s, engagement, ahead, session, at_rest, x, late_s in steps:
        now_s += after_s
        before = clutch.engaged
        clutch.look(now_s)
        assert clutch.engaged in (0, before)
        was, is_new = clutch.engaged, session == "me" and ahead > 0
        sample = HandSample(
            session,
            number + ahead,
            now_s - late_s,
            now_s,
            engagement,
            base_T_hand=(x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        )
        moves = clutch.hear(sample, now_s, at_rest=at_rest)
        assert not moves or clutch.engaged == engagement != 0
        if not is_new:
            assert clutch.engaged == was
            continue
        number += ahead
        silent_before.setdefault(engagement, now_s - heard_s)
        heard_s = now_s
        if clutch.engaged:
            assert clutch.engaged == engagement
            assert math.isfinite(x)
            assert 0.0 <= late_s <= SILENCE_S
            assert clutch.engaged != was or sample.taken_s - taken_s <= SILENCE_S + 1e-9
            taken_s = sample.taken_s
        if clutch.engaged not in (0, was):
            assert clutch.engaged > over
            assert silent_before[engagement] <= SEEN_WITHIN_S + 1e-9
            over = clutch.engaged


WRONG: dict[str, dict[str, object]] = {
    "the page sent a pose that is not a number; .* load the page anew": {"stick": (math.nan, 0.0, 0.0)},
    "the page sent a pose without a valid rotation; .* load": {"base_T_hand": (0.0,) * 7},
    "the page asked for a scale of 50, and 0.05 to 2 is allowed; choose another": {"scale": 50.0},
    "the page sent a stick that is beyond its end; .* load": {"stick": (0.0, 1.5, 0.0)},
    "the device lost track of where it is; move more slowly, in more light": {"tracked": False},
    "the page's clock is ahead of the robot's; .* load": {"received_s": 1e6},
    "a pose came .* ms late; come nearer to the access point": {"taken_s": 99.0},
    "the hand went faster than 3 m/s, .*; move more slowly": {"twist": (9.0, 0.0, 0.0, 0.0, 0.0, 0.0)},
    "the hand jumped by 500 mm and 0°: .*; move more slowly": {
        "base_T_hand": (0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    },
}


@pytest.mark.parametrize("why", WRONG)
def test_whoever_drives_is_told_whose_fault_it_is_and_what_to_do(why: str) -> None:
    wire = Wire()
    wire.hear(0)
    assert wire.hear(1)
    sample = msgspec.structs.replace(wire.sample(1), **WRONG[why])
    assert not wire.clutch.hear(sample, wire.now_s, at_rest=True)
    assert re.match(why, wire.clutch.disengaged), wire.clutch.disengaged
    assert not wire.clutch.disengaged.endswith(".")  # it stands in a sentence of others


def test_the_quickest_sample_of_a_former_pressing_says_nothing_about_the_time_of_this_one() -> None:
    """The link has become slower meanwhile: what comes as quickly as it can is not late."""
    wire = Wire()
    given_s = []
    for engagement, delay_s in ((1, 0.005), (2, 0.05)):
        wire.hear(0)
        for _ in range(5):
            assert wire.hear(engagement, taken_s=wire.now_s + PERIOD_S - delay_s)
            given_s.append(wire.now_s - wire.clutch.target((0.0,) * 6 + (1.0,))[1])
    assert given_s == pytest.approx([0.0] * 10)
