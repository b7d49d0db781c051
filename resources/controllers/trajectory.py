"""Trajectories to a goal under limits of speed, acceleration and jerk: ruckig, wrapped once.

Made when a goal is begun and then only evaluated, at a clock of the caller's that may run slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ruckig

from framework.errors import CommandRefused

#: Slower than this counts as rest [rad/s]: what an arm that stands is measured to do.
_STILL = 0.005
#: Nearer to a goal than this is there [rad]: no encoder tells the difference.
_THERE = 1e-6

State = tuple[Sequence[float], Sequence[float], Sequence[float]]
"""Position, velocity, acceleration; (n,) each."""


class Trajectory:
    """From a state to rest somewhere, all axes in time with each other."""

    def __init__(self, computed: Any) -> None:
        self._computed = computed
        self.duration_s = float(computed.duration)

    def at(self, time_s: float) -> State:
        """Position, velocity, acceleration at a time from its start [s]; rest after its end."""
        state = self._computed.at_time(min(time_s, self.duration_s))
        return (state[0], state[1], state[2])


def to_goal(
    start: State,
    goal: Sequence[float],
    speed: Sequence[float],
    acceleration: Sequence[float],
    jerk: Sequence[float],
) -> Trajectory:
    """To rest at `goal`; on a straight line where the start is at rest. CommandRefused if there is no way.

    Where ruckig finds none (ways of a millionth of a second, some starts in motion), it is made from a start
    that nobody could tell from this one.
    """
    position, velocity, _ = start
    goal = [at if abs(to - at) < _THERE else to for at, to in zip(position, goal, strict=True)]
    still = [0.0] * len(position)
    slow = [0.0 if abs(each) < _STILL else each for each in velocity]
    starts = [start, (position, velocity, still), (position, slow, still)]
    for number, each in enumerate(starts):
        wanted = _input(each, acceleration, jerk)
        wanted.max_velocity = list(speed)
        wanted.target_position = list(goal)
        wanted.synchronization = ruckig.Synchronization.Phase
        try:
            return _computed(wanted)
        except CommandRefused:
            if number == len(starts) - 1:
                raise
    raise AssertionError("the last of them returns or raises")


def to_rest(start: State, acceleration: Sequence[float], jerk: Sequence[float]) -> Trajectory:
    """To rest as soon as may be, wherever that is."""
    wanted = _input(start, acceleration, jerk)
    wanted.control_interface = ruckig.ControlInterface.Velocity
    wanted.synchronization = ruckig.Synchronization.No
    return _computed(wanted)


def _input(start: State, acceleration: Sequence[float], jerk: Sequence[float]) -> Any:
    position, velocity, rate = start
    size = len(position)
    wanted: Any = ruckig.InputParameter(size)
    wanted.current_position = list(position)
    wanted.current_velocity = list(velocity)
    # Measured or projected accelerations may exceed what the plan may use; it would be refused.
    wanted.current_acceleration = [
        max(-bound, min(bound, value)) for value, bound in zip(rate, acceleration, strict=True)
    ]
    wanted.target_velocity = [0.0] * size
    wanted.target_acceleration = [0.0] * size
    wanted.max_acceleration = list(acceleration)
    wanted.max_jerk = list(jerk)
    return wanted


def _computed(wanted: Any) -> Trajectory:
    computed: Any = ruckig.Trajectory(wanted.degrees_of_freedom)
    try:
        result = ruckig.Ruckig(wanted.degrees_of_freedom).calculate(wanted, computed)
    except (ruckig.RuckigError, ValueError) as error:  # some of its results its own enumeration lacks
        raise CommandRefused("no trajectory leads there from here") from error
    if result not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise CommandRefused(f"no trajectory leads there from here: {result.name}")
    return Trajectory(computed)
