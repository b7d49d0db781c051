"""Set-points become a reference, or the flag of the limit that they exceed."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from resources.fci_sim import HOME, Scene
from resources.fci_sim.end_effector import EndEffector
from resources.fci_sim.flags import Flag
from resources.fci_sim.limits import Limits
from resources.fci_sim.motion import (
    CartesianPose,
    CartesianVelocity,
    JointPosition,
    JointVelocity,
    MotionGenerator,
    Reference,
    Targets,
)
from resources.fci_sim.physics import ArmPhysics
from resources.fci_sim.rotation import columns, difference, rotation_of, rotation_vector
from tests.resources.fci_sim.arm_before_us import NOTHING

Array = NDArray[np.float64]


class Bed:
    """A reference at home and everything that generators need."""

    def __init__(self) -> None:
        physics = ArmPhysics(Scene())
        self.limits = Limits(physics.limits)
        self.kinematics = EndEffector(physics)
        self.reference = Reference(np.array(HOME), self.kinematics)

    def pose(self, x: float = 0.0, z: float = 0.0, turn: float = 0.0) -> tuple[float, ...]:
        """The end effector's pose at the start, shifted and turned about the base's z."""
        pose = self.kinematics.pose_at(np.array(HOME))
        pose[:3, 3] += (x, 0.0, z)
        pose[:3, :3] = rotation_of(np.array((0.0, 0.0, turn))) @ pose[:3, :3]
        return tuple(columns(pose).tolist())


@pytest.fixture
def bed() -> Bed:
    return Bed()


def run(generator: MotionGenerator, **fields: Callable[[float], object]) -> tuple[Flag | None, int]:
    """Feed set-points that are functions of time: the first flag and its step, or None after 400."""
    for step in range(400):
        now = {name: value(step / 1000) for name, value in fields.items()}
        flag = generator.command(msgspec.structs.replace(NOTHING, **now))
        if flag is not None:
            return flag, step
    return None, 400


def joints(way: float, joint: int = 0) -> tuple[float, ...]:
    return tuple(q + (way if number == joint else 0.0) for number, q in enumerate(HOME))


def swing(t: float, size: float, period: float = 0.8) -> float:
    return size * (1 - math.cos(2 * math.pi * t / period)) / 2


@pytest.mark.parametrize(
    ("q", "flag"),
    [
        (lambda t: joints(0.01), Flag.JOINT_POSITION_MOTION_GENERATOR_START_POSE_INVALID),
        (lambda t: joints(0.01 if t > 0.1 else 0.0), Flag.JOINT_MOTION_GENERATOR_VELOCITY_LIMITS_VIOLATION),
        (lambda t: joints(0.001 if t > 0.1 else 0.0), Flag.JOINT_MOTION_GENERATOR_VELOCITY_DISCONTINUITY),
        (lambda t: joints(1.2 * t**3 / 0.1), Flag.JOINT_MOTION_GENERATOR_VELOCITY_DISCONTINUITY),
        (lambda t: joints(1e-5 if t > 0.1 else 0.0), Flag.JOINT_MOTION_GENERATOR_ACCELERATION_DISCONTINUITY),
        (lambda t: joints(swing(t, 2.5, 4.0), 3), None),
    ],
)
def test_positions_within_limits_only(
    bed: Bed, q: Callable[[float], tuple[float, ...]], flag: Flag | None
) -> None:
    assert run(JointPosition(bed.reference, bed.limits), q=q)[0] is flag


def test_positions_beyond_the_end_stops(bed: Bed) -> None:
    near = np.array(HOME)
    near[3] = -0.0701
    bed.reference.rest(near)
    flag, _ = run(
        JointPosition(bed.reference, bed.limits), q=lambda t: (*near[:3], -0.0701 + swing(t, 0.1), *near[4:])
    )
    assert flag is Flag.JOINT_MOTION_GENERATOR_POSITION_LIMITS_VIOLATION


@pytest.mark.parametrize(
    ("speed", "flag"),
    [
        (lambda t: 0.1, Flag.JOINT_MOTION_GENERATOR_VELOCITY_DISCONTINUITY),
        (lambda t: 0.012, Flag.JOINT_MOTION_GENERATOR_ACCELERATION_DISCONTINUITY),
        (lambda t: 4.0 * swing(t, 1.0), Flag.JOINT_MOTION_GENERATOR_VELOCITY_DISCONTINUITY),
        (lambda t: swing(t, 2.6), Flag.JOINT_MOTION_GENERATOR_VELOCITY_LIMITS_VIOLATION),
        (lambda t: swing(t, 0.5), None),
    ],
)
def test_velocities_within_limits_only(bed: Bed, speed: Callable[[float], float], flag: Flag | None) -> None:
    generator = JointVelocity(bed.reference, bed.limits)
    assert run(generator, dq=lambda t: (speed(t), *(0.0,) * 6))[0] is flag


@pytest.mark.parametrize(
    ("shift", "flag"),
    [
        ({"x": lambda t: 0.01}, Flag.CARTESIAN_POSITION_MOTION_GENERATOR_START_POSE_INVALID),
        (
            {"x": lambda t: 0.01 if t > 0.1 else 0.0},
            Flag.CARTESIAN_MOTION_GENERATOR_VELOCITY_LIMITS_VIOLATION,
        ),
        (
            {"x": lambda t: 0.001 if t > 0.1 else 0.0},
            Flag.CARTESIAN_MOTION_GENERATOR_VELOCITY_DISCONTINUITY,
        ),
        (
            {"x": lambda t: 1.2e-5 if t > 0.1 else 0.0},
            Flag.CARTESIAN_MOTION_GENERATOR_ACCELERATION_DISCONTINUITY,
        ),
        (
            {"turn": lambda t: 0.01 if t > 0.1 else 0.0},
            Flag.CARTESIAN_MOTION_GENERATOR_VELOCITY_LIMITS_VIOLATION,
        ),
        (
            {"z": lambda t: swing(t, 0.8, 1.6)},
            Flag.CARTESIAN_MOTION_GENERATOR_JOINT_VELOCITY_LIMITS_VIOLATION,
        ),
        (
            {"x": lambda t: -swing(t, 0.05), "z": lambda t: swing(t, 0.05), "turn": lambda t: swing(t, 0.2)},
            None,
        ),
    ],
)
def test_poses_within_limits_only(
    bed: Bed, shift: dict[str, Callable[[float], float]], flag: Flag | None
) -> None:
    generator = CartesianPose(bed.reference, bed.limits, bed.kinematics)
    found, _ = run(generator, pose=lambda t: bed.pose(**{name: value(t) for name, value in shift.items()}))
    stretched = (
        Flag.CARTESIAN_MOTION_GENERATOR_JOINT_VELOCITY_LIMITS_VIOLATION,
        Flag.CARTESIAN_MOTION_GENERATOR_JOINT_VELOCITY_DISCONTINUITY,
        Flag.CARTESIAN_MOTION_GENERATOR_JOINT_POSITION_LIMITS_VIOLATION,
        Flag.CARTESIAN_MOTION_GENERATOR_JOINT_ACCELERATION_DISCONTINUITY,
    )
    # Which joint limit comes first on the way out of reach is the arm's affair.
    assert found is flag or (flag in stretched and found in stretched)


def test_a_frame_that_is_none_is_refused(bed: Bed) -> None:
    for spoilt in (1.1, math.nan):
        generator = CartesianPose(bed.reference, bed.limits, bed.kinematics)
        pose = (spoilt, *bed.pose()[1:])
        flag, _ = run(generator, pose=lambda t, pose=pose: pose)  # type: ignore[misc]
        assert flag is Flag.CARTESIAN_POSITION_MOTION_GENERATOR_INVALID_FRAME


@pytest.mark.parametrize(
    ("elbow", "flag"),
    [
        ((HOME[2], 1.0), Flag.CARTESIAN_MOTION_GENERATOR_ELBOW_SIGN_INCONSISTENT),
        ((HOME[2] + 0.1, -1.0), Flag.CARTESIAN_MOTION_GENERATOR_START_ELBOW_INVALID),
    ],
)
def test_an_elbow_that_cannot_be_is_refused(bed: Bed, elbow: tuple[float, float], flag: Flag) -> None:
    generator = CartesianPose(bed.reference, bed.limits, bed.kinematics)
    found, step = run(generator, pose=lambda t: bed.pose(), elbow=lambda t: elbow, has_elbow=lambda t: True)
    assert (found, step) == (flag, 0)


def test_the_elbow_moves_while_the_hand_stays(bed: Bed) -> None:
    generator = CartesianPose(bed.reference, bed.limits, bed.kinematics)
    flag, _ = run(
        generator,
        pose=lambda t: bed.pose(),
        elbow=lambda t: (HOME[2] + swing(t, 0.1, 0.8), -1.0),
        has_elbow=lambda t: True,
    )
    assert flag is None
    assert bed.reference.q[2] == pytest.approx(HOME[2] + swing(0.399, 0.1), abs=1e-8)
    start = bed.kinematics.pose_at(np.array(HOME))
    assert np.abs(difference(start, bed.kinematics.pose_at(bed.reference.q))).max() < 1e-8


def test_twists_are_followed_exactly(bed: Bed) -> None:
    generator = CartesianVelocity(bed.reference, bed.limits, bed.kinematics)
    start = bed.reference.pose.copy()
    flag, _ = run(generator, twist=lambda t: (swing(t, 0.1), 0.0, 0.0, 0.0, 0.0, swing(t, 0.2)))
    assert flag is None
    reached = bed.kinematics.pose_at(bed.reference.q)
    turned = rotation_vector(reached[:3, :3] @ start[:3, :3].T)
    assert reached[0, 3] - start[0, 3] == pytest.approx(0.02, abs=2e-4)
    assert turned == pytest.approx([0.0, 0.0, 0.04], abs=4e-4)
    assert bed.reference.q[2] == pytest.approx(HOME[2], abs=1e-9), "nobody asked the elbow to move"


def test_lost_commands_are_bridged_by_constant_acceleration(bed: Bed) -> None:
    generator = JointPosition(bed.reference, bed.limits)
    for step in range(400):
        t = step / 1000
        lost = step > 100 and step % 5 == 0
        q = joints(swing(t, 0.2))
        flag = generator.missed() if lost else generator.command(msgspec.structs.replace(NOTHING, q=q))
        assert flag is None, (step, flag)
        assert bed.reference.q[0] == pytest.approx(q[0], abs=2e-5)


def test_a_motion_may_not_end_in_full_flight(bed: Bed) -> None:
    generator = JointPosition(bed.reference, bed.limits)
    for step in range(100):
        assert generator.command(msgspec.structs.replace(NOTHING, q=joints(swing(step / 1000, 0.2)))) is None
    assert generator.finish() is Flag.JOINT_MOTION_GENERATOR_VELOCITY_DISCONTINUITY


def test_targets_are_approached_under_limits_and_reached(bed: Bed) -> None:
    generator = Targets(bed.reference, bed.limits, np.full(7, 0.5))
    fastest = 0.0
    goal = joints(0.3)
    for step in range(2000):
        flag = (
            generator.command(msgspec.structs.replace(NOTHING, q=goal))
            if step % 20 == 0
            else generator.missed()
        )
        assert flag is None
        fastest = max(fastest, float(bed.reference.dq.max()))
    assert bed.reference.q == pytest.approx(goal)
    assert 0.45 < fastest <= 0.5 + 1e-9
    beyond = msgspec.structs.replace(NOTHING, q=joints(9.0))
    assert generator.command(beyond) is Flag.JOINT_MOTION_GENERATOR_POSITION_LIMITS_VIOLATION


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, 0.3, 3.0])
def test_rotation_vectors_go_there_and_back(angle: float) -> None:
    vector: Array = angle * np.array((2.0, -1.0, 2.0)) / 3
    assert rotation_vector(rotation_of(vector)) == pytest.approx(vector, abs=1e-12)
