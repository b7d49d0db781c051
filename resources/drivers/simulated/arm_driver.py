"""The driver of a simulated arm: asks for the world, whose process runs the arm's control loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

import msgspec

from framework.plugins.driver import DeviceContext
from framework.plugins.parameters import param
from resources.children.arguments import ControlArguments
from resources.controllers.settings import ArmSettings
from resources.drivers.simulated.mechanism import SimulatedMechanism, prefix_of
from resources.twin.obstacles import Margin, NoGoBox, Surroundings, Wall
from resources.types.arms import ArmHandle, Workspace
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
    workspace: Workspace | None = param(
        default=None, doc="box in the arm's base frame that the tool point may not leave [m]"
    )
    walls: tuple[Wall, ...] = param(
        default=(), doc="planes in the arm's base frame that no part of it may go behind"
    )
    no_go: tuple[NoGoBox, ...] = param(
        default=(), doc="boxes in the arm's base frame that no part of it may enter"
    )
    body: tuple[NoGoBox, ...] = param(
        default=(), doc="boxes of the robot itself, in its own frame, that no part of the arm may enter"
    )
    keeps_from: tuple[str, ...] = param(
        default=(), doc="other arms of the robot, by device, that it keeps away from, and they from it"
    )
    margin_m: float = param(default=0.02, ge=0.0, le=0.3, doc="how far it keeps away from all of those")
    camera: str = param(default="", doc="the device that looks along with the wrist")
    friction: bool = param(default=False, doc="friction in its joints, unknown to the control law")
    reflex_force_n: float = param(default=150.0, ge=5.0, le=1000.0, doc="at the tool: more is a reflex")
    reflex_torque_nm: float = param(default=40.0, ge=1.0, le=500.0, doc="about the tool: more is a reflex")

    def arguments(self, device: str, mount: str, orders: Path) -> ControlArguments:
        """See `SimulatedMechanism.arguments`."""
        return msgspec.structs.replace(
            super().arguments(device, mount, orders),
            part=prefix_of(mount),
            reflex_force_n=self.reflex_force_n,
            reflex_torque_nm=self.reflex_torque_nm,
            friction=self.friction,
            workspace=self.workspace,
            surroundings=Surroundings(
                self.walls, self.no_go, self.body, Margin(self.margin_m), self.keeps_from
            ),
        )

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
                workspace=self.workspace or settings.workspace,
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
