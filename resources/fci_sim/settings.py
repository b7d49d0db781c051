"""The setters of the control interface: each checks its fields and changes one thing about the arm.

`apply` returns what is wrong in words; nothing has changed then.
"""

from __future__ import annotations

import math

import numpy as np

from resources.fci_sim.contacts import Contacts, Thresholds
from resources.fci_sim.controllers import (
    MOST_CARTESIAN_STIFFNESS,
    MOST_JOINT_STIFFNESS,
    InternalControllers,
)
from resources.fci_sim.end_effector import EndEffector
from resources.fci_sim.rotation import is_transform, transform
from resources.fci_sim.wire import Command, Request, Values

SETTERS = frozenset(
    {
        Command.SET_COLLISION_BEHAVIOR,
        Command.SET_JOINT_IMPEDANCE,
        Command.SET_CARTESIAN_IMPEDANCE,
        Command.SET_GUIDING_MODE,
        Command.SET_EE_TO_K,
        Command.SET_NE_TO_EE,
        Command.SET_LOAD,
    }
)

_MOST_LOAD_KG = 20.0


class Settings:
    """What a client may set about one arm."""

    def __init__(
        self, end_effector: EndEffector, contacts: Contacts, controllers: InternalControllers
    ) -> None:
        self._end_effector = end_effector
        self._contacts = contacts
        self._controllers = controllers
        # x y z, their rotations, elbow. Kept only: an arm that is guided here is free in all of them.
        self.guiding: tuple[bool, ...] = (True,) * 7

    def apply(self, request: Request) -> str:
        """Carry out a setter; returns "" or what is wrong with it."""
        fields = request.fields
        if not all(math.isfinite(value) for value in fields):
            return "not all its numbers are finite"
        match request.command:
            case Command.SET_COLLISION_BEHAVIOR:
                return self._collisions(fields)
            case Command.SET_JOINT_IMPEDANCE:
                if not all(0.0 <= value <= MOST_JOINT_STIFFNESS for value in fields):
                    return f"joint stiffness goes from 0 to {MOST_JOINT_STIFFNESS:g} N m/rad, not {fields}"
                self._controllers.joint_stiffness = np.array(fields)
            case Command.SET_CARTESIAN_IMPEDANCE:
                limits = zip(fields, MOST_CARTESIAN_STIFFNESS, strict=True)
                if not all(0.0 <= value <= most for value, most in limits):
                    return f"Cartesian stiffness goes from 0 to 3000 N/m and 300 N m/rad, not {fields}"
                self._controllers.cartesian_stiffness = np.array(fields)
            case Command.SET_GUIDING_MODE:
                self.guiding = tuple(bool(value) for value in fields)
            case Command.SET_EE_TO_K | Command.SET_NE_TO_EE:
                return self._frame(request.command, fields)
            case Command.SET_LOAD:
                return self._load(fields)
            case _:
                raise AssertionError(f"{request.command.name} sets nothing")
        return ""

    def _collisions(self, fields: Values) -> str:
        if min(fields) < 0.0:
            return "thresholds are at least 0"
        torques, forces = (
            [fields[n : n + 7] for n in (0, 7, 14, 21)],
            [fields[n : n + 6] for n in (28, 34, 40, 46)],
        )
        sets = (*zip(torques[::2], torques[1::2], strict=True), *zip(forces[::2], forces[1::2], strict=True))
        for lower, upper in sets:
            if any(low > high for low, high in zip(lower, upper, strict=True)):
                return f"lower thresholds are at most the upper ones, not {lower} with {upper}"
        accelerating = Thresholds(torques[0], torques[1], forces[0], forces[1])
        self._contacts.set(Thresholds(torques[2], torques[3], forces[2], forces[3]), accelerating)
        return ""

    def _frame(self, command: Command, fields: Values) -> str:
        frame = transform(fields)
        if not is_transform(frame):
            return f"{fields} is no rigid transform, column after column"
        # It came as a client's rounded numbers; the axes of a frame have to be exact for what follows.
        left, _, right = np.linalg.svd(frame[:3, :3])
        frame[:3, :3] = left @ right
        if command is Command.SET_EE_TO_K:
            self._end_effector.EE_T_K = frame
        else:
            self._end_effector.shift(frame)
        return ""

    def _load(self, fields: Values) -> str:
        mass, centre, tensor = fields[0], np.array(fields[1:4]), np.array(fields[4:13])
        if not 0.0 <= mass <= _MOST_LOAD_KG:
            return f"a load weighs 0 to {_MOST_LOAD_KG:g} kg, not {mass:g}"
        square = tensor.reshape(3, 3)
        if np.abs(square - square.T).max() > 1e-9 or np.linalg.eigvalsh(square).min() < -1e-9:
            return "the load's inertia is no symmetric positive tensor"
        end = self._end_effector
        end.load_kg, end.F_x_load, end.load_inertia = mass, centre, tensor
        return ""
