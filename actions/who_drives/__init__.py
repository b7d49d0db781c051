"""Says who is connected with a phone, a headset or at a desk, and who of them drives what."""

from __future__ import annotations

import pilothouse as ph
from actions.who_drives import words
from resources.types.people import People, PeopleHandle


class WhoDrives(ph.Action):
    """Say who drives, and who is connected."""

    while_stopped = True
    only_answers = True

    about: str = ph.param(
        default="driver",
        one_of=("driver", "asker", "connected"),
        doc="who drives, whether who asks does, or who is there",
    )

    session: str = ph.param(default="", doc="of whom it is asked; by default of everybody")
    part: str = ph.param(
        default="", doc="of the robot, of which it is asked; by default of all that is driven"
    )

    people = ph.needs(People)

    async def run(self) -> None:
        now: PeopleHandle = self.people.handle
        match self.about:
            case "connected":
                self.tell(words.connected(now, self.session))
            case "asker":
                self.tell(words.whether(now, self.supervisor.operator(), is_asker=True))
            case _ if self.part:
                self.tell(words.driver_of(now, self.part))
            case _:
                self.tell(words.whether(now, self.session) if self.session else words.driver(now))
