"""`SimulatedControlBox`: a control box in a child process of its own, for tests and scripts.

Of its own, because pylibfranka never lets go of the interpreter while it waits: a box in the process of its
client would never come to answer.
"""

from __future__ import annotations

import os
import random
import select
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from framework.errors import InstallationError, ProcessDied, ProcessStartFailed
from resources.fci_sim.chronicle import Event
from resources.fci_sim.faults import AnyFault
from resources.fci_sim.gripper_wire import GRIPPER_PORT
from resources.fci_sim.orders import (
    Answer,
    AnyOrder,
    AwaitEvent,
    BoxStatus,
    Clear,
    Events,
    Guide,
    HoldObject,
    Inject,
    Pass,
    Place,
    Script,
    Sent,
    Status,
)
from resources.fci_sim.physics import Scene
from resources.fci_sim.wire import ARM_PORT

_START_S = 30.0
_ANSWER_S = 10.0
_END_S = 5.0
_TRIES = 50


class BoxArguments(msgspec.Struct, frozen=True):
    """What the child is started with."""

    addresses: tuple[str, ...]
    lock_step: bool
    script: Script


class SimulatedControlBox:
    """A control box that runs while the `with` block does.

        with SimulatedControlBox(lock_step=True) as box:
            robot = pylibfranka.Robot(box.address, pylibfranka.RealtimeConfig.kIgnore)

    Args:
        arms: how many; each has an address of its own.
        lock_step: the arms' time waits for their clients, so that every run is the same; else it is
            the clock's, a thousand steps a second.
        faults: what goes wrong, and when (`faults.py`).
        scene: what each arm starts with, and stands in.
        addresses: loopback addresses; default: free ones, so that boxes can run side by side.

    Raises:
        ProcessStartFailed: on entering, in the words of the child.
    """

    def __init__(
        self,
        *,
        arms: int = 1,
        lock_step: bool = True,
        faults: Sequence[AnyFault] = (),
        scene: Scene = Scene(),
        addresses: Sequence[str] = (),
    ) -> None:
        self.addresses = tuple(addresses) or free_addresses(arms)
        self._arguments = BoxArguments(self.addresses, lock_step, Script(scene, tuple(faults)))
        self._child: subprocess.Popen[bytes] | None = None
        self._begun = bytearray()

    @property
    def address(self) -> str:
        """Of the first arm."""
        return self.addresses[0]

    @property
    def pid(self) -> int:
        """Of the child: for tests that stop or kill it."""
        return self._running().pid

    def __enter__(self) -> SimulatedControlBox:
        self._child = subprocess.Popen(
            [sys.executable, "-m", "resources.fci_sim", msgspec.json.encode(self._arguments).decode()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # It draws nothing: looking for a display takes a third of its start.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "MUJOCO_GL": "disable"},
        )
        try:
            answer = self._answer(_START_S)
        except ProcessDied as error:
            self.close()
            raise ProcessStartFailed(f"the simulated control box did not start: {error}") from None
        if answer.problem:
            self.close()
            raise ProcessStartFailed(f"the simulated control box did not start: {answer.problem}")
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self, *, within_s: float = _END_S) -> None:
        """End the child, by force if it has not ended by itself within that time; it is gone afterwards."""
        child, self._child = self._child, None
        if child is None:
            return
        assert child.stdin is not None
        assert child.stdout is not None
        with suppress(BrokenPipeError):
            child.stdin.close()
        try:
            child.wait(within_s)
        except subprocess.TimeoutExpired:  # stopped, perhaps, by a test
            child.kill()
            child.wait()
        child.stdout.close()

    def inject(self, fault: AnyFault) -> None:
        """A fault, from now on. Raises ValueError for one that cannot be."""
        self._ask(Inject(fault=fault))

    def clear(self, arm: int = 0) -> None:
        """All faults of an arm end."""
        self._ask(Clear(arm=arm))

    def status(self, arm: int = 0) -> BoxStatus:
        """How an arm is."""
        status = self._ask(Status(arm=arm)).status
        assert status is not None
        return status

    def digest(self, arm: int = 0) -> str:
        """Of all states during motions so far: equal for equal runs in lock-step."""
        return self.status(arm).digest

    def place(self, q: Sequence[float], arm: int = 0) -> None:
        """Put an arm into a posture (7,) [rad], at rest. Raises ValueError outside of its limits."""
        self._ask(Place(q=tuple(float(value) for value in q), arm=arm))

    def guide(self, on: bool, arm: int = 0) -> None:
        """A person takes the arm by the hand, or lets go."""
        self._ask(Guide(held=on, arm=arm))

    def hold_object(self, width_m: float, arm: int = 0) -> None:
        """Something rigid of this width stands between the fingers from now on; 0 is nothing."""
        self._ask(HoldObject(width_m=width_m, arm=arm))

    def pass_time(self, for_s: float, arm: int = 0) -> None:
        """Let an arm's time pass by itself, in lock-step while no motion runs."""
        self._ask(Pass(for_s=for_s, arm=arm))

    def events(self, after: int = 0) -> tuple[Event, ...]:
        """What happened after event number `after`."""
        return self._ask(Events(after=after)).events

    def sent(self, arm: int = 0) -> tuple[tuple[int, float], ...]:
        """Message id and time [s, CLOCK_MONOTONIC] of the last states, if it goes by the clock."""
        return self._ask(Sent(arm=arm)).sent

    def wait_for(self, text: str, *, after: int = 0, for_s: float = 10.0) -> Event:
        """The first event after number `after` that contains `text`. Raises ValueError if none comes."""
        (event,) = self._ask(AwaitEvent(text=text, after=after, for_s=for_s), for_s + _ANSWER_S).events
        return event

    def _ask(self, order: AnyOrder, within_s: float = _ANSWER_S) -> Answer:
        child = self._running()
        assert child.stdin is not None
        try:
            child.stdin.write(msgspec.json.encode(order) + b"\n")
            child.stdin.flush()
        except BrokenPipeError:
            raise ProcessDied(f"the simulated control box has ended with code {child.wait()}") from None
        answer = self._answer(within_s)
        if answer.problem:
            raise ValueError(answer.problem)
        return answer

    def _answer(self, within_s: float) -> Answer:
        child = self._running()
        assert child.stdout is not None
        until_s = time.monotonic() + within_s
        while b"\n" not in self._begun:
            left_s = until_s - time.monotonic()
            readable: list[Any] = select.select([child.stdout], [], [], max(0.0, left_s))[0]
            data = os.read(child.stdout.fileno(), 65536) if readable else b""
            if not data:
                how = (
                    f"has ended with code {child.wait(_END_S)}"
                    if readable
                    else f"said nothing for {within_s:g} s"
                )
                raise ProcessDied(f"the simulated control box {how}")
            self._begun += data
        line, _, rest = bytes(self._begun).partition(b"\n")
        self._begun[:] = rest
        return msgspec.json.decode(line, type=Answer)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            raise ProcessDied("the simulated control box does not run: use it inside its `with` block")
        return self._child


def free_addresses(count: int) -> tuple[str, ...]:
    """Loopback addresses on which nobody serves the ports of a control box at this moment.

    Raises InstallationError if so many cannot be found.
    """
    found: list[str] = []
    # Not from a seed: boxes of processes that run side by side have to differ.
    dice = random.SystemRandom()
    for _ in range(_TRIES):
        address = f"127.{dice.randint(64, 126)}.{dice.randint(0, 255)}.{dice.randint(1, 254)}"
        if address not in found and _is_free(address):
            found.append(address)
        if len(found) == count:
            return tuple(found)
    raise InstallationError(
        f"{count} free loopback addresses cannot be found; on Linux all of 127.0.0.0/8 is local"
    )


def _is_free(address: str) -> bool:
    for port in (ARM_PORT, GRIPPER_PORT):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind((address, port))
            except OSError:
                return False
    return True
