"""What an action that moves something remembers of its first run, and what it reports on the way. Pure.

A run may be interrupted (somebody took the arm, or it paused) and called again: it goes on from where the arm
is then, to what was meant at first, with the same arm.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from framework.errors import MotionFailed
from resources.types.motion_clients import MotionClient
from resources.types.motion_words import named
from resources.types.naming import plain

SIDES = ("", "left", "right")
"""What may be said of which arm or gripper is meant: "" is any."""

BOTH = "both"
"""What is said of two arms at once."""

#: So much further, and there is something to report.
_STEP = 0.25


class Begun(msgspec.Struct):
    """With which device an action has begun; "" before that."""

    device: str = ""

    def with_(self, mover: MotionClient) -> str:
        """It is begun, or goes on, with this; its name for people.

        Raises MotionFailed if it was begun with another one: what one arm began, another must not go on with.
        """
        if self.device and mover.device != self.device:
            raise MotionFailed(
                f"this was begun with the {plain(self.device)}, which is not to be had now; "
                f"to do it with {named(mover)}, say so"
            )
        self.device = mover.device
        return named(mover)


def in_steps(tell: Callable[[float, str], None], text: str) -> Callable[[float], None]:
    """Progress for people: `tell` is called with `text` at the start and each time a quarter more is done."""
    told = -1.0

    def progress(done: float) -> None:
        nonlocal told
        if done >= told + _STEP or (done >= 1.0 > told):
            told = done
            tell(done, text)

    return progress
