"""A "camera" that plays a film: for tests, demonstrations, and films of people's own hands."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from resources.children.arguments import FilmArguments, FilmParameters, as_told
from resources.children.specs import film_spec
from resources.children.starting import started
from resources.types.sensors import CameraFeed


class FilmCamera(Driver):
    """Plays a file of moving pictures as if a colour camera saw that now."""

    name: ClassVar[str] = "film_camera"
    kind: ClassVar[str] = "rgb"

    parameters: FilmParameters

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[CameraFeed]:
        """The film, from its first picture on. Raises what its request raises."""
        arguments = FilmArguments(
            run_directory=str(device.directory), device=device.name, **as_told(self.parameters)
        )
        async with started(device, film_spec(arguments), CameraFeed) as feed:
            yield feed
