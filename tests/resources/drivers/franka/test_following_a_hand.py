"""A real arm's process follows a person's hand: the genuine pylibfranka before the simulated control box."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path

import pytest

from framework.transport.ring import RingWriter
from resources.types.masters import HandSample, encode_hand
from resources.types.motion import ArmSample, Follow
from tests.resources.drivers.franka.bench import ArmRig, Bench
from tests.resources.drivers.franka.wheel import needs_pylibfranka

pytestmark = needs_pylibfranka

PERIOD_S = 0.016


class Hand:
    """Writes a hand's samples, as the operator process does."""

    def __init__(self, directory: Path) -> None:
        self.ring = RingWriter(directory, "hand_me_right", slot_bytes=1024, slots=8)
        self._number = 0

    async def be(self, y: float, engagement: int, seconds: float, *, to: float | None = None) -> None:
        """At a place for a while, or on the way from it to another."""
        end = y if to is None else to
        steps = max(1, round(seconds / PERIOD_S))
        for step in range(1, steps + 1):
            self._number += 1
            now_s = time.monotonic()
            pose = (0.0, y + (end - y) * step / steps, 0.0, 0.0, 0.0, 0.0, 1.0)
            sample = HandSample("me", self._number, now_s, now_s, engagement, base_T_hand=pose)
            self.ring.write(encode_hand(sample), stamp_s=now_s)
            await asyncio.sleep(PERIOD_S)


def _has(sample: ArmSample, number: int) -> bool:
    """Whether the loop has this command, or had it."""
    return number in (sample.loop.following, sample.loop.done)


def test_a_real_arm_follows_the_hand_and_holds_when_it_falls_silent(bench: Bench, tmp_path: Path) -> None:
    async def scene(rig: ArmRig) -> None:
        hand = Hand(tmp_path)
        before = (await rig.sample()).base_T_tool
        rig.hold("lease")
        number, at, pressing = 0, 0.0, 0
        # On a busy machine a gap opens the clutch, or the loop stands still, which ends its order: an action
        # wishes anew, a person presses anew, and so do we.
        while True:
            pressing += 1
            assert pressing < 20
            if not number or (await rig.sample()).loop.following != number:
                number = rig.repeat(Follow(str(hand.ring.path), "me"))
                await rig.until(partial(_has, number=number))
            await hand.be(0.0, 0, 0.3)
            await hand.be(0.0, pressing, 0.5)
            await hand.be(0.0, pressing, 0.8, to=0.04)
            await hand.be(0.04, pressing, 0.3)
            at = (await rig.sample()).base_T_tool[1] - before[1]
            sample = await rig.until(lambda s: s.loop.engaged == 0)
            if at > 0.03 and sample.loop.following == number:
                break
        assert "100 ms" in sample.loop.disengaged
        assert sample.loop.following == number
        rested = await rig.until(lambda s: s.loop.is_at_rest)
        await hand.be(0.5, pressing, 0.3)
        after = await rig.sample()
        assert after.loop.engaged == 0
        assert after.base_T_tool == pytest.approx(rested.base_T_tool, abs=1e-3)
        assert not after.loop.fault
        rig.cease()
        hand.ring.close()

    bench.play(scene)
