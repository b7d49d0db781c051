"""Shows one stream: what a camera, a scanner or a device of a certain name gives."""

from __future__ import annotations

from typing import Any

import pilothouse as ph

#: What people call streams, best first.
_KINDS: dict[str, tuple[Any, ...]] = {
    "camera": (ph.Camera(kind="rgbd"), ph.Camera()),
    "scan": (ph.Lidar(mount="front"), ph.Lidar()),
    "cloud": (ph.Camera(kind="rgbd"), ph.SweptLidar()),
}


def _requests(given: Any) -> tuple[Any, ...]:
    """Who says a kind leaves the choice of the device to us; any other word is a device's name."""
    said = given.what.strip().lower()
    return _KINDS.get(said) or (ph.Device(said.replace(" ", "_")),)


class Show(ph.Action):
    """Show what a sensor gives, and keep showing it."""

    continuous = True

    what: str = ph.param(doc='"camera", "scan", "cloud", or the name of a device')

    feed = ph.needs(_requests)

    async def run(self) -> None:
        while True:
            async with self.use(ph.View(source=self.feed.stream, title=self.feed.device)):
                self.established(f"showing {self.feed.device}")
                await self.feed.changed()
