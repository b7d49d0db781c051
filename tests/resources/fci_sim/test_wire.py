"""The bytes: sizes as in the manufacturer's protocol, what is no message, and there and back."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from framework.errors import MalformedMessage
from resources.fci_sim.gripper_wire import (
    GripperCommand,
    GripperRequest,
    read_gripper_request,
    write_gripper_request,
)
from resources.fci_sim.wire import (
    ROBOT_COMMAND_SIZE,
    STATE,
    Command,
    Request,
    read_reply,
    read_request,
    read_robot_command,
    read_state,
    reply,
    request_size,
    write_request,
    write_robot_command,
)
from tests.resources.fci_sim.arm_before_us import NOTHING, move


def test_sizes_are_those_of_protocol_version_10() -> None:
    assert STATE.itemsize == 1377
    assert ROBOT_COMMAND_SIZE == 371
    sizes = [request_size(command) for command in Command]
    assert sizes == [16, 125, 12, 428, 68, 60, 19, 140, 140, 116, 12, 12]


@pytest.mark.parametrize("cut", [0, 1, 11, 12, 60, 124])
def test_a_request_waits_for_its_last_byte(cut: int) -> None:
    assert read_request(write_request(move())[:cut]) is None


def test_a_request_is_read_and_what_follows_is_left() -> None:
    load = Request(Command.SET_LOAD, 3, tuple(float(n) for n in range(13)))
    data = write_request(load) + b"rest"
    assert read_request(data) == (load, len(data) - 4)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ((99, 0, 12), "command 99"),
        ((0xFFFFFFFF, 0, 12), "there are 0 to 11"),
        ((int(Command.MOVE), 0, 12), "it has 125"),
        ((int(Command.CONNECT), 0, 0), "0 bytes"),
        ((int(Command.SET_LOAD), 0, 0xFFFFFFFF), "4294967295 bytes"),
    ],
)
def test_what_can_be_no_request_is_refused_at_once(header: tuple[int, int, int], words: str) -> None:
    with pytest.raises(MalformedMessage, match=words):
        read_request(struct.pack("<III", *header))


@pytest.mark.parametrize("size", [0, 1, 370, 372, 1377])
def test_a_command_has_its_size(size: int) -> None:
    with pytest.raises(MalformedMessage, match=f"{size} bytes; commands have 371"):
        read_robot_command(bytes(size))


def test_a_command_goes_there_and_back() -> None:
    assert read_robot_command(write_robot_command(NOTHING)) == NOTHING


def test_a_state_has_its_size() -> None:
    with pytest.raises(MalformedMessage, match="states have 1377"):
        read_state(b"")
    assert read_state(np.zeros(1, STATE).tobytes())["mode"] == 0


def test_a_reply_carries_its_rest() -> None:
    data = reply(Command.GET_ROBOT_MODEL, 5, 0, b"<robot/>")
    assert read_reply(data[:-1]) is None
    assert read_reply(data) == (Command.GET_ROBOT_MODEL, 5, 0, b"<robot/>", len(data))


def test_the_grippers_requests() -> None:
    grasp = GripperRequest(GripperCommand.GRASP, 2, (0.03, 0.005, 0.005, 0.05, 40.0))
    data = write_gripper_request(grasp)
    assert read_gripper_request(data[:-1]) is None
    assert read_gripper_request(data) == (grasp, len(data))
    with pytest.raises(MalformedMessage, match="gripper command 9"):
        read_gripper_request(struct.pack("<HII", 9, 0, 10))
    with pytest.raises(MalformedMessage, match="gripper MOVE"):
        read_gripper_request(struct.pack("<HII", GripperCommand.MOVE, 0, 10))
