"""The driver of a real Franka arm, or of our simulated control box: a process of its own speaks with it.

Nothing here imports pylibfranka: the arm's own process does (`resources.children.fci_arm`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import param
from resources.arms.pose import Vector3
from resources.children.specs import fci_arm_spec
from resources.children.starting import started, told
from resources.controllers.settings import ArmSettings
from resources.fci.arguments import Collision, FciArmArguments, Payload, Realtime
from resources.fci.library import why_missing
from resources.fci.limits import Generation, limits_of
from resources.twin.obstacles import Margin, NoGoBox, Surroundings, Wall
from resources.types.arms import ArmHandle, Workspace
from resources.types.motion import Joints7, StopCategory
from resources.types.streams import IDENTITY, Pose7, StreamHandle

#: Of what the law allows its own motions: a stream that asks for all of it leaves nothing to catch up with.
_OF_STREAMS = 0.9

HOME: Joints7 = (0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398)


class FciArm(Driver):
    """A Franka arm behind its control interface (FCI), in a process of its own."""

    name: ClassVar[str] = "fci_arm"
    kind: ClassVar[str] = "arm"

    address: str = param(doc="of the arm's control box, as 172.16.0.2")
    stop: StopCategory = param(default=StopCategory.HOLD, doc="what an emergency stop does to it")
    realtime: Realtime = param(
        default=Realtime.IGNORE,
        doc="enforce: no arm without a real-time kernel; none: for a simulated control box",
    )
    generation: Generation = param(default=Generation.FR3, doc="whose joint limits count")
    collision_torque_nm: float = param(
        default=40.0, ge=1.0, le=100.0, doc="on joints 1 to 4: more is a reflex"
    )
    collision_wrist_nm: float = param(default=11.0, ge=1.0, le=30.0, doc="on joints 5 to 7: more is a reflex")
    collision_force_n: float = param(default=60.0, ge=5.0, le=300.0, doc="at the tool: more is a reflex")
    collision_moment_nm: float = param(default=20.0, ge=1.0, le=100.0, doc="about the tool: more is a reflex")
    payload_kg: float = param(default=0.0, ge=0.0, le=7.0, doc="what hangs on the flange beside the gripper")
    payload_centre_m: Vector3 = param(default=(0.0, 0.0, 0.0), doc="its centre of mass in the flange's frame")
    payload_inertia: Vector3 = param(default=(0.001, 0.001, 0.001), doc="Ixx Iyy Izz about it [kg m²]")
    end_effector: Pose7 | None = param(
        default=None, doc="NE_T_EE: from Desk's end effector to the tool point; by default what the arm has"
    )
    hand: bool = param(default=True, doc="the gripper is mounted, and Desk knows of it")
    heartbeat_timeout_s: float = param(
        default=0.2, ge=0.05, le=2.0, doc="it comes to rest after so long without the supervisor's heartbeat"
    )
    home: Joints7 = param(default=HOME, doc="home posture [rad]")
    workspace: Workspace | None = param(
        default=None, doc="box in the arm's base frame that the tool point may not leave [m]"
    )
    walls: tuple[Wall, ...] = param(
        default=(), doc="planes in the arm's base frame that no part of it may go behind"
    )
    no_go: tuple[NoGoBox, ...] = param(
        default=(), doc="boxes in the arm's base frame that no part of it may enter"
    )
    margin_m: float = param(default=0.02, ge=0.0, le=0.3, doc="how far it keeps away from those")
    robot_T_base: Pose7 = param(default=IDENTITY, doc="how it is mounted, in the robot's frame")
    camera: str = param(default="", doc="the device that looks along with the wrist")
    frame: str = param(default="", doc="the body of a scene that its base is, if one is drawn")

    @classmethod
    def why_unavailable(cls) -> str:
        """As `Driver` says."""
        return why_missing()

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[ArmHandle]:
        """The arm, with its loop running. Raises what its requests raise, and DescriptionError."""
        payload = None
        if self.payload_kg:
            payload = Payload(self.payload_kg, self.payload_centre_m, self.payload_inertia)
        arguments = told(
            self,
            FciArmArguments,
            run_directory=str(device.directory),
            device=device.name,
            orders=str(device.orders or ""),
            collision=Collision(
                self.collision_torque_nm,
                self.collision_wrist_nm,
                self.collision_force_n,
                self.collision_moment_nm,
            ),
            payload=payload,
            surroundings=Surroundings(self.walls, self.no_go, margin=Margin(self.margin_m)),
        )
        limits = limits_of(self.generation)
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
                workspace=self.workspace or ArmSettings().workspace,
                robot_T_base=self.robot_T_base,
                camera=self.camera,
                frame=self.frame,
                max_speed=(v1, v2, v3, v4, v5, v6, v7),
                max_acceleration=share * min(limits.acceleration),
            )
