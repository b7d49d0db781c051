"""What is known of the floor around a base just now, in square cells.

A cell is free if a level scanner looks past it, and taken if something was seen in it or a known thing
stands there. All others are not seen, and count as not free. No scanner sees where the base itself stands,
nor what its corners reach when it turns on the spot: there a cell is free as long as nothing was seen in it
(the base's own guard has it crawl there, `resources.controllers.base_guard`); and the same where it stood
lately, on its way here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.controllers.protective_field import Outline
from resources.types.poses import rotation_of, turned
from resources.types.routes import Spot
from resources.types.samples import Scan

_N = TypeVar("_N", float, NDArray[np.float64])
Mask = NDArray[np.bool_]

CELL_M: Final = 0.05
MARGIN_M: Final = 0.08
"""The base keeps so far from whatever is not free [m]: a little more than its guard does."""

MOST_M: Final = 24.0
"""No floor is looked at that is longer or wider [m]."""

_LEVEL: Final = 0.99  # cosine: a scanner that is tilted further sweeps a plane, but sees no floor plan
_BEHIND_M: Final = 0.75 * CELL_M  # what is hit may begin so much before its echo
_SAMPLE_M: Final = 0.034  # so near to each other, samples leave out no cell, however they are turned
_HALF_DIAGONAL: Final = math.sqrt(0.5) * CELL_M


class Look(msgspec.Struct, frozen=True, eq=False):
    """One scan of a level scanner, from above: beams from (x, y), counter-clockwise from `from_angle`."""

    x: float
    y: float
    from_angle: float
    increment: float
    ranges: NDArray[np.float64]  # (n,), infinite where nothing was hit
    range_max: float

    @classmethod
    def of(cls, scan: Scan) -> Look | None:
        """None if its scanner is not level, nobody knows where it was, or its beams are none."""
        meta = scan.meta
        if meta.world_T_frame is None:
            return None
        turn = rotation_of(meta.world_T_frame)
        up, ahead = turned(turn, (0.0, 0.0, 1.0))[2], turned(turn, (1.0, 0.0, 0.0))
        ranges = scan.ranges_m.astype(np.float64)
        if abs(up) < _LEVEL or len(ranges) < 2 or meta.angle_increment <= 0.0 or np.isnan(ranges).any():
            return None
        from_angle = meta.angle_min
        if up < 0.0:  # it hangs upside down, and turns the other way
            ranges = ranges[::-1]
            from_angle = -(meta.angle_min + meta.angle_increment * (len(ranges) - 1))
        x, y, *_ = meta.world_T_frame
        heading = math.atan2(ahead[1], ahead[0])
        return cls(x, y, heading + from_angle, meta.angle_increment, ranges, meta.range_max or math.inf)

    @property
    def hits(self) -> NDArray[np.float64]:
        """Where something was seen, (n, 2)."""
        seen = np.flatnonzero(np.isfinite(self.ranges))
        angles, far = self.from_angle + self.increment * seen, self.ranges[seen]
        return np.column_stack([self.x + far * np.cos(angles), self.y + far * np.sin(angles)])

    def sees_past(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> Mask:
        """Which points have nothing before them, nor at them. Any equal shapes."""
        dx, dy = x - self.x, y - self.y
        far = np.hypot(dx, dy)
        beam = ((np.arctan2(dy, dx) - self.from_angle) % (2 * math.pi)) / self.increment
        first = np.minimum(beam, len(self.ranges)).astype(np.int64)
        is_in = first < len(self.ranges) - 1
        first = np.where(is_in, first, 0)
        nearest = np.minimum(self.ranges[first], self.ranges[first + 1])
        seen: Mask = is_in & (far < nearest - _BEHIND_M) & (far < self.range_max)
        return seen


class Box(msgspec.Struct, frozen=True):
    """A thing from above: a rectangle that is turned, and what people call it."""

    middle: Spot
    length_m: float
    width_m: float
    name: str = ""

    def distances(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """To points; 0 inside. Any equal shapes."""
        along, across = in_frame(self.middle, x, y)
        over_x = np.maximum(np.abs(along) - self.length_m / 2, 0.0)
        over_y = np.maximum(np.abs(across) - self.width_m / 2, 0.0)
        found: NDArray[np.float64] = np.hypot(over_x, over_y)
        return found


class Scene(msgspec.Struct, frozen=True, eq=False):
    """All that a way is planned with.

    spot, outline: of the base, now. looks: the newest of each scanner. things: what is known to stand on the
    floor. track: where the base stood lately, with this outline. before: older looks, from which only counts
    what was in the way, where nobody has looked since.
    """

    spot: Spot
    outline: Outline
    looks: tuple[Look, ...]
    things: tuple[Box, ...] = ()
    track: tuple[Spot, ...] = ()
    before: tuple[Look, ...] = ()


class Floor:
    """The cells between two corners. `free`, `taken`: (rows, columns), a row for each y."""

    def __init__(self, scene: Scene, points: Iterable[tuple[float, float]], around_m: float) -> None:
        """Of a floor on which these points and the base lie, and so much around them."""
        here, half_m = np.array(scene.spot[:2]), MOST_M / 2
        near = np.clip(np.array([*points, scene.spot[:2]]), here - half_m, here + half_m)
        lower = np.min(near, axis=0) - around_m
        upper = np.max(near, axis=0) + around_m
        self.x0, self.y0 = float(lower[0]), float(lower[1])
        columns, rows = np.ceil((upper - lower) / CELL_M).astype(int)
        self.x, self.y = np.meshgrid(
            self.x0 + CELL_M * (np.arange(columns) + 0.5), self.y0 + CELL_M * (np.arange(rows) + 0.5)
        )
        self.scene = scene
        seen = self._seen()
        self.taken = self._taken(seen)
        self.free = (seen | self._stood_on()) & ~self.taken

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """(row, column) of a point, which may lie outside."""
        return math.floor((y - self.y0) / CELL_M), math.floor((x - self.x0) / CELL_M)

    def holds(self, row: int, column: int) -> bool:
        """Whether there is such a cell."""
        rows, columns = self.free.shape
        return bool(0 <= row < rows and 0 <= column < columns)

    def place(self, row: int, column: int) -> tuple[float, float]:
        """The middle of a cell."""
        return self.x0 + CELL_M * (column + 0.5), self.y0 + CELL_M * (row + 0.5)

    @property
    def turning_m(self) -> float:
        """The base needs so much around it to turn on the spot [m]."""
        return self.scene.outline.radius_m + MARGIN_M

    def room_to_turn(self, *, if_unseen_is_free: bool = False) -> Mask:
        """Where the base can stand and turn as it likes: all that it reaches there is free."""
        in_the_way = self.taken if if_unseen_is_free else ~self.free
        return ~near(in_the_way, self.turning_m + _HALF_DIAGONAL)

    def room_to_pass(self, *, if_unseen_is_free: bool = False) -> Mask:
        """Where the middle of the base may be at all, however it is turned."""
        in_the_way = self.taken if if_unseen_is_free else ~self.free
        outline = self.scene.outline
        aside = min(outline.width_m / 2 - abs(outline.y_m), outline.length_m / 2 - abs(outline.x_m))
        return ~near(in_the_way, max(aside, 0.0))

    def clear_m(
        self,
        spot: Spot,
        most_m: float,
        *,
        margin_m: float = MARGIN_M,
        leaves: bool = False,
        if_unseen_is_free: bool = False,
    ) -> float:
        """How far the outline can go from a spot, straight ahead as it is turned there (straight back if
        `most_m` is negative), all of it on free cells [m]; −1 if it cannot even stand there.

        leaves: it stands there already, whatever else does, and goes away from that.
        """
        ahead, rows, columns = self.under(spot, most_m, margin_m=margin_m)
        is_in = (rows >= 0) & (rows < self.free.shape[0]) & (columns >= 0) & (columns < self.free.shape[1])
        is_free = np.zeros(ahead.shape, np.bool_)
        free = ~self.taken if if_unseen_is_free else self.free
        is_free[is_in] = free[rows[is_in], columns[is_in]]
        gone = np.abs(ahead[~is_free])
        gone = gone[gone > 0.0] if leaves else gone
        if not len(gone):
            return abs(most_m)
        return float(gone.min()) - _SAMPLE_M if gone.min() > 0.0 else -1.0

    def under(
        self, spot: Spot, ahead_m: float, *, margin_m: float = MARGIN_M
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Every cell under the outline on its way straight ahead from a spot: how far it has gone when it
        comes there, row and column (n,) each. So dense that no cell is left out."""
        outline = self.scene.outline
        half_x, half_y = outline.length_m / 2 + margin_m, outline.width_m / 2 + margin_m
        begin, end = outline.x_m - half_x + min(ahead_m, 0.0), outline.x_m + half_x + max(ahead_m, 0.0)
        along = np.linspace(begin, end, math.ceil((end - begin) / _SAMPLE_M) + 1)
        across = outline.y_m + np.linspace(-half_y, half_y, math.ceil(2 * half_y / _SAMPLE_M) + 1)
        a, b = (each.ravel() for each in np.meshgrid(along, across))
        x, y = outside(spot, (a, b))
        gone = np.sign(ahead_m) * np.maximum(np.abs(a - outline.x_m) - half_x, 0.0)
        rows = np.floor((y - self.y0) / CELL_M).astype(np.int64)
        columns = np.floor((x - self.x0) / CELL_M).astype(np.int64)
        return gone, rows, columns

    def taken_under(
        self, spot: Spot, ahead_m: float, *, margin_m: float = MARGIN_M
    ) -> tuple[float, float] | None:
        """Where something stands on that way, the nearest of it; None if nothing does."""
        gone, rows, columns = self.under(spot, ahead_m, margin_m=margin_m)
        is_in = (rows >= 0) & (rows < self.free.shape[0]) & (columns >= 0) & (columns < self.free.shape[1])
        gone, rows, columns = gone[is_in], rows[is_in], columns[is_in]
        taken = self.taken[rows, columns]
        if not taken.any():
            return None
        first = int(np.where(taken, np.abs(gone), math.inf).argmin())
        return self.place(int(rows[first]), int(columns[first]))

    def _seen(self) -> Mask:
        seen = np.zeros(self.x.shape, np.bool_)
        for look in self.scene.looks:
            seen |= look.sees_past(self.x, self.y)
        return seen

    def _taken(self, seen: Mask) -> Mask:
        scene = self.scene
        taken = np.zeros(self.x.shape, np.bool_)
        for look in scene.before:
            self._mark(taken, look.hits)
        taken &= ~seen
        for look in scene.looks:
            self._mark(taken, look.hits)
        for thing in scene.things:
            taken |= thing.distances(self.x, self.y) < CELL_M / 2
        return taken

    def _mark(self, taken: Mask, hits: NDArray[np.float64]) -> None:
        along, across = in_frame(self.scene.spot, hits[:, 0], hits[:, 1])
        hits = hits[self.scene.outline.distances(along, across) > 0.0]  # not what it sees of itself
        columns = np.floor((hits[:, 0] - self.x0) / CELL_M).astype(np.int64)
        rows = np.floor((hits[:, 1] - self.y0) / CELL_M).astype(np.int64)
        is_in = (rows >= 0) & (rows < taken.shape[0]) & (columns >= 0) & (columns < taken.shape[1])
        taken[rows[is_in], columns[is_in]] = True

    def _stood_on(self) -> Mask:
        scene = self.scene
        x, y, _ = scene.spot
        stood: Mask = np.hypot(self.x - x, self.y - y) <= self.turning_m + 2 * CELL_M
        for x, y, _ in scene.track:
            stood |= np.hypot(self.x - x, self.y - y) <= self.turning_m + CELL_M
        return stood


def near(mask: Mask, radius_m: float) -> Mask:
    """Which cells have one of the mask so near, middle to middle; what lies outside counts as one."""
    reach = math.ceil(radius_m / CELL_M)
    rows, columns = mask.shape
    padded = np.pad(mask, reach, constant_values=True)
    sums = np.zeros((padded.shape[0], padded.shape[1] + 1), np.int32)
    np.cumsum(padded, axis=1, out=sums[:, 1:])
    found = np.zeros(mask.shape, np.bool_)
    for row in range(-reach, reach + 1):
        left = (radius_m / CELL_M) ** 2 - row**2
        if left < 0.0:
            continue
        half = math.floor(math.sqrt(left))
        lines = sums[reach + row : reach + row + rows]
        begin = reach - half
        found |= (
            lines[:, begin + 2 * half + 1 : begin + 2 * half + 1 + columns]
            > lines[:, begin : begin + columns]
        )
    return found


def in_frame(
    spot: Spot, x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points as who stands at a spot sees them: ahead, to the left. Any equal shapes."""
    cos, sin = math.cos(spot[2]), math.sin(spot[2])
    dx, dy = x - spot[0], y - spot[1]
    return cos * dx + sin * dy, cos * dy - sin * dx


def outside(spot: Spot, point: tuple[_N, _N]) -> tuple[_N, _N]:
    """A point that is (ahead, to the left) of a spot, in the fixed frame."""
    cos, sin = math.cos(spot[2]), math.sin(spot[2])
    return spot[0] + cos * point[0] - sin * point[1], spot[1] + sin * point[0] + cos * point[1]


def named_at(things: Sequence[Box], point: tuple[float, float], within_m: float) -> str:
    """What people call the thing that is nearest to a point, if one is so near; else ""."""
    x, y = np.array(point[0]), np.array(point[1])
    found = [(float(thing.distances(x, y)), thing.name) for thing in things if thing.name]
    nearest = min(found, default=(math.inf, ""))
    return nearest[1] if nearest[0] <= within_m else ""
