"""What drivers ask for and hand out, on the virtual clock with providers that are a page of text."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from framework.errors import DescriptionError, PlanError, ResourceUnavailable
from framework.plugins.driver import DeviceContext, Driver, driver_spec
from framework.registrar import ResourceRegistrar, Supply
from framework.testing import run
from framework.transport.local import LocalTransport
from resources.children.arguments import (
    CameraArguments,
    CameraParameters,
    LidarArguments,
    LidarKind,
    StitcherArguments,
)
from resources.children.specs import STALE_AFTER_S
from resources.drivers.marker_detector import marker_detector
from resources.drivers.simulated.arm_driver import SimulatedArm
from resources.drivers.simulated.base_driver import SimulatedBase
from resources.drivers.simulated.camera_driver import SimulatedCamera, SimulatedColourCamera
from resources.drivers.simulated.gripper_driver import SimulatedGripper
from resources.drivers.simulated.lidar_driver import SimulatedLidar
from resources.drivers.swept_lidar import SweptLidar
from resources.robots.description import MarkerDescription
from resources.types.arms import ArmHandle, BaseHandle, GripperHandle
from resources.types.control import SimulatedControl, Simulation, SimulationHandle, SweepHandle, WristSweep
from resources.types.motion import ControllerKind, Joints7, StopCategory
from resources.types.processes import Process, ProcessHandle
from resources.types.sensors import CameraFeed, CameraIntrinsics, CloudFeed, Device, ScanFeed
from resources.types.streams import StreamFormat, StreamHandle


class Instrument(msgspec.Struct, frozen=True):
    """The device under test, as a resource."""


def stream(name: str, kind: StreamFormat) -> StreamHandle:
    return StreamHandle(name, f"/run/{name}.ring", kind)


CAMERA = CameraFeed(
    "eye", "rgbd", stream("eye", StreamFormat.RGBD), CameraIntrinsics(848, 480, 424.0, 424.0, 423.5, 239.5)
)
HOME: Joints7 = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)
SCAN = ScanFeed("scanner", stream("scanner", StreamFormat.SCAN))
CLOUD = CloudFeed("cloud", stream("cloud", StreamFormat.CLOUD))
SIMULATION = SimulationHandle(
    "inspection",
    stream("world_state", StreamFormat.STATE),
    stream("world_poses", StreamFormat.POSES),
    stream("world_report", StreamFormat.REPORT),
    "scene.json",
    "things.json",
    "model.mjb",
    7,
)


class Diary:
    """Providers of everything, and what was asked of them in which order."""

    def __init__(
        self, ready_with: bytes, scanner: object = SCAN, simulation: SimulationHandle = SIMULATION
    ) -> None:
        self.simulation = simulation
        self.asked: list[Any] = []
        self.ready_with = ready_with
        self.scanner = scanner

    def install(self, registrar: ResourceRegistrar, driver: Driver, name: str) -> None:
        answers: dict[type, Callable[[Any], object]] = {
            Simulation: lambda request: self.simulation,
            Process: lambda request: ProcessHandle(request.spec.name, 1, self.ready_with),
            Device: lambda request: self.scanner,
            WristSweep: lambda request: SweepHandle(request.arm, -1.0, 1.0, 1.0),
        }
        for request_type, answer in answers.items():
            registrar.provides(request_type)(self._provider(answer))

        @registrar.provides(Instrument)
        @asynccontextmanager
        async def device(request: Instrument, supply: Supply) -> AsyncIterator[Any]:
            context = DeviceContext(name, "front", registrar, supply, Path("/run"))
            async with driver.provide(context) as feed:
                yield feed

    def _provider(self, answer: Callable[[Any], object]) -> Any:
        @asynccontextmanager
        async def provider(request: Any) -> AsyncIterator[object]:
            self.asked.append(request)
            yield answer(request)

        return provider

    def arguments(self, type_: type[Any]) -> Any:
        """What the one process asked for was told."""
        (process,) = [request for request in self.asked if isinstance(request, Process)]
        return msgspec.json.decode(process.spec.argv[-1], type=type_)


def using(driver: Driver, diary: Diary, name: str, use: Callable[[Any], None]) -> None:
    async def main() -> None:
        async with ResourceRegistrar("all", LocalTransport()) as registrar:
            diary.install(registrar, driver, name)
            async with registrar.request(Instrument()) as lease:
                use(lease.value)
            await _until_empty(registrar)

    run(main)


async def _until_empty(registrar: ResourceRegistrar) -> None:
    from framework.clock import LoopClock

    sleep: Callable[[float], Awaitable[None]] = LoopClock().sleep
    while not registrar.snapshot().is_empty:
        await sleep(0.01)


def test_a_camera_asks_for_its_world_and_a_process_that_is_not_restarted() -> None:
    diary = Diary(msgspec.json.encode(CAMERA))
    driver = driver_spec(SimulatedCamera).make({"camera": "front_camera", "rate_hz": 5, "noise": True})
    using(driver, diary, "eye", lambda feed: _equals(feed, CAMERA))
    assert [type(request) for request in diary.asked] == [Simulation, Process]
    spec = diary.asked[1].spec
    assert (spec.name, spec.restart, spec.stale_after_s) == ("camera eye", None, STALE_AFTER_S)
    told: CameraArguments = diary.arguments(CameraArguments)
    assert (told.device, told.mount, told.kind, told.rate_hz, told.noise) == (
        "eye",
        "front_camera",
        "rgbd",
        5.0,
        True,
    )
    assert told.simulation == SIMULATION


def test_a_colour_camera_and_a_scanner_take_their_own_name_for_their_place_in_the_world() -> None:
    diary = Diary(msgspec.json.encode(CAMERA))
    using(SimulatedColourCamera(), diary, "overview", lambda feed: _equals(feed, CAMERA))
    told: CameraArguments = diary.arguments(CameraArguments)
    assert (told.mount, told.kind) == ("overview", "rgb")
    diary = Diary(msgspec.json.encode(SCAN))
    scanner = driver_spec(SimulatedLidar).make({"model": "UTM30LX"})
    using(scanner, diary, "base_lidar", lambda feed: _equals(feed, SCAN))
    lidar: LidarArguments = diary.arguments(LidarArguments)
    assert (lidar.mount, lidar.model) == ("base_lidar", LidarKind.UTM30LX)


def test_a_swept_scanner_moves_its_arm_only_once_the_scanner_works() -> None:
    diary = Diary(msgspec.json.encode(CLOUD))
    using(
        driver_spec(SweptLidar).make({"scanner": "scanner"}),
        diary,
        "cloud",
        lambda feed: _equals(feed, CLOUD),
    )
    assert [type(request) for request in diary.asked] == [Device, WristSweep, Process]
    told: StitcherArguments = diary.arguments(StitcherArguments)
    assert (told.source, told.device) == (SCAN.stream, "cloud")


def test_a_swept_scanner_that_is_a_camera_is_refused_before_anything_moves() -> None:
    diary = Diary(msgspec.json.encode(CLOUD), scanner=CAMERA)
    with pytest.raises(ResourceUnavailable, match="gives a CameraFeed; name a planar laser scanner"):
        using(driver_spec(SweptLidar).make({"scanner": "eye"}), diary, "cloud", lambda feed: None)
    assert [type(request) for request in diary.asked] == [Device]


@pytest.mark.parametrize("ready_with", [b"", b"\xff", b'{"device": 7}'])
def test_a_process_that_becomes_ready_with_nonsense_is_refused_in_words(ready_with: bytes) -> None:
    with pytest.raises(ResourceUnavailable, match=r"became ready with .* which is no CameraFeed"):
        using(SimulatedCamera(), Diary(ready_with), "front_camera", lambda feed: None)


@pytest.mark.parametrize(("name", "value"), [("rate_hz", 1e9), ("rate_hz", math.nan), ("width", 15)])
def test_parameters_out_of_bounds_never_reach_a_process(name: str, value: float) -> None:
    wrong: dict[str, Any] = {name: value}
    with pytest.raises(PlanError, match=name):
        SimulatedCamera(**wrong)
    with pytest.raises(DescriptionError, match=name):  # past the driver's own check, as a plugin might
        CameraParameters(**wrong)


def test_a_marker_of_the_description_becomes_a_detector() -> None:
    spec = marker_detector(MarkerDescription("hand", 7, 0.075), CAMERA)
    assert spec.name == "detector hand eye"
    assert '"marker_id":7' in spec.argv[-1]


MOVING = msgspec.structs.replace(
    SIMULATION,
    controls=(
        SimulatedControl(
            "left_arm", ControllerKind.ARM, stream("motion", StreamFormat.ARM), "left_link0", HOME
        ),
        SimulatedControl("left_gripper", ControllerKind.GRIPPER, stream("grip", StreamFormat.GRIPPER)),
        SimulatedControl("base", ControllerKind.BASE, stream("drive", StreamFormat.BASE), "base"),
    ),
)


def test_a_simulated_arm_is_told_to_the_world_and_found_in_it() -> None:
    diary = Diary(b"", simulation=MOVING)
    box = {"lower": [-0.5, -0.5, 0.0], "upper": [0.5, 0.5, 1.0]}
    driver = driver_spec(SimulatedArm).make({"stop": "brakes", "workspace": box, "camera": "eye"})
    assert isinstance(driver, SimulatedArm)
    told = driver.arguments("left_arm", "left", Path("/run/orders.ring"))
    assert (told.device, told.part, told.stop) == ("left_arm", "left_", StopCategory.BRAKES)
    assert (told.orders, told.workspace) == ("/run/orders.ring", driver.parameters.workspace)

    def check(handle: ArmHandle) -> None:
        assert (handle.state, handle.home, handle.frame) == (MOVING.controls[0].state, HOME, "left_link0")
        assert handle.workspace.upper == (0.5, 0.5, 1.0) and handle.camera == "eye"
        assert handle.lower[3] == pytest.approx(-3.0718) and handle.upper[3] < 0.0

    using(driver, diary, "left_arm", check)
    assert diary.asked == [Simulation("inspection")]


def test_a_simulated_gripper_and_a_base_too() -> None:
    def wide(handle: GripperHandle) -> None:
        assert handle.max_width_m == pytest.approx(0.08)

    using(SimulatedGripper(), Diary(b"", simulation=MOVING), "left_gripper", wide)
    driver = driver_spec(SimulatedBase).make({"lidars": ["front_lidar"]})
    assert isinstance(driver, SimulatedBase)
    assert driver.arguments("base", "", Path("/x")).part == ""

    def guarded(handle: BaseHandle) -> None:
        assert handle.guards == ("front_lidar",) and handle.max_speed > 0.0

    using(driver, Diary(b"", simulation=MOVING), "base", guarded)


def test_what_the_world_does_not_move_is_refused_with_what_it_does() -> None:
    words = "moves no arm 'third_arm'; it moves left_arm, left_gripper, base"
    with pytest.raises(ResourceUnavailable, match=words):
        using(SimulatedArm(), Diary(b"", simulation=MOVING), "third_arm", lambda handle: None)
    with pytest.raises(ResourceUnavailable, match="moves no gripper 'left_arm'"):
        using(SimulatedGripper(), Diary(b"", simulation=MOVING), "left_arm", lambda handle: None)


def _equals(feed: object, expected: object) -> None:
    assert feed == expected
