"""What an action stands in the way of, told by what it has, and not by what it has asked for."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from framework.plugins import Action, action_spec, needs
from framework.plugins.withheld import HeldAlone, Withheld, withheld


class Hand(msgspec.Struct, frozen=True):
    """A handle."""

    side: str


class Arm(msgspec.Struct, frozen=True):
    side: str = ""

    def as_held(self, held: Hand | Arm) -> Arm:
        return Arm(self.side or held.side)


class Gripper(Arm, frozen=True):
    def as_held(self, held: Hand | Arm) -> Gripper:
        return Gripper(self.side or held.side)


class Seat(msgspec.Struct, frozen=True):
    pass


ANY_IS_LEFT = HeldAlone(Arm(), Hand("left"))
LEFT = HeldAlone(Arm("left"), Hand("left"))
SEAT = HeldAlone(Seat(), None)


@pytest.mark.parametrize(
    ("wanted", "held", "in_hand", "found"),
    [
        (Arm("left"), ANY_IS_LEFT, False, Withheld("Arm(side='left')")),
        (Arm("right"), ANY_IS_LEFT, True, Withheld()),
        (Arm(), ANY_IS_LEFT, False, Withheld("Arm()")),  # equal requests are one resource
        (Arm("left"), LEFT, False, Withheld("Arm(side='left')")),
        (Arm(), LEFT, False, Withheld()),  # whichever is free
        (Arm(), LEFT, True, Withheld("Arm()", is_open=True)),  # a hand is meant that has one
        (Gripper("left"), LEFT, True, Withheld()),
        (Seat(), SEAT, False, Withheld("Seat()")),
    ],
)
def test_needs(wanted: Any, held: HeldAlone, in_hand: bool, found: Withheld) -> None:
    assert withheld([wanted], [held], (), in_hand=in_hand, instead="press") == found


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Gripper("left"), Withheld("Gripper(side='left')", instead="press")),
        (Gripper(), Withheld("Gripper()", is_open=True, instead="press")),
        (Gripper("right"), Withheld()),
        (Arm("left"), Withheld()),
    ],
)
def test_what_is_used_besides(wanted: Any, found: Withheld) -> None:
    assert withheld([Seat(), wanted], (), [Gripper("left")], in_hand=False, instead="press") == found


def test_what_is_used_besides_comes_first_and_of_needs_what_is_surely_meant() -> None:
    wanted = [Arm(), Arm("left"), Gripper("left")]
    both = withheld(wanted, [LEFT], [Gripper("left")], in_hand=True, instead="press")
    assert both.instead == "press"
    assert withheld(wanted, [LEFT], (), in_hand=True, instead="press") == Withheld("Arm(side='left')")


class Lead(Action):
    """Has an arm, and its gripper with it."""

    arm = needs(Arm("left"), exclusive=True)
    other = needs(lambda given: (), exclusive=True)

    @classmethod
    def keeps(cls, has: Any) -> tuple[Gripper, ...]:
        assert has.other is None
        return (Gripper(has.arm.side),)

    async def run(self) -> None:
        return None


def test_what_an_action_keeps_is_told_by_the_handles_of_its_needs(caplog: pytest.LogCaptureFixture) -> None:
    spec = action_spec(Lead)
    assert spec.kept({"arm": Hand("left")}) == (Gripper("left"),)
    assert not caplog.records
    assert spec.kept({}) == ()
    assert "what lead keeps cannot be said" in caplog.text
