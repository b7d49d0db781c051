"""What a world knows of each mechanism in it, and of the control loop that moves it."""

from __future__ import annotations

from typing import Protocol

from resources.controllers.loop import Mechanism
from resources.types.motion import ControllerKind, Joints7, LoopState, MotionSample
from resources.types.streams import Pose7


class WorldPart(Protocol):
    """One mechanism of a world: an arm, a gripper or a base, with the controller that drives it.

    A controller may be cut off, as by a crash or by hanging: the drives then stop by themselves.
    """

    kind: ControllerKind
    prefix: str
    """With it the names of the mechanism begin in the world's model."""

    frame: str
    """The body that its base frame is."""

    robot_T_base: Pose7

    @property
    def home(self) -> Joints7 | None:
        """An arm's home posture [rad]."""
        ...

    @property
    def mechanism(self) -> Mechanism:
        """The controller; another one after `restart`."""
        ...

    def tick(self, now_s: float, dt_s: float) -> None:
        """Let the controller see the state and drive the next step of the physics."""
        ...

    def cut(self, *, after_s: float = 0.0) -> None:
        """No more is heard from the controller; after so long a silence the drives stop, and lock."""
        ...

    def restart(self) -> None:
        """A new controller, which holds."""
        ...

    def fault(self) -> str:
        """Why the mechanism has stopped by itself, until it recovers; or ""."""
        ...

    def recover(self) -> None:
        """Have it forget its fault; moves nothing."""
        ...

    def sample(self, loop: LoopState, time_s: float) -> MotionSample:
        """What it reports."""
        ...
