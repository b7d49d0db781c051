"""Generated interfaces are what ROS takes for the real ones."""

from __future__ import annotations

import json
from pathlib import Path

import control_msgs
import pytest
import tf2_msgs
from control_msgs.action import FollowJointTrajectory


def test_a_type_has_the_hash_of_the_real_one() -> None:
    described = json.loads((Path(tf2_msgs.__file__).parent / "msg" / "TFMessage.json").read_text())
    hashes = {each["type_name"]: each["hash_string"] for each in described["type_hashes"]}
    # As `ros2 topic info --verbose /tf` prints it of any robot.
    known = "RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"
    assert hashes["tf2_msgs/msg/TFMessage"] == known


@pytest.mark.parametrize("name", ["FollowJointTrajectory", "GripperCommand"])
def test_actions_are_described_for_whoever_asks(name: str) -> None:
    described = json.loads((Path(control_msgs.__file__).parent / "action" / f"{name}.json").read_text())
    assert described["type_description_msg"]["type_description"]["type_name"] == f"control_msgs/action/{name}"


def test_constants_are_those_of_the_real_one() -> None:
    assert FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED == -4
