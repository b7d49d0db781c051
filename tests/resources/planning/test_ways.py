"""Ways of the base: through what is seen to be free, around what is not, and why there are none."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.planning.floor import CELL_M, Box, Floor, Look, Scene
from resources.planning.ways import plan, still_free
from resources.types.routes import Beside, Goal, Nearer, Onto, Side, Spot, Way, WayKind
from tests.resources.planning.seen_floor import OUTLINE, look, scene, spots_along, under

HERE: Spot = (0.0, 0.0, 0.0)
SHELF = Box((3.57, -1.25, 0.0), 0.42, 1.3, "shelf")
TABLE = Box((2.15, 0.55, 0.0), 0.75, 1.4, "table")
#: Of the table a scanner sees its legs only.
LEGS = [Box((2.15 + a, 0.55 + b, 0.0), 0.05, 0.05) for a in (-0.33, 0.33) for b in (-0.65, 0.65)]
WALLS = [Box((0.7, y, 0.0), 6.2, 0.1) for y in (-3.05, 3.05)] + [
    Box((x, 0.0, 0.0), 0.1, 6.0) for x in (-2.45, 3.85)
]


def before(box: Box, away_m: float = 0.3, side: Side = Side.ANY) -> Beside:
    return Beside(box.middle, box.length_m, box.width_m, away_m, side)


def driven(begin: Spot, goal: Goal, boxes: Sequence[Box], known: Sequence[Box] = ()) -> tuple[Way, Spot]:
    """What becomes of it, look after look, and where the base is in the end."""
    spot, track = begin, [begin]
    looks: list[Look] = []
    way = Way(WayKind.UNSEEN)
    for _ in range(12):
        now = Scene(spot, OUTLINE, (look(spot, boxes),), tuple(known), tuple(track), tuple(looks))
        way = plan(now, goal)
        if way.kind is WayKind.HERE or not way.kind.may_be_driven:
            return way, spot
        looks.append(now.looks[0])
        for at in spots_along(spot, way.legs):
            assert not stands_on(at, [*boxes, *known]), f"at {at} it stands on something, by {way}"
            if math.dist(at[:2], track[-1][:2]) > 0.1:
                track.append(at)
        last = way.legs[-1]
        spot = (last.x, last.y, last.yaw)
    return way, spot


def stands_on(spot: Spot, boxes: Sequence[Box]) -> bool:
    points = under(spot)
    return any((box.distances(points[:, 0], points[:, 1]) == 0.0).any() for box in boxes)


def test_it_goes_straight_to_what_lies_ahead() -> None:
    way = plan(scene(HERE), before(Box((3.0, 0.0, 0.0), 0.4, 0.4)))
    assert way.kind is WayKind.FREE
    (leg,) = way.legs
    assert (leg.x, leg.y, leg.yaw) == pytest.approx((3.0 - 0.2 - 0.3 - 0.495, 0.0, 0.0))


@pytest.mark.parametrize(
    ("box", "away_m"), [(SHELF, 0.3), (TABLE, 0.3), (Box((0.9, 2.78, 0.0), 0.84, 0.42), 0.6), (SHELF, 1.0)]
)
def test_it_ends_so_far_before_a_thing_and_faces_it(box: Box, away_m: float) -> None:
    seen = [*WALLS, *(LEGS if box is TABLE else [box])]
    way, (x, y, yaw) = driven(HERE, before(box, away_m), seen, [box])
    assert way.kind is WayKind.HERE
    nose = np.array([[x + 0.495 * math.cos(yaw), y + 0.495 * math.sin(yaw)]])
    assert float(box.distances(nose[:, 0], nose[:, 1])[0]) == pytest.approx(away_m, abs=0.06)
    ahead = nose[0] + (away_m + 0.1) * np.array([math.cos(yaw), math.sin(yaw)])
    assert float(box.distances(*ahead)) == 0.0


def test_it_goes_around_what_stands_in_the_way() -> None:
    crate = Box((1.5, 0.0, 0.0), 0.4, 0.4)
    way, spot = driven(HERE, before(Box((3.57, 0.0, 0.0), 0.42, 1.3)), [*WALLS, crate])
    assert way.kind is WayKind.HERE
    assert spot[0] == pytest.approx(3.36 - 0.3 - 0.495)


def test_it_goes_straight_through_where_it_fits_but_cannot_turn() -> None:
    gap = [Box((1.5, 1.75, 0.0), 0.2, 2.5), Box((1.5, -1.75, 0.0), 0.2, 2.5)]  # 1 m wide
    way, spot = driven((0.0, 0.4, 0.0), Onto((3.0, 0.4, 0.0)), [*WALLS, *gap])
    assert (way.kind, spot[:2]) == (WayKind.HERE, (3.0, 0.4))


def test_where_it_does_not_fit_it_says_what_is_in_the_way() -> None:
    gap = [Box((1.5, 1.7, 0.0), 0.2, 2.6), Box((1.5, -1.7, 0.0), 0.2, 2.6)]  # 80 cm: less than it keeps free
    way, spot = driven(HERE, before(SHELF), [*WALLS, *gap], [Box(gap[1].middle, 0.2, 2.6, "fence")])
    assert (way.kind, way.obstacle) == (WayKind.BLOCKED, "fence")
    assert 0.5 < way.ahead_m < 1.2
    assert math.dist(spot[:2], HERE[:2]) < 2.0


def test_a_wall_blocks_the_way_and_nobody_knows_its_name() -> None:
    way, _ = driven(HERE, before(SHELF), [*WALLS, Box((1.5, 0.0, 0.0), 0.1, 6.0)])
    assert (way.kind, way.obstacle) == (WayKind.BLOCKED, "")


def test_a_goal_that_is_occupied_is_full_and_by_what() -> None:
    drum = Box((3.0, 0.0, 0.0), 0.6, 0.6, "drum")
    way, _ = driven(HERE, Onto((3.0, 0.0, 0.0)), [*WALLS, drum], [drum])
    assert (way.kind, way.obstacle) == (WayKind.FULL, "drum")


def test_what_is_behind_is_looked_at_before_it_is_driven_to() -> None:
    way = plan(scene(HERE), Onto((-2.0, 0.0, 0.0)))
    assert way.kind is WayKind.LOOK
    assert all(math.dist((leg.x, leg.y), (0.0, 0.0)) < 0.1 for leg in way.legs)
    assert driven(HERE, Onto((-1.6, 0.0, 0.5), turned=True), WALLS)[1] == (-1.6, 0.0, 0.5)


def test_from_close_before_a_table_it_backs_off_the_way_that_it_came() -> None:
    there: Spot = (1.2, 0.55, 0.0)
    came = [(0.1 * step, 0.55, 0.0) for step in range(13)]
    seen = scene(there, [*WALLS, *LEGS], known=[TABLE], track=came)
    way = plan(seen, Onto((0.0, 0.55, 0.0)))
    assert way.kind.may_be_driven
    assert way.legs[0].x < 1.05 and way.legs[0].yaw == 0.0
    blocked = Box((0.2, 0.55, 0.0), 0.4, 0.4)
    seen = scene(there, LEGS, known=[TABLE, blocked], track=came[10:])
    assert plan(seen, Onto((-2.0, 0.55, 0.0))).kind is WayKind.STUCK


@pytest.mark.parametrize(
    ("side", "there"),
    [
        (Side.LEFT, (2.0, 0.45 + 0.3 + 0.495)),
        (Side.RIGHT, (2.0, -0.45 - 0.3 - 0.495)),
        (Side.BEHIND, (2.2 + 0.3 + 0.495, 0.0)),
        (Side.FRONT, (1.8 - 0.3 - 0.495, 0.0)),
    ],
)
def test_sides_are_those_of_who_comes(side: Side, there: tuple[float, float]) -> None:
    box = Box((2.0, 0.0, 0.0), 0.4, 0.9)
    way, spot = driven(HERE, Beside(box.middle, 0.4, 0.9, 0.3, side, (0.0, 0.0)), [*WALLS, box], [box])
    assert way.kind is WayKind.HERE
    aside = abs(spot[1]) == pytest.approx(0.45 + 0.3 + 0.335)  # in line with its front
    if side in (Side.LEFT, Side.RIGHT):
        assert spot[1] == pytest.approx(there[1]) or (aside and spot[1] * there[1] > 0.0)
    else:
        assert spot[0] == pytest.approx(there[0])


def test_nearer_is_straight_to_it_and_never_too_near() -> None:
    door = Nearer((3.0, 2.0, 0.0), 0.1, 0.9, 0.5, 0.2)
    way = plan(scene(HERE, WALLS), door)
    assert way.goal is not None
    assert math.dist(way.goal[:2], (0.0, 0.0)) == pytest.approx(0.5)
    assert way.goal[2] == pytest.approx(math.atan2(1.55, 2.95))
    (x, y, yaw) = (2.2, 2.0, 0.0)
    assert plan(scene((x, y, yaw)), Nearer((3.0, 2.0, 0.0), 0.1, 0.9, 0.5, 0.3)).kind is WayKind.HERE


def test_of_something_on_a_table_the_nearest_side_is_stood_at() -> None:
    cup = (1.95, 0.1)
    goal = Beside(TABLE.middle, TABLE.length_m, TABLE.width_m, 0.3, near=cup)
    _, (x, y, _) = driven(HERE, goal, [*WALLS, *LEGS], [TABLE])
    assert abs(y - cup[1]) < 0.15 and x < 1.2


def test_what_appears_on_the_way_is_noticed_and_what_is_behind_is_not() -> None:
    goal = Onto((3.0, 0.0, 0.0))
    way = plan(scene(HERE), goal)
    half: Spot = (1.2, 0.0, 0.0)
    assert still_free(scene(half), way)
    assert still_free(scene(half, known=[Box((-0.4, 0.0, 0.0), 0.3, 0.3)]), way)
    assert not still_free(scene(half, [Box((2.6, 0.2, 0.0), 0.2, 0.2)]), way)


def test_no_beams_no_way() -> None:
    blind = Scene(HERE, OUTLINE, ())
    assert not plan(blind, Onto((2.0, 0.0, 0.0))).kind.may_be_driven or all(
        math.dist((leg.x, leg.y), (0.0, 0.0)) < 0.3 for leg in plan(blind, Onto((2.0, 0.0, 0.0))).legs
    )


boxes = st.builds(
    Box,
    # Angles in hundredths: one of 5e-324 has the scanner's model divide by it.
    st.tuples(st.floats(-3.0, 4.0), st.floats(-3.0, 3.0), st.integers(0, 300).map(lambda angle: angle / 100)),
    st.floats(0.05, 1.5),
    st.floats(0.05, 1.5),
)


@settings(max_examples=12, deadline=None)
@given(
    st.lists(boxes, max_size=5),
    st.lists(boxes, max_size=2),
    st.tuples(st.floats(-2.5, 3.5), st.floats(-2.5, 2.5), st.floats(-3.0, 3.0)),
    st.booleans(),
)
def test_a_planned_way_never_enters_what_is_not_free(
    seen: list[Box], known: list[Box], there: Spot, turned: bool
) -> None:
    if stands_on(HERE, [*seen, *known]):
        return
    now = scene(HERE, [*seen, *WALLS], known=known)
    way = plan(now, Onto(there, turned=turned))
    if not way.kind.may_be_driven or not way.legs:
        return
    floor = Floor(now, [(leg.x, leg.y) for leg in way.legs], 1.5)
    spots = spots_along(HERE, way.legs)
    points = np.concatenate([under(spot) for spot in spots])
    rows = np.floor((points[:, 1] - floor.y0) / CELL_M).astype(int)
    columns = np.floor((points[:, 0] - floor.x0) / CELL_M).astype(int)
    # A cell that it stands in from the beginning, as the edge of a box does, is left and not entered.
    first = under(HERE)
    begun = {(int((y - floor.y0) // CELL_M), int((x - floor.x0) // CELL_M)) for x, y in first[:, :2].tolist()}
    entered = {*zip(rows.tolist(), columns.tolist(), strict=True)} - begun
    assert all(floor.free[row, column] for row, column in entered)
    # And what is free was looked at, or lies where the base stands and turns.
    was_seen = now.looks[0].sees_past(points[:, 0], points[:, 1])
    is_own = np.hypot(points[:, 0], points[:, 1]) <= floor.turning_m + 4 * CELL_M
    near_seen = np.zeros(len(points), np.bool_)
    for dx in (-CELL_M, 0.0, CELL_M):
        for dy in (-CELL_M, 0.0, CELL_M):
            near_seen |= now.looks[0].sees_past(points[:, 0] + dx, points[:, 1] + dy)
    assert (was_seen | near_seen | is_own).all()
    # What no scanner sees next to the base nobody knows: there its guard has it crawl.
    apart = [box for box in [*seen, *known] if box.distances(*np.zeros(2)) > floor.turning_m]
    assert not any(stands_on(spot, apart) for spot in spots[:: max(len(spots) // 20, 1)])


def test_a_cell_that_it_stands_in_with_the_edge_of_a_box_is_left() -> None:
    known = [Box((0.0, -1.09375, 2.0), 1.4375, 0.5)]
    assert not stands_on(HERE, known)
    assert plan(scene(HERE, WALLS, known=known), Onto((0.0, 1.0, 0.0))).legs
