"""What of a campaign's cells is struck, a hole, or out of reach."""

from __future__ import annotations

from framework.scenarios.campaign.coverage import COMINGS, SOUGHT, Cell, Coverage
from framework.scenarios.phases import Moment
from framework.scenarios.report import Struck
from framework.scenarios.scenario import Fail, How, Phase, Strike, When
from framework.scenarios.stage import StagePlace

MOVES, STARTS = Moment("move", Phase.MOVING), Moment("move", Phase.STARTING)
LIDAR = StagePlace(
    "lidar", {how: "it cannot" for how in How if how not in (How.DIE, How.SLOW)}, frozenset({How.SLOW})
)
ALL_CELLS = {Cell("lidar", how, moment) for how in (How.DIE, How.SLOW) for moment in (MOVES, STARTS)}


def struck(how: How, moment: Moment, *, error: str = "") -> Struck:
    strike = Strike(Fail("lidar", how), When(moment.phase, moment.action))
    return Struck(strike, moments=(moment,), error=error)


def after(comings: int, up_when: tuple[Moment, ...] = (), *, sought: int = 0) -> Coverage:
    coverage = Coverage(places=(LIDAR,))
    up = {moment: ("lidar",) if moment in up_when else () for moment in (MOVES, STARTS)}
    coverage.add((), {MOVES: comings, STARTS: comings}, up)
    for _ in range(sought):
        coverage.seek("lidar", STARTS)
    return coverage


def test_what_was_struck_is_no_hole_and_what_was_missed_is_one() -> None:
    coverage = after(1, (MOVES, STARTS))
    coverage.add((struck(How.DIE, MOVES), struck(How.SLOW, MOVES, error="it does not run now")), {}, {})
    assert set(coverage.holes) == ALL_CELLS - {Cell("lidar", How.DIE, MOVES)}
    assert coverage.percent == 25.0


def test_a_place_that_was_up_in_another_phase_is_sought_before_it_is_out_of_reach() -> None:
    assert after(10 * COMINGS, (MOVES,)).unseen == ((LIDAR, STARTS),)
    assert set(after(10 * COMINGS, (MOVES,), sought=SOUGHT - 1).holes) == ALL_CELLS
    coverage = after(10 * COMINGS, (MOVES,), sought=SOUGHT)
    out = Cell("lidar", How.SLOW, STARTS)
    assert coverage.unseen == () and set(coverage.out) == {out}
    assert set(coverage.holes) == ALL_CELLS - {out}  # it can die while it is not up: as `pilothouse fail`
    (why,) = (why for what, why in coverage.out_of_reach.items() if what.startswith("lidar (slow)"))
    assert f"{10 * COMINGS} times" in why and f"sought {SOUGHT} times" in why


def test_nothing_is_out_of_reach_before_its_phase_has_come_often() -> None:
    assert set(after(COMINGS - 1).out) == set()
    assert {cell.how for cell in after(COMINGS).out} == {How.SLOW}  # it was never up at all


def test_what_was_struck_after_all_is_in_reach() -> None:
    coverage = after(COMINGS)
    coverage.add((struck(How.SLOW, MOVES),), {}, {})
    assert Cell("lidar", How.SLOW, MOVES) not in coverage.out
