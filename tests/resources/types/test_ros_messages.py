"""Messages of any type from their definition: read, written, and refused in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from framework.errors import MalformedMessage
from resources.types.ros_messages import RosMessages

DEFINITION = (
    (
        "test_msgs/msg/Walk",
        "std_msgs/msg/Header header\nfloat64[] joints\nfloat64[3] at\nstring[] names\nbool done\n"
        "uint8[] data\nstd_msgs/msg/Header[] log\nbyte[2] raw\nint32 steps",
    ),
    ("std_msgs/msg/Header", "builtin_interfaces/msg/Time stamp\nstring frame_id"),
    ("builtin_interfaces/msg/Time", "int32 sec\nuint32 nanosec"),
    ("std_srvs/srv/Trigger_Request", ""),
    ("std_srvs/srv/Trigger_Response", "bool success\nstring message"),
)
WALK = "test_msgs/msg/Walk"


@pytest.fixture(scope="module")
def messages() -> RosMessages:
    return RosMessages(DEFINITION)


def test_what_is_written_is_read_again(messages: RosMessages) -> None:
    fields: dict[str, Any] = {
        "header": {"frame_id": "base", "stamp": {"sec": 3}},
        "joints": np.arange(4.0),
        "at": (1, 2, 3),
        "names": ["a", "b"],
        "data": b"\x00\xff",
        "log": [{"frame_id": "x"}],
        "steps": -5,
    }
    read = messages.decode(WALK, messages.encode(WALK, fields))
    assert read.header.frame_id == "base"
    assert (read.header.stamp.sec, read.header.stamp.nanosec) == (3, 0)
    assert read.joints.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert read.at.tolist() == [1.0, 2.0, 3.0]
    assert read.names == ["a", "b"]
    assert read.data.tolist() == [0, 255]
    assert read.log[0].frame_id == "x"
    assert (read.done, read.steps, read.raw.tolist()) == (False, -5, [0, 0])
    assert messages.encode(WALK, read) == messages.encode(WALK, fields)


def test_parts_of_services_are_messages_and_empty_ones_have_a_byte_as_in_ros(messages: RosMessages) -> None:
    assert messages.encode("std_srvs/srv/Trigger_Request", {})[:5] == b"\x00\x01\x00\x00\x00"
    assert messages.fields("std_srvs/srv/Trigger_Request") == ()
    data = messages.encode("std_srvs/srv/Trigger_Response", {"success": True, "message": "x"})
    assert messages.decode("std_srvs/srv/Trigger_Response", data).success is True


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"stepz": 1}, "has no field stepz; it has header, joints"),
        ({"steps": 1.5}, r"steps is of type int32; 1\.5 was given"),
        ({"steps": True}, "steps is of type int32; True was given"),
        ({"done": 1}, "done is of type bool"),
        ({"names": [1]}, "names is of type string; 1 was given"),
        ({"at": [1.0]}, "at has 3 elements; 1 were given"),
        ({"joints": ["a"]}, "joints is of type float64"),
        ({"data": [256]}, "data is of type uint8"),
        ({"header": {"stamp": {"sec": "3"}}}, "header.stamp.sec is of type int32"),
        ({"steps": 1 << 40}, "cannot be sent"),
        ({"header": 3}, "cannot be sent"),
    ],
)
def test_what_does_not_fit_is_refused_by_field_and_value(
    messages: RosMessages, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(MalformedMessage, match=words):
        messages.encode(WALK, fields)


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"\x00\x01\x00\x00", b"voodoo" * 9, b"\x00\x01\x00\x00" + b"\xff" * 64]
)
def test_bytes_that_are_no_message_are_refused(messages: RosMessages, data: bytes) -> None:
    with pytest.raises(MalformedMessage, match=rf"{len(data)} bytes are no {WALK}"):
        messages.decode(WALK, data)


def test_a_definition_that_is_none_is_refused() -> None:
    with pytest.raises(MalformedMessage, match="the definition of x_msgs/msg/X cannot be read"):
        RosMessages((("x_msgs/msg/X", "voodoo ["),))
