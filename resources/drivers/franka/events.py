"""Everything pylibfranka raises, as typed events in words. The only place that knows its exceptions. Pure.

They have no common base: Control-, Command-, Network-, Realtime- and InvalidOperationException derive from
RuntimeError, other failures are FrankaException, a link that is lost for good a bare RuntimeError, and a
number that is none a ValueError. So they are told apart by name and text; nothing is imported here.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from resources.drivers.franka.flags import flags_in, in_words


class EventKind(Enum):
    """What happened."""

    REFLEX = "reflex"  # the arm protected itself; a fault, until it is recovered
    LINK_LOST = "link lost"  # no states, or no connection: this process can do nothing more
    REJECTED = "rejected"  # the arm does not do what it was asked; nothing has moved
    VERSION = "version"  # robot and library do not fit
    USER_STOP = "user stop"  # somebody holds the stop button down
    RT_UNAVAILABLE = "no real time"  # this machine may not, or cannot, run in real time


class Event(msgspec.Struct, frozen=True):
    """One of them. `words` are for people and say what to do, if anything can be; `flags`: of a reflex."""

    kind: EventKind
    words: str
    flags: tuple[str, ...] = ()


USER_STOP = Event(
    EventKind.USER_STOP, "the user stop is pressed: release it at the arm, then recover from it"
)

GUIDED = Event(
    EventKind.REJECTED, "somebody guides the arm by its button: let go of it, then recover from it"
)

#: What comes through from the network library below, untranslated (by its names). The first was seen.
_POCO = frozenset(
    {
        "Net Exception",
        "Connection reset by peer",
        "Connection aborted by peer",
        "I/O error",
        "Timeout",
        "Host not found",
        "No address found",
        "DNS error",
    }
)

_PREFIXES = ("libfranka robot: ", "libfranka gripper: ", "libfranka: ")
WHAT_TO_LOOK_AT = (
    "look at the cable, the address, the arm's power, whether FCI is activated in Desk, and whether another "
    "program has the arm"
)


def reflex(flags: tuple[str, ...]) -> Event:
    """A reflex with these flags."""
    return Event(EventKind.REFLEX, f"reflex: {in_words(flags)}", flags)


def event_of(error: BaseException) -> Event | None:
    """What an exception of pylibfranka means; None if it is none of pylibfranka's."""
    text = _plain(str(error))
    match type(error).__name__:
        case "NetworkException":
            return _lost(text)
        case "ControlException" | "CommandException":
            return _refused_or_ended(text)
        case "InvalidOperationException":
            return Event(EventKind.REJECTED, f"the arm is busy with something else: {text}")
        case "RealtimeException":
            return no_real_time(text)
        case "FrankaException" if "Incompatible library version" in text:
            return Event(EventKind.VERSION, _versions(text))
        case "FrankaException":
            return Event(EventKind.REJECTED, text)
        case "ValueError" if "infinite or NaN" in text:
            return Event(
                EventKind.REJECTED, "the control law gave a torque that is no number; it was not sent"
            )
        case "RuntimeError" if text in _POCO:
            return _lost(f"there is no connection any more, {text}")
        case "RuntimeError" if str(error).startswith(_PREFIXES):
            return Event(EventKind.REJECTED, text)
    return None


def no_real_time(why: str) -> Event:
    """The process does not run in real time."""
    words = (
        f"no real time here: {why.rstrip('.')}. Commands may come late, which ends motions with a reflex; "
        "docs/hardware.md says what to install"
    )
    return Event(EventKind.RT_UNAVAILABLE, words)


def _refused_or_ended(text: str) -> Event:
    if "User Stop pressed" in text or '("User stopped")' in text:
        return USER_STOP
    if "aborted" in text and "reflex" in text:
        return reflex(flags_in(text))
    if "manual error recovery required" in text:
        return Event(
            EventKind.REJECTED,
            "a joint stands outside its range and does not recover by itself: move it back by hand in Desk",
        )
    if "activated safety function" in text:
        return Event(
            EventKind.REJECTED,
            f"a safety function of the arm is active: {text} Look at its safety configuration in Desk",
        )
    if '("Guiding")' in text:
        return GUIDED
    if "multiple motions" in text:
        return Event(EventKind.REJECTED, "the arm has not ended its former motion")
    return Event(EventKind.REJECTED, f"the arm refused or ended it: {text}")


def _lost(text: str) -> Event:
    return Event(EventKind.LINK_LOST, f"no link to the arm ({text.rstrip('.')}): {WHAT_TO_LOOK_AT}")


def _versions(text: str) -> str:
    """The library's long sentence with two addresses in it, in short."""
    _, _, rest = text.partition("(")
    versions = rest.partition(")")[0]
    words = f"robot and library do not fit ({versions})" if versions else text
    return f"{words}: docs/hardware.md says which pylibfranka goes with which system version"


def _plain(text: str) -> str:
    for prefix in _PREFIXES:
        text = text.removeprefix(prefix)
    return " ".join(text.split())
