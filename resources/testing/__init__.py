"""The testing kit for what moves: scripted arms, grippers and a base. Public, for plugin authors.

    async def play():
        transport = ph.LocalTransport()
        left = ScriptedArm("left")
        async with ScriptedMovers(transport, tmp_path, left, ScriptedGripper("left", between_m=0.04)):
            left.reflex("torque rate exceeded", at=0.5)   # in the middle of its next goal
            ...                                           # run an action with `ph.ActionRunner`

    ph.testing.run(play)

`ScriptedMovers` provides Arm, ArmState, Gripper, Base, Motion and Recovery, as an installation does: with
leases, fencing, safe stops, reports through real rings, on the virtual clock. What is scripted is what moves:
slow, blocked, with a reflex in the middle, closing on nothing. Inverse kinematics it has none.
"""

from __future__ import annotations

from resources.testing.movers import ScriptedMovers
from resources.testing.scripted_arm import ScriptedArm
from resources.testing.scripted_base import ScriptedBase
from resources.testing.scripted_gripper import ScriptedGripper

__all__ = ["ScriptedArm", "ScriptedBase", "ScriptedGripper", "ScriptedMovers"]
