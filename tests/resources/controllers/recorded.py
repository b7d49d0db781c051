"""A mechanism that records what its loop tells it, and orders as a manager writes them."""

from __future__ import annotations

import math

import msgspec

from framework.errors import CommandRefused
from framework.registrar.fencing import CommandStamp
from resources.controllers.loop import ControlLoopCore, Ended, MotionStop
from resources.types.motion import (
    Hold,
    MotionCommand,
    MoveJoints,
    Orders,
    StopCategory,
    TrackTwist,
    Wanted,
)

GOAL = MoveJoints((0.0,) * 7)
TWIST = TrackTwist((0.1, 0.0, 0.0, 0.0, 0.0, 0.0))
UNDO = MoveJoints((math.nan,) * 7)
"""What the recorded mechanism refuses."""


class Recorded:
    """`Mechanism`; what it was told is in `told`."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.begun: list[MotionCommand] = []
        self.is_locked = False
        self.target_age_s = 0.0
        self.progress = 0.0
        self.end: Ended | None = None

    @property
    def mode(self) -> str:
        return "locked" if self.is_locked else "move" if self.begun else "hold"

    @property
    def is_at_rest(self) -> bool:
        return not self.begun

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        if command == UNDO or (isinstance(command, MoveJoints) and math.isnan(command.joints[0])):
            raise CommandRefused("joint 1 is nan")
        assert not self.is_locked, "a locked mechanism was given a command"
        self.told.append("begin")
        self.begun.append(command)

    def rest(self) -> None:
        self.told.append("rest")
        self.begun.clear()
        self.end = None

    def lock(self) -> None:
        assert not self.is_locked, "locked twice"
        self.told.append("lock")
        self.begun.clear()
        self.is_locked = True

    def unlock(self) -> None:
        assert self.is_locked, "unlocked though it was not locked"
        self.told.append("unlock")
        self.is_locked = False

    def ended(self) -> Ended | None:
        ended, self.end = self.end, None
        return ended


class Desk:
    """A manager's side of one loop: writes orders, and hands them over when the loop ticks."""

    def __init__(self, stop: StopCategory = StopCategory.HOLD) -> None:
        self.mechanism = Recorded()
        self.core = ControlLoopCore("arm", self.mechanism, stop=stop)
        self.now_s = 100.0
        self.orders = Orders()
        self.stop = MotionStop()
        self.sequence = 0
        self._is_new = False

    def write(self, **changes: object) -> None:
        """New orders, which the next tick finds."""
        self.orders = msgspec.structs.replace(self.orders, **changes)
        self._is_new = True

    def grant(self, lease: str, generation: int) -> None:
        """Somebody holds it from now on."""
        self.write(holder=lease, generation=generation, stamp=None, wanted=None)

    def want(
        self,
        number: int,
        command: MotionCommand = GOAL,
        *,
        lease: str = "",
        generation: int | None = None,
        sequence: int = 0,
        sent_s: float | None = None,
    ) -> None:
        """A command, by default of the holder, now, and next in order."""
        self.sequence += 1
        stamp = CommandStamp(
            lease or self.orders.holder,
            self.orders.generation if generation is None else generation,
            sequence or self.sequence,
            self.now_s if sent_s is None else sent_s,
        )
        self.write(stamp=stamp, wanted=Wanted(number, command))

    def tick(self, *, after_s: float = 0.01) -> bool:
        """One period later; whether a recovery was ordered."""
        self.now_s += after_s
        orders, self._is_new = (self.orders if self._is_new else None), False
        recover = self.core.begin_turn(orders, self.stop, self.now_s)
        self.core.end_turn(self.now_s)
        return recover

    def ticks(self, seconds: float) -> None:
        """Many periods without news."""
        for _ in range(round(seconds / 0.01)):
            self.tick()


HOLD = Hold()
