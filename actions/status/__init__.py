"""Says what goes on and has happened, and why: from what the supervisor has recorded, and the devices."""

from __future__ import annotations

import pilothouse as ph
from actions.status import words


class Status(ph.Action):
    """Say what I am doing, why I stopped, whether it is done, what is broken."""

    while_stopped = True
    only_answers = True

    about: str = ph.param(
        default="doing",
        one_of=(
            *("doing", "why", "stopped", "done", "until", "since", "steps", "faults", "devices"),
            *("heard", "there", "unmeasured"),
        ),
        doc="what is asked",
    )
    of: str = ph.param(default="", doc="of what it is asked; of everything by default")
    question: str = ph.param(default="", doc="as it was asked")

    known = ph.needs(ph.Known)

    async def run(self) -> None:
        devices = words.devices(self.known.things)
        match self.about:
            case "faults":
                recent = self.supervisor.account("faults")
                self.tell(
                    words.faults(recent, await self._that_work(devices), self.supervisor.account("doing"))
                )
            case "devices":
                self.tell(words.working(self.of, await self._that_work(words.of_kind(self.of, devices))))
            case "unmeasured":
                self.tell(words.unmeasured(self.of or self.question, devices))
            case _:
                self.tell(self.supervisor.account(self.about, self.of))

    async def _that_work(self, devices: tuple[str, ...]) -> dict[str, bool | None]:
        """Of each device whether it works; None if nobody can tell."""
        return {each: (await self.supervisor.whether(f"{each} is working")).is_so for each in devices}
