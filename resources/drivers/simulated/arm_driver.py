"""The driver of a simulated arm: asks for the world, whose process runs the arm's control loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext
from framework.plugins.parameters import param
from resources.children.arguments import SimulatedArmParameters
from resources.controllers.settings import ArmSettings
from resources.drivers.simulated.mechanism import SimulatedMechanism
from resources.types.arms import ArmHandle
from resources.types.control import Simulation
from resources.types.motion import REST7, ControllerKind, Joints7

#: Of what the law allows its own motions: a stream that asks for all of it leaves nothing to catch up with.
_OF_STREAMS = 0.9


class SimulatedArm(SimulatedMechanism):
    """A simulated seven-axis arm under the real control law."""

    name: ClassVar[str] = "simulated_arm"
    kind: ClassVar[str] = "arm"
    moves: ClassVar[ControllerKind] = ControllerKind.ARM

    home: Joints7 | None = param(default=None, doc="home posture [rad]; by default the one it starts in")
    parameters: SimulatedArmParameters
    camera: str = param(default="", doc="the device that looks along with the wrist")

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[ArmHandle]:
        """The arm, with its loop running. Raises what its requests raise."""
        async with device.request(Simulation(self.world)) as simulation:
            control = self.found(simulation.value, device.name)
            settings = ArmSettings()
            limits, share = settings.limits, _OF_STREAMS * settings.joint_share
            v1, v2, v3, v4, v5, v6, v7 = limits.velocity
            yield ArmHandle(
                device=device.name,
                side=device.mount,
                driver=self.name,
                state=control.state,
                home=self.home or control.home or REST7,
                lower=limits.lower,
                upper=limits.upper,
                workspace=self.parameters.workspace or settings.workspace,
                robot_T_base=control.robot_T_base,
                camera=self.camera,
                frame=control.frame,
                max_speed=(
                    share * v1,
                    share * v2,
                    share * v3,
                    share * v4,
                    share * v5,
                    share * v6,
                    share * v7,
                ),
                max_acceleration=share * min(limits.acceleration),
            )
