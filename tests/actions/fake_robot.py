"""The resources that actions ask for, without a robot: sensors that can be unplugged, and a page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pilothouse as ph

ROOT = Path(__file__).parents[2]


class FakeRobot:
    """Devices `front_camera`, `wrist_cloud`, `front_lidar`; a page; the thing `hand`; a supervisor."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        transport = ph.LocalTransport()
        self.managers = ph.ResourceRegistrar("managers", transport)
        self.supervisor = ph.ResourceRegistrar("supervisor", transport)
        self.actions = ph.ActionCatalogue.discover([ROOT / "actions"], entry_points=False)
        self.said: list[str] = []
        self.shown: list[ph.View] = []
        self.stopped: list[tuple[str, str]] = []
        self.unplugged: set[str] = set()
        self._up: dict[str, ph.Supply] = {}
        for request_type, device in (
            (ph.Camera, "front_camera"),
            (ph.SweptLidar, "wrist_cloud"),
            (ph.Lidar, "front_lidar"),
        ):
            self._provide_sensor(request_type, device)
        self.managers.provides(ph.Device)(self._device)
        self.managers.provides(ph.View)(self._view)
        self.managers.provides(ph.Tracked)(self._tracked)

    async def __aenter__(self) -> Self:
        await self.managers.__aenter__()
        await self.supervisor.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.supervisor.__aexit__(kind, error, trace)
        await self.managers.__aexit__(kind, error, trace)

    def runner(self, action: str, **parameters: Any) -> ph.ActionRunner:
        return ph.ActionRunner(
            self.actions[action],
            parameters,
            registrar=self.supervisor,
            say=lambda event: self.said.append(event.text),
            supervisor=self,
        )

    def stop(self, what: str, *, asked_by: str) -> tuple[str, ...]:
        """The supervisor's side of `self.supervisor.stop`."""
        if what == "nonsense":
            raise ph.PlanError("nothing that runs is called 'nonsense'; running are track")
        self.stopped.append((what, asked_by))
        return ("track",) if what else ("track", "show")

    def unplug(self, device: str) -> None:
        self.unplugged.add(device)
        if device in self._up:
            self._up[device].fail(f"{device} was unplugged")

    def plug_in(self, device: str) -> None:
        self.unplugged.discard(device)

    @property
    def is_idle(self) -> bool:
        return self.managers.snapshot().is_empty and self.supervisor.snapshot().is_empty

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
        if request.thing != "hand":
            raise RuntimeError(f"nobody knows a {request.thing}; known is hand")
        yield ph.TrackedFeed(request.thing, "front_camera", self._stream("hand", ph.StreamFormat.POSES))

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
