"""Stops what runs, as a step of a plan that comes from a file or a program.

It has no phrases. In words a stop is the language core's: alone it is a command to the supervisor, which
waits for no parsing; inside of a longer instruction it becomes a `Cancel` of the plan. A phrase here would
be a second way to say the same.
"""

from __future__ import annotations

import pilothouse as ph


class Stop(ph.Action):
    """Stop one of the running actions, or all of them."""

    is_said = False

    what: str = ph.param(default="", doc="the action or plan to stop; all of them by default")

    async def run(self) -> tuple[str, ...]:
        stopped: tuple[str, ...] = self.supervisor.stop(_without_filler(self.what))
        self.say(f"stopping {', '.join(stopped)}" if stopped else "nothing runs that could be stopped")
        return stopped


def _without_filler(what: str) -> str:
    said = what.strip().lower()
    return "" if said in ("everything", "all", "all of it") else said
