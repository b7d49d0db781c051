"""The process of a real arm's gripper: states in, orders looked at, calls and stops out.

A call of pylibfranka's blocks the whole process until the fingers stand. So another process makes the calls
(fingers_child.py), and this one never does anything that takes long: it reads states, which come some twenty
times a second and set its pace, and stops the fingers over its own connection when it has to.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import msgspec

from framework.errors import ResourceUnavailable
from framework.processes.child import Child
from framework.processes.emergency import EmergencyStop
from framework.status import Severity
from framework.transport.run_directory import RunDirectory
from resources.children.control_port import ControlPort, HardwareLoop
from resources.children.safety import Safety
from resources.drivers.franka.arguments import FciGripperArguments
from resources.drivers.franka.connection import connecting
from resources.drivers.franka.events import EventKind, event_of
from resources.drivers.franka.fingers import Answer, Call, Fingers
from resources.drivers.franka.handles import FciGripperFeed
from resources.drivers.franka.library import library
from resources.drivers.franka.reaching import GRIPPER_PORT
from resources.types.motion import GripperSample
from resources.types.streams import StreamFormat

STATES_HZ: Final = 20.0

_START_S = 10.0
_END_S = 0.5
_BLOCKS_S: Final = 3.0
_AGAIN_S: Final = 0.05  # after a state that could not be read


def main(child: Child, arguments: FciGripperArguments) -> int:
    """Be the gripper. Raises as the arm's `main` does."""
    with ExitStack() as stack:
        directory = RunDirectory.join(Path(arguments.run_directory))
        stack.callback(directory.leave)
        emergency = EmergencyStop.attach(directory.path)
        stack.callback(emergency.close)
        gripper, state = _connected(arguments)
        helper = Helper(arguments)
        stack.callback(helper.close)
        port = ControlPort(child, directory.path, arguments.device, arguments.orders)
        stack.callback(port.close)
        safety = Safety(emergency, heartbeat_timeout_s=arguments.heartbeat_timeout_s)
        loop = FciGripperLoop(child, arguments, gripper, helper, safety, port, state)
        stream = port.stream(StreamFormat.GRIPPER, arguments.frame or "base", STATES_HZ)
        child.ready(msgspec.json.encode(FciGripperFeed(stream, state.max_width)))
        return loop.run()


def _connected(arguments: FciGripperArguments) -> tuple[Any, Any]:
    """The gripper and its first state. Raises ResourceUnavailable."""
    with connecting(arguments, GRIPPER_PORT):
        gripper = library().Gripper(arguments.address)
        return gripper, gripper.read_once()


class Helper:
    """The process that makes the calls. Raises ResourceUnavailable if it cannot connect."""

    def __init__(self, arguments: FciGripperArguments) -> None:
        self._due_s: float | None = None
        self._begun = bytearray()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "resources.drivers.franka.fingers_child", arguments.address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        first = self._first()
        if not first.ok:
            self.close()
            raise ResourceUnavailable(
                f"{arguments.device} at {arguments.address}: the gripper takes no second connection, over "
                f"which its motions are made: {first.problem}"
            )
        os.set_blocking(self._output, False)

    def make(self, call: Call, now_s: float) -> None:
        """Have a call made."""
        self._due_s = now_s + call.longest_s
        os.write(self._input, msgspec.json.encode(call) + b"\n")

    def answer(self, now_s: float) -> Answer | None:
        """What became of the call, if that is known now; the loss of the helper counts as one of the link."""
        try:
            data = os.read(self._output, 4096)
        except BlockingIOError:
            if self._due_s is None or now_s < self._due_s:
                return None
            return Answer(problem="the gripper does not answer", is_lost=True)
        if not data:
            return Answer(problem="the process that moves the gripper has ended", is_lost=True)
        self._begun += data
        if b"\n" not in self._begun:
            return None
        line, _, rest = bytes(self._begun).partition(b"\n")
        self._begun[:] = rest
        self._due_s = None
        return msgspec.json.decode(line, type=Answer)

    def close(self) -> None:
        """End it; idempotent."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:  # frozen in a call
            process.kill()
            process.wait()
        process.stdout.close()

    def _first(self) -> Answer:
        """Whether it has connected; it says so by itself."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return msgspec.json.decode(line, type=Answer) if line else Answer(problem="its process has ended")


class FciGripperLoop(HardwareLoop):
    """One gripper's loop."""

    def __init__(
        self,
        child: Child,
        arguments: FciGripperArguments,
        gripper: Any,
        helper: Helper,
        safety: Safety,
        port: ControlPort,
        state: Any,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gripper = gripper
        self._helper = helper
        self._fingers = Fingers(state.width, state.max_width, holds=state.is_grasped, homing=arguments.homing)
        self._lost = ""
        self._began_s = now_s()
        super().__init__(child, arguments.device, self._fingers, arguments.stop, safety, port, now_s)

    def run(self) -> int:
        """Until it is told to stop, or the link is lost: 0 or 1."""
        while not self._lost:
            now_s = self._now_s()
            if self._child.stopping and self._has_left(now_s):
                return 0
            try:
                self._turn()
            except Exception as error:  # pylibfranka's have no base of their own
                event = event_of(error)
                if event is None:
                    raise
                self._core.fail(event.words, now_s)
                if event.kind is EventKind.LINK_LOST:
                    self._lost = event.words
                else:
                    self._stop_unseen()
                    self._report(now_s)
                    self._child.wait(_AGAIN_S)
            self._child.beat()
        # Said first: to stop the fingers over a link that is gone may take for ever.
        self._child.status(Severity.FATAL, f"{self._name}: {self._lost}")
        self._stop_unseen()
        return 1

    def _turn(self) -> None:
        """A state, and all that follows from it."""
        fingers, core = self._fingers, self._core
        state = self._gripper.read_once()
        now_s = self._now_s()
        fingers.measured(state.width, state.is_grasped)
        # There is nothing to mend: what was wrong with the fingers is over, or shows again.
        core.begin_turn(self._orders(now_s), self._safety.look(now_s), now_s, recover=lambda: None)
        if fingers.wants_stop:
            self._stop()
        call = fingers.call()
        if call is not None:
            self._helper.make(call, now_s)
        answer = self._helper.answer(now_s)
        if answer is not None:
            fingers.answered(answer)
            if answer.is_lost:
                self._lost = answer.problem
        core.end_turn(now_s)
        self._report(now_s)

    def _stop(self) -> None:
        self._child.busy(_BLOCKS_S)
        self._gripper.stop()
        self._fingers.stopped()

    def _stop_unseen(self) -> None:
        """No state tells where the fingers are: they are not to go on, if they still can be told."""
        if not self._fingers.wants_stop:
            return
        try:
            self._stop()
        except Exception as error:  # pylibfranka's have no base of their own
            if event_of(error) is None:
                raise

    def _has_left(self, now_s: float) -> bool:
        """On the way out: whether the fingers stand."""
        ends_at_s = self._leaves_by(now_s)
        return self._fingers.is_at_rest or now_s >= ends_at_s

    def _report(self, now_s: float) -> None:
        self._have_reflex_if_told(now_s)
        fingers, core = self._fingers, self._core
        sample = GripperSample(
            now_s - self._began_s, core.state(), fingers.width_m, fingers.force_n, fingers.holds
        )
        self._port.publish(sample, now_s)
