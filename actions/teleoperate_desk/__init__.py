"""Gives an arm or the base to somebody at a desk: keys, a game-pad, a space mouse.

What it does is what `teleoperate_phone` does (`actions.driving`); it is asked for in other words, and
takes a desk's session, whoever asks.
"""

from __future__ import annotations

import pilothouse as ph
from actions.driving import DrivingAction


class TeleoperateDesk(DrivingAction):
    """Let somebody drive with keys, a game-pad or a space mouse."""

    session: str = ph.param(default="", asked_by="sessions.desk", doc="whose desk; by default who asks")

    operator = ph.needs(
        lambda given: ph.OperatorSession(session=given.session, kind=ph.DeviceKind.DESK.value), exclusive=True
    )
