"""Gives an arm, both arms or the base into the hand of whoever holds a phone or wears a headset.

The hand moves what it drives past this action: `actions.driving` says what is left to do here.
"""

from __future__ import annotations

import pilothouse as ph
from actions.driving import DrivingAction
from resources.types.begun import BOTH, SIDES


class TeleoperatePhone(DrivingAction):
    """Let somebody drive by a phone or a headset."""

    side: str = ph.param(default="", one_of=(*SIDES, BOTH), doc="of the arm; whichever is free by default")
    device: str = ph.param(
        default="", one_of=("", "phone", "headset"), doc="what is driven with; by default what asks"
    )

    operator = ph.needs(
        lambda given: ph.OperatorSession(session=given.session, kind=given.device), exclusive=True
    )
