"""What an arm's law asks to keep it out of places, if anything does: `resources.twin.guard`."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from resources.controllers.limits import Permitted
from resources.controllers.state import ArmState
from resources.types.motion import Joints7
from resources.types.streams import Pose7

Array = NDArray[np.float64]


class Guard(Protocol):
    """Asked in every tick after the law, before the limits of torques; pure, as the law is."""

    def restart(self, q: Array) -> None:
        """The arm is measured anew, without a past (7,) [rad]."""
        ...

    def torque(self, state: ArmState, torque: Array, permitted: Permitted, dt_s: float) -> Array:
        """What to add to the law's torque, without weight (7,) [N m].

        Args:
            permitted: what the limits will leave of it; dt_s: since it was asked last.
        """
        ...

    def line_enters(self, start: Pose7, goal: Pose7) -> str:
        """What is in the tool's straight way, in words; "" if nothing is known to be."""
        ...

    def posture_enters(self, start: Joints7, goal: Joints7) -> str:
        """What is in the way between two postures [rad], in words; "" if nothing is known to be."""
        ...
