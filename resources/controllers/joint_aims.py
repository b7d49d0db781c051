"""What commands for joints mean: positions, velocities and accelerations, period by period. No law."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from resources.controllers.clock import Clock
from resources.controllers.posture_planning import PosturePlanner
from resources.controllers.trajectory import State, Trajectory

Array = NDArray[np.float64]


class JointAim:
    """To a posture, or to rest: a trajectory made beforehand, with a clock that waits for the arm."""

    def __init__(self, trajectory: Trajectory, goal: Array) -> None:
        self.goal = goal
        self.trajectory = trajectory
        self.clock = Clock(trajectory.duration_s)

    def at(self, pace: float, dt_s: float) -> tuple[Array, Array, Array]:
        """Positions, velocities, accelerations (7,) one period later."""
        clock = self.clock
        change = clock.advance(pace, dt_s)
        position, velocity, acceleration = (np.array(part) for part in self.trajectory.at(clock.now_s))
        if clock.is_over:
            return position, np.zeros(7), np.zeros(7)
        acceleration *= clock.pace**2
        acceleration += velocity * change
        velocity *= clock.pace
        return position, velocity, acceleration


class SweepAim:
    """The last joint to and fro between two angles; the others stay."""

    def __init__(
        self, start: State, ends: tuple[float, float], speed: float, planner: PosturePlanner
    ) -> None:
        self._ends, self._speed, self._planner = ends, speed, planner
        self._posture = list(start[0])
        last = self._posture[-1]
        self._end = 0 if abs(last - ends[0]) < abs(last - ends[1]) else 1
        self._leg = self._plan(start)

    def at(self, pace: float, dt_s: float) -> tuple[Array, Array, Array]:
        """See `JointAim.at`."""
        if self._leg.clock.is_over:
            self._end = 1 - self._end
            self._leg = self._plan(([*self._posture[:-1], float(self._leg.goal[-1])], [0.0] * 7, [0.0] * 7))
        return self._leg.at(pace, dt_s)

    def _plan(self, start: State) -> JointAim:
        goal = [*self._posture[:-1], self._ends[self._end]]
        return JointAim(self._planner.sweep(start, goal, self._speed), np.array(goal))
