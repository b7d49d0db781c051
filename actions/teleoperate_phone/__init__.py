"""Gives an arm, both arms or the base into the hand of whoever holds a phone or wears a headset.

The hand moves what it drives past this action: `resources.types.driving` says what is left to do here.
"""

from __future__ import annotations

from typing import Any

import pilothouse as ph
from resources.types.begun import BOTH, SIDES
from resources.types.driving import DRIVES, IF_HELD, INSTEAD, Driving, grippers_of


class TeleoperatePhone(ph.Action):
    """Let somebody drive by a phone or a headset."""

    continuous = True
    holds_on = True
    risk = ph.Risk.MOVES
    priority = ph.Priority.OPERATOR
    on_preempt = ph.OnPreempt.GIVE_UP
    if_held = IF_HELD
    instead = INSTEAD

    side: str = ph.param(default="", one_of=(*SIDES, BOTH), doc="of the arm; whichever is free by default")
    drives: str = ph.param(default=DRIVES[0], one_of=DRIVES, doc="the arm, the base by the stick, or both")
    device: str = ph.param(
        default="", one_of=("", "phone", "headset"), doc="what is driven with; by default what asks"
    )
    session: str = ph.param(default="", asked_by="sessions", doc="whose hand drives; by default who asks")

    seat = ph.needs(ph.DriverSeat, exclusive=True)
    operator = ph.needs(
        lambda given: ph.OperatorSession(session=given.session, kind=given.device), exclusive=True
    )
    arm = ph.needs(
        lambda given: () if given.drives == "base" else ph.Arm("right" if given.side == BOTH else given.side),
        exclusive=True,
    )
    other = ph.needs(
        lambda given: ph.Arm("left") if given.side == BOTH and given.drives != "base" else (), exclusive=True
    )
    base = ph.needs(lambda given: () if given.drives == "arm" else ph.Base(), exclusive=True)
    camera = ph.needs(ph.Camera(kind="rgbd"), ph.Camera(kind="rgb"), optional=True)

    @classmethod
    def keeps(cls, has: Any) -> tuple[ph.Gripper, ...]:
        return grippers_of(has.arm, has.other)

    async def run(self) -> None:
        arms = [arm for arm in (self.arm, self.other) if arm]
        await Driving(self, self.operator, arms, self.base, self.camera).run()
