"""Takes back what somebody drives, without giving it to another one. What was interrupted waits."""

from __future__ import annotations

import pilothouse as ph
from actions.people import have_done
from resources.types.people import People, TakenBack


class TakeBack(ph.Action):
    """Take back what a person drives."""

    while_stopped = True

    session: str = ph.param(default="", doc="from whom; by default from whoever drives")

    people = ph.needs(People)

    async def run(self) -> None:
        by = self.supervisor.operator()
        await have_done(self, TakenBack(self.session, by))
