"""Takes back what somebody drives, without giving it to another one. What was interrupted waits."""

from __future__ import annotations

import pilothouse as ph
from actions.people import have_done
from resources.types.people import People, PeopleHandle, TakenBack, may_not_take


class TakeBack(ph.Action):
    """Take back what a person drives."""

    while_stopped = True

    session: str = ph.param(default="", doc="from whom; by default from whoever drives")

    people = ph.needs(People)

    async def run(self) -> None:
        now: PeopleHandle = self.people.handle
        by = self.supervisor.operator()
        is_meant = self.session in ("", now.driver) and not may_not_take(now, by)
        if now.driver and is_meant and by != now.driver:
            # Only that person's own words let the robot go on by itself, where their hands may be.
            self.supervisor.hold_back(f"{now.driver} does not drive any more")
        await have_done(self, TakenBack(self.session, by))
