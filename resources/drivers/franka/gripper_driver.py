"""The driver of a real Franka gripper, or of our simulated control box's: its own processes speak with it.

Nothing here imports pylibfranka: the gripper's own processes do (`resources.drivers.franka.gripper_child`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from resources.children.arguments import as_told
from resources.children.starting import started
from resources.drivers.franka.arguments import FciGripperArguments, FciGripperParameters
from resources.drivers.franka.fingers import MOST_FORCE_N
from resources.drivers.franka.handles import FciGripperFeed
from resources.drivers.franka.library import why_missing
from resources.drivers.franka.specs import fci_gripper_spec
from resources.types.arms import GripperHandle


class FciGripper(Driver):
    """A Franka gripper on the arm's control box, in processes of its own."""

    name: ClassVar[str] = "fci_gripper"
    kind: ClassVar[str] = "gripper"

    parameters: FciGripperParameters

    @classmethod
    def why_unavailable(cls) -> str:
        """As `Driver` says."""
        return why_missing()

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[GripperHandle]:
        """The gripper, with its loop running. Raises what its requests raise."""
        arguments = FciGripperArguments(
            run_directory=str(device.directory),
            device=device.name,
            orders=str(device.orders or ""),
            **as_told(self.parameters),
        )
        async with started(device, fci_gripper_spec(arguments), FciGripperFeed) as feed:
            yield GripperHandle(
                device=device.name,
                side=device.mount,
                driver=self.name,
                state=feed.state,
                max_width_m=feed.max_width_m,
                max_force_n=MOST_FORCE_N,
                frame=self.parameters.frame,
            )
