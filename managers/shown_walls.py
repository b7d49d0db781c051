"""The walls of a robot description as pages draw them: boxes in the arm's base frame. Pure."""

from __future__ import annotations

import msgspec

from resources.robots.description import DeviceDescription
from resources.twin.obstacles import NoGoBox, Wall
from resources.types.motion import Workspace

Box = tuple[float, ...]
"""Lower corner x y z, then upper corner x y z [m]."""

_THICK_M = 0.005
_STRAIGHT = 1e-6


def walls_of(device: DeviceDescription, workspace: Workspace) -> tuple[Box, ...]:
    """What no part of this arm may enter: its no-go boxes, and those walls that stand along an axis, as slabs
    across the workspace. A slanting wall is felt, and not drawn."""
    try:
        boxes = msgspec.convert(device.parameters.get("no_go") or [], list[NoGoBox])
        walls = msgspec.convert(device.parameters.get("walls") or [], list[Wall])
    except msgspec.ValidationError:
        return ()  # whoever opens the arm refuses this, in words
    drawn = [_slab(wall, workspace) for wall in walls]
    return (*((*box.lower, *box.upper) for box in boxes), *(slab for slab in drawn if slab))


def _slab(wall: Wall, workspace: Workspace) -> Box | None:
    axes = [axis for axis, part in enumerate(wall.normal) if abs(part) > _STRAIGHT]
    if len(axes) != 1:
        return None
    (axis,) = axes
    lower, upper = list(workspace.lower), list(workspace.upper)
    lower[axis], upper[axis] = wall.point[axis] - _THICK_M, wall.point[axis] + _THICK_M
    return (*lower, *upper)
