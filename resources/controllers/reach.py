"""Whether an arm can follow its tool's straight way to a goal, known before it moves. No time, no force.

The law goes from posture to posture and never turns its elbow over to the other side; so does this search:
from the present posture, along the line, within what joints may do. What stands in the way is not looked at.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from resources.arms.dynamics import ArmDynamics
from resources.arms.pose import Quaternion, Vector3
from resources.controllers.aims import position_of, rotation_of
from resources.controllers.rotation import between, quaternion_of, turned
from resources.controllers.settings import ArmSettings
from resources.types.motion_words import length_in_words
from resources.types.streams import Pose7

Array = NDArray[np.float64]

# Points of the line, and how often at each, and at its end, a better posture is looked for.
_POINTS, _STEPS, _LAST_STEPS = 4, 3, 20

# To say how far it reaches, the way is halved so often, with so many steps each.
_HALVINGS, _HALVING_STEPS = 5, 6

# Damping of the steps: a share of the error squared, and what is left of it near the goal.
_DAMPING, _LEAST_DAMPING = 0.3, 2e-4

# So far no joint goes in one step [rad].
_STRIDE = 0.4

# Exact enough: as near as this share of what still counts as reached.
_NEAR = 0.5

# A way shorter than this is only a turn [m].
_ON_THE_SPOT = 0.005


class Reach:
    """The search for one arm. Levenberg–Marquardt steps with the error as damping (Sugihara 2011, eq 18)."""

    def __init__(self, dynamics: ArmDynamics, settings: ArmSettings) -> None:
        """`dynamics`: asked about other postures only, so that the control law's own results stay."""
        limits, wall = settings.limits, settings.wall_distance
        self._dynamics = dynamics
        self._lower: Array = np.array(limits.lower) + wall
        self._upper: Array = np.array(limits.upper) - wall
        self._arrival = _NEAR * settings.nearby_factor * settings.arrival
        self._arrival_turn = _NEAR * settings.nearby_factor * settings.arrival_turn

    def short_of(self, q: Array, goal: Pose7) -> str:
        """Why the tool does not get to `goal` from the posture `q` (7,) [rad], for people; "" if it does."""
        way = _Way(self._dynamics.forward(q), goal)
        posture = np.minimum(np.maximum(q, self._lower), self._upper)
        for number in range(1, _POINTS):
            posture, _ = self._nearer(posture, *way.at(number / _POINTS), _STEPS)
        _, arrives = self._nearer(posture, *way.at(1.0), _LAST_STEPS)
        if arrives:
            return ""
        posture = np.minimum(np.maximum(q, self._lower), self._upper)
        reached, missed = 0.0, 1.0
        for _ in range(_HALVINGS):
            share = 0.5 * (reached + missed)
            found, arrives = self._nearer(posture, *way.at(share), _HALVING_STEPS)
            if arrives:
                reached, posture = share, found
            else:
                missed = share
        return way.words(reached)

    def _nearer(self, q: Array, position: Vector3, rotation: Quaternion, steps: int) -> tuple[Array, bool]:
        """A posture whose tool is nearer to a pose, after so many steps at most; and whether it is there."""
        for step in range(steps + 1):
            base_T_tool, jacobian = self._dynamics.kinematics(q)
            x, y, z = base_T_tool[:3, 3].tolist()
            dx, dy, dz = position[0] - x, position[1] - y, position[2] - z
            turn = between(quaternion_of(base_T_tool), rotation)
            if math.hypot(dx, dy, dz) < self._arrival and math.hypot(*turn) < self._arrival_turn:
                return q, True
            if step < steps:
                q = self._step(q, np.array((dx, dy, dz, *turn)), jacobian)
        return q, False

    def _step(self, q: Array, error: Array, jacobian: Array) -> Array:
        """One damped step (7,) [rad]; a joint at its end that would go beyond stays, the others do it all."""
        damping = np.eye(6) * (_DAMPING * float(error.dot(error)) + _LEAST_DAMPING)
        free = np.ones(7)
        for _ in range(3):
            able = jacobian * free
            change: Array = able.T.dot(np.linalg.solve(able.dot(able.T) + damping, error))
            most = max(float(change.max()), -float(change.min()))
            if most > _STRIDE:
                change *= _STRIDE / most
            there = q + change
            bounded = np.minimum(np.maximum(there, self._lower), self._upper)
            ends = (bounded != there) & (bounded == q)
            if not ends.any():
                break
            free[ends] = 0.0
        return bounded


class _Way:
    """The tool's straight line, the rotation in step."""

    def __init__(self, start: Array, goal: Pose7) -> None:
        x, y, z = start[:3, 3].tolist()
        gx, gy, gz = position_of(goal)
        self._position, self._rotation = (x, y, z), quaternion_of(start)
        self._way = gx - x, gy - y, gz - z
        self._axis = between(self._rotation, rotation_of(goal))

    def at(self, share: float) -> tuple[Vector3, Quaternion]:
        """Where the tool is then."""
        (x, y, z), (dx, dy, dz), (rx, ry, rz) = self._position, self._way, self._axis
        return (
            (x + share * dx, y + share * dy, z + share * dz),
            turned((share * rx, share * ry, share * rz), self._rotation),
        )

    def words(self, share: float) -> str:
        """How far it gets."""
        length, angle = math.hypot(*self._way), math.hypot(*self._axis)
        if length < _ON_THE_SPOT:
            asked, able = math.degrees(angle), math.degrees(share * angle)
            return f"the arm can turn only about {able:.0f}° of {asked:.0f}° that way"
        if share * length < 0.01:
            return f"the arm reaches no further that way; {length_in_words(length)} were asked for"
        return (
            f"the arm reaches only about {100 * share * length:.0f} cm further that way; "
            f"{length_in_words(length)} were asked for"
        )
