"""Shows the surroundings in 3-D, with the best sensor that works, and goes on while sensors die."""

from __future__ import annotations

import pilothouse as ph


class ShowEnvironment(ph.Action):
    """Show the surroundings and keep showing them, with whatever sensor works."""

    continuous = True

    feed = ph.needs(ph.Camera(kind="rgbd"), ph.SweptLidar(), ph.Lidar(mount="front"))

    async def run(self) -> None:
        while True:
            view = ph.View(source=self.feed.stream, title=f"environment: {self.feed.device}")
            async with self.use(view):
                self.established(f"showing the environment with {self.feed.device}")
                await self.feed.changed()
