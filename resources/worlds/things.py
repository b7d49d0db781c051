"""The named things of a world, as the context tree wants them: what it is called, what it is, where it is."""

from __future__ import annotations

from enum import Enum

import msgspec

from resources.arms.pose import Pose, Quaternion, Vector3


class ThingKind(Enum):
    """What one may do with a thing: handle it, operate it, go to it, talk to it, or command it."""

    OBJECT = "object"
    FIXTURE = "fixture"
    PLACE = "place"
    PERSON = "person"
    ROBOT = "robot"


class Thing(msgspec.Struct, frozen=True):
    """A named thing with its pose in the world frame; `size` is its box [m] along its own axes.

    colour: if it has one that tells it from others. says: what else people call it.
    """

    name: str
    kind: ThingKind
    position: Vector3
    quaternion: Quaternion
    size: Vector3
    colour: str = ""
    says: tuple[str, ...] = ()


class ThingDefinition(msgspec.Struct, frozen=True):
    """What a scene says of a thing: the body it follows and where its centre lies in that body."""

    name: str
    kind: ThingKind
    body: str
    size: Vector3
    centre: Pose = Pose()
    colour: str = ""
    says: tuple[str, ...] = ()
