"""When states go out: in lock-step with a client, however it answers; and by the clock."""

from __future__ import annotations

import msgspec
import pytest

from resources.fci_sim import Loss, Packets, Push, SilentUdp, Since, Stream
from resources.fci_sim.faults import AnyFault
from resources.fci_sim.gripper import GripperBox
from resources.fci_sim.pacing import LockStep, Pacing, Station, WallClock
from resources.fci_sim.wire import Controller, Generator, Mode, RobotCommand, read_state, write_robot_command
from tests.resources.fci_sim.arm_before_us import NOTHING, Bench, move


class Wire:
    """A paced arm with a client whose socket keeps every packet, and a clock that we turn."""

    def __init__(self, pacing: type[LockStep | WallClock], *faults: AnyFault) -> None:
        self.bench = Bench(faults=faults)
        self.box = self.bench.box
        station = Station(self.box, GripperBox(self.box.physics, lambda client, data: None))
        self.socket: list[bytes] = []
        self.pacing: Pacing = pacing(station, self.socket.append, self.bench.words.append)
        self.now_s = 0.0
        self.seen = 0

    def wait(self, for_s: float) -> None:
        """Time goes on."""
        until_s = self.now_s + for_s
        while self.pacing.next_s <= until_s:
            self.now_s = max(self.now_s, self.pacing.next_s)
            self.pacing.on_time(self.now_s)
        self.now_s = until_s

    def begin(self) -> None:
        self.bench.begin(move())
        self.pacing.on_request(self.now_s)

    def newest(self) -> int:
        """As pylibfranka reads: the newest state, 0 if there is none that it has not seen."""
        ids = [int(read_state(packet)["message_id"]) for packet in self.socket]
        self.socket.clear()
        fresh = [number for number in ids if number > self.seen]
        self.seen = max(fresh, default=self.seen)
        return max(fresh, default=0)

    def answer(self, number: int, **fields: object) -> None:
        command: RobotCommand = msgspec.structs.replace(NOTHING, message_id=number, **fields)
        self.pacing.on_command(write_robot_command(command), self.now_s)

    def in_step(self) -> None:
        """A motion of which the client has answered the first state."""
        self.begin()
        assert self.newest(), "the first state is there before the reply to the Move is"
        self.wait(0.006)
        self.answer(self.newest())


# --- lock-step ------------------------------------------------------------------------------------


def test_one_state_one_command_one_step() -> None:
    wire = Wire(LockStep)
    wire.in_step()
    for _ in range(50):
        before = wire.box.steps
        number = wire.newest()
        assert number == wire.box.message_id
        wire.answer(number)
        assert wire.box.steps == before + 1
    assert wire.box.digested == 51


def test_while_nothing_moves_time_stands_still_and_states_come() -> None:
    wire = Wire(LockStep)
    wire.wait(0.1)
    before = wire.box.steps
    wire.socket.clear()
    wire.wait(1.0)
    assert wire.box.steps == before
    assert 150 < len(wire.socket) < 250


def test_a_slow_client_finds_its_state_whenever_it_looks() -> None:
    for pause_s in (0.0, 0.003, 0.02, 0.2, 0.5, 2.0):
        wire = Wire(LockStep)
        wire.begin()
        wire.wait(0.0005)
        wire.newest()  # taken by the start of the motion, which answers nothing
        wire.wait(pause_s)
        number = wire.newest()
        if not number:
            wire.wait(0.35)
            number = wire.newest()
        assert number
        steps = wire.box.steps
        wire.answer(number)
        assert wire.box.steps == steps + 1, pause_s


def test_a_first_state_that_was_taken_too_late_is_replaced() -> None:
    wire = Wire(LockStep)
    wire.begin()
    wire.wait(0.1)
    assert wire.newest(), "both states of the start at once"
    assert not wire.newest()
    wire.wait(0.35)
    steps = wire.box.steps
    wire.answer(wire.newest())
    assert wire.box.steps == steps + 1


def test_a_client_that_reads_twice_gets_another_and_time_stands_still() -> None:
    wire = Wire(LockStep)
    wire.in_step()
    assert wire.newest()
    steps = wire.box.steps
    wire.wait(0.4)
    assert wire.newest()
    assert wire.box.steps == steps


def test_answers_that_come_late_or_twice_change_nothing() -> None:
    wire = Wire(LockStep)
    wire.in_step()
    number = wire.newest()
    wire.answer(number)
    steps = wire.box.steps
    for stale in (number, number - 1, 0, 10**12):
        wire.answer(stale)
    assert wire.box.steps == steps
    wire.pacing.on_command(b"", wire.now_s)
    wire.pacing.on_command(bytes(20), wire.now_s)
    assert wire.box.steps == steps
    wire.answer(wire.newest())
    assert wire.box.steps == steps + 1


def test_lost_states_cost_their_commands() -> None:
    wire = Wire(LockStep, Packets(what=Loss.DROP, of=Stream.STATES, count=7, since=Since.MOTION, at_s=0.003))
    wire.in_step()
    for _ in range(10):
        wire.answer(wire.newest())
    motion = wire.box.motion
    assert motion is not None
    assert (motion.missed, motion.steps) == (7, 18)


@pytest.mark.parametrize(("count", "mode"), [(20, Mode.MOVE), (21, Mode.REFLEX)])
def test_lost_commands_are_missing(count: int, mode: Mode) -> None:
    wire = Wire(
        LockStep, Packets(what=Loss.DROP, of=Stream.COMMANDS, count=count, since=Since.MOTION, at_s=0.003)
    )
    wire.in_step()
    for _ in range(30):
        wire.answer(wire.newest())
    assert wire.box.mode is mode


@pytest.mark.parametrize("what", [Loss.LATE, Loss.DUPLICATE])
@pytest.mark.parametrize("of", list(Stream))
def test_late_and_doubled_packets_are_survived(what: Loss, of: Stream) -> None:
    wire = Wire(LockStep, Packets(what=what, of=of, share=0.3, by=4, since=Since.MOTION, at_s=0.003))
    wire.in_step()
    for _ in range(300):
        number = wire.newest()
        assert number, "there is always a newer state"
        wire.answer(number)
    assert wire.box.mode is Mode.MOVE


def test_silence_is_a_reflex_that_nobody_hears_of() -> None:
    wire = Wire(LockStep, SilentUdp(since=Since.MOTION, at_s=0.003))
    wire.in_step()
    for _ in range(3):
        wire.answer(wire.newest())
    assert not wire.newest()
    assert wire.bench.errors == ("communication_constraints_violation",)
    wire.wait(1.0)
    assert not wire.socket


def test_a_push_makes_time_pass() -> None:
    wire = Wire(LockStep, Push(force=(0.0, 0.0, -10.0), for_s=0.2))
    wire.wait(0.15)
    assert 140 < wire.box.steps <= 152
    assert wire.box.physics.q[3] != pytest.approx(-2.356194490192345, abs=1e-6)


def test_asynchronous_targets_go_by_the_clock() -> None:
    wire = Wire(LockStep)
    wire.bench.begin(move(Generator.JOINT_POSITION, Controller.JOINT_IMPEDANCE, asynchronous=True))
    wire.pacing.on_request(wire.now_s)
    goal = tuple((wire.box.physics.q + 0.05).tolist())
    for _ in range(50):
        wire.wait(0.02)
        wire.answer(wire.newest(), q=goal)
    assert wire.box.mode is Mode.MOVE, "no command is missing"
    assert wire.box.physics.q == pytest.approx(goal, abs=1e-4)


# --- by the clock ---------------------------------------------------------------------------------


def test_a_thousand_steps_a_second() -> None:
    wire = Wire(WallClock)
    wire.wait(0.25)
    assert 249 <= wire.box.steps <= 251


def test_a_command_counts_within_the_period_of_its_state() -> None:
    wire = Wire(WallClock)
    wire.wait(0.0105)
    wire.begin()
    late = 0
    for step in range(100):
        wire.wait(0.001)
        number = wire.newest()
        if step % 10 == 5:
            late += 1
            wire.answer(number - 1)  # too late
        else:
            wire.answer(number)
            wire.answer(number)  # twice does no harm
    wire.wait(0.001)
    motion = wire.box.motion
    assert motion is not None
    assert motion.missed == late


def test_a_client_that_stops_answering_gets_a_reflex() -> None:
    wire = Wire(WallClock)
    wire.begin()
    wire.wait(0.001)
    wire.answer(wire.newest())
    wire.wait(0.021)
    assert wire.box.mode is Mode.MOVE
    wire.wait(0.002)
    assert wire.bench.errors == ("communication_constraints_violation",)


def test_a_box_that_was_held_up_goes_on_from_now() -> None:
    wire = Wire(WallClock)
    wire.wait(0.01)
    wire.now_s += 5.0
    wire.pacing.on_time(wire.now_s)
    steps = wire.box.steps
    wire.wait(0.01)
    assert wire.box.steps - steps <= 12
