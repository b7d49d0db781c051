"""Instructions to try: only what the robot can do."""

from __future__ import annotations

from managers.hints import hints


def test_a_robot_that_only_looks_is_not_told_to_move() -> None:
    assert hints({"rgbd"}, ()) == (
        "show the environment",
        "stop",
        "what do you see?",
        "what can you do?",
        "what are you doing?",
    )


def test_an_arm_is_moved_and_what_can_be_followed_is_followed() -> None:
    found = hints({"rgbd", "arm", "gripper"}, ("red ball", "hand"))
    assert found[:4] == ("show the environment", "go home", "move up five centimetres", "open the gripper")
    assert not any(text.startswith("turn") for text in found)
    assert found[-1] == "track the hand and show it on the screen"
