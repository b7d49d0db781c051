"""What is wrong with what a device is measured by: a fault of its loop. Pure.

One that comes while the device moves lasts until a person has confirmed that it may move again. One that
comes while it stands, as a busy machine's hiccup does, ends by itself once all has been well for a moment:
nothing was moved by a mistake, whoever held it has lost it, and it is commanded by whoever asks anew.
"""

from __future__ import annotations

from typing import Final

from resources.controllers.loop import ControlLoopCore

WELL_FOR_S: Final = 0.5


class Trouble:
    """Of one device's loop."""

    def __init__(self, core: ControlLoopCore) -> None:
        self._core = core
        self._fault = ""
        self._well_since_s: float | None = None

    def look(self, words: str, now_s: float, *, stands: bool) -> None:
        """words: what is wrong now, or "". stands: nothing moves, and nothing is wanted to."""
        core = self._core
        if words:
            self._well_since_s = None
            if not core.fault:
                self._fault = words if stands else ""
            core.fail(words, now_s)
        elif not core.fault or core.fault != self._fault:
            self._fault = ""
        elif self._well_since_s is None:
            self._well_since_s = now_s
        elif now_s - self._well_since_s >= WELL_FOR_S:
            core.recovered()
