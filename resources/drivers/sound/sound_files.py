"""A "microphone" that hears recordings: for tests, demonstrations, and people's own recordings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from resources.children.arguments import SoundFilesArguments, SoundFilesParameters, as_told
from resources.children.specs import sound_files_spec
from resources.children.starting import started
from resources.types.sensors import AudioFeed


class SoundFiles(Driver):
    """Plays a file of sound, or those of a folder, into the robot's ear: as fast as people speak."""

    name: ClassVar[str] = "sound_files"
    kind: ClassVar[str] = "audio"

    parameters: SoundFilesParameters

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[AudioFeed]:
        """The recordings, from the first one on. Raises what its request raises."""
        arguments = SoundFilesArguments(
            run_directory=str(device.directory), device=device.name, **as_told(self.parameters)
        )
        async with started(device, sound_files_spec(arguments), AudioFeed) as feed:
            yield feed
