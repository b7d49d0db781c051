"""The emergency stop and the supervisor's heartbeat, as a control process sees them: in every tick.

Neither needs a message to arrive or another process to run: both are read from shared memory. What they do is
decided by each control loop (`resources.controllers.loop`), where the motion is made.
"""

from __future__ import annotations

from framework.processes.emergency import EmergencyStop
from resources.controllers.loop import MotionStop

_AHEAD_S = 0.05  # a beat may come after the moment that is looked at, but not from another time


class Safety:
    """Looks at the latch, and at how long the supervisor has been silent.

    heartbeat_timeout_s: longer than this it may not be.
    """

    def __init__(self, emergency: EmergencyStop, *, heartbeat_timeout_s: float) -> None:
        self._emergency = emergency
        self._timeout_s = heartbeat_timeout_s
        self._token = 0
        self._reason = ""

    def look(self, now_s: float) -> MotionStop:
        """What forbids motion at `now_s`."""
        emergency = self._emergency
        latched, token = emergency.is_latched, emergency.latest
        if token != self._token:  # read the words once a stop, not in every tick
            self._token, self._reason = token, emergency.reason
        # Written so that a silence that is no number counts as one, and so does a beat that never grows old.
        alone = not -_AHEAD_S <= emergency.motion_age_s(now_s) <= self._timeout_s
        return MotionStop(latched, alone, self._reason, token, emergency.lent)
