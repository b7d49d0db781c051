"""The driver of a real Franka gripper, or of our simulated control box's: its own processes speak with it.

Nothing here imports pylibfranka: the gripper's own processes do (`resources.children.fci_gripper`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import param
from resources.children.specs import fci_gripper_spec
from resources.children.starting import started, told
from resources.fci.arguments import FciGripperArguments
from resources.fci.feeds import FciGripperFeed
from resources.fci.fingers import MOST_FORCE_N
from resources.fci.library import why_missing
from resources.types.arms import GripperHandle
from resources.types.motion import StopCategory


class FciGripper(Driver):
    """A Franka gripper on the arm's control box, in processes of its own."""

    name: ClassVar[str] = "fci_gripper"
    kind: ClassVar[str] = "gripper"

    address: str = param(doc="of the arm's control box, as 172.16.0.2")
    stop: StopCategory = param(
        default=StopCategory.HOLD, doc="what an emergency stop does to it; it never drops"
    )
    homing: bool = param(
        default=True, doc="find the end stops before the first motion, unless it holds something"
    )
    heartbeat_timeout_s: float = param(
        default=0.2, ge=0.05, le=2.0, doc="it comes to rest after so long without the supervisor's heartbeat"
    )
    frame: str = param(default="", doc="the body of a scene that its base is, if one is drawn")

    @classmethod
    def why_unavailable(cls) -> str:
        """As `Driver` says."""
        return why_missing()

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[GripperHandle]:
        """The gripper, with its loop running. Raises what its requests raise."""
        arguments = told(
            self,
            FciGripperArguments,
            run_directory=str(device.directory),
            device=device.name,
            orders=str(device.orders or ""),
        )
        async with started(device, fci_gripper_spec(arguments), FciGripperFeed) as feed:
            yield GripperHandle(
                device=device.name,
                side=device.mount,
                driver=self.name,
                state=feed.state,
                max_width_m=feed.max_width_m,
                max_force_n=MOST_FORCE_N,
                frame=self.frame,
            )
