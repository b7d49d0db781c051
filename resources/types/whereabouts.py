"""Where a thing is, seen from another, and how people say that. Pure, and without numpy: actions use it too.

Azimuths are about the viewer's z axis: 0 is ahead (x), positive to the left. Poses are position [m] and
quaternion x y z w in the world frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from resources.types.context import KnownThing, ThingKind
from resources.types.streams import IDENTITY, Pose7

Point = tuple[float, float, float]

Ray = tuple[float, float, float, float, float, float]
"""Where somebody points, in the robot's frame: origin [m], direction."""

POINTS_FOR_S = 1.0
"""Where somebody pointed longer ago they do not point now; whoever goes on pointing says so again [s]."""

#: Nearer than this, a direction says nothing [m].
_HERE_M = 0.15

#: A place on the floor is as large as a room from here on [m²].
_ROOM_M2 = 2.5

#: A thing stands on another if its lower side is so near to the other's upper side [m].
_STANDS_M = 0.04


class Bearing(msgspec.Struct, frozen=True):
    """Where a point is, for a viewer. distance_m: along the floor; height_m: above the viewer's origin."""

    distance_m: float
    azimuth_rad: float
    height_m: float

    def __str__(self) -> str:
        if self.distance_m < _HERE_M:
            return "right here, where I am"
        return f"{distance_in_words(self.distance_m)} {direction_in_words(self.azimuth_rad)}"


def bearing(world_T_viewer: Pose7, point: Point) -> Bearing:
    """Where `point` (world frame) is for a viewer that stands upright."""
    forward, left, up = into(world_T_viewer, point)
    return Bearing(math.hypot(forward, left), math.atan2(left, forward), up)


def into(world_T_frame: Pose7, point: Point) -> Point:
    """A point of the world frame in another frame."""
    dx, dy, dz = (a - b for a, b in zip(point, world_T_frame, strict=False))
    x, y, z, w = world_T_frame[3:]
    # The rows of the rotation's transpose: the frame's axes in the world.
    return (
        (1 - 2 * (y * y + z * z)) * dx + 2 * (x * y + z * w) * dy + 2 * (x * z - y * w) * dz,
        2 * (x * y - z * w) * dx + (1 - 2 * (x * x + z * z)) * dy + 2 * (y * z + x * w) * dz,
        2 * (x * z + y * w) * dx + 2 * (y * z - x * w) * dy + (1 - 2 * (x * x + y * y)) * dz,
    )


def robot_among(things: Iterable[KnownThing]) -> Pose7:
    """The robot's frame in the world: on the floor, under its middle; the world's own if none is known."""
    for thing in things:
        if thing.kind is ThingKind.ROBOT and not thing.part_of and thing.world_T_thing is not None:
            x, y, z, *turn = thing.world_T_thing
            return (x, y, z - thing.size_m[2] / 2, turn[0], turn[1], turn[2], turn[3])
    return IDENTITY


def distance_m(one: Pose7, other: Pose7) -> float:
    """Between two positions, along a straight line."""
    return math.dist(one[:3], other[:3])


def distance_in_words(metres: float) -> str:
    """ "12 cm", "2.1 m"."""
    return f"{100 * metres:.0f} cm" if metres < 0.995 else f"{metres:.1f} m"


def direction_in_words(azimuth_rad: float) -> str:
    """After a distance: "in front of me", "away, slightly left", "behind me"."""
    degrees = math.degrees(azimuth_rad)
    side = "left" if degrees > 0 else "right"
    amount = abs(degrees)
    if amount < 8.0:
        return "in front of me"
    if amount < 30.0:
        return f"away, slightly {side}"
    if amount < 65.0:
        return f"away, ahead on the {side}"
    if amount < 115.0:
        return f"away, on my {side}"
    return f"away, behind me on the {side}" if amount < 160.0 else "behind me"


def support_of(thing: KnownThing, things: Iterable[KnownThing]) -> KnownThing | None:
    """The fixture that a thing stands on or in; of several the smallest. None if there is none."""
    if thing.world_T_thing is None:
        return None
    holders = [
        other
        for other in things
        if other.kind is ThingKind.FIXTURE and other.name != thing.name and _holds(other, thing)
    ]
    return min(holders, key=lambda other: math.prod(other.size_m), default=None)


def room_of(thing: KnownThing, things: Iterable[KnownThing]) -> KnownThing | None:
    """The smallest part of the floor with a name that a thing is in; None if nobody knows one."""
    rooms = [other for other in things if is_in_room(thing, other)]
    return min(rooms, key=lambda room: room.size_m[0] * room.size_m[1], default=None)


def is_in_room(thing: KnownThing, room: KnownThing) -> bool:
    """Whether a place is a part of the floor, as large as a room, and a thing stands there, on whatever."""
    length_m, width_m, height_m = room.size_m
    is_floor = room.kind is ThingKind.PLACE and not height_m and length_m * width_m >= _ROOM_M2
    if not is_floor or thing is room or thing.world_T_thing is None or room.world_T_thing is None:
        return False
    x, y, *_ = thing.world_T_thing
    forward, left, _ = into(room.world_T_thing, (x, y, 0.0))
    return thing.kind is not ThingKind.PLACE and abs(forward) <= length_m / 2 and abs(left) <= width_m / 2


def _holds(holder: KnownThing, thing: KnownThing) -> bool:
    if holder.world_T_thing is None or thing.world_T_thing is None:
        return False
    x, y, z, *_ = thing.world_T_thing
    forward, left, up = into(holder.world_T_thing, (x, y, z))
    depth, width, height = holder.size_m
    if abs(forward) > depth / 2 or abs(left) > width / 2:
        return False
    lower = up - thing.size_m[2] / 2
    return abs(lower - height / 2) < _STANDS_M or (abs(up) < height / 2 and thing.size_m[2] < height)
