"""A run directory with a beating supervisor, and real children in it: what the tests of children share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from framework.processes.child_events import LossReason, Lost
from framework.processes.emergency import EmergencyStop
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import ChildProcess
from framework.registrar.fencing import CommandStamp
from framework.transport.ring import RingReader, Sample
from framework.transport.run_directory import RunDirectory
from resources.children.arguments import (
    CameraArguments,
    ControlArguments,
    DetectorArguments,
    LidarArguments,
    LidarKind,
    StitcherArguments,
    WorldArguments,
)
from resources.children.orders import WorldOrder, encode_order
from resources.children.specs import camera_spec, detector_spec, lidar_spec, stitcher_spec, world_spec
from resources.controllers.mailbox import OrdersWriter
from resources.types.context import TrackedFeed
from resources.types.control import SimulationHandle, SimulationReport
from resources.types.motion import (
    ArmSample,
    BaseSample,
    ControllerKind,
    GripperSample,
    LoopState,
    MotionCommand,
    MotionSample,
    Orders,
    StopCategory,
    Wanted,
)
from resources.types.samples import decode
from resources.types.sensors import CameraFeed, CloudFeed, ScanFeed
from resources.types.streams import SampleMeta, StreamHandle, decode_meta
from resources.worlds.marker import MARKER_ID, MARKER_M
from resources.worlds.robot import BASE_LIDAR, FRONT_CAMERA, WRIST_LIDAR
from tests.framework.processes.family import PATIENCE_S, Diary, is_running, launcher, until

Handle = TypeVar("Handle")

_KINDS = {"arm": ControllerKind.ARM, "gripper": ControllerKind.GRIPPER, "base": ControllerKind.BASE}


def control(directory: Path, device: str, *, stop: StopCategory = StopCategory.HOLD) -> ControlArguments:
    """A device of the inspection world by its name: "left_arm", "base"."""
    side, _, kind = device.rpartition("_")
    part = f"{side}_" if side else ""
    orders = str(directory / f"orders_{device}.ring")
    return ControlArguments(device=device, kind=_KINDS[kind], part=part, stop=stop, orders=orders)


class Harness:
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

    async def world(
        self, *, controls: tuple[ControlArguments, ...] = (), **changes: object
    ) -> SimulationHandle:
        """The world `inspection`; `changes` of its spec."""
        spec = world_spec(WorldArguments(str(self.directory.path), controls=controls))
        return await self.start("world", msgspec.structs.replace(spec, **changes), SimulationHandle)

    def holder(self, control: ControlArguments) -> Holder:
        """Whoever commands a device of the world."""
        return self._stack.enter_context(Holder(self.directory.path, control))

    async def camera(self, world: SimulationHandle, **changes: object) -> CameraFeed:
        """The front camera."""
        arguments = CameraArguments(
            run_directory=str(self.directory.path),
            simulation=world,
            device="front_camera",
            mount=FRONT_CAMERA,
        )
        return await self.start(
            "camera", msgspec.structs.replace(camera_spec(arguments), **changes), CameraFeed
        )

    async def lidar(
        self, world: SimulationHandle, name: str = "lidar", *, wrist: bool = False, **changes: object
    ) -> ScanFeed:
        """A laser scanner, in front or on the wrist."""
        mount, model = (WRIST_LIDAR, LidarKind.UTM30LX) if wrist else (BASE_LIDAR, LidarKind.LMS511)
        arguments = LidarArguments(
            run_directory=str(self.directory.path), simulation=world, device=name, mount=mount, model=model
        )
        return await self.start(name, msgspec.structs.replace(lidar_spec(arguments), **changes), ScanFeed)

    async def stitcher(self, source: StreamHandle, **changes: object) -> CloudFeed:
        """The stitcher of a scanner's scans."""
        arguments = StitcherArguments(run_directory=str(self.directory.path), device="cloud", source=source)
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

    async def lost(self, name: str) -> LossReason:
        """Why a child was lost."""
        told = await self.diaries[name].first(Lost)
        return told.reason


@asynccontextmanager
async def harness() -> AsyncIterator[Harness]:
    """A new one, in shared memory; checks at the end that nothing is left of it."""
    with RunDirectory.create() as directory:
        emergency = EmergencyStop.create(directory.path)
        async with AsyncExitStack() as stack:
            home = Harness(stack, directory, emergency)
            beating = asyncio.create_task(_beat(home))
            stack.callback(beating.cancel)
            yield home
        killed = {name for name, diary in home.diaries.items() if diary.all(Lost)}
        assert not [pid for pid in home.pids if is_running(pid)]
        emergency.remove()
        if not killed:
            left = [path.name for path in directory.path.iterdir()]
            assert not left, left
    assert not directory.path.exists()


async def _beat(home: Harness) -> None:
    while True:
        if home.beats:
            home.emergency.beat(time.monotonic())
        await asyncio.sleep(0.02)


class Holder:
    """The manager's side of one device: grants it to leases, and repeats what its holder wants."""

    def __init__(self, directory: Path, control: ControlArguments) -> None:
        self.mailbox = OrdersWriter(directory, control.device)
        assert str(self.mailbox.path) == control.orders
        self.orders = Orders()
        self.number = 1
        self.sequence = 0
        self._repeating: asyncio.Task[None] | None = None

    def write(self, **changes: object) -> None:
        """Orders, all else as before."""
        self.orders = msgspec.structs.replace(self.orders, **changes)
        self.mailbox.write(self.orders, time.monotonic())

    def grant(self, lease: str, generation: int) -> None:
        """Somebody holds it from now on."""
        self.write(holder=lease, generation=generation, stamp=None, wanted=None)

    def rest(self) -> None:
        """Have it come to rest."""
        self.write(rests=self.orders.rests + 1, stamp=None, wanted=None)

    def want(self, command: MotionCommand, *, sent_s: float | None = None, **stamp: object) -> None:
        """A command, once, under the present number; fields of its stamp may be wrong."""
        self.sequence += 1
        right = CommandStamp(
            self.orders.holder,
            self.orders.generation,
            self.sequence,
            time.monotonic() if sent_s is None else sent_s,
        )
        self.write(stamp=msgspec.structs.replace(right, **stamp), wanted=Wanted(self.number, command))

    def keep(self, command: MotionCommand) -> int:
        """Command this from now on, under a new number, as a client does."""
        self.cease()
        self.number += 1
        self._repeating = asyncio.create_task(self._keep(command))
        return self.number

    def cease(self) -> None:
        """Command nothing any more."""
        if self._repeating is not None:
            self._repeating.cancel()
            self._repeating = None

    async def _keep(self, command: MotionCommand) -> None:
        while True:
            self.want(command)
            await asyncio.sleep(0.03)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.cease()
        self.mailbox.close()


class Watcher:
    """Reads a stream as a client does."""

    def __init__(self, stream: StreamHandle) -> None:
        self.stream = stream
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

    async def motion(self) -> MotionSample:
        """The next report of a control loop."""
        sample, _ = await self.next()
        decoded = decode(sample, self.stream.format)
        assert isinstance(decoded, ArmSample | GripperSample | BaseSample)
        return decoded

    async def loop(self, wanted: Callable[[LoopState], bool]) -> LoopState:
        """What a control loop says of itself, once it is as wanted."""
        async with asyncio.timeout(PATIENCE_S):
            while not wanted(state := (await self.motion()).loop):
                pass
        return state
