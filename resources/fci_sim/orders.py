"""What can be asked of a running box beside the control interface: faults, a look inside, a helping hand.

One order a line, as JSON or as YAML in one line. `{do: inject, fault: {fault: reflex, flag: joint_reflex}}`.
"""

from __future__ import annotations

from types import UnionType
from typing import Annotated, get_args

import msgspec

from framework.errors import DescriptionError
from framework.yaml_reader import read
from resources.fci_sim.chronicle import Event
from resources.fci_sim.faults import AnyFault
from resources.fci_sim.physics import Scene


class Order(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do"):
    """Something to do; `arm` counts from 0."""

    arm: Annotated[int, msgspec.Meta(ge=0)] = 0


class Inject(Order, frozen=True, tag="inject"):
    """A fault, from now on (its own `arm` counts)."""

    fault: AnyFault


class Clear(Order, frozen=True, tag="clear"):
    """All faults of the arm end."""


class Status(Order, frozen=True, tag="status"):
    """How the arm is; answered with `BoxStatus`."""


class Place(Order, frozen=True, tag="place"):
    """Put the arm into a posture, at rest."""

    q: tuple[float, ...]


class Guide(Order, frozen=True, tag="guide"):
    """Take the arm by the hand, or let go. (`on` would be no name in YAML: it is the word for true.)"""

    held: bool


class HoldObject(Order, frozen=True, tag="object"):
    """Something rigid of this width [m] stands between the fingers from now on; 0 is nothing."""

    width_m: Annotated[float, msgspec.Meta(ge=0.0, le=0.08)]


class Pass(Order, frozen=True, tag="pass"):
    """Let the arm's time pass by itself, in lock-step while no motion runs."""

    for_s: Annotated[float, msgspec.Meta(gt=0.0, le=60.0)]


class Events(Order, frozen=True, tag="events"):
    """What happened after event number `after`, of all arms."""

    after: int = 0


class AwaitEvent(Order, frozen=True, tag="wait"):
    """Answer when an event after number `after` contains `text`, or after `for_s` of real time."""

    text: str
    after: int = 0
    for_s: Annotated[float, msgspec.Meta(gt=0.0, le=600.0)] = 10.0


class BoxStatus(msgspec.Struct, frozen=True):
    """How one arm is.

    Attributes:
        mode: as pylibfranka names it, in small letters. motion: what runs, "" if nothing does.
        now_s: the arm's own time; steps: milliseconds of it.
        q, dq: (7,) [rad], [rad/s]. width_m: of the gripper.
        errors: flags that are up. last_errors: of the last motion.
        missed: commands missing in the running motion. success_rate: of its last hundred.
        missed_before: commands missing in all motions before.
        digest: of all states during motions so far, and digested: how many there were.
    """

    address: str
    is_connected: bool
    mode: str
    motion: str
    now_s: float
    steps: int
    q: tuple[float, ...]
    dq: tuple[float, ...]
    width_m: float
    errors: tuple[str, ...]
    last_errors: tuple[str, ...]
    missed: int
    missed_before: int
    success_rate: float
    digest: str
    digested: int


class Sent(Order, frozen=True, tag="sent"):
    """When the last ten thousand states went out; only a box that goes by the clock keeps that."""


AnyOrder = Inject | Clear | Status | Place | Guide | HoldObject | Pass | Events | AwaitEvent | Sent


class Answer(msgspec.Struct, frozen=True):
    """What an order came to: `problem` is "" or says why it was not carried out."""

    problem: str = ""
    status: BoxStatus | None = None
    events: tuple[Event, ...] = ()
    sent: tuple[tuple[int, float], ...] = ()  # message id, CLOCK_MONOTONIC [s]


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file to start with: a scene for all arms, and faults."""

    scene: Scene = Scene()
    faults: tuple[AnyFault, ...] = ()


def read_order(line: str | bytes) -> AnyOrder:
    """Raises DescriptionError, in words."""
    try:
        order: AnyOrder = read(line, AnyOrder, what="an order")
    except DescriptionError as error:
        raise DescriptionError(
            f"{error}{_help(error, 'orders', AnyOrder)}, for example {{do: status}}"
        ) from None
    return order


def read_fault(text: str) -> AnyFault:
    """One fault, as YAML. Raises DescriptionError, in words."""
    try:
        fault: AnyFault = read(text, AnyFault, what=f"the fault {text!r}")
    except DescriptionError as error:
        example = "{fault: reflex, flag: joint_reflex}"
        raise DescriptionError(f"{error}{_help(error, 'faults', AnyFault)}, for example {example}") from None
    return fault


def read_script(text: str | bytes, file: str = "") -> Script:
    """A script: a scene and faults, or a list of faults alone. Raises DescriptionError, in words."""
    script: Script = read(text, Script, file=file, what="this script", under="faults")
    return script


def _help(error: DescriptionError, what: str, union: UnionType) -> str:
    """Which there are, unless the error says what is allowed already."""
    told = any(words in str(error) for words in (" is one of ", "allowed are ", " must be ", " is missing"))
    return "" if told else f"; {what} are {_names(union)}"


def _names(union: UnionType) -> str:
    return ", ".join(str(each.__struct_config__.tag) for each in get_args(union))
