"""Hands over to another phone, headset or desk what somebody drives; if nobody does, gives it to that one.

Who may do so is held by who provides `HandedOver`: whoever drives, and whoever is at the console.
"""

from __future__ import annotations

from contextlib import suppress

import pilothouse as ph
from resources.types.begun import BOTH, SIDES
from resources.types.driving import DRIVES
from resources.types.people import HandedOver, People, PeopleHandle


class HandOver(ph.Action):
    """Hand what is driven over to another session."""

    risk = ph.Risk.MOVES

    session: str = ph.param(doc="who drives from now on")
    side: str = ph.param(default="", one_of=(*SIDES, BOTH), doc="of the arm; by default what is driven now")
    drives: str = ph.param(
        default="", one_of=("", *DRIVES), doc="the arm, the base or both; by default what is driven now"
    )

    people = ph.needs(People)

    async def run(self) -> None:
        before = self._driver
        wanted = HandedOver(self.session, self.supervisor.operator(), self.side, self.drives)
        try:
            async with self.use(wanted) as done:
                self.tell(done.words)
        except ph.ResourceUnavailable as error:
            if before and not self._driver:
                # It was given away and has not arrived: nobody may be there to see the robot go on by itself.
                with suppress(ph.PilothouseError):
                    self.supervisor.hold_back(f"{self.session} does not drive")
            raise ph.PilothouseError(error.message) from error

    @property
    def _driver(self) -> str:
        now: PeopleHandle = self.people.handle
        return now.driver
