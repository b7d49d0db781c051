"""What the watch wants done, and the two ladders by which a process is brought to its end.

A ladder is a sequence of steps, each with the time it is given: one for stopping a child in good
order, one for ending a child that is lost. Nothing here does anything.
"""

from __future__ import annotations

import signal
from typing import Final

import msgspec

from framework.processes.child_events import ChildEvent, StopHow
from framework.processes.spec import ProcessSpec

AFTER_KILL_S: Final = 5.0  # a process that outlives SIGKILL by this sits in a driver; nobody can end it
GUARDIAN_S: Final = 1.0  # what a guardian may take to kill its program and all that came of it


class Spawn(msgspec.Struct, frozen=True):
    """Start the process; answer with `spawned` or `spawn_failed`."""


class Signal(msgspec.Struct, frozen=True):
    """Send a signal to the child, with SIGCONT behind it. SIGKILL goes to its whole group."""

    number: int


class TellToQuit(msgspec.Struct, frozen=True):
    """Say over the channel: be safe and end now. It reaches a child whose main loop hangs."""


Effect = Spawn | Signal | TellToQuit | ChildEvent


class Step(msgspec.Struct, frozen=True):
    """One step of a ladder; `how` it ended if it ends within `wait_s`."""

    effect: Signal | TellToQuit
    wait_s: float
    how: StopHow


def to_end(spec: ProcessSpec) -> tuple[Step, ...]:
    """For what is lost, and for what did not leave when asked: it may make itself safe, no more."""
    quit_s = spec.safe_stop_s if spec.protocol else max(spec.safe_stop_s, GUARDIAN_S)
    return (
        Step(TellToQuit(), quit_s, StopHow.KILLED),
        Step(Signal(signal.SIGKILL), AFTER_KILL_S, StopHow.KILLED),
    )


def to_stop(spec: ProcessSpec) -> tuple[Step, ...]:
    """Politely, firmly, then as above."""
    interrupt_s, terminate_s = spec.stop_timeouts_s
    return (
        Step(Signal(signal.SIGINT), interrupt_s, StopHow.INTERRUPTED),
        Step(Signal(signal.SIGTERM), terminate_s, StopHow.TERMINATED),
        *to_end(spec),
    )
