"""tf's tree: what is found in it, and what is said of what is not."""

from __future__ import annotations

import math
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from framework.errors import MalformedMessage
from resources.ros.frames import (
    AHEAD_S,
    KEPT_S,
    LAGS_S,
    MOST_FRAMES,
    Frames,
    Lack,
    Unplaced,
    blended,
    checked_pose,
)
from resources.types.poses import about, angle_between, chained, inverse, pose, rotation_of
from resources.types.streams import IDENTITY, Pose7

NOW_S = 100.0
MAST: Pose7 = (0.2, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def at(x: float, heading: float = 0.0) -> Pose7:
    return pose((x, 0.0, 0.0), about((0.0, 0.0, 1.0), heading))


def tree() -> Frames:
    """odom → base_link, which moves by 1 m/s and 0.2 rad/s; base_link → mast → camera."""
    frames = Frames()
    for tenth in range(11):
        stamp_s = NOW_S - 1.0 + 0.1 * tenth
        frames.said("odom", "base_link", at(0.1 * tenth, 0.02 * tenth), stamp_s, stamp_s, is_static=False)
    frames.said("base_link", "mast", MAST, 0.0, NOW_S, is_static=True)
    frames.said("/mast", "/camera", at(0.1), 0.0, NOW_S, is_static=True)
    return frames


def found(frames: Frames, fixed: str, frame: str, stamp_s: float = NOW_S) -> Pose7:
    place = frames.place(fixed, frame, stamp_s)
    assert not isinstance(place, Unplaced), place.words
    return place


def missing(frames: Frames, fixed: str, frame: str, stamp_s: float = NOW_S) -> Unplaced:
    place = frames.place(fixed, frame, stamp_s)
    assert isinstance(place, Unplaced)
    return place


def test_a_frame_is_found_at_the_moment_between_two_sayings() -> None:
    heading = 0.02 * 4.5
    expected = chained(chained(at(0.45, heading), MAST), at(0.1))
    assert found(tree(), "odom", "camera", NOW_S - 0.55) == pytest.approx(expected)
    assert found(tree(), "odom", "base_link", NOW_S - 0.5) == pytest.approx(at(0.5, 0.1))


def test_one_branch_is_found_in_another_and_what_lies_above_both_does_not_count() -> None:
    frames = tree()
    frames.said("base_link", "lidar", at(0.5), 0.0, NOW_S, is_static=True)
    long_ago_s = NOW_S - 50.0  # nobody knows any more where the robot was
    assert found(frames, "lidar", "mast", long_ago_s) == pytest.approx(chained(inverse(at(0.5)), MAST))
    assert found(frames, "camera", "camera", long_ago_s) == IDENTITY


@pytest.mark.parametrize(
    ("fixed", "frame", "stamp_s", "lack", "words"),
    [
        (
            "odom",
            "rear_camera",
            NOW_S,
            Lack.FRAME,
            "nobody says where rear_camera is; frames: base_link, camera",
        ),
        ("map", "camera", NOW_S, Lack.LINK, "camera is known, but nothing leads to map; frames: base_link"),
        ("odom", "", NOW_S, Lack.FRAME, "header.frame_id is empty"),
        ("odom", "camera", NOW_S + 0.1, Lack.AFTER, "where base_link is in odom was said last 0.10 s before"),
        ("odom", "camera", NOW_S + 0.5, Lack.SILENT, "was said last 0.50 s before; 0.3 s are waited for"),
        (
            "odom",
            "camera",
            NOW_S - 1.5,
            Lack.BEFORE,
            "where base_link is in odom was said first 0.50 s later",
        ),
    ],
)
def test_what_is_missing_is_said(fixed: str, frame: str, stamp_s: float, lack: Lack, words: str) -> None:
    place = missing(tree(), fixed, frame, stamp_s)
    assert place.lack is lack
    assert words in place.words
    assert place.may_come is (lack is Lack.AFTER)


def test_without_any_tf_that_is_what_is_said() -> None:
    assert "nothing has come on /tf or /tf_static" in missing(Frames(), "odom", "camera").words


def test_what_was_said_is_forgotten_in_time_and_the_last_is_kept() -> None:
    frames = tree()
    frames.said("odom", "base_link", at(5.0), NOW_S + 10.0, NOW_S + 10.0, is_static=False)
    assert missing(frames, "odom", "camera", NOW_S).lack is Lack.BEFORE
    assert found(frames, "odom", "base_link", NOW_S + 10.0) == pytest.approx(at(5.0))


def test_sayings_out_of_order_are_put_in_order_and_a_second_one_corrects_the_first() -> None:
    frames = Frames()
    for stamp_s, x in ((99.9, 3.0), (99.7, 1.0), (99.8, 7.0), (99.8, 2.0)):
        frames.said("odom", "base_link", at(x), stamp_s, NOW_S, is_static=False)
    assert found(frames, "odom", "base_link", 99.75) == pytest.approx(at(1.5))
    assert found(frames, "odom", "base_link", 99.85) == pytest.approx(at(2.5))


@pytest.mark.parametrize("stamp_s", [NOW_S - KEPT_S - 0.1, NOW_S + AHEAD_S + 0.1])
def test_what_is_of_another_time_is_refused(stamp_s: float) -> None:
    frames = tree()
    with pytest.raises(MalformedMessage, match="keep the clocks together"):
        frames.said("odom", "base_link", at(9.0), stamp_s, NOW_S, is_static=False)
    assert found(frames, "odom", "base_link") == pytest.approx(at(1.0, 0.2))


def test_a_second_parent_is_told_and_the_last_counts() -> None:
    frames = tree()
    with pytest.raises(MalformedMessage, match="base_link is in map, after it was in odom: a frame has one"):
        frames.said("map", "base_link", at(2.0), NOW_S, NOW_S, is_static=False)
    assert found(frames, "map", "base_link") == pytest.approx(at(2.0))


@pytest.mark.parametrize(("parent", "child"), [("odom", ""), ("", "base_link"), ("mast", "/mast")])
def test_what_names_no_two_frames_is_refused(parent: str, child: str) -> None:
    with pytest.raises(MalformedMessage, match="two names are wanted"):
        tree().said(parent, child, IDENTITY, NOW_S, NOW_S, is_static=True)


def test_a_circle_hangs_nobody() -> None:
    frames = Frames()
    frames.said("a", "b", at(1.0), 0.0, NOW_S, is_static=True)
    frames.said("b", "a", at(1.0), 0.0, NOW_S, is_static=True)
    assert missing(frames, "odom", "a").lack is Lack.LINK
    assert missing(frames, "a", "b").lack is Lack.LINK


def test_what_is_told_of_the_robot_holds_against_tf() -> None:
    frames = Frames()
    frames.tell("base_link", "camera", at(0.3))
    frames.tell_moves("odom", "base_link")
    frames.moved("base_link", at(1.0), NOW_S, NOW_S)
    frames.said("elsewhere", "camera", at(8.0), NOW_S, NOW_S, is_static=False)
    frames.said("odom", "base_link", at(9.0), NOW_S, NOW_S, is_static=False)
    assert found(frames, "odom", "camera") == pytest.approx(at(1.3))


def test_when_time_goes_back_only_what_stands_is_known() -> None:
    frames = tree()
    frames.forget_moves()
    assert missing(frames, "odom", "camera").lack is Lack.FRAME
    assert found(frames, "base_link", "camera") == pytest.approx(chained(MAST, at(0.1)))


def test_more_frames_than_any_robot_has_are_left_out() -> None:
    frames = Frames()
    for number in range(MOST_FRAMES):
        frames.said("odom", f"frame_{number}", IDENTITY, 0.0, NOW_S, is_static=True)
    with pytest.raises(MalformedMessage, match="more than 2000 frames"):
        frames.said("odom", "one_more", IDENTITY, 0.0, NOW_S, is_static=True)


def test_a_description_tells_of_no_more_frames_than_that_either() -> None:
    frames = Frames()
    for number in range(MOST_FRAMES // 2):
        frames.tell("base_link", f"sensor_{number}", IDENTITY)
        frames.tell_moves("odom", f"robot_{number}")
    for tell in (partial(frames.tell, parent_T_child=IDENTITY), frames.tell_moves):
        with pytest.raises(MalformedMessage, match="more than 2000 frames; 'one_more' is left out"):
            tell("odom", "one_more")
        tell("odom", "/sensor_0")  # which it has
    assert missing(frames, "odom", "one_more").lack is Lack.FRAME


@pytest.mark.parametrize("rotation", [(0.0, 0.0, 0.0, 0.0), (0.0, 0.0, math.nan, 1.0), (0.0, 0.0, 0.0, 2.0)])
def test_what_is_no_pose_is_refused_with_whose(rotation: tuple[float, float, float, float]) -> None:
    with pytest.raises(MalformedMessage, match="base_link is said to be at"):
        checked_pose((0.0, 0.0, 0.0), rotation, "base_link")


@given(st.floats(-3.1, 3.1), st.floats(-3.1, 3.1), st.floats(0.0, 1.0))
def test_a_rotation_on_the_way_is_a_share_of_the_shortest_way(one: float, other: float, share: float) -> None:
    first, second = at(0.0, one), at(1.0, other)
    whole = angle_between(rotation_of(first), rotation_of(second))
    made = blended(first, second, share)
    assert angle_between(rotation_of(first), rotation_of(made)) == pytest.approx(share * whole, abs=1e-6)
    assert made[0] == pytest.approx(share)


def test_waiting_is_shorter_than_what_is_kept() -> None:
    assert LAGS_S < KEPT_S
