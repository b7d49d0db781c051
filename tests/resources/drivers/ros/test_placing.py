"""Samples wait for their place, and go on without one: by messages that are like ROS's."""

from __future__ import annotations

from types import SimpleNamespace as Message
from typing import Any

import pytest

from framework.status import Severity
from resources.children.complaints import Complaints
from resources.drivers.ros.arguments import RosLidarParameters
from resources.drivers.ros.placing import FIRST_WITHIN_S, Placed, Placing, needs_tf, topics_of
from resources.ros.frames import MOST_FRAMES
from resources.types.streams import Pose7

AHEAD: Pose7 = (0.3, 0.0, 0.2, 0.0, 0.0, 0.0, 1.0)
ROS_S = 5000.0
"""ROS's time when ours is 0."""


class Bench:
    """A sensor's placing, under clocks that stand."""

    def __init__(self, **parameters: Any) -> None:
        self.now_s = 10.0
        self.ros_back_s = 0.0
        self.said: list[tuple[Severity, str]] = []
        complaints = Complaints(lambda severity, words: self.said.append((severity, words)), every_s=0.0)
        self.placing: Placing[str] = Placing(
            RosLidarParameters("/scan", **parameters),
            complaints,
            ros_s=lambda: ROS_S + self.now_s - self.ros_back_s,
            now_s=lambda: self.now_s,
        )

    def odometry(self, x: float, stamp_s: float, child: str = "base_link") -> None:
        self.placing.robot_moved(
            Message(header=header("odom", stamp_s), child_frame_id=child, pose=Message(pose=pose_at(x)))
        )

    def tf(self, parent: str, child: str, x: float, stamp_s: float, *, is_static: bool = False) -> None:
        place = Message(translation=vector(x), rotation=turn())
        each = Message(header=header(parent, stamp_s), child_frame_id=child, transform=place)
        message = Message(transforms=[each])
        if is_static:
            self.placing.static_said(message)
        else:
            self.placing.transforms_said(message)

    def made(self, what: str, frame: str = "scanner") -> None:
        self.placing.put(what, frame, self.now_s)

    def take(self) -> Placed[str] | None:
        return self.placing.take()


def header(frame: str, stamp_s: float) -> Message:
    whole = int(ROS_S + stamp_s)
    return Message(frame_id=frame, stamp=Message(sec=whole, nanosec=round(1e9 * (ROS_S + stamp_s - whole))))


def vector(x: float) -> Message:
    return Message(x=x, y=0.0, z=0.0)


def turn() -> Message:
    return Message(x=0.0, y=0.0, z=0.0, w=1.0)


def pose_at(x: float) -> Message:
    return Message(position=vector(x), orientation=turn())


def test_a_sample_waits_until_it_is_known_where_it_was() -> None:
    bench = Bench(robot_T_frame=AHEAD, odometry="/odom")
    bench.odometry(1.0, 10.0)
    bench.now_s = 10.02
    bench.made("scan")
    assert bench.take() is None
    bench.odometry(1.4, 10.04)
    placed = bench.take()
    assert placed is not None
    assert (placed.made, placed.stamp_s) == ("scan", 10.02)
    assert placed.world_T_frame == pytest.approx((1.5, 0.0, 0.2, 0.0, 0.0, 0.0, 1.0))
    assert bench.take() is None
    assert not bench.said


def test_of_several_the_newest_that_has_a_place_goes_on_and_a_newer_one_keeps_waiting() -> None:
    bench = Bench(robot_T_frame=AHEAD, odometry="/odom")
    bench.odometry(0.0, 10.0)
    for what, now_s in (("first", 10.01), ("second", 10.05), ("third", 10.09)):
        bench.now_s = now_s
        bench.made(what)
        assert bench.take() is None
    bench.odometry(1.0, 10.06)
    bench.now_s = 10.1
    placed = bench.take()
    assert placed is not None
    assert placed.made == "first"
    bench.odometry(2.0, 10.1)
    placed = bench.take()
    assert placed is not None
    assert placed.made == "third"


def test_names_that_never_end_are_left_out_and_told_and_samples_go_on() -> None:
    bench = Bench(robot_T_frame=AHEAD, odometry="/odom")
    for number in range(MOST_FRAMES):
        bench.odometry(0.0, 10.0, f"robot_{number}")
    assert not bench.said
    bench.odometry(0.0, 10.0, "one_more")
    assert "more than 2000 frames; 'one_more' is left out" in bench.said[-1][1]
    bench.made("scan")
    bench.now_s += FIRST_WITHIN_S + 0.1
    placed = bench.take()
    assert placed is not None and placed.world_T_frame is None
    assert "'scanner' is left out" in bench.said[-1][1]


def test_without_a_place_samples_go_on_and_what_is_missing_is_told() -> None:
    bench = Bench()
    bench.made("scan")
    assert bench.take() is None  # who says it may have to be found
    bench.now_s += FIRST_WITHIN_S
    bench.made("newer")
    placed = bench.take()
    assert placed is not None
    assert (placed.made, placed.world_T_frame) == ("newer", None)
    severity, words = bench.said[-1]
    assert severity is Severity.WARNING
    assert words.startswith(
        "where it is, is not known: nobody says where scanner is in odom: nothing has come"
    )
    bench.made("next")
    assert bench.take() is not None  # nothing is waited for again

    bench.tf("odom", "base_link", 1.0, bench.now_s)
    bench.tf("base_link", "scanner", 0.5, 0.0, is_static=True)
    bench.made("placed")
    placed = bench.take()
    assert placed is not None
    assert placed.world_T_frame == pytest.approx((1.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))


def test_a_robot_that_is_silent_takes_the_places_away() -> None:
    bench = Bench(robot_T_frame=AHEAD, odometry="/odom")
    bench.odometry(0.0, 10.0)
    bench.made("scan")
    assert bench.take() is not None
    bench.now_s = 10.2
    bench.made("late")
    assert bench.take() is None
    bench.now_s = 10.6
    bench.made("later")
    placed = bench.take()
    assert placed is not None
    assert (placed.made, placed.world_T_frame) == ("later", None)
    assert "where base_link is in odom was said last 0.60 s before" in bench.said[-1][1]


@pytest.mark.parametrize(
    ("parameters", "is_needed"),
    [
        ({}, True),
        ({"odometry": "/odom"}, True),
        ({"robot_T_frame": AHEAD}, True),
        ({"robot_T_frame": AHEAD, "odometry": "/odom"}, False),
        ({"robot_T_frame": AHEAD, "fixed_frame": "base_link"}, False),
    ],
)
def test_tf_is_listened_to_only_if_something_is_left_for_it(
    parameters: dict[str, Any], is_needed: bool
) -> None:
    assert needs_tf(RosLidarParameters("/scan", **parameters)) is is_needed
    assert ("/tf" in topics_of(RosLidarParameters("/scan", **parameters))) is is_needed


def test_odometry_of_a_footprint_goes_on_by_tf() -> None:
    bench = Bench(odometry="/odom")
    bench.odometry(1.0, 10.0, child="base_footprint")
    bench.tf("base_footprint", "base_link", 0.1, 0.0, is_static=True)
    bench.tf("base_link", "scanner", 0.5, 0.0, is_static=True)
    bench.made("scan")
    placed = bench.take()
    assert placed is not None
    assert placed.world_T_frame == pytest.approx((1.6, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))


def test_a_sensor_without_a_frame_that_stands_on_the_robot_needs_no_name() -> None:
    bench = Bench(robot_T_frame=AHEAD, fixed_frame="base_link")
    bench.made("scan", frame="")
    placed = bench.take()
    assert placed is not None
    assert placed.world_T_frame == pytest.approx(AHEAD)


def test_a_simulation_that_begins_anew_forgets_where_the_robot_was() -> None:
    bench = Bench(robot_T_frame=AHEAD, odometry="/odom")
    bench.odometry(7.0, 10.0)
    bench.ros_back_s = 1.0
    bench.odometry(0.0, 9.0)
    bench.made("scan")
    placed = bench.take()
    assert placed is not None
    assert placed.world_T_frame == pytest.approx(AHEAD)


def test_a_robot_that_is_nowhere_is_told() -> None:
    bench = Bench(robot_T_frame=AHEAD, odometry="/odom")
    bench.odometry(float("nan"), 10.0)
    assert "base_link is said to be at (nan, 0.0, 0.0)" in bench.said[-1][1]
