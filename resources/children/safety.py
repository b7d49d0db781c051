"""The emergency stop and the supervisor's heartbeat, enforced where the motion is made: in every tick.

Neither needs a message to arrive or another process to run: both are read from shared memory.
"""

from __future__ import annotations

from framework.processes.emergency import EmergencyStop
from resources.worlds.world import World


class Safety:
    """Stops the world when it has to stop, and says why."""

    def __init__(self, world: World, emergency: EmergencyStop, *, heartbeat_timeout_s: float) -> None:
        self._world = world
        self._emergency = emergency
        self._timeout_s = heartbeat_timeout_s
        self._is_alone = False
        self._token = 0
        self._why = ""

    def look(self, now_s: float) -> str:
        """Do what the latch and the heartbeat demand at `now_s`; why nothing may move, or ""."""
        if self._emergency.is_latched:
            self._world.emergency_stop()
        else:
            self._world.reset_emergency_stop()  # moves nothing: commands are accepted again, that is all
        silence_s = self._emergency.heartbeat_age_s(now_s)
        is_alone = not silence_s <= self._timeout_s
        if is_alone and not self._is_alone:
            self._world.safe_stop()
        self._is_alone = is_alone
        if self._world.emergency:
            if self._token != (
                token := self._emergency.token
            ):  # read the words once a stop, not in every tick
                self._token = token
                self._why = f"emergency stop: {self._emergency.reason or 'no reason was given'}"
            return self._why
        return "the supervisor's heartbeat is missing" if is_alone else ""
