"""Requests for the people at phones, headsets and desks: their sessions, and the process that serves them.

    OperatorSession(session, …) ──▶ OperatorLinks() ──▶ Process (resources/operator)

A session is a page that has paired: one per phone, headset or browser. Asked for shared, it is watched;
asked for exclusively, beside `DriverSeat` and what is moved, it drives. There is one seat, so one session
drives at a time; handing over is explicit.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

from resources.types.masters import HandStream
from resources.types.operator_client import OperatorClient


class DeviceKind(StrEnum):
    """What a person holds."""

    PHONE = "phone"  # tracked by WebXR, or orientation and touch only
    HEADSET = "headset"
    DESK = "desk"  # keys, game-pad, space mouse, mouse


class SessionLine(msgspec.Struct, frozen=True):
    """A session, for lists. name: "phone 1"; hands: their streams.

    tracking: in words what its pose comes from. rtt_ms: median of the last seconds, or None.
    alive: its link is up; not alive for 60 s, it is forgotten. points_at: where it pointed when it last said
    so (`pointed_s`, CLOCK_MONOTONIC [s]), in the robot's frame: origin [m], direction.
    """

    session: str
    name: str
    kind: DeviceKind
    alive: bool = True
    driving: bool = False
    tracking: str = ""
    rtt_ms: float | None = None
    words: str = ""
    hands: tuple[HandStream, ...] = ()
    points_at: tuple[float, float, float, float, float, float] | None = None
    pointed_s: float = 0.0


class CodeEnd(StrEnum):
    """Why a code to get in by is not open any more."""

    USED = "used"  # it has let a device in
    EXPIRED = "expired"


class Pairing(msgspec.Struct, frozen=True):
    """How the next device gets in.

    url: what the code on the console says, token inside; "" while none is open.
    certificate: SHA-256 fingerprint of this installation's certificate, to compare; "" on http.
    ended: what became of the one before, while none is open; None: there was none.
    expires_s: CLOCK_MONOTONIC [s]. words: why no phone can reach this (loopback only), and what to do, or "".
    """

    url: str = ""
    expires_s: float = 0.0
    words: str = ""
    certificate: str = ""
    ended: CodeEnd | None = None


class Refusal(StrEnum):
    """Why somebody was not let in."""

    WRONG_CODE = "wrong_code"
    USED_CODE = "used_code"
    OLD_CODE = "old_code"
    NO_CODE = "no_code"  # none was open
    TOO_MANY_TRIES = "too_many_tries"  # from this address
    FULL = "full"
    UNKNOWN = "unknown"  # its secret is nobody's, or too old
    REVOKED = "revoked"  # its session was ended by a person
    OTHER_SITE = "other_site"  # a page of another site asked


class Entered(msgspec.Struct, frozen=True, tag="entered"):
    """Somebody is in. number: of the note, from 1; address: where from; by_code: else by coming back."""

    number: int
    name: str
    kind: DeviceKind
    address: str
    by_code: bool


class TurnedAway(msgspec.Struct, frozen=True, tag="turned_away"):
    """Somebody is not. number, address: as of `Entered`; others: so many more since the last such note."""

    number: int
    why: Refusal
    address: str
    others: int = 0


EntryNote = Entered | TurnedAway


class AwayLine(msgspec.Struct, frozen=True):
    """A device that is not there and may come back without a code. until_s: CLOCK_MONOTONIC [s]."""

    name: str
    kind: DeviceKind
    until_s: float


class OperatorLinksHandle(msgspec.Struct, frozen=True):
    """The process that serves operators: where its page is, who is there. An UPDATE with every change.

    away: who may come back. notes: who came in and who was turned away, the newest ones, oldest first.
    """

    address: str
    pairing: Pairing = Pairing()
    sessions: tuple[SessionLine, ...] = ()
    away: tuple[AwayLine, ...] = ()
    notes: tuple[EntryNote, ...] = ()


class OperatorSessionHandle(msgspec.Struct, frozen=True):
    """A session that is there, with the streams of its hands (a phone has only a right one).

    alive: its link is up. leaves: why whoever drives by it is asked to stop now ("handed over to phone 2"),
    or "".
    """

    session: str
    name: str
    kind: DeviceKind
    hands: tuple[HandStream, ...] = ()
    alive: bool = True
    leaves: str = ""


class DriverSeatHandle(msgspec.Struct, frozen=True):
    """The seat is yours."""


class OperatorLinks(msgspec.Struct, frozen=True):
    """The process that serves operators, running."""

    handle_type: ClassVar[type] = OperatorLinksHandle

    def __str__(self) -> str:
        return "operator links"


class DriverSeat(msgspec.Struct, frozen=True):
    """The one seat of whoever drives by a session: ask for it exclusively, beside what is driven."""

    handle_type: ClassVar[type] = DriverSeatHandle

    def __str__(self) -> str:
        return "the driver's seat"


class OperatorSession(msgspec.Struct, frozen=True):
    """A person's session. Ask for it exclusively to drive by it.

    session: its id or name; "" is the only one there is. kind: a DeviceKind, or "" for any; if the session
    is of another kind, the only one of this kind is meant.
    """

    handle_type: ClassVar[type] = OperatorSessionHandle
    client_type: ClassVar[type] = OperatorClient

    session: str = ""
    kind: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, ("operator session", self.session, self.kind)))
