"""An action that does not end when it is told to, in one way after the other. It says when it has begun."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Literal

import pilothouse as ph

#: Longer than anybody waits [s].
FOR_EVER_S = 600.0


class RefuseToEnd(ph.Action):
    """Do what no action may do, for ever; or only hold a device, whose driver may refuse."""

    risk = ph.Risk.NONE

    how: Literal["holding", "deaf", "executor", "thread", "blocked"]

    scanner = ph.needs(ph.Device("stubborn"), optional=True)

    async def run(self) -> None:
        print(f"refuses to end: {self.how}", flush=True)
        if self.how == "blocked":
            _block()
        if self.how == "executor":
            await asyncio.to_thread(time.sleep, FOR_EVER_S)
        if self.how == "thread":
            threading.Thread(target=time.sleep, args=(FOR_EVER_S,), name="left by a plugin").start()
        while True:
            try:
                await asyncio.sleep(FOR_EVER_S)
            except asyncio.CancelledError:
                if self.how != "deaf":
                    raise


def _block() -> None:
    """The main loop, for nobody else runs meanwhile."""
    time.sleep(FOR_EVER_S)
