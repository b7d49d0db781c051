"""Needs that could only be the same thing twice are refused in words; with a choice they are two things."""

from __future__ import annotations

from framework.plugins import Action, RunState, needs
from framework.testing.pytest_plugin import VirtualRunner
from tests.framework.plugins.stage import Arm, Stage, assert_ended


class Twice(Action):
    """Wants one arm for two."""

    holder = needs(Arm("left"), exclusive=True)
    mover = needs(Arm("left"), exclusive=True)

    async def run(self) -> None:
        raise AssertionError("it has one arm only")


class Choosing(Action):
    """Would take either for both."""

    holder = needs(Arm("left"), exclusive=True)
    mover = needs(Arm("left"), Arm("right"), exclusive=True)

    async def run(self) -> None:
        assert self.holder.lease.id != self.mover.lease.id


def test_one_thing_for_two_needs_is_refused_in_words() -> None:
    async def scene() -> None:
        async with Stage() as stage:
            outcome = await stage.runner(Twice).run()
            assert_ended(outcome, RunState.FAILED)
            assert "holder and mover cannot each have" in outcome.words
            assert "say which is which" in outcome.words

    VirtualRunner(seed=0)(scene)


def test_one_of_them_takes_the_other_thing() -> None:
    async def scene() -> None:
        async with Stage() as stage:
            assert_ended(await stage.runner(Choosing).run(), RunState.SUCCEEDED)

    VirtualRunner(seed=0)(scene)
