"""The context manager: what is known about the surroundings, following things with a sensor, remembering.

It provides `Known` (the context tree), `Tracked` (a thing that is followed, which stands on a camera and a
detector process), `Sight` (the picture that belongs to a name), `Memory` (places and views of operators) and
`Route` (a way of the base past all that is known and seen).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import DescriptionError, ResourceUnavailable
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar, Supply
from framework.state import StateFolder
from framework.transport.interface import Transport
from framework.unreadable import UNREADABLE
from managers.base_track import BaseTrack
from managers.context_tree import ContextTree, DeviceStates, differ
from managers.memory import MemoryBook
from managers.own_parts import OwnPart
from managers.routes import Routes
from managers.sensed_world import SensedWorld
from managers.sights import Sights
from resources.children.starting import started
from resources.robots.description import MarkerDescription, RobotDescription
from resources.types.context import Known, KnownThing, Surroundings, Tracked, TrackedFeed
from resources.types.control import Simulation, SimulationHandle
from resources.types.memory import Memory
from resources.types.routes import Route
from resources.types.sensors import Camera, CameraFeed
from resources.types.sights import Sight

#: Turns a thing's marker and a camera into the process that looks for it.
DetectorFor = Callable[[MarkerDescription, CameraFeed], ProcessSpec]

#: How often the world's own sensors are looked at, while somebody wants to know [s].
LOOK_S = 0.1

#: Those who hold `Known` are told of a thing that has moved so far [m].
MOVED_M = 0.05


class ContextManager:
    """Knows things, follows them, and remembers names for operators.

    Args:
        robot: the robot, its devices and the markers that can be followed.
        detector_for: the detector process of a marker in a camera's pictures.
        state: where places and views are kept between runs; None keeps them for this run.
        device_states: how the devices are now, by name, for who asks about them.
        own_parts: what the robot's arms and grippers are like now.
        track_of: where a base of a name has been.
        monotonic_s: reads CLOCK_MONOTONIC, with which scans are stamped.
        wall_s: the time of day [s since 1970 UTC].
    """

    def __init__(
        self,
        transport: Transport,
        robot: RobotDescription,
        detector_for: DetectorFor,
        *,
        clock: Clock | None = None,
        state: StateFolder | None = None,
        device_states: DeviceStates | None = None,
        own_parts: Callable[[], tuple[OwnPart, ...]] = tuple,
        track_of: Callable[[str], BaseTrack | None] = lambda base: None,
        monotonic_s: Callable[[], float] = time.monotonic,
        wall_s: Callable[[], float] = time.time,
    ) -> None:
        self._robot = robot
        self._detector_for = detector_for
        self._clock = clock or LoopClock()
        self._tree = ContextTree(robot, device_states) if device_states else ContextTree(robot)
        self._own_parts = own_parts
        self._sensed: SensedWorld | None = None
        self._looked_s = float("-inf")
        self._wall_s = wall_s
        self.memory = MemoryBook(
            state, lambda: (thing.spoken for thing in self._tree.things), self._remembered
        )
        self._remembered()
        self.registrar = ResourceRegistrar("context_manager", transport, clock=clock)
        sights = Sights(self.registrar, robot, self._tree, lambda: self.memory.views)
        self.registrar.provides(Known)(self._known)
        self.registrar.provides(Tracked, start_timeout_s=90.0, stop_timeout_s=20.0)(self._tracked)
        self.registrar.provides(Sight, start_timeout_s=95.0, stop_timeout_s=25.0)(sights.provide)
        self.registrar.provides(Memory)(self.memory.provide)
        routes = Routes(self.registrar, self.things, track_of, self._clock, monotonic_s)
        self.registrar.provides(Route, start_timeout_s=90.0)(routes.provide)

    async def __aenter__(self) -> ContextManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)
        self._forget_world()

    def things(self) -> tuple[KnownThing, ...]:
        """All known things as they are now; the very same tuple as long as nothing has changed."""
        now_s = self._clock.now_s()
        # A little early is not too early: clocks are not that exact.
        if now_s - self._looked_s >= 0.9 * LOOK_S:
            self._looked_s = now_s
            if self._sensed is not None:
                self._tree.sense(self._sensed.news())
            self._tree.feel(self._own_parts())
        return self._tree.things

    def called(self, said: str) -> tuple[KnownThing, ...]:
        """The things that somebody may mean who says this; several if they are called the same."""
        self.things()
        return self._tree.called(said)

    def trackable(self) -> tuple[str, ...]:
        """Names of the things that carry a marker and can be followed."""
        return tuple(marker.name for marker in self._robot.markers)

    def tell(self, thing: KnownThing) -> None:
        """What another source knows of a thing: a driver with a door's contact says its state so.

        Replaces what was told of a thing of that name; those who hold `Known` hear of it.
        """
        self._tree.tell(thing)

    def learn(self, simulation: SimulationHandle) -> None:
        """Take over the named things of a simulated world. Raises DescriptionError if it has none to read."""
        try:
            content = Path(simulation.things).read_bytes()
            things = msgspec.json.decode(content, type=tuple[KnownThing, ...])
        except (OSError, *UNREADABLE) as error:
            raise DescriptionError(
                f"the world's things cannot be read: {error}", file=simulation.things
            ) from error
        self._forget_world()
        self._tree.learn(things, self._wall_s())
        self._sensed = SensedWorld(simulation.report)
        self._looked_s = float("-inf")

    @asynccontextmanager
    async def _known(self, request: Known, supply: Supply) -> AsyncIterator[Surroundings]:
        if self._robot.world:
            async with self.registrar.request(Simulation(self._robot.world)) as simulation:
                self.learn(simulation.value)
                async with self._kept_up_to_date(supply) as surroundings:
                    yield surroundings
        else:
            async with self._kept_up_to_date(supply) as surroundings:
                yield surroundings

    @asynccontextmanager
    async def _kept_up_to_date(self, supply: Supply) -> AsyncIterator[Surroundings]:
        told = self.things()

        async def follow() -> None:
            nonlocal told
            while True:
                await self._clock.sleep(LOOK_S)
                now = self.things()
                if differ(told, now, MOVED_M):
                    told = now
                    supply.update(Surroundings(now), "the surroundings have changed")

        following = asyncio.create_task(follow(), name="what is known")
        try:
            yield Surroundings(told)
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

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

    def _remembered(self) -> None:
        self._tree.remember(self.memory.places)

    def _forget_world(self) -> None:
        if self._sensed is not None:
            self._sensed.close()
            self._sensed = None
