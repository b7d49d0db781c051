"""The shortest way over cells on which the base may turn as it likes (A*), and its corners cut.

P. E. Hart, N. J. Nilsson, B. Raphael, "A Formal Basis for the Heuristic Determination of Minimum Cost Paths",
IEEE Transactions on Systems Science and Cybernetics 4(2), 1968.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from resources.planning.floor import CELL_M, Floor, Mask, near

Cell = tuple[int, int]
Point = tuple[float, float]

DEAR = 1.7
"""So many times a way counts where it is dear."""

#: After so many cells others have their turn.
_YIELD_EVERY = 100

#: Through narrow places it goes in these many directions, so far at most, and rather not [m].
_HEADINGS = 24
_LONGEST_NARROW_M = 2.5
_NARROW_COSTS_M = 0.5

_STEPS = tuple(
    (row, column, math.hypot(row, column) * CELL_M)
    for row in (-1, 0, 1)
    for column in (-1, 0, 1)
    if (row, column) != (0, 0)
)


def shortest(
    floor: Floor,
    room: Mask,
    begins: Mapping[Cell, float],
    ends: Mapping[Cell, float],
    about: Point,
    within_m: float,
    dear: Mask | None = None,
    hops: Callable[[Cell], Iterable[tuple[Cell, float]]] | None = None,
) -> list[Cell]:
    """The cells of the cheapest way from one of `begins` to one of `ends`; none if there is no way.

    room: where the base may be. begins, ends: what each costs besides the way between them [m]. about,
    within_m: no end is farther than this from that point. dear: where a way counts `DEAR` times. hops:
    where else it gets from a cell, and what that costs.
    """
    rows, columns = room.shape
    free = room.tolist()  # a list is read several times as fast as an array, cell by cell

    def left_m(cell: Cell) -> float:
        x, y = floor.place(*cell)
        return max(math.hypot(x - about[0], y - about[1]) - within_m - CELL_M, 0.0)

    counts = [[1.0] * columns] * rows if dear is None else (1.0 + (DEAR - 1.0) * dear).tolist()
    came: dict[Cell, Cell] = {}
    cost = dict(begins)
    found: set[Cell] = set()
    # (cost and what is left at least, is it an end, cost, cell)
    queue: list[tuple[float, int, float, Cell]] = [
        (m + left_m(cell), 0, m, cell) for cell, m in begins.items()
    ]
    heapq.heapify(queue)
    while queue:
        _, is_end, so_far, cell = heapq.heappop(queue)
        if is_end:
            way = [cell]
            while cell in came:
                cell = came[cell]
                way.append(cell)
            return way[::-1]
        if cell in found:
            continue
        found.add(cell)
        if not len(found) % _YIELD_EVERY:
            time.sleep(0)  # plain Python holds up whatever else this process has to do
        if cell in ends:
            heapq.heappush(queue, (so_far + ends[cell], 1, so_far, cell))
        row, column = cell
        for down, right, step in _STEPS:
            there = (row + down, column + right)
            if not (0 <= there[0] < rows and 0 <= there[1] < columns) or not free[there[0]][there[1]]:
                continue
            new = so_far + step * counts[there[0]][there[1]]
            if new < cost.get(there, math.inf) - 1e-9:
                cost[there], came[there] = new, cell
                heapq.heappush(queue, (new + left_m(there), 0, new, there))
        for there, more in hops(cell) if hops is not None else ():
            if so_far + more < cost.get(there, math.inf) - 1e-9:
                cost[there], came[there] = so_far + more, cell
                heapq.heappush(queue, (so_far + more + left_m(there), 0, so_far + more, there))
    return []


def reached(room: Mask, begins: Iterable[Cell]) -> set[Cell]:
    """All cells to which there is a way."""
    rows, columns = room.shape
    free = room.tolist()
    found = {cell for cell in begins if free[cell[0]][cell[1]]}
    left = [*found]
    while left:
        row, column = left.pop()
        for there in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            is_in = 0 <= there[0] < rows and 0 <= there[1] < columns
            if is_in and there not in found and free[there[0]][there[1]]:
                found.add(there)
                left.append(there)
    return found


class Narrows:
    """Straight ways through where the base fits, but cannot turn: from one place with room to another.

    room: where it can turn. free: where its middle may be on any way at all.
    """

    def __init__(
        self, floor: Floor, room: Mask, free: Mask, is_clear: Callable[[Point, float, float], bool]
    ) -> None:
        """is_clear: whether it can go from a point, in a direction, so far."""
        self._floor = floor
        self._is_clear = is_clear
        self._room, self._free = room.tolist(), free.tolist()
        edge = room & near(~room, 1.5 * CELL_M)
        self._edge = edge.tolist()

    def __call__(self, cell: Cell) -> Iterator[tuple[Cell, float]]:
        """Where it gets from a cell, and what that costs."""
        row, column = cell
        if not self._edge[row][column] or (row + column) % 2:
            return
        x, y = self._floor.place(row, column)
        for number in range(_HEADINGS):
            heading = 2 * math.pi * number / _HEADINGS
            cos, sin = CELL_M * math.cos(heading), CELL_M * math.sin(heading)
            has_left = False
            for step in range(1, math.floor(_LONGEST_NARROW_M / CELL_M) + 1):
                there = self._floor.cell(x + step * cos, y + step * sin)
                if not self._floor.holds(*there) or not self._free[there[0]][there[1]]:
                    break
                if self._room[there[0]][there[1]]:
                    far_m = math.dist((x, y), self._floor.place(*there))
                    if has_left and self._clear_to(cell, there):
                        yield there, far_m + _NARROW_COSTS_M
                    if has_left or step > 2:
                        break
                else:
                    has_left = True

    def _clear_to(self, cell: Cell, there: Cell) -> bool:
        begin, end = self._floor.place(*cell), self._floor.place(*there)
        return self._is_clear(begin, math.atan2(end[1] - begin[1], end[0] - begin[0]), math.dist(begin, end))


def straightened(floor: Floor, room: Mask, points: Sequence[Point]) -> list[Point]:
    """The same way with the fewest corners: as far straight on as there is room, again and again."""
    kept = [points[0]]
    at = 0
    while at < len(points) - 1:
        beyond = range(len(points) - 1, at + 1, -1)
        at = next((end for end in beyond if has_room(floor, room, kept[-1], points[end])), at + 1)
        kept.append(points[at])
    return kept


def has_room(floor: Floor, room: Mask, begin: Point, end: Point) -> bool:
    """Whether there is room all along a straight line."""
    steps = max(math.ceil(math.dist(begin, end) / (CELL_M / 2)), 1)
    for step in range(steps + 1):
        share = step / steps
        row, column = floor.cell(
            begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1])
        )
        if not floor.holds(row, column) or not room[row, column]:
            return False
    return True
