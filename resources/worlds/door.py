"""The hinged door of the inspection room: somebody swings it, a contact in its frame says whether it is shut.

Nobody of ours moves it, so it obeys no lease and no emergency stop; it is pushed with a person's strength,
and whatever stands in its way stops it.
"""

from __future__ import annotations

import mujoco

THING = "door"
OPEN, CLOSED = "open", "closed"
STATES = (OPEN, CLOSED)

AJAR_RAD = 0.45
"""How it stands at the start, so that the doorway can be seen."""

SWING_S = 1.0
_WIDE_RAD = 1.45
_SHUT_RAD = 0.03  # the contact is made from here on
_MOST_NM = 120.0
_STIFFNESS = 400.0  # [N m/rad]
_DAMPING = 110.0  # [N m s/rad]


class Door:
    """The door of one world's model."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        joint = model.joint("door_hinge")
        self._angle = int(joint.qposadr[0])
        self._speed = int(joint.dofadr[0])
        self._from_rad = self._to_rad = AJAR_RAD
        self._begun_s = -SWING_S
        self._is_held = False  # until it is first put somewhere it swings freely
        data.qpos[self._angle] = AJAR_RAD

    def put(self, state: str, data: mujoco.MjData) -> None:
        """Swing it, from where it is now, within about a second."""
        self._is_held = True
        self._from_rad = float(data.qpos[self._angle])
        self._to_rad = _WIDE_RAD if state == OPEN else 0.0
        self._begun_s = float(data.time)

    def tick(self, data: mujoco.MjData) -> None:
        """Push it along, in every step."""
        if not self._is_held:
            return
        t = min((float(data.time) - self._begun_s) / SWING_S, 1.0)
        # Fifth-order: it begins and ends without a jerk.
        share = t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
        speed = 30.0 * t * t * (1.0 - t) ** 2 / SWING_S
        span = self._to_rad - self._from_rad
        torque = _STIFFNESS * (self._from_rad + span * share - float(data.qpos[self._angle]))
        torque += _DAMPING * (span * speed - float(data.qvel[self._speed]))
        data.qfrc_applied[self._speed] = min(max(torque, -_MOST_NM), _MOST_NM)

    def state(self, data: mujoco.MjData) -> str:
        """What the contact says."""
        return CLOSED if float(data.qpos[self._angle]) < _SHUT_RAD else OPEN
