"""What the robot is heard by: a loudspeaker of this machine, or a folder that gets what it says as files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from resources.children.arguments import LoudspeakerArguments, LoudspeakerParameters, SoundFolderParameters
from resources.children.specs import loudspeaker_spec
from resources.children.starting import started
from resources.types.voice import LoudspeakerFeed


class LocalLoudspeaker(Driver):
    """A loudspeaker of this machine, by PortAudio, with a voice (espeak-ng or piper)."""

    name: ClassVar[str] = "loudspeaker"
    kind: ClassVar[str] = "loudspeaker"

    parameters: LoudspeakerParameters

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[LoudspeakerFeed]:
        """The open loudspeaker. Raises what its request raises."""
        arguments = LoudspeakerArguments(
            run_directory=str(device.directory), device=device.name, loudspeaker=self.parameters
        )
        async with started(device, loudspeaker_spec(arguments), LoudspeakerFeed) as feed:
            yield feed


class SoundFolder(Driver):
    """A folder that stands in for a loudspeaker: each sentence becomes a file, as fast as it is spoken."""

    name: ClassVar[str] = "sound_folder"
    kind: ClassVar[str] = "loudspeaker"

    parameters: SoundFolderParameters

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[LoudspeakerFeed]:
        """The folder. Raises what its request raises."""
        arguments = LoudspeakerArguments(
            run_directory=str(device.directory), device=device.name, folder=self.parameters
        )
        async with started(device, loudspeaker_spec(arguments), LoudspeakerFeed) as feed:
            yield feed
