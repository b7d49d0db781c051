"""The legs to a goal through what is seen to be free, or why there are none.

Where that does not reach to the goal, but nothing is known to stand in between, the legs lead as far as is
free on the way that there would be (`WayKind.LOOK`): from there more is seen, and it is planned anew.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import numpy as np

from resources.planning.floor import CELL_M, MARGIN_M, Floor, Mask, Scene, in_frame, named_at, outside
from resources.planning.search import Cell, Narrows, Point, reached, shortest, straightened
from resources.planning.stands import Stand, box_of, stands_at
from resources.types.routes import Goal, Leg, Spot, Way, WayKind

#: So near to a stand it is there already [m], [rad].
HERE_M: Final = 0.04
HERE_RAD: Final = 0.06

#: It looks to where its way leads so much farther on [m].
_ONWARD_M: Final = 0.4

#: Where there is none of these, there may be one farther round: through the doors of other rooms.
_MAY_GO_ROUND: Final = (WayKind.BLOCKED, WayKind.UNSEEN)

#: It is worth to go so far, or turn so much, to see more [m], [rad].
_SEES_MORE_M: Final = 0.2
_SEES_MORE_RAD: Final = 0.35

#: So much floor is looked at around the base and the goal; where that has no way, so much more [m].
_AROUND_M: Final = (2.5, 6.0)

#: So far it goes straight to where it can turn, and from where it can turn to a stand, at most [m].
_FARTHEST_OFF_M: Final = 1.5

#: So many directions are looked at to go off in, and turning costs as much as so much way [m/rad].
_WAYS_OUT: Final = 72
_TURN_COSTS: Final = 0.1
_LEG_COSTS: Final = 0.1

#: What stands so near to where something was seen is what was seen [m].
_IS_THAT_M: Final = 0.2


class _Begin(msgspec.Struct, frozen=True):
    """Where it can turn. heading: of the leg that leads there; None if the base is there."""

    point: Point
    heading: float | None
    costs: float


class _End(msgspec.Struct, frozen=True):
    """A stand that can be reached straight on from `before`, where the base can turn."""

    stand: Stand
    before: Point


def plan(scene: Scene, goal: Goal) -> Way:
    """The way to the goal."""
    stands = stands_at(goal, scene.spot, scene.outline)
    if not stands:
        return Way(WayKind.UNKNOWN)
    here = next((stand for stand in stands if _is_at(scene.spot, stand)), None)
    if here is not None:
        return Way(WayKind.HERE, goal=here.spot)
    way = _Planning(scene, goal, stands, _AROUND_M[0]).way()
    if way.kind in _MAY_GO_ROUND:
        wider = _Planning(scene, goal, stands, _AROUND_M[1]).way()
        return wider if wider.kind.may_be_driven else way
    return way


def still_free(scene: Scene, way: Way) -> bool:
    """Whether nothing was seen or put, since it was planned, where the base still is to go.

    What is only not seen just now was seen to be free when it was planned, and does not count.
    """
    legs = way.legs
    if not legs:
        return True
    floor = Floor(scene, [(leg.x, leg.y) for leg in legs], scene.outline.radius_m + 2 * CELL_M)
    x, y, _ = scene.spot
    # It is on the leg that it is nearest to, of several the last one: the others are behind it.
    nearest = min(range(len(legs)), key=lambda at: (round(_from_leg((x, y), legs, at), 2), -at))
    begin: Point = (x, y)
    for leg in legs[nearest:]:
        ahead, _ = _seen_from((*begin, leg.yaw), (leg.x, leg.y))
        if floor.taken_under((*begin, leg.yaw), ahead, margin_m=MARGIN_M / 2) is not None:
            return False
        begin = (leg.x, leg.y)
    return True


def _from_leg(point: Point, legs: Sequence[Leg], at: int) -> float:
    """How far a point is from a leg; where the first one begins nobody knows."""
    end = (legs[at].x, legs[at].y)
    begin = (legs[at - 1].x, legs[at - 1].y) if at else None
    if begin is None:
        dx, dy = end[0] - point[0], end[1] - point[1]
        ahead = dx * math.cos(legs[at].yaw) + dy * math.sin(legs[at].yaw)
        return 0.0 if ahead > 0.0 else math.hypot(dx, dy)
    ax, ay = end[0] - begin[0], end[1] - begin[1]
    length = math.hypot(ax, ay)
    if length < 1e-9:
        return math.dist(point, end)
    share = min(max(((point[0] - begin[0]) * ax + (point[1] - begin[1]) * ay) / length**2, 0.0), 1.0)
    return math.dist(point, (begin[0] + share * ax, begin[1] + share * ay))


class _Planning:
    def __init__(self, scene: Scene, goal: Goal, stands: Sequence[Stand], around_m: float) -> None:
        self._scene = scene
        self._stands = stands
        self._box = box_of(goal)
        self._floor = Floor(scene, [stand.spot[:2] for stand in stands], around_m)
        self._room = self._floor.room_to_turn()

    def way(self) -> Way:
        standing = [stand for stand in self._stands if self._can_stand(stand)]
        straight = self._straight_on(standing)
        if straight is not None:
            return straight
        begins = self._begins()
        if not begins:
            return self._why_stuck()
        ends = self._ends(standing, self._room)
        costs = {cell: cost for cell, (_, cost) in ends.items()}
        cells = self._shortest(self._room, begins, costs)
        if not cells:
            return self._to_see_more(begins)
        begin, (end, _) = begins[cells[0]], ends[cells[-1]]
        between = [self._floor.place(*cell) for cell in cells[1:-1]]
        points = straightened(self._floor, self._room, [begin.point, *between, end.before])
        legs = self._legs(begin, points)
        stand = end.stand
        if stand.turned or math.dist(points[-1], stand.spot[:2]) > 1e-6:
            yaw = legs[-1].yaw if legs else self._scene.spot[2]
            legs.append(Leg(*stand.spot[:2], stand.spot[2] if stand.turned else yaw))
        return Way(WayKind.FREE, tuple(legs), stand.spot)

    def _shortest(
        self,
        room: Mask,
        begins: Mapping[Cell, _Begin],
        ends: Mapping[Cell, float],
        *,
        if_unseen_is_free: bool = False,
    ) -> list[Cell]:
        """Where it can turn all along; if there is no such way, straight through narrow places, too."""
        if not ends:
            return []
        floor = self._floor
        about = self._middle
        within = max(math.dist(about, floor.place(*cell)) for cell in ends)
        from_m = {cell: begin.costs for cell, begin in begins.items()}
        dear = ~self._room if if_unseen_is_free else None  # what is seen is worth a detour
        found = shortest(floor, room, from_m, ends, about, within, dear)
        if found:
            return found

        def is_clear(point: Point, heading: float, far_m: float) -> bool:
            spot = (*point, heading)
            return floor.clear_m(spot, far_m, if_unseen_is_free=if_unseen_is_free) >= far_m

        narrows = Narrows(floor, room, floor.room_to_pass(if_unseen_is_free=if_unseen_is_free), is_clear)
        return shortest(floor, room, from_m, ends, about, within, dear, narrows)

    def _to_see_more(self, begins: Mapping[Cell, _Begin]) -> Way:
        """As far as is free on the way that there is if nothing stands where nobody has looked."""
        floor = self._floor
        room = floor.room_to_turn(if_unseen_is_free=True)
        ends = self._ends(self._stands, room, if_unseen_is_free=True)
        costs = {cell: cost for cell, (_, cost) in ends.items()}
        cells = self._shortest(room, begins, costs, if_unseen_is_free=True)
        if not cells:
            return self._why_not()
        spot = self._scene.spot
        can = reached(self._room, begins)
        last = next(at for at in range(len(cells) - 1, -1, -1) if cells[at] in can or not at)
        legs: list[Leg] = []
        if cells[last] in can:
            way = self._shortest(self._room, begins, {cells[last]: 0.0})
            places = [begins[way[0]].point, *(floor.place(*cell) for cell in way[1:])]
            legs = self._legs(begins[way[0]], straightened(floor, self._room, places))
        here = (legs[-1].x, legs[-1].y) if legs else spot[:2]
        onward = [floor.place(*cell) for cell in cells[last:]]
        beyond = next((each for each in onward if math.dist(each, here) > _ONWARD_M), onward[-1])
        toward = math.atan2(beyond[1] - here[1], beyond[0] - here[0])
        turn = abs(math.remainder(toward - spot[2], 2 * math.pi))
        goal = min(self._stands, key=lambda stand: stand.costs + math.dist(stand.spot[:2], here)).spot
        if math.dist(here, spot[:2]) < _SEES_MORE_M:
            if turn < _SEES_MORE_RAD:
                return self._why_not(goal)
            if not self._has_room(spot[:2]):
                return self._why_stuck()
            legs, here = [], spot[:2]
        legs.append(Leg(*here, toward))
        return Way(WayKind.LOOK, tuple(legs), goal)

    @property
    def _middle(self) -> Point:
        return self._box.middle[:2] if self._box is not None else self._stands[0].spot[:2]

    # -- the legs

    def _straight_on(self, standing: Sequence[Stand]) -> Way | None:
        """A stand that lies straight ahead, as the base is turned, needs no room to turn."""
        spot = self._scene.spot
        for stand in sorted(standing, key=lambda stand: stand.costs):
            ahead, left = _seen_from(spot, stand.spot[:2])
            off = abs(math.remainder(stand.spot[2] - spot[2], 2 * math.pi)) if stand.turned else 0.0
            is_ahead = ahead > 0.0 and abs(left) < HERE_M and off < HERE_RAD
            if is_ahead and self._floor.clear_m(spot, ahead) >= ahead:
                end = outside(spot, (ahead, 0.0))
                return Way(WayKind.FREE, (Leg(*end, spot[2]),), (*end, spot[2]))
        return None

    def _begins(self) -> dict[Cell, _Begin]:
        """Where it can get by a turn, if there is room, and a straight leg, and turn again there."""
        (x, y, yaw), floor = self._scene.spot, self._floor
        found: dict[Cell, _Begin] = {}

        def add(begin: _Begin) -> None:
            cell = floor.cell(*begin.point)
            if cell not in found or begin.costs < found[cell].costs:
                found[cell] = begin

        if self._has_room((x, y)):
            add(_Begin((x, y), None, 0.0))
            ways = [(yaw + 2 * math.pi * at / _WAYS_OUT, _FARTHEST_OFF_M) for at in range(_WAYS_OUT)]
            margin_m, leaves = MARGIN_M, False
        else:
            ways = [(yaw, -_FARTHEST_OFF_M), (yaw, _FARTHEST_OFF_M)]
            margin_m, leaves = MARGIN_M / 3, True
        for heading, most_m in ways:
            clear_m = floor.clear_m((x, y, heading), most_m, margin_m=margin_m, leaves=leaves)
            for step in range(1, math.floor(clear_m / CELL_M) + 1):
                point = outside((x, y, heading), (math.copysign(step * CELL_M, most_m), 0.0))
                if self._has_room(point):
                    off = abs(math.remainder(heading - yaw, 2 * math.pi))
                    add(_Begin(point, heading, step * CELL_M + _TURN_COSTS * off + _LEG_COSTS))
        return found

    def _can_stand(self, stand: Stand) -> bool:
        if not stand.turned:
            return self._has_room(stand.spot[:2])
        return self._floor.clear_m(stand.spot, 0.0) >= 0.0

    def _ends(
        self, stands: Sequence[Stand], room: Mask, *, if_unseen_is_free: bool = False
    ) -> dict[Cell, tuple[_End, float]]:
        """From where it goes straight to a stand: the nearest place to turn; and the cost from there on."""
        floor = self._floor
        found: dict[Cell, tuple[_End, float]] = {}
        for stand in stands:
            most_m = -_FARTHEST_OFF_M if stand.turned else 0.0
            clear_m = floor.clear_m(stand.spot, most_m, if_unseen_is_free=if_unseen_is_free)
            for step in range(math.floor(clear_m / CELL_M) + 1 if clear_m >= 0.0 else 0):
                before = outside(stand.spot, (-step * CELL_M, 0.0))
                cell = floor.cell(*before)
                if floor.holds(*cell) and room[cell]:
                    cost = stand.costs + step * CELL_M
                    if cell not in found or cost < found[cell][1]:
                        found[cell] = _End(stand, before), cost
                    break
        return found

    def _has_room(self, point: Point) -> bool:
        row, column = self._floor.cell(*point)
        return self._floor.holds(row, column) and bool(self._room[row, column])

    def _legs(self, begin: _Begin, points: Sequence[Point]) -> list[Leg]:
        here = begin.point
        legs = [] if begin.heading is None else [Leg(*here, begin.heading)]
        for point in points[1:]:
            if math.dist(here, point) > 1e-6:
                legs.append(Leg(*point, math.atan2(point[1] - here[1], point[0] - here[0])))
                here = point
        return legs

    # -- why not

    def _why_not(self, goal: Spot | None = None) -> Way:
        x, y, _ = self._scene.spot
        nearest = min(self._stands, key=lambda each: math.dist(each.spot[:2], (x, y)) + each.costs)
        taken = {stand: self._taken_at(stand) for stand in self._stands}
        if all(point is not None for point in taken.values()):
            return self._because(WayKind.FULL, taken[nearest], nearest.spot)
        goal = goal or nearest.spot
        between = self._first_between(goal)
        if between is not None:
            return self._because(WayKind.BLOCKED, between, goal)
        return Way(WayKind.UNSEEN, goal=goal)

    def _taken_at(self, stand: Stand) -> Point | None:
        """Where something is that does not let it stand there."""
        return self._floor.taken_under(stand.spot, 0.0)

    def _first_between(self, goal: Spot) -> Point | None:
        """The nearest of what lies on the straight way there."""
        x, y, _ = self._scene.spot
        toward = math.atan2(goal[1] - y, goal[0] - x)
        return self._floor.taken_under((x, y, toward), math.dist(goal[:2], (x, y)))

    def _why_stuck(self) -> Way:
        x, y, _ = self._scene.spot
        floor = self._floor
        away = np.where(floor.taken, np.hypot(floor.x - x, floor.y - y), math.inf)
        row, column = np.unravel_index(int(away.argmin()), away.shape)
        is_near = away[row, column] <= floor.turning_m + 2 * CELL_M
        return self._because(WayKind.STUCK, floor.place(int(row), int(column)) if is_near else None, None)

    def _because(self, kind: WayKind, point: Point | None, goal: Spot | None) -> Way:
        scene = self._scene
        if point is None:
            return Way(kind, goal=goal)
        ahead_m = max(float(scene.outline.distances(*map(np.array, _seen_from(scene.spot, point)))), 0.0)
        return Way(kind, goal=goal, obstacle=named_at(scene.things, point, _IS_THAT_M), ahead_m=ahead_m)


def _is_at(here: Spot, stand: Stand) -> bool:
    off = abs(math.remainder(here[2] - stand.spot[2], 2 * math.pi)) if stand.turned else 0.0
    return math.dist(here[:2], stand.spot[:2]) < HERE_M and off < HERE_RAD


def _seen_from(spot: Spot, point: Point) -> Point:
    ahead, left = in_frame(spot, np.array(point[0]), np.array(point[1]))
    return float(ahead), float(left)
