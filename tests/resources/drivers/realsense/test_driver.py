"""What the RealSense driver asks for, and what it says where the library is missing; on the virtual clock."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import msgspec
import pytest

from framework.errors import PlanError, PluginUnavailable, ResourceUnavailable
from framework.plugins.driver import driver_spec
from framework.processes.spec import ProcessSpec
from resources.children.arguments import CameraArguments
from resources.children.specs import STALE_AFTER_S
from resources.drivers.realsense.arguments import RealSenseArguments
from resources.drivers.realsense.driver import RealSense
from resources.drivers.realsense.recovery import Patience
from resources.drivers.realsense.specs import realsense_spec
from resources.types.control import Simulation
from resources.types.processes import Process
from tests.resources.drivers.test_drivers import CAMERA, SIMULATION, Diary, using


def asked_by(parameters: dict[str, Any]) -> tuple[list[Any], list[ProcessSpec]]:
    """The requests of a device called "eye", and the processes among them."""
    diary = Diary(msgspec.json.encode(CAMERA))
    seen: list[object] = []
    using(RealSense(**parameters), diary, "eye", seen.append)
    assert seen == [CAMERA]
    return diary.asked, [request.spec for request in diary.asked if isinstance(request, Process)]


def arguments_of(spec: ProcessSpec) -> RealSenseArguments:
    return msgspec.json.decode(spec.argv[-1], type=RealSenseArguments)


# ---------------------------------------------------------------- not here


def test_without_the_library_it_is_unavailable_and_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyrealsense2", None)
    spec = driver_spec(RealSense)
    assert spec.unavailable.startswith("pyrealsense2 is not installed: pip install pyrealsense2")
    with pytest.raises(PluginUnavailable, match="realsense is unavailable: pyrealsense2 is not installed"):
        spec.make({})


def test_nothing_of_the_driver_imports_the_library() -> None:
    program = "import sys, pilothouse.installation; print([m for m in sys.modules if 'realsense2' in m])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=180)
    assert found.stdout == "[]\n", found.stderr


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"decimate": 9}, "decimate = 9 will not do, it is too large; allowed is int from 1 to 8"),
        ({"decimate": 0}, "it is too small"),
        ({"rate_hz": 200.0}, "it is too large"),
        ({"resets": 3}, "it is too large"),
        ({"serial": 1234}, "serial = 1234 will not do"),  # YAML takes digits for a number: quote them
        ({"filters": "all"}, "has no parameter 'filters'"),
    ],
)
def test_parameters_that_will_not_do(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        RealSense(**parameters)


@pytest.mark.parametrize("other", ["serial", "recording"])
def test_a_simulated_camera_is_no_real_one(other: str) -> None:
    diary = Diary(b"")
    with pytest.raises(
        ResourceUnavailable, match="eye cannot be the simulated camera 'front_camera' and a real"
    ):
        using(RealSense(**{"camera": "front_camera", other: "7"}), diary, "eye", lambda feed: None)
    assert diary.asked == []


# ---------------------------------------------------------------- what it asks for


def test_a_live_camera_is_one_process_with_time_to_be_reset() -> None:
    asked, (spec,) = asked_by({"serial": "123", "timeout_s": 2.0, "timeouts": 4, "spatial": True})
    assert [type(request) for request in asked] == [Process]
    told = arguments_of(spec)
    assert (told.serial, told.device, told.spatial, told.is_live) == ("123", "eye", True, True)
    assert told.patience == Patience(timeout_s=2.0, timeouts=4)
    assert spec.name == "realsense eye"
    assert spec.restart is None
    assert spec.stale_after_s is not None
    assert spec.stale_after_s > told.patience.longest_silence_s
    assert spec.start_timeout_s > told.patience.longest_start_s


@pytest.mark.parametrize("resets", [0, 1, 2])
def test_no_start_takes_longer_than_managers_wait_for_one(resets: int) -> None:
    arguments = RealSenseArguments(run_directory="/run", device="eye", patience=Patience(resets=resets))
    assert realsense_spec(arguments).start_timeout_s < 60.0


def test_a_recording_has_nothing_to_be_reset() -> None:
    _, (spec,) = asked_by({"recording": "/films/a.db3", "repeat": False, "record": "/films/again"})
    told = arguments_of(spec)
    assert (told.recording, told.repeat, told.record, told.is_live) == (
        "/films/a.db3",
        False,
        "/films/again",
        False,
    )
    assert spec.stale_after_s == STALE_AFTER_S


def test_a_software_camera_asks_for_its_world_and_a_camera_that_draws_it() -> None:
    asked, (drawing, streaming) = asked_by({"camera": "front_camera", "rate_hz": 10.0, "width": 640})
    assert [type(request) for request in asked] == [Simulation, Process, Process]
    drawn = msgspec.json.decode(drawing.argv[-1], type=CameraArguments)
    assert (drawn.simulation, drawn.mount, drawn.kind) == (SIMULATION, "front_camera", "rgbd")
    assert (drawn.rate_hz, drawn.width, drawn.height) == (10.0, 640, 480)
    assert drawing.name == "camera eye.drawn"
    told = arguments_of(streaming)
    assert told.drawn == CAMERA
    assert not told.is_live
    assert streaming.stale_after_s == STALE_AFTER_S


def test_who_fails_the_device_finds_the_process_that_has_its_name() -> None:
    _, specs = asked_by({"camera": "front_camera"})
    assert [spec.name.partition(" ")[2] for spec in specs] == ["eye.drawn", "eye"]
