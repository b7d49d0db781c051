"""Does the operator's last instruction again. Which one that was, the supervisor knows."""

from __future__ import annotations

import pilothouse as ph


class Repeat(ph.Action):
    """Do the last instruction again."""

    repeats = True

    times: int = ph.param(default=1, ge=1, le=100, doc="how often")

    async def run(self) -> None:
        words = await self.supervisor.repeat(self.times)
        times = "" if self.times == 1 else f" {self.times} times"
        self.say(f"done again{times}: {words}")
