"""The context tree: one list of known things, put together from all who know something.

The robot's description names it, its devices and the things that carry a marker; a simulated world names
what stands in it; sensors of a thing's own (odometry, a door's contact) say where and how it is; control
loops say so of the robot's arms and grippers; operators name places. Pure: who asks for it, and when, is
`context_manager.py`'s business.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import msgspec

from managers.own_parts import OwnPart
from resources.robots.description import RobotDescription
from resources.types.context import KnownThing, ThingKind
from resources.types.control import ThingReport
from resources.types.memory import RememberedPlace
from resources.types.naming import plain
from resources.types.poses import chained
from resources.types.streams import Pose7
from resources.types.whereabouts import support_of

#: A thing has not moved as long as it is so near to where it was [m], [rad].
_STILL_M, _STILL_RAD = 0.002, 0.004

#: How devices are, by their names.
DeviceStates = Callable[[], Mapping[str, str]]


def _nothing_said() -> Mapping[str, str]:
    return {}


class ContextTree:
    """Everything that is known. Two looks without a change in between give the very same tuple.

    Args:
        robot: the robot, its devices and markers.
        device_states: how the devices are now ("in use", "unplugged"); none are told by default.
    """

    def __init__(self, robot: RobotDescription, device_states: DeviceStates = _nothing_said) -> None:
        self._robot = robot
        self._device_states = device_states
        self._of_world: tuple[KnownThing, ...] = ()
        self._told: dict[str, KnownThing] = {}
        self._sensed: dict[str, ThingReport] = {}
        self._parts: tuple[OwnPart, ...] = ()
        self._places: tuple[RememberedPlace, ...] = ()
        self._states: Mapping[str, str] = {}
        self._things: tuple[KnownThing, ...] | None = None

    @property
    def things(self) -> tuple[KnownThing, ...]:
        """All things; the robot first, then its devices."""
        states = self._device_states()
        if self._things is None or states != self._states:
            self._states = dict(states)
            self._things = self._assembled()
        return self._things

    def called(self, said: str) -> tuple[KnownThing, ...]:
        """The things that somebody may mean who says this: the one of that name, else all called so."""
        asked = plain(said)
        named = [thing for thing in self.things if plain(thing.name) == asked]
        return tuple(named or [thing for thing in self.things if plain(thing.spoken) == asked])

    def learn(self, things: Iterable[KnownThing], wall_s: float | None = None) -> None:
        """What stands in the world, as it was at its start; told at wall_s [s since 1970 UTC], or again."""
        before = {thing.name: thing for thing in self._of_world}
        self._of_world = tuple(_told(thing, before.get(thing.name), wall_s) for thing in things)
        self._sensed.clear()
        self._things = None

    def tell(self, thing: KnownThing) -> None:
        """What somebody else knows, a driver with a contact for instance; replaces the thing of that name."""
        if self._told.get(thing.name) != thing:
            self._told[thing.name] = thing
            self._things = None

    def sense(self, reports: Iterable[ThingReport]) -> None:
        """Where things are now, and how, from sensors of their own."""
        for report in reports:
            before = self._sensed.get(report.name)
            if (
                before is None
                or report.state != before.state
                or _has_moved(before.world_T_thing, report.world_T_thing)
            ):
                self._sensed[report.name] = report
                self._things = None

    def feel(self, parts: tuple[OwnPart, ...]) -> None:
        """The robot's own arms and grippers, as their control loops report them."""
        before = {part.name: part for part in self._parts}
        if [*before] != [part.name for part in parts] or any(
            _is_different(before[part.name], part) for part in parts
        ):
            self._parts = parts
            self._things = None

    def remember(self, places: tuple[RememberedPlace, ...]) -> None:
        """The places that operators have named."""
        if places != self._places:
            self._places = places
            self._things = None

    # -- inside

    def _assembled(self) -> tuple[KnownThing, ...]:
        robot = self._robot.robot
        found: dict[str, KnownThing] = {robot: KnownThing(robot, ThingKind.ROBOT)}
        for device in self._robot.sensors:
            state = self._states.get(device.name, "")
            found[device.name] = KnownThing(device.name, ThingKind.SENSOR, part_of=robot, state=state)
        for thing in map(self._now, self._of_world):
            if thing.kind is ThingKind.ROBOT and thing.name == "robot":
                # The world's word for the robot that is ours; only the world knows where it stands.
                size_m, pose = thing.size_m, thing.world_T_thing
                found[robot] = msgspec.structs.replace(found[robot], world_T_thing=pose, size_m=size_m)
            else:
                part_of = robot if thing.kind is ThingKind.ROBOT else thing.part_of
                found[thing.name] = msgspec.structs.replace(thing, part_of=part_of)
        for part in self._parts:
            found[part.name] = _with_part(found.get(part.name), part, found[robot])
        found.update(self._told)
        for marker in self._robot.markers:
            known = found.pop(marker.name, None) or KnownThing(marker.name, ThingKind.OBJECT)
            # What is followed moves: where it once was says nothing, and a camera can be asked.
            found[marker.name] = msgspec.structs.replace(known, marker=marker.id, world_T_thing=None)
        for place in self._places:
            found[place.name] = KnownThing(place.name, ThingKind.PLACE, place.world_T_place)
        return tuple(_placed(thing, found.values()) for thing in found.values())

    def _now(self, thing: KnownThing) -> KnownThing:
        report = self._sensed.get(thing.name)
        if report is None:
            return thing
        return msgspec.structs.replace(
            thing,
            world_T_thing=report.world_T_thing,
            state=report.state or thing.state,
            told_wall_s=None,
        )


def _told(thing: KnownThing, before: KnownThing | None, wall_s: float | None) -> KnownThing:
    """With when it was told first, if it walks by itself."""
    if thing.kind is not ThingKind.PERSON:
        return thing
    same = before is not None and msgspec.structs.replace(before, told_wall_s=thing.told_wall_s) == thing
    told_wall_s = before.told_wall_s if same and before is not None else wall_s
    return msgspec.structs.replace(thing, told_wall_s=told_wall_s)


def differ(one: tuple[KnownThing, ...], other: tuple[KnownThing, ...], by_m: float) -> bool:
    """Whether two looks differ in more than positions, or in those by as much."""
    if one is other:
        return False
    if len(one) != len(other):
        return True
    return any(_differ(a, b, by_m) for a, b in zip(one, other, strict=True))


def _differ(one: KnownThing, other: KnownThing, by_m: float) -> bool:
    here, there = one.world_T_thing, other.world_T_thing
    if here is not None and there is not None:
        if math.dist(here[:3], there[:3]) >= by_m or _turn_rad(here, there) >= by_m:
            return True
        one = msgspec.structs.replace(one, world_T_thing=there)
    return one != other


def _has_moved(here: Pose7, there: Pose7) -> bool:
    return math.dist(here[:3], there[:3]) > _STILL_M or _turn_rad(here, there) > _STILL_RAD


def _is_different(before: OwnPart, now: OwnPart) -> bool:
    here, there = before.robot_T_part, now.robot_T_part
    if here is None or there is None:
        return before != now
    return before.state != now.state or _has_moved(here, there)


def _with_part(known: KnownThing | None, part: OwnPart, robot: KnownThing) -> KnownThing:
    """A part of the robot's, beside what the world says of the thing of that name."""
    thing = known or KnownThing(part.name, ThingKind.ROBOT)
    pose = thing.world_T_thing
    if pose is None and part.robot_T_part is not None and robot.world_T_thing is not None:
        pose = chained(robot.world_T_thing, part.robot_T_part)
    return msgspec.structs.replace(
        thing,
        world_T_thing=pose,
        robot_T_thing=part.robot_T_part,
        part_of=robot.name,
        states=part.states,
        state=part.state,
    )


def _turn_rad(one: Pose7, other: Pose7) -> float:
    along = abs(sum(a * b for a, b in zip(one[3:], other[3:], strict=True)))
    return 2.0 * math.acos(min(along, 1.0))


def _placed(thing: KnownThing, things: Iterable[KnownThing]) -> KnownThing:
    if thing.part_of or thing.kind is not ThingKind.OBJECT:
        return thing
    support = support_of(thing, things)
    return msgspec.structs.replace(thing, part_of=support.name) if support is not None else thing
