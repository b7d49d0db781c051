"""States, limits and the model of a real arm: numbers in, numbers out."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from framework.errors import DescriptionError
from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import Pose
from resources.controllers.generations import FR3_LIMITS, Generation, limits_of
from resources.drivers.franka.arguments import FciArmArguments
from resources.drivers.franka.limits import followed
from resources.drivers.franka.model import arm_dynamics, arm_settings, wrong_hand
from resources.drivers.franka.states import Measurement, Mode, column_major, frame
from resources.types.motion import Workspace

HOME = np.array((0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785))
TOOL = Pose((0.0, 0.0, 0.1034), (0.0, 0.0, -math.sin(math.pi / 8), math.cos(math.pi / 8)))


def state(**changes: Any) -> Any:
    """A state as pylibfranka gives it."""
    values: dict[str, Any] = {
        "q": list(HOME),
        "dq": [0.0] * 7,
        "tau_J_d": [0.0] * 7,
        "O_F_ext_hat_K": [1.0, 2.0, 3.0, 0.1, 0.2, 0.3],
        "F_T_EE": np.eye(4).T.ravel().tolist(),
        "F_T_NE": np.eye(4).T.ravel().tolist(),
        "m_ee": 0.73,
        "robot_mode": SimpleNamespace(name="Idle"),
        "current_errors": SimpleNamespace(joint_reflex=True),
        "time": SimpleNamespace(to_sec=lambda: 1.5),
    }
    return SimpleNamespace(**{**values, **changes})


def arguments(**changes: Any) -> FciArmArguments:
    return FciArmArguments(run_directory="/run", device="arm", address="127.0.0.1", **changes)


# ---------------------------------------------------------------- states


def test_a_wrench_is_what_the_surroundings_do() -> None:
    measured = Measurement(state())
    assert measured.wrench == (-1.0, -2.0, -3.0, -0.1, -0.2, -0.3)
    assert (measured.mode, measured.flags, measured.time_s, measured.bad) == (Mode.IDLE, (), 1.5, "")


@pytest.mark.parametrize("name", ["q", "dq"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_state_with_what_is_no_number_is_told_by_its_field(name: str, value: float) -> None:
    values = [0.0] * 7
    values[4] = value
    assert Measurement(state(**{name: values})).bad == name


def test_a_wrench_that_is_no_number_is_none() -> None:
    assert Measurement(state(O_F_ext_hat_K=[math.nan] * 6)).wrench is None


def test_flags_count_in_a_reflex_only_and_unknown_modes_are_others() -> None:
    reflex = Measurement(state(robot_mode=SimpleNamespace(name="Reflex")))
    assert (reflex.mode, reflex.flags) == (Mode.REFLEX, ("joint_reflex",))
    assert Measurement(state(robot_mode=SimpleNamespace(name="Dancing"))).mode is Mode.OTHER


def test_transforms_go_there_and_back() -> None:
    pose = (0.1, -0.2, 0.3, 0.0, 0.6, 0.0, 0.8)
    found = frame(column_major(pose))
    assert (*found.position, *found.quaternion) == pytest.approx(pose)


# ---------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: arguments(collision_torque_nm=0.0),
        lambda: arguments(collision_force_n=math.nan),
        lambda: arguments(payload_kg=8.0),
        lambda: arguments(payload_kg=1.0, payload_centre_m=(0.0, 0.0, 2.0)),
        lambda: arguments(payload_kg=1.0, payload_inertia=(0.0, 0.1, 0.1)),
        lambda: arguments(heartbeat_timeout_s=0.0),
        lambda: arguments(end_effector=(0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0)),
        lambda: arguments(robot_T_base=(0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0)),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(wrong: Any) -> None:
    with pytest.raises(DescriptionError, match=r"allowed|quaternion"):
        wrong()


def test_thresholds_are_by_joint_and_axis() -> None:
    told = arguments(
        collision_torque_nm=40, collision_wrist_nm=10, collision_force_n=50, collision_moment_nm=20
    )
    assert told.collision_torques == (40, 40, 40, 40, 10, 10, 10)
    assert told.collision_forces == (50, 50, 50, 20, 20, 20)


# ---------------------------------------------------------------- limits and model


def test_an_fr3_is_asked_for_no_more_than_both_generations_may() -> None:
    panda, both = limits_of(Generation.PANDA), limits_of(Generation.FR3)
    for number in range(7):
        assert both.lower[number] >= max(panda.lower[number], FR3_LIMITS.lower[number])
        assert both.upper[number] <= min(panda.upper[number], FR3_LIMITS.upper[number])
        assert both.velocity[number] <= min(panda.velocity[number], FR3_LIMITS.velocity[number])
        assert both.acceleration[number] <= min(panda.acceleration[number], FR3_LIMITS.acceleration[number])
        assert both.lower[number] < HOME[number] < both.upper[number]


@pytest.mark.parametrize(
    ("wanted", "heard", "sent", "torque"),
    [
        (0.5, 0.0, 0.0, 0.5),
        (3.0, 0.0, 0.0, 0.999),
        (2.0, 0.0, 1.0, 0.999),  # the last command may yet be overtaken by this one
        (-3.0, 0.0, 1.0, 0.001),
        (1.0, 5.0, 0.0, 0.999),  # it has not heard of any of ours yet
        (1.0, math.nan, 0.5, 1.0),
    ],
)
def test_a_torque_changes_no_more_than_the_arm_takes_whatever_it_has_heard(
    wanted: float, heard: float, sent: float, torque: float
) -> None:
    found = followed([wanted] * 7, [heard] * 7, [sent] * 7)
    assert found == pytest.approx([torque] * 7, abs=1e-6)


def test_the_model_is_that_of_the_arm_with_what_is_mounted() -> None:
    plain = arm_dynamics(arguments(), TOOL)
    common = ArmDynamics()
    for model in (plain, common):
        model.update(HOME, np.full(7, 0.3))
    assert plain.mass == pytest.approx(common.mass, abs=1e-12)
    assert plain.base_T_tool == pytest.approx(common.base_T_tool, abs=1e-9)

    loaded = arm_dynamics(arguments(payload_kg=2.0, payload_centre_m=(0.0, 0.0, 0.2)), TOOL)
    loaded.update(HOME, np.full(7, 0.3))
    flange = common.forward(HOME) @ np.linalg.inv(TOOL.matrix())
    point = flange @ (0.0, 0.0, 0.2, 1.0)
    # Statically the payload is a weight at a point: the torque of joint 2 is its lever times the weight.
    lever = math.hypot(point[0], point[1])
    assert loaded.gravity[1] - plain.gravity[1] == pytest.approx(-2.0 * 9.81 * lever, rel=1e-6)

    bare = arm_dynamics(arguments(hand=False), TOOL)
    bare.update(HOME, np.zeros(7))
    assert bare.mass[0, 0] < plain.mass[0, 0]


def test_an_arm_mounted_on_its_side_knows_where_up_is() -> None:
    side = (0.0, 0.0, 0.0, math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4))  # a quarter turn about x
    assert arm_dynamics(arguments(robot_T_base=side), TOOL).up == pytest.approx((0.0, 1.0, 0.0), abs=1e-12)


def test_workspace_and_limits_go_into_the_settings() -> None:
    box = Workspace((0.2, -0.3, 0.0), (0.7, 0.3, 0.6))
    settings = arm_settings(arguments(workspace=box, generation=Generation.PANDA))
    assert settings.workspace == box
    assert settings.limits == limits_of(Generation.PANDA)


def test_an_end_effector_that_desk_does_not_know_of_is_told() -> None:
    assert wrong_hand(arguments(), 0.73) == ""
    assert "0.00 kg" in wrong_hand(arguments(), 0.0)
    assert "hand: false" in wrong_hand(arguments(hand=False), 0.73)
