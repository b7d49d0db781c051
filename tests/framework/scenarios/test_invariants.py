"""What must hold in every run, and conditions that speak of motion: each can fail."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from framework.events import Event, EventKind
from framework.scenarios.invariants import Breach, MotionWatch, raw_errors, told_twice
from framework.scenarios.motion import MotionLog
from framework.scenarios.scenario import EmergencyStop, Motion, MotionBound, Play, Say
from framework.scenarios.stage import StageMotion

REST = StageMotion("arm", (0.0, 0.0, 0.5), True, 0.0)


def at(
    x: float, *, is_at_rest: bool = True, by_hand: bool = False, life: int = 0, reported_s: float = 0.0
) -> StageMotion:
    """The arm, so far from where it began."""
    return msgspec.structs.replace(
        REST,
        place=(x, 0.0, 0.5),
        is_at_rest=is_at_rest,
        by_hand=by_hand,
        life=life,
        reported_s=reported_s,
    )


def watched(*looks: tuple[float, StageMotion | Say | EmergencyStop | Play]) -> list[Breach]:
    """What the watch finds in these looks and deeds, at these times."""
    watch = MotionWatch()
    for now_s, what in looks:
        if isinstance(what, StageMotion):
            watch.see((what,), now_s)
        else:
            watch.deed(what, now_s)
    return [each.breach for each in watch.broken]


@pytest.mark.parametrize(
    "deed", [Say("stop"), Say("pause"), EmergencyStop("a test")], ids=["stop", "pause", "emergency"]
)
def test_what_was_stopped_moves_only_after_a_word(deed: Say | EmergencyStop) -> None:
    moves = ((3.0, at(0.0)), (3.1, at(0.01)), (3.2, at(0.02)))
    assert watched((0.0, at(0.0)), (1.0, deed), *moves) == [Breach.SURPRISE_MOTION]
    assert watched((0.0, at(0.0)), (1.0, deed), (2.0, Say("carry on")), *moves) == []
    braking = ((1.1, at(0.05)), (1.3, at(0.1)), (1.6, at(0.12)), (3.0, at(0.12)))
    assert watched((0.9, at(0.0)), (1.0, deed), *braking) == []


def test_a_world_that_stands_still_brakes_when_it_goes_on() -> None:
    frozen = [(1.0 + 0.1 * turn, at(0.1, is_at_rest=False)) for turn in range(1, 20)]
    brakes = [(3.0, at(0.12, is_at_rest=False)), (3.3, at(0.13)), (4.0, at(0.13)), (5.0, at(0.13))]
    began = ((0.0, at(0.0)), (1.0, Say("stop")))
    assert watched(*began, *frozen, *brakes) == []
    assert watched(*began, *frozen, *brakes, (5.1, at(0.2))) == [Breach.SURPRISE_MOTION]


def test_after_a_lost_hand_nothing_moves_by_itself() -> None:
    lost = ((0.0, at(0.0, by_hand=True)), (0.1, at(0.0)), (1.0, at(0.0)), (1.1, at(0.05)))
    assert watched(*lost) == [Breach.SURPRISE_MOTION]
    by_word = (lost[0], (0.05, Play("phone 1 lets go")), *lost[1:])
    assert watched(*by_word) == []
    again = (*lost[:3], (1.1, at(0.05, by_hand=True)))
    assert watched(*again) == [], "another hand is no surprise"


def test_a_hand_may_still_be_seen_for_a_moment_after_it_has_let_go() -> None:
    goes = (Play("phone 1 lets go"), Say("carry on"))
    ended = ((0.0, at(0.0)), (0.1, at(0.0, by_hand=True)), (1.0, goes[0]), (1.01, goes[1]))
    late = ((1.05, at(0.0, by_hand=True)), (1.1, at(0.0)), (2.0, at(0.0)), (2.1, at(0.05)))
    assert watched(*ended, *late) == [], "it moves by the word"
    anew = ((1.05, at(0.0)), (1.2, at(0.0, by_hand=True)), (1.3, at(0.0)), (2.2, at(0.0)), (2.3, at(0.05)))
    assert watched(*ended, *anew) == [Breach.SURPRISE_MOTION], "the hand that was put on again was lost"


def test_what_sways_is_judged_when_it_has_settled() -> None:
    began = ((0.9, at(0.0)), (1.0, Say("stop")))
    sways = ((1.7, at(0.01)), (1.9, at(0.0)), (2.2, at(0.001)), (2.3, at(0.001)), (4.0, at(0.001)))
    assert watched(*began, *sways) == []
    for_ever = tuple((1.7 + 0.1 * turn, at(0.005 * (turn % 2))) for turn in range(20))
    assert watched(*began, *for_ever) == [Breach.SURPRISE_MOTION]


def test_a_jump_is_more_than_the_top_speed_allows() -> None:
    assert watched((0.0, at(0.0)), (0.02, at(0.06))) == []
    assert watched((0.0, at(0.0)), (0.02, at(0.07))) == [Breach.JUMP]
    assert watched((0.0, at(0.0)), (0.02, at(0.5, life=1))) == [], "a world that began anew"
    seldom = (0.09, at(0.0, reported_s=0.0)), (0.101, at(0.1, reported_s=0.1))
    assert watched(*seldom) == [], "it was looked at late before, and soon after"


def said(kind: EventKind, text: str, t_s: float) -> Event:
    return Event(kind, text, plan="1", t_s=t_s)


def test_news_are_told_once() -> None:
    failed = said(EventKind.FAILED, "the camera is gone", 1.0)
    assert told_twice((failed, said(EventKind.FAILED, "the camera is gone", 3.0))) == []
    (broken,) = told_twice((failed, said(EventKind.FAILED, "the camera is gone", 1.1)))
    assert broken.breach is Breach.TOLD_TWICE


@pytest.mark.parametrize(
    ("text", "is_raw"),
    [
        ("The camera is gone.", False),
        ("swept lidar is of no use: StreamError: /dev/shm/pilothouse-1/x.ring", True),
        ("KeyError('arm')", True),
    ],
)
def test_nobody_is_told_what_only_programmers_understand(text: str, is_raw: bool) -> None:
    assert bool(raw_errors((said(EventKind.FAILED, text, 0.0),))) is is_raw


# ---------------------------------------------------------------- conditions of motion


def moved(log: MotionLog) -> None:
    """From the deed at 1 s on it moves for a second, 1 mm each 10 ms."""
    log.see((at(0.0),), 0.9)
    log.mark(1.0)
    for turn in range(1, 101):
        log.see((at(0.001 * turn, is_at_rest=turn == 100),), 1.0 + 0.01 * turn)
    for turn in range(1, 100):
        log.see((at(0.1),), 2.0 + 0.01 * turn)


def pushed(log: MotionLog) -> None:
    """The same, and then it meets something."""
    moved(log)
    log.see((msgspec.structs.replace(at(0.1), force_n=30.0),), 3.0)


def test_less_than_a_tenth_of_a_millimetre_is_no_motion() -> None:
    log = MotionLog()
    log.see((at(0.0),), 0.9)
    log.mark(1.0)
    log.see((at(0.00009),), 1.1)
    assert not log.why_not(Motion("arm", MotionBound.MOVED_AT_MOST, 0.0))
    log.see((at(0.0002),), 1.2)
    assert log.why_not(Motion("arm", MotionBound.MOVED_AT_MOST, 0.0))


@pytest.mark.parametrize(
    ("bound", "holds", "fails", "because", "how"),
    [
        (MotionBound.AT_REST_WITHIN, 1.05, 0.9, "it moved until 1.000 s", moved),
        (MotionBound.NEVER_MOVES_AFTER, 1.05, 0.9, "it moved at 1.000 s", moved),
        (MotionBound.MOVED_AT_MOST, 0.101, 0.09, "it moved 0.1000 m", moved),
        (MotionBound.MOVED_AT_LEAST, 0.099, 0.101, "it is 0.1000 m from there", moved),
        (MotionBound.JUMP_AT_MOST, 0.0011, 0.0009, "it jumped 0.0010 m", moved),
        (MotionBound.FORCE_AT_MOST, 31.0, 29.0, "it was 30.0 N", pushed),
    ],
)
def test_conditions_of_motion(
    bound: MotionBound, holds: float, fails: float, because: str, how: Callable[[MotionLog], None]
) -> None:
    log = MotionLog()
    how(log)
    assert log.why_not(Motion("arm", bound, holds)) == ""
    assert log.why_not(Motion("arm", bound, fails)).endswith(because)
    log.mark(4.0)
    if bound not in (MotionBound.FORCE_AT_MOST, MotionBound.MOVED_AT_LEAST):
        log.see((at(0.1),), 4.1)
        assert log.why_not(Motion("arm", bound, 1e-3)) == "", "what was before the deed does not count"


def test_what_cannot_be_judged_does_not_hold() -> None:
    log = MotionLog()
    moved(log)
    assert "nothing measures" in log.why_not(Motion("arm", MotionBound.FORCE_AT_MOST, 5.0))
    assert "nothing that moves" in log.why_not(Motion("leg", MotionBound.MOVED_AT_MOST, 5.0))


def test_a_stop_that_names_a_device_forbids_that_one_alone() -> None:
    moves = ((3.0, at(0.0)), (3.1, at(0.01)), (3.2, at(0.02)))
    assert watched((0.0, at(0.0)), (1.0, Say("stop the arm")), *moves) == [Breach.SURPRISE_MOTION]
    watch = MotionWatch()
    watch.see((at(0.0), msgspec.structs.replace(REST, device="left_crane")), 0.0)
    watch.deed(Say("stop the left crane"), 1.0)
    for now_s, arm in moves:
        watch.see((arm,), now_s)
    assert watch.broken == []


def test_what_nobody_sees_for_a_while_may_brake_meanwhile() -> None:
    unseen = msgspec.structs.replace(at(0.02), is_seen=False)
    looks = ((0.0, at(0.0)), (1.0, Say("stop")), (1.7, at(0.02)), (1.8, unseen), (3.0, unseen))
    seen_again = ((3.1, at(0.04)), (3.3, at(0.043)), (4.0, at(0.043)))
    assert watched(*looks, *seen_again) == []
    assert watched(*looks, *seen_again, (4.1, at(0.05))) == [Breach.SURPRISE_MOTION]
    log = MotionLog()
    for now_s, motion in ((0.0, at(0.0)), (0.1, msgspec.structs.replace(at(0.5), is_seen=False))):
        log.see((motion,), now_s)
    assert log.why_not(Motion("arm", MotionBound.MOVED_AT_MOST, 0.001)) == ""
