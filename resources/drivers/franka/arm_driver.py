"""The driver of a real Franka arm, or of our simulated control box: a process of its own speaks with it.

Nothing here imports pylibfranka: the arm's own process does (`resources.drivers.franka.arm_child`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import param
from resources.children.arguments import as_told
from resources.children.starting import started
from resources.controllers.generations import limits_of
from resources.controllers.settings import ArmSettings
from resources.drivers.franka.arguments import FciArmArguments, FciArmParameters
from resources.drivers.franka.library import why_missing
from resources.drivers.franka.specs import fci_arm_spec
from resources.types.arms import ArmHandle
from resources.types.motion import Joints7
from resources.types.streams import StreamHandle

#: Of what the law allows its own motions: a stream that asks for all of it leaves nothing to catch up with.
_OF_STREAMS = 0.9

HOME: Joints7 = (0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398)


class FciArm(Driver):
    """A Franka arm behind its control interface (FCI), in a process of its own."""

    name: ClassVar[str] = "fci_arm"
    kind: ClassVar[str] = "arm"

    parameters: FciArmParameters
    home: Joints7 = param(default=HOME, doc="home posture [rad]")
    camera: str = param(default="", doc="the device that looks along with the wrist")

    @classmethod
    def why_unavailable(cls) -> str:
        """As `Driver` says."""
        return why_missing()

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[ArmHandle]:
        """The arm, with its loop running. Raises what its requests raise, and DescriptionError."""
        parameters = self.parameters
        arguments = FciArmArguments(
            run_directory=str(device.directory),
            device=device.name,
            orders=str(device.orders or ""),
            **as_told(parameters),
        )
        limits = limits_of(parameters.generation)
        share = _OF_STREAMS * ArmSettings().joint_share
        v1, v2, v3, v4, v5, v6, v7 = (share * speed for speed in limits.velocity)
        async with started(device, fci_arm_spec(arguments), StreamHandle) as state:
            yield ArmHandle(
                device=device.name,
                side=device.mount,
                driver=self.name,
                state=state,
                home=self.home,
                lower=limits.lower,
                upper=limits.upper,
                workspace=parameters.workspace or ArmSettings().workspace,
                robot_T_base=parameters.robot_T_base,
                camera=self.camera,
                frame=parameters.frame,
                max_speed=(v1, v2, v3, v4, v5, v6, v7),
                max_acceleration=share * min(limits.acceleration),
            )
