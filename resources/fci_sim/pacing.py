"""When an arm steps and when its states go out: in lock-step with its client, or by the clock.

Sans-I/O: packets and times come in as arguments, packets go out through `send`. What a packet says is
`box.py`'s business, where it goes `server.py`'s.

Lock-step: one state, its command, one step. Two things make that less simple than it sounds. pylibfranka
takes one state after a Move without answering it, and only its patience tells which one: the first state
is in its socket before the reply to the Move is, and the next follows a little later. And a client may take
a state without answering: after a while it gets another under a new id, while the arm's time stands still.
A repeated packet under the same id does no harm, since clients skip what they have seen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from framework.errors import MalformedMessage
from resources.fci_sim.box import ArmBox
from resources.fci_sim.faults import FaultPlan, Stream
from resources.fci_sim.gripper import GripperBox
from resources.fci_sim.wire import RobotCommand, read_robot_command

PERIOD_S: Final = 0.001

_IDLE_S: Final = 0.005  # between states in lock-step while nothing moves
_START_AGAIN_S: Final = 0.001  # between copies of the first state of a motion
_START_COPIES: Final = 5
_AGAIN_S: Final = 0.05  # until a state that has no answer is sent once more
_RENEW_S: Final = 0.3  # until it is taken for read, and gets a new id
_SENT: Final = 10_000
_SETTLING: Final = 3000  # steps for an arm to come to rest


class Station:
    """One arm with its gripper: they share physics and time."""

    def __init__(self, box: ArmBox, gripper: GripperBox) -> None:
        self.box = box
        self.gripper = gripper

    @property
    def plan(self) -> FaultPlan:
        """What is wrong."""
        return self.box.plan

    def step(self, command: RobotCommand | None = None) -> None:
        """One millisecond on."""
        self.gripper.step()
        self.box.step(command, self.gripper.force_n)


class Pacing(Protocol):
    """A time base for one arm."""

    next_s: float
    """When `on_time` is due."""

    def on_command(self, packet: bytes, now_s: float) -> None:
        """A packet of the client."""
        ...

    def on_request(self, now_s: float) -> None:
        """The box has dealt with a request; its reply has not left yet."""
        ...

    def on_time(self, now_s: float) -> None:
        """`next_s` has come."""
        ...


class _Delays:
    """Packets on their way, which faults have slowed down; times in steps of the arm."""

    def __init__(self) -> None:
        self._held: list[tuple[int, bytes]] = []

    def hold(self, packet: bytes, until: int) -> None:
        self._held.append((until, packet))

    def due(self, step: int) -> list[bytes]:
        if not self._held:
            return []
        arrived = [packet for until, packet in self._held if until <= step]
        self._held = [(until, packet) for until, packet in self._held if until > step]
        return arrived


class _Paced:
    """What both time bases do: faults on the way, and commands read."""

    def __init__(self, station: Station, send: Callable[[bytes], None], tell: Callable[[str], None]) -> None:
        self._station = station
        self._box = station.box
        self._send = send
        self._tell = tell
        self._late_states = _Delays()
        self._late_commands = _Delays()

    def _emit(self, packet: bytes) -> bool:
        """Send a state, as far as faults allow; says whether it is out."""
        steps = self._box.steps
        for late in self._late_states.due(steps):
            self._send(late)
        copies = self._station.plan.delays(Stream.STATES)
        for delay in copies:
            if delay == 0:
                self._send(packet)
            else:
                self._late_states.hold(packet, steps + delay)
        return 0 in copies

    def _arrived(self, packet: bytes) -> RobotCommand | None:
        """A command, unless a fault has swallowed or slowed it."""
        try:
            command = read_robot_command(packet)
        except MalformedMessage as error:
            self._tell(f"UDP: {error}; ignored")
            return None
        copies = self._station.plan.delays(Stream.COMMANDS)
        for delay in copies:
            if delay:
                self._late_commands.hold(packet, self._box.steps + delay)
        return command if 0 in copies else None


class LockStep(_Paced):
    """One state, its command, one step: the same run every time."""

    def __init__(self, station: Station, send: Callable[[bytes], None], tell: Callable[[str], None]) -> None:
        super().__init__(station, send, tell)
        self.next_s = 0.0
        self._packet = b""
        self._asked: set[int] = set()  # ids of states that wait for a command
        self._was_moving = False
        self._copies = 0
        self._renew_s = 0.0

    def on_request(self, now_s: float) -> None:
        """See `Pacing`."""
        self._settle()
        box = self._box
        if box.motion is not None and not self._was_moving:
            self._asked.clear()
            self._copies = _START_COPIES
            self._state(now_s)
            self.next_s = now_s + _START_AGAIN_S
        elif box.motion is None:
            self._rest(now_s)

    def on_command(self, packet: bytes, now_s: float) -> None:
        """See `Pacing`."""
        box = self._box
        if box.motion is None or box.needs_time:
            self._while_time_passes(packet)
            return
        if int.from_bytes(packet[:8], "little") not in self._asked:
            self._tell("a command answers no open state: late or twice; ignored")
            return
        self._step(self._arrived(packet), now_s)

    def on_time(self, now_s: float) -> None:
        """See `Pacing`."""
        box = self._box
        if box.needs_time:
            command = self._latest
            self._latest = None
            self._station.step(command)
            self._asked.clear()
            due_s = self.next_s + PERIOD_S
            self._state(now_s)
            self.next_s = max(due_s, now_s)
        elif box.motion is None:
            self._settle()
            self._rest(now_s)
        elif self._copies > 0:
            self._copies -= 1
            if self._copies == 0:
                self._state(now_s)
            else:
                self._send_again(now_s, _START_AGAIN_S)
        elif now_s >= self._renew_s:
            self._state(now_s)
        else:
            self._send_again(now_s, _AGAIN_S)

    _latest: RobotCommand | None = None

    def _while_time_passes(self, packet: bytes) -> None:
        if self._box.motion is not None:
            self._latest = self._arrived(packet) or self._latest

    def _step(self, command: RobotCommand | None, now_s: float) -> None:
        """On with a command, and on without as long as faults keep states from the client."""
        box = self._box
        self._copies = 0
        while True:
            self._late_commands.due(box.steps)  # whatever it was the answer to is over
            self._station.step(command)
            self._asked.clear()
            if self._state(now_s) or box.motion is None:
                break
            command = None
        if box.motion is None:
            self._settle()
            self._rest(now_s)

    def _state(self, now_s: float) -> bool:
        """A new state; says whether it is out."""
        box = self._box
        self._packet = box.packet()
        self._was_moving = box.motion is not None
        self._asked.add(box.message_id)
        self.next_s = now_s + _AGAIN_S
        self._renew_s = now_s + _RENEW_S
        return self._emit(self._packet)

    def _send_again(self, now_s: float, wait_s: float) -> None:
        if not self._station.plan.is_silent:
            self._send(self._packet)
        self.next_s = min(now_s + wait_s, self._renew_s)

    def _rest(self, now_s: float) -> None:
        self._was_moving = False
        self._emit(self._box.packet())
        self.next_s = now_s + (PERIOD_S if self._box.needs_time else _IDLE_S)

    def _settle(self) -> None:
        """Time that no command drives passes at once: coming to rest, a gripper's way."""
        station, box = self._station, self._box
        for _ in range(_SETTLING):
            if box.motion is not None or box.needs_time:
                return
            if box.is_ready and not station.gripper.is_busy:
                return
            station.step()


class WallClock(_Paced):
    """A thousand steps a second, whether commands come or not.

    As the manufacturer has it, a command that does not come within the period of its state is lost.
    """

    def __init__(self, station: Station, send: Callable[[bytes], None], tell: Callable[[str], None]) -> None:
        super().__init__(station, send, tell)
        self.next_s = 0.0
        self._newest: RobotCommand | None = None
        self.sent: deque[tuple[int, float]] = deque(maxlen=_SENT)  # message id, time

    def on_request(self, now_s: float) -> None:
        """See `Pacing`."""

    def on_command(self, packet: bytes, now_s: float) -> None:
        """See `Pacing`."""
        if self._box.motion is not None:
            self._take(self._arrived(packet))

    def on_time(self, now_s: float) -> None:
        """See `Pacing`."""
        for packet in self._late_commands.due(self._box.steps):
            self._take(read_robot_command(packet))
        command, self._newest = self._newest, None
        self._station.step(command)
        self._emit(self._box.packet())
        self.sent.append((self._box.message_id, now_s))
        # A box that was held up goes on from now: its client could not have answered in between.
        self.next_s = self.next_s + PERIOD_S
        if self.next_s < now_s - PERIOD_S:
            self.next_s = now_s

    def _take(self, command: RobotCommand | None) -> None:
        if command is None:
            return
        # What is too late, or comes twice, is lost: the motion counts the periods without command.
        now = self._box.message_id
        if command.message_id > now:
            self._tell("a command answers a state that was never sent; ignored")
        elif command.message_id == now:
            self._newest = command
