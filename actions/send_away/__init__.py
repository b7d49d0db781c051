"""Ends the session of a phone, a headset or a desk, as the console's button does."""

from __future__ import annotations

import pilothouse as ph
from actions.confirming import confirmed
from actions.people import have_done
from resources.types.people import (
    People,
    PeopleHandle,
    SentAway,
    may_not_send_away,
    what_is_driven,
)


class SendAway(ph.Action):
    """End somebody's session: that device has to be paired anew to come back."""

    while_stopped = True

    session: str = ph.param(default="", doc="whose; by default of who asks")

    people = ph.needs(People)

    async def run(self) -> None:
        now: PeopleHandle = self.people.handle
        by = self.supervisor.operator()
        session = self.session or by
        if why := may_not_send_away(now, session, by):
            raise ph.PilothouseError(why if self.session else f"say whose session is to end: {why}")
        if session == now.driver and by != session:
            driven = what_is_driven(now.driven)
            asked = f"{session} drives {driven} now, and will not any more. Is it to be sent away?"
            await confirmed(self, asked, f"{session} stays")
        await have_done(self, SentAway(session, by))
