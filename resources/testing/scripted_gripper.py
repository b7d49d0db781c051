"""A scripted gripper."""

from __future__ import annotations

import msgspec

from resources.controllers.ideal import IdealGripper
from resources.testing.scripted_mover import ScriptedMover
from resources.types.arms import GripperHandle
from resources.types.motion import ControllerKind, GripperSample, LoopState, MotionCommand, MoveGripper
from resources.types.streams import StreamHandle


class ScriptedGripper(ScriptedMover, IdealGripper):
    """A gripper.

    Attributes:
        width_m: how far it is open now. between_m: how wide the thing between its fingers is, None without.
        max_width_m, max_force_n: as its handle has them.
    """

    kind = ControllerKind.GRIPPER

    def __init__(self, side: str = "", *, device: str = "", between_m: float | None = None) -> None:
        IdealGripper.__init__(self, 0.08)
        self.script(device or f"{side}_gripper".strip("_"), side)
        self.between_m = between_m
        self.max_width_m = 0.08
        self.max_force_n = 70.0
        self._force_n = 0.0

    @property
    def holds(self) -> bool:
        """Whether it presses on something between its fingers."""
        return self._force_n > 0.0 and self.width_m == self.between_m

    def handle(self, state: StreamHandle) -> GripperHandle:
        """What a client gets."""
        return GripperHandle(
            self.device, self.side, "scripted_gripper", state, self.max_width_m, self.max_force_n
        )

    def sample(self, time_s: float, loop: LoopState) -> GripperSample:
        """What it reports."""
        return GripperSample(time_s, loop, self.width_m, self._force_n, self.holds)

    def take(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """As an ideal gripper; but what is between its fingers stops them."""
        self._force_n = 0.0
        thing_m = self.between_m
        if isinstance(command, MoveGripper) and thing_m is not None:
            is_met = command.width_m < thing_m <= self.width_m
            if is_met:
                self._force_n = command.force_n
                command = msgspec.structs.replace(command, width_m=thing_m, grasp=False)
        IdealGripper.begin(self, command, given_s, now_s)
