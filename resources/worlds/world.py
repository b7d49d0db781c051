"""The simulated world as a pure stepping core: commands and time in, a state vector out.

No clock, no process, no shared memory: `now_s` comes from the caller, who also paces the steps.
Motion is stopped here: commands that have grown old, safe stops and the latched emergency stop act
in the very step that moves, whatever the rest of the installation is doing.
"""

from __future__ import annotations

import hashlib
import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from framework.errors import CommandRefused
from resources.arms.joint_posture import ArmLaw, Joints
from resources.arms.pose import Pose, to_mujoco
from resources.worlds.arm_part import ArmPart
from resources.worlds.base_drive import BaseDrive
from resources.worlds.commands import (
    ARMS,
    BASE_LIMITS,
    COMMAND_TIMEOUT_S,
    BaseVelocity,
    Command,
    GripperWidth,
    Part,
    check,
    part_of,
)
from resources.worlds.door import STATES as DOOR_STATES
from resources.worlds.door import THING as DOOR
from resources.worlds.door import Door
from resources.worlds.inspection import inspection_scene
from resources.worlds.marker import TARGET_BODY
from resources.worlds.robot import BASE_BODY, BASE_JOINTS, HOME_POSTURE
from resources.worlds.scene import Scene
from resources.worlds.state_vector import body_pose, located_things, signature, state_size, write_state
from resources.worlds.target_path import TargetPath
from resources.worlds.things import Thing, ThingKind


class World:
    """The inspection robot in its room. Deterministic: same seed and calls, same states, bit for bit."""

    def __init__(self, scene: Scene, path: TargetPath) -> None:
        self.scene = scene
        self.model = scene.compile()
        self.data = mujoco.MjData(self.model)
        self.steps = 0
        self.emergency = False
        self._signature = signature(scene)
        self._definitions = tuple(scene.things)
        self._path = path
        self._timestep_s = float(self.model.opt.timestep)
        self._drive = BaseDrive(BASE_LIMITS)
        self._arms = {part: ArmPart(self.model, part.prefix, HOME_POSTURE, width_m=0.06) for part in ARMS}
        self._stamps: dict[Part, float] = {}  # parts in motion by command, with their last command's time
        self._not_before: dict[Part, float] = {}  # what was given earlier than this is void
        self._now_s = 0.0
        self._base_motors = [int(self.model.actuator(name).id) for name in BASE_JOINTS]
        self._yaw = int(self.model.joint(BASE_JOINTS[2]).qposadr[0])
        self._target = int(self.model.body(TARGET_BODY).mocapid[0])
        for arm in self._arms.values():
            arm.reset(self.data)
        self._door = Door(self.model, self.data)
        self._move_target()
        mujoco.mj_forward(self.model, self.data)

    @staticmethod
    def inspection(seed: int = 0, *, loose_cups: bool = False) -> World:
        """The world `inspection`; `seed` varies cups and target path, `loose_cups` lets cups be moved."""
        return World(inspection_scene(seed, loose_cups=loose_cups), TargetPath.seeded(seed))

    @property
    def time_s(self) -> float:
        """Simulated time."""
        return float(self.data.time)

    @property
    def timestep_s(self) -> float:
        """Simulated time of one step."""
        return self._timestep_s

    @property
    def moving_parts(self) -> frozenset[Part]:
        """Parts that follow a command stream now."""
        return frozenset(self._stamps)

    def command(self, command: Command, *, now_s: float | None = None) -> None:
        """Follow a command until it is replaced, repeated no more, or stopped.

        Args:
            now_s: the present on the commands' clock (default: that of the last step).

        Raises:
            CommandRefused: out of limits, too old, given before the one followed or before the last
                stop, or the emergency stop is latched. Nothing has changed then.
        """
        check(command)
        part = part_of(command)
        now_s = self._now_s if now_s is None else now_s
        if self.emergency:
            raise CommandRefused(f"{part.value} is under emergency stop; reset it first, which moves nothing")
        oldest_s = max(self._not_before.get(part, -math.inf), now_s - COMMAND_TIMEOUT_S)
        if command.stamp_s < oldest_s:
            raise CommandRefused(
                f"command for {part.value} was given at {command.stamp_s:.3f} s; after the last command, "
                f"stop and time-out only those from {oldest_s:.3f} s on count: send a fresh one"
            )
        if isinstance(command, BaseVelocity):
            self._drive.go(command.forward, command.left, command.turn)
        else:
            self._arms[command.arm].take(command, self.data)
        if not isinstance(command, GripperWidth):
            # A stamp from the future would outlive its sender: it counts as given now.
            self._stamps[part] = self._not_before[part] = min(command.stamp_s, now_s)

    def use_law(self, arm: Part, law: ArmLaw | None, *, stamp_s: float = 0.0) -> None:
        """Let `law` make an arm's torques in every step; None gives it back to the posture hold.

        A law watches its own targets' age; the world's time-out concerns posture and sweep commands.
        """
        if self.emergency and law is not None:
            raise CommandRefused(f"{arm.value} is under emergency stop; reset it first, which moves nothing")
        self._stamps.pop(arm, None)
        self._arms[arm].use_law(law, self.data)

    def safe_stop(self, *parts: Part) -> None:
        """Brake these parts (all, if none is named) and let arms hold where they come to rest."""
        for part in parts or tuple(Part):
            self._stamps.pop(part, None)
            # A command that was on its way when the stop came must not start the motion again.
            self._not_before[part] = max(self._not_before.get(part, self._now_s), self._now_s)
            if part is Part.BASE:
                self._drive.stop()
            else:
                self._arms[part].hold(self.data)

    def emergency_stop(self) -> None:
        """Stop everything and refuse every command until `reset_emergency_stop`; latched, may be repeated."""
        if not self.emergency:
            self.emergency = True
            for arm in ARMS:
                self._arms[arm].use_law(None, self.data)
            self.safe_stop()

    def reset_emergency_stop(self) -> None:
        """Accept commands again. Moves nothing: everything stays as it came to rest."""
        self.emergency = False

    def step(self, count: int = 1, *, now_s: float | None = None) -> None:
        """Advance by `count` steps; `now_s`: the present on the commands' clock (default: simulated time)."""
        model, data, dt_s = self.model, self.data, self._timestep_s
        offset_s = 0.0 if now_s is None else now_s - float(data.time)
        for _ in range(count):
            self._now_s = float(data.time) + offset_s
            self._stop_what_is_stale(self._now_s)
            self._move_target()
            self._drive_base(dt_s)
            for arm in self._arms.values():
                arm.tick(data, dt_s)
            self._door.tick(data)
            mujoco.mj_step(model, data)
            self.steps += 1
        self._now_s = float(data.time) + offset_s

    def measured_joints(self, arm: Part) -> tuple[Joints, Joints]:
        """Positions [rad] and velocities [rad/s] of an arm, (7,) each."""
        return self._arms[arm].measured(self.data)

    def base_velocity(self) -> tuple[float, float, float]:
        """Measured velocity in the base frame: forward, left [m/s], turn [rad/s]."""
        vx, vy, turn = (float(self.data.joint(name).qvel[0]) for name in BASE_JOINTS)
        cos, sin = math.cos(float(self.data.qpos[self._yaw])), math.sin(float(self.data.qpos[self._yaw]))
        return (cos * vx + sin * vy, cos * vy - sin * vx, turn)

    def base_pose(self) -> Pose:
        """Odometry: pose of the base in the world frame."""
        return body_pose(self.data, BASE_BODY)

    def things(self) -> list[Thing]:
        """The named things where they are now."""
        return located_things(self._definitions, self.data)

    def sensed(self) -> list[Thing]:
        """Those that sensors of their own know about: what is a robot's, and what has a state."""
        definitions = [
            each for each in self._definitions if each.kind is ThingKind.ROBOT or each.name == DOOR
        ]
        return located_things(tuple(definitions), self.data)

    def states_of(self, thing: str) -> tuple[str, ...]:
        """What a named thing can be; nothing of most."""
        return DOOR_STATES if thing == DOOR else ()

    def state_of(self, thing: str) -> str:
        """What it is now, of its states; "" if it has none."""
        return self._door.state(self.data) if thing == DOOR else ""

    def put(self, thing: str, state: str) -> None:
        """Somebody in the room brings a thing into a state; it takes its time.

        Raises:
            CommandRefused: there is no such thing, or it cannot be that. Nothing has changed then.
        """
        if thing != DOOR or state not in DOOR_STATES:
            raise CommandRefused(
                f"{thing!r} cannot be made {state!r}; what can be done is: {DOOR} {' or '.join(DOOR_STATES)}"
            )
        self._door.put(state, self.data)

    def state(self, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The state vector (see `state_vector`), into `out` if given."""
        vector = np.empty(state_size(self.model)) if out is None else out
        return write_state(self.model, self.data, self._signature, self.steps, vector)

    def digest(self) -> str:
        """Hash of the state: equal runs have equal digests."""
        return hashlib.sha256(self.state().tobytes()).hexdigest()

    def _stop_what_is_stale(self, now_s: float) -> None:
        for part, stamp_s in list(self._stamps.items()):
            if now_s - stamp_s > COMMAND_TIMEOUT_S:
                self.safe_stop(part)

    def _move_target(self) -> None:
        pose = self._path.pose(float(self.data.time))
        self.data.mocap_pos[self._target] = pose.position
        self.data.mocap_quat[self._target] = to_mujoco(pose.quaternion)

    def _drive_base(self, dt_s: float) -> None:
        forward, left, turn = self._drive.advance(dt_s)
        yaw = float(self.data.qpos[self._yaw])
        cos, sin = math.cos(yaw), math.sin(yaw)
        control = self.data.ctrl
        x, y, rotation = self._base_motors
        control[x], control[y], control[rotation] = (
            cos * forward - sin * left,
            sin * forward + cos * left,
            turn,
        )
