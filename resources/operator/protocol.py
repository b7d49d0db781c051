"""The words that page and operator process exchange, as JSON: pairing and signalling over https and its
WebSocket, everything else over the control link's reliable channel. TypeScript is generated from here.

    POST /pair  {token, name, kind}  → Paired, its secret inside | Refused (words)
    GET  /pair  bearer               → Paired: the secret is still good | Refused: pair anew
    POST /stop  StopNow, bearer      → StopConfirmed (also when the link is lost) | Refused
    GET  /link  WebSocket            → SignIn ← Offer (control), Offer (media) → Answer each; both: Candidate
                                     → StopNow ; ← StopConfirmed
    control link, channel "words":  the page → Said, StopNow, Visible, Replied, PointAt, Tracking, TalkBegins,
                                    TalkEnds
                                    the process → Welcome, ScenePart, SeatNow, Line, Asked, Done, Health,
                                    StopConfirmed, Heard, LookAt
    control link, channel "hands":  HandPackets up (packets.py), unordered, no retransmits
    control link, channel "states": StatePackets down; of its own, so that a page can hear it in a thread
    media link, channel "cloud":    CloudChunk (cloud.py), unordered, no retransmits
    media link, audio track:        Opus up, while the page's button is held (held_track.py)
    media link, channel "sound":    blocks up of a page that has no such track, instead

The secret goes in a header ("bearer": `Authorization: Bearer …`) or in the socket's first message, never in a
cookie: browsers send those to every port of the host. The process offers, always: one user's headset never
resolved `createOffer()`. `Refused` on /link means that the page is not to come back by itself: it was kicked,
or the session is open in another window. When that WebSocket ends without it, the page opens it anew, which
makes a new link; the older one is closed. Who wants to drive says so ("let me drive").
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

import msgspec

from resources.types.operator import DeviceKind
from resources.types.operator_client import Driven, Following, Seat
from resources.types.streams import Pose7
from resources.web.protocol import TalkState, tag_of
from resources.web.sound_packets import SoundPacket

LINK_PROTOCOL: Final = 6
"""Rises when page and process of different releases would misunderstand each other."""

MAX_WORDS: Final = 2_000
MAX_SDP: Final = 64 * 1024

Words = Annotated[str, msgspec.Meta(max_length=MAX_WORDS)]
Short = Annotated[str, msgspec.Meta(max_length=200)]
CandidateLine = Annotated[str, msgspec.Meta(max_length=500)]
Sdp = Annotated[str, msgspec.Meta(max_length=MAX_SDP)]


class FromOperator(msgspec.Struct, frozen=True, tag=tag_of, tag_field="type", forbid_unknown_fields=True):
    """A message from a page."""


class ToOperator(msgspec.Struct, frozen=True, tag=tag_of, tag_field="type"):
    """A message to a page."""


# ---------------------------------------------------------------- https, signalling


class Pair(FromOperator, frozen=True):
    """What a device sends to get in: the token of the code, what it is, and a name people gave it ("")."""

    token: Short
    kind: DeviceKind
    name: Short = ""


class Paired(ToOperator, frozen=True):
    """It is in. session: its id; name: what everybody calls it.

    certificate: SHA-256 fingerprint of this installation's certificate, to compare; "" over plain http.
    secret: of the session, for whoever has just paired: by it the page is known from now on. Else "".
    """

    session: str
    name: str
    certificate: str = ""
    secret: str = ""


class WayIn(StrEnum):
    """What lets in a page that was refused."""

    AGAIN = "again"  # trying again, at once or later
    CODE = "code"  # a code of the console: it has no session, so nothing that it sends is taken
    HERE = "here"  # it is in by another window, and may be by this one instead


class Refused(ToOperator, frozen=True):
    """It is not, or no more: why, and what to do, in words and for the page's buttons."""

    words: str
    way_in: WayIn = WayIn.AGAIN


LinkName = Literal["control", "media"]


class Offer(ToOperator, frozen=True):
    """An SDP offer; ice: servers as RTCConfiguration.iceServers has them. relay_only: iceTransportPolicy."""

    link: LinkName
    sdp: str
    ice: tuple[IceLine, ...] = ()
    relay_only: bool = False


class IceLine(msgspec.Struct, frozen=True):
    """One of RTCConfiguration.iceServers."""

    urls: tuple[str, ...]
    username: str = ""
    credential: str = ""


class Answer(FromOperator, frozen=True):
    """The page's SDP answer, candidates inside or following."""

    link: LinkName
    sdp: Sdp


class Candidate(FromOperator, frozen=True):
    """A candidate of the page's; "" at their end."""

    link: LinkName
    candidate: CandidateLine
    mid: Short = ""


# ---------------------------------------------------------------- the words channel, up


class Said(FromOperator, frozen=True):
    """An instruction in words; spoken: a recogniser has written it down. id comes back in `Done`.

    said_ms: when, by the process's clock as the page reckons it: the time of its newest state, and how long
    ago that came. What is held up on its way for too long is meant no longer. None: when it comes.
    """

    id: Short
    text: Words
    spoken: bool = False
    said_ms: float | None = None


class StopNow(FromOperator, frozen=True):
    """Emergency stop: latched in this very process, whoever else hangs.

    id: of the press, sent by all ways and again until `StopConfirmed` (`EmergencyStop.latch_once`). What has
    none, or another text there, is a stop each time.
    """

    id: Short = ""


class Replied(FromOperator, frozen=True):
    """The answer to a question: the number of an option, 1 yes, 0 no. said_ms: as of `Said`."""

    question: Short
    choice: Annotated[int, msgspec.Meta(ge=0, le=999)]
    said_ms: float | None = None


class Visible(FromOperator, frozen=True):
    """The page is seen, or not (hidden, phone call, lock): then its clutch is open."""

    visible: bool


class PointAt(FromOperator, frozen=True):
    """Where the phone points, in the robot's frame: from, direction (unit). "Look at that" means this."""

    origin: tuple[float, float, float]
    direction: tuple[float, float, float]


class Tracking(FromOperator, frozen=True):
    """What the page's pose comes from, in words ("WebXR", "orientation and touch"), and what it cannot do."""

    words: Words


Sent = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)] | None


class TalkBegins(FromOperator, frozen=True):
    """The page's button is pressed: what its audio track gives from now on is this talk.

    sent: so many packets the page has sent by that track before; None: it cannot tell.
    """

    talk: Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
    sent: Sent = None


class TalkEnds(FromOperator, frozen=True):
    """The talk is over: the button was let go, and all is said, or else it is broken off.

    blocks: of 32 ms, which the page's microphone gave; sent: as of `TalkBegins`, now.
    """

    talk: Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
    blocks: Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)] = 0
    sent: Sent = None
    is_broken_off: bool = False


# ---------------------------------------------------------------- the words channel, down


class Welcome(ToOperator, frozen=True):
    """The first message of a link."""

    protocol: int
    session: str
    name: str
    installation: str


class ArmPart(msgspec.Struct, frozen=True):
    """An arm as pages draw it. index: in StatePackets.

    dh: modified Denavit–Hartenberg a, d, alpha of seven joints and the flange; flange_T_tool.
    capsules: link number (0 base, 8 flange), start and end in the link, radius [m].
    walls, workspace: boxes in its base frame, lower then upper corner [m].
    """

    index: int
    device: str
    side: str
    robot_T_base: Pose7
    dh: tuple[tuple[float, float, float], ...]
    flange_T_tool: Pose7
    capsules: tuple[tuple[int, tuple[float, float, float], tuple[float, float, float], float], ...]
    workspace: tuple[tuple[float, float, float], tuple[float, float, float]]
    walls: tuple[tuple[float, ...], ...] = ()


class CameraPart(msgspec.Struct, frozen=True):
    """The camera whose cloud is shown."""

    device: str


class ScenePart(ToOperator, frozen=True):
    """What there is to draw. camera None: there is none, `words` say why."""

    arms: tuple[ArmPart, ...] = ()
    camera: CameraPart | None = None
    words: str = ""


class SeatNow(ToOperator, frozen=True):
    """What this page may do now. holder: who drives ("" nobody). then: what begins with its "carry on"."""

    seat: Seat
    driven: tuple[Driven, ...] = ()
    words: str = ""
    holder: str = ""
    then: tuple[Following, ...] = ()


class Line(ToOperator, frozen=True):
    """Something that happened, as a sentence, for the page's log. The rest is as in `EventLine`."""

    kind: str
    text: str
    number: int = 0
    subject: str = ""
    words: str = ""
    device: str = ""
    why: str = ""
    spoken: str = ""


class AskedThing(msgspec.Struct, frozen=True):
    """Where the thing is that an answer is about, in the robot's frame; size [m]: along its own axes.

    choice: the number of the answer.
    """

    choice: int
    robot_T_thing: Pose7
    size: tuple[float, float, float]


class Asked(ToOperator, frozen=True):
    """A question that waits for an answer; text "" takes it back. things: that answers are about."""

    question: str
    text: str = ""
    options: tuple[str, ...] = ()
    things: tuple[AskedThing, ...] = ()


class Done(ToOperator, frozen=True):
    """What became of what was said under this id. number: of the line that says the same; 0: none does."""

    id: str
    ok: bool
    text: str = ""
    number: int = 0
    subject: str = ""


class StopConfirmed(ToOperator, frozen=True):
    """The press of this id has set the latch. latched: it was seen set; False: it has been reset since."""

    id: str
    latched: bool


class LinkQuality(StrEnum):
    """Whether one can drive over a link."""

    GOOD = "good"
    TOO_SLOW = "too_slow"  # poses come later than `masters.SILENCE_S`: no control loop follows them


class Health(ToOperator, frozen=True):
    """Twice a second. emergency: why everything stands, or ""; heard_age_s: of the main process's last word.

    quality, pose_age_ms: of the hands' poses, how old they are when they come; None before the first.

    rtt_ms: median, worst of the last seconds, None before the first. offset_ms: of the page's clock.
    words: what is wrong with the link. broken: why its gate opened the clutch, "" once it is pressed anew;
    breaks: how often it did: that is the clutch's own reason, no second sentence beside it.
    """

    emergency: str = ""
    heard_age_s: float = 0.0
    quality: LinkQuality = LinkQuality.GOOD
    pose_age_ms: float | None = None
    rtt_ms: tuple[float, float] | None = None
    offset_ms: float | None = None
    words: str = ""
    broken: str = ""
    breaks: int = 0


class Heard(ToOperator, frozen=True):
    """How this page's talk is heard, as in `resources.web.protocol`; its sound has a channel of its own."""

    talk: int
    state: TalkState
    text: str = ""
    words: str = ""


class LookAt(ToOperator, frozen=True):
    """How the page is to look at its picture, as `resources.web.protocol.PutView`, in the robot's frame."""

    middle: tuple[float, float, float] | None
    size_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    is_above: bool = False


PageWords = Said | StopNow | Replied | Visible | PointAt | Tracking | TalkBegins | TalkEnds
PageSays = PageWords | SoundPacket
"""What comes of a page by its channels, but for hands."""

PageSignal = Answer | Candidate | StopNow
OperatorWords = Welcome | ScenePart | SeatNow | Line | Asked | Done | Health | StopConfirmed | Heard | LookAt
OperatorSignal = Offer | Refused | StopConfirmed

decode_words = msgspec.json.Decoder(PageWords).decode
decode_signal = msgspec.json.Decoder(PageSignal).decode
decode_stop = msgspec.json.Decoder(StopNow).decode
decode_pair = msgspec.json.Decoder(Pair).decode
encode_words = msgspec.json.Encoder().encode
