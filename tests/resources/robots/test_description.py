"""Robot descriptions: what is right is read, what is wrong is named with its line, all of it at once."""

from __future__ import annotations

from pathlib import Path

import pytest

import resources.robots
from framework.errors import DescriptionError
from resources.robots.description import parse_description, read_description

GOOD = """\
robot: inspector
world: inspection
devices:
  - name: front_camera
    driver: simulated_camera
    kind: rgbd
    mount: front
    priority: 20
    parameters: {rate_hz: 10}
markers:
  - {name: hand, id: 7, size_m: 0.075}
"""


def test_the_robot_that_comes_with_us_is_right() -> None:
    robot = read_description(Path(resources.robots.__file__).parent / "inspection.yaml")
    assert robot.world == "inspection"
    assert [device.name for device in robot.devices] == [
        "front_camera",
        "wrist_cloud",
        "wrist_lidar",
        "front_lidar",
        "left_arm",
        "right_arm",
        "left_gripper",
        "right_gripper",
        "base",
    ]
    assert [device.name for device in robot.sensors] == [device.name for device in robot.devices[:4]]
    assert [(device.kind, device.mount) for device in robot.controllers] == [
        ("arm", "left"),
        ("arm", "right"),
        ("gripper", "left"),
        ("gripper", "right"),
        ("base", ""),
    ]


def test_what_is_given_is_read_and_the_rest_has_defaults() -> None:
    (device,) = parse_description(GOOD, "robot.yaml").devices
    assert (device.priority, device.mount, device.retry_after_s) == (20, "front", 30.0)
    assert device.parameters == {"rate_hz": 10}
    assert device.where == "robot.yaml:9", "where its parameters stand, for the driver's mistakes"


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("kind: rgbd", "kind: radar"), 6, "allowed are .*, audio, loudspeaker, arm, gripper, base"),
        (("name: front_camera", "name: Front Camera"), 4, "small letters"),
        (("priority: 20", "priority: high"), 8, "whole number"),
        (("priority: 20", "priority: .nan"), 8, "whole number"),
        (("priority: 20", "priority: 2.5"), 8, "whole number"),
        (("mount: front", "mont: front"), 7, "no field 'mont'; allowed are"),
        (("mount: front", "mount: yes"), 7, "must be text"),
        (("mount: front", "kind: rgb"), 7, "given twice"),
        (("parameters: {rate_hz: 10}", "parameters: 10"), 9, "must be a mapping"),
        (("parameters: {rate_hz: 10}", "parameters: {rate_hz: 10"), 10, "no YAML"),
        (("id: 7", "id: 70"), 11, "0 to 49"),
        (("size_m: 0.075", "size: 0.075"), 11, "no field 'size'"),
        (("robot: inspector\n", ""), 1, "robot is missing"),
        (("robot: inspector", "robot: {a: b}"), 1, "must be text"),
    ],
)
def test_a_mistake_is_named_with_its_line(change: tuple[str, str], line: int, words: str) -> None:
    with pytest.raises(DescriptionError, match=words) as caught:
        parse_description(GOOD.replace(*change), "robot.yaml")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"robot.yaml:{line}: ")


def test_hands_are_looked_for_before_no_camera_unless_it_says_so() -> None:
    assert parse_description(GOOD, "robot.yaml").gestures.cameras == ()
    robot = parse_description(GOOD + "gestures: {cameras: [front_camera]}\n", "robot.yaml")
    assert robot.gestures.cameras == ("front_camera",)
    with pytest.raises(DescriptionError, match="'mast' is none of them: front_camera"):
        parse_description(GOOD + "gestures: {cameras: [mast]}\n", "robot.yaml")


def test_a_camera_is_watched_for_hands_once() -> None:
    with pytest.raises(DescriptionError, match="'front_camera' is named twice"):
        parse_description(GOOD + "gestures: {cameras: [front_camera, front_camera]}\n", "robot.yaml")


def test_hands_are_looked_for_before_no_camera_that_is_too_slow_for_them() -> None:
    slow = GOOD.replace("rate_hz: 10", "rate_hz: 2.5")
    assert parse_description(slow, "robot.yaml").gestures.cameras == (), "for all else it may be"
    with pytest.raises(DescriptionError, match=r"2\.5 pictures a second; .* 3 at least"):
        parse_description(slow + "gestures: {cameras: [front_camera]}\n", "robot.yaml")
    unknown = GOOD.replace("parameters: {rate_hz: 10}", "parameters: {}")
    assert parse_description(unknown + "gestures: {cameras: [front_camera]}\n", "robot.yaml").gestures.cameras


def test_all_mistakes_are_told_at_once() -> None:
    text = GOOD.replace("kind: rgbd", "kind: radar").replace("priority: 20", "priority: high")
    with pytest.raises(DescriptionError) as caught:
        parse_description(text, "robot.yaml")
    assert "robot.yaml:6:" in str(caught.value)
    assert "robot.yaml:8:" in str(caught.value)


def test_two_devices_of_one_name_are_refused() -> None:
    with pytest.raises(DescriptionError, match="already, in line 4"):
        parse_description(
            GOOD.replace("markers", GOOD[GOOD.index("  - name") : GOOD.index("markers")] + "markers"),
            "robot.yaml",
        )


@pytest.mark.parametrize("text", ["", "[]", "just words", "devices: []\nrobot: a"])
def test_what_is_no_description_at_all_is_refused(text: str) -> None:
    with pytest.raises(DescriptionError):
        parse_description(text, "robot.yaml")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"nowhere\.yaml"):
        read_description(tmp_path / "nowhere.yaml")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "robot.yaml"
    file.write_bytes(b"robot: \xff\xfe")
    with pytest.raises(DescriptionError, match="cannot be read"):
        read_description(file)
