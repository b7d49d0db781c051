"""The drivers as a robot description sees them: parameters, bounds, and what is missing on this machine."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from framework.errors import PlanError
from pilothouse.robots import driver_catalogue
from resources.controllers.generations import Generation
from resources.drivers.franka import library
from resources.drivers.franka.arguments import Realtime
from resources.drivers.franka.arm_driver import FciArm
from resources.drivers.franka.gripper_driver import FciGripper
from resources.robots.description import read_description
from resources.robots.worlds import ROBOTS, worlds
from resources.types.motion import StopCategory, Workspace
from tests.resources.drivers.franka.wheel import needs_pylibfranka

ROOT = Path(__file__).parents[4]


@needs_pylibfranka
@pytest.mark.parametrize("example", ["franka_bench.yaml", "simulated_box.yaml"])
def test_the_example_is_read_and_its_drivers_take_its_parameters(example: str) -> None:
    robot = read_description(ROBOTS / "hardware" / example)
    assert robot.world == "", "nothing is simulated"
    catalogue = driver_catalogue()
    arm, gripper = (catalogue[device.driver].make(device.parameters) for device in robot.controllers)
    assert isinstance(arm, FciArm)
    assert isinstance(gripper, FciGripper)
    told = arm.parameters
    assert (told.stop, told.realtime, told.generation) == (StopCategory.HOLD, Realtime.IGNORE, Generation.FR3)
    assert isinstance(told.workspace, Workspace)


def test_an_example_for_hardware_is_no_world() -> None:
    assert not [world for world in worlds() if "franka" in world]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({}, "needs address"),
        ({"address": "127.0.0.1", "collision_force_n": 0}, "from 5 to 300 N"),
        ({"address": "127.0.0.1", "payload_kg": 70}, "from 0 to 7 kg"),
        ({"address": "127.0.0.1", "stop": "coast"}, "'hold', 'brakes'"),
        ({"address": "127.0.0.1", "realtime": "perhaps"}, "'none', 'ignore', 'enforce'"),
        ({"address": "127.0.0.1", "end_effector": [0, 0, 0.1]}, "end_effector"),
    ],
)
def test_parameters_out_of_bounds_are_named_with_what_is_allowed(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        FciArm(**wrong)


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "find_spec", lambda _: None)
    assert "pip install 'pilothouse[franka]'" in FciArm.why_unavailable()
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert FciGripper.why_unavailable().startswith(library.NO_WHEEL)


def test_a_control_process_does_not_load_what_only_managers_need() -> None:
    """It has to be ready soon, and each arm has one."""
    code = "import sys, resources.drivers.franka.arm_child; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert not {"asyncio", "framework.registrar.registrar", "spacy", "cv2"} & set(loaded.stdout.split())
