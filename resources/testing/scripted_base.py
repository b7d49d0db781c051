"""A scripted mobile base."""

from __future__ import annotations

import msgspec

from resources.controllers.ideal import IdealBase
from resources.testing.scripted_mover import ScriptedMover
from resources.types.arms import BaseHandle
from resources.types.motion import BaseSample, ControllerKind, LoopState, MotionCommand
from resources.types.streams import StreamHandle


class ScriptedBase(ScriptedMover, IdealBase):
    """A base that drives in any direction, straight to its goals.

    Attributes:
        odometry: x, y [m], yaw [rad] now. obstacle: what keeps it from driving on, reported as `blocked`;
            goals go on when it is "" again. is_blind: that is only that its scanners tell nothing.
    """

    kind = ControllerKind.BASE

    def __init__(self, device: str = "base") -> None:
        IdealBase.__init__(self)
        self.script(device, "")
        self.obstacle = ""
        self.is_blind = False

    def handle(self, state: StreamHandle) -> BaseHandle:
        """What a client gets."""
        return BaseHandle(self.device, "scripted_base", state, max_speed=0.5, max_turn=0.8)

    def sample(self, time_s: float, loop: LoopState) -> BaseSample:
        """What it reports."""
        ideal_mechanism = IdealBase.sample(self, time_s, loop)
        return msgspec.structs.replace(ideal_mechanism, blocked=self.obstacle, is_blind=self.is_blind)

    def tick(self, dt_s: float, now_s: float) -> None:
        """Let time pass; before an obstacle it stands."""
        super().tick(0.0 if self.obstacle else dt_s, now_s)

    def take(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """As an ideal base."""
        IdealBase.begin(self, command, given_s, now_s)
