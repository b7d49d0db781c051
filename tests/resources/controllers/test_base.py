"""The base's mechanism on a base that does what it is told: goals, velocities, limits, and what guards it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from framework.errors import CommandRefused
from resources.controllers.base import BaseController
from resources.controllers.base_guard import CRAWL, MAX_SCAN_AGE_S, ScanSeen
from resources.controllers.base_ramp import BASE_LIMITS, BaseRamp
from resources.controllers.loop import Ended
from resources.controllers.protective_field import Outline, Twist
from resources.types.motion import TARGET_LAPSES_S, Drive, Hold, MotionCommand, MoveBase

OUTLINE = Outline(0.99, 0.67)
DT_S = 0.001
DRIVES_S = 0.016  # how far a real drive lags behind
FRONT = (-math.radians(95), math.radians(95))


class Hall:
    """A base in a hall with obstacles, and a level scanner that sees them all, ten times a second."""

    def __init__(
        self,
        *obstacles: tuple[float, float],
        sees: tuple[float, float] = (-math.pi, math.pi),
        sideways: bool = True,
    ) -> None:
        self.base = BaseController(OUTLINE, sideways=sideways)
        self.base.guard.scanners = ("front_lidar",)
        self.obstacles = np.array([(x, y, 0.3) for x, y in obstacles]).reshape(-1, 3)
        self.sees = sees
        self.scans = True
        self.now_s = 50.0
        self.place = np.zeros(3)
        self.velocity: Twist = (0.0, 0.0, 0.0)
        self.trace: list[Twist] = []
        self._scan_at_s = 0.0
        self.is_held = False
        self.run(0.02)
        self.trace.clear()

    def run(self, seconds: float, command: MotionCommand | None = None) -> Ended | None:
        """Let time pass, streaming a command; ends early when a goal does."""
        for step in range(round(seconds / DT_S)):
            if self.scans and self.now_s >= self._scan_at_s:
                self._scan_at_s = self.now_s + 0.1
                self.scan()
            if command is not None and step % 20 == 0:
                self.base.begin(command, self.now_s, self.now_s)
            x, y, yaw = self.place.tolist()
            wanted = self.base.tick((x, y, yaw), self.velocity, self.now_s, DT_S)
            share = DT_S / DRIVES_S
            forward, left, turn = (
                was + share * (now - was) for was, now in zip(self.velocity, wanted, strict=True)
            )
            if self.is_held:
                forward = left = turn = 0.0
            self.velocity = (forward, left, turn)
            cos, sin = math.cos(yaw), math.sin(yaw)
            self.place += np.array([cos * forward - sin * left, sin * forward + cos * left, turn]) * DT_S
            self.now_s += DT_S
            self.trace.append(self.velocity)
            if (ended := self.base.ended()) is not None:
                return ended
        return None

    def go(self, goal: MoveBase, seconds: float = 20.0) -> Ended | None:
        """Follow a goal to its end."""
        self.base.begin(goal, self.now_s, self.now_s)
        return self.run(seconds)

    def scan(self, scanner: str = "front_lidar") -> None:
        """What the scanner sees from the base's front now."""
        pose = np.eye(4)
        x, y, yaw = self.place.tolist()
        pose[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
        pose[:3, 3] = (x + 0.4 * math.cos(yaw), y + 0.4 * math.sin(yaw), 0.3)
        self.base.guard.see(scanner, ScanSeen(self.now_s, self.obstacles, pose, *self.sees))

    def clearance(self) -> float:
        x, y, yaw = self.place.tolist()
        dx, dy = self.obstacles[:, 0] - x, self.obstacles[:, 1] - y
        cos, sin = math.cos(yaw), math.sin(yaw)
        return float(OUTLINE.distances(cos * dx + sin * dy, cos * dy - sin * dx).min())


WALL = [(1.5, y) for y in np.linspace(-2.0, 2.0, 161)]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (Drive(forward=math.nan), "forward is nan"),
        (Drive(left=1.01 * BASE_LIMITS.speed), "left is 1.01; allowed is -1 to 1"),
        (Drive(turn=-math.inf), "turn is -inf"),
        (MoveBase(math.nan, 0.0, 0.0), "x is nan"),
        (MoveBase(0.0, 1e6, 0.0), "y is 1000000.0"),
        (MoveBase(0.0, 0.0, math.inf), "yaw is inf"),
        (MoveBase(1.0, 0.0, 0.0, speed=0.0), "speed is 0.0; allowed is 0.01 to 1"),
        (MoveBase(1.0, 0.0, 0.0, turn=9.0), "turn is 9.0"),
        (Hold(), "Hold was sent to a base; it takes Drive and MoveBase"),
    ],
    ids=repr,
)
def test_what_is_out_of_bounds_is_refused_and_changes_nothing(command: MotionCommand, why: str) -> None:
    hall = Hall()
    hall.run(0.5, Drive(forward=0.2))
    with pytest.raises(CommandRefused, match=why):
        hall.base.begin(command, hall.now_s, hall.now_s)
    assert hall.base.mode == "drive"
    hall.run(0.05)
    assert hall.velocity[0] == pytest.approx(0.2, abs=0.01)


# ---------------------------------------------------------------- goals


def test_a_goal_is_reached_straight_without_overshoot_and_within_the_limits() -> None:
    hall = Hall()
    assert hall.go(MoveBase(1.2, -0.9, 0.0, speed=0.5)) == Ended("")
    assert hall.place == pytest.approx([1.2, -0.9, 0.0], abs=0.004)
    velocities = np.array(hall.trace)
    assert np.hypot(velocities[:, 0], velocities[:, 1]).max() <= 0.501
    changes = np.hypot(*np.diff(velocities[:, :2], axis=0).T) / DT_S
    assert changes.max() < 1.05 * BASE_LIMITS.deceleration
    assert np.ptp(velocities[500:-500, 1] / velocities[500:-500, 0]) < 0.02, "it bends"
    assert (velocities[:, 0] > -0.002).all(), "it comes back"


def test_turns_are_not_wrapped_and_progress_rises() -> None:
    hall = Hall()
    hall.base.begin(MoveBase(0.0, 0.0, 2 * math.pi, turn=1.0), hall.now_s, hall.now_s)
    told = []
    while hall.run(0.5) is None:
        told.append(hall.base.progress)
        assert hall.base.mode == "move"
        assert len(told) < 30
    assert told == sorted(told)
    assert told[-1] > 0.9
    assert hall.place[2] == pytest.approx(2 * math.pi, abs=0.005)
    hall.run(0.05)
    assert hall.base.is_at_rest


def test_coming_to_rest_forgets_the_goal_and_brakes_along_the_arc() -> None:
    hall = Hall()
    hall.base.begin(MoveBase(3.0, 0.0, 3.0, speed=0.8, turn=1.2), hall.now_s, hall.now_s)
    hall.run(1.0)
    fast = hall.velocity
    hall.base.rest()
    assert hall.base.mode == "brake"
    hall.trace.clear()
    hall.run(1.0)
    assert hall.base.mode == "hold" and hall.base.is_at_rest
    braking = np.array(hall.trace)[20:200:20]
    assert np.allclose(
        braking[:, 2] / np.hypot(braking[:, 0], braking[:, 1]), fast[2] / math.hypot(*fast[:2]), atol=0.1
    )
    place = hall.place.copy()
    hall.run(0.5)
    assert hall.place == pytest.approx(place, abs=1e-3)


def test_streamed_velocities_lapse() -> None:
    hall = Hall()
    hall.run(0.8, Drive(forward=0.3, turn=0.2))
    assert hall.velocity == pytest.approx((0.3, 0.0, 0.2), abs=1e-3)
    assert 0.0 < hall.base.target_age_s < 0.03
    ended = hall.run(TARGET_LAPSES_S + 0.05)
    assert ended == Ended("the velocities ceased to come")
    hall.run(0.5)
    assert hall.base.is_at_rest and hall.base.target_age_s == 0.0


def test_a_locked_base_does_not_move() -> None:
    hall = Hall()
    hall.run(0.5, Drive(forward=0.5))
    hall.base.lock()
    hall.run(1.0)
    assert hall.base.mode == "locked" and hall.base.is_at_rest
    hall.base.unlock()
    assert hall.base.mode == "hold"


# ---------------------------------------------------------------- what guards it


@pytest.mark.parametrize("goal", [MoveBase(3.0, 0.0, 0.0, speed=1.0), MoveBase(3.0, 0.0, 1.5, speed=1.0)])
def test_it_stops_before_a_wall_and_says_why_it_cannot_go_on(goal: MoveBase) -> None:
    hall = Hall(*WALL)
    ended = hall.go(goal)
    assert ended is not None
    assert "the base cannot go on: the front lidar sees something 0.1 m" in ended.why
    assert 0.04 < hall.clearance() < 0.15
    assert hall.base.is_at_rest


def test_whoever_streams_into_a_wall_stops_as_well_and_may_leave_it() -> None:
    hall = Hall(*WALL)
    hall.run(4.0, Drive(forward=1.0))
    assert hall.base.blocked == "the front lidar sees something 0.1 m ahead" and not hall.base.is_blind
    assert hall.base.mode == "wait"
    stood = hall.clearance()
    assert 0.04 < stood < 0.12
    hall.run(1.0, Drive(forward=-0.5))
    assert hall.base.blocked == ""
    assert hall.clearance() > stood + 0.2


def test_somebody_who_steps_in_front_stops_it_with_all_it_has() -> None:
    hall = Hall()
    hall.run(1.5, Drive(forward=1.0))
    assert hall.velocity[0] == pytest.approx(1.0, abs=0.01)
    x = float(hall.place[0])
    hall.obstacles = np.array([(x + 1.05, 0.0, 0.5)])
    hall.trace.clear()
    hall.run(1.0, Drive(forward=1.0))
    assert hall.base.blocked
    assert hall.clearance() > 0.03
    assert -np.diff(np.array(hall.trace)[:, 0]).min() / DT_S < 1.05 * BASE_LIMITS.deceleration


def test_a_goal_waits_a_while_for_what_is_in_the_way_to_go() -> None:
    hall = Hall(*WALL)
    hall.base.begin(MoveBase(2.0, 0.0, 0.0, speed=1.0), hall.now_s, hall.now_s)
    assert hall.run(3.5) is None
    assert hall.base.mode == "wait"
    hall.obstacles = np.zeros((0, 3))
    assert hall.run(5.0) == Ended("")


def test_without_a_fresh_scan_it_does_not_move() -> None:
    hall = Hall()
    hall.base.guard.scanners = ()
    hall.run(0.3, Drive(forward=0.5))
    assert hall.base.blocked == "no scanner guards the base" and hall.base.is_blind
    hall.base.guard.scanners = ("front_lidar", "rear_lidar")
    hall.run(0.3, Drive(forward=0.5))
    assert hall.base.blocked == "the rear lidar has given no scan yet"
    assert hall.velocity == (0.0, 0.0, 0.0)
    hall.base.guard.scanners = ("front_lidar",)
    hall.run(0.8, Drive(forward=0.5))
    assert hall.velocity[0] == pytest.approx(0.5, abs=0.01)
    hall.scans = False
    hall.run(MAX_SCAN_AGE_S + 0.5, Drive(forward=0.5))
    assert hall.base.blocked.startswith("the scan of the front lidar is 0.")
    assert hall.velocity[0] == pytest.approx(0.0, abs=1e-3)
    hall.scans = True
    hall.run(0.5, Drive(forward=0.5))
    assert hall.velocity[0] == pytest.approx(0.5, abs=0.01)


def test_where_nobody_looks_it_crawls() -> None:
    hall = Hall(sees=FRONT)
    hall.run(1.0, Drive(forward=-0.6))
    assert hall.velocity[0] == pytest.approx(-CRAWL, abs=0.005)
    hall.run(1.0, Drive(left=0.6))
    assert hall.velocity[1] == pytest.approx(CRAWL, abs=0.005)
    hall.run(1.0, Drive(turn=1.0))
    assert hall.velocity[2] == pytest.approx(CRAWL / (OUTLINE.length_m / 2), abs=0.01)
    hall.run(1.0, Drive(forward=0.6))
    assert hall.velocity[0] == pytest.approx(0.6, abs=0.005)
    hall.run(1.0, Drive())
    assert hall.go(MoveBase(0.0, 0.0, float(hall.place[2]) + math.pi / 2), 15.0) == Ended("")


def test_a_scanner_that_is_gone_no_longer_counts_as_looking() -> None:
    hall = Hall(sees=FRONT)
    guard = hall.base.guard
    guard.scanners = ("front_lidar", "rear_lidar")
    hall.scan()
    rear = np.diag((-1.0, -1.0, 1.0, 1.0))
    rear[:3, 3] = (-0.4, 0.0, 0.3)
    guard.see("rear_lidar", ScanSeen(hall.now_s, hall.obstacles, rear, *FRONT))
    backwards: Twist = (-0.5, 0.0, 0.0)
    place = (0.0, 0.0, 0.0)
    assert guard.rule(backwards, place, hall.now_s).share == 1.0
    guard.scanners = ("front_lidar",)
    assert 0.5 * guard.rule(backwards, place, hall.now_s).share == pytest.approx(CRAWL)
    hall.run(1.0, Drive(forward=-0.5))
    assert hall.velocity[0] == pytest.approx(-CRAWL, abs=0.01)
    guard.scanners = ("front_lidar", "rear_lidar")
    assert guard.blind(hall.now_s) == "the rear lidar has given no scan yet", "what it saw is forgotten"


def test_a_scan_of_the_future_is_none() -> None:
    hall = Hall()
    hall.scans = False
    guard = hall.base.guard
    guard.see("front_lidar", ScanSeen(hall.now_s + 0.02, hall.obstacles, np.eye(4), *FRONT))
    assert guard.blind(hall.now_s) == ""
    guard.see("front_lidar", ScanSeen(hall.now_s + 9.0, hall.obstacles, np.eye(4), *FRONT))
    assert guard.blind(hall.now_s) == "the scan of the front lidar is stamped 9.0 s ahead of now"


def test_a_wall_beside_forbids_to_turn_into_it() -> None:
    hall = Hall(*((x, -0.42) for x in np.linspace(-1.0, 1.0, 81)))
    hall.run(2.0, Drive(turn=1.0))
    assert "to the right" in hall.base.blocked
    assert hall.clearance() > 0.04
    hall.run(1.0, Drive(left=0.3))
    assert hall.velocity[1] == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("command", [Drive(left=0.3), Drive(turn=0.5), MoveBase(0.0, 1.0, 0.0)], ids=repr)
def test_what_pushes_against_something_unseen_gives_way_at_once(command: MotionCommand) -> None:
    hall = Hall(sees=FRONT)
    hall.is_held = True
    hall.base.begin(command, hall.now_s, hall.now_s)
    began_s = hall.now_s
    streamed = command if isinstance(command, Drive) else None
    assert hall.run(1.0, streamed) == Ended("something holds the base")
    assert hall.now_s - began_s < 0.5
    hall.run(0.3)
    assert hall.base.is_at_rest
    hall.is_held = False
    hall.run(0.8, Drive(forward=0.4))
    assert hall.velocity[0] == pytest.approx(0.4, abs=0.01)


# ---------------------------------------------------------------- the ramp


def test_the_ramp_changes_all_three_together() -> None:
    ramp = BaseRamp()
    for _ in range(2000):
        ramp.advance((0.6, 0.3, 0.5), DT_S)
    assert ramp.velocity == (0.6, 0.3, 0.5)
    for _ in range(50):
        ramp.advance((0.0, 0.0, 0.0), DT_S)
    forward, left, turn = ramp.velocity
    assert 0.0 < forward < 0.6
    assert (left / forward, turn / forward) == pytest.approx((0.5, 0.5 / 0.6))


@pytest.mark.parametrize(
    ("start", "goal"),
    [
        ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        ((0.0, 0.03, 0.05), (1.0, 0.0, 0.0)),
        ((0.0, -0.04, -0.1), (1.5, 0.0, 0.0)),
        ((0.0, 0.03, 0.05), (-1.0, 0.0, 0.0)),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 2.0)),
    ],
)
def test_a_base_that_cannot_go_sideways_comes_back_to_its_line_on_the_way(
    start: tuple[float, float, float], goal: tuple[float, float, float]
) -> None:
    hall = Hall(sideways=False)
    hall.place = np.array(start)
    hall.run(0.05)
    hall.trace.clear()
    assert hall.go(MoveBase(*goal)) == Ended()
    assert hall.place[0] == pytest.approx(goal[0], abs=0.004)
    assert hall.place[1] == pytest.approx(goal[1], abs=0.02)
    assert hall.place[2] == pytest.approx(goal[2], abs=0.01)
    assert not any(left for _, left, _ in hall.trace)


def test_a_base_that_cannot_go_sideways_refuses_goals_beside_it_and_ignores_a_stick_to_the_side() -> None:
    hall = Hall(sideways=False)
    with pytest.raises(CommandRefused, match="that is 50 cm beside the base, which cannot go sideways"):
        hall.base.begin(MoveBase(0.0, 0.5, 0.0), hall.now_s, hall.now_s)
    hall.run(0.5, Drive(left=0.5))
    assert not hall.place.any()


def test_drives_that_were_told_nothing_go_on_from_standstill() -> None:
    hall = Hall()
    hall.run(1.0, Drive(forward=0.5))
    hall.velocity = (0.0, 0.0, 0.0)
    hall.base.drives_stand()
    hall.base.rest()
    assert hall.run(0.2) is None
    assert not any(any(velocity) for velocity in hall.trace[-200:])
