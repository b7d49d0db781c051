"""The real sockets under whatever may arrive: garbage, strangers, half connections, a second client.

The client here writes its own bytes, so that it can write wrong ones.
"""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from resources.fci_sim import SimulatedControlBox
from resources.fci_sim.gripper_wire import GRIPPER_PORT, GripperCommand, GripperRequest, write_gripper_request
from resources.fci_sim.wire import (
    ARM_PORT,
    HEADER_SIZE,
    STATE,
    VERSION,
    Command,
    Mode,
    MoveStatus,
    Request,
    read_reply,
    read_state,
    write_request,
    write_robot_command,
)
from tests.resources.fci_sim.arm_before_us import NOTHING, move

WAIT_S = 60.0


class RawClient:
    """Connected to an arm, and has said Connect."""

    def __init__(self, address: str, *, hello: bool = True) -> None:
        self.tcp = socket.create_connection((address, ARM_PORT), WAIT_S)
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("0.0.0.0", 0))
        self.udp.settimeout(WAIT_S)
        self._box = (address, ARM_PORT)
        self._received = bytearray()
        if hello:
            assert self.ask(Command.CONNECT, VERSION, self.udp.getsockname()[1]) == 0

    def send(self, request: Request) -> None:
        self.tcp.sendall(write_request(request))

    def ask(self, command: Command, *fields: float) -> int:
        """The status of the answer."""
        self.send(Request(command, 1, fields))
        return self.reply()[1]

    def reply(self) -> tuple[Command, int]:
        while (read := read_reply(self._received)) is None:
            data = self.tcp.recv(65536)
            assert data, "the box has hung up"
            self._received += data
        del self._received[: read[4]]
        return read[0], read[2]

    def state(self) -> NDArray[np.void]:
        return read_state(self.udp.recv(65536))

    def fresh_state(self) -> NDArray[np.void]:
        """The newest one."""
        self.udp.setblocking(False)
        try:
            while True:
                self.udp.recv(65536)
        except BlockingIOError:
            self.udp.settimeout(WAIT_S)
        return self.state()

    def command(self, message_id: int) -> None:
        packet = write_robot_command(msgspec.structs.replace(NOTHING, message_id=message_id))
        self.udp.sendto(packet, self._box)

    def raw_udp(self, packet: bytes) -> None:
        self.udp.sendto(packet, self._box)

    def is_hung_up(self) -> bool:
        """Whether the box closes or resets the connection."""
        try:
            return self.tcp.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.tcp.close()
        self.udp.close()


@pytest.fixture(scope="module")
def box() -> Iterator[SimulatedControlBox]:
    with SimulatedControlBox(lock_step=True) as running:
        yield running


@contextmanager
def client(box: SimulatedControlBox) -> Iterator[RawClient]:
    raw = RawClient(box.address)
    try:
        yield raw
    finally:
        after = last_event(box)
        raw.close()
        if box.status().is_connected:
            box.wait_for("is gone", after=after)


@contextmanager
def stranger(box: SimulatedControlBox, port: int = ARM_PORT) -> Iterator[socket.socket]:
    with socket.create_connection((box.address, port), WAIT_S) as connection:
        yield connection


def last_event(box: SimulatedControlBox) -> int:
    events = box.events()
    return events[-1].number if events else 0


def still_serves(box: SimulatedControlBox) -> None:
    """A motion of ten steps goes through."""
    with client(box) as raw:
        raw.send(move())
        assert raw.reply() == (Command.MOVE, MoveStatus.MOTION_STARTED)
        state = raw.state()
        while state["mode"] != Mode.MOVE:
            state = raw.state()
        for _ in range(10):
            number = int(state["message_id"])
            raw.command(number)
            while int(state["message_id"]) <= number:
                state = raw.state()
        assert raw.ask(Command.STOP_MOVE) == MoveStatus.PREEMPTED  # the Move's own end
        assert raw.reply() == (Command.STOP_MOVE, 0)


def test_it_serves(box: SimulatedControlBox) -> None:
    still_serves(box)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "garbage: command 542393671"),
        (bytes(64), "garbage: CONNECT says that it has 0 bytes"),
        (b"\xff" * 4096, "garbage: command 4294967295"),
        (struct.pack("<III", Command.SET_LOAD, 0, 12), "garbage: SET_LOAD says"),
        (struct.pack("<III", Command.MOVE, 0, 2**31), "garbage: MOVE says that it has 2147483648"),
        (write_request(move()), "MOVE before Connect"),
        (write_request(Request(Command.STOP_MOVE, 0, ())), "STOP_MOVE before Connect"),
    ],
)
def test_garbage_before_connect_is_refused_in_words(
    box: SimulatedControlBox, data: bytes, words: str
) -> None:
    after = last_event(box)
    with stranger(box) as connection:
        connection.sendall(data)
        assert words in box.wait_for("is refused", after=after).text
        with pytest.raises(ConnectionResetError):
            connection.recv(1)


def test_garbage_of_the_client_ends_its_motion(box: SimulatedControlBox) -> None:
    after = last_event(box)
    with client(box) as raw:
        raw.send(move())
        assert raw.reply() == (Command.MOVE, MoveStatus.MOTION_STARTED)
        raw.tcp.sendall(b"\xff" * 100)
        assert raw.is_hung_up()
    assert "the client is gone" in box.wait_for("motion ends", after=after).text
    still_serves(box)


def test_noise_of_every_kind_harms_nobody(box: SimulatedControlBox) -> None:
    dice = random.Random(7)
    with client(box) as raw:
        for _ in range(15):
            with stranger(box) as connection:
                connection.sendall(dice.randbytes(dice.randrange(1, 200)))
            with stranger(box, GRIPPER_PORT) as connection:
                connection.sendall(dice.randbytes(dice.randrange(1, 200)))
            raw.raw_udp(dice.randbytes(dice.randrange(0, 1500)))
        assert raw.fresh_state()["mode"] == Mode.IDLE
    still_serves(box)


def test_requests_may_come_byte_by_byte_or_all_at_once(box: SimulatedControlBox) -> None:
    with client(box) as raw:
        load = Request(Command.SET_LOAD, 4, (0.0,) * 13)
        for byte in write_request(load):
            raw.tcp.sendall(bytes((byte,)))
        assert raw.reply() == (Command.SET_LOAD, 0)
        raw.tcp.sendall(write_request(load) * 5)
        assert [raw.reply() for _ in range(5)] == [(Command.SET_LOAD, 0)] * 5


def test_a_second_client_is_told_at_once_and_the_first_goes_on(box: SimulatedControlBox) -> None:
    with client(box) as raw:
        after = last_event(box)
        second = RawClient(box.address, hello=False)
        second.send(Request(Command.CONNECT, 0, (VERSION, 4000)))
        assert second.is_hung_up()
        second.close()
        assert "a second client" in box.wait_for("is refused", after=after).text
        assert raw.fresh_state()["mode"] == Mode.IDLE


def test_saying_connect_twice_is_refused(box: SimulatedControlBox) -> None:
    with client(box) as raw:
        raw.send(Request(Command.CONNECT, 0, (VERSION, 4000)))
        assert raw.is_hung_up()
    still_serves(box)


def test_connections_that_never_say_connect_keep_nobody_out(box: SimulatedControlBox) -> None:
    after = last_event(box)
    with ExitStack() as open_ones:
        for _ in range(12):
            open_ones.enter_context(stranger(box))
        assert "never said Connect" in box.wait_for("is refused", after=after).text
        still_serves(box)


def test_an_old_version_is_answered_and_closed(box: SimulatedControlBox) -> None:
    raw = RawClient(box.address, hello=False)
    raw.send(Request(Command.CONNECT, 0, (5, 4000)))
    assert raw.reply() == (Command.CONNECT, 1)
    assert raw.is_hung_up()
    raw.close()


def test_commands_of_strangers_are_ignored(box: SimulatedControlBox) -> None:
    with client(box) as raw, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        raw.send(move())
        raw.reply()
        before = box.status().digested
        after = last_event(box)
        for _ in range(5):
            state = raw.state()
            command = msgspec.structs.replace(NOTHING, message_id=int(state["message_id"]))
            other.sendto(write_robot_command(command), (box.address, ARM_PORT))
        box.wait_for("from a stranger", after=after)
        assert box.status().digested == before
        assert raw.ask(Command.STOP_MOVE) == MoveStatus.PREEMPTED


@pytest.mark.parametrize("size", [0, 1, 370, 372, 9000])
def test_packets_of_another_size_are_ignored_in_words(box: SimulatedControlBox, size: int) -> None:
    with client(box) as raw:
        raw.send(move())
        raw.reply()
        state = raw.state()
        after = last_event(box)
        raw.raw_udp(int(state["message_id"]).to_bytes(8, "little")[:size].ljust(size, b"\0"))
        box.wait_for("ignored", after=after)
        assert box.status().mode == "move"
        assert raw.ask(Command.STOP_MOVE) == MoveStatus.PREEMPTED


def test_a_client_that_vanishes_in_motion_leaves_an_arm_at_rest(box: SimulatedControlBox) -> None:
    after = last_event(box)
    raw = RawClient(box.address)
    raw.send(move())
    raw.reply()
    raw.close()
    box.wait_for("the client is gone", after=after)
    assert box.status().mode == "idle"
    still_serves(box)


def test_the_model_comes_whole(box: SimulatedControlBox) -> None:
    with client(box) as raw:
        raw.send(Request(Command.GET_ROBOT_MODEL, 3, ()))
        while (read := read_reply(raw._received)) is None:
            raw._received += raw.tcp.recv(65536)
        text = read[3].decode()
        assert text.count("<position_based_velocity_limits") == 7
        assert 'name="link8"' in text
        assert "hand" not in text, "states tell of the hand"
        assert read[4] == HEADER_SIZE + 1 + len(text.encode())


def test_the_grippers_port_refuses_garbage_and_serves_on(box: SimulatedControlBox) -> None:
    after = last_event(box)
    with stranger(box, GRIPPER_PORT) as connection:
        connection.sendall(b"\xff" * 50)
        assert "garbage: gripper command 65535" in box.wait_for("is refused", after=after).text
    with stranger(box, GRIPPER_PORT) as connection:
        connection.sendall(write_gripper_request(GripperRequest(GripperCommand.CONNECT, 0, (3, 4000))))
        assert len(connection.recv(100)) == 14
        connection.sendall(write_gripper_request(GripperRequest(GripperCommand.MOVE, 1, (0.05, 0.1))))
        assert connection.recv(100)[10:12] == b"\0\0"
    assert box.status().width_m == pytest.approx(0.05, abs=3e-4)


def test_states_have_one_size_and_rising_ids(box: SimulatedControlBox) -> None:
    with client(box) as raw:
        packets = [raw.udp.recv(65536) for _ in range(5)]
    ids = [int(read_state(packet)["message_id"]) for packet in packets]
    assert {len(packet) for packet in packets} == {STATE.itemsize}
    assert ids == sorted(set(ids))
