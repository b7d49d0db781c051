"""An arm on the stage that follows a person's hand: control loop, clutch, law and physics, in step.

What comes between hand and loop (a network, the way through processes) is a delay of each sample; nothing
here waits for a real clock. Experiments and property tests use it.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.registrar.fencing import CommandStamp
from pilothouse.testbed.arm_stage import PERIOD_S, ArmStage
from resources.controllers.loop import ControlLoopCore, MotionStop
from resources.types.masters import HandSample
from resources.types.motion import ORDER_PERIOD_S, Follow, LoopState, Orders, Wanted
from resources.types.streams import Pose7

Array = NDArray[np.float64]

SESSION = "session"


class HandStage:
    """An arm that was told to follow a session's hand, and the hand's samples on their way.

    beats: the action goes on repeating its order; set it False to have it fall silent.
    """

    def __init__(self, stage: ArmStage | None = None) -> None:
        self.stage = stage or ArmStage()
        self.core = ControlLoopCore("arm", self.stage.controller)
        self.stop = MotionStop()
        self.beats = True
        self.each: Callable[[], None] | None = None
        self._number = 0
        self._sequence = 0
        self._wish = 1
        self._orders = Orders(holder="lease", generation=1)
        self._due_s = 0.0
        self._under_way: list[tuple[float, HandSample]] = []
        self.run(0.01)

    @property
    def now_s(self) -> float:
        """On the control process's clock."""
        return self.stage.now_s

    @property
    def state(self) -> LoopState:
        """What the loop says of itself."""
        return self.core.state()

    @property
    def tool(self) -> Array:
        """Where the tool point truly is (3,) [m]."""
        return self.stage.tool

    def follow(self) -> None:
        """The action wishes anew, as after an end."""
        self._wish += 1
        self._due_s = self.now_s

    def send(self, sample: HandSample, *, delay_s: float = 0.0) -> HandSample:
        """A sample sets out now; it is numbered and stamped here, and arrives `delay_s` later."""
        self._number += 1
        sent = msgspec.structs.replace(
            sample,
            session=SESSION,
            number=self._number,
            taken_s=self.now_s,
            received_s=self.now_s + delay_s,
        )
        self._under_way.append((self.now_s + delay_s, sent))
        return sent

    def hand(self, pose: Pose7, engagement: int, *, delay_s: float = 0.0, **fields: object) -> HandSample:
        """A plain sample: a pose, and whether the clutch is pressed (the number of this pressing, or 0)."""
        sample = HandSample("", 0, 0.0, 0.0, engagement, base_T_hand=pose)
        return self.send(msgspec.structs.replace(sample, **fields), delay_s=delay_s)

    def run(self, seconds: float) -> None:
        """Let time pass."""
        for _ in range(round(seconds / PERIOD_S)):
            self.step()

    def step(self) -> None:
        """One millisecond: orders, samples that have arrived, law, physics."""
        now_s, core = self.now_s, self.core
        orders = None
        if self.beats and now_s >= self._due_s - 1e-9:
            self._due_s = now_s + ORDER_PERIOD_S
            self._sequence += 1
            stamp = CommandStamp("lease", 1, self._sequence, now_s)
            wanted = Wanted(self._wish, Follow("ring", SESSION))
            orders = msgspec.structs.replace(self._orders, stamp=stamp, wanted=wanted)
        core.begin_turn(orders, self.stop, now_s, hand=self._arrived)
        self.stage.step()
        core.end_turn(now_s)
        if self.each is not None:
            self.each()

    def _arrived(self, follow: Follow | None, now_s: float) -> HandSample | None:
        """The newest that has arrived: what lay in the ring meanwhile is never seen."""
        arrived = [sample for due_s, sample in self._under_way if due_s <= now_s + 1e-9]
        self._under_way = [each for each in self._under_way if each[0] > now_s + 1e-9]
        return arrived[-1] if arrived else None
