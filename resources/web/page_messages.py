"""Every message from the console's page to its server, declared once; the other way: `protocol.py`.

Strictly decoded: an unknown type or field, a text that is too long, a number out of its range is refused
with words, and nothing is changed.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import msgspec

from resources.types.masters import HandSide
from resources.web.protocol import tag_of

MAX_MESSAGE_BYTES: Final = 512 * 1024
"""Largest message a page may send: a plan file as JSON text."""

MAX_TEXT_CHARS: Final = 10_000
"""Longest instruction."""

MAX_BEGUN_CHARS: Final = 2_000
"""Longest text whose completion is asked for; nobody types more in one go."""

MAX_FILE_CHARS: Final = 200_000
"""Longest plan file; a graph of 500 nodes, the most that are run, fits if it is written without spaces."""

MEANT_S: Final = 3.0
"""What somebody said begins within so long, or not at all, wherever it was held up on its way [s]."""

MOST_PAGE_HANDS: Final = 2
"""Hands that are followed in one picture of a page's camera."""

FARTHEST_HAND_M: Final = 10.0
"""A point of a hand is no further from the middle of its picture, in metres where the hand is [m]."""

HANDS_PER_S: Final = 30.0
"""So many pictures a page sends at most."""

OLDEST_HANDS_MS: Final = 1000.0
"""A picture that is older when its hands are sent is of no use [ms]."""

POINTS_PER_S: Final = 10.0
"""So often a page says at most where somebody points."""

FARTHEST_POINT_M: Final = 1000.0
"""Nobody points from, or at, what is further away [m]."""

Text = Annotated[str, msgspec.Meta(max_length=MAX_TEXT_CHARS)]
BegunText = Annotated[str, msgspec.Meta(max_length=MAX_BEGUN_CHARS)]
FileText = Annotated[str, msgspec.Meta(max_length=MAX_FILE_CHARS)]
Choice = Annotated[int, msgspec.Meta(ge=0, le=999)]
Name = Annotated[str, msgspec.Meta(max_length=300)]
ReplyId = Annotated[str, msgspec.Meta(max_length=64)]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Metres = Annotated[float, msgspec.Meta(ge=-FARTHEST_HAND_M, le=FARTHEST_HAND_M)]
Place = Annotated[float, msgspec.Meta(ge=-FARTHEST_POINT_M, le=FARTHEST_POINT_M)]
Part = Annotated[float, msgspec.Meta(ge=-1.0, le=1.0)]


class FromPage(msgspec.Struct, frozen=True, tag=tag_of, tag_field="type", forbid_unknown_fields=True):
    """A message from a page to the server; its `id` comes back in the `Reply`."""

    id: ReplyId


class Say(FromPage, frozen=True):
    """An instruction in words."""

    text: Text


class BeginTalk(FromPage, frozen=True):
    """Somebody holds the button and talks; the sound comes as `sound_packets` of this number."""

    talk: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]


class Stop(FromPage, frozen=True):
    """Emergency stop: latch it now.

    id: of a page's press (`EmergencyStop.latch_once`), sent again until `StopConfirmed`; duplicates count
    once. Any other id: it counts each time, and is answered by a `Reply`.
    """


class Reset(FromPage, frozen=True):
    """Lift the emergency stop; `confirmed`: a person was asked and said yes."""

    confirmed: bool


class FailureKind(StrEnum):
    """What an injected failure does: a process dies, hangs, sends garbage; an arm has a reflex."""

    DIE = "die"
    HANG = "hang"
    GARBAGE = "garbage"
    REFLEX = "reflex"


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


class Complete(FromPage, frozen=True):
    """What could follow this text?"""

    text: BegunText


class Answer(FromPage, frozen=True):
    """The answer to an open question: the number of an option, 1 for yes, 0 for no."""

    question: Name
    choice: Choice


class PlanOrder(StrEnum):
    """What may be done with a running plan as a whole."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"


class OrderPlan(FromPage, frozen=True):
    """Pause, resume or stop one plan."""

    plan: Name
    order: PlanOrder


class ChangeKind(StrEnum):
    """How a paused plan is changed: a step comes before, after or into a node, or replaces it, or it goes."""

    BEFORE = "before"
    AFTER = "after"
    INTO = "into"
    REMOVE = "remove"
    REPLACE = "replace"


class ChangePlan(FromPage, frozen=True):
    """Change a paused plan at one node of its tree; `text` is an instruction, empty to remove."""

    plan: Name
    node: Name
    how: ChangeKind
    text: Text = ""


class PlanForm(StrEnum):
    """How a plan is written in a file: as a UMRF graph, or as our own JSON."""

    UMRF = "umrf"
    PLAN = "plan"


class SavePlan(FromPage, frozen=True):
    """Have a plan as a file."""

    plan: Name
    form: PlanForm = PlanForm.UMRF


class RunFile(FromPage, frozen=True):
    """Carry out the plan of a file, in either form."""

    content: FileText


class OpenPairing(FromPage, frozen=True):
    """Let a phone or headset in: show a new code; the one before is void."""


class EndSession(FromPage, frozen=True):
    """Send a paired device away; it has to pair anew."""

    session: Name


class HandOver(FromPage, frozen=True):
    """Whoever drives stops, and this paired device drives."""

    session: Name


class WatchHands(FromPage, frozen=True):
    """Switch the gestures of this page on or off. They are off when it connects, and when it has gone."""

    is_on: bool


class PageHand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hand as the page's tracker sees it. side: whose it is, as the person has it.

    confidence: of the tracker that it is a hand. points: the 21 of MediaPipe, x right, y down, z ahead in the
    camera's picture as it is, not mirrored; of true size, and as far from the picture's middle as it
    would be in the plane of the hand [m].
    """

    side: HandSide
    confidence: Share
    points: Annotated[tuple[tuple[Metres, Metres, Metres], ...], msgspec.Meta(min_length=21, max_length=21)]


class HandsSeen(FromPage, frozen=True):
    """The hands of one picture, none included; answered only if refused. age_ms: since it was taken."""

    age_ms: Annotated[float, msgspec.Meta(ge=0.0, le=OLDEST_HANDS_MS)]
    hands: Annotated[tuple[PageHand, ...], msgspec.Meta(max_length=MOST_PAGE_HANDS)]


HandsMessage = WatchHands | HandsSeen


class PagePoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ray through a page's scene, in the world frame: from where [m], which way (unit).

    meets_m: where on it something is drawn, counted from its beginning; null: nowhere [m].
    """

    origin: tuple[Place, Place, Place]
    direction: tuple[Part, Part, Part]
    meets_m: Annotated[float, msgspec.Meta(ge=0.0, le=FARTHEST_POINT_M)] | None = None


class PointAt(FromPage, frozen=True):
    """Where somebody points at this page; null: nowhere any more. `PointedAt` says what that is.

    It counts for a second (`resources.types.whereabouts.POINTS_FOR_S`): whoever goes on pointing says so
    again. Answered only if refused.
    """

    at: PagePoint | None


PageMessage = (
    Say
    | Stop
    | Reset
    | Fail
    | Restore
    | RetryNow
    | Complete
    | Answer
    | OrderPlan
    | ChangePlan
    | SavePlan
    | RunFile
    | OpenPairing
    | EndSession
    | HandOver
)


AnyPageMessage = PageMessage | BeginTalk | HandsMessage | PointAt


class Timely(msgspec.Struct, frozen=True, tag="timely", tag_field="type", forbid_unknown_fields=True):
    """From a program on this machine: begin the message by `good_until_s` or not at all, CLOCK_MONOTONIC [s].

    What was said while this process hung waits in a socket; nobody means it any more when it is read.
    points_at: where whoever speaks points meanwhile, in the robot's frame: origin [m], direction.
    spoken: a recogniser has written it down, so it may not be what was said.
    """

    good_until_s: float
    message: Say | Answer
    points_at: tuple[float, float, float, float, float, float] | None = None
    spoken: bool = False


decode_page_message = msgspec.json.Decoder(AnyPageMessage).decode
decode_program_message = msgspec.json.Decoder(AnyPageMessage | Timely).decode
