"""What actions ask for, without a robot: sensors that can be unplugged, a page, things, a memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pilothouse as ph
from framework.plugins.service import Help, Whether
from framework.state import StateFolder
from framework.testing import ScriptedResources
from managers.memory import MemoryBook
from resources.types.context import Known, KnownThing, Surroundings, ThingKind
from resources.types.memory import Memory
from resources.types.sights import Picture, Sight, SightFeed
from resources.types.views import Screen, ScreenContent, ShownView

ROOT = Path(__file__).parents[2]


def at(x: float, y: float, z: float = 0.0) -> ph.Pose7:
    return (x, y, z, 0.0, 0.0, 0.0, 1.0)


TABLE = KnownThing("table", ThingKind.FIXTURE, at(2.0, 0.0, 0.375), (0.75, 1.4, 0.75))
DOOR = KnownThing(
    "door", ThingKind.FIXTURE, at(3.8, 1.9, 1.0), (0.05, 0.9, 2.0), states=("open", "closed"), state="closed"
)
RED_CUP = KnownThing("red cup", ThingKind.OBJECT, at(2.0, 0.5, 0.8), (0.08, 0.08, 0.1), part_of="table")
CARTONS = tuple(
    KnownThing(f"carton {number}", ThingKind.OBJECT, at(-2.0, number, 0.2), (0.3, 0.3, 0.3), called="carton")
    for number in (1, 2)
)
HAND = KnownThing("hand", ThingKind.OBJECT, marker=7)
TARGET = KnownThing("target", ThingKind.OBJECT, marker=7)
ROBOT = KnownThing("inspector", ThingKind.ROBOT, at(0.0, 0.0))
CAMERA = KnownThing("front_camera", ThingKind.SENSOR, part_of="inspector", state="in use")
THINGS = (ROBOT, CAMERA, TABLE, DOOR, RED_CUP, *CARTONS, HAND, TARGET)


@lru_cache
def our_actions() -> ph.ActionCatalogue:
    """The actions of this project; reading all their phrases takes a while."""
    return ph.ActionCatalogue.discover([ROOT / "actions"], entry_points=False)


class FakeRobot:
    """Devices `front_camera`, `wrist_cloud`, `front_lidar`; a page; `THINGS`; a supervisor."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        transport = self.transport = ph.LocalTransport()
        self.managers = ph.ResourceRegistrar("managers", transport)
        self.supervisor = ph.ResourceRegistrar("supervisor", transport)
        self.actions = our_actions()
        self.said: list[str] = []
        self.answers: list[str] = []
        self.shown: list[ph.View] = []
        self.holding: dict[str, Whether] = {}
        self.stopped: list[tuple[str, str]] = []
        self.repeated: list[tuple[int, str]] = []
        self.unplugged: set[str] = set()
        self._up: dict[str, ph.Supply] = {}
        self.memory = MemoryBook(StateFolder(directory / "state"), lambda: [each.spoken for each in THINGS])
        self.known = ScriptedResources(
            transport,
            {Known: Surroundings(THINGS), Sight: self._sight, Screen: lambda _: self._on_screen()},
            name="context",
        )
        for request_type, device in (
            (ph.Camera, "front_camera"),
            (ph.SweptLidar, "wrist_cloud"),
            (ph.Lidar, "front_lidar"),
        ):
            self._provide_sensor(request_type, device)
        self.managers.provides(ph.Device)(self._device)
        self.managers.provides(ph.View)(self._view)
        self.managers.provides(ph.Tracked)(self._tracked)
        self.managers.provides(Memory)(self.memory.provide)

    async def __aenter__(self) -> Self:
        await self.managers.__aenter__()
        await self.known.__aenter__()
        await self.supervisor.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.supervisor.__aexit__(kind, error, trace)
        await self.known.__aexit__(kind, error, trace)
        await self.managers.__aexit__(kind, error, trace)

    def runner(self, action: str, **parameters: Any) -> ph.ActionRunner:
        return ph.ActionRunner(
            self.actions[action],
            parameters,
            registrar=self.supervisor,
            say=self._hear,
            supervisor=self,
        )

    @asynccontextmanager
    async def running(self, action: str, **parameters: Any) -> AsyncIterator[ph.ActionRunner]:
        """It runs meanwhile, and is stopped afterwards if it has not ended."""
        runner = self.runner(action, **parameters)
        life = asyncio.create_task(runner.run())
        try:
            yield runner
        finally:
            runner.cancel("enough")
            await life

    def _hear(self, event: ph.Event) -> None:
        self.said.append(event.text)
        if event.kind is ph.EventKind.ANSWERED:
            self.answers.append(event.text)

    # -- the supervisor's side

    def stop(self, what: str, *, asked_by: str) -> tuple[str, ...]:
        if what == "nonsense":
            raise ph.PlanError("nothing that runs is called 'nonsense'; running are track")
        self.stopped.append((what, asked_by))
        return ("track",) if what else ("track", "show")

    def operator(self, *, asked_by: str) -> str:
        return "console"

    def wait_for_word(self, why: str, *, asked_by: str, was_interrupted: bool) -> bool:
        return False

    async def repeat(self, times: int, *, asked_by: str) -> str:
        self.repeated.append((times, asked_by))
        if times == 99:
            raise ph.PlanError("there is nothing to repeat")
        return "show the camera"

    async def abilities(self, topic: str) -> tuple[Help, ...]:
        every = (
            Help("show", "Show what a sensor gives.", ("show the camera", "show the scan")),
            Help("track", "Follow a thing.", ("track the hand",)),
        )
        return tuple(each for each in every if topic in " ".join(each.say))

    def account(self, about: str, of: str, *, asked_by: str) -> str:
        return f"{about} {of}".strip()

    async def whether(self, clause: str) -> Whether:
        return self.holding.get(clause, Whether(None, f"nobody can tell whether {clause}"))

    # -- faults

    def unplug(self, device: str) -> None:
        self.unplugged.add(device)
        if device in self._up:
            self._up[device].fail(f"{device} was unplugged")

    def plug_in(self, device: str) -> None:
        self.unplugged.discard(device)

    @property
    def is_idle(self) -> bool:
        registrars = (self.managers, self.known.registrar, self.supervisor)
        return all(registrar.snapshot().is_empty for registrar in registrars)

    # -- providers

    def _provide_sensor(self, request_type: type, device: str) -> None:
        @self.managers.provides(request_type)
        @asynccontextmanager
        async def sensor(request: Any) -> AsyncIterator[object]:
            async with self.managers.request(ph.Device(device)) as lease:
                yield lease.value

    @asynccontextmanager
    async def _device(self, request: ph.Device, supply: ph.Supply) -> AsyncIterator[object]:
        if request.name in self.unplugged:
            raise RuntimeError(f"{request.name} is unplugged")
        feed = self._feed(request.name)
        self._up[request.name] = supply
        try:
            yield feed
        finally:
            self._up.pop(request.name, None)

    @asynccontextmanager
    async def _view(self, request: ph.View) -> AsyncIterator[ph.ViewHandle]:
        async with self.managers.request(ph.Device(request.source.name)):
            self.shown.append(request)
            try:
                yield ph.ViewHandle(request.screen, request.source, request.source)
            finally:
                self.shown.remove(request)

    @asynccontextmanager
    async def _tracked(self, request: ph.Tracked) -> AsyncIterator[ph.TrackedFeed]:
        if request.thing not in ("hand", "target"):
            raise ph.ResourceUnavailable(f"nobody knows a {request.thing}; known is hand")
        if "front_camera" in self.unplugged:
            raise ph.ResourceUnavailable("front_camera is unplugged")
        yield ph.TrackedFeed(request.thing, "front_camera", self._stream("hand", ph.StreamFormat.POSES))

    def _sight(self, request: Sight) -> SightFeed:
        devices = {
            "front camera": ("front_camera",),
            "wrist_cloud": ("wrist_cloud",),
            "front_lidar": ("front_lidar",),
            "hand": ("front_camera",),
            "overview": ("front_camera", "front_lidar"),
        }
        names = devices.get(request.of)
        if names is None:
            raise ph.ResourceUnavailable(f"I know no {request.of!r}; what I can show is camera and scan")
        title = "hand, seen with front_camera" if request.of == "hand" else ""
        return SightFeed(
            request.of,
            tuple(Picture(name, self._stream(name, ph.StreamFormat.RGBD), title) for name in names),
        )

    def _on_screen(self) -> ScreenContent:
        return ScreenContent("console", tuple(ShownView(view.title, view.source) for view in self.shown))

    def _feed(self, device: str) -> object:
        match device:
            case "front_camera":
                intrinsics = ph.CameraIntrinsics(8, 6, 5.0, 5.0, 4.0, 3.0)
                return ph.CameraFeed(device, "rgbd", self._stream(device, ph.StreamFormat.RGBD), intrinsics)
            case "wrist_cloud":
                return ph.CloudFeed(device, self._stream(device, ph.StreamFormat.CLOUD))
            case "front_lidar":
                return ph.ScanFeed(device, self._stream(device, ph.StreamFormat.SCAN))
        raise RuntimeError(f"there is no device {device}")

    def _stream(self, name: str, form: ph.StreamFormat) -> ph.StreamHandle:
        return ph.StreamHandle(name, str(self.directory / f"{name}.ring"), form, "base", 10.0)
