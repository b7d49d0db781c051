"""Epochs and permits alone: what raises which, and who may move after it."""

from __future__ import annotations

import pytest

from framework.interlock import Interlock, Listener, Loss, LossKind, Permit

HAND = Loss(LossKind.HAND, "phone 1", "phone 1 is lost")
NEAR = {"left": ("right",), "right": ("left",), "base": ()}


def near(device: str) -> tuple[str, ...]:
    return NEAR[device]


class Heard(Listener):
    def __init__(self) -> None:
        self.rises = 0
        self.changed: list[str] = []
        self.waits: list[tuple[str, str, int]] = []

    def epoch_rose(self) -> None:
        self.rises += 1

    def permit_changed(self, plan: str) -> None:
        self.changed.append(plan)

    def waits_for_word(self, plan: str, what: str, loss: Loss) -> None:
        self.waits.append((plan, what, loss.epoch))


def test_a_plan_moves_until_its_device_is_lost_and_again_after_a_word() -> None:
    interlock = Interlock(near)
    interlock.give_word("1")
    assert interlock.since("left", interlock.permit("1")) is None
    interlock.raise_for("left", HAND)
    loss = interlock.since("left", interlock.permit("1"))
    assert loss is not None and (loss.who, loss.epoch) == ("phone 1", 1)
    interlock.give_word("1")
    assert interlock.since("left", interlock.permit("1")) is None


def test_a_hand_raises_what_it_could_hit_and_nothing_else() -> None:
    interlock = Interlock(near)
    interlock.give_word("1")
    interlock.raise_for("left", HAND)
    assert interlock.since("right", interlock.permit("1")) is not None
    assert interlock.since("base", interlock.permit("1")) is None


@pytest.mark.parametrize("kind", LossKind)
def test_without_a_description_a_hand_raises_everything(kind: LossKind) -> None:
    interlock = Interlock()
    interlock.raise_for("left", Loss(kind))
    expected = kind is not LossKind.DEVICE
    assert (interlock.since("elsewhere", Permit("1")) is not None) is expected
    assert interlock.since("left", Permit("1")) is not None


def test_an_emergency_stop_raises_all_and_is_remembered() -> None:
    interlock = Interlock(near)
    interlock.give_word("1")
    before = interlock.permit("1")
    interlock.raise_all(Loss(LossKind.EMERGENCY, why="a button"))
    assert all(interlock.since(device, before) is not None for device in NEAR)
    assert interlock.was_before_emergency(before)
    interlock.give_word("1")
    assert not interlock.was_before_emergency(interlock.permit("1"))


@pytest.mark.parametrize("permit", [None, Permit(), Permit("unknown")])
def test_who_has_no_permit_has_had_no_word(permit: Permit | None) -> None:
    interlock = Interlock(near)
    interlock.raise_for("left", HAND)
    assert interlock.since("left", interlock.current(permit)) is not None


def test_what_is_held_still_may_be_held_whatever_was_lost() -> None:
    interlock = Interlock()
    interlock.raise_for("left", HAND)
    assert interlock.since("left", Permit("1", is_still=True)) is None


def test_one_failure_counts_once_for_a_device() -> None:
    interlock = Interlock(near)
    for _ in range(3):
        interlock.raise_for("left", HAND, incident="i1")
    interlock.raise_for("base", HAND, incident="i1")
    assert interlock.epoch == 2


def test_a_pause_is_no_word_and_takes_none_away() -> None:
    heard = Heard()
    interlock = Interlock(near)
    interlock.listen(heard)
    interlock.give_word("1")
    interlock.raise_for("left", HAND)
    interlock.suspend("1", True)
    interlock.suspend("1", False)
    assert interlock.permit("1").epoch == 0
    assert heard.changed == ["1", "1", "1"]
    assert heard.rises == 0, "it is told when its finder's books are in order"
    interlock.tell_rise()
    interlock.raise_all(HAND)
    assert heard.rises == 2


def test_who_waits_is_told_and_known_until_the_word() -> None:
    heard = Heard()
    interlock = Interlock(near)
    interlock.listen(heard)
    interlock.give_word("1")
    interlock.raise_for("left", HAND)
    permit = interlock.permit("1")
    loss = interlock.since("left", permit)
    assert loss is not None
    interlock.refused(permit, "arm", loss)
    assert heard.waits == [("1", "arm", 1)]
    assert interlock.awaited("1") == loss
    assert interlock.give_word("1")
    assert interlock.awaited("1") is None
    assert not interlock.give_word("1")


def test_what_moves_for_a_node_is_known_while_it_is_granted() -> None:
    interlock = Interlock()
    permit = Permit("1", "1.2")
    interlock.moves("lease", "right_arm", "sweep", lambda: permit)
    assert interlock.moved_for("1.2") == ("sweep", "right_arm")
    assert interlock.moved_for("1.1") == ()
    interlock.moves_no_more("lease")
    assert interlock.moved_for("1.2") == ()


class People:
    """Phone 1 has driven and is there; at phones nobody disposes of what is another one's."""

    def keeps(self, person: str) -> bool:
        return person == "phone 1"

    def besides(self, person: str) -> tuple[str, ...]:
        return ()

    def disposes(self, by: str, person: str) -> bool:
        return by == person or not by.startswith("phone")


def stopped() -> Interlock:
    """Phone 1 has driven the left arm, and was stopped."""
    interlock = Interlock(near)
    interlock.keepers.people = People()
    interlock.keepers.lets_go("left", "phone 1", by_word=False)
    interlock.raise_for("left", HAND)
    return interlock


@pytest.mark.parametrize(("by", "is_enough"), [("phone 2", False), ("phone 1", True), ("console", True)])
def test_what_is_kept_moves_by_the_word_of_whom_it_is_kept_for_or_of_who_disposes_of_it(
    by: str, is_enough: bool
) -> None:
    interlock = stopped()
    interlock.give_word("1", by=by)
    loss = interlock.since("left", interlock.permit("1"))
    assert (loss is None) is is_enough
    assert interlock.since("right", interlock.permit("1")) is None, "that is nobody's"
    if loss is not None:
        interlock.refused(interlock.permit("1"), "arm", loss)
        assert interlock.awaits_another("1", "phone 2") == "phone 1"
        assert not interlock.give_word("1", by="phone 2")
        assert interlock.awaits_another("1", "phone 1") == ""
        assert interlock.give_word("1", by="phone 1")
        assert interlock.since("left", interlock.permit("1")) is None


def test_a_word_from_before_it_was_lost_is_none() -> None:
    interlock = Interlock(near)
    interlock.keepers.people = People()
    interlock.give_word("1", by="phone 1")
    interlock.keepers.lets_go("left", "phone 1", by_word=False)
    interlock.raise_for("left", HAND)
    assert interlock.since("left", interlock.permit("1")) is not None
    interlock.give_word("1", by="phone 2")
    assert interlock.since("left", interlock.permit("1")) is not None


def test_for_another_persons_hand_only_who_has_asked_for_it_counts() -> None:
    interlock = stopped()
    interlock.want("1", "phone 2")
    interlock.give_word("1", by="phone 2")
    interlock.give_word("1", by="phone 1")  # "carry on", to whatever waits
    assert interlock.keeper("left", interlock.permit("1"), "phone 2") == "phone 1"
    assert interlock.keeper("left", interlock.permit("1"), "phone 1") == ""
    interlock.want("1", "phone 1")
    assert interlock.keeper("left", interlock.permit("1"), "phone 2") == ""


@pytest.mark.parametrize("plan", ["", "1"])
def test_what_is_held_still_needs_no_word_whoever_holds_it(plan: str) -> None:
    interlock = Interlock(near)
    interlock.raise_for("left", HAND)
    assert interlock.since("left", Permit(plan)) is not None
    assert interlock.since("left", Permit(plan, is_still=True)) is None
