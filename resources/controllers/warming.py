"""Runs an arm's control law for nobody, before it drives anything.

What runs for the first time takes several times as long (libraries set themselves up, memory is fetched);
a drive that waits a millisecond for its torque does not wait for that.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from framework.errors import CommandRefused
from resources.controllers.arm import ArmController
from resources.types.motion import REST6, Guide, MotionCommand, MoveJoints, MovePose, TrackJoints, TrackTwist

# So often, and in periods of this length [s].
_ROUNDS, _PERIOD_S = 3, 0.001


def warm_up(controller: ArmController) -> None:
    """Run every law in the posture measured last, as if at rest; then it holds from there, as after `reset`.

    Takes some 10 ms. To be called between `reset` and the first tick that counts: its torques are for nobody,
    and whatever the controller followed is forgotten.
    """
    state = controller.state
    q, dq, at_rest = state.q.copy(), state.dq.copy(), np.zeros(7)
    q1, q2, q3, q4, q5, q6, q7 = state.positions
    here = (q1, q2, q3, q4, q5, q6, q7)
    pose = controller.base_T_tool
    commands: tuple[MotionCommand, ...] = (
        TrackTwist(REST6),
        MovePose(pose),
        MoveJoints(here),
        TrackJoints(here),
        Guide(),
    )
    now_s = 0.0
    for command in commands * _ROUNDS:
        with suppress(CommandRefused):  # where it stands, not all may be allowed
            controller.begin(command, now_s, now_s)
        controller.tick(q, at_rest, now_s, _PERIOD_S)
        controller.rest()
        controller.tick(q, at_rest, now_s, _PERIOD_S)
        now_s += _PERIOD_S
    controller.reset(q, dq)
