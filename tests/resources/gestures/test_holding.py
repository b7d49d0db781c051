"""When a gesture is an event: held, once, and by a hand of which it is known which one it is."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.gestures.holding import RULES, Holding, HoldRules, Seen
from resources.types.gestures import Gesture, GestureKind, TrackedHand, landmarks
from resources.types.masters import HandSide
from resources.types.whereabouts import Point
from tests.effort import random_inputs

LEFT, RIGHT = HandSide.LEFT, HandSide.RIGHT
NONE, FIST, PALM, UP, DOWN = (
    GestureKind.NONE,
    GestureKind.FIST,
    GestureKind.OPEN_PALM,
    GestureKind.THUMB_UP,
    GestureKind.THUMB_DOWN,
)
PERIOD_S = 1 / 30
HERE: dict[HandSide, Point] = {RIGHT: (0.0, -0.3, 1.0), LEFT: (0.0, 0.3, 1.0)}
SIZE_M = 0.09


class Watch:
    """A source of pictures on its own clock."""

    def __init__(self, rules: HoldRules = RULES) -> None:
        self.holding = Holding(rules)
        self.now_s = 100.0
        self.events: list[Gesture] = []

    def see(self, *hands: Seen) -> None:
        """One picture."""
        self.events += self.holding.saw(hands, self.now_s)
        self.now_s += PERIOD_S

    def hand(
        self,
        kind: GestureKind,
        side: HandSide = RIGHT,
        at: Point | None = None,
        frame: str = "camera",
        untold: frozenset[GestureKind] = frozenset(),
        confidence: float = 0.9,
    ) -> Seen:
        """One that is seen now; no two pictures are the same."""
        x, y, z = at or HERE[side]
        points = landmarks([(x, y, z + 1e-6 * self.now_s)] * 21)
        return Seen(
            TrackedHand(side, frame, self.now_s, 0.8, points), kind, confidence, untold, (x, y, z), SIZE_M
        )

    def show(self, kind: GestureKind, for_s: float, side: HandSide = RIGHT, at: Point | None = None) -> None:
        """One hand for a while."""
        for _ in range(round(for_s / PERIOD_S)):
            self.see(self.hand(kind, side, at))

    @property
    def kinds(self) -> list[GestureKind]:
        return [event.kind for event in self.events]


# -- what gives no event


def test_no_hands_are_no_gesture() -> None:
    watch = Watch()
    for _ in range(100):
        watch.see()
    assert watch.events == []


def test_less_than_the_hold_time_is_nothing() -> None:
    watch = Watch()
    watch.show(FIST, RULES.hold_s - PERIOD_S)
    watch.show(NONE, 2.0)
    assert watch.events == []


def test_none_that_is_held_is_nothing() -> None:
    watch = Watch()
    watch.show(NONE, 5.0)
    assert watch.events == []


def test_a_source_that_repeats_its_last_sample_gives_nothing() -> None:
    watch = Watch()
    watch.show(FIST, 0.3)
    last = watch.hand(FIST)
    for _ in range(100):
        watch.see(last)
    assert watch.events == []


def test_a_source_that_repeats_its_last_points_with_new_times_gives_nothing() -> None:
    watch = Watch()
    watch.show(FIST, 0.3)
    points = watch.hand(FIST).hand.points
    for _ in range(100):
        new = watch.hand(FIST)
        watch.see(msgspec.structs.replace(new, hand=msgspec.structs.replace(new.hand, points=points)))
    assert watch.events == []


def test_pictures_whose_times_do_not_rise_do_not_count() -> None:
    watch = Watch(HoldRules(least_frames=12))
    for picture in range(120):
        # Three of four are new points with the time of the first.
        new = watch.hand(FIST)
        first_s = watch.now_s - picture % 4 * PERIOD_S
        watch.see(msgspec.structs.replace(new, hand=msgspec.structs.replace(new.hand, taken_s=first_s)))
        assert bool(watch.events) == (picture >= 4 * 11)


def test_a_slow_tracker_takes_as_many_pictures_and_so_longer() -> None:
    watch = Watch()
    for picture in range(1, 10):
        watch.see(watch.hand(FIST))
        watch.now_s += 0.4
        assert bool(watch.events) == (picture >= RULES.least_frames)
    watch = Watch()
    for _ in range(10):
        watch.see(watch.hand(FIST))
        watch.now_s += RULES.silent_s
    assert watch.events == []


def test_where_it_was_shown_before_anybody_looked_nobody_knows_when_it_began() -> None:
    watch = Watch()
    watch.show(FIST, 3.0)
    assert [event.began_s for event in watch.events] == [0.0]


def test_a_gesture_began_when_it_was_first_seen_not_when_its_hold_began_to_count() -> None:
    watch = Watch()
    watch.show(NONE, 1.0)
    began_s = watch.now_s
    for _ in range(60):  # too unsure to count
        watch.see(watch.hand(FIST, confidence=0.7))
    watch.show(NONE, RULES.release_s / 3)
    watch.show(FIST, 2.0)
    (event,) = watch.events
    assert event.began_s == pytest.approx(began_s)


def test_who_may_be_the_other_hand_shows_since_then_what_either_does() -> None:
    watch = Watch()
    watch.show(NONE, 1.0, RIGHT)
    began_s = watch.now_s
    watch.show(FIST, 0.5, RIGHT)
    watch.show(FIST, 2.0, LEFT)  # the same hand, under another name
    (event,) = watch.events
    assert event.hand is LEFT and event.began_s == pytest.approx(began_s)


def test_how_much_of_its_time_a_gesture_was_held() -> None:
    watch = Watch()
    assert watch.holding.share(RIGHT) == 0.0
    watch.show(NONE, 0.5)
    assert watch.holding.share(RIGHT) == 0.0
    watch.show(FIST, RULES.hold_s / 2 + PERIOD_S)
    assert watch.holding.share(RIGHT) == pytest.approx(0.5, abs=0.1)
    watch.show(FIST, 2.0)
    assert watch.holding.share(RIGHT) == 1.0 and watch.holding.share(LEFT) == 0.0


def test_a_source_that_was_silent_begins_anew() -> None:
    watch = Watch()
    watch.show(FIST, RULES.hold_s - 2 * PERIOD_S)
    watch.now_s += RULES.silent_s + PERIOD_S
    watch.show(FIST, RULES.hold_s - 2 * PERIOD_S)
    assert watch.events == []
    watch.show(FIST, 5 * PERIOD_S)
    assert watch.kinds == [FIST]


def test_few_pictures_are_not_enough_however_long() -> None:
    watch = Watch()
    while watch.now_s < 110.0:
        watch.see(watch.hand(FIST))
        watch.now_s += RULES.silent_s  # with the picture's own period, longer than it may be silent
    assert watch.events == []


@pytest.mark.parametrize("off_s", [-1.0, -RULES.silent_s - 0.01, RULES.ahead_s + 0.01, 3600.0])
def test_stamps_of_another_time_are_nothing(off_s: float) -> None:
    watch = Watch()
    for _ in range(100):
        new = watch.hand(FIST)
        stamp_s = watch.now_s + off_s
        watch.see(msgspec.structs.replace(new, hand=msgspec.structs.replace(new.hand, taken_s=stamp_s)))
    assert watch.events == []


def test_a_hand_that_leaves_gives_nothing_and_one_that_comes_begins_anew() -> None:
    watch = Watch()
    watch.show(FIST, 0.4)
    for _ in range(20):
        watch.see()
    watch.show(FIST, 0.4)
    for _ in range(20):
        watch.see()
    assert watch.events == []


def test_a_hand_of_which_too_little_is_seen_counts_for_nothing() -> None:
    watch = Watch()
    for _ in range(60):
        watch.see(msgspec.structs.replace(watch.hand(NONE), centre=None, size_m=0.0))
    assert watch.events == []


def test_pictures_that_are_never_sure_are_nothing() -> None:
    watch = Watch()
    for _ in range(60):
        watch.see(watch.hand(FIST, confidence=RULES.sure - 0.01))
    assert watch.events == []


def test_two_hands_that_cross_give_nothing_until_they_are_apart_and_hold_anew() -> None:
    watch = Watch()
    apart = [0.3] * 12  # 0.4 s
    past = [0.3 - 0.6 * step / 18 for step in range(19)]
    for y in [*apart, *past, *[-y for y in apart]]:
        watch.see(watch.hand(FIST, RIGHT, (0.0, -y, 1.0)), watch.hand(PALM, LEFT, (0.0, y, 1.0)))
    assert watch.events == []
    for _ in range(round(RULES.hold_s / PERIOD_S)):
        watch.see(watch.hand(FIST, RIGHT, HERE[LEFT]), watch.hand(PALM, LEFT, HERE[RIGHT]))
    assert sorted(watch.kinds) == [FIST, PALM]


def test_hands_that_stay_beside_each_other_give_nothing() -> None:
    watch = Watch()
    for _ in range(100):
        watch.see(watch.hand(FIST, RIGHT, (0.0, -0.08, 1.0)), watch.hand(FIST, LEFT, (0.0, 0.08, 1.0)))
    assert watch.events == []


def test_hands_whose_names_are_swapped_give_nothing_for_half_a_hold_each() -> None:
    watch = Watch()
    for picture in range(120):
        right, left = (RIGHT, LEFT) if picture // 12 % 2 else (LEFT, RIGHT)
        watch.see(watch.hand(FIST, right, HERE[RIGHT]), watch.hand(NONE, left, HERE[LEFT]))
    assert watch.events == []


def test_two_hands_of_the_same_side_give_nothing() -> None:
    watch = Watch()
    for _ in range(100):
        watch.see(watch.hand(FIST, RIGHT, HERE[RIGHT]), watch.hand(FIST, RIGHT, HERE[LEFT]))
    assert watch.events == []


def test_a_hand_that_changes_its_frame_begins_anew() -> None:
    watch = Watch()
    for picture in range(100):
        watch.see(watch.hand(FIST, frame="front" if picture // 10 % 2 else "wrist"))
    assert watch.events == []


def test_a_hand_that_sweeps_past_holds_nothing() -> None:
    watch = Watch()
    for picture in range(60):
        watch.see(watch.hand(FIST, RIGHT, (0.0, -1.5 + 0.1 * picture, 1.0)))
    assert watch.events == []


# -- what does


def test_a_gesture_that_is_held_is_said_once_with_its_beginning() -> None:
    watch = Watch()
    watch.show(NONE, 1.0)
    began_s = watch.now_s
    watch.show(FIST, 5.0)
    (event,) = watch.events
    assert (event.kind, event.hand) == (FIST, RIGHT)
    assert event.began_s == pytest.approx(began_s, abs=2 * PERIOD_S)
    assert event.confidence == pytest.approx(0.8), "no surer than the tracker is of the hand"


def test_single_pictures_that_are_read_wrong_do_not_matter() -> None:
    watch = Watch()
    for picture in range(60):
        watch.see(watch.hand(NONE if picture % 10 == 2 else FIST))
    assert watch.kinds == [FIST]


def test_pictures_that_cannot_tell_speak_neither_for_a_gesture_nor_against() -> None:
    watch = Watch()
    for picture in range(60):
        can_tell = picture % 5 < 3
        watch.see(
            watch.hand(FIST if can_tell else NONE, untold=frozenset() if can_tell else frozenset([FIST]))
        )
    assert watch.kinds == [FIST]
    blind = Watch()
    for _ in range(60):
        blind.see(blind.hand(NONE, untold=frozenset([FIST])))
    assert blind.events == []


def test_as_much_other_as_the_same_is_no_holding() -> None:
    watch = Watch()
    for picture in range(120):
        watch.see(watch.hand(PALM if picture % 2 else FIST))
    assert watch.events == []


def test_it_counts_again_when_it_was_seen_to_be_over() -> None:
    watch = Watch()
    for _ in range(2):
        watch.show(UP, 0.8)
        watch.show(NONE, 1.0)
    assert watch.kinds == [UP, UP]


def test_it_is_not_over_because_the_source_was_silent_or_frozen() -> None:
    watch = Watch()
    watch.show(UP, 1.0)
    last = watch.hand(UP)
    for _ in range(60):
        watch.see(last)
    watch.now_s += 30.0
    watch.show(UP, 3.0)
    assert watch.kinds == [UP]


def test_one_picture_after_a_silence_is_no_end() -> None:
    watch = Watch()
    watch.show(UP, 1.0)
    watch.now_s += 30.0
    watch.see()
    watch.show(UP, 3.0)
    assert watch.kinds == [UP]


def test_a_moment_in_which_it_is_not_seen_is_no_end() -> None:
    watch = Watch()
    for _ in range(5):
        watch.show(UP, 1.0)
        watch.show(NONE, RULES.release_s - 2 * PERIOD_S)
    assert watch.kinds == [UP]


def test_after_an_event_the_other_gestures_wait_for_the_refractory_time() -> None:
    watch = Watch()
    watch.show(UP, RULES.hold_s + 2 * PERIOD_S)
    assert watch.kinds == [UP]
    said_s = watch.now_s
    while len(watch.events) < 2:
        watch.show(DOWN, PERIOD_S)
    assert watch.kinds == [UP, DOWN]
    assert watch.now_s - said_s >= RULES.refractory_s - 4 * PERIOD_S


def test_each_hand_has_its_own_hold() -> None:
    watch = Watch()
    for picture in range(60):
        kind = PALM if picture > 20 else NONE
        watch.see(watch.hand(FIST, RIGHT), watch.hand(kind, LEFT))
    assert [(event.kind, event.hand) for event in watch.events] == [(FIST, RIGHT), (PALM, LEFT)]


def test_a_hand_that_gets_another_name_does_not_say_it_again() -> None:
    watch = Watch()
    watch.show(FIST, 1.0, RIGHT)
    watch.show(FIST, 3.0, LEFT, HERE[RIGHT])
    watch.show(FIST, 3.0, RIGHT)
    assert watch.kinds == [FIST]


def test_hands_that_cross_do_not_say_again_what_they_said() -> None:
    watch = Watch()
    for _ in range(30):
        watch.see(watch.hand(FIST, RIGHT), watch.hand(NONE, LEFT))
    assert watch.kinds == [FIST]
    for _ in range(30):
        watch.see(watch.hand(FIST, RIGHT, (0.0, -0.05, 1.0)), watch.hand(NONE, LEFT, (0.0, 0.05, 1.0)))
    for _ in range(60):  # the names are now the other way round
        watch.see(watch.hand(FIST, LEFT), watch.hand(NONE, RIGHT))
    assert watch.kinds == [FIST]


@random_inputs(100)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([NONE, FIST, PALM]),
            st.sampled_from([RIGHT, LEFT, None]),
            st.floats(0.0, 0.4),
            st.booleans(),
        ),
        max_size=120,
    )
)
def test_whatever_comes_there_is_a_hold_before_each_event_and_the_refractory_time_between(
    pictures: list[tuple[GestureKind, HandSide | None, float, bool]],
) -> None:
    watch = Watch()
    said: list[float] = []
    for kind, side, wait_s, again in pictures:
        before = len(watch.events)
        hands = [] if side is None else [watch.hand(kind, side)]
        watch.see(*hands)
        if again:
            watch.see(*hands)
        assert len(watch.events) <= before + 1
        if len(watch.events) > before:
            event = watch.events[-1]
            assert event.kind is not NONE
            assert watch.now_s - event.began_s >= RULES.hold_s
            said.append(watch.now_s)
        watch.now_s += wait_s if wait_s > 0.3 else 0.0
