"""The driver of a simulated gripper: asks for the world, whose process runs the gripper's control loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext
from resources.arms.parameters import PANDA_HAND
from resources.drivers.simulated.mechanism import SimulatedMechanism
from resources.types.arms import GripperHandle
from resources.types.control import Simulation
from resources.types.motion import ControllerKind


class SimulatedGripper(SimulatedMechanism):
    """A simulated gripper with two parallel fingers."""

    name: ClassVar[str] = "simulated_gripper"
    kind: ClassVar[str] = "gripper"
    moves: ClassVar[ControllerKind] = ControllerKind.GRIPPER

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[GripperHandle]:
        """The gripper, with its loop running. Raises what its requests raise."""
        async with device.request(Simulation(self.world)) as simulation:
            control = self.found(simulation.value, device.name)
            limits = PANDA_HAND.finger_limits
            yield GripperHandle(
                device=device.name,
                side=device.mount,
                driver=self.name,
                state=control.state,
                max_width_m=2.0 * limits.upper,
                max_force_n=limits.effort,
                frame=control.frame,
            )
