"""What the surroundings really do to an arm's tool: what a perfect sensor in its flange would feel."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from resources.types.motion import Vector6

Array = NDArray[np.float64]


class ToolContact:
    """Contacts and applied forces on everything beyond the last link: hand, fingers, mounted sensors.

    What parts of the tool do to each other cancels out, and so does the tool's own weight and inertia.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, prefix: str) -> None:
        self._model, self._data = model, data
        last, base = model.body(f"{prefix}link7").id, model.body(f"{prefix}link0").id
        bodies = [body for body in range(last + 1, model.nbody) if _is_below(model, body, last)]
        self._is_tool = np.isin(model.geom_bodyid, bodies)  # (ngeom,)
        self._bodies = slice(bodies[0], bodies[-1] + 1) if bodies else slice(0, 0)
        # Views cost a tenth of what looking the field up costs.
        self._applied = data.xfrc_applied[self._bodies]  # (n, 6) force, then torque
        self._centres = data.xipos[self._bodies]  # (n, 3)
        self._tool = data.site_xpos[model.site(f"{prefix}tool").id]  # (3,)
        self._base = data.xmat[base].reshape(3, 3)
        self._contact = np.zeros(6)

    def wrench(self) -> Vector6 | None:
        """At the tool point, in the axes of the arm's base: force [N], torque [N m].

        None if nothing touches it. As of the last step of the physics.
        """
        pushes = []
        if self._data.ncon:
            pushes += self._contacts()
        if self._applied.any():
            pushes += zip(self._applied[:, :3], self._applied[:, 3:], self._centres, strict=True)
        if not pushes:
            return None
        force, torque, tool = np.zeros(3), np.zeros(3), self._tool.tolist()
        for pushed, turned, at in pushes:
            (x, y, z), (fx, fy, fz) = at.tolist(), pushed.tolist()
            x, y, z = x - tool[0], y - tool[1], z - tool[2]
            force += pushed
            torque += turned
            torque += (y * fz - z * fy, z * fx - x * fz, x * fy - y * fx)
        fx, fy, fz = force.dot(self._base).tolist()
        tx, ty, tz = torque.dot(self._base).tolist()
        return (fx, fy, fz, tx, ty, tz)

    def _contacts(self) -> list[tuple[Array, Array, Array]]:
        """Force and torque on the tool and where they act, of each contact; all in the world's axes."""
        contacts = self._data.contact
        own = self._is_tool[contacts.geom]  # (ncon, 2)
        touching = np.flatnonzero(own[:, 0] != own[:, 1]).tolist()
        if not touching:
            return []
        frames, places = contacts.frame, contacts.pos
        pushes = []
        for number in touching:
            mujoco.mj_contactForce(self._model, self._data, number, self._contact)
            # The contact's axes are rows; the first points to the second geom, which the force pushes.
            both = self._contact.reshape(2, 3).dot(frames[number].reshape(3, 3))
            if not own[number, 1]:
                both = -both
            pushes.append((both[0], both[1], places[number]))
        return pushes


def _is_below(model: mujoco.MjModel, body: int, ancestor: int) -> bool:
    while body > ancestor:
        body = int(model.body_parentid[body])
    return body == ancestor
