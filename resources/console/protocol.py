"""Every message between the console's page and its server, declared once.

JSON text messages in both directions, each an object whose `type` is the class name in lower case
with underscores. The page's half, `page/src/protocol.ts`, is generated from this file by
`typescript.py`. What carries points, pictures and poses is binary: see `samples.py`.

Poses are position x y z [m] and quaternion x y z w, in the world frame (x ahead of the robot's
start, z up, origin on the floor). Times ending in `_s` are seconds.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import msgspec

from resources.types.streams import Pose7

PROTOCOL: Final = 1
"""Rises when page and server of different releases would misunderstand each other."""

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""Largest message a page may send."""

MAX_TEXT_CHARS: Final = 10_000
"""Longest instruction."""

Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT_CHARS)]
Name = Annotated[str, msgspec.Meta(max_length=300)]
ReplyId = Annotated[str, msgspec.Meta(max_length=64)]


def _tag(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


class ToPage(msgspec.Struct, frozen=True, tag=_tag, tag_field="type"):
    """A message from the server to a page."""


class FromPage(msgspec.Struct, frozen=True, tag=_tag, tag_field="type", forbid_unknown_fields=True):
    """A message from a page to the server; its `id` comes back in the `Reply`."""

    id: ReplyId


# ---------------------------------------------------------------- server → page


class Hello(ToPage, frozen=True):
    """The first message. `run` is another one after a restart; `hints` are instructions to try."""

    protocol: int
    version: str
    installation: str
    run: str
    hints: tuple[str, ...] = ()


class ShapeKind(StrEnum):
    """Primitive shapes; axes of round ones lie along z."""

    PLANE = "plane"
    SPHERE = "sphere"
    CAPSULE = "capsule"
    CYLINDER = "cylinder"
    BOX = "box"


class SceneShape(msgspec.Struct, frozen=True):
    """One shape of a body, as `resources.worlds.description` writes it.

    `size` [m] are full measures: plane and box: edges along x, y, z; sphere: diameter three times;
    cylinder and capsule: diameter, diameter, length (of a capsule without its ends).
    `position` and `quaternion` (x y z w) are in the body; `robot`: part of a robot, not of the room.
    """

    kind: ShapeKind
    size: tuple[float, float, float]
    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    rgba: tuple[float, float, float, float]
    texture: str = ""
    robot: bool = False


class SceneBody(msgspec.Struct, frozen=True):
    """One body; its index is its row in the poses of feed "scene". A `fixed` one never moves."""

    name: str
    shapes: tuple[SceneShape, ...]
    parent: str = ""
    fixed: bool = False


class Scene(ToPage, frozen=True):
    """What stands in the world and what the robot is made of; where it is comes as poses."""

    bodies: tuple[SceneBody, ...] = ()


class GraphResource(msgspec.Struct, frozen=True):
    """A resource of some registrar. `depends_on` are ids; `next_attempt_in_s` is set while retrying."""

    id: str
    registrar: str
    label: str
    request: str
    state: str
    detail: str = ""
    depends_on: tuple[str, ...] = ()
    tries: int = 0
    next_attempt_in_s: float | None = None


class GraphLease(msgspec.Struct, frozen=True):
    """Somebody who is no resource (an action, a person) has, or waits for, a resource."""

    id: str
    resource: str
    who: str
    exclusive: bool = False
    priority: str = "autonomy"
    waiting: bool = False


class Graph(ToPage, frozen=True):
    """All resources of all registrars, and who wants them."""

    resources: tuple[GraphResource, ...] = ()
    leases: tuple[GraphLease, ...] = ()


class NodeState(StrEnum):
    """How a node of an action tree is; READY: a continuous action that is established."""

    IDLE = "idle"
    WAITING = "waiting"
    RUNNING = "running"
    READY = "ready"
    ASKING = "asking"
    PAUSED = "paused"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class NodeKind(StrEnum):
    """What a node of an action tree does."""

    ACTION = "action"
    SEQUENCE = "sequence"
    PARALLEL = "parallel"
    WHILE = "while"
    UNTIL = "until"
    IF = "if"
    CANCEL = "cancel"
    CONDITION = "condition"


class TreeNode(msgspec.Struct, frozen=True):
    """A node of an action tree; `detail` says in words what it is doing."""

    id: str
    name: str
    kind: NodeKind
    state: NodeState
    detail: str = ""
    children: tuple[TreeNode, ...] = ()


class PlanView(msgspec.Struct, frozen=True):
    """A plan that runs, or has ended lately. `text` is the instruction as it was given."""

    id: str
    text: str
    who: str
    state: NodeState
    root: TreeNode


class Trees(ToPage, frozen=True):
    """The live action trees, oldest first."""

    plans: tuple[PlanView, ...] = ()


class EventLine(msgspec.Struct, frozen=True):
    """Something that happened, as a sentence. `number` rises by one within a run; `kind` as in EventKind.

    `t_s` counts on the supervisor's clock, `wall_s` from 1970.
    """

    number: int
    t_s: float
    wall_s: float
    kind: str
    text: str
    plan: str = ""
    action: str = ""
    who: str = ""


class Events(ToPage, frozen=True):
    """Events that are new to this page, oldest first."""

    lines: tuple[EventLine, ...]


class DeviceState(StrEnum):
    """How a device is; IDLE: nobody uses it and nothing is known against it."""

    IDLE = "idle"
    STARTING = "starting"
    WORKING = "working"
    DEGRADED = "degraded"
    FAILED = "failed"


class DeviceLine(msgspec.Struct, frozen=True):
    """A device of the robot description. `injected`: the failure somebody put there, or ""."""

    name: str
    kind: str
    state: DeviceState
    mount: str = ""
    words: str = ""
    injected: str = ""


class Devices(ToPage, frozen=True):
    """All devices, in the order of the robot description."""

    devices: tuple[DeviceLine, ...] = ()


class ViewLine(msgspec.Struct, frozen=True):
    """Something shown on this screen; its samples come under its `id`.

    `source` is the shown stream's format: rgbd, image, scan, cloud or poses.
    """

    id: str
    title: str
    source: str
    stream: str = ""
    rate_hz: float = 10.0


class Views(ToPage, frozen=True):
    """Everything shown on this screen now."""

    views: tuple[ViewLine, ...] = ()


class Emergency(ToPage, frozen=True):
    """The emergency stop. `words` say who stopped, or that nothing is stopped."""

    latched: bool = False
    words: str = ""


class Reply(ToPage, frozen=True):
    """The answer to the message with this id ("" if it could not be read): done, or why not."""

    id: str
    ok: bool
    text: str = ""


# ---------------------------------------------------------------- page → server


class Say(FromPage, frozen=True):
    """An instruction in words."""

    text: Text


class Stop(FromPage, frozen=True):
    """Emergency stop: latch it now."""


class Reset(FromPage, frozen=True):
    """Lift the emergency stop; `confirmed`: a person was asked and said yes."""

    confirmed: bool


class FailureKind(StrEnum):
    """What an injected failure does: the process dies, hangs, or sends garbage."""

    DIE = "die"
    HANG = "hang"
    GARBAGE = "garbage"


class Fail(FromPage, frozen=True):
    """Make a device fail."""

    device: Name
    how: FailureKind = FailureKind.DIE


class Restore(FromPage, frozen=True):
    """Plug a device in again."""

    device: Name


class RetryNow(FromPage, frozen=True):
    """Try a resource again at once; `resource` is its id in the graph."""

    resource: Name


ServerMessage = Hello | Scene | Graph | Trees | Events | Devices | Views | Emergency | Reply
PageMessage = Say | Stop | Reset | Fail | Restore | RetryNow


class Feed(StrEnum):
    """Names of sample feeds that are no views."""

    SCENE = "scene"


class SampleHeader(msgspec.Struct, frozen=True):
    """In front of every binary message; the payload is points, then a JPEG picture, then poses.

    points, poses: how many; a point is float32 x y z [m], world frame, and uint8 red green blue alpha;
        a pose is float32 position [m] and quaternion x y z w. picture: bytes of JPEG.
    age_s: between the sample and its sending. world_T_frame: where the sensor was.
    """

    view: str
    sequence: int
    age_s: float
    time_s: float = 0.0
    points: int = 0
    picture: int = 0
    poses: int = 0
    world_T_frame: Pose7 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


decode_page_message = msgspec.json.Decoder(PageMessage).decode
encode_message = msgspec.json.Encoder().encode
