"""Ways of the base as a resource: planned with what its scanners see, and watched while somebody has them.

    ControlLoop(base) ─ where it is, its outline ─┐
    Device(scanner) … ─ what is free just now ────┼─▶ resources.planning ─▶ Way, UPDATEd when it changes
    known things ────── what no scanner sees ─────┘

It moves nothing: who drives does (`actions/drive_to`).
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec

from framework.clock import Clock
from framework.errors import StreamError
from framework.registrar import Lease, ResourceRegistrar, Supply
from framework.transport.ring import RingReader
from framework.unreadable import UNREADABLE
from managers.base_track import BaseTrack
from resources.controllers.protective_field import Outline
from resources.planning.floor import Box, Look, Scene
from resources.planning.stands import stands_at
from resources.planning.ways import plan, still_free
from resources.types.arms import ControlLoop
from resources.types.context import KnownThing, ThingKind
from resources.types.motion import BaseSample
from resources.types.naming import plain
from resources.types.poses import rotation_of, turned
from resources.types.routes import Back, Goal, Leg, Nearer, Onto, Route, Spot, Way, WayKind
from resources.types.samples import Scan, decode
from resources.types.sensors import Device, ScanFeed
from resources.types.streams import StreamHandle

#: How often the way is looked at [s], and how often another one is looked for where there is none.
LOOK_S = 0.2
_AGAIN_S = 1.0

#: An older scan says nothing of what is there now [s].
_OLDEST_S = 0.5

#: A way stays what it is while a scanner tells nothing for no longer [s].
_BLINKS_S = 2.0

#: What stands lower than this, or begins higher, is no obstacle to the base [m].
_LOWEST_M, _HIGHEST_M = 0.05, 1.5

#: So many looks back it is remembered what was in the way, each another one after so far, or such a turn.
_LOOKS_BACK, _LOOK_AFTER_M, _LOOK_AFTER_RAD = 12, 0.3, 0.3

#: A goal for which so many looks were not enough is not found [1].
_MOST_LOOKS = 15

#: A turn has ended so near to where it was to end [rad], and a leg [m].
_LOOKED_RAD, _LOOKED_M = 0.08, 0.05


class Routes:
    """Provides `Route`.

    Args:
        things: what is known to stand somewhere.
        track: where a base of this name has been; None of one that is not known.
        monotonic_s: reads CLOCK_MONOTONIC, with which scans are stamped.
    """

    def __init__(
        self,
        registrar: ResourceRegistrar,
        things: Callable[[], Iterable[KnownThing]],
        track: Callable[[str], BaseTrack | None],
        clock: Clock,
        monotonic_s: Callable[[], float],
    ) -> None:
        self._registrar = registrar
        self._things = things
        self._track = track
        self._clock = clock
        self._monotonic_s = monotonic_s

    @asynccontextmanager
    async def provide(self, request: Route, supply: Supply) -> AsyncIterator[Way]:
        """A way, and all that becomes of it."""
        async with AsyncExitStack() as stack:
            base = await stack.enter_async_context(self._registrar.request(ControlLoop(request.base)))
            scanners = {
                name: await stack.enter_async_context(self._registrar.request(Device(name), optional=True))
                for name in request.scanners
            }
            eyes = _Eyes(base, scanners, self._monotonic_s)
            stack.callback(eyes.close)
            followed = _Followed(request, eyes, self._things, self._track(request.base), self._clock.now_s)
            first = await followed.look()
            following = asyncio.create_task(self._follow(followed, supply), name=str(request))
            try:
                yield first
            finally:
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)

    async def _follow(self, followed: _Followed, supply: Supply) -> None:
        told = followed.way
        while True:
            await self._clock.sleep(LOOK_S if followed.way.kind.may_be_driven else _AGAIN_S)
            way = await followed.look()
            if _says_more(told, way):
                told = way
                supply.update(way, f"the way is {way.kind.value}")


class _Eyes:
    """The base, and the scanners that look out for it."""

    def __init__(self, base: Lease, scanners: dict[str, Lease], monotonic_s: Callable[[], float]) -> None:
        self._base = base
        self._scanners = scanners
        self._monotonic_s = monotonic_s
        self._readers: dict[str, RingReader] = {}
        self.blind = ""

    def look(self) -> tuple[BaseSample | None, tuple[Look, ...]]:
        """How the base stands, and the newest scan of each; `blind` is who tells nothing now."""
        self.blind = ""
        sample, _ = self._newest(self._base.value.state)
        looks = []
        for name, lease in self._scanners.items():
            look = self._scan(lease)
            if look is None:
                self.blind = name
            else:
                looks.append(look)
        if not self._scanners:
            self.blind = "scanner"
        return (sample if isinstance(sample, BaseSample) else None), tuple(looks)

    def close(self) -> None:
        for reader in self._readers.values():
            reader.close()

    def _scan(self, lease: Lease) -> Look | None:
        feed = lease.value
        if not isinstance(feed, ScanFeed):
            return None
        scan, stamp_s = self._newest(feed.stream)
        if not isinstance(scan, Scan) or self._monotonic_s() - stamp_s > _OLDEST_S:
            return None
        return Look.of(scan)

    def _newest(self, stream: StreamHandle) -> tuple[object, float]:
        try:
            reader = self._readers.get(stream.ring)
            if reader is None:
                reader = self._readers[stream.ring] = RingReader(Path(stream.ring))
            elif reader.replaced():
                reader.reopen()
            sample = reader.latest()
            return (None, 0.0) if sample is None else (decode(sample, stream.format), sample.stamp_s)
        except (StreamError, *UNREADABLE):
            return None, 0.0


class _Followed:
    """One way, from look to look."""

    def __init__(
        self,
        request: Route,
        eyes: _Eyes,
        things: Callable[[], Iterable[KnownThing]],
        track: BaseTrack | None,
        now_s: Callable[[], float],
    ) -> None:
        self._request = request
        self._eyes = eyes
        self._things = things
        self._track = track
        self._now_s = now_s
        self._saw_s = -math.inf
        self._goal: Goal | None = None
        self._looks = 0
        self._before: deque[tuple[Spot, tuple[Look, ...]]] = deque(maxlen=_LOOKS_BACK)
        self.way = Way(WayKind.BLIND)

    async def look(self) -> Way:
        """What there is to say of it now."""
        sample, looks = self._eyes.look()
        if sample is None or not all(sample.outline[:2]):
            self.way = Way(WayKind.UNKNOWN, number=self.way.number)
            return self.way
        now_s = self._now_s()
        if not self._eyes.blind:
            self._saw_s = now_s
        elif self.way.kind.may_be_driven and now_s - self._saw_s < _BLINKS_S:
            return self.way  # its own guard lets the base drive no farther than it sees
        if self._eyes.blind:
            self.way = Way(WayKind.BLIND, scanner=self._eyes.blind, number=self.way.number)
            return self.way
        scene = Scene(
            sample.odometry,
            Outline(*sample.outline),
            looks,
            _boxes(self._things()),
            self._track.way if self._track is not None else (),
            tuple(look for _, each in self._before for look in each),
        )
        goal = self._goal = self._goal or self._meant(scene)
        if goal is None:
            self.way = Way(WayKind.UNKNOWN, number=self.way.number)
            return self.way
        self._keep(scene)
        # In a thread: a large floor takes longer than the loop of the main process may be held up.
        before = self.way
        self.way = await asyncio.to_thread(_next, scene, goal, before)
        if self.way.kind is WayKind.LOOK and self.way.number != before.number:
            self._looks += 1
            if self._looks > _MOST_LOOKS:
                self.way = Way(WayKind.UNSEEN, goal=self.way.goal, number=self.way.number)
        return self.way

    def _meant(self, scene: Scene) -> Goal | None:
        """The goal, as of the first look: where it has been and how far it is to come nearer is of then."""
        goal = self._request.goal
        if isinstance(goal, Back):
            spot = self._track.departure(goal.to) if self._track is not None else None
            return Onto(spot, turned=True) if spot is not None else None
        if isinstance(goal, Nearer):
            (stand,) = stands_at(goal, scene.spot, scene.outline)
            return Onto(stand.spot, turned=stand.turned)
        if getattr(goal, "came_from", ()) is None:
            return msgspec.structs.replace(goal, came_from=scene.spot[:2])
        return goal

    def _keep(self, scene: Scene) -> None:
        x, y, yaw = scene.spot
        if self._before:
            (then_x, then_y, then_yaw), _ = self._before[-1]
            has_moved = abs(x - then_x) + abs(y - then_y) > _LOOK_AFTER_M
            if not has_moved and abs(yaw - then_yaw) < _LOOK_AFTER_RAD:
                return
        self._before.append((scene.spot, scene.looks))


def _next(scene: Scene, goal: Goal, way: Way) -> Way:
    """The same way as long as it is free; else another one."""
    if way.kind is WayKind.HERE or (
        way.kind.may_be_driven and not _has_looked(scene, way) and still_free(scene, way)
    ):
        return way
    return msgspec.structs.replace(plan(scene, goal), number=way.number + 1)


def _has_looked(scene: Scene, way: Way) -> bool:
    """Whether it is where it was to look from."""
    if way.kind is not WayKind.LOOK:
        return False
    last: Leg = way.legs[-1]
    x, y, yaw = scene.spot
    turn = abs(math.remainder(last.yaw - yaw, 2 * math.pi))
    return math.dist((x, y), (last.x, last.y)) < _LOOKED_M and turn < _LOOKED_RAD


def _says_more(told: Way, way: Way) -> bool:
    if told.kind is not way.kind:
        return True
    if way.kind.may_be_driven:
        return told.number != way.number
    return (told.obstacle, told.scanner) != (way.obstacle, way.scanner)


def _boxes(things: Iterable[KnownThing]) -> tuple[Box, ...]:
    """What stands on the floor, or so low over it that the base does not fit under it."""
    return tuple(box_of(thing) for thing in things if thing.marker is None and _is_obstacle(thing))


def _is_obstacle(thing: KnownThing) -> bool:
    if thing.world_T_thing is None:
        return False
    middle_m, height_m = thing.world_T_thing[2], thing.size_m[2]
    bottom_m, top_m = middle_m - height_m / 2, middle_m + height_m / 2
    if thing.kind is ThingKind.OBJECT:
        return not thing.part_of and bottom_m < 0.3 and top_m > _LOWEST_M
    stands = thing.kind in (ThingKind.FIXTURE, ThingKind.PERSON)
    return stands and bottom_m < _HIGHEST_M and top_m > _LOWEST_M


def _name(thing: KnownThing) -> str:
    return thing.spoken if thing.kind is ThingKind.PERSON else plain(thing.spoken)


def box_of(thing: KnownThing) -> Box:
    """A known thing from above; it has to have a place."""
    assert thing.world_T_thing is not None, "it has a place"
    x, y, *_ = thing.world_T_thing
    ahead = turned(rotation_of(thing.world_T_thing), (1.0, 0.0, 0.0))
    yaw = math.atan2(ahead[1], ahead[0])
    return Box((x, y, yaw), thing.size_m[0], thing.size_m[1], _name(thing))
