"""One arm's control box: what is refused, what aborts a motion, and how it gets well again."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest

from framework.errors import DescriptionError
from resources.fci_sim import HOME, Mute, NanState, Push, Reflex, Scene, Since, UserStop
from resources.fci_sim.arm_motion import FIRST_COMMAND_WITHIN, MOST_MISSED
from resources.fci_sim.flags import Flag
from resources.fci_sim.limits import Limits
from resources.fci_sim.physics import ArmPhysics
from resources.fci_sim.wire import (
    Command,
    Controller,
    Generator,
    Mode,
    MoveStatus,
    RecoveryStatus,
    Request,
    SetterStatus,
    StateController,
    StateGenerator,
    StopStatus,
)
from tests.resources.fci_sim.arm_before_us import NOTHING, Bench, move

STOP = Request(Command.STOP_MOVE, 8, ())
RECOVER = Request(Command.AUTOMATIC_ERROR_RECOVERY, 9, ())
IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def thresholds(torque: float, force: float) -> Request:
    return Request(Command.SET_COLLISION_BEHAVIOR, 1, (*(torque,) * 28, *(force,) * 24))


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_",
    [
        move(Generator.NONE, Controller.JOINT_IMPEDANCE),
        move(deviations=(-1.0,) * 6),
        move(deviations=(math.nan,) * 6),
        move(Generator.CARTESIAN_POSE, Controller.JOINT_IMPEDANCE, asynchronous=True),
        Request(Command.MOVE, 1, (9, 9, *(1.0,) * 6, 0, *(0.0,) * 7)),
    ],
)
def test_a_move_that_cannot_be_is_refused_in_words(request_: Request) -> None:
    bench = Bench()
    assert bench.ask(request_) == MoveStatus.INVALID_ARGUMENT
    assert "a Move is refused" in bench.words[-1]
    assert bench.box.mode is Mode.IDLE


def test_a_second_move_and_setters_are_refused_in_motion() -> None:
    bench = Bench()
    bench.begin()
    assert bench.ask(move(id_=8)) == MoveStatus.NOT_POSSIBLE
    assert bench.ask(thresholds(20, 20)) == SetterStatus.NOT_POSSIBLE
    assert bench.ask(Request(Command.SET_LOAD, 2, (0.0,) * 13)) == SetterStatus.NOT_POSSIBLE
    assert bench.ask(RECOVER) == RecoveryStatus.NOT_POSSIBLE
    assert bench.box.mode is Mode.MOVE


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        (Command.SET_JOINT_IMPEDANCE, (-1.0, *(100.0,) * 6)),
        (Command.SET_JOINT_IMPEDANCE, (math.nan,) * 7),
        (Command.SET_JOINT_IMPEDANCE, (20_000.0,) * 7),
        (Command.SET_CARTESIAN_IMPEDANCE, (4000.0,) * 6),
        (Command.SET_COLLISION_BEHAVIOR, (-1.0,) * 52),
        (Command.SET_COLLISION_BEHAVIOR, (30.0, *(20.0,) * 51)),
        (Command.SET_COLLISION_BEHAVIOR, (*(20.0,) * 45, 30.0, *(20.0,) * 6)),
        (Command.SET_EE_TO_K, (0.0,) * 16),
        (Command.SET_NE_TO_EE, (2.0, *IDENTITY[1:])),
        (Command.SET_NE_TO_EE, (math.inf, *IDENTITY[1:])),
        (Command.SET_LOAD, (-1.0, *(0.0,) * 12)),
        (Command.SET_LOAD, (1.0, 0.0, 0.0, 0.0, 1.0, 5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)),
        (Command.SET_LOAD, (1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)),
    ],
)
def test_setters_refuse_what_cannot_be_and_change_nothing(
    command: Command, fields: tuple[float, ...]
) -> None:
    bench = Bench()
    before = bench.state().tobytes()[8:]
    assert bench.ask(Request(command, 1, fields)) == SetterStatus.INVALID_ARGUMENT
    assert f"{command.name} is refused" in bench.words[-1]
    assert bench.state().tobytes()[8:] == before


def test_what_mujoco_warns_of_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    physics = ArmPhysics(Scene())
    physics.data.qpos[:] = math.nan
    physics.step([0.0] * 7, 0.0)
    assert not list(tmp_path.iterdir())
    assert "Nan" in caplog.text


def test_setters_take_what_can_be() -> None:
    bench = Bench()
    for command, fields in (
        (Command.SET_GUIDING_MODE, (1, 0, 1, 0, 1, 0, 1)),
        (Command.SET_JOINT_IMPEDANCE, (0.0,) * 7),
        (Command.SET_CARTESIAN_IMPEDANCE, (3000.0,) * 3 + (300.0,) * 3),
        (Command.SET_EE_TO_K, IDENTITY),
    ):
        assert bench.ask(Request(command, 1, tuple(map(float, fields)))) == SetterStatus.SUCCESS


def test_a_scene_that_cannot_be_is_refused_in_words() -> None:
    for scene, words in (
        (Scene(q=(0.0,) * 6), "has 6 joints"),
        (Scene(q=(*HOME[:3], 0.5, *HOME[4:])), "joint 4 cannot start at 0.5"),
        (Scene(object_width_m=0.2), "does not fit"),
        (Scene(payload_kg=-1.0), "payload"),
        (Scene(table_m=math.nan), "table"),
    ):
        with pytest.raises(DescriptionError, match=words):
            Bench(scene=scene)


# --- reflexes -------------------------------------------------------------------------------------


def test_a_reflex_ends_the_motion_and_lasts_until_it_is_recovered() -> None:
    bench = Bench(faults=[Reflex(flag="joint_reflex", since=Since.MOTION, at_s=0.003)])
    bench.begin()
    for _ in range(3):
        bench.step()
    assert bench.replies() == [(Command.MOVE, MoveStatus.REFLEX)]
    state = bench.state()
    assert state["mode"] == Mode.REFLEX
    assert state["generator"] == StateGenerator.IDLE
    assert state["controller"] == StateController.OTHER
    assert state["errors"].nonzero()[0].tolist() == [Flag.JOINT_REFLEX]
    assert state["reflex_reason"].nonzero()[0].tolist() == [Flag.JOINT_REFLEX]
    assert bench.ask(move()) == MoveStatus.NOT_POSSIBLE
    assert bench.ask(STOP) == StopStatus.SUCCESS
    assert bench.ask(RECOVER) == RecoveryStatus.SUCCESS
    state = bench.state()
    assert state["mode"] == Mode.IDLE
    assert not state["errors"].any()
    assert state["reflex_reason"].any(), "of the last motion"
    bench.begin()
    assert not bench.state()["reflex_reason"].any()


@pytest.mark.parametrize(
    ("tau", "flag"),
    [
        ((2.0, 0.0), Flag.CONTROLLER_TORQUE_DISCONTINUITY),
        ((0.9, -0.2), Flag.CONTROLLER_TORQUE_DISCONTINUITY),
        ((0.9, 1.9), None),
    ],
)
def test_torque_may_change_by_a_newton_metre_a_millisecond(
    tau: tuple[float, float], flag: Flag | None
) -> None:
    bench = Bench()
    bench.begin()
    for value in tau:
        if bench.box.motion is not None:
            bench.step(tau=(value, *(0.0,) * 6))
    assert bench.box.errors == (() if flag is None else (flag,))


def test_torque_has_a_range() -> None:
    limits = Limits(ArmPhysics(Scene()).limits)
    for joint, effort in enumerate((87.0,) * 4 + (12.0,) * 3):
        for share, flag in ((1.0, None), (1.01, Flag.TAU_J_RANGE_VIOLATION)):
            tau = [0.0] * 7
            tau[joint] = share * effort
            assert limits.torque_command(tau, tau, 1) is flag


def test_twenty_lost_commands_are_bridged_and_one_more_is_a_reflex() -> None:
    bench = Bench()
    bench.begin()
    bench.step()
    bench.wait(MOST_MISSED)
    assert bench.box.mode is Mode.MOVE
    bench.step(tau=(5.0, *(0.0,) * 6))  # as much as the time since allows
    assert bench.box.mode is Mode.MOVE
    bench.wait(MOST_MISSED + 1)
    assert bench.errors == ("communication_constraints_violation",)
    assert "21 commands missing in a row" in bench.words[-1]


def test_the_first_command_may_take_a_second() -> None:
    bench = Bench()
    bench.begin()
    bench.wait(FIRST_COMMAND_WITHIN)
    assert bench.box.mode is Mode.MOVE
    bench.wait(1)
    assert bench.errors == ("communication_constraints_violation",)


@pytest.mark.parametrize(("missing", "tau"), [(1, 2.0), (5, 6.0)])
def test_a_late_first_command_may_be_as_far_from_nothing_as_the_time_since_allows(
    missing: int, tau: float
) -> None:
    bench = Bench()
    bench.begin()
    bench.wait(missing)
    bench.step(tau=(tau, *(0.0,) * 6))
    assert bench.box.mode is Mode.MOVE, bench.words
    bench.step(tau=(tau + 2.0, *(0.0,) * 6))
    assert bench.errors == ("controller_torque_discontinuity",), "the next one has one period"
    bench = Bench()
    bench.begin()
    bench.wait(missing)
    bench.step(tau=(tau + 1.0, *(0.0,) * 6))
    assert bench.errors == ("controller_torque_discontinuity",)


def test_success_rate_is_that_of_the_last_hundred() -> None:
    bench = Bench()
    bench.begin()
    for n in range(100):
        if n % 5:
            bench.step()
        else:
            bench.wait(1) if n else bench.step()
    assert bench.state()["success_rate"] == pytest.approx(0.81)


@pytest.mark.parametrize("field", ["tau", "q", "pose", "twist"])
def test_a_command_that_is_not_finite_is_invalid_input(field: str) -> None:
    bench = Bench()
    bench.begin()
    spoilt = (math.nan, *getattr(NOTHING, field)[1:])
    bench.step(**{field: spoilt})
    assert bench.replies() == [(Command.MOVE, MoveStatus.INVALID_INPUT)]
    assert bench.box.mode is Mode.IDLE


def test_what_is_measured_has_limits_too() -> None:
    bench = Bench()
    bench.begin()
    for step in range(200):
        if bench.box.motion is not None:
            bench.step(tau=(min(0.9 * step, 80.0), *(0.0,) * 6))
    assert bench.errors == ("joint_velocity_violation",)


def test_an_end_stop_needs_a_hand() -> None:
    near = (*HOME[:3], -0.0690, *HOME[4:])
    bench = Bench(scene=Scene(q=(*HOME[:3], -0.0705, *HOME[4:])))
    assert near[3] > bench.box.limits.upper[3]
    bench.begin()
    for step in range(200):
        if bench.box.motion is not None:
            bench.step(tau=(0.0, 0.0, 0.0, min(0.05 * step, 5.0), 0.0, 0.0, 0.0))
    assert bench.errors == ("joint_position_limits_violation",)
    bench.box.physics.place(near)
    bench.box._standing.stay()
    assert bench.ask(RECOVER) == RecoveryStatus.MANUAL_RECOVERY_REQUIRED
    assert bench.ask(move()) == MoveStatus.NOT_POSSIBLE
    bench.box.place(HOME)
    assert bench.ask(RECOVER) == RecoveryStatus.SUCCESS
    bench.begin()


def test_an_arm_that_touches_itself_is_stopped() -> None:
    folded = (0.0, 1.2, 0.0, -3.0, 0.0, 0.2, 0.0)
    bench = Bench(scene=Scene(q=folded))
    bench.begin()
    for step in range(2000):
        if bench.box.motion is not None:
            bench.step(tau=(0.0, 0.0, 0.0, 0.0, 0.0, max(-0.02 * step, -1.0), 0.0))
    assert len(bench.errors) == 1, "it ran into something"


# --- contact --------------------------------------------------------------------------------------


def test_a_push_is_measured_in_the_manufacturers_signs() -> None:
    bench = Bench(faults=[Push(force=(0.0, 3.0, -10.0), torque=(0.0, 0.5, 0.0))])
    bench.wait(400)
    state = bench.state()
    # What the arm does to its surroundings is positive.
    assert state["O_F_ext_hat_K"] == pytest.approx([0.0, -3.0, 10.0, 0.0, -0.5, 0.0], abs=1e-3)
    turn = state["O_T_EE"].reshape(4, 4).T[:3, :3]
    assert state["K_F_ext_hat_K"][:3] == pytest.approx(turn.T @ [0.0, -3.0, 10.0], abs=1e-3)
    assert not state["cartesian_contact"].any()


@pytest.mark.parametrize(
    ("torque", "force", "flag"),
    [(100.0, 25.0, "cartesian_reflex"), (5.0, 100.0, "joint_reflex"), (100.0, 100.0, "")],
)
def test_collision_thresholds(torque: float, force: float, flag: str) -> None:
    bench = Bench(faults=[Push(force=(0.0, 0.0, -30.0), since=Since.MOTION, at_s=0.01)])
    assert bench.ask(thresholds(torque, force)) == SetterStatus.SUCCESS
    bench.begin(move(Generator.JOINT_POSITION, Controller.JOINT_IMPEDANCE))
    for _ in range(100):
        if bench.box.motion is not None:
            bench.step(q=HOME)
    assert bench.errors == ((flag,) if flag else ())
    state = bench.state()
    assert bool(state["cartesian_collision"][2] or state["joint_collision"].any()) is bool(flag)


def test_contact_is_told_below_collision() -> None:
    bench = Bench(faults=[Push(force=(0.0, 0.0, -30.0))])
    lower, upper = (20.0,) * 7, (90.0,) * 7
    fields = (*lower, *upper, *lower, *upper, *lower[:6], *upper[:6], *lower[:6], *upper[:6])
    assert bench.ask(Request(Command.SET_COLLISION_BEHAVIOR, 1, fields)) == SetterStatus.SUCCESS
    bench.wait(200)
    state = bench.state()
    # The gripper points down, so that K's z is the base's, the other way round.
    assert state["cartesian_contact"].tolist() == [0, 0, 1, 0, 0, 0]
    assert not state["cartesian_collision"].any()


def test_joint_stiffness_is_what_was_set() -> None:
    bench = Bench(faults=[Push(torque=(0.0, 0.0, -2.0), since=Since.MOTION)])
    bench.ask(thresholds(100.0, 100.0))
    assert bench.ask(Request(Command.SET_JOINT_IMPEDANCE, 1, (500.0,) * 7)) == SetterStatus.SUCCESS
    bench.begin(move(Generator.JOINT_POSITION, Controller.JOINT_IMPEDANCE))
    for _ in range(1000):
        bench.step(q=HOME)
    # At home, joint 1 and joint 7 turn about the vertical: 2 N m on each.
    sag = bench.box.physics.q - HOME
    assert sag[0] == pytest.approx(-2.0 / 500.0, rel=1e-3)
    assert sag[6] == pytest.approx(2.0 / 500.0, rel=1e-3)


def test_cartesian_stiffness_is_what_was_set() -> None:
    bench = Bench(faults=[Push(force=(0.0, 6.0, 0.0), since=Since.MOTION)])
    bench.ask(thresholds(100.0, 100.0))
    stiffness = (600.0,) * 3 + (300.0,) * 3
    assert bench.ask(Request(Command.SET_CARTESIAN_IMPEDANCE, 1, stiffness)) == SetterStatus.SUCCESS
    start = bench.state()["O_T_EE"].copy()
    bench.begin(move(Generator.JOINT_POSITION, Controller.CARTESIAN_IMPEDANCE))
    for _ in range(1000):
        bench.step(q=HOME)
    assert bench.state()["O_T_EE"][13] - start[13] == pytest.approx(0.01, rel=0.02)


def test_an_arm_knows_only_the_load_that_it_was_told() -> None:
    bench = Bench(scene=Scene(payload_kg=1.0))
    bench.wait(500)
    state = bench.state()
    assert state["O_F_ext_hat_K"][2] == pytest.approx(9.81, rel=1e-3), "it carries something unknown"
    tool = bench.box._end_effector.F_T_NE[:3, 3]
    assert bench.ask(Request(Command.SET_LOAD, 1, (1.0, *tool, *(0.0,) * 9))) == SetterStatus.SUCCESS
    bench.wait(500)
    state = bench.state()
    assert np.abs(state["O_F_ext_hat_K"]).max() < 0.01
    assert state["m_load"] == 1.0
    bench.settle()
    before = bench.box.physics.q.copy()
    bench.begin()
    for _ in range(300):
        bench.step()
    assert bench.box.physics.q == pytest.approx(before, abs=1e-3), "weightless with the right load"


def test_frames_are_shifted() -> None:
    bench = Bench()
    before = bench.state()["O_T_EE"].copy()
    shift = (*IDENTITY[:14], 0.1, 1.0)
    assert bench.ask(Request(Command.SET_NE_TO_EE, 1, shift)) == SetterStatus.SUCCESS
    state = bench.state()
    assert before[14] - state["O_T_EE"][14] == pytest.approx(0.1, abs=1e-6)
    assert state["O_T_EE_c"] == pytest.approx(state["O_T_EE"], abs=1e-6)
    assert state["F_T_EE"][14] == pytest.approx(0.2034)


# --- modes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("controller", [Controller.JOINT_IMPEDANCE, Controller.CARTESIAN_IMPEDANCE])
def test_a_position_is_followed_and_held_afterwards(controller: Controller) -> None:
    bench = Bench()
    bench.begin(move(Generator.JOINT_POSITION, controller))
    worst = 0.0
    for step in range(801):
        swing = 0.1 * (1 - math.cos(2 * math.pi * step / 1600))
        bench.step(q=tuple(q + swing for q in HOME), motion_finished=step == 800)
        worst = max(worst, float(np.abs(bench.box.physics.q - np.array(HOME) - swing).max()))
    assert bench.replies() == [(Command.MOVE, MoveStatus.SUCCESS)]
    assert worst < 2e-3
    bench.settle()
    assert bench.box.physics.q == pytest.approx(np.array(HOME) + 0.2, abs=1e-4)


def test_states_tell_the_modes() -> None:
    bench = Bench()
    for generator in Generator:
        controller = Controller.EXTERNAL if generator is Generator.NONE else Controller.CARTESIAN_IMPEDANCE
        bench.begin(move(generator, controller))
        state = bench.state()
        assert state["mode"] == Mode.MOVE
        assert state["generator"] == generator + 1
        assert state["controller"] == controller
        assert bench.ask(STOP) == StopStatus.SUCCESS


def test_a_move_waits_until_the_arm_has_come_to_rest() -> None:
    bench = Bench()
    bench.begin()
    for step in range(60):
        bench.step(tau=(min(0.9 * step, 8.0), *(0.0,) * 6))
    bench.box.request(STOP)
    assert bench.replies() == [(Command.MOVE, MoveStatus.PREEMPTED)]
    assert bench.box.physics.dq[0] > 0.1
    assert bench.ask(move(id_=11)) is None
    while bench.box.motion is None:
        bench.wait(1)
    assert bench.replies() == [
        (Command.STOP_MOVE, StopStatus.SUCCESS),
        (Command.MOVE, MoveStatus.MOTION_STARTED),
    ]
    assert np.abs(bench.box.physics.dq).max() < 1e-3


def test_a_stop_overtakes_a_move_that_waits() -> None:
    bench = Bench()
    bench.begin()
    for step in range(60):
        bench.step(tau=(min(0.9 * step, 8.0), *(0.0,) * 6))
    bench.box.request(STOP)
    bench.box.request(move(id_=11))
    bench.box.request(STOP)
    bench.settle()
    bench.wait(5)
    preempted = (Command.MOVE, MoveStatus.PREEMPTED)
    stopped = (Command.STOP_MOVE, StopStatus.SUCCESS)
    assert bench.replies() == [preempted, preempted, stopped, stopped]
    assert bench.box.mode is Mode.IDLE


def test_the_stop_button() -> None:
    bench = Bench(faults=[UserStop(since=Since.MOTION, at_s=0.005, for_s=0.1)])
    bench.begin()
    for _ in range(6):
        bench.step()
    assert bench.replies() == [(Command.MOVE, MoveStatus.USER_STOP)]
    assert bench.box.mode is Mode.USER_STOPPED
    assert bench.ask(move()) == MoveStatus.NOT_POSSIBLE
    assert bench.ask(thresholds(20, 20)) == SetterStatus.NOT_POSSIBLE
    assert bench.ask(RECOVER) == RecoveryStatus.USER_STOP
    bench.wait(100)
    assert bench.state()["mode"] == Mode.IDLE
    bench.begin()


def test_a_person_may_guide_an_arm_that_does_not_move() -> None:
    bench = Bench(faults=[Push(force=(0.0, 10.0, 0.0), for_s=0.4)])
    bench.box.guide(True)
    assert bench.state()["mode"] == Mode.GUIDING
    assert bench.ask(move()) == MoveStatus.NOT_POSSIBLE
    bench.wait(500)
    moved = np.abs(bench.box.physics.q - HOME).max()
    assert moved > 0.05
    bench.box.guide(False)
    bench.settle()
    assert np.abs(bench.box.physics.q - HOME).max() > 0.05, "it stays where it was put"
    bench.begin()
    bench.box.guide(True)
    assert bench.box.mode is Mode.MOVE


def test_a_client_that_vanishes_leaves_an_arm_that_stands() -> None:
    bench = Bench()
    bench.begin()
    for step in range(60):
        bench.step(tau=(min(0.9 * step, 8.0), *(0.0,) * 6))
    bench.box.leave()
    assert bench.box.mode is Mode.IDLE
    bench.settle()
    assert bench.replies() == []
    assert "the client is gone" in bench.words[-1]


def test_a_mute_box_says_so_in_its_own_words_only() -> None:
    bench = Bench(faults=[Mute(command="set_load")])
    assert bench.ask(Request(Command.SET_LOAD, 2, (0.0,) * 13)) is None
    assert "SET_LOAD stays unanswered" in bench.words[-1]
    assert bench.ask(thresholds(20, 20)) == SetterStatus.SUCCESS


def test_nan_is_in_the_packet_only() -> None:
    bench = Bench(faults=[NanState(field="dq", for_s=0.001)])
    assert np.isnan(bench.state()["dq"]).all()
    assert not np.isnan(bench.state()["q"]).any()
    bench.wait(2)
    assert not np.isnan(bench.state()["dq"]).any()


def test_the_digest_is_of_motions_and_the_same_every_time() -> None:
    def run(tau: float) -> tuple[str, int]:
        bench = Bench()
        bench.wait(10)
        bench.state()
        bench.begin()
        for step in range(200):
            bench.step(tau=(tau * math.sin(0.01 * step), *(0.0,) * 6))
            bench.box.packet()
        return bench.box.digest, bench.box.digested

    assert run(1.0) == run(1.0)
    assert run(1.0) != run(1.0001)
    assert run(1.0)[1] == 200


def test_an_old_client_is_told_the_version() -> None:
    bench = Bench()
    assert not bench.box.request(Request(Command.CONNECT, 0, (8, 4000)))
    assert bench.replies() == [(Command.CONNECT, 1)]
    assert "version 8" in bench.words[-1]


def test_torque_motions_finish() -> None:
    bench = Bench()
    bench.begin()
    bench.step()
    bench.box.step(msgspec.structs.replace(NOTHING, torque_finished=True))
    assert bench.replies() == [(Command.MOVE, MoveStatus.SUCCESS)]


@pytest.mark.parametrize(
    ("stiffness", "damping"),
    [
        ((50.0,) * 7, (14.14,) * 7),  # joint_impedance_example.py
        ((600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 50.0), (50.0, 50.0, 50.0, 50.0, 30.0, 25.0, 15.0)),
    ],
)
def test_gains_of_the_manufacturers_examples_are_stable(
    stiffness: tuple[float, ...], damping: tuple[float, ...]
) -> None:
    bench = Bench()
    bench.begin()
    state = bench.state()
    for step in range(600):
        # In the 32 bits of the wire, as clients see it, and towards a goal that moves.
        goal = np.array(HOME) + 0.1 * (1 - math.cos(math.pi * min(step, 300) / 300))
        tau = np.array(stiffness) * (goal - state["q"]) - np.array(damping) * state["dq"]
        bench.step(tau=tuple(tau.tolist()))
        assert bench.errors == (), step
        state = bench.state()
    assert np.abs(state["dq"]).max() < 0.4
