"""Shows something: a stream, a thing in the picture in which it is seen, or a remembered view."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import pilothouse as ph

#: What people call streams, best first.
_KINDS: dict[str, tuple[Any, ...]] = {
    "camera": (ph.Camera(kind="rgbd"), ph.Camera()),
    "scan": (ph.Lidar(mount="front"), ph.Lidar()),
    "cloud": (ph.Camera(kind="rgbd"), ph.SweptLidar()),
}


def _requests(given: Any) -> tuple[Any, ...]:
    """Who says a kind leaves the choice of the device to us; any other word is the name of something."""
    said = given.what.strip().lower()
    return _KINDS.get(said) or (ph.Sight(said),)


class Show(ph.Action):
    """Show what a sensor gives, a thing in the camera that sees it, or a remembered view; keep showing it."""

    continuous = True

    what: str = ph.param(
        doc='"camera", "scan", "cloud", or the name of a device, a thing or a remembered view'
    )

    feed = ph.needs(_requests)

    async def run(self) -> None:
        while True:
            async with AsyncExitStack() as shown:
                pictures = self._pictures()
                for picture in pictures:
                    view = ph.View(source=picture.stream, title=picture.title or picture.device)
                    await shown.enter_async_context(self.use(view))
                titles = dict.fromkeys(picture.title or picture.device for picture in pictures)
                self.established(f"showing {' and '.join(titles)}")
                await self.feed.changed()

    def _pictures(self) -> tuple[ph.Picture, ...]:
        feed = self.feed.handle
        return feed.pictures if isinstance(feed, ph.SightFeed) else (ph.Picture(feed.device, feed.stream),)
