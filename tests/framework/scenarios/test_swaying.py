"""An arm on a base that brakes sways: that is no motion of its own, and nothing else is let off."""

from __future__ import annotations

from framework.scenarios.motion import MotionLog
from framework.scenarios.scenario import Motion, MotionBound
from framework.scenarios.stage import StageMotion
from framework.scenarios.swaying import SETTLES_S, SWAYS_AT_MOST_M, Swaying

STEERED = (0.0, 0.0, 0.5)


def arm(x: float, *, steered: tuple[float, ...] | None = STEERED, is_at_rest: bool = False) -> StageMotion:
    """The arm on the base, so far from where it is steered to."""
    return StageMotion("arm", (x, 0.0, 0.5), is_at_rest, 0.0, carried_by="base", steered_to=steered)


def base(*, is_at_rest: bool) -> StageMotion:
    """The base, driving or not."""
    return StageMotion("base", (0.0, 0.0), is_at_rest, 0.0)


def seen(*looks: tuple[float, StageMotion, StageMotion]) -> list[tuple[float, bool]]:
    """How far off the arm counts as being, and whether as resting, at each look at (time, base, arm)."""
    swaying = Swaying()
    found = [swaying.steadied((its_base, its_arm), now_s)[1] for now_s, its_base, its_arm in looks]
    return [(each.counts_at[0], each.is_at_rest) for each in found]


DRIVES, RESTS = base(is_at_rest=False), base(is_at_rest=True)


def test_it_counts_as_being_where_it_is_steered_to_while_its_base_moves_and_until_it_has_settled() -> None:
    looks = [(0.0, DRIVES, arm(0.0)), (0.1, DRIVES, arm(0.02)), (0.1 + SETTLES_S, RESTS, arm(0.01))]
    assert seen(*looks) == [(0.0, False), (0.0, True), (0.0, True)]


def test_it_counts_as_being_where_it_is_when_its_base_has_rested_for_long() -> None:
    looks = [(0.0, DRIVES, arm(0.0)), (0.2 + SETTLES_S, RESTS, arm(0.01))]
    assert seen(*looks)[1] == (0.01, False)
    assert seen((0.0, RESTS, arm(0.01)), (0.1, RESTS, arm(0.02)))[1] == (0.02, False)


def test_what_its_law_steers_elsewhere_moves() -> None:
    looks = [(0.0, DRIVES, arm(0.0)), (0.1, DRIVES, arm(0.0, steered=(0.03, 0.0, 0.5)))]
    assert seen(*looks)[1] == (0.03, False)


def test_further_than_anything_sways_is_motion() -> None:
    far = 1.1 * SWAYS_AT_MOST_M
    assert seen((0.0, DRIVES, arm(0.0)), (0.1, DRIVES, arm(far)))[1] == (far, False)


def test_what_is_not_compliant_is_where_it_is() -> None:
    assert seen((0.0, DRIVES, arm(0.02, steered=None)))[0] == (0.02, False)


def test_its_jumps_are_those_of_where_it_is() -> None:
    swaying, log = Swaying(), MotionLog()
    for now_s, its_arm in ((0.0, arm(0.0)), (0.1, arm(0.02)), (0.2, arm(0.02))):
        log.see(swaying.steadied((DRIVES, its_arm), now_s), now_s)
    assert log.why_not(Motion("arm", MotionBound.MOVED_AT_MOST, 0.001)) == ""
    assert "jumped 0.0200 m" in log.why_not(Motion("arm", MotionBound.JUMP_AT_MOST, 0.01))
