"""Forgets a remembered place or view."""

from __future__ import annotations

import pilothouse as ph


class Forget(ph.Action):
    """Forget a remembered place or view."""

    while_stopped = True

    name: str = ph.param(doc="the name that was given to it")

    store = ph.needs(ph.Memory)

    async def run(self) -> None:
        self.tell(f"{await self.store.forget(self.name)}.")
