"""The names a language may use just now (`framework.plan.World`).

An answer is built anew only when what it is made of has changed, so asking at each parse costs next to
nothing. A value is what goes into a plan, unique among its kind; a name is what people say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from framework.plan import Known
from resources.types.context import KnownThing, ThingKind
from resources.types.motion import ControllerKind
from resources.types.naming import plain
from resources.types.operator import DeviceKind
from resources.types.routes import Departure

if TYPE_CHECKING:
    from managers.console_backend import Managers
    from managers.devices import DeviceView

#: What else people call what a device's name ends with.
_NOUNS = {
    "camera": ("cam",),
    "lidar": ("laser", "scanner", "laser scanner", "scan"),
    "scanner": ("lidar", "laser", "laser scanner"),
    "cloud": ("point cloud",),
}
_IN_PLACE = {"front": ("in front", "at the front"), "back": ("at the back",), "rear": ("at the rear",)}

#: The kinds under which everything with a hint is found (`Supervisor(kinds=…)`).
HINTED = ("devices", "views", "world.known")

#: A place is where the base was if it was so near to it [m].
_AT_PLACE_M = 0.3

#: How people call where the base stood before all that it has driven.
_STARTED = (
    "where you started",
    "where you started from",
    "where you began",
    "where you set off",
    "where we started",
    "where it started",
    "start",
    "starting point",
    "begin place",
    "starting place",
    "beginning",
)

#: How people call where the base was before it drove.
_WAS_BEFORE = (
    "where you were before",
    "where you were",
    "where you were a moment ago",
    "where you were just now",
    "where you have been before",
    "where you have been",
    "where you came from",
    "where you just were",
    "where you stood before",
    "where you stood",
    "where you had been",
    "the previous place",
    "the place before",
    "the last place",
    "your last position",
    "your previous position",
)

#: How people call the robot, whatever its name is.
_OWN_NAMES = ("robot", "yourself")


class KnownNames:
    """Names of an installation, by the kinds that phrases use.

    devices · sensors (what can be shown) · arms, grippers (by their sides) · moving (arms, grippers, bases:
    by name) · running (what is being done) · screens · views (remembered) · motions (taught) · poses (of
    arms) · memories (everything remembered) · sessions (people at phones, headsets, desks) · sessions.desk ·
    sessions.all (also who is silent for the moment) · world.known (everything that has a place or can be
    found) · world.things (what can be followed) · world.objects · world.people · world.places ·
    world.fixtures (what stands: furniture, doors) · world.openable · world.states · world.goals (what the
    base can drive to, besides places) · world.faced (what it can turn to) · places (those, and where the base
    has been)
    """

    def __init__(self, managers: Managers) -> None:
        self._managers = managers
        self._made: dict[str, tuple[object, tuple[Known, ...]]] = {}
        self._kinds: dict[str, Callable[[], tuple[object, Callable[[], Iterable[Known]]]]] = {
            "devices": self._devices,
            "sensors": self._sensors,
            "arms": lambda: self._sides(ControllerKind.ARM),
            "grippers": lambda: self._sides(ControllerKind.GRIPPER),
            "moving": self._moving,
            "running": self._running,
            "screens": self._screens,
            "views": self._views,
            "motions": self._motions,
            "memories": self._memories,
            "poses": self._poses,
            "sessions": lambda: self._sessions(tuple(DeviceKind)),
            "sessions.desk": lambda: self._sessions((DeviceKind.DESK,)),
            "sessions.all": lambda: self._sessions(tuple(DeviceKind), also_silent=True),
            "world.known": lambda: self._things(_is_somewhere),
            "world.things": lambda: self._things(lambda thing: thing.marker is not None),
            "world.objects": lambda: self._things(lambda thing: thing.kind is ThingKind.OBJECT),
            "world.people": lambda: self._things(lambda thing: thing.kind is ThingKind.PERSON),
            "world.fixtures": lambda: self._things(lambda thing: thing.kind is ThingKind.FIXTURE),
            "world.places": lambda: self._things(lambda thing: thing.kind is ThingKind.PLACE),
            "world.openable": lambda: self._things(lambda thing: "open" in thing.states),
            "world.goals": lambda: self._things(_is_goal),
            "world.faced": lambda: self._things(_is_faced),
            "places": self._places,
            "world.states": self._states,
        }

    def names(self, kind: str) -> tuple[str, ...]:
        """Names of the known things of a kind; none of a kind that nobody knows."""
        return tuple(dict.fromkeys(known.name for known in self.known(kind)))

    def known(self, kind: str) -> tuple[Known, ...]:
        """The same with values, aliases and hints; the very same tuple as long as nothing has changed."""
        look = self._kinds.get(kind)
        if look is None:
            return ()
        made_of, make = look()
        before = self._made.get(kind)
        if before is None or not (before[0] is made_of or before[0] == made_of):
            before = self._made[kind] = (made_of, _without_doubts(make()))
        return before[1]

    def _devices(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        return _as_devices(self._managers.devices())

    def _sensors(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        return _as_devices(self._managers.sensors.devices())

    def _moving(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        return _as_devices(self._managers.controllers.devices())

    def _sides(self, kind: ControllerKind) -> tuple[object, Callable[[], Iterable[Known]]]:
        """What is asked for by its side: "the left one" is enough where only such things can stand."""
        found = [device for device in self._managers.controllers.devices() if device.kind == kind.value]
        sides = tuple(dict.fromkeys(device.mount for device in found if device.mount))
        return (kind, sides), lambda: (Known(side, f"{side} {kind.value}", (side,)) for side in sides)

    def _running(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        words = tuple(dict.fromkeys(plan.words for plan in self._managers.supervisor.plans()))
        return words, lambda: (Known(each, each) for each in words)

    def _screens(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        page = self._managers.page
        names = (page.screen,) if page is not None else ()
        return names, lambda: (Known(name, name, ("screen", "display")) for name in names)

    def _views(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        views = self._managers.context.memory.views
        return views, lambda: (Known(view.name, view.name) for view in views)

    def _motions(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        paths = self._managers.context.memory.paths
        return paths, lambda: (Known(path.name, path.name) for path in paths)

    def _memories(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        memory = self._managers.context.memory
        every = (memory.places, memory.views, memory.paths, memory.poses)
        return every, lambda: (Known(each.name, each.name) for kind in every for each in kind)

    def _poses(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        poses = self._managers.context.memory.poses
        return poses, lambda: (Known(pose.name, pose.name) for pose in poses)

    def _sessions(
        self, kinds: tuple[DeviceKind, ...], *, also_silent: bool = False
    ) -> tuple[object, Callable[[], Iterable[Known]]]:
        desk = self._managers.operators
        lines = desk.sessions if desk is not None else ()
        names = tuple(line.name for line in lines if (line.alive or also_silent) and line.kind in kinds)
        return names, lambda: (Known(name, name) for name in names)

    def _states(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        things = self._managers.context.things()
        states = tuple(dict.fromkeys(state for thing in things for state in thing.states))
        return states, lambda: (Known(state, state) for state in states)

    def _places(self) -> tuple[object, Callable[[], Iterable[Known]]]:
        """Where it was before goes under the name of the place, if that is one that somebody has named."""
        things = self._managers.context.things()
        spot = self._managers.controllers.departed(Departure.BEFORE)
        near = (
            place.name
            for place in self._managers.context.memory.places
            if spot is not None and math.dist(place.world_T_place[:2], spot[:2]) < _AT_PLACE_M
        )
        before = next(near, Departure.BEFORE.value)

        def made() -> Iterable[Known]:
            yield from _named([thing for thing in things if thing.kind is ThingKind.PLACE])
            yield Known(Departure.START.value, _STARTED[0], _STARTED[1:])
            yield Known(before, _WAS_BEFORE[0], _WAS_BEFORE[1:])

        return (things, before), made

    def _things(self, fits: Callable[[KnownThing], bool]) -> tuple[object, Callable[[], Iterable[Known]]]:
        things = self._managers.context.things()
        return things, lambda: _named([thing for thing in things if fits(thing)])


def _as_devices(devices: tuple[DeviceView, ...]) -> tuple[object, Callable[[], Iterable[Known]]]:
    key = tuple((device.name, device.mount) for device in devices)
    return key, lambda: map(_device, devices)


def _is_goal(thing: KnownThing) -> bool:
    return thing.kind in (ThingKind.OBJECT, ThingKind.FIXTURE, ThingKind.PERSON)


def _is_faced(thing: KnownThing) -> bool:
    return _is_goal(thing) or thing.kind is ThingKind.PLACE


def _is_somewhere(thing: KnownThing) -> bool:
    return thing.kind is not ThingKind.SENSOR


def _named(things: list[KnownThing]) -> Iterable[Known]:
    calls = Counter(map(_name, things))
    for thing in things:
        name = _name(thing)
        hint = _hint(thing) if calls[name] > 1 else ""
        is_own_part = thing.kind is ThingKind.ROBOT and bool(thing.part_of)
        says: tuple[str, ...] = _OWN_NAMES if thing.kind is ThingKind.ROBOT and not is_own_part else ()
        if thing.kind in (ThingKind.OBJECT, ThingKind.FIXTURE) or is_own_part:
            # "The cup", or "the arm", may be any of them: who says so is asked which.
            noun = name.rpartition(" ")[2]
            says = (noun,) if noun != name else ()
        says = (*says, *thing.says)
        if thing.colour and thing.colour not in name.split():
            says = (*says, *(f"{thing.colour} {each}" for each in (name, *thing.says)))
        yield Known(thing.name, name, says, hint)


def _name(thing: KnownThing) -> str:
    """People keep their capitals: with these, no article stands before a name."""
    return thing.spoken if thing.kind is ThingKind.PERSON else plain(thing.spoken)


def _hint(thing: KnownThing) -> str:
    """What tells it from others that are called the same."""
    where = f"on the {thing.part_of}" if thing.part_of else ""
    if thing.world_T_thing is None:
        return where or thing.name
    height = f"{thing.world_T_thing[2]:.1f} m high"
    return f"{where}, {height}" if where else height


def _device(device: DeviceView) -> Known:
    name = plain(device.name)
    place, _, noun = name.rpartition(" ")
    others = tuple(f"{place} {other}".strip() for other in _NOUNS.get(noun, ()) if place)
    mount = plain(device.mount)
    if noun in _NOUNS and mount:
        others += tuple(f"{noun} {where}" for where in _IN_PLACE.get(mount, (f"on the {mount}",)))
        others += (f"{mount} {noun}",)
    for called in device.says:
        before, _, last = plain(called).rpartition(" ")
        others += (plain(called), *(f"{before} {other}" for other in _NOUNS.get(last, ()) if before))
    return Known(device.name, name, tuple(dict.fromkeys(each for each in others if each != name)))


def _without_doubts(knowns: Iterable[Known]) -> tuple[Known, ...]:
    """An alias never stands in the way of a name: those that are some other's name are left out."""
    every = tuple(knowns)
    names = {known.name for known in every}
    return tuple(
        known
        if not names.intersection(known.says)
        else msgspec.structs.replace(known, says=tuple(say for say in known.says if say not in names))
        for known in every
    )
