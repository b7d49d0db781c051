"""What pylibfranka raises, as typed events; with stand-ins of its exceptions, in their own words."""

from __future__ import annotations

import pytest

from resources.drivers.franka.events import EventKind, event_of
from resources.drivers.franka.flags import WORDS, flags_in, in_words
from resources.fci_sim.flags import Flag
from tests.resources.drivers.franka.wheel import needs_pylibfranka


class FrankaException(Exception): ...


class ControlException(RuntimeError): ...


class CommandException(RuntimeError): ...


class NetworkException(RuntimeError): ...


class RealtimeException(RuntimeError): ...


class InvalidOperationException(RuntimeError): ...


# Each message was seen, with pylibfranka 0.21.3 before the simulated control box.
SEEN = [
    (
        ControlException('libfranka: Move command aborted: motion aborted by reflex! ["joint_reflex"]'),
        EventKind.REFLEX,
        "a joint met more resistance",
    ),
    (
        ControlException("libfranka: Move command aborted: User Stop pressed!"),
        EventKind.USER_STOP,
        "release it",
    ),
    (
        CommandException(
            'libfranka: Move command rejected: command not possible in the current mode ("User stopped")!'
        ),
        EventKind.USER_STOP,
        "release it",
    ),
    (
        CommandException("libfranka: Automatic Error Recovery command aborted: User Stop pressed!"),
        EventKind.USER_STOP,
        "release it",
    ),
    (
        CommandException(
            'libfranka: Move command rejected: command not possible in the current mode ("Guiding")!'
        ),
        EventKind.REJECTED,
        "guides the arm by its button",
    ),
    (
        CommandException(
            'libfranka: Move command rejected: command not possible in the current mode ("Reflex")!'
        ),
        EventKind.REJECTED,
        "Reflex",
    ),
    (
        CommandException("libfranka: Set Load command rejected: invalid argument!"),
        EventKind.REJECTED,
        "Set Load",
    ),
    (ControlException("libfranka: Move command preempted!"), EventKind.REJECTED, "preempted"),
    (
        ControlException("libfranka robot: Attempted to start multiple motions!"),
        EventKind.REJECTED,
        "has not ended its former motion",
    ),
    (NetworkException("libfranka: UDP receive: Timeout"), EventKind.LINK_LOST, "look at the cable"),
    (NetworkException("libfranka: TCP send bytes: I/O error"), EventKind.LINK_LOST, "no link"),
    (
        NetworkException(
            "libfranka: Connection to FCI refused. Please install FCI feature or enable FCI mode in Desk."
        ),
        EventKind.LINK_LOST,
        "FCI",
    ),
    (RuntimeError("Net Exception"), EventKind.LINK_LOST, "no connection any more"),
    (RuntimeError("libfranka: something new"), EventKind.REJECTED, "something new"),
    (
        FrankaException(
            "libfranka: Incompatible library version (server version: 9, library version: 10). Please check "
            "https://example.org for system updates"
        ),
        EventKind.VERSION,
        "server version: 9, library version: 10",
    ),
    (
        RealtimeException("libfranka: Running kernel does not have realtime capabilities."),
        EventKind.RT_UNAVAILABLE,
        "docs/hardware.md",
    ),
    (
        InvalidOperationException(
            "libfranka robot: Cannot perform this operation while another control or read operation is "
            "running."
        ),
        EventKind.REJECTED,
        "busy with something else",
    ),
    (ValueError("Commanding value is infinite or NaN."), EventKind.REJECTED, "no number"),
    (CommandException("libfranka gripper: Command failed!"), EventKind.REJECTED, "Command failed"),
    # In the library's text, but never seen: the simulated box does not get there.
    (
        CommandException(
            "libfranka: Automatic Error Recovery command rejected: manual error recovery required!"
        ),
        EventKind.REJECTED,
        "move it back by hand",
    ),
    (
        CommandException(
            "libfranka: Move command rejected due to activated safety function! "
            "Please disable all safety functions."
        ),
        EventKind.REJECTED,
        "safety configuration",
    ),
]


@pytest.mark.parametrize(("error", "kind", "words"), SEEN, ids=[str(error)[:60] for error, _, _ in SEEN])
def test_every_exception_is_a_typed_event_in_words(error: Exception, kind: EventKind, words: str) -> None:
    event = event_of(error)
    assert event is not None
    assert event.kind is kind
    assert words in event.words
    assert "libfranka" not in event.words.replace("pylibfranka", "")


@pytest.mark.parametrize("error", [RuntimeError("something of ours"), ValueError("no float"), KeyError("q")])
def test_what_is_not_pylibfrankas_is_no_event(error: Exception) -> None:
    assert event_of(error) is None


def test_a_reflex_tells_all_its_flags() -> None:
    text = (
        'libfranka: Move command aborted: motion aborted by reflex! ["joint_reflex", "power_limit_violation"]'
    )
    event = event_of(ControlException(text))
    assert event is not None
    assert event.flags == ("joint_reflex", "power_limit_violation")
    assert event.words.count("(") == 2


def test_a_flag_that_nobody_knows_is_named_and_none_at_all_is_said() -> None:
    assert flags_in('aborted by reflex! ["a_new_flag"]') == ("a_new_flag",)
    assert in_words(("a_new_flag",)) == "a_new_flag"
    assert in_words(()) == "the arm did not say why"


def test_every_flag_of_the_control_box_has_words() -> None:
    assert set(WORDS) == {flag.label for flag in Flag}


@needs_pylibfranka
def test_every_flag_of_pylibfranka_has_words() -> None:
    import pylibfranka

    names = {name for name in dir(pylibfranka.Errors) if not name.startswith("_")}
    assert set(WORDS) == names


@needs_pylibfranka
@pytest.mark.parametrize("ours", [ControlException, CommandException, NetworkException, RealtimeException])
def test_the_stand_ins_are_named_and_derived_as_pylibfrankas_are(ours: type[Exception]) -> None:
    import pylibfranka

    theirs = getattr(pylibfranka, ours.__name__)
    assert theirs.__name__ == ours.__name__
    assert issubclass(theirs, RuntimeError)
    assert not issubclass(theirs, pylibfranka.FrankaException)
