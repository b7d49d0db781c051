"""What is known about the surroundings, and things followed with a sensor."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

from resources.types.clients import TrackedClient
from resources.types.streams import IDENTITY, Pose7, StreamHandle


class ThingKind(StrEnum):
    """What a known thing is."""

    OBJECT = "object"
    PLACE = "place"
    ROBOT = "robot"
    SENSOR = "sensor"


class KnownThing(msgspec.Struct, frozen=True):
    """A node of the context tree. `world_T_thing` as last known; `part_of` names its parent."""

    name: str
    kind: ThingKind
    world_T_thing: Pose7 = IDENTITY
    size_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    colour: str = ""
    part_of: str = ""


class Surroundings(msgspec.Struct, frozen=True):
    """All known things."""

    things: tuple[KnownThing, ...]


class Known(msgspec.Struct, frozen=True):
    """The context tree itself; UPDATE whenever it changes."""

    handle_type: ClassVar[type] = Surroundings

    def __str__(self) -> str:
        return "known things"


class TrackedFeed(msgspec.Struct, frozen=True):
    """Where a thing is, as a stream of poses (n is 0 while it is not seen) in the world frame."""

    thing: str
    camera: str
    stream: StreamHandle


class Tracked(msgspec.Struct, frozen=True):
    """Follow a thing with a camera and a detector."""

    handle_type: ClassVar[type] = TrackedFeed
    client_type: ClassVar[type] = TrackedClient

    thing: str

    def __str__(self) -> str:
        return f"tracked {self.thing}"
