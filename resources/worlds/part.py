"""What a world knows of each mechanism in it, and of the control loop that moves it."""

from __future__ import annotations

from typing import Protocol

from resources.controllers.base_guard import BaseGuard
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
    def scan_guard(self) -> BaseGuard | None:
        """What of it wants the scans of whoever guards it; None: nothing."""
        ...

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


class Drives:
    """Of one mechanism: what they do when nothing is heard from its controller. Most have no reflexes."""

    def __init__(self) -> None:
        self._silent_s: float | None = None
        self._stops_after_s = 0.0

    @property
    def scan_guard(self) -> BaseGuard | None:
        """See `WorldPart.scan_guard`."""
        return None

    def cut(self, *, after_s: float = 0.0) -> None:
        """See `WorldPart.cut`; until then the last command goes on, as on a Franka whose packets get lost."""
        if self._silent_s is None:
            self._silent_s, self._stops_after_s = 0.0, after_s

    def fault(self) -> str:
        """See `WorldPart.fault`."""
        return ""

    def recover(self) -> None:
        """See `WorldPart.recover`."""

    @property
    def _is_cut(self) -> bool:
        return self._silent_s is not None

    def _stands_still(self, dt_s: float) -> bool:
        """A step on without the controller: whether the drives stop by now."""
        self._silent_s = (self._silent_s or 0.0) + dt_s
        return self._silent_s > self._stops_after_s
