"""The server of a control box: all arms in one thread, one wait for all sockets, orders from outside."""

from __future__ import annotations

import gc
import os
import selectors
import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np

from framework.errors import DescriptionError, InstallationError
from resources.fci_sim.arm_server import ArmServer
from resources.fci_sim.box import ArmBox
from resources.fci_sim.chronicle import Chronicle
from resources.fci_sim.faults import AnyFault, FaultPlan, check
from resources.fci_sim.gripper import GripperBox
from resources.fci_sim.orders import (
    Answer,
    AnyOrder,
    AwaitEvent,
    Clear,
    Events,
    Guide,
    HoldObject,
    Inject,
    Pass,
    Place,
    Sent,
    Status,
)
from resources.fci_sim.pacing import Station, WallClock
from resources.fci_sim.physics import Scene

_FINGERS_S: Final = 0.5  # for fingers to notice what is between them


class Server:
    """All arms of a simulated control box.

    Args:
        addresses: one loopback address an arm.
        lock_step: the arms' time waits for their clients; else it is the clock's.
        scene: what each arm starts with.
        faults: what goes wrong, and when.
        chronicle: takes what happens.

    Raises:
        InstallationError: a port is taken or an address is none of this machine's.
        DescriptionError: the scene or a fault cannot be.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        *,
        lock_step: bool = False,
        scene: Scene = Scene(),
        faults: Sequence[AnyFault] = (),
        chronicle: Chronicle | None = None,
    ) -> None:
        self.chronicle = Chronicle(time.monotonic) if chronicle is None else chronicle
        # Not epoll: its timeouts are whole milliseconds, a period of the arm.
        self._selector = selectors.SelectSelector()
        self._is_running = False
        self._waits: list[tuple[AwaitEvent, float, Callable[[Answer], None]]] = []
        self.arms: list[ArmServer] = []
        for fault in faults:
            check(fault, len(addresses))
        try:
            for number, address in enumerate(addresses):
                plan = FaultPlan(fault for fault in faults if fault.arm == number)
                self.arms.append(self._arm(number, address, lock_step, scene, plan))
        except (InstallationError, DescriptionError):
            self.close()
            raise

    def _arm(self, number: int, address: str, lock_step: bool, scene: Scene, plan: FaultPlan) -> ArmServer:
        def tell(text: str) -> None:
            self.chronicle.tell(number, text)

        def station(arm: ArmServer) -> Station:
            box = ArmBox(scene, plan, arm.send_reply, tell)
            return Station(box, GripperBox(box.physics, arm.send_gripper_reply))

        return ArmServer(number, address, self._selector, station, tell, lock_step)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all sockets."""
        for arm in self.arms:
            arm.close()
        self.arms.clear()
        self._selector.close()

    def watch(self, file: int, ready: Callable[[], None]) -> None:
        """Call `ready` whenever the file descriptor has something to read."""
        self._selector.register(file, selectors.EVENT_READ, ready)

    def unwatch(self, file: int) -> None:
        """No more of it."""
        self._selector.unregister(file)

    def stop(self) -> None:
        """`run` returns."""
        self._is_running = False

    def run(self) -> None:
        """Serve until `stop`."""
        self._is_running = True
        # A collection would stop the arm's time for longer than a period; what is made is freed by counting.
        gc.collect()
        gc.freeze()
        gc.disable()
        now_s = time.monotonic()
        for arm in self.arms:
            arm.pacing.next_s = now_s
        try:
            while self._is_running:
                self._turn()
        finally:
            gc.enable()

    def _turn(self) -> None:
        due_s = min(arm.next_s for arm in self.arms)
        for _, until_s, _ in self._waits:
            due_s = min(due_s, until_s)
        ready = self._selector.select(max(0.0, due_s - time.monotonic()))
        for key, _ in ready:
            if key.fileobj in self._selector.get_map():  # an earlier one may have closed it
                key.data()
        now_s = time.monotonic()
        for arm in self.arms:
            if now_s >= arm.next_s:
                arm.on_time(now_s)
        if self._waits:
            self._answer_waits(now_s)

    # --- orders -----------------------------------------------------------------------------------

    def obey(self, order: AnyOrder, answer: Callable[[Answer], None]) -> None:
        """Carry out an order; `answer` is called once, at once or (for `AwaitEvent`) later."""
        if isinstance(order, AwaitEvent):
            self._waits.append((order, time.monotonic() + order.for_s, answer))
            return
        try:
            answer(self._obeyed(order))
        except DescriptionError as error:
            answer(Answer(str(error)))

    def _obeyed(self, order: AnyOrder) -> Answer:
        if isinstance(order, Inject):
            check(order.fault, len(self.arms))
        number = order.fault.arm if isinstance(order, Inject) else order.arm
        if number >= len(self.arms):
            raise DescriptionError(f"there is no arm {number}; there are arms 0 to {len(self.arms) - 1}")
        arm = self.arms[number]
        box = arm.station.box
        match order:
            case Inject(fault=fault):
                box.plan.give(fault)
                box.meet_faults()
                arm.after_order()
            case Clear():
                arm.tell(f"{box.plan.clear()} faults end")
                box.meet_faults()
            case Status():
                return Answer(status=arm.status())
            case Place(q=q):
                problem = _placing_problem(arm, q)
                if problem:
                    raise DescriptionError(problem)
                box.place(np.array(q))
                arm.after_order()
            case Guide(held=held):
                box.guide(held)
            case HoldObject(width_m=width_m):
                box.physics.hold_object(width_m)
                if arm.is_lock_step and box.motion is None:
                    arm.pass_time(_FINGERS_S)
            case Pass(for_s=for_s):
                if box.motion is not None or not arm.is_lock_step:
                    raise DescriptionError(
                        "time passes by itself: a motion runs, or the box goes by the clock"
                    )
                arm.pass_time(for_s)
            case Sent() if isinstance(arm.pacing, WallClock):
                return Answer(sent=tuple(arm.pacing.sent))
            case Sent():
                raise DescriptionError("only a box that goes by the clock keeps when its states went out")
            case Events(after=after):
                return Answer(events=tuple(e for e in self.chronicle.events if e.number > after))
        return Answer()

    def _answer_waits(self, now_s: float) -> None:
        left = []
        for wait, until_s, answer in self._waits:
            found = next(
                (e for e in self.chronicle.events if e.number > wait.after and wait.text in e.text), None
            )
            if found is not None:
                answer(Answer(events=(found,)))
            elif now_s >= until_s:
                answer(Answer(f"nothing like {wait.text!r} has happened within {wait.for_s:g} s"))
            else:
                left.append((wait, until_s, answer))
        self._waits = left


def _placing_problem(arm: ArmServer, q: Sequence[float]) -> str:
    limits = arm.station.box.limits
    if len(q) != len(limits.lower):
        return f"a posture has {len(limits.lower)} joints, not {len(q)}"
    inside = all(low <= value <= high for value, low, high in zip(q, limits.lower, limits.upper, strict=True))
    return "" if inside else f"{q} is outside the limits of the joints"


def hurry() -> bool:
    """Real-time priority for this process, if it may have it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except (OSError, AttributeError):
        return False
    return True


def to_json(answer: Answer) -> bytes:
    """One line."""
    return msgspec.json.encode(answer) + b"\n"
