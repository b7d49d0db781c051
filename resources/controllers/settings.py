"""What an arm's control law is set to. Data with its reasons, and nothing that uses it."""

from __future__ import annotations

from typing import Self

import msgspec

from resources.arms.parameters import PANDA, ArmParameters
from resources.arms.pose import Vector3
from resources.types.motion import TARGET_LAPSES_S, Joints7, Workspace


class Bounds(msgspec.Struct, frozen=True):
    """How a motion may change: speed, acceleration and jerk, of a vector's length or of one joint.

    In m or rad with s; all positive.
    """

    speed: float
    acceleration: float
    jerk: float


class Surface(msgspec.Struct, frozen=True):
    """Something flat that may be touched, so that the tool comes near it slowly.

    point: on it [m]; normal: unit vector out of it, towards the free side; both in the base frame.
    """

    point: Vector3
    normal: Vector3


class ArmLimits(msgspec.Struct, frozen=True):
    """What the joints may do at all: the manufacturer's numbers, [rad, s, N m] each."""

    lower: Joints7
    upper: Joints7
    velocity: Joints7
    acceleration: Joints7
    effort: Joints7
    effort_rate: float = 1000.0  # [N m/s], FCI

    @classmethod
    def of(cls, arm: ArmParameters) -> Self:
        """Those of an arm model."""
        limits = [link.limits for link in arm.links]

        def column(name: str) -> Joints7:
            return _seven([float(getattr(limit, name)) for limit in limits])

        return cls(
            column("lower"), column("upper"), column("velocity"), column("acceleration"), column("effort")
        )


def _seven(values: list[float]) -> Joints7:
    a, b, c, d, e, f, g = values
    return (a, b, c, d, e, f, g)


TOOL_SPEED, TOOL_TURN = 1.7, 2.5
"""What the tool of a Franka may do at all [m/s], [rad/s] (FCI)."""

TOOL_ACCELERATION, TOOL_TURN_ACCELERATION = 13.0, 25.0
"""[m/s²], [rad/s²] (FCI)."""


class ArmSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the law of one arm is set to.

    The law (paper 000, eq 9–13 and section V):
        stiffness, turn_stiffness: 400 N/m and 40 N m/rad, the paper's.
        force_max, torque_max: to which the spring saturates, per axis of the base [N], [N m].
        damping_ratio: ζ; 1 is critical.
        damping_floor: damping follows the present stiffness down to this share of the nominal one, and no
            further: a saturated spring must not leave an arm undamped.
        heaviest: a direction heavier than this (in the stiffness' metric: K/m [1/s²]) counts as nearly
            singular, and less and less feed-forward is given to it.
        posture_stiffness, posture_damping: of the null space, towards the posture taken at the start
            [N m/rad], [N m s/rad].
        joint_stiffness: of the joint modes [N m/rad]; braking_stiffness: of the same springs while the arm
            brakes: what shakes it meanwhile (a base that brakes, too) would swing a compliant one for long.
    The references:
        tool, turn: bounds of the tool's reference. Speed and acceleration are shares of what a Franka may
            (60 %, 55 %); the jerk is what 1000 N m/s can still follow with an apparent mass of 3 kg at .8 m.
        joint_share: of the joints' speed and acceleration; joint_jerk [rad/s³]: see tool.
        bandwidth: with which a disturbed reference goes back to its target [rad/s].
        lag: a goal's clock slows down as the reference falls behind it, and stands at this distance [m].
    Protection:
        workspace: the box for the tool point; surfaces, approach_speed [m/s], approach_distance [m]: near a
            surface (within the distance) the tool comes on no faster.
        contact_force, contact_release [N]: where a contact begins and ends (paper 000: 10 N).
        wall_distance [rad], wall_share: so far before its end a joint stops, and with this share of braking.
        speed_share: of the joints' speed, which the law lets none exceed.
        effort_share: of the joints' torque that may be used, weight included.
        gate, gate_turn: scales of the outlier gate [m], [rad]; what can have moved meanwhile is added.
        gate_patience_s: a jump that lasts so long is believed; catch_up, catch_up_turn: and then made up
            for at this speed [m/s], [rad/s].
        leash: a streamed twist never takes the target further from the tool than this [m].
    Hand guiding: guide_damping [N m s/rad] per joint, guide_share of the joints' speed.
    Observer: observer_gain [1/s].
    Goals: arrival [m], arrival_turn [rad], arrival_joint [rad]: so near is reached; nearby_factor: after
        patience_s [s] at rest, that many times as far counts as reached, too; further is blocked.
    Freshness [s]: target_lapses_s: hold; target_damps_s: the spring lets go; target_ends_s: it is over.
    """

    stiffness: float = 400.0
    turn_stiffness: float = 40.0
    force_max: float = 30.0
    torque_max: float = 10.0
    damping_ratio: float = 1.0
    damping_floor: float = 0.25
    heaviest: float = 12.0
    posture_stiffness: Joints7 = (10.0, 10.0, 10.0, 10.0, 5.0, 3.0, 2.0)
    posture_damping: Joints7 = (6.0, 6.0, 5.0, 5.0, 1.5, 1.0, 0.5)
    joint_stiffness: Joints7 = (300.0, 300.0, 300.0, 300.0, 120.0, 80.0, 40.0)
    braking_stiffness: Joints7 = (1500.0, 1500.0, 1500.0, 1500.0, 240.0, 160.0, 80.0)

    limits: ArmLimits = ArmLimits.of(PANDA)
    tool: Bounds = Bounds(1.02, 7.15, 300.0)
    turn: Bounds = Bounds(1.5, 12.5, 600.0)
    joint_share: float = 0.6
    joint_jerk: float = 250.0
    bandwidth: float = 25.0
    lag: float = 0.03

    workspace: Workspace = Workspace((-0.85, -0.85, -0.6), (0.85, 0.85, 1.2))
    surfaces: tuple[Surface, ...] = ()
    approach_speed: float = 0.1
    approach_distance: float = 0.03
    contact_force: float = 10.0
    contact_release: float = 4.0
    wall_distance: float = 0.02
    wall_share: float = 0.5
    speed_share: float = 0.9
    effort_share: float = 0.95
    gate: float = 0.05
    gate_turn: float = 0.35
    gate_patience_s: float = 0.3
    catch_up: float = 0.25
    catch_up_turn: float = 0.8
    leash: float = 0.15

    guide_damping: Joints7 = (2.5, 2.5, 2.0, 2.0, 0.6, 0.5, 0.25)
    guide_share: float = 0.5

    observer_gain: float = 100.0

    arrival: float = 0.002
    arrival_turn: float = 0.01
    arrival_joint: float = 0.004
    nearby_factor: float = 5.0
    patience_s: float = 0.7

    target_lapses_s: float = TARGET_LAPSES_S
    target_damps_s: float = 0.4
    target_ends_s: float = 1.0
