"""Control loops of a virtual world: the real core and the real mailbox, an ideal mechanism behind them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from framework.errors import InstallationError
from framework.processes.emergency import EmergencyStop
from framework.transport.ring import RingReader
from resources.children.arguments import ControlArguments
from resources.children.complaints import Complaints
from resources.children.control_port import LoopChannels
from resources.children.failing import FailMode
from resources.controllers.ideal import IdealMechanism, ideal_mechanism
from resources.controllers.loop import ControlLoopCore, MotionStop
from resources.types.control import SimulatedControl
from resources.types.motion import ControllerKind, Joints7
from resources.types.streams import StreamFormat

RATE_HZ: Final = 100.0

#: Nobody moves it, and nothing has changed: it is enough to say so this often [s].
_QUIET_S: Final = 0.2
_SLOT_BYTES: Final = 4096
_HOME: Final[Joints7] = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)


class VirtualControl:
    """One device's loop, from the world's start to its end. Times are the virtual clock's."""

    core: ControlLoopCore
    mechanism: IdealMechanism
    _channels: LoopChannels
    _news: RingReader

    def __init__(self, arguments: ControlArguments, directory: Path) -> None:
        self.device = arguments.device
        self._arguments = arguments
        self._directory = directory
        self.is_ticking = True
        self._stop = MotionStop()
        self._holder = ""
        self._seen = 0
        self._ticked_s = float("inf")
        self._told_s = float("-inf")
        self._begin()
        state = self._channels.stream(StreamFormat(arguments.kind.value), "base", RATE_HZ)
        home = _HOME if arguments.kind is ControllerKind.ARM else None
        self.handle = SimulatedControl(arguments.device, arguments.kind, state, home=home)

    def tick(self, stop: MotionStop, now_s: float) -> None:
        """Carry out what is ordered; report. At most a hundred times a second."""
        if not self.is_ticking:
            return
        core, mechanism = self.core, self.mechanism
        is_quiet = not self._holder and self._news.sequence == self._seen and mechanism.is_at_rest
        if is_quiet and stop == self._stop and now_s - self._told_s < _QUIET_S:
            return
        self._seen = self._news.sequence
        orders = self._channels.orders(now_s)
        if orders is not None:
            self._holder = orders.holder
        core.begin_turn(orders, stop, now_s, hand=self._channels.hand, recover=lambda: None)
        mechanism.tick(max(now_s - self._ticked_s, 0.0), now_s)
        core.end_turn(now_s)
        self._ticked_s, self._stop, self._told_s = now_s, stop, now_s
        self._channels.write(mechanism.sample(now_s, core.state()), now_s)

    def fail(self, how: FailMode, now_s: float) -> None:
        """Fail as its real loop would."""
        match how:
            case FailMode.REFLEX:
                self.core.fail("reflex: it was made to have one", now_s)
                self._told_s = float("-inf")
                return
            case FailMode.DIE:
                self._channels.ring.close()
            case FailMode.GARBAGE:
                self._channels.ring.write(b"\xc1" + os.urandom(64), stamp_s=now_s)
        self.is_ticking = False

    def restart(self) -> None:
        """A new loop, which holds and follows nobody."""
        self.close()
        self._begin()

    def close(self) -> None:
        """End it; idempotent."""
        self._channels.close()
        self._news.close()

    def _begin(self) -> None:
        arguments = self._arguments
        self.is_ticking = True
        self.mechanism = ideal_mechanism(arguments.kind, _HOME, arguments.workspace)
        self.core = ControlLoopCore(arguments.device, self.mechanism, stop=arguments.stop)
        complaints = Complaints(lambda severity, text: None)
        self._channels = LoopChannels(self._directory, arguments.device, arguments.orders, complaints)
        self._news = RingReader(Path(arguments.orders))  # whether there are any, at next to no cost
        self._seen = 0
        self._stop = MotionStop()
        self._holder = ""
        self._ticked_s = float("inf")
        self._told_s = float("-inf")


class VirtualControls:
    """All loops of a virtual world, and the emergency stop as they see it.

    Without the supervisor's heartbeat: that is beaten in real time.
    """

    def __init__(self, controls: Sequence[ControlArguments], directory: Path) -> None:
        self._controls = {each.device: VirtualControl(each, directory) for each in controls}
        self._directory = directory
        self._emergency: EmergencyStop | None = None

    @property
    def handles(self) -> tuple[SimulatedControl, ...]:
        """As the world hands them over."""
        return tuple(control.handle for control in self._controls.values())

    def of(self, device: str) -> VirtualControl | None:
        """One device's."""
        return self._controls.get(device)

    def tick(self, now_s: float) -> None:
        """Let time pass for all of them."""
        stop = self._stop()
        for control in self._controls.values():
            control.tick(stop, now_s)

    def close(self) -> None:
        """End them; idempotent."""
        for control in self._controls.values():
            control.close()
        if self._emergency is not None:
            self._emergency.close()
            self._emergency = None

    def _stop(self) -> MotionStop:
        if self._emergency is None:
            try:
                self._emergency = EmergencyStop.attach(self._directory)
            except InstallationError:
                return MotionStop()  # a manager that is tried alone has none
        latch = self._emergency
        return MotionStop(latch.is_latched, False, latch.reason if latch.is_latched else "", latch.latest)
