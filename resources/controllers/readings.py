"""What an arm's controller can tell of its last tick. Reads, and changes nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from resources.controllers.joint_space import JointSpace
from resources.controllers.outliers import OutlierGate
from resources.controllers.rotation import quaternion_of
from resources.controllers.state import ArmState
from resources.controllers.tool_space import ToolSpace
from resources.types.motion import ArmSample, Joints7, LoopState, Vector6
from resources.types.streams import Pose7

Array = NDArray[np.float64]


class ArmReadings:
    """The part of `ArmController` that reports.

    Attributes:
        tau: the torque of the last tick without weight (7,) [N m]; who drives the joints otherwise (brakes)
            writes here what it gave, in place, so that observer and torque rate know.
        state: what was measured and estimated.
    """

    tau: Array
    state: ArmState
    _tool: ToolSpace
    _joints: JointSpace
    _gate: OutlierGate
    _in_tool_space: bool

    @property
    def outliers(self) -> int:
        """How often a streamed pose jumped and was not followed."""
        return self._gate.outliers

    @property
    def remark(self) -> str:
        """About the last outlier, for people; "" if there was none."""
        return self._gate.remark

    @property
    def tau_external(self) -> Array:
        """What the surroundings do to the joints, estimated (7,) [N m]."""
        return self.state.external

    @property
    def wrench_estimated(self) -> Array:
        """What the surroundings do to the tool (6,) [N, N m], at the tool point in the axes of the base."""
        return self.state.wrench

    @property
    def base_T_tool(self) -> Pose7:
        """The tool's pose."""
        return (*self.state.position, *self.state.rotation)

    @property
    def tool_twist(self) -> Array:
        """(6,) [m/s, rad/s] at the tool point in the axes of the base."""
        return self.state.dynamics.twist

    @property
    def base_T_target(self) -> Pose7:
        """What the law is steering to."""
        if self._in_tool_space:
            return (*self._tool.reference.position, *self._tool.reference.rotation)
        pose = self.state.dynamics.forward(self._joints.position)
        x, y, z = pose[:3, 3].tolist()
        return (x, y, z, *quaternion_of(pose))

    @property
    def target_twist(self) -> Array:
        """Of the reference: (6,) of the tool in its space, (7,) of the joints in theirs [m/s, rad/s]."""
        return self._tool.reference.twist() if self._in_tool_space else self._joints.velocity

    @property
    def target_acceleration(self) -> Array:
        """Of the reference, as `target_twist` [m/s², rad/s²]."""
        return self._tool.reference.acceleration() if self._in_tool_space else self._joints.acceleration

    def sample(self, time_s: float, loop: LoopState, wrench: Vector6 | None = None) -> ArmSample:
        """The report of the last tick; `wrench`: as measured, None if nothing measures it."""
        return ArmSample(
            time_s=time_s,
            loop=loop,
            q=_seven(self.state.q),
            dq=_seven(self.state.dq),
            tau=_seven(self.tau),
            tau_external=_seven(self.tau_external),
            base_T_tool=self.base_T_tool,
            tool_twist=_six(self.tool_twist),
            base_T_target=self.base_T_target,
            wrench_measured=wrench,
            wrench_estimated=_six(self.wrench_estimated),
        )


def _seven(values: Array) -> Joints7:
    a, b, c, d, e, f, g = values.tolist()
    return (a, b, c, d, e, f, g)


def _six(values: Array) -> Vector6:
    a, b, c, d, e, f = values.tolist()
    return (a, b, c, d, e, f)
