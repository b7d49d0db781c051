"""A microphone of the room in which a scenario's people speak (`pilothouse/testbed/room.py`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from pilothouse.testbed.room import RoomMicrophoneArguments, room_microphone_spec
from resources.children.starting import started
from resources.types.sensors import AudioFeed


class RoomMicrophone(Driver):
    """Hears what a scenario's people say (`speak`), as loud as anybody in the room does."""

    name: ClassVar[str] = "room_microphone"
    kind: ClassVar[str] = "audio"

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[AudioFeed]:
        """The open microphone. Raises what its request raises."""
        arguments = RoomMicrophoneArguments(str(device.directory), device.name)
        async with started(device, room_microphone_spec(arguments), AudioFeed) as feed:
            yield feed
