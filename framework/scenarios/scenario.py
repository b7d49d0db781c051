"""What a scenario is, as data: steps that are done, and conditions that are expected. Nothing runs here.

A file becomes these structs in `reading.py`; `runner.py` carries them out on a `Stage`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, field

from framework.events import EventKind
from framework.tree.run import PlanState
from framework.yaml_reader import Text

WITHIN_S = 5.0
"""How long an expectation may take where the file does not say."""

TIMEOUT_S = 120.0
"""How long a whole scenario may take where the file does not say."""

ANY = "any"
NOTHING = "nothing"
ABSENT = "absent"

_NAME = "[a-z][a-z0-9_]{0,63}"
_NAME_WORDS = "small letters, digits and _ only, a letter first"

Name = Annotated[Text, Meta(pattern=rf"^{_NAME}\Z", description=_NAME_WORDS)]
Failing = Annotated[
    Text,
    Meta(
        pattern=rf"^({_NAME}|.*/.*|process .+|(phone|headset|desk) \d+|main process)\Z",
        description=f"a device's name ({_NAME_WORDS}), or registrar/request; or `process NAME` with `*` for "
        "anything, a person (phone 1), main process, clock, disk, network",
    ),
]
Duration = Annotated[float, Meta(gt=0.0, le=1e6)]
Time = Annotated[float, Meta(ge=0.0, le=1e6)]

CLOCK, DISK, MAIN_PROCESS, NETWORK = "clock", "disk", "main process", "network"
MACHINE = (CLOCK, DISK, MAIN_PROCESS, NETWORK)
"""What can fail besides devices, processes and links."""


class How(StrEnum):
    """In which way a device fails, or another place: a process, a person's link, the clock, the disk."""

    DIE = "die"
    HANG = "hang"
    GARBAGE = "garbage"
    STALE = "stale"
    REFLEX = "reflex"
    SLOW = "slow"  # what comes, comes seldom and late
    LIE = "lie"  # what comes is plausible and wrong
    LOSSY = "lossy"  # a link loses and delays
    STEP = "step"  # the wall clock jumps
    FULL = "full"  # nothing can be written any more
    STARVED = "starved"  # it gets no processor for a while


class Settles(StrEnum):
    """What is expected to become of an instruction. LATER: it is not waited for. EITHER: anything."""

    DONE = "done"
    NOT_DONE = "not done"
    LATER = "later"
    EITHER = "either"


class Phase(StrEnum):
    """What an action is at, as its tree and its devices tell it: no time says so."""

    STARTING = "starting"  # it waits for what it needs, or is at work and nothing moves or is ready yet
    READY = "ready"  # continuous and established
    MOVING = "moving"  # what is granted to it moves
    HANDING_OVER = "handing over"  # it has lost what it had, and waits for it or for something else
    STOPPING = "stopping"  # it was told to end
    RESUMING = "resuming"  # it goes on after a pause or a handing over, and does not move yet


class WhichClock(StrEnum):
    """On which time a scenario runs."""

    REAL = "real"
    VIRTUAL = "virtual"


# ---------------------------------------------------------------- conditions


class EventSeen(msgspec.Struct, frozen=True):
    """Something was said: of this kind, if one is given, and matching the pattern (a regular expression)."""

    kind: EventKind | None = None
    pattern: str = ""

    def __str__(self) -> str:
        kind = f"an event {self.kind.value!r}" if self.kind is not None else "an event"
        return f"{kind} that says {self.pattern!r}" if self.pattern else kind


class Told(msgspec.Struct, frozen=True):
    """These words were said, or (not `wanted`) were not; capitals do not count."""

    words: str
    wanted: bool = True

    def __str__(self) -> str:
        return f"{'the words' if self.wanted else 'no word of'} {self.words!r}"


class Heard(msgspec.Struct, frozen=True):
    """These words were said: to this person, if one is given, once, and no later than this after the deed.

    Capitals do not count. within_s: from the last deed.
    """

    words: Text
    by: Text = ""
    once: bool = False
    within_s: Duration | None = None

    def __str__(self) -> str:
        by = f" to {self.by}" if self.by else ""
        once = " once" if self.once else ""
        within = f" within {self.within_s:g} s" if self.within_s is not None else ""
        return f"the words {self.words!r}{by}{once}{within}"


class MotionBound(StrEnum):
    """What is asked of a device's motion since the last deed."""

    AT_REST_WITHIN = "at_rest_within"  # it rests now, and has since so long after the deed [s]
    MOVED_AT_MOST = "moved_at_most"  # so far from where it was at the deed [m]
    MOVED_AT_LEAST = "moved_at_least"  # it is so far from where it was at the deed, or further [m]
    NEVER_MOVES_AFTER = "never_moves_after"  # so long after the deed [s]
    JUMP_AT_MOST = "jump_at_most"  # from one sample to the next [m]
    FORCE_AT_MOST = "force_at_most"  # at the tool or between the fingers [N]

    @property
    def unit(self) -> str:
        """Of its limit."""
        return _UNITS[self]


_UNITS = {
    MotionBound.AT_REST_WITHIN: "s",
    MotionBound.MOVED_AT_MOST: "m",
    MotionBound.MOVED_AT_LEAST: "m",
    MotionBound.NEVER_MOVES_AFTER: "s",
    MotionBound.JUMP_AT_MOST: "m",
    MotionBound.FORCE_AT_MOST: "N",
}


class Motion(msgspec.Struct, frozen=True):
    """What a device has moved like since the last deed: a tool's place, a gripper's width, a base's odometry.

    A bound on what must not happen holds at once: let time pass before (`wait_s`).
    """

    device: str
    bound: MotionBound
    limit: float

    def __str__(self) -> str:
        return f"{self.device}: {self.bound.value} {self.limit:g} {self.bound.unit}"


class Shown(msgspec.Struct, frozen=True):
    """A view of this device shows a sample newer than the last deed. Or "any" device, or "nothing" is shown.

    gap_below_s: no later than this after the last deed.
    """

    device: str
    gap_below_s: float | None = None

    def __str__(self) -> str:
        if self.device == NOTHING:
            return "nothing is shown"
        gap = f" after a gap below {self.gap_below_s:g} s" if self.gap_below_s is not None else ""
        return f"{'any device' if self.device == ANY else self.device} is shown{gap}"


class DeviceIs(msgspec.Struct, frozen=True):
    """A device is in this state."""

    device: str
    state: str

    def __str__(self) -> str:
        return f"{self.device} is {self.state}"


class ResourceIs(msgspec.Struct, frozen=True):
    """A resource, `registrar/request` with `*` for anything, is in this state; "absent": there is none."""

    resource: str
    state: str

    def __str__(self) -> str:
        return f"{self.resource} is {self.state}"


class PlanIs(msgspec.Struct, frozen=True):
    """The latest plan of these words is in this state."""

    words: str
    state: PlanState

    def __str__(self) -> str:
        return f"the plan {self.words!r} is {self.state.value}"


class ProcessIs(msgspec.Struct, frozen=True):
    """A process (its name, `*` for anything) runs, or none of that name does."""

    process: str
    runs: bool

    def __str__(self) -> str:
        return f"the process {self.process!r} {'runs' if self.runs else 'is gone'}"


class NothingRunning(msgspec.Struct, frozen=True):
    """No plan is running."""

    def __str__(self) -> str:
        return "no plan is running"


class Empty(msgspec.Struct, frozen=True):
    """No resource is left beyond those that are kept for good: nothing has leaked."""

    def __str__(self) -> str:
        return "nothing is left but what is kept for good"


class Stopped(msgspec.Struct, frozen=True):
    """The emergency stop is set, or not."""

    is_set: bool

    def __str__(self) -> str:
        return f"the emergency stop is {'set' if self.is_set else 'not set'}"


class Either(msgspec.Struct, frozen=True):
    """One of several groups of conditions holds."""

    groups: tuple[tuple[Condition, ...], ...]

    def __str__(self) -> str:
        return " or ".join(" and ".join(map(str, group)) for group in self.groups)


Condition: TypeAlias = (
    EventSeen
    | Told
    | Heard
    | Motion
    | Shown
    | DeviceIs
    | ResourceIs
    | PlanIs
    | ProcessIs
    | NothingRunning
    | Empty
    | Stopped
    | Either
)

# ---------------------------------------------------------------- deeds


class Say(msgspec.Struct, frozen=True):
    """Give an instruction, and wait for what becomes of it. who: says it; "" is the scenario itself.

    heard: it is spoken aloud, and the recogniser is so sure of it; without, it is typed.
    """

    text: Text = field(name="say")
    settles: Settles = Settles.DONE
    within_s: Duration = 30.0
    who: Text = ""
    heard: Annotated[float, Meta(ge=0.0, le=1.0)] | None = None

    def __str__(self) -> str:
        how = "" if self.heard is None else f" (heard with {self.heard:g})"
        return f'{self.who} says "{self.text}"{how}' if self.who else f'say "{self.text}"{how}'


class Fail(msgspec.Struct, frozen=True):
    """Make a device fail, or (`registrar/request`) a resource."""

    device: Failing = field(name="fail")
    how: How = How.DIE

    def __post_init__(self) -> None:
        if "/" in self.device and self.how is not How.DIE:
            raise ValueError("a resource can only die; how is for devices")

    @property
    def is_of_device(self) -> bool:
        """Not of a resource, a process, a person or the machine."""
        return not ("/" in self.device or " " in self.device or self.device in MACHINE)

    def __str__(self) -> str:
        return f"fail {self.device} ({self.how.value})"


class Restore(msgspec.Struct, frozen=True):
    """Plug a device in again; or end what was done to another place by `Fail`."""

    device: Failing = field(name="restore")

    def __post_init__(self) -> None:
        if "/" in self.device:
            raise ValueError("a resource comes back by itself; restore is for devices and other places")

    @property
    def is_of_device(self) -> bool:
        """As of `Fail`."""
        return not (" " in self.device or self.device in MACHINE)

    def __str__(self) -> str:
        return f"restore {self.device}"


class Kill(msgspec.Struct, frozen=True):
    """kill -9 of a process (its name, `*` for anything; the first that fits)."""

    process: Text = field(name="kill")

    def __str__(self) -> str:
        return f"kill -9 {self.process}"


class StopProcess(msgspec.Struct, frozen=True):
    """SIGSTOP: the process stands still, and does not notice."""

    process: Text = field(name="stop_process")

    def __str__(self) -> str:
        return f"SIGSTOP {self.process}"


class ContinueProcess(msgspec.Struct, frozen=True):
    """SIGCONT."""

    process: Text = field(name="continue_process")

    def __str__(self) -> str:
        return f"SIGCONT {self.process}"


class EmergencyStop(msgspec.Struct, frozen=True):
    """Set the emergency stop."""

    reason: Text = field(name="emergency_stop")

    def __str__(self) -> str:
        return f"emergency stop ({self.reason})"


class Reset(msgspec.Struct, frozen=True):
    """Take the emergency stop back, as an operator who has confirmed."""

    is_confirmed: Literal[True] = field(default=True, name="reset")

    def __str__(self) -> str:
        return "reset the emergency stop"


class Take(msgspec.Struct, frozen=True):
    """An operator takes a device that moves for themselves, whoever has it, until they give it back."""

    device: Name = field(name="take")

    def __str__(self) -> str:
        return f"an operator takes {self.device}"


class GiveBack(msgspec.Struct, frozen=True):
    """The operator gives a device back."""

    device: Name = field(name="give_back")

    def __str__(self) -> str:
        return f"the operator gives {self.device} back"


class Play(msgspec.Struct, frozen=True):
    """A scripted person does something; the stage knows who and what ("phone 1 presses the clutch")."""

    sentence: Text = field(name="play")

    def __str__(self) -> str:
        return self.sentence


class Listen(msgspec.Struct, frozen=True):
    """Have the robot listen by its microphones, as `pilothouse listen` does, or not any more."""

    is_on: bool = field(name="listen")

    def __str__(self) -> str:
        return "listen" if self.is_on else "listen no more"


class Speak(msgspec.Struct, frozen=True):
    """Somebody says this aloud, a moment from now; every open microphone of the room hears it."""

    words: Annotated[Text, Meta(max_length=300)] = field(name="speak")

    def __str__(self) -> str:
        return f'somebody says aloud "{self.words}"'


Deed: TypeAlias = (
    Say
    | Listen
    | Speak
    | Fail
    | Restore
    | Kill
    | StopProcess
    | ContinueProcess
    | EmergencyStop
    | Reset
    | Take
    | GiveBack
    | Play
)


class WaitStep(msgspec.Struct, frozen=True):
    """Let time pass."""

    seconds: Time = field(name="wait_s")

    def __str__(self) -> str:
        return f"wait {self.seconds:g} s"


class Expect(msgspec.Struct, frozen=True):
    """All conditions come to hold together. record: keep the time it took, from the last deed, by this name.

    A recorded time is in milliseconds if its name ends in `_ms`, otherwise in seconds.
    """

    conditions: tuple[Condition, ...]
    within_s: float = WITHIN_S
    record: str = ""

    def __str__(self) -> str:
        return " and ".join(map(str, self.conditions))


class Await(msgspec.Struct, frozen=True):
    """Wait until all conditions hold together, at most so long; go on in any case."""

    conditions: tuple[Condition, ...]
    within_s: float = WITHIN_S

    def __str__(self) -> str:
        return f"wait for {' and '.join(map(str, self.conditions))}"


class When(msgspec.Struct, frozen=True):
    """A moment: an action comes into a phase, for the nth time; and so much later.

    action: its name, as in `actions/`; "" any.
    """

    phase: Phase
    action: str = ""
    nth: Annotated[int, Meta(ge=1, le=1000)] = 1
    after_s: Time = 0.0

    def __str__(self) -> str:
        nth = f", the {self.nth}. time" if self.nth > 1 else ""
        after = f", {self.after_s:g} s later" if self.after_s else ""
        return f"{self.action or 'any action'} {self.phase.value}{nth}{after}"


class Strike(msgspec.Struct, frozen=True):
    """A place fails at a moment, beside the steps. lasts_s: then it is restored; 0: at the end."""

    fail: Fail
    when: When
    lasts_s: Time = 0.0

    def __str__(self) -> str:
        lasts = f" for {self.lasts_s:g} s" if self.lasts_s else ""
        return f"{self.fail}{lasts} when {self.when}"


class RandomFaults(msgspec.Struct, frozen=True):
    """Deeds drawn by the seed, at exponentially distributed intervals; after each the invariants hold."""

    n: int
    mean_interval_s: float
    choices: tuple[Deed, ...]
    invariants: tuple[Condition, ...] = ()
    within_s: float = WITHIN_S

    def __str__(self) -> str:
        return f"{self.n} random faults, every {self.mean_interval_s:g} s on average"


class Step(msgspec.Struct, frozen=True):
    """One step of a scenario. at_s: not before this, from the scenario's beginning. line: in its file."""

    do: Deed | WaitStep | Expect | Await | RandomFaults
    at_s: float | None = None
    line: int = 0


class Round(msgspec.Struct, frozen=True):
    """What has to go well when all faults are over: steps of its own, whose expectations are judged.

    clock: the only one on which it can be gone through: it waits for minutes, or needs what is only there.
    """

    name: str
    steps: tuple[Step, ...]
    clock: WhichClock | None = None


class Scenario(msgspec.Struct, frozen=True):
    """What is done and expected, in order. Deeds name their fields as files do.

    world: what is simulated; robot: a robot description instead of the world's own, relative to the file.
    phones: people with phones are served from the beginning. actions: a folder of further actions, relative
    to the file. timeout_s: the steps are given up after so long. faults: what fails beside the steps, at
    moments. invariants: what holds in every run (`invariants.py`) is judged, too. rounds: the seed draws some
    of them, which are gone through afterwards, when all is mended.
    """

    name: str
    steps: tuple[Step, ...]
    description: str = ""
    world: str = "inspection"
    robot: str = ""
    clock: WhichClock = WhichClock.REAL
    timeout_s: float = TIMEOUT_S
    file: str = ""
    phones: bool = False
    actions: str = ""
    faults: tuple[Strike, ...] = ()
    invariants: bool = False
    rounds: tuple[Round, ...] = ()

    @property
    def all_steps(self) -> tuple[Step, ...]:
        """With those of its rounds."""
        return (*self.steps, *(step for each in self.rounds for step in each.steps))

    @property
    def devices(self) -> dict[str, int]:
        """The devices that it names, each with the line where it is named first."""
        found: dict[str, int] = {}
        for step in self.all_steps:
            for name in _devices_of(step.do):
                found.setdefault(name, step.line)
        for strike in self.faults:
            for name in _devices_of(strike.fail):
                found.setdefault(name, 0)
        return found


def _devices_of(do: Deed | WaitStep | Expect | Await | RandomFaults) -> tuple[str, ...]:
    match do:
        case Fail(device=device) | Restore(device=device):
            return (device,) if do.is_of_device else ()
        case Take(device=device) | GiveBack(device=device):
            return (device,)
        case Expect(conditions=conditions) | Await(conditions=conditions):
            return _devices_in(conditions)
        case RandomFaults(choices=choices, invariants=invariants):
            return (*(name for choice in choices for name in _devices_of(choice)), *_devices_in(invariants))
        case _:
            return ()


def _devices_in(conditions: tuple[Condition, ...]) -> tuple[str, ...]:
    names: list[str] = []
    for condition in conditions:
        match condition:
            case Shown(device=device) if device not in (ANY, NOTHING):
                names.append(device)
            case DeviceIs(device=device) | Motion(device=device):
                names.append(device)
            case Either(groups=groups):
                names += [name for group in groups for name in _devices_in(group)]
    return tuple(names)
