"""Stops what runs. "Stop" as a whole utterance never comes here: the supervisor carries it out before any
parsing. This is for plans and for "stop tracking", where it is one step among others.
"""

from __future__ import annotations

import pilothouse as ph


class Stop(ph.Action):
    """Stop one of the running actions, or all of them."""

    what: str = ph.param(default="", doc="the action or plan to stop; all of them by default")

    async def run(self) -> tuple[str, ...]:
        stopped: tuple[str, ...] = self.supervisor.stop(_without_filler(self.what))
        self.say(f"stopping {', '.join(stopped)}" if stopped else "nothing runs that could be stopped")
        return stopped


def _without_filler(what: str) -> str:
    said = what.strip().lower()
    return "" if said in ("everything", "all", "all of it") else said
