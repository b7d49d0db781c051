"""What conditions about the world are answered with at this moment. Who asks when is not decided here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from framework.plan.ast import Compare, Comparison, State
from managers.context_manager import ContextManager
from managers.devices import DeviceView, HasDevices
from managers.followed import Followed
from resources.types.context import KnownThing, ThingKind
from resources.types.naming import plain
from resources.types.streams import Pose7
from resources.types.whereabouts import bearing, distance_m, into

_CAMERAS = ("rgbd", "rgb")

#: Quantities count as equal if they differ by no more than this share, or this much [m].
_EQUAL_SHARE, _EQUAL_M = 0.05, 0.02

#: It stands at a thing if its middle is so near to the thing's side: half of itself, and as far as it stops
#: before it [m]. It faces what is so far off straight ahead at most [rad].
_AT_M, _FACES_RAD = 1.0, 0.18


def called(said: str, devices: Sequence[DeviceView]) -> tuple[DeviceView, ...]:
    """The device of that name; else all of the kind that people call so ("camera", "scan")."""
    name = plain(said)
    named = tuple(device for device in devices if plain(device.name) == name)
    kinds = _CAMERAS if name == "camera" else (name,)
    return named or tuple(device for device in devices if device.kind in kinds)


class Answers:
    """Answers for `WorldConditions`.

    Args:
        devices: all of the robot.
        followed: the things that are followed just now, by name.
        monotonic_s: reads CLOCK_MONOTONIC, with which samples are stamped.
        is_blocked: whether something keeps the base from going on; None if that cannot be told.
    """

    def __init__(
        self,
        context: ContextManager,
        devices: HasDevices,
        followed: Mapping[str, Followed],
        monotonic_s: Callable[[], float],
        is_blocked: Callable[[], bool | None] = lambda: None,
    ) -> None:
        self._context = context
        self._devices = devices
        self._followed = followed
        self._monotonic_s = monotonic_s
        self._is_blocked = is_blocked

    def answer(self, condition: State | Compare) -> bool | None:
        """Whether it holds; None if that cannot be told."""
        if isinstance(condition, Compare):
            return self._compared(condition) if condition.quantity == "distance" else None
        match condition.name:
            case "open":
                answer = self._is_open(condition)
            case "seen":
                answer = self._is_seen(condition)
            case "working":
                answer = self._works(condition)
            case "at":
                answer = self._stands_at(condition)
            case "facing":
                answer = self._faces(condition)
            case "blocked":
                answer = self._is_blocked()
            case _:
                answer = None
        return None if answer is None else answer is condition.is_so

    def _is_open(self, condition: State) -> bool | None:
        thing = self._thing(condition)
        return None if thing is None or not thing.state else thing.state == "open"

    def _is_seen(self, condition: State) -> bool | None:
        followed = self._followed.get(self.marked(condition))
        return None if followed is None else followed.seen(self._monotonic_s())

    def _stands_at(self, condition: State) -> bool | None:
        """Whether the robot's middle is as near to the thing's sides as it comes when it drives there."""
        thing, base = self._thing(condition), self._base()
        if thing is None or thing.world_T_thing is None or base is None:
            return None
        x, y, _ = into(thing.world_T_thing, (base[0], base[1], thing.world_T_thing[2]))
        beside = (max(0.0, abs(at) - size / 2) for at, size in zip((x, y), thing.size_m, strict=False))
        return math.hypot(*beside) <= _AT_M

    def _faces(self, condition: State) -> bool | None:
        thing, base = self._thing(condition), self._base()
        if thing is None or thing.world_T_thing is None or base is None:
            return None
        return abs(bearing(base, thing.world_T_thing[:3]).azimuth_rad) <= _FACES_RAD

    def _base(self) -> Pose7 | None:
        robots = (each for each in self._context.things() if each.kind is ThingKind.ROBOT)
        return next((each.world_T_thing for each in robots if not each.part_of), None)

    def _works(self, condition: State) -> bool | None:
        meant = called(str(condition.arguments.get("device", "")), self._devices.devices())
        return any(device.state.works for device in meant) if meant else None

    def _compared(self, condition: Compare) -> bool | None:
        distance = self._distance_m(condition)
        if distance is None:
            return None
        wanted = condition.value
        match condition.comparison:
            case Comparison.LESS:
                return distance < wanted
            case Comparison.AT_MOST:
                return distance <= wanted
            case Comparison.MORE:
                return distance > wanted
            case Comparison.AT_LEAST:
                return distance >= wanted
            case Comparison.EQUAL:
                return abs(distance - wanted) <= max(_EQUAL_M, _EQUAL_SHARE * wanted)

    def _distance_m(self, condition: Compare) -> float | None:
        thing = self._thing(condition)
        robot = next((each for each in self._context.things() if each.kind is ThingKind.ROBOT), None)
        base = robot.world_T_thing if robot is not None else None
        if thing is None:
            return None
        if thing.marker is None:
            known = thing.world_T_thing
            return None if known is None or base is None else bearing(base, known[:3]).distance_m
        followed = self._followed.get(thing.name)
        sighting = followed.sighting(self._monotonic_s()) if followed is not None else None
        if sighting is None:
            return None
        if sighting.world_T_sensor is not None:
            return distance_m(sighting.world_T_thing, sighting.world_T_sensor)
        return None if base is None else bearing(base, sighting.world_T_thing[:3]).distance_m

    def _thing(self, condition: State | Compare) -> KnownThing | None:
        """The thing that is asked about; None unless there is just one of that name."""
        said = condition.arguments.get("thing")
        things = self._context.called(said) if isinstance(said, str) else ()
        return things[0] if len(things) == 1 else None

    def marked(self, condition: State | Compare) -> str:
        """The name of the thing that a camera has to follow for this answer; "" if none has to."""
        needs = condition.quantity if isinstance(condition, Compare) else condition.name
        thing = self._thing(condition) if needs in ("seen", "distance") else None
        return thing.name if thing is not None and thing.marker is not None else ""
