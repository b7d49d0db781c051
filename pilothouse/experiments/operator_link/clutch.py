"""The clutch on the virtual clock: the hand falls silent, comes back elsewhere, the clutch is pressed anew.

Control loop, clutch, law and physics are the real ones, in lock-step; it repeats exactly.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.operator_link.relay import WIFI
from pilothouse.testbed.arm_stage import PERIOD_S
from pilothouse.testbed.hand_stage import HandStage
from resources.types.masters import HandSample
from resources.types.streams import Pose7

RATES_HZ: Final = (60.0, 72.0, 90.0)
MOVES_S: Final = 0.15
STROKE_M: Final = 0.012
"""Of the hand while it is followed; there and back again and again [m]."""

SILENT_S: Final = 0.25
ELSEWHERE_M: Final = 0.3
WATCHED_S: Final = 0.1
RESTS_S: Final = 1.0
"""An arm comes to rest within this [s]."""


class Silences(msgspec.Struct):
    """off_ms: from the last valid pose to clutch off, each; jump_mm: the greatest, at all pressings after."""

    off_ms: list[float] = []
    jump_mm: float = 0.0


class _Hand:
    """Sends poses at a page's rate over Wi-Fi: each at a time of its own between two ticks."""

    def __init__(self, stage: HandStage, drawn: random.Random) -> None:
        self.place: NDArray[np.float64] = np.zeros(3)
        self.engagement = 0
        self.heard_s = 0.0
        """When its newest pose comes, or came, on the clock of the loop [s]."""
        self._pressings = 0
        self._stage = stage
        self._drawn = drawn
        self._arrived_s = 0.0
        self._due_s = 0.0

    def press(self) -> None:
        """Close the clutch, anew."""
        self._pressings += 1
        self.engagement = self._pressings

    def release(self) -> None:
        """Open it."""
        self.engagement = 0

    def run(self, seconds: float, rate_hz: float, *, moving: bool) -> None:
        """Poses for so long."""
        stage = self._stage
        begun_s = stage.now_s
        self._due_s = begun_s + self._drawn.random() / rate_hz
        while stage.now_s < begun_s + seconds:
            if stage.now_s >= self._due_s:
                self._due_s += 1.0 / rate_hz
                self._send(math.sin(40.0 * (stage.now_s - begun_s)) if moving else 0.0)
            stage.step()

    def _send(self, share: float) -> None:
        x, y, z = self.place
        pose: Pose7 = (x, y, z + share * STROKE_M, 0.0, 0.0, 0.0, 1.0)
        stage = self._stage
        # Order is kept, and no arrival falls on a tick.
        self._arrived_s = max(self._arrived_s, stage.now_s + WIFI.one_way_s(self._drawn))
        sample = HandSample("", 0, 0.0, 0.0, self.engagement, base_T_hand=pose)
        self.heard_s = stage.send(sample, delay_s=self._arrived_s - stage.now_s).received_s


def silences(seed: int, trials: int, step: Callable[[], None] = lambda: None) -> Silences:
    """So many times: engaged and moving, silence, elsewhere, pressed anew with a hand that is held still."""
    drawn = random.Random(seed)
    found = Silences()
    stage = HandStage()
    hand = _Hand(stage, drawn)
    hand.run(0.1, RATES_HZ[0], moving=False)
    for trial in range(trials):
        rate_hz = RATES_HZ[trial % len(RATES_HZ)]
        hand.press()
        still = partial(hand.run, WATCHED_S, rate_hz, moving=False)
        _jump(found, stage, still)
        assert stage.state.engaged == hand.engagement, stage.state
        hand.run(MOVES_S * (0.7 + 0.6 * drawn.random()), rate_hz, moving=True)
        found.off_ms.append(1e3 * (_off_s(stage) - hand.heard_s))
        hand.place = np.array([drawn.uniform(-ELSEWHERE_M, ELSEWHERE_M) for _ in range(3)])
        _rest(stage)
        _jump(found, stage, still)  # it is held as before when it comes back, elsewhere
        hand.release()
        hand.run(0.05, rate_hz, moving=False)
        step()
    return found


def _off_s(stage: HandStage) -> float:
    """Without another pose: the tick in which the clutch goes off."""
    for _ in range(round(SILENT_S / PERIOD_S)):
        now_s = stage.now_s
        stage.step()
        if not stage.state.engaged:
            return now_s
    raise AssertionError(f"the clutch is still on after {SILENT_S:g} s of silence: {stage.state}")


def _rest(stage: HandStage) -> None:
    for _ in range(round(RESTS_S / PERIOD_S)):
        if stage.state.is_at_rest:
            return
        stage.step()


def _jump(found: Silences, stage: HandStage, passes: Callable[[], None]) -> None:
    """While that passes, neither target nor tool is to move."""
    controller = stage.stage.controller
    before = np.array(controller.base_T_target[:3]), stage.tool.copy()
    farthest = 0.0

    def look() -> None:
        nonlocal farthest
        now = np.array(controller.base_T_target[:3]), stage.tool
        farthest = max(farthest, *(float(np.linalg.norm(a - b)) for a, b in zip(now, before, strict=True)))

    stage.each = look
    try:
        passes()
    finally:
        stage.each = None
    found.jump_mm = max(found.jump_mm, 1e3 * farthest)
