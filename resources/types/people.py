"""Who is there to drive and who does, as a resource that actions ask; and what may be asked for of it.

    People()                     who is connected, who drives what
    HandedOver(session, by, …)   the driver's seat goes from whoever has it to this session
    TakenBack(session, by)       whoever drives stops, and nobody drives
    SentAway(session, by)        a session ends; its device needs a new code

The last three are done once they are granted: their handle says in words what was done. What one session is
for whoever drives by it is in `operator.py`; who may ask for what is decided here (`may_not_…`), and held by
who provides it.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from resources.types.naming import listed, plain
from resources.types.operator import DeviceKind, SessionLine
from resources.types.operator_client import Driven

_KINDS = frozenset(kind.value for kind in DeviceKind)

GET_IN = (
    'press "Phone" on the console, open its link on a phone, a headset or this computer, '
    'and say "let me drive" there; or say "let me guide the left arm" to move an arm by hand'
)
"""What somebody does who has no session yet, in words."""


class PeopleHandle(msgspec.Struct, frozen=True):
    """Everybody at a phone, headset or desk. An UPDATE with every change.

    is_served: whether pages can be opened. driver: the name of the session that drives, "" if none does;
    driven: with what. keeper: the one for whom what they drove is kept, as somebody has stopped them.
    """

    is_served: bool = False
    sessions: tuple[SessionLine, ...] = ()
    driver: str = ""
    driven: tuple[Driven, ...] = ()
    keeper: str = ""


class Done(msgspec.Struct, frozen=True):
    """What was done, in a sentence."""

    words: str


class People(msgspec.Struct, frozen=True):
    """Who is there, and who drives. Asking starts nothing."""

    handle_type: ClassVar[type] = PeopleHandle

    def __str__(self) -> str:
        return "who is connected"


class HandedOver(msgspec.Struct, frozen=True):
    """Whoever drives stops; then it is this session's.

    session: its name. by: the name of who asks, a session or whoever sits at the console.
    side, drives: of what is handed over, as in `actions.driving`; "" is what is driven now.
    """

    handle_type: ClassVar[type] = Done

    session: str
    by: str = ""
    side: str = ""
    drives: str = ""

    def __str__(self) -> str:
        return f"handing over to {self.session}"


class TakenBack(msgspec.Struct, frozen=True):
    """Whoever drives stops, and nobody drives. session: only if it is this one; "" is whoever it is."""

    handle_type: ClassVar[type] = Done

    session: str = ""
    by: str = ""

    def __str__(self) -> str:
        return "taking back what is driven"


class SentAway(msgspec.Struct, frozen=True):
    """A session ends: its device has to be paired anew to come back."""

    handle_type: ClassVar[type] = Done

    session: str
    by: str = ""

    def __str__(self) -> str:
        return f"sending {self.session} away"


def what_is_driven(driven: tuple[Driven, ...]) -> str:
    """ "the left arm", "the left arm, the right arm and the base"; "nothing" if it is nothing."""
    names = [*(each.arm for each in driven), *(each.base for each in driven)]
    return listed(f"the {plain(name)}" for name in dict.fromkeys(filter(None, names))) or "nothing"


def drives_in_words(people: PeopleHandle) -> str:
    """ "phone 1 drives the left arm"; somebody drives."""
    return f"{people.driver} drives {what_is_driven(people.driven)}"


def disposes(by: str, person: str) -> bool:
    """Whether the word of `by` is enough to take from this person what they drive, or what is kept for them.

    Their own is, and the console's; those who only watch ask. Whoever is at no phone, headset or desk is at
    the console.
    """
    return by == person or not _is_at_a_device(by)


def may_not_take(people: PeopleHandle, by: str) -> str:
    """Why this person may not take what is driven, or is kept for somebody; "" if they may."""
    person = people.driver or people.keeper
    if not person or disposes(by, person):
        return ""
    does = drives_in_words(people) if people.driver else f"{person} has driven and is still there"
    return f'{does}: "hand over to {by}" is said there, or on the console ("Hand the arm over")'


def may_not_send_away(people: PeopleHandle, session: str, by: str) -> str:
    """Why this person may not end this session; "" if they may."""
    if not _is_session(people, session):
        there = listed(line.name for line in people.sessions) or "nobody"
        return f"there is no session {session!r}; connected: {there}"
    if by != session and _is_at_a_device(by):
        return "others are sent away on the console only"
    return ""


def _is_at_a_device(by: str) -> bool:
    """Told by the name alone: a plan may outlive the session in which it was asked for."""
    kind, number, *_ = *by.split(" "), ""  # "phone 1", "phone 1 (ann)"
    return kind in _KINDS and number.isdecimal()


def _is_session(people: PeopleHandle, name: str) -> bool:
    return any(line.name == name for line in people.sessions)
