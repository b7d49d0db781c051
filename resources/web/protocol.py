"""Every message from the console's server to its page, declared once; the other way: `page_messages.py`.

JSON text messages in both directions, each an object whose `type` is the class name in lower case
with underscores. The page's half, `resources/web/page/src/protocol.ts`, is generated from these two files by
`scripts/page_protocols.py`. What carries points, pictures and poses is binary: see `samples.py`.

Poses are position x y z [m] and quaternion x y z w, in the world frame (x ahead of the robot's
start, z up, origin on the floor). Times ending in `_s` are seconds.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from resources.types.gestures import GestureKind, HandsTrouble
from resources.types.masters import HandSide
from resources.types.streams import CameraIntrinsics, Pose7

PROTOCOL: Final = 8
"""Rises when page and server of different releases would misunderstand each other."""


def tag_of(name: str) -> str:
    """What a message's `type` says: its class's name in lower case with underscores."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


class ToPage(msgspec.Struct, frozen=True, tag=tag_of, tag_field="type"):
    """A message from the server to a page."""


# ---------------------------------------------------------------- server → page


class Hello(ToPage, frozen=True):
    """The first message. `run` is another one after a restart; `hints` are instructions to try.

    who: what this page is called in questions, plans and events; it keeps that name when it is reloaded.
    """

    protocol: int
    version: str
    installation: str
    run: str
    hints: tuple[str, ...] = ()
    who: str = ""


class ShapeKind(StrEnum):
    """Primitive shapes; axes of round ones lie along z."""

    PLANE = "plane"
    SPHERE = "sphere"
    CAPSULE = "capsule"
    CYLINDER = "cylinder"
    BOX = "box"


class SceneShape(msgspec.Struct, frozen=True):
    """One shape of a body, as `resources.worlds.scene_description` writes it.

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
    """How a node of an action tree is. READY: a continuous action that is established; SKIPPED: passed by."""

    IDLE = "idle"
    WAITING = "waiting"
    RUNNING = "running"
    READY = "ready"
    ASKING = "asking"
    PAUSED = "paused"
    STOPPING = "stopping"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"


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
    GRAPH = "graph"


class TreeNode(msgspec.Struct, frozen=True):
    """A node of an action tree; `detail` says in words what it is doing.

    fraction: how much is done, 0 to 1, of an action that says so and is under way; else -1.
    """

    id: str
    name: str
    kind: NodeKind
    state: NodeState
    detail: str = ""
    children: tuple[TreeNode, ...] = ()
    fraction: float = -1.0


class PlanView(msgspec.Struct, frozen=True):
    """A plan that runs, or has ended lately. `text` says what it does; `state` is that of the whole plan."""

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
    question: of an event "asked": its id, to answer it by; options: its numbered answers, none for yes or no;
    answer_within_s: None if it waits as long as it takes.
    aside: how a mere question was answered; shown only to who wants to see all steps.
    people: whom it concerns besides `who`. subject: as `Subject` of framework/events.py; words, device,
    why and session are its data. spoken: how it is said aloud; "" if it is none that is said.
    """

    number: int
    t_s: float
    wall_s: float
    kind: str
    text: str
    plan: str = ""
    action: str = ""
    who: str = ""
    people: tuple[str, ...] = ()
    subject: str = ""
    words: str = ""
    device: str = ""
    why: str = ""
    session: str = ""
    question: str = ""
    options: tuple[str, ...] = ()
    answer_within_s: float | None = None
    aside: bool = False
    spoken: str = ""


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

    `source` is the shown stream's format: rgbd, image, scan, cloud or poses. intrinsics: of a picture.
    """

    id: str
    title: str
    source: str
    stream: str = ""
    rate_hz: float = 10.0
    intrinsics: CameraIntrinsics | None = None


class Views(ToPage, frozen=True):
    """Everything shown on this screen now."""

    views: tuple[ViewLine, ...] = ()


class Emergency(ToPage, frozen=True):
    """The emergency stop. `words` say who stopped, or that nothing is stopped."""

    latched: bool = False
    words: str = ""


class OptionThing(msgspec.Struct, frozen=True):
    """Where the thing is that an answer is about, in the world, and for who stands where the robot does, seen
    from there; size [m]: along its own axes.

    choice: the number of the answer.
    """

    choice: int
    world_T_thing: Pose7
    robot_T_thing: Pose7
    size: tuple[float, float, float]


class Question(msgspec.Struct, frozen=True):
    """A question that waits for an answer of `who` (anybody's, if that is empty).

    options: numbered answers; without any it is one of yes (1) or no (0). 0 is always "none of these".
    hint: how else it may be answered. left_s: until it is taken back [s], counted when this was sent; None:
    it waits as long as it takes. within_s: what it was given. things: of the answers that are about
    something that is somewhere.
    """

    id: str
    text: str
    who: str
    options: tuple[str, ...] = ()
    hint: str = ""
    left_s: float | None = None
    within_s: float = 15.0
    things: tuple[OptionThing, ...] = ()


class Questions(ToPage, frozen=True):
    """All open questions, the oldest first."""

    questions: tuple[Question, ...] = ()


class OperatorLine(msgspec.Struct, frozen=True):
    """A phone, headset or desk that is paired. kind: "phone", "headset" or "desk"."""

    session: str
    name: str
    kind: str
    alive: bool
    driving: bool = False
    words: str = ""


class AwayOperator(msgspec.Struct, frozen=True):
    """One that is not there and may come back without a code."""

    name: str
    kind: str


class Operators(ToPage, frozen=True):
    """Who may take an arm in their hand, and how the next device gets in.

    code: rows of the QR code of `url`, "1" for a dark module, no quiet zone; none while no pairing is open.
    left_s: until the code is void [s], counted when this was sent. no_code: why none is open, and what to do,
    in sentences; while one is, what to say when its time is over. words: what else is to be said. away: who
    may come back without a code.
    """

    serving: bool = False
    url: str = ""
    code: tuple[str, ...] = ()
    left_s: float = 0.0
    no_code: str = ""
    words: str = ""
    certificate: str = ""
    sessions: tuple[OperatorLine, ...] = ()
    away: tuple[AwayOperator, ...] = ()


class HandShown(msgspec.Struct, frozen=True):
    """What one hand of the page's person shows. confidence: 0 to 1.

    held: the share of the time after which it counts, 0 to 1.
    """

    side: HandSide
    kind: GestureKind
    confidence: float
    held: float


class GesturesSeen(ToPage, frozen=True):
    """What is read of this page's hands, at each picture; only to the page that has switched gestures on.

    is_on: False when they are read no more, whoever wanted that; `why`, if it was not the page. trouble: why
    nothing counts just now.
    """

    is_on: bool
    hands: tuple[HandShown, ...] = ()
    trouble: HandsTrouble = HandsTrouble.NONE
    why: str = ""


class PointedAt(ToPage, frozen=True):
    """What this page points at, as people call it, the likeliest first; only to that page.

    names: none if that is nothing known; several if nobody could tell which of them is meant.
    """

    names: tuple[str, ...] = ()


class FingerRay(msgspec.Struct, frozen=True):
    """Where a finger before one of the robot's cameras points, in the world frame: from where [m], which way.

    direction: unit. names: what that is, as of `PointedAt`.
    """

    camera: str
    side: HandSide
    origin: tuple[float, float, float]
    direction: tuple[float, float, float]
    names: tuple[str, ...] = ()


class Fingers(ToPage, frozen=True):
    """Where fingers before the robot's cameras point, each for as long as it counts: to every page."""

    rays: tuple[FingerRay, ...] = ()


class PutView(ToPage, frozen=True):
    """How this page is to look at its three-dimensional picture; only to that page.

    middle: what is to be in the middle, in the frame that the page draws in [m] (the world's on the console,
    the robot's on an operator's page); None: all, as when it was opened. size_m: of what is there. is_above:
    straight down; else from where the page looks now.
    """

    middle: tuple[float, float, float] | None
    size_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    is_above: bool = False


class Reply(ToPage, frozen=True):
    """The answer to the message with this id ("" if it could not be read): done, or why not.

    number: of the event that says the same; 0: none does.
    """

    id: str
    ok: bool
    text: str = ""
    number: int = 0
    subject: str = ""


class StopConfirmed(ToPage, frozen=True):
    """The press of this id has set the emergency stop. latched: it was seen set; False: it is reset since."""

    id: str
    latched: bool


class TalkState(StrEnum):
    """How far a talk is. STARTING: it is kept, and its recogniser is not there yet; OVER: the button counts
    no more, and what was said may still be on its way."""

    STARTING = "starting"
    LISTENING = "listening"
    OVER = "over"


class Heard(ToPage, frozen=True):
    """How a page's talk is heard; told to that page only.

    text: what is being said, as far as it is understood by now. words: why it ended, if nobody let go.
    """

    talk: int
    state: TalkState
    text: str = ""
    words: str = ""


class Completed(ToPage, frozen=True):
    """The answer to `Complete`: what could follow, the likeliest first.

    begun: how many characters of the text's end each option replaces.
    is_whole: the text is an instruction as it stands.
    """

    id: str
    options: tuple[str, ...] = ()
    begun: int = 0
    is_whole: bool = False


class PlanFile(ToPage, frozen=True):
    """The answer to `SavePlan`: a file to keep."""

    id: str
    name: str
    content: str


ServerMessage = (
    Hello
    | Scene
    | Graph
    | Trees
    | Events
    | Devices
    | Views
    | Emergency
    | Questions
    | Operators
    | GesturesSeen
    | PointedAt
    | Fingers
    | PutView
    | Reply
    | StopConfirmed
    | Heard
    | Completed
    | PlanFile
)
PageAnswer = Reply | Completed | PlanFile | StopConfirmed
"""What answers a page's message; each carries that one's id."""


class Feed(StrEnum):
    """Names of sample feeds that are no views."""

    SCENE = "scene"


class SampleHeader(msgspec.Struct, frozen=True):
    """In front of every binary message; the payload is points, then a JPEG picture, then poses.

    points, poses: how many; a point is float32 x y z [m], world frame, and uint8 red green blue alpha;
        a pose is float32 position [m] and quaternion x y z w. picture: bytes of JPEG.
    age_s: between the sample and its sending. world_T_frame: where the sensor was; None if
        nobody knows: of what it measured no points come then.
    """

    view: str
    sequence: int
    age_s: float
    time_s: float = 0.0
    points: int = 0
    picture: int = 0
    poses: int = 0
    world_T_frame: Pose7 | None = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


encode_message = msgspec.json.Encoder().encode
