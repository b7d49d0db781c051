"""A room in which somebody speaks and every open microphone hears it: for scenarios. Words, not sound.

Each sentence is a file of the run directory that says from when on it is heard, so that a microphone that is
opened in its middle hears the rest of it, as in any room. Who makes sound of it: `room_microphone.py`; who
only plays that: `virtual_room.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from framework.plugins.parameters import Parameters
from framework.processes.spec import ProcessSpec
from framework.state import write_whole
from resources.audio.format import BLOCKS_HZ
from resources.children.specs import ENV, device_spec

ROOM: Final = "room"

SOON_S: Final = 0.5
"""Whoever speaks begins so long after being told to [s]: by then all microphones know what will be heard."""

MICROPHONE: Final = "pilothouse.testbed.room_microphone"


class Sentence(msgspec.Struct, frozen=True):
    """What somebody says. number: counts from 1. from_s: its beginning, CLOCK_MONOTONIC [s]."""

    number: int
    words: str
    from_s: float


class RoomMicrophoneArguments(Parameters, frozen=True):
    """The process's that is a microphone of the room."""

    run_directory: str
    device: str


def room_microphone_spec(arguments: RoomMicrophoneArguments) -> ProcessSpec:
    """A microphone of the room. Its handle is an `AudioFeed` as JSON."""
    return device_spec("microphone", MICROPHONE, arguments.device, arguments, BLOCKS_HZ, ENV)


class Room:
    """What is said in it, in the order in which it was begun. Raises OSError."""

    def __init__(self, run_directory: Path) -> None:
        self._folder = run_directory / ROOM
        self._folder.mkdir(exist_ok=True)
        self._known: dict[str, Sentence] = {}

    def say(self, words: str, now_s: float) -> None:
        """Somebody says this, a moment from now."""
        number = len(self.said()) + 1
        sentence = Sentence(number, words, now_s + SOON_S)
        write_whole(self._folder / f"{number:06d}.json", msgspec.json.encode(sentence))

    def said(self) -> list[Sentence]:
        """All of it."""
        for file in self._folder.glob("*.json"):
            if file.name not in self._known:
                self._known[file.name] = msgspec.json.decode(file.read_bytes(), type=Sentence)
        return [self._known[name] for name in sorted(self._known)]
