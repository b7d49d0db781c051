"""A microphone of this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from resources.children.arguments import MicrophoneArguments, MicrophoneParameters, as_told
from resources.children.specs import microphone_spec
from resources.children.starting import started
from resources.types.sensors import AudioFeed


class LocalMicrophone(Driver):
    """A microphone of this machine, by PortAudio, in a process of its own."""

    name: ClassVar[str] = "microphone"
    kind: ClassVar[str] = "audio"

    parameters: MicrophoneParameters

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[AudioFeed]:
        """The open microphone. Raises what its request raises."""
        arguments = MicrophoneArguments(
            run_directory=str(device.directory), device=device.name, **as_told(self.parameters)
        )
        async with started(device, microphone_spec(arguments), AudioFeed) as feed:
            yield feed
