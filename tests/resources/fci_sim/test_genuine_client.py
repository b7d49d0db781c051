"""The box under the genuine, unmodified pylibfranka, in a process of its own (`client_script.py`)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from resources.arms.dynamics import ArmDynamics
from resources.fci_sim import (
    HOME,
    AnyFault,
    CloseTcp,
    Loss,
    Mute,
    NanState,
    Packets,
    Push,
    Reflex,
    Scene,
    SilentUdp,
    SimulatedControlBox,
    Since,
    Stream,
    UserStop,
    WrongVersion,
)
from resources.fci_sim.flags import Flag
from tests.resources.drivers.franka.wheel import needs_pylibfranka

pytestmark = needs_pylibfranka

SCRIPT = Path(__file__).parent / "client_script.py"
EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "fci_joint_motion.py"

#: All these faults come in the middle of a motion.
MIDDLE: dict[str, Any] = {"since": Since.MOTION, "at_s": 0.2}


@pytest.fixture(scope="module")
def shared() -> Iterator[SimulatedControlBox]:
    """One box for many faults."""
    with SimulatedControlBox() as box:
        yield box


def client(scenario: str, *addresses: str, within_s: float = 120.0) -> Any:
    """What the script printed. TimeoutExpired if it does not return."""
    command = [sys.executable, str(SCRIPT), scenario, *addresses]
    run = subprocess.run(command, capture_output=True, timeout=within_s, check=False)
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout.splitlines()[-1])


def test_all_modes_and_both_internal_controllers() -> None:
    with SimulatedControlBox() as box:
        result = client("modes", box.address)
        assert len(result) == 9
        for name, run in result.items():
            assert run["mode"] == "RobotMode.Idle", name
            assert run["farthest"] > 0.003, f"{name} did not move"
        assert box.status().missed_before == 0


def test_the_model_is_that_of_the_simulated_arm() -> None:
    posture = (0.3, -0.5, 0.2, -2.0, 0.4, 1.8, 0.6)
    with SimulatedControlBox(scene=Scene(q=posture)) as box:
        result = client("model", box.address)
    dynamics = ArmDynamics()
    dynamics.update(np.array(result["q"]), np.zeros(7))
    # States are 32-bit numbers: masses of the hand, for one, are not exact.
    assert result["mass"] == pytest.approx(dynamics.mass.T.ravel(), abs=1e-7)
    assert result["gravity"] == pytest.approx(dynamics.gravity, abs=1e-5)
    assert result["jacobian"] == pytest.approx(dynamics.jacobian.T.ravel(), abs=1e-7)
    assert result["pose"] == pytest.approx(dynamics.base_T_tool.T.ravel(), abs=1e-6)
    dynamics.update(np.array(result["q"]), np.array(result["dq"]))
    assert result["coriolis"] == pytest.approx(dynamics.coriolis, abs=1e-7)


def test_setters_and_their_refusal_in_motion() -> None:
    with SimulatedControlBox() as box:
        result = client("setters", box.address)
    assert set(result["rest"].values()) == {""}
    assert result["state"] == pytest.approx([0.2034, 0.1, 0.3, 1.06], abs=1e-6)
    assert "invalid argument" in result["nonsense"]
    for words in result["motion"].values():
        assert 'not possible in the current mode ("Move")' in words
    assert result["second start"].startswith("InvalidOperationException")
    assert "preempted" in result["stopped"]
    assert result["mode"] == "RobotMode.Idle"


def test_reflexes_are_reported_and_last_until_recovery() -> None:
    with SimulatedControlBox() as box:
        result = client("reflexes", box.address)
    assert result.pop("mode") == "RobotMode.Idle"
    expected = {
        "torque jump": Flag.CONTROLLER_TORQUE_DISCONTINUITY,
        "position jump": Flag.JOINT_MOTION_GENERATOR_VELOCITY_DISCONTINUITY,
        "pose jump": Flag.CARTESIAN_MOTION_GENERATOR_VELOCITY_LIMITS_VIOLATION,
        "finished in flight": Flag.JOINT_MOTION_GENERATOR_VELOCITY_DISCONTINUITY,
    }
    assert set(result) == set(expected)
    for name, run in result.items():
        label = expected[name].label
        assert run["error"].startswith("ControlException"), name
        assert label in run["error"], name
        assert run["flags"] == [[label], [label]], name
        assert 'not possible in the current mode ("Reflex")' in run["refused"], name
        assert run["recovered"] == ["RobotMode.Idle", []], name


def test_the_order_of_the_flags_is_pylibfrankas() -> None:
    # Time stands still between motions, so that each motion meets the next of these.
    faults = [Reflex(flag=flag.label, at_s=0.02 * (flag + 1)) for flag in Flag]
    with SimulatedControlBox(faults=faults) as box:
        found = client("flag_order", box.address)
    assert [names for names, _, _ in found] == [[flag.label] for flag in Flag]
    assert [names for _, names, _ in found] == [[flag.label] for flag in Flag]
    assert all("motion aborted by reflex" in error for _, _, error in found)


def test_lock_step_is_the_same_every_time() -> None:
    digests = set()
    for _ in range(2):
        with SimulatedControlBox() as box:
            assert client("torques", box.address) == {"error": "", "then": ""}
            status = box.status()
            assert status.digested == 400
            digests.add(status.digest)
    assert len(digests) == 1


def test_by_the_clock() -> None:
    with SimulatedControlBox(lock_step=False) as box:
        client("rest", box.address)
        status = box.status()
        assert status.mode in ("idle", "reflex")  # on a machine that is busy, twenty in a row may be late
        assert status.digested > 20
        assert len(box.sent()) >= status.digested


@pytest.mark.parametrize(
    ("fault", "error", "next_", "mode"),
    [
        (SilentUdp(**MIDDLE), "NetworkException", "RuntimeError", ""),
        (SilentUdp(**MIDDLE, for_s=0.01), "", "", "RobotMode.Idle"),
        (CloseTcp(**MIDDLE), "NetworkException", "RuntimeError", ""),
        (UserStop(**MIDDLE), "User Stop pressed", "", "RobotMode.UserStopped"),
        (NanState(**MIDDLE, for_s=0.002), "", "", "RobotMode.Idle"),
        (Packets(**MIDDLE, what=Loss.DROP, of=Stream.COMMANDS, count=20), "", "", "RobotMode.Idle"),
        (
            Packets(**MIDDLE, what=Loss.DROP, of=Stream.STATES, count=21),
            "communication_constraints_violation",
            "",
            "RobotMode.Reflex",
        ),
        (Packets(**MIDDLE, what=Loss.LATE, share=0.2), "", "", "RobotMode.Idle"),
        (Packets(**MIDDLE, what=Loss.DUPLICATE, of=Stream.COMMANDS), "", "", "RobotMode.Idle"),
        (Push(**MIDDLE, force=(0.0, 0.0, -80.0), for_s=0.1), "cartesian_reflex", "", "RobotMode.Reflex"),
    ],
)
def test_faults_in_the_middle_of_a_motion(
    shared: SimulatedControlBox, fault: AnyFault, error: str, next_: str, mode: str
) -> None:
    shared.clear()
    shared.inject(fault)
    result = client("rest", shared.address)
    assert error in result["error"]
    assert bool(error) == bool(result["error"])
    assert next_ in result["next"]
    assert bool(next_) == bool(result["next"])
    assert result["mode"] == mode
    assert result["nans"] == (2 if isinstance(fault, NanState) else 0)


def test_after_all_of_these_it_serves_on(shared: SimulatedControlBox) -> None:
    shared.clear()
    result = client("rest", shared.address)
    assert result == {"error": "", "nans": 0, "next": "", "mode": "RobotMode.Idle"}


def test_a_wrong_version_at_connect() -> None:
    with SimulatedControlBox(faults=[WrongVersion(version=9)]) as box:
        assert "server version: 9, library version: 10" in client("refused", box.address)["error"]
        assert "told version 9" in box.wait_for("is refused").text


def test_a_request_that_is_never_answered_holds_pylibfranka_for_good() -> None:
    with SimulatedControlBox(faults=[Mute(command="get_robot_model")]) as box:
        process = subprocess.Popen([sys.executable, str(SCRIPT), "refused", box.address])
        try:
            box.wait_for("GET_ROBOT_MODEL stays unanswered")
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.7)
        finally:
            process.kill()
            process.wait()
        box.wait_for("is gone")
        box.clear()
        assert client("refused", box.address) == {"error": ""}


def test_a_table_is_felt_and_holds() -> None:
    with SimulatedControlBox(scene=Scene(table_m=0.42)) as box:
        result = client("contact", box.address)
    assert result["depth"] < 0.1, "the table is in the way"
    assert result["force"][2] == pytest.approx(-300.0 * (0.12 - result["depth"]), rel=0.1)
    assert abs(result["force"][2]) > 2.0


def test_targets_now_and_then() -> None:
    with SimulatedControlBox() as box:
        result = client("targets", box.address)
    assert (result["first"], result["accepted"], result["last"]) == ("kIdle", True, "kTargetReached")
    assert result["mode"] == "RobotMode.Idle"
    assert result["moved"] == pytest.approx([0.05] * 7, abs=0.011)


def test_the_gripper() -> None:
    with SimulatedControlBox(scene=Scene(object_width_m=0.03)) as box:
        result = client("gripper", box.address)
    assert (result["version"], result["homing"]) == (3, True)
    assert result["move"] == [True, pytest.approx(0.05, abs=3e-4)]
    assert result["grasp"] == [True, True]
    assert result["stop"] == [True, False]
    assert result["wrong"] == [True, False, False]
    assert result["nonsense"] == "CommandException: libfranka gripper: Command failed!"


def test_two_arms_have_times_of_their_own() -> None:
    with SimulatedControlBox(arms=2) as box:
        result = client("both", *box.addresses)
        assert [box.status(arm).digested for arm in (0, 1)] == [200, 200]
        assert box.digest(0) != box.digest(1)
    assert result["q"][0] == pytest.approx(HOME[0], abs=1e-6)
    assert result["q"][1] > 1e-3


def test_the_example_of_the_documentation_runs_unchanged() -> None:
    with SimulatedControlBox() as box:
        run = subprocess.run(
            [sys.executable, str(EXAMPLE), box.address], capture_output=True, timeout=120, check=False
        )
    assert run.returncode == 0, run.stderr.decode()
    assert "moved by 45.0 degrees and is back" in run.stdout.decode()


@pytest.mark.parametrize("lock_step", [False, True])
def test_what_was_set_is_in_the_next_state_that_is_read(lock_step: bool) -> None:
    with SimulatedControlBox(lock_step=lock_step) as box:
        assert max(client("loads_at_once", box.address)) < 1e-6
