"""Guiding an arm by hand in an installation: "done" ends it, and what was interrupted or paused goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import pilothouse as ph
from tests.managers.operators_at_work import AtWork, at_work


@pytest.mark.parametrize("words", ["done", "carry on", "I'm done"])
def test_guiding_goes_on_until_whoever_asked_for_it_is_done(tmp_path: Path, words: str) -> None:
    async def play(work: AtWork) -> None:
        async with work.watching() as arm:
            await work.done("let me guide the arm", "ann")
            assert work.was_said("the arm can be guided by hand")
            await asyncio.sleep(0.3)
            assert arm().loop.mode == "guide"
            assert "nothing" in (await work.refused(words, "bob")).lower()
            assert arm().loop.mode == "guide", "it is not bob's"
            await work.done(words, "ann")
            assert work.installation.supervisor.plans() == ()
            await asyncio.sleep(0.3)
            assert (arm().loop.mode, arm().loop.holder) == ("hold", "")
            await work.done("move up 5 cm", "ann")

    at_work(tmp_path, play, phones=False)


def test_what_is_to_be_said_first_ends_it_as_well(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.done("let me guide the arm", "ann")
        why = await work.refused("move up 5 cm", "ann")
        assert why == (
            "That needs the arm, and I am making the arm compliant: "
            'say "stop making the arm compliant" first.'
        )
        await work.done(why.split('"')[1], "ann")
        await work.done("move up 5 cm", "ann")

    at_work(tmp_path, play, phones=False)


def test_what_waited_for_a_guided_arm_goes_on_when_it_is_given_back(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.done("let me guide the arm", "ann")
        waiting = work.say("move up 5 cm", "bob")
        await asyncio.sleep(1.0)
        assert waiting.succeeded is None
        await work.done("done", "ann")
        assert await waiting.done()

    at_work(tmp_path, play, phones=False)


def test_a_guided_arm_is_anothers_hand_and_is_guided_again_when_that_is_done(tmp_path: Path) -> None:
    async def play(work: AtWork) -> None:
        await work.play("phone 1 comes")
        async with work.watching() as arm:
            await work.done("let me guide the arm", "ann")
            await work.done("let me drive", "phone 1")
            assert work.session("phone 1").seat.seat is ph.Seat.READY
            await work.done("done", "phone 1")
            await asyncio.sleep(0.5)
            assert arm().loop.mode == "guide"
            await work.done("done", "ann")
        assert work.installation.supervisor.plans() == ()

    at_work(tmp_path, play)
