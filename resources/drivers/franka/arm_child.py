"""The process of one real arm: its states in, torques out, a thousand times a second, and nothing else.

    readOnce → mailbox → `ControlLoopCore` → `ArmController` → writeOnce        while somebody moves the arm
    read_once → mailbox → `ControlLoopCore`                                     while nobody does

pylibfranka waits without letting go of the interpreter, so there is no second thread with work, no garbage
collection, and a call that the arm never answers freezes the process: its owner notices that from outside.
Torque control begins with the first command of a holder and ends when nobody holds the arm, which rests. What
has happened to the link is told apart in `resources.drivers.franka.events`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.errors import MotionFailed
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.status import Severity
from framework.transport.run_directory import RunDirectory
from resources.children.control_port import ControlPort, HardwareLoop
from resources.children.safety import Safety
from resources.controllers.arm import ArmController
from resources.controllers.loop import HandNews, MotionStop
from resources.controllers.warming import warm_up
from resources.drivers.franka.arguments import FciArmArguments
from resources.drivers.franka.connection import Connection, keep_in_memory, run_in_real_time
from resources.drivers.franka.events import GUIDED, USER_STOP, Event, EventKind, event_of, reflex
from resources.drivers.franka.library import library
from resources.drivers.franka.limits import followed
from resources.drivers.franka.model import arm_dynamics, arm_settings, arm_walls, wrong_hand
from resources.drivers.franka.recovery import Recovery
from resources.drivers.franka.states import Measurement, Mode
from resources.types.motion import REST7, Orders
from resources.types.streams import StreamFormat

MOTION_HZ: Final = 100.0

_PERIOD_S: Final = 0.001  # of the arm's own controller; a torque may change by so much of its rate
_REPORT_S: Final = 1.0 / MOTION_HZ
_IDLE_S: Final = 0.005
_LINGERS_S: Final = 0.5  # torque control goes on for so long when nobody holds the arm any more
_OLD_STATES: Final = 300  # so many may lie about from before, if this process was stopped
_BLOCKS_S: Final = 3.0  # a call that the arm has to answer may; nothing else is published meanwhile


def main(child: Child, arguments: FciArmArguments) -> int:
    """Be the arm. Raises ResourceUnavailable, PluginUnavailable, SharedMemoryFull or InstallationError."""
    with ExitStack() as stack:
        directory = RunDirectory.join(Path(arguments.run_directory))
        stack.callback(directory.leave)
        emergency = EmergencyStop.attach(directory.path)
        stack.callback(emergency.close)
        connection = Connection(library(), arguments)
        port = ControlPort(child, directory.path, arguments.device, arguments.orders)
        stack.callback(port.close)
        safety = Safety(emergency, heartbeat_timeout_s=arguments.heartbeat_timeout_s)
        loop = FciArmLoop(child, arguments, connection, safety, port)
        stack.callback(loop.close)
        child.ready(msgspec.json.encode(port.stream(StreamFormat.ARM, arguments.frame or "base", MOTION_HZ)))
        keep_in_memory()
        not_in_time = run_in_real_time(arguments.realtime)
        wrong = [wrong_hand(arguments, connection.first.m_ee), not_in_time.words if not_in_time else ""]
        if any(wrong):
            child.status(Severity.WARNING, f"{arguments.device}: {'; '.join(filter(None, wrong))}")
        return loop.run()


class FciArmLoop(HardwareLoop):
    """One arm's loop."""

    def __init__(
        self,
        child: Child,
        arguments: FciArmArguments,
        connection: Connection,
        safety: Safety,
        port: ControlPort,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connection = connection
        self._robot = connection.robot
        self._library = library()
        dynamics = arm_dynamics(arguments, connection.flange_T_tool)
        self._law = ArmController(dynamics, arm_settings(arguments), arm_walls(arguments))
        first = Measurement(connection.first)
        if not first.bad:
            self._law.reset(first.q, first.dq)
            warm_up(self._law)  # the first torque is to come as soon as all others
        self._control: Any = None  # a `pylibfranka.ActiveControlBase` while torques are ours
        self._sent = list(REST7)
        self._torques = self._library.Torques(self._sent)
        self._measured: Measurement | None = None
        self._lost: Event | None = None
        self._recovery = Recovery()
        self._report_due_s = 0.0
        self._unheld_since_s: float | None = None
        super().__init__(child, arguments.device, self._law, arguments.stop, safety, port, now_s)

    def run(self) -> int:
        """Until it is told to stop, or the link is lost: 0 or 1."""
        while self._lost is None:
            now_s = self._now_s()
            if self._child.stopping and self._has_left(now_s):
                return 0
            if self._control is None:
                self._idle(now_s)
                self._child.wait(_IDLE_S)
            else:
                self._drive()
            self._child.beat()
        self._child.status(Severity.FATAL, f"{self._name}: {self._lost.words}")
        return 1

    def close(self) -> None:
        """Give the torques back, if they are ours; idempotent."""
        self._give_back()

    # ------------------------------------------------------------ turns

    def _drive(self) -> None:
        """A millisecond under torque control."""
        try:
            state, _ = self._control.readOnce()
            measured = Measurement(state)
            now_s = self._now_s()
            if measured.bad:
                self._be_blind(measured, now_s)
                return
            self._act(measured, self._orders(now_s), now_s)
        except Exception as error:  # pylibfranka's have no base of their own
            self._break_off(error)

    def _act(self, measured: Measurement, orders: Orders | None, now_s: float) -> None:
        """Orders, law, torque, report."""
        self._measured = measured
        core, law = self._core, self._law
        stop = self._safety.look(now_s)
        self._begin_turn(orders, stop, now_s, self._port.hand)
        # One period, even if states were missed: then the reference lags, and no torque leaps.
        torque = law.tick(measured.q, measured.dq, now_s, _PERIOD_S, measured.wrench)
        core.end_turn(now_s)
        self._sent = followed(torque.tolist(), measured.given, self._sent)
        self._torques.tau_J = self._sent
        self._control.writeOnce(self._torques)
        if law.is_locked:
            self._give_back()
        if now_s >= self._report_due_s:
            self._report(now_s)
            if self._is_let_go(now_s) and not stop.emergency:
                self._give_back()

    def _idle(self, now_s: float) -> None:
        """Nobody moves the arm: it holds by itself, and we look."""
        try:
            measured = self._measured = Measurement(self._robot.read_once())
            self._look_for_trouble(measured, now_s)
            if not measured.bad:
                self._law.reset(measured.q, measured.dq)
            orders = self._orders(now_s)
            if orders is not None and self._wants_torque(orders) and self._take_over(orders):
                return
            self._begin_turn(orders, self._safety.look(now_s), now_s)
            if self._recovery.take():
                self._recover()
            self._core.end_turn(now_s)
            if now_s >= self._report_due_s:
                self._report(now_s)
        except Exception as error:  # pylibfranka's have no base of their own
            self._break_off(error)

    def _look_for_trouble(self, measured: Measurement, now_s: float) -> None:
        """What the arm shows of itself while it rests."""
        if measured.bad:
            self._core.fail(_not_a_number(measured), now_s)
        elif measured.mode is Mode.USER_STOPPED:
            self._core.fail(USER_STOP.words, now_s)
        elif measured.mode is Mode.REFLEX:
            self._core.fail(reflex(measured.flags).words, now_s)

    def _begin_turn(
        self, orders: Orders | None, stop: MotionStop, now_s: float, hand: HandNews | None = None
    ) -> None:
        """A recovery among the orders waits until the torques are given back."""
        core = self._core
        if core.begin_turn(orders, stop, now_s, hand=hand) and orders is not None:
            self._recovery.order(orders, stop)
        if self._recovery.is_dropped(orders, stop):
            core.not_recovered(core.fault, now_s)

    # ------------------------------------------------------------ taking and giving back the torques

    def _wants_torque(self, orders: Orders) -> bool:
        """Whether these orders are a command that may be followed."""
        now_s = self._now_s()
        stop = self._safety.look(now_s)
        if self._core.fault or stop.words or not orders.holder or orders.wanted is None:
            return False
        state = self._core.state()
        # A holder whose right has ended here goes on commanding for a while: that starts nothing.
        return orders.generation > state.generation or state.holder == orders.holder

    def _take_over(self, orders: Orders) -> bool:
        """Begin torque control with these orders; False if the arm does not take part."""
        if self._measured is not None and self._measured.mode is Mode.GUIDING:
            self._core.fail(GUIDED.words, self._now_s())
            return False
        self._child.busy(_BLOCKS_S)
        try:
            if not self._connection.is_configured:
                self._connection.configure()
            self._control = self._robot.start_torque_control()
            state, _ = self._control.readOnce()
        except Exception as error:  # pylibfranka's have no base of their own
            self._break_off(error)
            return False
        measured = Measurement(state)
        now_s = self._now_s()
        if measured.bad:
            self._be_blind(measured, now_s)
            return False
        # Meanwhile the command may have grown too old, which its stamp tells, or been taken back.
        orders = self._orders(now_s) or orders
        self._sent = list(REST7)
        self._torques = self._library.Torques(self._sent)
        self._law.reset(measured.q, measured.dq)
        self._unheld_since_s = None
        self._act(measured, orders, now_s)
        return True

    def _give_back(self) -> None:
        """The arm holds itself from now on. May be repeated."""
        control, self._control = self._control, None
        if control is None:
            return
        self._child.busy(_BLOCKS_S)
        try:
            control.readOnce()
            self._torques.motion_finished = True
            control.writeOnce(self._torques)
        except Exception as error:  # pylibfranka's have no base of their own
            self._break_off(error)

    def _is_let_go(self, now_s: float) -> bool:
        """Whether nobody has held the arm for a while, and it rests."""
        state = self._core.state()
        if state.holder or not state.is_at_rest:
            self._unheld_since_s = None
            return False
        if self._unheld_since_s is None:
            self._unheld_since_s = now_s
        return now_s - self._unheld_since_s >= _LINGERS_S

    def _has_left(self, now_s: float) -> bool:
        """On the way out: whether the arm rests and holds itself."""
        ends_at_s = self._leaves_by(now_s)
        if self._control is not None and (self._law.is_at_rest or now_s >= ends_at_s):
            self._give_back()
        return self._control is None

    # ------------------------------------------------------------ what goes wrong

    def _break_off(self, error: Exception) -> None:
        """Something was raised while the arm was spoken to."""
        now_s = self._now_s()
        event = _not_finite(error) if isinstance(error, MotionFailed) else event_of(error)
        if event is None:
            raise error
        # Touching a control again after it has raised can block for good.
        self._control = None
        if event.kind is EventKind.LINK_LOST:
            self._core.fail(event.words, now_s)
            self._lost = event
            return
        if event.kind is EventKind.REFLEX and not event.flags:
            event = self._asked_why(event)
        self._core.fail(event.words, now_s)
        self._report(now_s)

    def _asked_why(self, event: Event) -> Event:
        """A reflex whose message names no flag: the arm's state does."""
        try:
            for _ in range(_OLD_STATES):
                measured = Measurement(self._robot.read_once())
                if measured.mode is Mode.REFLEX:
                    return reflex(measured.flags)
            return event
        except Exception as error:  # pylibfranka's have no base of their own
            return event_of(error) or event

    def _be_blind(self, measured: Measurement, now_s: float) -> None:
        """The arm sends what is no number: nothing is steered by that."""
        self._core.fail(_not_a_number(measured), now_s)
        control, self._control = self._control, None
        self._child.busy(_BLOCKS_S)
        self._torques.motion_finished = True
        control.writeOnce(self._torques)

    def _recover(self) -> None:
        """What a person has confirmed: the arm forgets its fault, if it can."""
        now_s = self._now_s()
        self._child.busy(_BLOCKS_S)
        try:
            measured = Measurement(self._robot.read_once())
            if measured.mode is not Mode.IDLE:
                self._robot.automatic_error_recovery()
                measured = Measurement(self._robot.read_once())
            self._measured = measured
            if not self._connection.is_configured:
                self._connection.configure()
        except Exception as error:  # pylibfranka's have no base of their own
            event = event_of(error)
            if event is None or event.kind is EventKind.LINK_LOST:
                self._break_off(error)
                return
            self._core.not_recovered(event.words, now_s)
            return
        if measured.bad:
            self._core.not_recovered(_not_a_number(measured), now_s)
            return
        self._core.recovered()

    def _report(self, now_s: float) -> None:
        self._report_due_s = max(self._report_due_s + _REPORT_S, now_s)
        self._have_reflex_if_told(now_s)
        if self._measured is not None:
            measured = self._measured
            sample = self._law.sample(measured.time_s, self._core.state(), measured.wrench)
            self._port.publish(sample, now_s)


def _not_a_number(measured: Measurement) -> str:
    return f"the arm reports a {measured.bad} that is no number: it is not steered by that"


def _not_finite(error: MotionFailed) -> Event:
    return Event(EventKind.REJECTED, str(error))
