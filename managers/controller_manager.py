"""The controller manager: what moves, and the simulated world in which it moves.

    Simulation          the world's process                                       simulation.py
    ControlLoop(device) its loop runs, whoever commands it                        control_loops.py
    Motion(device)      the right to move it; exclusiveness lives here            motion.py
    Arm, Gripper, Base  a device that serves the wish, by way of its `Motion`     device_choice.py
    ArmState            an arm's loop, read along
    WristSweep          an arm's last joint swung to and fro                      wrist_sweep.py
    Recovery(device)    back from a fault                                         recovery.py

Commands go through a mailbox in shared memory to the process that makes the motion, stamped with lease,
generation, sequence and time. It refuses what is not the holder's, and stops by itself when they cease.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import Any

from framework.clock import Clock, LoopClock
from framework.errors import ResourceUnavailable
from framework.interlock import Interlock
from framework.plugins.driver import DriverSpec
from framework.registrar import ResourceRegistrar, Supply
from framework.state import StateFolder
from framework.transport.interface import Transport
from managers.base_track import BaseTrack
from managers.control_loops import Control, ControlLoops, MotionHandle
from managers.device_choice import DeviceChoice
from managers.devices import Devices, DeviceView
from managers.motion import REST_S, Motions
from managers.own_parts import OwnPart, OwnParts
from managers.recovery import RECOVERED_S, Recoveries
from managers.reliability import Reliability
from managers.simulation import SimulatedWorld
from managers.wrist_sweep import WristSweeps
from resources.children.failing import Fail, FailMode
from resources.children.orders import WorldOrder
from resources.robots.description import RobotDescription
from resources.robots.in_reach import in_reach
from resources.types.arms import (
    Arm,
    ArmHandle,
    ArmState,
    Base,
    ControlHandle,
    ControlLoop,
    Gripper,
    Motion,
    Recovery,
)
from resources.types.control import Simulation, WristSweep
from resources.types.motion import BaseSample, ControllerKind, LoopState
from resources.types.routes import Departure, Spot

#: Whoever waits for a device does so while the wish is being loaded, for as long as a request may [s].
_QUEUE_S = 3700.0


#: What a base's loop says that it does while it drives, or would ("wait": something is in the way).
_DRIVES = ("wait", "drive", "move")


class ControllerManager:
    """Moves what may be moved, for whoever holds it.

    Args:
        robot: the devices there are, and the world that is simulated.
        drivers: what opens them, by name.
        directory: the run directory, where mailboxes and the world's streams are made.
        seed: of the world.
        state: where the devices' scores are kept between runs.
        monotonic_s: reads CLOCK_MONOTONIC, with which commands are stamped.
        interlock: who may move by itself; the same object as the supervisor's.
    """

    def __init__(
        self,
        transport: Transport,
        robot: RobotDescription,
        drivers: Mapping[str, DriverSpec],
        directory: Path,
        *,
        seed: int = 0,
        clock: Clock | None = None,
        state: StateFolder | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
        interlock: Interlock | None = None,
    ) -> None:
        self._clock = clock or LoopClock()
        self._is_open = False
        reliability = Reliability(state, "controller_reliability")
        self._devices = Devices(
            robot.robot, "arm, gripper or base", robot.controllers, drivers, self._clock, reliability
        )
        loops = self._loops = ControlLoops(self._devices, directory, self._clock, monotonic_s)
        motions = self._motions = Motions(loops, self._clock, monotonic_s)
        self._choice = DeviceChoice(loops, motions)
        self._world = SimulatedWorld(robot.world, seed, directory, loops.simulated, scene=robot.scene)
        self._feet: dict[str, tuple[float, float, float]] = {}
        self._parts = OwnParts(loops, self._world.controls)
        sweeps = WristSweeps(loops, motions, self._clock)
        recoveries = Recoveries(loops, self._clock)
        registrar = self.registrar = ResourceRegistrar(
            "controller_manager", transport, clock=clock, interlock=interlock
        )
        moving = {"start_timeout_s": _QUEUE_S, "safe_stop_timeout_s": REST_S}
        registrar.provides(Simulation, start_timeout_s=60.0, stop_timeout_s=10.0)(self._world.provide)
        registrar.provides(ControlLoop, start_timeout_s=70.0, stop_timeout_s=10.0)(self._control_loop)
        registrar.provides(Motion, start_timeout_s=90.0, safe_stop_timeout_s=REST_S)(motions.provide)
        registrar.provides(Arm, **moving)(self._arm)
        registrar.provides(Gripper, **moving)(self._gripper)
        registrar.provides(Base, **moving)(self._base)
        registrar.provides(WristSweep, **moving)(sweeps.provide)
        registrar.provides(ArmState, start_timeout_s=80.0)(self._arm_state)
        registrar.provides(Recovery, start_timeout_s=80.0 + RECOVERED_S)(recoveries.provide)

    async def __aenter__(self) -> ControllerManager:
        self._loops.open()
        try:
            await self.registrar.__aenter__()
        except BaseException:
            self._loops.close()
            raise
        self._is_open = True
        return self

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self.registrar.__aexit__(*error)
        finally:
            self._is_open = False
            self._parts.close()
            self._loops.close()
            await self._devices.reliability.close()

    # -- what people see and do

    def devices(self) -> tuple[DeviceView, ...]:
        """All arms, grippers and bases, in the order of the robot's description."""
        who: dict[str, str] = {}
        if self._loops.are_up:
            who = {lease.id: lease.who for lease in self.registrar.snapshot().leases}
        reported = self._world.loops()
        return tuple(
            self._view(self._loops.of(device.name), who, reported.get(device.name))
            for device in self._devices.described
        )

    def parts(self) -> tuple[OwnPart, ...]:
        """The robot's arms and grippers as they are now; of what does not run no more than its name."""
        return self._parts.look() if self._is_open else ()

    def track_of(self, base: str) -> BaseTrack | None:
        """Where a base has been since it was first moved; None of one that was not."""
        return self._motions.track_of(base)

    def is_blocked(self) -> bool | None:
        """Whether something keeps the base from going on; None if it does not drive, or nobody can tell."""
        names = (each.name for each in self._devices.described if each.kind == ControllerKind.BASE.value)
        reports = [self._loops.of(name).report for name in names] if self._is_open else []
        driving = [
            each
            for each in reports
            if isinstance(each, BaseSample) and each.loop.mode in _DRIVES and not each.is_blind
        ]
        return any(each.blocked for each in driving) if driving else None

    def departed(self, which: Departure) -> Spot | None:
        """Where the base stood; None if there is none, or it has not gone anywhere."""
        names = (each.name for each in self._devices.described if each.kind == ControllerKind.BASE.value)
        tracks = (track for name in names if (track := self._motions.track_of(name)) is not None)
        return next((track.departure(which) for track in tracks), None)

    def in_reach_of(self, device: str) -> tuple[str, ...]:
        """The other devices that it could hit, or be hit by, for the motion interlock."""
        for control in self._world.controls():
            self._feet[control.device] = control.robot_T_base[:3]
        for described in self._devices.described:
            handle = self._loops.of(described.name).handle if self._is_open else None
            if isinstance(handle, ArmHandle):
                self._feet[described.name] = handle.robot_T_base[:3]
        return in_reach(device, self._devices.described, self._feet.get)

    def order(self, order: WorldOrder) -> None:
        """Tell the simulated world something that moves no robot. Raises ResourceUnavailable if none runs."""
        self._world.order(order)

    def unplug(self, name: str, *, noticed: bool = True) -> None:
        """See `Devices.unplug`."""
        self._devices.unplug(name, noticed=noticed)

    def plug_in(self, name: str) -> None:
        """The device is there again. A simulated one gets a new control loop, which follows nobody."""
        self._devices.plug_in(name)
        self._loops.plug_in(name)

    def is_simulated(self, name: str) -> bool:
        """Whether it moves in the simulated world's process, and so fails by that."""
        return self._loops.is_simulated(name)

    def fail(self, name: str, how: FailMode) -> None:
        """Have a simulated device's control loop fail, in the world's process, if that runs."""
        with suppress(ResourceUnavailable):
            self.order(Fail(how, name))

    # -- providers

    def _control_loop(
        self, request: ControlLoop, supply: Supply
    ) -> AbstractAsyncContextManager[ControlHandle]:
        return self._loops.provide(self.registrar, request, supply)

    def _arm(self, request: Arm, supply: Supply) -> AbstractAsyncContextManager[MotionHandle]:
        return self._choice.move(ControllerKind.ARM, request.side, supply)

    def _gripper(self, request: Gripper, supply: Supply) -> AbstractAsyncContextManager[MotionHandle]:
        return self._choice.move(ControllerKind.GRIPPER, request.side, supply)

    def _base(self, request: Base, supply: Supply) -> AbstractAsyncContextManager[MotionHandle]:
        return self._choice.move(ControllerKind.BASE, "", supply)

    def _arm_state(self, request: ArmState, supply: Supply) -> AbstractAsyncContextManager[MotionHandle]:
        return self._choice.read(request.side, supply)

    def _view(self, control: Control, who: Mapping[str, str], reported: LoopState | None) -> DeviceView:
        mover = self._motions.of(control.device.name)
        state = control.state or reported
        if state is None:
            return self._devices.view(control.device, fault=control.remedy)
        holder = who.get(mover.lease, "") if mover is not None and mover.lease else ""
        detail = f"{state.mode}, held by {holder}" if holder else state.mode
        if state.stopped:
            detail = f"{detail}; {state.stopped}"
        return self._devices.view(
            control.device, fault=control.remedy_of(state.fault), detail=detail, mode=state.mode
        )
