"""A child that works slowly and well, until it is told to stand still: whom hangs.py hurts."""

from __future__ import annotations

import hashlib
import time
from typing import Final

from framework.processes.child import Child

TURN_S: Final = 0.4
_BLOCK: Final = bytes(1 << 20)


def work(child: Child) -> None:
    """Each turn is `TURN_S` of work in calls that let other threads run; any command blocks its main loop."""
    child.ready()
    while not child.stopping:
        child.beat()
        until_s = time.monotonic() + TURN_S
        while time.monotonic() < until_s:
            hashlib.sha256(_BLOCK).digest()
        if child.commands():
            time.sleep(60)
