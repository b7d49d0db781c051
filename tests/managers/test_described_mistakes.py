"""What only drivers know to be wrong with a description is told with file and line; no library loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from framework.errors import DescriptionError
from framework.plugins.driver import DriverSpec
from managers.described_mistakes import mistakes_in, refuse, unavailable_in, uncovered_in
from pilothouse.robots import driver_catalogue
from resources.robots.description import parse_description, read_description
from resources.robots.worlds import ROBOTS

GOOD = """\
robot: franka
devices:
  - name: arm
    driver: fci_arm
    kind: arm
    parameters:
      address: 172.16.0.2
      stop: hold
      workspace: {lower: [0.1, -0.6, 0.0], upper: [0.7, 0.6, 0.9]}
  - name: gripper
    driver: fci_gripper
    kind: gripper
    parameters: {address: 172.16.0.2}
"""


@pytest.fixture(scope="module")
def drivers() -> dict[str, DriverSpec]:
    return driver_catalogue()


def told(text: str, drivers: dict[str, DriverSpec]) -> list[str]:
    return [str(each) for each in mistakes_in(parse_description(text, "my.yaml"), drivers)]


@pytest.mark.parametrize("file", sorted(ROBOTS.rglob("*.yaml")), ids=lambda file: file.stem)
def test_what_comes_with_us_has_no_mistakes(file: Path, drivers: dict[str, DriverSpec]) -> None:
    assert mistakes_in(read_description(file), drivers) == ()


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("stop: hold", "stopp: hold"), 8, "fci_arm has no parameter 'stopp'; it has address, stop"),
        (("stop: hold", "stop: [hold]"), 8, "stop = ['hold'] will not do"),
        (("stop: hold", "collision_force_n: many"), 8, "collision_force_n = 'many' will not do"),
        (("stop: hold", "collision_force_n: 1000"), 8, "from 5 to 300 N"),
        (("stop: hold", "walls: [{point: [0, 0, 0], normal: [0, 0, 0]}]"), 8, "normal of a wall"),
        (("      address: 172.16.0.2\n", ""), 7, "fci_arm needs address"),
        (("address: 172.16.0.2", "address: 172.16.0"), 7, "address = '172.16.0' is none"),
        (("address: 172.16.0.2", "address: 172.16.0.256"), 7, "address = '172.16.0.256' is none"),
        (("address: 172.16.0.2", 'address: ""'), 7, "address = '' is none"),
        (("address: 172.16.0.2", "address: the arm"), 7, "address = 'the arm' is none"),
        (("address: 172.16.0.2", "address: 172"), 7, "address = 172 will not do"),
        (
            ("driver: fci_arm", "driver: fci_gripper"),
            5,
            "arm is of kind arm; the driver 'fci_gripper' is for",
        ),
        (("driver: fci_arm", "driver: fci_harm"), 4, "needs the driver 'fci_harm'; installed are "),
        (("lower: [0.1, -0.6", "lower: [0.1, 0.7"), 9, "along y its lower corner 0.7 m is not below"),
    ],
)
def test_a_mistake_is_told_with_the_line_of_what_is_wrong(
    change: tuple[str, str], line: int, words: str, drivers: dict[str, DriverSpec]
) -> None:
    assert told(GOOD, drivers) == []
    mistakes = told(GOOD.replace(change[0], change[1], 1), drivers)
    assert [each for each in mistakes if each.startswith(f"my.yaml:{line}: ") and words in each], mistakes


def test_two_arms_at_one_address_are_told(drivers: dict[str, DriverSpec]) -> None:
    text = GOOD + GOOD[GOOD.index("  - name: arm") : GOOD.index("  - name: gripper")].replace(
        "arm\n", "other\n", 1
    )
    assert told(text, drivers) == ["my.yaml:18: other is at 172.16.0.2, and so is arm: each arm has its own"]
    assert told(text.replace("172.16.0.2", "172.16.0.3", 1), drivers) == []


def test_all_are_told_at_once(drivers: dict[str, DriverSpec]) -> None:
    text = GOOD.replace("stop: hold", "stopp: hold").replace("{address", "{adress")
    with pytest.raises(
        DescriptionError, match=r"^my\.yaml:8: .*\nmy\.yaml:13: .*'adress'.*\nmy\.yaml:13: .*needs"
    ):
        refuse(mistakes_in(parse_description(text, "my.yaml"), drivers))


def test_what_this_machine_lacks_is_no_mistake_but_its_parameters_are_looked_at(
    drivers: dict[str, DriverSpec],
) -> None:
    lacking = {**drivers, "fci_arm": msgspec.structs.replace(drivers["fci_arm"], unavailable="no library")}
    robot = parse_description(GOOD, "my.yaml")
    assert mistakes_in(robot, lacking) == ()
    assert unavailable_in(robot, lacking) == ("arm: its driver 'fci_arm' is unavailable: no library",)
    assert len(told(GOOD.replace("stop: hold", "stopp: hold"), lacking)) == 1
    broken = {**drivers, "fci_arm": DriverSpec("fci_arm", unavailable="it cannot be imported")}
    assert mistakes_in(robot, broken) == ()


def test_no_vendors_library_is_loaded() -> None:
    program = (
        "import sys; from managers.described_mistakes import mistakes_in;"
        "from pilothouse.robots import driver_catalogue; from resources.robots.worlds import ROBOTS;"
        "from resources.robots.description import read_description;"
        "mistakes_in(read_description(ROBOTS / 'hardware' / 'franka_bench.yaml'), driver_catalogue());"
        "assert not {'pylibfranka', 'pyrealsense2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


TWO_ARMS = """\
robot: two arms
devices:
  - {name: left_arm, driver: DRIVER, kind: arm, mount: left, parameters: {LEFT}}
  - {name: right_arm, driver: DRIVER, kind: arm, mount: right, parameters: {RIGHT}}
"""


def two_arms(driver: str, left: str, right: str) -> str:
    return TWO_ARMS.replace("DRIVER", driver).replace("LEFT", left).replace("RIGHT", right)


def test_an_arm_can_keep_away_only_from_another_arm_of_its_robot(drivers: dict[str, DriverSpec]) -> None:
    text = two_arms("simulated_arm", "keeps_from: [left_arm, gripper]", "keeps_from: [left_arm]")
    assert told(text, drivers) == [
        "my.yaml:3: left_arm: keeps_from names 'left_arm'; other arms are right_arm",
        "my.yaml:3: left_arm: keeps_from names 'gripper'; other arms are right_arm",
    ]


def test_what_nothing_keeps_from_colliding_is_said(drivers: dict[str, DriverSpec]) -> None:
    def uncovered(text: str) -> tuple[str, ...]:
        return uncovered_in(parse_description(text, "my.yaml"), drivers)

    assert uncovered(two_arms("simulated_arm", "keeps_from: [right_arm]", "")) == ()
    (simulated,) = uncovered(two_arms("simulated_arm", "", ""))
    assert simulated.endswith("left_arm may have keeps_from: [right_arm]")
    (real,) = uncovered(two_arms("fci_arm", "address: 172.16.0.2", "address: 172.16.0.3"))
    assert real.startswith("nothing keeps left_arm and right_arm from each other: left_arm is controlled in")
    assert "which does not know where another arm is" in real


@pytest.mark.parametrize("file", sorted(ROBOTS.rglob("*.yaml")), ids=lambda file: file.stem)
def test_arms_of_what_comes_with_us_keep_apart(file: Path, drivers: dict[str, DriverSpec]) -> None:
    assert uncovered_in(read_description(file), drivers) == ()


@pytest.mark.parametrize(
    ("speech", "words"),
    [
        ("{whisper_model: /nowhere}", "there is no folder /nowhere; name the folder of a model, or leave"),
        ("{recogniser: vosk, vosk_model: /nowhere}", "there is no folder /nowhere"),
        ("{recogniser: vosk}", "recogniser vosk needs a model: name its folder as vosk_model"),
    ],
)
def test_a_model_of_speech_that_is_not_there_is_refused_at_the_start(
    speech: str, words: str, drivers: dict[str, DriverSpec]
) -> None:
    device = "{name: ears, driver: sound_files, kind: audio, parameters: {path: /x}}"
    text = f"robot: it\ndevices: [{device}]\nspeech: {speech}\n"
    (mistake,) = [str(each) for each in mistakes_in(parse_description(text, "my.yaml"), drivers)]
    assert mistake.startswith("my.yaml:3: ")
    assert words in mistake


def test_a_recogniser_that_nobody_knows_is_refused_with_those_that_are() -> None:
    text = "robot: it\ndevices: [{name: ears, driver: x, kind: audio}]\nspeech: {recogniser: siri}\n"
    with pytest.raises(DescriptionError, match=r"'siri'.*pocketsphinx"):
        parse_description(text, "my.yaml")
