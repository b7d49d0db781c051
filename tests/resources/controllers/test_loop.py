"""Whose orders count, what stops, and what has become of a goal."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from resources.controllers.loop import STOOD_STILL_S, Ended, MotionStop
from resources.types.motion import (
    ORDER_LAPSES_S,
    MotionCommand,
    StopCategory,
)
from tests.resources.controllers.recorded import GOAL, HOLD, TWIST, UNDO, Desk

EMERGENCY = MotionStop(emergency=True, reason="somebody fell", token=7)


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.grant("a", 1)
    desk.tick()
    desk.mechanism.told.clear()
    return desk


# ---------------------------------------------------------------- whose commands count


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"lease": "b"}, "is not the holder"),
        ({"generation": 2}, "is not the holder"),
        ({"sent_s": 99.0}, "s old"),
        ({"sent_s": 160.0}, "s old"),
        ({"sent_s": float("nan")}, "s old"),
        ({"sequence": -1}, "doubled, or out of order"),
    ],
)
def test_a_command_that_is_not_the_holders_fresh_and_in_order_is_refused(
    desk: Desk, changes: dict[str, object], why: str
) -> None:
    desk.want(5, **changes)  # type: ignore[arg-type]
    desk.tick()
    state = desk.core.state()
    assert desk.mechanism.told == []
    assert (state.refused, state.refused_number) == (1, 5)
    assert why in state.refusal


def test_nobody_is_obeyed_before_a_grant_and_after_its_end(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    assert desk.core.state().following == 1
    desk.write(holder="", stamp=None, wanted=None)
    desk.tick()
    assert desk.mechanism.told == ["begin", "rest"]
    assert desk.core.state().outcome == "its holder has let it go"
    desk.want(2, lease="a")
    desk.tick()
    assert "nobody holds this" in desk.core.state().refusal


def test_the_next_holder_ends_what_the_last_one_began(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    desk.grant("b", 2)
    desk.tick()
    assert desk.mechanism.told == ["begin", "rest"]
    assert (desk.core.state().done, desk.core.state().outcome) == (1, "somebody else has it now")
    desk.want(2, lease="a", generation=1)
    desk.tick()
    assert desk.mechanism.begun == []
    desk.want(3)
    desk.tick()
    assert desk.core.state().following == 3


def test_a_grant_of_an_old_generation_gives_it_to_nobody_not_to_the_former_holder(desk: Desk) -> None:
    desk.grant("b", 1)
    desk.tick()
    assert desk.core.state().holder == ""
    for lease in ("a", "b"):
        desk.want(9, lease=lease, generation=1)
        desk.tick()
    assert desk.mechanism.begun == []


def test_grant_rest_and_command_in_one_look_leave_it_at_rest(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    desk.orders = desk.orders.__class__("b", 2, rests=1)
    desk.want(2)
    desk.tick()
    assert desk.mechanism.begun == []
    assert desk.core.state().holder == "b"
    assert "before arm was told to come to rest" in desk.core.state().refusal
    desk.want(2)
    desk.tick()
    assert desk.core.state().following == 2


# ---------------------------------------------------------------- what becomes of a goal


def test_a_goal_ends_once_and_its_late_repetitions_start_nothing(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    desk.mechanism.end = Ended()
    desk.tick()
    state = desk.core.state()
    assert (state.following, state.done, state.outcome) == (0, 1, "")
    desk.want(1)
    desk.tick()
    assert desk.mechanism.told == ["begin"]
    desk.want(2)
    desk.tick()
    desk.mechanism.end = Ended()
    desk.tick()
    desk.want(1)  # by now another one has been followed, and has ended
    desk.tick()
    state = desk.core.state()
    assert desk.mechanism.told == ["begin", "begin"]
    assert (state.following, state.done, state.refused_number) == (0, 2, 1)
    assert "has ended this command already" in state.refusal


def test_a_goal_that_another_replaces_is_told_so(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    desk.want(2)
    desk.tick()
    state = desk.core.state()
    assert (state.following, state.done, state.outcome) == (2, 1, "another command took its place")


def test_targets_that_follow_each_other_end_nothing(desk: Desk) -> None:
    for number in range(1, 6):
        desk.want(number, TWIST)
        desk.tick()
    assert (desk.core.state().following, desk.core.state().done) == (5, 0)
    desk.mechanism.end = Ended("no target has come")
    desk.tick()
    assert (desk.core.state().done, desk.core.state().outcome) == (5, "no target has come")


def test_what_the_mechanism_refuses_changes_nothing(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    desk.want(2, UNDO)
    desk.tick()
    state = desk.core.state()
    assert (state.following, state.refused_number, state.refusal) == (1, 2, "joint 1 is nan")


def test_a_goal_lapses_later_by_what_was_lent_to_its_sender_and_no_more(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    sent_s = desk.now_s
    desk.stop = MotionStop(lent=(sent_s + 0.05, sent_s + 0.55))
    desk.ticks(0.5 + ORDER_LAPSES_S - 0.03)
    assert desk.core.state().following == 1
    desk.ticks(0.1)
    assert (desk.core.state().done, desk.core.state().outcome) == (1, "its orders ceased")


def test_a_goal_that_is_not_repeated_lapses_and_a_target_is_the_mechanisms_own(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    desk.ticks(ORDER_LAPSES_S - 0.05)
    desk.want(1)
    desk.ticks(ORDER_LAPSES_S - 0.02)
    assert desk.core.state().following == 1
    desk.ticks(0.1)
    assert (desk.core.state().done, desk.core.state().outcome) == (1, "its orders ceased")
    assert desk.mechanism.told == ["begin", "rest"]
    desk.want(2, TWIST)
    desk.ticks(1.0)
    assert desk.core.state().following == 2


def test_how_long_a_goal_counts_does_not_add_up_over_its_way(desk: Desk) -> None:
    sent_s = desk.now_s
    desk.ticks(0.1)
    desk.want(1, sent_s=sent_s)
    desk.tick()
    assert desk.core.state().following == 1
    sent_s += 0.1
    desk.ticks(0.11)
    desk.want(1, sent_s=sent_s)  # 0.13 s under way: fresh enough to count, not to count from now
    desk.tick()
    assert desk.core.state().following == 1
    while desk.core.state().following:
        desk.tick()
    assert desk.now_s - sent_s <= ORDER_LAPSES_S + 0.011


def test_what_breaks_a_mechanism_is_refused_in_words_and_rests(desk: Desk) -> None:
    desk.want(1)
    desk.tick()

    def breaks(command: MotionCommand, given_s: float, now_s: float) -> None:
        raise ValueError("-101 is not a valid Result.")

    desk.mechanism.begin = breaks  # type: ignore[method-assign]
    desk.want(2)
    desk.tick()
    state = desk.core.state()
    assert state.refusal == "arm cannot follow this MoveJoints: ValueError: -101 is not a valid Result."
    assert (state.refused_number, state.following, state.done) == (2, 0, 1)
    assert desk.mechanism.told == ["begin", "rest"], "nobody knows how far it has got with it"


def test_a_recovery_under_an_emergency_stop_is_not_carried_out_then_or_later(desk: Desk) -> None:
    desk.core.fail("reflex", desk.now_s)
    desk.stop = EMERGENCY
    desk.tick()
    desk.write(recoveries=1)
    assert not desk.tick()
    state = desk.core.state()
    assert (state.fault, state.unrecovered) == ("reflex; reset the emergency stop first", 1)
    desk.stop = MotionStop(token=7)
    assert not desk.tick()
    desk.write(holder="b", generation=2)
    assert not desk.tick()
    assert desk.core.state().fault == "reflex"
    desk.write(recoveries=2)
    assert desk.tick()


def test_a_recovery_that_was_withdrawn_meanwhile_is_not_carried_out(desk: Desk) -> None:
    desk.core.fail("reflex", desk.now_s)
    desk.write(recoveries=1, withdrawn=1)
    assert not desk.tick()
    desk.write(recoveries=2)
    assert desk.tick()


def test_a_stale_repetition_is_dropped_without_a_word(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    desk.want(1, sent_s=desk.now_s - 1.0)
    desk.tick()
    assert desk.core.state().refused == 1
    assert desk.core.state().refused_number == 0


# ---------------------------------------------------------------- stops


def test_every_order_to_rest_counts_once_and_voids_what_was_given_before(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    early_s = desk.now_s
    desk.write(rests=2)  # two orders between two looks
    desk.tick()
    assert desk.mechanism.told == ["begin", "rest"]
    assert desk.core.state().rests == 2
    assert desk.core.state().outcome == "it was told to come to rest"
    desk.want(2, sent_s=early_s)
    desk.tick()
    assert desk.mechanism.begun == []


@pytest.mark.parametrize("category", list(StopCategory))
def test_an_emergency_stop_rests_or_locks_and_its_end_moves_nothing(category: StopCategory) -> None:
    desk = Desk(category)
    desk.grant("a", 1)
    desk.want(1)
    desk.tick()
    desk.stop = EMERGENCY
    desk.tick()
    locks = ["lock"] if category is StopCategory.BRAKES else []
    assert desk.mechanism.told == ["rest", "begin", "rest", *locks]
    assert desk.core.state().stopped == desk.core.state().outcome == "emergency stop: somebody fell"
    desk.want(2)
    desk.tick()
    assert "arm does not move: emergency stop" in desk.core.state().refusal
    desk.grant("b", 2)  # a grant under the stop is none
    desk.tick()
    desk.stop = MotionStop(token=7)
    desk.tick()
    assert desk.mechanism.is_locked is False
    for lease, generation in (("a", 1), ("b", 2)):
        desk.want(3, lease=lease, generation=generation)
        desk.tick()
    assert desk.mechanism.begun == []
    desk.grant("b", 3)
    desk.want(4)
    desk.tick()
    assert desk.core.state().following == 4


def test_a_stop_that_was_lifted_between_two_looks_counts(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    desk.stop = MotionStop(token=4)
    desk.tick()
    assert desk.mechanism.told[-1] == "rest"
    assert desk.core.state().holder == ""
    assert "emergency stop, which has been lifted" in desk.core.state().outcome


def test_a_stop_of_before_the_loop_began_is_none_of_its_business() -> None:
    desk = Desk()
    desk.grant("a", 1)
    desk.stop = MotionStop(token=3)
    desk.tick()
    assert desk.core.state().holder == "a"


def test_a_silent_supervisor_stops_but_takes_nothing_away(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    desk.stop = MotionStop(alone=True)
    desk.tick()
    assert desk.core.state().outcome == "the supervisor's heartbeat is missing"
    desk.want(2)
    desk.tick()
    assert desk.mechanism.begun == []
    desk.stop = MotionStop()
    desk.tick()
    desk.want(3)
    desk.tick()
    assert desk.core.state().following == 3


def test_a_loop_that_stood_still_does_not_go_on_where_it_was(desk: Desk) -> None:
    desk.want(1, HOLD)
    desk.tick()
    desk.want(1, sent_s=desk.now_s + 9.9)  # repeated all the time: this is the newest
    desk.tick(after_s=10.0)
    assert desk.mechanism.told == ["begin", "rest"]
    assert desk.core.state().outcome == "its control loop stood still for 10.0 s"
    desk.want(2, TWIST)
    desk.tick()
    desk.tick(after_s=STOOD_STILL_S - 0.01)  # a busy machine is slow, not stopped
    assert desk.core.state().following == 2


def test_a_loop_that_was_away_while_nothing_moved_takes_the_command_that_waits(desk: Desk) -> None:
    desk.want(1, sent_s=desk.now_s + 9.9)
    desk.tick(after_s=10.0)
    assert desk.core.state().following == 1
    desk.want(2, sent_s=desk.now_s)
    desk.tick(after_s=10.0)
    assert "s old" in desk.core.state().refusal
    assert desk.mechanism.begun == []


# ---------------------------------------------------------------- faults


def test_a_fault_locks_until_it_is_recovered_and_moves_nothing_then(desk: Desk) -> None:
    desk.want(1)
    desk.tick()
    desk.core.fail("reflex: pushed", desk.now_s)
    desk.core.fail("another one", desk.now_s)
    assert desk.mechanism.told == ["begin", "rest", "lock"]
    assert (desk.core.fault, desk.core.state().outcome) == ("reflex: pushed", "reflex: pushed")
    desk.grant("b", 2)
    desk.want(2)
    desk.tick()
    assert "reflex: pushed" in desk.core.state().refusal
    desk.write(recoveries=1)
    assert desk.tick()
    assert desk.core.state().recoveries == 0
    desk.core.recovered()
    assert desk.core.state().recoveries == 1
    desk.want(3)
    desk.tick()
    assert desk.mechanism.begun == [], "b was granted under the fault"
    desk.grant("b", 3)
    desk.want(4)
    desk.tick()
    assert desk.core.state().following == 4


def test_no_recovery_is_taken_for_granted() -> None:
    desk = Desk()
    desk.core.fail("reflex", desk.now_s)
    desk.write(recoveries=4)
    assert not desk.tick(), "what the mailbox counted before was for another loop"
    desk.write(recoveries=0)
    assert not desk.tick(), "a mailbox that is made anew confirms nothing"
    desk.write(recoveries=1)
    assert desk.tick()


def test_a_fault_recovered_under_an_emergency_stop_stays_locked_until_that_is_lifted() -> None:
    desk = Desk(StopCategory.BRAKES)
    desk.tick()
    desk.stop = EMERGENCY
    desk.tick()
    desk.core.fail("reflex", desk.now_s)
    desk.core.recovered()
    assert desk.mechanism.is_locked
    desk.stop = MotionStop(token=7)
    desk.tick()
    assert not desk.mechanism.is_locked
    assert desk.mechanism.told == ["rest", "lock", "rest", "unlock"]


# ---------------------------------------------------------------- whatever happens


class AnyOrders(RuleBasedStateMachine):
    """Orders of any kind: only the holder's fresh commands reach what moves, and every rest does."""

    @initialize(stop=st.sampled_from(StopCategory))
    def begin(self, stop: StopCategory) -> None:
        self.desk = Desk(stop)
        self.generation = 0
        self.number = 0
        self.must_not_begin = ""
        self.ticked()

    def ticked(self, *, rests: bool = False, after_s: float = 0.01) -> None:
        told = self.desk.mechanism.told
        told.clear()
        self.desk.tick(after_s=after_s)
        if rests:
            assert "rest" in told
        if self.must_not_begin:
            assert "begin" not in told[-1:], self.must_not_begin
            assert not self.desk.mechanism.begun, self.must_not_begin
        self.must_not_begin = ""

    @property
    def is_forbidden(self) -> bool:
        return self.desk.stop.emergency or self.desk.stop.alone or bool(self.desk.core.fault)

    @rule(lease=st.sampled_from("abc"), rises=st.booleans(), rests=st.booleans())
    def grant(self, lease: str, rises: bool, rests: bool) -> None:
        before = (self.desk.orders.holder, self.desk.orders.generation)
        self.generation += rises
        self.desk.grant(lease, self.generation)
        if rests:
            self.desk.write(rests=self.desk.orders.rests + 1)
        self.must_not_begin = "a grant alone moves nothing" if before != (lease, self.generation) else ""
        self.ticked(rests=rests or before != (lease, self.generation))

    @rule()
    def release(self) -> None:
        self.desk.write(holder="", stamp=None, wanted=None)
        self.must_not_begin = "nobody holds it"
        self.ticked()

    @rule(
        command=st.sampled_from([GOAL, TWIST, HOLD]),
        lease=st.sampled_from("abc"),
        age_s=st.sampled_from([0.0, 0.1, 0.19, 0.3, -1.0]),
        generation=st.integers(-1, 1),
        is_in_order=st.booleans(),
        is_new=st.booleans(),
        with_rest=st.booleans(),
        with_stop=st.booleans(),
    )
    def command(
        self,
        command: MotionCommand,
        lease: str,
        age_s: float,
        generation: int,
        is_in_order: bool,
        is_new: bool,
        with_rest: bool,
        with_stop: bool,
    ) -> None:
        desk = self.desk
        state = desk.core.state()
        self.number += is_new
        if with_rest:
            desk.write(rests=desk.orders.rests + 1)
        desk.want(
            self.number,
            command,
            lease=lease,
            generation=self.generation + generation,
            sequence=0 if is_in_order else -1,
            sent_s=desk.now_s - age_s,
        )
        # What comes in the very turn of a stop is begun and brought to rest before anything ticks.
        may_begin = (
            lease == state.holder == desk.orders.holder
            and generation == 0
            and desk.orders.generation == state.generation == self.generation
            and is_in_order
            and 0.0 <= age_s <= 0.19
            and not self.is_forbidden
            and not with_rest
        )
        if with_stop:
            desk.stop = MotionStop(emergency=True, token=desk.stop.token + 1)
        told = desk.mechanism.told
        told.clear()
        desk.tick(after_s=0.001)
        if not may_begin:
            assert "begin" not in told
        if with_rest or with_stop:
            assert not desk.mechanism.begun

    @rule(command=st.sampled_from([GOAL, TWIST, HOLD]), lease=st.sampled_from("abc"))
    def take_and_command(self, command: MotionCommand, lease: str) -> None:
        """The way it is meant to be: it moves, unless that is forbidden."""
        self.generation += 1
        self.number += 1
        self.desk.grant(lease, self.generation)
        self.ticked(rests=True)
        self.desk.want(self.number, command)
        self.must_not_begin = "it is forbidden" if self.is_forbidden else ""
        self.ticked()
        assert bool(self.desk.mechanism.begun) != self.is_forbidden

    @rule(seconds=st.sampled_from([0.01, 0.15, 0.25]))
    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.01)):
            self.ticked()

    @rule()
    def stand_still(self) -> None:
        self.must_not_begin = "it stood still"
        self.ticked(rests=bool(self.desk.mechanism.begun), after_s=2.0)

    @rule(lifted=st.booleans())
    def emergency(self, lifted: bool) -> None:
        before = self.desk.stop
        self.desk.stop = MotionStop(emergency=not lifted, token=before.token + 1)
        self.must_not_begin = "an emergency stop"
        self.ticked(rests=not before.emergency)

    @rule()
    def lift(self) -> None:
        self.desk.stop = MotionStop(token=self.desk.stop.token)
        self.ticked()
        assert "begin" not in self.desk.mechanism.told

    @precondition(lambda self: not self.desk.stop.emergency)
    @rule()
    def fall_silent(self) -> None:
        before = self.desk.stop
        self.desk.stop = MotionStop(alone=True, token=before.token)
        self.must_not_begin = "the supervisor is silent"
        self.ticked(rests=not before.alone)

    @rule()
    def fail(self) -> None:
        self.desk.core.fail("reflex", self.desk.now_s)
        assert self.desk.mechanism.is_locked
        assert not self.desk.mechanism.begun

    @rule()
    def recover(self) -> None:
        self.desk.write(recoveries=self.desk.orders.recoveries + 1)
        self.desk.mechanism.told.clear()
        if self.desk.tick():
            self.desk.core.recovered()
        assert "begin" not in self.desk.mechanism.told

    @rule()
    def end(self) -> None:
        if self.desk.mechanism.begun:
            self.desk.mechanism.begun.clear()
            self.desk.mechanism.end = Ended()
            self.ticked()
            assert self.desk.core.state().following == 0

    @invariant()
    def nothing_moves_that_must_not(self) -> None:
        if not hasattr(self, "desk"):
            return
        mechanism, state = self.desk.mechanism, self.desk.core.state()
        braked = self.desk.core.stop is StopCategory.BRAKES and state.stopped.startswith("emergency")
        assert mechanism.is_locked == (bool(state.fault) or braked)
        if state.stopped or state.fault:
            assert not mechanism.begun
        if not state.holder:
            assert not mechanism.begun
        assert bool(state.following) == bool(mechanism.begun)


AnyOrders.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestAnyOrders = AnyOrders.TestCase


def recovering() -> Desk:
    """A loop with a fault, whose recovery has just been ordered."""
    desk = Desk()
    desk.grant("a", 1)
    desk.tick()
    desk.core.fail("reflex: it was hit", desk.now_s)
    desk.tick()
    desk.write(recoveries=1)
    return desk


def test_a_turn_mends_the_mechanism_whose_recovery_was_ordered() -> None:
    desk, mended = recovering(), list[str]()
    assert desk.core.begin_turn(desk.orders, desk.stop, desk.now_s, recover=lambda: mended.append("arm"))
    desk.core.end_turn(desk.now_s)
    assert (mended, desk.core.state().fault, desk.core.state().recoveries) == (["arm"], "", 1)


def test_what_trips_again_in_the_turn_of_its_recovery_has_not_recovered() -> None:
    desk = recovering()
    desk.core.begin_turn(desk.orders, desk.stop, desk.now_s, recover=lambda: None)
    desk.core.end_turn(desk.now_s, "reflex: it is held")
    state = desk.core.state()
    assert (state.fault, state.recoveries, state.unrecovered) == ("reflex: it is held", 0, 1)
    desk.core.end_turn(desk.now_s, "reflex: it is held")
    assert desk.core.state().unrecovered == 1
