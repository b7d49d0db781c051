"""Gives an arm or the base to somebody at a desk: keys, a game-pad, a space mouse.

What it does is what `teleoperate_phone` does (`resources.types.driving`); it is asked for in other words, and
takes a desk's session, whoever asks.
"""

from __future__ import annotations

from typing import Any

import pilothouse as ph
from resources.types.begun import SIDES
from resources.types.driving import DRIVES, IF_HELD, INSTEAD, Driving, grippers_of


class TeleoperateDesk(ph.Action):
    """Let somebody drive with keys, a game-pad or a space mouse."""

    continuous = True
    holds_on = True
    risk = ph.Risk.MOVES
    priority = ph.Priority.OPERATOR
    on_preempt = ph.OnPreempt.GIVE_UP
    if_held = IF_HELD
    instead = INSTEAD

    side: str = ph.param(default="", one_of=SIDES, doc="of the arm; whichever is free by default")
    drives: str = ph.param(default=DRIVES[0], one_of=DRIVES, doc="the arm, the base by the stick, or both")
    session: str = ph.param(default="", asked_by="sessions.desk", doc="whose desk; by default who asks")

    seat = ph.needs(ph.DriverSeat, exclusive=True)
    operator = ph.needs(
        lambda given: ph.OperatorSession(session=given.session, kind=ph.DeviceKind.DESK.value), exclusive=True
    )
    arm = ph.needs(lambda given: () if given.drives == "base" else ph.Arm(given.side), exclusive=True)
    base = ph.needs(lambda given: () if given.drives == "arm" else ph.Base(), exclusive=True)
    camera = ph.needs(ph.Camera(kind="rgbd"), ph.Camera(kind="rgb"), optional=True)

    @classmethod
    def keeps(cls, has: Any) -> tuple[ph.Gripper, ...]:
        return grippers_of(has.arm)

    async def run(self) -> None:
        arms = [self.arm] if self.arm else []
        await Driving(self, self.operator, arms, self.base, self.camera).run()
