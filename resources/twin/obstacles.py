"""What an arm has to keep clear of, and by how much: data with words for people. Nothing is computed here.

Walls and boxes are in the base frame of the arm that has them, boxes of the robot's body in the robot's; what
several arms have together is in the robot's, too.
"""

from __future__ import annotations

import math

import msgspec

from framework.errors import DescriptionError
from resources.arms.pose import Vector3


class Wall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A half-space that nothing of an arm may enter: all behind a plane.

    point: on the plane [m]; normal: out of it, towards the free side, of any length. words:
    what people call it.
    """

    point: Vector3
    normal: Vector3
    words: str = "a virtual wall"

    def __post_init__(self) -> None:
        _finite("point", self.point)
        _finite("normal", self.normal)
        if math.hypot(*self.normal) < 1e-6:
            raise DescriptionError("the normal of a wall is (0, 0, 0); it has to point to the free side")


class NoGoBox(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A box along the frame's axes that nothing of an arm may enter: lower and upper corner [m]."""

    lower: Vector3
    upper: Vector3
    words: str = "a no-go box"

    def __post_init__(self) -> None:
        _finite("lower", self.lower)
        _finite("upper", self.upper)
        if not all(low < high for low, high in zip(self.lower, self.upper, strict=True)):
            raise DescriptionError(
                f"{self.words}: its lower corner {self.lower} is not below its upper corner {self.upper}"
            )


class Margin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far an arm keeps away from what it must not enter.

    kept_m: no nearer than this, as long as the joints have the torque, the range and the speed for it (see
    `barrier.py`). felt_m: so far before that it begins to be felt, as a wall that gives way by millimetres;
    chosen for pushes of 100 N, with springs of some 5 to 20 N/mm (see `twin.py`).
    """

    kept_m: float = 0.02
    felt_m: float = 0.02

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("kept_m", self.kept_m, 0.0, 0.3),
            ("felt_m", self.felt_m, 0.005, 0.1),
        ):
            if not least <= value <= most:
                raise DescriptionError(f"{name} is {value}; {least:g} to {most:g} is allowed")


class Surroundings(msgspec.Struct, frozen=True):
    """All that an arm, or several, must not enter.

    body: boxes of the robot itself, in the robot's frame. arms: names of other arms that it keeps away from,
    and they from it; from each of both their margins are kept.
    """

    walls: tuple[Wall, ...] = ()
    no_go: tuple[NoGoBox, ...] = ()
    body: tuple[NoGoBox, ...] = ()
    margin: Margin = Margin()
    arms: tuple[str, ...] = ()

    @property
    def boxes(self) -> tuple[NoGoBox, ...]:
        """Those to stay out of, and the robot's own."""
        return (*self.no_go, *self.body)

    def __bool__(self) -> bool:
        return bool(self.walls or self.no_go or self.body or self.arms)


def _finite(name: str, values: Vector3) -> None:
    if not all(math.isfinite(value) for value in values):
        raise DescriptionError(f"{name} is {values}; three finite numbers [m] are allowed")
