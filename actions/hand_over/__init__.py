"""Hands over to another phone, headset or desk what somebody drives; if nobody does, gives it to that one.

Who may do so is held by who provides `HandedOver`: whoever drives, and whoever is at the console.
"""

from __future__ import annotations

import pilothouse as ph
from actions.driving import DRIVES
from actions.people import have_done
from resources.types.begun import BOTH, SIDES
from resources.types.people import HandedOver


class HandOver(ph.Action):
    """Hand what is driven over to another session."""

    risk = ph.Risk.MOVES

    session: str = ph.param(doc="who drives from now on")
    side: str = ph.param(default="", one_of=(*SIDES, BOTH), doc="of the arm; by default what is driven now")
    drives: str = ph.param(
        default="", one_of=("", *DRIVES), doc="the arm, the base or both; by default what is driven now"
    )

    async def run(self) -> None:
        by = self.supervisor.operator()
        await have_done(self, HandedOver(self.session, by, self.side, self.drives))
