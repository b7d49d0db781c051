"""The context manager: what is known about the surroundings, and following things with a sensor.

It provides `Known` (the context tree) and `Tracked` (a thing that is followed),
which stands on a camera and a detector process.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from framework.clock import Clock
from framework.errors import DescriptionError, ResourceUnavailable
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar
from framework.transport.interface import Transport
from resources.children.starting import started
from resources.robots.description import MarkerDescription, RobotDescription
from resources.types.context import Known, KnownThing, Surroundings, ThingKind, Tracked, TrackedFeed
from resources.types.control import Simulation, SimulationHandle
from resources.types.sensors import Camera, CameraFeed

#: Turns a thing's marker and a camera into the process that looks for it.
DetectorFor = Callable[[MarkerDescription, CameraFeed], ProcessSpec]


class ContextManager:
    """Knows things, and follows them.

    Args:
        robot: the robot, its devices and the markers that can be followed.
        detector_for: the detector process of a marker in a camera's pictures.
    """

    def __init__(
        self,
        transport: Transport,
        robot: RobotDescription,
        detector_for: DetectorFor,
        *,
        clock: Clock | None = None,
    ) -> None:
        self._robot = robot
        self._detector_for = detector_for
        self._things: tuple[KnownThing, ...] = self._own_things()
        self.registrar = ResourceRegistrar("context_manager", transport, clock=clock)
        self.registrar.provides(Known)(self._known)
        self.registrar.provides(Tracked, start_timeout_s=90.0, stop_timeout_s=20.0)(self._tracked)

    async def __aenter__(self) -> ContextManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    def things(self) -> tuple[KnownThing, ...]:
        """All known things: the robot, its devices, and what the world said."""
        return self._things

    def trackable(self) -> tuple[str, ...]:
        """Names of the things that carry a marker and can be followed."""
        return tuple(marker.name for marker in self._robot.markers)

    def learn(self, simulation: SimulationHandle) -> None:
        """Take over the named things of a simulated world. Raises DescriptionError if it has none to read."""
        try:
            content = Path(simulation.things).read_bytes()
            things = msgspec.json.decode(content, type=tuple[KnownThing, ...])
        except (OSError, msgspec.MsgspecError) as error:
            raise DescriptionError(
                f"the world's things cannot be read: {error}", file=simulation.things
            ) from error
        self._things = (*self._own_things(), *things)

    @asynccontextmanager
    async def _known(self, request: Known) -> AsyncIterator[Surroundings]:
        if self._robot.world:
            async with self.registrar.request(Simulation(self._robot.world)) as simulation:
                self.learn(simulation.value)
                yield Surroundings(self._things)
        else:
            yield Surroundings(self._things)

    @asynccontextmanager
    async def _tracked(self, request: Tracked) -> AsyncIterator[TrackedFeed]:
        marker = next((m for m in self._robot.markers if m.name == request.thing), None)
        if marker is None:
            known = ", ".join(m.name for m in self._robot.markers) or "nothing"
            raise ResourceUnavailable(
                f"{request.thing!r} carries no marker that could be followed; what does is {known}"
            )
        # Another camera sees from elsewhere: the detector has to begin anew, and so does whoever follows.
        camera = Camera(kind="rgbd", return_to_preferred=False)
        async with self.registrar.request(camera) as seen:
            spec = self._detector_for(marker, seen.value)
            async with started(self.registrar, spec, TrackedFeed) as feed:
                yield feed

    def _own_things(self) -> tuple[KnownThing, ...]:
        robot = KnownThing(self._robot.robot, ThingKind.ROBOT)
        devices: Sequence[KnownThing] = [
            KnownThing(device.name, ThingKind.SENSOR, part_of=self._robot.robot)
            for device in self._robot.devices
        ]
        return (robot, *devices)
