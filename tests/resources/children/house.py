"""A run directory with a beating supervisor, and real children in it: what the tests of children share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from framework.processes.emergency import EmergencyStop
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import ChildProcess
from framework.processes.told import Lost, Reason
from framework.transport.ring import RingReader, Sample
from framework.transport.run_directory import RunDirectory
from resources.children.arguments import (
    CameraArguments,
    DetectorArguments,
    LidarArguments,
    LidarKind,
    StitcherArguments,
    WorldArguments,
)
from resources.children.orders import WorldOrder, encode_order
from resources.children.specs import camera_spec, detector_spec, lidar_spec, stitcher_spec, world_spec
from resources.types.context import TrackedFeed
from resources.types.control import SimulationHandle, SimulationReport
from resources.types.sensors import CameraFeed, CloudFeed, ScanFeed
from resources.types.streams import SampleMeta, StreamHandle, decode_meta
from resources.worlds.marker import MARKER_ID, MARKER_M
from resources.worlds.robot import BASE_LIDAR, FRONT_CAMERA, WRIST_LIDAR
from tests.framework.processes.family import Diary, is_running, launcher, until

Handle = TypeVar("Handle")


class House:
    """Children by name, with what was told of them. At its end none of them runs and nothing is left."""

    def __init__(self, stack: AsyncExitStack, directory: RunDirectory, emergency: EmergencyStop) -> None:
        self.directory = directory
        self.emergency = emergency
        self.beats = True
        self.children: dict[str, ChildProcess] = {}
        self.diaries: dict[str, Diary] = {}
        self.pids: list[int] = []
        self._stack = stack

    async def start(self, name: str, spec: ProcessSpec, handle_type: type[Handle]) -> Handle:
        """Start a child and wait until it is ready."""
        diary = self.diaries[name] = Diary()
        child = await self._stack.enter_async_context(launcher().launch(spec, on_event=diary))
        self.children[name] = child
        self.pids.append(child.pid)
        return msgspec.json.decode(child.handle, type=handle_type)

    async def world(self, **changes: object) -> SimulationHandle:
        """The world `inspection`; `changes` of its spec."""
        spec = world_spec(WorldArguments(str(self.directory.path)))
        return await self.start("world", msgspec.structs.replace(spec, **changes), SimulationHandle)

    async def camera(self, world: SimulationHandle, **changes: object) -> CameraFeed:
        """The front camera."""
        arguments = CameraArguments(str(self.directory.path), world, "front_camera", FRONT_CAMERA)
        return await self.start(
            "camera", msgspec.structs.replace(camera_spec(arguments), **changes), CameraFeed
        )

    async def lidar(
        self, world: SimulationHandle, name: str = "lidar", *, wrist: bool = False, **changes: object
    ) -> ScanFeed:
        """A laser scanner, in front or on the wrist."""
        mount, model = (WRIST_LIDAR, LidarKind.UTM30LX) if wrist else (BASE_LIDAR, LidarKind.LMS511)
        arguments = LidarArguments(str(self.directory.path), world, name, mount, model)
        return await self.start(name, msgspec.structs.replace(lidar_spec(arguments), **changes), ScanFeed)

    async def stitcher(self, source: StreamHandle, **changes: object) -> CloudFeed:
        """The stitcher of a scanner's scans."""
        arguments = StitcherArguments(str(self.directory.path), "cloud", source)
        return await self.start(
            "stitcher", msgspec.structs.replace(stitcher_spec(arguments), **changes), CloudFeed
        )

    async def detector(self, camera: CameraFeed, **changes: object) -> TrackedFeed:
        """The detector of the target's marker."""
        arguments = DetectorArguments(
            str(self.directory.path),
            "target",
            camera.device,
            camera.stream,
            camera.intrinsics,
            MARKER_ID,
            MARKER_M,
        )
        return await self.start(
            "detector", msgspec.structs.replace(detector_spec(arguments), **changes), TrackedFeed
        )

    def order(self, order: WorldOrder) -> None:
        """Tell the world."""
        assert self.children["world"].send(encode_order(order))

    async def lost(self, name: str) -> Reason:
        """Why a child was lost."""
        told = await self.diaries[name].first(Lost)
        return told.reason


@asynccontextmanager
async def house() -> AsyncIterator[House]:
    """A new one, in shared memory; checks at the end that nothing is left of it."""
    with RunDirectory.create() as directory:
        emergency = EmergencyStop.create(directory.path)
        async with AsyncExitStack() as stack:
            home = House(stack, directory, emergency)
            beating = asyncio.create_task(_beat(home))
            stack.callback(beating.cancel)
            yield home
        killed = {name for name, diary in home.diaries.items() if diary.all(Lost)}
        assert not [pid for pid in home.pids if is_running(pid)]
        emergency.remove()
        if not killed:
            assert list(directory.path.iterdir()) == []
    assert not directory.path.exists()


async def _beat(home: House) -> None:
    while True:
        if home.beats:
            home.emergency.beat(time.monotonic())
        await asyncio.sleep(0.02)


class Watcher:
    """Reads a stream as a client does."""

    def __init__(self, stream: StreamHandle) -> None:
        self.reader = RingReader(Path(stream.ring))
        self._sequence = 0

    def newest(self) -> Sample | None:
        """What has come since the last look, if anything has."""
        sample = self.reader.latest(self._sequence)
        if sample is not None:
            self._sequence = sample.sequence
        return sample

    async def next(self) -> tuple[Sample, SampleMeta]:
        """The next sample that comes from now on."""
        self.newest()
        found: list[Sample] = []

        def came() -> bool:
            sample = self.newest()
            if sample is not None:
                found.append(sample)
            return sample is not None

        await until(came)
        return found[-1], decode_meta(found[-1].meta)

    async def report(self) -> SimulationReport:
        """The next report of a world."""
        sample, _ = await self.next()
        return msgspec.msgpack.decode(sample.payload, type=SimulationReport)
