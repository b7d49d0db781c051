"""What can go wrong on purpose, as data, and the plan that says what is wrong at this moment.

A script is a list of faults, each with the time when it begins. Times are the arm's own, in simulated
seconds: from the moment when the fault was given or, with `since: motion`, from the start of the next
motion. In lock-step that time stands still while no motion runs.

    - {fault: reflex, flag: joint_reflex, since: motion, at_s: 0.5}
    - {fault: packets, what: drop, of: commands, count: 25, since: motion, at_s: 1.0}
    - {fault: push, force: [0, 0, -30], for_s: 0.2, since: motion, at_s: 2.0}
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from random import Random
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import DescriptionError
from resources.fci_sim.flags import Flag, flag_named
from resources.fci_sim.wire import STATE, Command

Share = Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]
Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=86_400.0)]
Newtons = Annotated[float, msgspec.Meta(ge=-1000.0, le=1000.0)]
NewtonMetres = Annotated[float, msgspec.Meta(ge=-200.0, le=200.0)]


class Since(Enum):
    """From when a fault's time counts."""

    GIVEN = "given"
    MOTION = "motion"


class Loss(Enum):
    """What happens to a packet."""

    DROP = "drop"
    LATE = "late"
    DUPLICATE = "duplicate"


class Stream(Enum):
    """Which packets: the arm's states, or the client's commands."""

    STATES = "states"
    COMMANDS = "commands"


class Fault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="fault"):
    """A fault: `at_s` after `since` it begins, `for_s` later it ends (None: never). `arm` counts from 0."""

    at_s: Seconds = 0.0
    for_s: Seconds | None = None
    since: Since = Since.GIVEN
    arm: Annotated[int, msgspec.Meta(ge=0)] = 0


class Reflex(Fault, frozen=True, tag="reflex"):
    """The motion is aborted with `flag`, named as pylibfranka names it. Happens once, if a motion runs."""

    flag: str


class UserStop(Fault, frozen=True, tag="user_stop"):
    """Somebody holds down the stop button."""


class SilentUdp(Fault, frozen=True, tag="silent_udp"):
    """No state leaves the box and no command reaches it."""


class CloseTcp(Fault, frozen=True, tag="close_tcp"):
    """The box hangs up. Happens once."""


class Mute(Fault, frozen=True, tag="mute"):
    """Requests are never answered: those called `command` (as `set_load`), or all of them.

    A pylibfranka that waits for such an answer waits for good.
    """

    command: str | None = None


class WrongVersion(Fault, frozen=True, tag="wrong_version"):
    """Connect is answered with this version, and that it does not match."""

    version: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 9


class Packets(Fault, frozen=True, tag="packets"):
    """Packets are lost, late by `by` milliseconds or doubled: `share` of them, and at most `count`."""

    what: Loss
    of: Stream = Stream.STATES
    by: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 5
    share: Share = 1.0
    count: Annotated[int, msgspec.Meta(ge=1)] | None = None
    seed: int = 0


class NanState(Fault, frozen=True, tag="nan"):
    """A field of the states, named as pylibfranka names it, is full of NaN."""

    field: str = "q"


class Push(Fault, frozen=True, tag="push"):
    """A wrench on the end effector, in the base frame: `force` [N], `torque` [N m]."""

    force: tuple[Newtons, Newtons, Newtons] = (0.0, 0.0, 0.0)
    torque: tuple[NewtonMetres, NewtonMetres, NewtonMetres] = (0.0, 0.0, 0.0)


AnyFault = Reflex | UserStop | SilentUdp | CloseTcp | Mute | WrongVersion | Packets | NanState | Push


def in_words(fault: AnyFault) -> str:
    """Its kind and what it says beside its times: "Push force 0 0 -20 N, torque 0 0 0 N m"."""
    kind = type(fault).__name__
    match fault:
        case Push(force=force, torque=torque):
            return f"{kind} force {_spaced(force)} N, torque {_spaced(torque)} N m"
        case Reflex(flag=flag):
            return f"{kind} {flag}"
        case Mute(command=command):
            return f"{kind} {command or 'all requests'}"
        case WrongVersion(version=version):
            return f"{kind} {version}"
        case NanState(field=field):
            return f"{kind} {field}"
        case Packets(what=what, of=of):
            return f"{kind} {what.value} {of.value}"
    return kind


def _spaced(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:g}" for value in values)


def check(fault: AnyFault, arms: int) -> None:
    """Raises DescriptionError for names that do not exist and numbers that are none.

    What is not a number meets all bounds, and a fault made in Python has met none yet.
    """
    numbers = [fault.at_s, fault.for_s or 0.0]
    if isinstance(fault, Push):
        numbers += [*fault.force, *fault.torque]
    elif isinstance(fault, Packets):
        numbers.append(fault.share)
    if not all(map(math.isfinite, numbers)):
        raise DescriptionError(f"{in_words(fault)}: not all its numbers are finite")
    try:
        msgspec.convert(msgspec.to_builtins(fault), AnyFault)
    except msgspec.ValidationError as error:
        raise DescriptionError(f"{in_words(fault)}: {error}") from None
    if fault.arm >= arms:
        raise DescriptionError(f"the fault is for arm {fault.arm}; there are arms 0 to {arms - 1}")
    match fault:
        case Reflex(flag=flag) if flag_named(flag) is None:
            near = [each.label for each in Flag if flag.lower() in each.label]
            raise DescriptionError(
                f"there is no flag {flag!r}; there are {', '.join(near or [each.label for each in Flag])}"
            )
        case NanState(field=field) if field not in _REAL_FIELDS:
            raise DescriptionError(f"states have no numbers {field!r}; they have {', '.join(_REAL_FIELDS)}")
        case Mute(command=str(name)) if name.upper() not in Command.__members__:
            known = ", ".join(command.name.lower() for command in Command)
            raise DescriptionError(f"there is no command {name!r}; there are {known}")


assert STATE.names is not None
assert STATE.fields is not None
_REAL_FIELDS = tuple(name for name in STATE.names if STATE.fields[name][0].base.kind == "f")


class _Armed:
    """A fault on its way: it waits, acts, ends."""

    def __init__(self, fault: AnyFault, now_s: float, motion_s: float | None) -> None:
        self.fault = fault
        self.begins_s: float | None = now_s + fault.at_s
        if fault.since is Since.MOTION:
            self.begins_s = None if motion_s is None else max(now_s, motion_s + fault.at_s)
        self.told = False
        self.left = fault.count if isinstance(fault, Packets) else None
        self.random = Random(fault.seed if isinstance(fault, Packets) else 0)

    def acts(self, now_s: float) -> bool:
        # Half a millisecond of grace: times are sums of milliseconds.
        return self.begins_s is not None and now_s >= self.begins_s - 5e-4

    def is_over(self, now_s: float) -> bool:
        fault = self.fault
        if self.begins_s is None or self.left == 0:
            return self.left == 0
        return fault.for_s is not None and now_s >= self.begins_s + fault.for_s - 5e-4


class FaultPlan:
    """The faults of one arm. `advance` brings it to a time; the rest says what is wrong then."""

    def __init__(self, faults: Iterable[AnyFault] = ()) -> None:
        self._now_s = 0.0
        self._motion_s: float | None = None
        self._armed: list[_Armed] = []
        self._acting: list[_Armed] = []
        for fault in faults:
            self.give(fault)

    def give(self, fault: AnyFault) -> None:
        """One more, counted from now."""
        self._armed.append(_Armed(fault, self._now_s, self._motion_s))

    def clear(self) -> int:
        """All faults end, begun or not; says how many there were."""
        count = len(self._armed)
        self._armed, self._acting = [], []
        return count

    def motion_begins(self) -> None:
        """A motion has started: faults that wait for one count from now."""
        self._motion_s = self._now_s
        for armed in self._armed:
            if armed.begins_s is None:
                armed.begins_s = self._now_s + armed.fault.at_s

    def motion_ends(self) -> None:
        """The motion is over."""
        self._motion_s = None

    def advance(self, now_s: float) -> list[AnyFault]:
        """To a later time; returns the faults that begin to act."""
        self._now_s = now_s
        if not self._armed:
            return []
        self._armed = [armed for armed in self._armed if not armed.is_over(now_s)]
        self._acting = [armed for armed in self._armed if armed.acts(now_s)]
        begun = [armed for armed in self._acting if not armed.told]
        for armed in begun:
            armed.told = True
            if isinstance(armed.fault, Reflex | CloseTcp):  # these happen once
                self._armed.remove(armed)
                self._acting.remove(armed)
        return [armed.fault for armed in begun]

    @property
    def is_silent(self) -> bool:
        """Whether UDP is."""
        return any(isinstance(armed.fault, SilentUdp) for armed in self._acting)

    @property
    def is_user_stopped(self) -> bool:
        """Whether the stop button is down."""
        return any(isinstance(armed.fault, UserStop) for armed in self._acting)

    @property
    def answered_version(self) -> int | None:
        """The version that Connect is answered with, if not the right one."""
        return next((a.fault.version for a in self._acting if isinstance(a.fault, WrongVersion)), None)

    def is_mute(self, command: Command) -> bool:
        """Whether this request goes unanswered."""
        names = (None, command.name.lower())
        return any(
            isinstance(a.fault, Mute) and (a.fault.command and a.fault.command.lower()) in names
            for a in self._acting
        )

    def nan_fields(self) -> tuple[str, ...]:
        """Fields of the states that are full of NaN."""
        if not self._acting:
            return ()
        return tuple(a.fault.field for a in self._acting if isinstance(a.fault, NanState))

    def wrench(self) -> NDArray[np.float64] | None:
        """(6,) on the end effector, or None if nothing pushes."""
        if not self._acting:
            return None
        pushes = [(*a.fault.force, *a.fault.torque) for a in self._acting if isinstance(a.fault, Push)]
        return np.sum(pushes, axis=0) if pushes else None

    def delays(self, of: Stream) -> tuple[int, ...]:
        """When the copies of the next packet arrive, in milliseconds: (0,) if all is well, () if never."""
        if not self._acting:
            return (0,)
        if self.is_silent:
            return ()
        for armed in self._acting:
            fault = armed.fault
            if not isinstance(fault, Packets) or fault.of is not of or armed.left == 0:
                continue
            if armed.random.random() >= fault.share:
                continue
            if armed.left is not None:
                armed.left -= 1
            match fault.what:
                case Loss.DROP:
                    return ()
                case Loss.LATE:
                    return (fault.by,)
                case Loss.DUPLICATE:
                    return (0, 0)
        return (0,)
