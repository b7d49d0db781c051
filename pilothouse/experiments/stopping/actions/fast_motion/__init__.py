"""Something to stop: both arms in fast motion, and the base driving, for the experiment `stopping`."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

import pilothouse as ph
from resources.types.motion import ORDER_PERIOD_S, Joints7, Wanted, encode_motion

KINDS = ("joints", "pose", "twist", "lapsing", "ceasing")

#: Away from home, as far as the room allows [rad]; the left arm's, the right one's is its mirror image.
_FAR: Joints7 = (1.1, 0.1, 0.0, -1.5, 0.0, 2.2, 0.8)
_REACH_M, _SPEED_M_S, _DRIVE_M_S = 0.2, 0.4, 0.6

#: The base begins here, behind where it came from: so it has room ahead, where its scanner looks [m].
_START_X_M = -0.3

#: It takes longer to be fast than the arms do [s].
_AHEAD_S = 0.4
_STREAM_S = 0.02
_GOES_ON_S, _SILENT_S = 0.7, 2.5
_STOOD_STILL_S = 0.15  # whoever stood still for so long itself does not go on streaming


class FastMotion(ph.Action):
    """Move both arms and the base fast, until stopped."""

    risk = ph.Risk.MOVES

    how: str = ph.param(
        one_of=KINDS, doc="goals of joints or of the tool, a twist; a goal or a twist that ends"
    )

    left = ph.needs(ph.Arm(side="left"), exclusive=True)
    right = ph.needs(ph.Arm(side="right"), exclusive=True)
    base = ph.needs(ph.Base, exclusive=True)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as homing:
            for arm in (self.left, self.right):
                homing.create_task(arm.move_joints(arm.home, speed=1.0))
            homing.create_task(self.base.move_to(_START_X_M, 0.0, 0.0))
        self.say("arms and base are where they begin")
        ceases = self.how in ("lapsing", "ceasing")
        goes_on_s = _GOES_ON_S if ceases else math.inf
        async with asyncio.TaskGroup() as motion:
            motion.create_task(
                _repeated(lambda: self.base.drive(_DRIVE_M_S), _STREAM_S, _AHEAD_S + goes_on_s)
            )
            await asyncio.sleep(_AHEAD_S)
            motion.create_task(self._move(self.left, 1.0, goes_on_s))
            motion.create_task(self._move(self.right, -1.0, goes_on_s))
        if ceases:
            await asyncio.sleep(_SILENT_S)  # all three are still held

    async def _move(self, arm: ph.ArmClient, outward: float, goes_on_s: float) -> None:
        """One arm; outward: the sign of y away from the robot's middle."""
        x, y, z, qx, qy, qz, qw = (await arm.state()).base_T_tool
        q1, q2, q3, q4, q5, q6, q7 = _FAR
        joints = ph.MoveJoints((outward * q1, q2, outward * q3, q4, outward * q5, q6, q7), 1.0)
        there = (x, y + outward * _REACH_M, z + _REACH_M, qx, qy, qz, qw)
        twist = ph.TrackTwist((0.0, outward * _SPEED_M_S, 0.0, 0.0, 0.0, 0.0))
        match self.how:
            case "joints":
                await arm.carry_out(joints)
            case "pose":
                await arm.carry_out(ph.MovePose(there, speed=1.0))
            case "lapsing":
                repeated = encode_motion(Wanted(arm.wish(joints), joints))
                await _repeated(lambda: arm.send(repeated), ORDER_PERIOD_S, goes_on_s)
            case _:
                await _repeated(lambda: arm.wish(twist), _STREAM_S, goes_on_s)


async def _repeated(send: Callable[[], object], period_s: float, for_s: float) -> None:
    """Send again and again, for so long; or until this process stood still itself."""
    loop = asyncio.get_running_loop()
    began_s = now_s = loop.time()
    while now_s - began_s < for_s:
        send()
        await asyncio.sleep(period_s)
        before_s, now_s = now_s, loop.time()
        if now_s - before_s > _STOOD_STILL_S:
            return
