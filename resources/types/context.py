"""What is known about the surroundings, and things followed with a sensor."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

from resources.types.clients import TrackedClient
from resources.types.streams import Pose7, StreamHandle


class ThingKind(StrEnum):
    """What a known thing is."""

    OBJECT = "object"
    FIXTURE = "fixture"
    PLACE = "place"
    PERSON = "person"
    ROBOT = "robot"
    SENSOR = "sensor"


class KnownThing(msgspec.Struct, frozen=True):
    """A node of the context tree.

    name: unique. called: what people call it, where that is not its name; two may be called the same.
    says: what else they may call it. colour: if it is known.
    world_T_thing: pose of its middle as last known, None where nobody knows; size_m: along its own axes.
    part_of: the thing that it stands on or belongs to. marker: the id of the fiducial that it carries and
    by which a camera can follow it. states: what it can be, if that can be told; state: what it is now, ""
    where nobody knows. robot_T_thing: of an arm or gripper of the robot's own, where its tool is in the
    robot's frame, which is known also where nobody knows where the robot stands. told_wall_s: of a person
    whom no sensor follows, when somebody told where that was [s since 1970 UTC]; None of anything else.
    """

    name: str
    kind: ThingKind
    world_T_thing: Pose7 | None = None
    size_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    colour: str = ""
    part_of: str = ""
    called: str = ""
    marker: int | None = None
    states: tuple[str, ...] = ()
    state: str = ""
    robot_T_thing: Pose7 | None = None
    says: tuple[str, ...] = ()
    told_wall_s: float | None = None

    @property
    def spoken(self) -> str:
        """What people call it: "front camera"."""
        return self.called or self.name.replace("_", " ")

    @property
    def with_article(self) -> str:
        """The same within a sentence: "the front camera", but "Charlie"."""
        return self.spoken if self.kind is ThingKind.PERSON else f"the {self.spoken}"


class Surroundings(msgspec.Struct, frozen=True):
    """All known things."""

    things: tuple[KnownThing, ...]


class Known(msgspec.Struct, frozen=True):
    """The context tree itself; UPDATE whenever it changes (of what moves: by five centimetres)."""

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
