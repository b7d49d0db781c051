"""The way of a base to somewhere, through what its scanners see to be free now, as a resource.

Who drives asks for a `Route`, drives its legs one after the other, and heeds what the handle says meanwhile:
it is UPDATEd when something appears on the way, when a better look shows a way, and when there is none. All
poses are in the fixed frame that scans and odometry share: x, y [m], yaw [rad].
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

Spot = tuple[float, float, float]
"""x, y [m], yaw [rad]."""


class Side(StrEnum):
    """On which side of a thing, as seen by who comes: its left is his left."""

    ANY = ""
    FRONT = "front"
    LEFT = "left"
    RIGHT = "right"
    BEHIND = "behind"


class Beside(msgspec.Struct, frozen=True, tag="beside"):
    """Stand before a thing, facing it.

    middle: of the thing, and how it is turned; length_m, width_m: along its own axes, seen from above.
    away_m: of the base's outline from the thing. side: where it stands. came_from: where who comes was at
    first, for the sides; None is where the base is when this is asked for. near: what on it is meant.
    """

    middle: Spot
    length_m: float
    width_m: float
    away_m: float
    side: Side = Side.ANY
    came_from: tuple[float, float] | None = None
    near: tuple[float, float] | None = None


class Onto(msgspec.Struct, frozen=True, tag="onto"):
    """Stand at a spot of the floor, turned as it says if `turned`."""

    spot: Spot
    turned: bool = False


class Departure(StrEnum):
    """Where the base has been."""

    START = "start"  # where it stood before all that it has driven since it was there
    BEFORE = "before"  # where it stood before it drove the last time


class Back(msgspec.Struct, frozen=True, tag="back"):
    """Stand again where it has been."""

    to: Departure


class Nearer(msgspec.Struct, frozen=True, tag="nearer"):
    """Come so much nearer to a thing, at most up to `away_m` from it; fields as of `Beside`."""

    middle: Spot
    length_m: float
    width_m: float
    by_m: float
    away_m: float


Goal = Beside | Onto | Back | Nearer


class WayKind(StrEnum):
    """What there is to say of the way."""

    FREE = "free"  # the legs lead to the goal
    HERE = "here"  # it is there already
    LOOK = "look"  # the goal lies where no scanner looks now: the legs only turn the base to it
    BLOCKED = "blocked"  # something stands between here and the goal
    UNSEEN = "unseen"  # nothing is known to stand there, but what is seen to be free does not reach so far
    FULL = "full"  # there is no free place at the goal
    STUCK = "stuck"  # it cannot even turn where it stands
    BLIND = "blind"  # a scanner tells nothing now
    UNKNOWN = "unknown"  # nobody knows where the base, or the goal, is

    @property
    def may_be_driven(self) -> bool:
        """Whether its legs are to be driven."""
        return self in (WayKind.FREE, WayKind.HERE, WayKind.LOOK)


class Leg(msgspec.Struct, frozen=True, array_like=True):
    """Turn on the spot to `yaw`, then go straight to (x, y) as it stands."""

    x: float
    y: float
    yaw: float


class Way(msgspec.Struct, frozen=True):
    """The handle.

    legs: from where the base was when it was planned. goal: where it ends, None while that is not known.
    obstacle: what is in the way or at the goal, as people call it; "" is something that nobody knows.
    ahead_m: how far that is from the base's outline. scanner: which one tells nothing.
    number: rises with each way that is planned anew.
    """

    kind: WayKind
    legs: tuple[Leg, ...] = ()
    goal: Spot | None = None
    obstacle: str = ""
    ahead_m: float = 0.0
    scanner: str = ""
    number: int = 0


class Route(msgspec.Struct, frozen=True):
    """Ask for a base's way to a goal. scanners: those that look out for it (`BaseHandle.guards`).

    to: name of the thing that is gone to, which is no obstacle on the way to itself; "" is none.
    """

    handle_type: ClassVar[type] = Way

    base: str
    scanners: tuple[str, ...]
    goal: Goal
    to: str = ""

    def __str__(self) -> str:
        return f"way of the {self.base}{f' to the {self.to}' if self.to else ''}"
