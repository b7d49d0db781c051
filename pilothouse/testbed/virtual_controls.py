"""What moves in a virtual world: the real loops and mailboxes, mechanisms without physics behind them.

A base drives with its real controller, so its ramps and its protective field are those of the real one; arms
and grippers are ideal (`resources.controllers.ideal`). Drives do exactly what they are told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from framework.processes.emergency import EmergencyStop
from framework.transport.ring import RingReader
from pilothouse.testbed.virtual_ailments import HEALTHY, Ailment
from resources.children.arguments import ControlArguments
from resources.children.complaints import Complaints
from resources.children.controls import Control
from resources.children.failing import Fail, FailMode
from resources.children.orders import WorldOrder
from resources.children.safety import Safety
from resources.controllers.base import BaseController
from resources.controllers.base_guard import BaseGuard, Odometry
from resources.controllers.base_ramp import REST, BaseRamp
from resources.controllers.ideal import IdealArm, IdealGripper
from resources.controllers.loop import MotionStop
from resources.controllers.protective_field import Outline, Twist
from resources.types.control import SimulatedControl
from resources.types.motion import (
    ArmSample,
    BaseSample,
    ControllerKind,
    GripperSample,
    Joints7,
    LoopState,
    MotionSample,
)
from resources.types.streams import IDENTITY, Pose7
from resources.worlds.part import Drives
from resources.worlds.robot import LENGTH_M, WIDTH_M

#: Nobody moves it, and nothing has changed: it is enough to say so this often [s].
_QUIET_S: Final = 0.2

#: What was not ticked for longer, being quiet or stopped, does not make up for it [s].
_LONGEST_STEP_S: Final = 0.02

_TICK_S: Final = 0.01

_HOME: Final[Joints7] = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)


class IdealPart(Drives):
    """An arm or a gripper, see `WorldPart`. Without its controller it stands where it is."""

    frame = "base"
    robot_T_base: Pose7 = IDENTITY

    def __init__(self, arguments: ControlArguments) -> None:
        super().__init__()
        self.lie_m = 0.0
        self.kind = arguments.kind
        self.prefix = arguments.part
        self.home: Joints7 | None = _HOME if self.kind is ControllerKind.ARM else None
        self._workspace = arguments.workspace
        self.mechanism: IdealArm | IdealGripper = (
            IdealArm(_HOME, self._workspace) if self.kind is ControllerKind.ARM else IdealGripper()
        )

    def tick(self, now_s: float, dt_s: float) -> None:
        """See `WorldPart.tick`."""
        if not self._is_cut or not self._stands_still(dt_s):
            self.mechanism.tick(dt_s, now_s)

    def restart(self) -> None:
        """See `WorldPart.restart`."""
        self._silent_s = None
        before = self.mechanism
        if isinstance(before, IdealGripper):
            self.mechanism = IdealGripper(before.width_m)
        else:
            self.mechanism = IdealArm(before.q, self._workspace)
            self.mechanism.base_T_tool = before.base_T_tool

    def sample(self, loop: LoopState, time_s: float) -> MotionSample:
        """See `WorldPart.sample`."""
        return _elsewhere(self.mechanism.sample(time_s, loop), self.lie_m)


class VirtualBase(Drives):
    """A base on an empty floor, see `WorldPart`. Without its controller it brakes, as the real one does."""

    kind = ControllerKind.BASE
    frame = "base"
    robot_T_base: Pose7 = IDENTITY
    home: Joints7 | None = None

    def __init__(self, prefix: str = "") -> None:
        super().__init__()
        self.lie_m = 0.0
        self.prefix = prefix
        self.mechanism = BaseController(Outline(LENGTH_M, WIDTH_M))
        self.odometry: Odometry = (0.0, 0.0, 0.0)
        self._driven: Twist = REST
        self._brakes = BaseRamp()

    @property
    def scan_guard(self) -> BaseGuard:
        """See `WorldPart.scan_guard`."""
        return self.mechanism.guard

    def tick(self, now_s: float, dt_s: float) -> None:
        """See `WorldPart.tick`."""
        if not self._is_cut:
            self._driven = self.mechanism.tick(self.odometry, self._driven, now_s, dt_s)
        elif self._stands_still(dt_s):
            self._brakes.velocity = self._driven
            self._driven = self._brakes.advance(REST, dt_s)
        x, y, yaw = self.odometry
        forward, left, turn = self._driven
        cos, sin = math.cos(yaw), math.sin(yaw)
        self.odometry = (
            x + dt_s * (cos * forward - sin * left),
            y + dt_s * (sin * forward + cos * left),
            yaw + dt_s * turn,
        )

    def restart(self) -> None:
        """See `WorldPart.restart`."""
        self._silent_s = None
        self.mechanism = BaseController(Outline(LENGTH_M, WIDTH_M), driven=self._driven)

    def sample(self, loop: LoopState, time_s: float) -> MotionSample:
        """See `WorldPart.sample`."""
        base = self.mechanism
        outline = base.guard.outline.numbers
        sample = BaseSample(time_s, loop, base.odometry, base.velocity, base.blocked, base.is_blind, outline)
        return _elsewhere(sample, self.lie_m)


def _elsewhere(sample: MotionSample, off_m: float) -> MotionSample:
    """As if it stood a little elsewhere."""
    if not off_m:
        return sample
    match sample:
        case ArmSample(base_T_tool=(x, y, z, *turn)):
            return msgspec.structs.replace(sample, base_T_tool=(x + off_m, y, z, *turn))
        case BaseSample(odometry=(x, y, yaw)):
            return msgspec.structs.replace(sample, odometry=(x + off_m, y, yaw))
        case GripperSample(width_m=width_m):
            return msgspec.structs.replace(sample, width_m=max(width_m - off_m, 0.0))
    return sample


class VirtualControl:
    """One device, from the world's start to its end. Times are the virtual clock's."""

    def __init__(self, arguments: ControlArguments, directory: Path, complaints: Complaints) -> None:
        self.device = arguments.device
        self.part: IdealPart | VirtualBase = (
            VirtualBase(arguments.part) if arguments.kind is ControllerKind.BASE else IdealPart(arguments)
        )
        self.loop = Control(arguments, self.part, directory, complaints)
        self._news = RingReader(Path(arguments.orders))  # whether there are any, at next to no cost
        self._seen = 0
        self._stop = MotionStop()
        self._ticked_s = float("-inf")
        self._is_quiet = False
        self._ailment = HEALTHY
        self.reported_s = float("-inf")
        """When it last said how it stands."""

    def ails(self, ailment: Ailment) -> None:
        """From now on."""
        self._ailment = ailment
        self.part.lie_m = ailment.place_off_m

    def truth(self, now_s: float) -> MotionSample:
        """How it stands, whatever it reports."""
        lie_m, self.part.lie_m = self.part.lie_m, 0.0
        sample = self.part.sample(self.loop.core.state(), now_s)
        self.part.lie_m = lie_m
        if isinstance(self.part, VirtualBase) and isinstance(sample, BaseSample):
            return msgspec.structs.replace(sample, odometry=self.part.odometry)
        return sample

    def tick(self, stop: MotionStop, now_s: float) -> None:
        """Carry out what is ordered; report. At most a hundred times a second."""
        is_fresh = self._is_quiet and now_s - self._ticked_s < _QUIET_S
        if is_fresh and self._news.sequence == self._seen and stop == self._stop:
            return
        ailment = self._ailment
        if ailment.is_away(now_s) or now_s - self._ticked_s < (ailment.slower - 1.0) * _TICK_S:
            return
        self._seen, self._stop = self._news.sequence, stop
        self.loop.before(stop, now_s)
        self.part.tick(now_s, min(now_s - self._ticked_s, _LONGEST_STEP_S))
        self.loop.after(now_s, now_s)
        self._ticked_s = now_s
        core = self.loop.core
        self._is_quiet = not core.holder and core.mechanism.is_at_rest  # and stays so until something is new
        if not self.loop.is_failing:
            self.reported_s = now_s

    def fail(self, how: FailMode, now_s: float) -> None:
        """As its real loop does."""
        self.loop.fail(how, now_s)
        self._ticked_s = min(self._ticked_s, now_s - _QUIET_S)  # it is told at once

    def close(self) -> None:
        """End it; idempotent."""
        self.loop.close()
        self._news.close()


class VirtualControls:
    """All that moves in a virtual world; emergency stop and heartbeat are looked at as by a real one."""

    def __init__(
        self, controls: Sequence[ControlArguments], directory: Path, *, heartbeat_timeout_s: float = 0.2
    ) -> None:
        self._complaints = Complaints(lambda severity, text: None)
        self._controls = {each.device: VirtualControl(each, directory, self._complaints) for each in controls}
        self._directory = directory
        self._heartbeat_timeout_s = heartbeat_timeout_s
        self._emergency: EmergencyStop | None = None
        self._safety: Safety | None = None

    @property
    def handles(self) -> tuple[SimulatedControl, ...]:
        """As the world hands them over."""
        return tuple(control.loop.handle for control in self)

    @property
    def odometry(self) -> Odometry:
        """Where the base is, if there is one."""
        bases = (each.part for each in self if isinstance(each.part, VirtualBase))
        return next((base.odometry for base in bases), (0.0, 0.0, 0.0))

    def of(self, device: str) -> VirtualControl | None:
        """One device's."""
        return self._controls.get(device)

    def obey(self, order: WorldOrder, now_s: float) -> None:
        """Carry out what is said to a device. What is in the room, and hands that lead, are not played."""
        if isinstance(order, Fail) and (control := self.of(order.device)) is not None:
            control.fail(order.how, now_s)

    def tick(self, now_s: float, stop: MotionStop | None = None) -> None:
        """Let time pass for all of them. stop: instead of the emergency stop of the run directory."""
        stop = stop or self._stop(now_s)
        for control in self:
            control.tick(stop, now_s)

    def close(self) -> None:
        """End them; idempotent."""
        for control in self:
            control.close()
        if self._emergency is not None:
            self._emergency.close()
            self._emergency = self._safety = None

    def __iter__(self) -> Iterator[VirtualControl]:
        return iter(self._controls.values())

    def _stop(self, now_s: float) -> MotionStop:
        if self._safety is None:
            self._emergency = EmergencyStop.attach(self._directory)
            self._safety = Safety(self._emergency, heartbeat_timeout_s=self._heartbeat_timeout_s)
        return self._safety.look(now_s)
