"""Fills the record that goes out as a state packet. Says what the box knows; decides nothing."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from resources.fci_sim.contacts import Contacts
from resources.fci_sim.end_effector import EndEffector
from resources.fci_sim.flags import Flag
from resources.fci_sim.motion import Reference
from resources.fci_sim.physics import TIMESTEP_S, ArmPhysics
from resources.fci_sim.rotation import columns
from resources.fci_sim.wire import STATE, Mode, StateController, StateGenerator

Array = NDArray[np.float64]


class StateRecord:
    """One arm's state packet, filled anew each time."""

    def __init__(self, physics: ArmPhysics, end_effector: EndEffector, contacts: Contacts) -> None:
        self._physics = physics
        self._end_effector = end_effector
        self._contacts = contacts
        self._record = np.zeros(1, STATE)
        assert STATE.names is not None
        # Views into the record: looking a field up by name would cost more than writing it.
        self._of = {name: self._record[name][0:1].reshape(-1) for name in STATE.names}
        self._last_torque: Array = np.zeros(7)
        self._of["O_ddP_O"][2] = physics.model.opt.gravity[2]
        self.renew_settings()

    def renew_settings(self) -> None:
        """The client has set a frame or the load."""
        of, end = self._of, self._end_effector
        of["F_T_EE"][:] = columns(end.F_T_EE)
        of["EE_T_K"][:] = columns(end.EE_T_K)
        of["F_T_NE"][:] = columns(end.F_T_NE)
        of["NE_T_EE"][:] = columns(end.NE_T_EE)
        of["m_ee"][:] = end.inertia.mass
        of["I_ee"][:] = end.hand_tensor
        of["F_x_Cee"][:] = end.inertia.centre
        of["m_load"][:] = end.load_kg
        of["I_load"][:] = end.load_inertia
        of["F_x_Cload"][:] = end.F_x_load

    def renew_mode(
        self,
        mode: Mode,
        generator: StateGenerator,
        controller: StateController,
        errors: Iterable[Flag],
        reasons: Iterable[Flag],
    ) -> None:
        """What the arm is doing, what is wrong now, and what ended the last motion."""
        of = self._of
        of["mode"][:], of["generator"][:], of["controller"][:] = mode, generator, controller
        for name, flags in (("errors", errors), ("reflex_reason", reasons)):
            of[name][:] = 0
            of[name][list(flags)] = 1

    def fill(
        self, message_id: int, reference: Reference | None, tau_d: Array, pose: Array, success_rate: float
    ) -> bytes:
        """The packet. Without a `reference` the arm is wanted where it is.

        Args:
            tau_d: (7,) wanted torque without the weight [N m].
            pose: (4, 4) base_T_EE as measured.
        """
        of, physics, contacts = self._of, self._physics, self._contacts
        q, dq, torque = physics.q, physics.dq, physics.motor_torque()
        here = columns(pose)
        of["message_id"][:] = message_id
        of["success_rate"][:] = success_rate
        of["q"][:] = of["theta"][:] = q
        of["dq"][:] = of["dtheta"][:] = dq
        of["tau_J"][:] = torque
        of["dtau_J"][:] = (torque - self._last_torque) / TIMESTEP_S
        self._last_torque = torque
        of["tau_J_d"][:] = tau_d
        of["O_T_EE"][:] = here
        elbow = of["elbow"]
        elbow[0], elbow[1] = q[2], 1.0 if q[3] >= 0 else -1.0
        if reference is None:
            of["q_d"][:], of["dq_d"][:], of["ddq_d"][:] = q, dq, 0.0
            of["O_T_EE_d"][:] = of["O_T_EE_c"][:] = here
            for name in ("O_dP_EE_d", "O_dP_EE_c", "O_ddP_EE_c"):
                of[name][:] = 0.0
            of["elbow_d"][:] = of["elbow_c"][:] = elbow
        else:
            of["q_d"][:], of["dq_d"][:], of["ddq_d"][:] = reference.q, reference.dq, reference.ddq
            of["O_T_EE_d"][:] = of["O_T_EE_c"][:] = columns(reference.pose)
            of["O_dP_EE_d"][:] = of["O_dP_EE_c"][:] = reference.twist
            of["O_ddP_EE_c"][:] = reference.acceleration
            wanted = (reference.q[2], 1.0 if reference.q[3] >= 0 else -1.0)
            of["elbow_d"][:] = of["elbow_c"][:] = wanted
        of["tau_ext_hat_filtered"][:] = contacts.torque
        of["O_F_ext_hat_K"][:], of["K_F_ext_hat_K"][:] = contacts.base_wrench, contacts.own_wrench
        of["joint_contact"][:], of["joint_collision"][:] = contacts.joint_contact, contacts.joint_collision
        of["cartesian_contact"][:] = contacts.cartesian_contact
        of["cartesian_collision"][:] = contacts.cartesian_collision
        return self._record.tobytes()

    def spoil(self, packet: bytes, fields: Iterable[str]) -> bytes:
        """The same packet with NaN in some of its fields."""
        record = np.frombuffer(packet, STATE).copy()
        for name in fields:
            record[name] = np.nan
        return record.tobytes()
