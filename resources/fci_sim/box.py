"""One arm's control box as a pure state machine: requests and commands in, replies and states out.

No sockets, no clock: `server.py` calls `request`, `step` and `packet`, and `send` takes the replies.
Every `step` is one millisecond of the arm's own time. What is answered to requests is in `clerk.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from hashlib import blake2b

import numpy as np
from numpy.typing import ArrayLike, NDArray

from resources.fci_sim.arm_motion import ArmMotion, MoveRequest
from resources.fci_sim.clerk import Clerk
from resources.fci_sim.contacts import Contacts
from resources.fci_sim.controllers import InternalControllers
from resources.fci_sim.end_effector import EndEffector
from resources.fci_sim.faults import CloseTcp, FaultPlan, Reflex, in_words
from resources.fci_sim.flags import Flag, flag_named
from resources.fci_sim.limits import Limits
from resources.fci_sim.motion import Reference
from resources.fci_sim.physics import TIMESTEP_S, ArmPhysics, Scene
from resources.fci_sim.settings import Settings
from resources.fci_sim.standstill import Standing
from resources.fci_sim.state_record import StateRecord
from resources.fci_sim.wire import (
    MESSAGE_ID_SIZE,
    Command,
    Mode,
    MoveStatus,
    Request,
    RobotCommand,
    StateController,
    StateGenerator,
    reply,
)

Array = NDArray[np.float64]


class ArmBox:
    """One arm.

    Args:
        scene: what the arm starts with.
        plan: what is wrong with it, and when.
        send: takes a reply for the connected client.
        tell: takes what happens, in words.
    """

    def __init__(
        self,
        scene: Scene,
        plan: FaultPlan,
        send: Callable[[bytes], None],
        tell: Callable[[str], None],
    ) -> None:
        self.plan = plan
        self._send = send
        self._tell = tell
        self.physics = ArmPhysics(scene)
        self._end_effector = EndEffector(self.physics)
        self.limits = Limits(self.physics.limits)
        self._contacts = Contacts(self.physics, self._end_effector)
        self._controllers = InternalControllers(self.physics, self._end_effector)
        self._settings = Settings(self._end_effector, self._contacts, self._controllers)
        self._record = StateRecord(self.physics, self._end_effector, self._contacts)
        self._reference = Reference(self.physics.q, self._end_effector)
        self._standing = Standing(
            self.physics,
            self.limits,
            self._reference,
            InternalControllers(self.physics, self._end_effector),
        )
        self.motion: ArmMotion | None = None
        self.mode = Mode.IDLE
        self.errors: tuple[Flag, ...] = ()
        self.last_errors: tuple[Flag, ...] = ()
        self._clerk = Clerk(self, self._settings, send, tell)
        self._pose: Array = self._end_effector.pose()
        self._torque: Array | list[float] = np.zeros(7)
        self._digest = blake2b(digest_size=16)
        self._is_fresh = False
        self.digested = 0
        self.missed = 0  # commands, in all motions that are over
        self.message_id = 0
        self.now_s = 0.0
        self.steps = 0
        self.hangs_up = False  # a fault wants the connection closed; whoever closes it sets it back
        self._tell_mode()
        self.meet_faults()

    # --- what the server asks ---------------------------------------------------------------------

    @property
    def digest(self) -> str:
        """Of all states during motions since the start, without message ids: 32 hexadecimal digits."""
        return self._digest.hexdigest()

    @property
    def is_ready(self) -> bool:
        """Whether a motion could begin: none runs, and the arm rests or has long been led to rest."""
        return self.motion is None and self._standing.is_ready

    @property
    def needs_time(self) -> bool:
        """Whether something goes on that no command drives: a push, guiding, an asynchronous target."""
        if self.motion is not None:
            return self.motion.asked.is_asynchronous
        return self._standing.is_guided or self.plan.is_silent or self.plan.wrench() is not None

    def request(self, request: Request) -> bool:
        """Answer a request; False if the client may not stay connected."""
        return self._clerk.request(request)

    def leave(self) -> None:
        """The client is gone: its motion ends, its settings stay."""
        self._clerk.forget()
        if self.motion is not None:
            self.end(MoveStatus.ABORTED, "the client is gone", answer=False)

    def guide(self, on: bool) -> None:
        """A person takes the arm by the hand, or lets go; moving arms cannot be guided."""
        if self.motion is None and self.mode in (Mode.IDLE, Mode.GUIDING):
            self._standing.is_guided = on
            self.mode = Mode.GUIDING if on else Mode.IDLE
            self._standing.stay()
            self._tell("a person guides the arm" if on else "the arm is guided no longer")
            self._tell_mode()

    def place(self, q: ArrayLike) -> None:
        """Put the arm into a posture (7,), at rest; a motion ends."""
        if self.motion is not None:
            self.end(MoveStatus.ABORTED, "the arm was put elsewhere")
        self.physics.place(q)
        self._contacts.forget()
        self._standing.stay()
        self._pose = self._end_effector.pose()

    def step(self, command: RobotCommand | None = None, finger_force: float = 0.0) -> None:
        """One millisecond on, with the command for it, if there is one."""
        self.steps += 1
        self.now_s = self.steps * TIMESTEP_S
        self.meet_faults()
        motion = self.motion
        self._is_fresh = motion is not None
        torque = self._standing.torque() if motion is None else self._led(motion, command)
        self._push(torque, finger_force)
        self._pose = self._end_effector.pose()
        self._feel()
        self._clerk.answer_those_who_wait()

    def packet(self) -> bytes:
        """The state as it is now, under the next message id."""
        self.message_id += 1
        motion = self.motion
        packet = self._record.fill(
            self.message_id,
            self._reference if motion is None else motion.reference,
            np.asarray(self._torque) + self.physics.damping_torque(),
            self._pose,
            0.0 if motion is None else motion.success_rate,
        )
        if self._is_fresh:
            self._is_fresh = False
            self._digest.update(packet[MESSAGE_ID_SIZE:])
            self.digested += 1
        fields = self.plan.nan_fields()
        return self._record.spoil(packet, fields) if fields else packet

    # --- what requests change -----------------------------------------------------------------------

    def renew_settings(self) -> None:
        """Something was set: from now on states show it."""
        self._record.renew_settings()
        self._pose = self._end_effector.pose()
        self._reference.pose = self._end_effector.pose_at(self._reference.q)

    def begin_recovery(self) -> None:
        """A reflex is being recovered from, until the arm rests."""
        self.mode = Mode.RECOVERY if self.mode is Mode.REFLEX else self.mode
        self._tell_mode()

    def end_recovery(self) -> None:
        """It rests; a motion may begin."""
        if self.mode is Mode.RECOVERY:
            self.mode, self.errors = Mode.IDLE, ()
            self._tell("recovered")
            self._tell_mode()

    @property
    def is_within_limits(self) -> bool:
        """Whether each joint is where it may be; else it has to be moved by hand."""
        q = self.physics.q
        return bool(((q >= self.limits.lower) & (q <= self.limits.upper)).all())

    # --- motions ----------------------------------------------------------------------------------

    def begin(self, asked: MoveRequest) -> None:
        """A motion begins; the arm rests."""
        self._standing.lead_on()
        self.motion = ArmMotion(asked, self._reference, self.limits, self._end_effector, self._controllers)
        self.mode = Mode.MOVE
        self.last_errors = ()
        self.plan.motion_begins()
        self._tell(f"motion begins: {asked}")
        self._tell_mode()
        # The packet with the new mode has to be under way when the client reads the reply: `server.py`.
        self._send(reply(Command.MOVE, asked.id, MoveStatus.MOTION_STARTED))

    def _led(self, motion: ArmMotion, command: RobotCommand | None) -> Array | list[float]:
        if command is not None and not _is_finite(command):
            self.end(MoveStatus.INVALID_INPUT, "a command is not finite")
            return self._standing.torque()
        flag = motion.advance(command)
        ends = command is not None and (command.motion_finished or command.torque_finished)
        if flag is None and ends:
            flag = motion.finish()
        if flag is None and not ends:
            return motion.torque
        if flag is None:
            self.end(MoveStatus.SUCCESS, "finished by the client")
        else:
            self._reflex(flag)
        return self._standing.torque()

    def _reflex(self, flag: Flag) -> None:
        assert self.motion is not None
        detail = ""
        if flag is Flag.COMMUNICATION_CONSTRAINTS_VIOLATION:
            detail = f" ({self.motion.missed_in_row} commands missing in a row)"
        self.end(MoveStatus.REFLEX, f"reflex {flag.label}{detail}", flag)

    def end(self, status: MoveStatus, why: str, flag: Flag | None = None, *, answer: bool = True) -> None:
        """The motion ends, with a reflex if there is a flag; its Move is answered."""
        motion = self.motion
        assert motion is not None
        self.motion = None
        self.missed += motion.missed
        self.plan.motion_ends()
        self.mode = Mode.IDLE
        if flag is not None:
            self.mode, self.errors, self.last_errors = Mode.REFLEX, (flag,), (flag,)
        self._standing.brake(from_reference=motion.reference is not None and flag is None)
        self._tell(f"motion ends after {motion.steps} ms, {motion.missed} commands missing: {why}")
        self._tell_mode()
        if answer:
            self._send(reply(Command.MOVE, motion.id, status))

    # --- the arm itself ---------------------------------------------------------------------------

    def _push(self, torque: Array | list[float], finger_force: float) -> None:
        self._torque = torque
        end = self._end_effector
        if end.load_kg:
            torque = np.asarray(torque) + end.load_weight()
        wrench = self.plan.wrench()
        if wrench is not None:
            self.physics.wrench[:] = wrench
        at = None if wrench is None else self._pose[:3, 3].copy()
        self.physics.step(torque, finger_force, push_at=at)

    def _feel(self) -> None:
        """What is measured, and the reflexes that follow from it."""
        motion, physics = self.motion, self.physics
        end = self._end_effector
        unknown = None
        if end.load_kg or physics.scene.payload_kg:
            unknown = physics.payload_weight() - end.load_weight()
        reference = None if motion is None else motion.reference
        flag = self._contacts.update(self._pose, unknown, None if reference is None else reference.ddq)
        if motion is None:
            return
        measured = self.limits.measured(physics.q, physics.dq, physics.flange_twist())
        if measured is None and physics.touches_itself():
            measured = Flag.SELF_COLLISION_AVOIDANCE_VIOLATION
        if measured is None and motion.strays(self._pose):
            measured = Flag.MAX_PATH_POSE_DEVIATION_VIOLATION
        flag = flag if measured is None else measured
        if flag is not None:
            self._reflex(flag)

    def meet_faults(self) -> None:
        """Faults that are due begin or end; `step` does it too, but time may stand still."""
        for fault in self.plan.advance(self.now_s):
            self._tell(f"fault begins: {in_words(fault)}")
            if isinstance(fault, Reflex) and self.motion is not None:
                flag = flag_named(fault.flag)
                assert flag is not None
                self._reflex(flag)
            self.hangs_up |= isinstance(fault, CloseTcp)
        stopped = self.plan.is_user_stopped
        if stopped and self.mode is not Mode.USER_STOPPED:
            if self.motion is not None:
                self.end(MoveStatus.USER_STOP, "the stop button is down")
            self.mode = Mode.USER_STOPPED
            self._tell_mode()
        elif not stopped and self.mode is Mode.USER_STOPPED:
            self.mode, self.errors = Mode.IDLE, ()
            self._tell("the stop button is released")
            self._tell_mode()

    def _tell_mode(self) -> None:
        motion = self.motion
        self._record.renew_mode(
            self.mode,
            StateGenerator.IDLE if motion is None else motion.state_generator,
            StateController.OTHER if motion is None else motion.state_controller,
            self.errors,
            self.last_errors,
        )


def _is_finite(command: RobotCommand) -> bool:
    values = (*command.q, *command.dq, *command.pose, *command.twist, *command.elbow, *command.tau)
    return math.isfinite(sum(values))
