"""A supervisor that hangs, for the experiment `stopping`: its process lives, its heart does not beat."""

from __future__ import annotations

import time

import pilothouse as ph

#: How long it hangs [s].
HANGS_S = 1.0


class HungSupervisor(ph.Action):
    """Block the main process's event loop for a second."""

    risk = ph.Risk.NONE

    async def run(self) -> None:
        _hang()


def _hang() -> None:
    """What no action may ever do is the very fault that is tried here."""
    time.sleep(HANGS_S)
