"""A simulated world as a pure stepping core: mechanisms with their controllers, in step with the physics.

No clock, no process, no shared memory, no lease: `now_s` comes from the caller, who paces the steps and
commands the controllers (`resources.controllers.loop`). What a world is made of says its scene.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from framework.errors import CommandRefused, DescriptionError
from resources.arms.arm import arm_tree
from resources.arms.pose import Pose, Vector3, rotation_matrix, to_mujoco
from resources.controllers.protective_field import Outline
from resources.types.motion import ControllerKind
from resources.worlds import bench, inspection
from resources.worlds.arm_part import ArmOptions, ArmPart
from resources.worlds.base_part import BasePart
from resources.worlds.described import built
from resources.worlds.door import STATES as DOOR_STATES
from resources.worlds.door import THING as DOOR
from resources.worlds.door import Door
from resources.worlds.gripper_part import GripperPart
from resources.worlds.guarding import arm_guards
from resources.worlds.hand import Hand
from resources.worlds.leading import MOST_M
from resources.worlds.marker import TARGET_BODY
from resources.worlds.mounted_arm import MountedArm
from resources.worlds.part import WorldPart
from resources.worlds.robot import BASE_BODY, BASE_JOINTS, LENGTH_M, WIDTH_M, mounted_arms
from resources.worlds.scene import Scene
from resources.worlds.scene_file import read_scene
from resources.worlds.state_vector import body_pose, located_things, signature, state_size, write_state
from resources.worlds.target_path import TargetPath
from resources.worlds.things import Thing, ThingKind

_TARGET_STEPS = 5  # a marked plate is moved every so often: it touches nothing, and cameras are slower


class World:
    """What moves in a scene, stepped. Deterministic: same seed and calls, same states, bit for bit.

    Args:
        arms: those that stand in the scene, each with its gripper; a base and a door are found by name.
        path: of the target, if the scene has one.
        options: of arms, by prefix.

    `arms` and `grippers` are by prefix; `base` is None where there is none.
    """

    def __init__(
        self,
        scene: Scene,
        arms: Sequence[MountedArm] = (),
        path: TargetPath | None = None,
        *,
        options: Mapping[str, ArmOptions] | None = None,
    ) -> None:
        self.scene = scene
        self.model = model = scene.compile()
        self.data = data = mujoco.MjData(model)
        self.steps = 0
        self._signature = signature(scene)
        self._definitions = tuple(scene.things)
        self._timestep_s = float(model.opt.timestep)
        chosen = {arm.prefix: (options or {}).get(arm.prefix, ArmOptions()) for arm in arms}
        walls = arm_guards(model, data, arms, {prefix: each.surroundings for prefix, each in chosen.items()})
        self.arms = {
            arm.prefix: ArmPart(model, data, arm, chosen[arm.prefix], walls.get(arm.prefix)) for arm in arms
        }
        self.grippers = {arm.prefix: GripperPart(model, data, arm.prefix, arm.width_m) for arm in arms}
        self._hands = {arm.prefix: Hand(model, data, arm.prefix) for arm in arms}
        self.base: BasePart | None = None
        if _has(model, mujoco.mjtObj.mjOBJ_JOINT, BASE_JOINTS[0]):
            self.base = BasePart(model, data, BASE_JOINTS, BASE_BODY, Outline(LENGTH_M, WIDTH_M))
        self._door = Door(model, data) if _has(model, mujoco.mjtObj.mjOBJ_BODY, DOOR) else None
        self._path = path
        self._target = int(model.body(TARGET_BODY).mocapid[0]) if path is not None else -1
        self._move_target()
        mujoco.mj_forward(model, data)

    @classmethod
    def inspection(
        cls, seed: int = 0, *, loose_cups: bool = False, options: Mapping[str, ArmOptions] | None = None
    ) -> World:
        """A mobile robot with two arms in a room; `seed` varies cups and target, loose cups can be moved."""
        scene = inspection.inspection_scene(seed, loose_cups=loose_cups)
        return cls(scene, mounted_arms(), TargetPath.seeded(seed), options=options)

    @classmethod
    def bench(cls, seed: int = 0, *, options: Mapping[str, ArmOptions] | None = None) -> World:
        """One arm on a table with a block and a wall; `seed` moves the block."""
        prefix = bench.ARM_PREFIX
        arm = MountedArm(prefix, arm_tree(prefix), bench.HOME_POSTURE, width_m=bench.HOME_WIDTH_M)
        return cls(bench.bench_scene(seed), (arm,), options=options)

    @classmethod
    def described(cls, name: str, file: Path, *, options: Mapping[str, ArmOptions] | None = None) -> World:
        """Our mobile robot with two arms in the rooms of a scene file. Raises DescriptionError."""
        return cls(built(name, read_scene(file)), mounted_arms(), options=options)

    @classmethod
    def named(
        cls,
        name: str,
        seed: int = 0,
        *,
        loose_cups: bool = False,
        scene: str = "",
        options: Mapping[str, ArmOptions] | None = None,
    ) -> World:
        """One of our worlds, or with a `scene` that which the file describes (`described`).

        Raises DescriptionError if there is none of this name, or for what is wrong in the file.
        """
        if scene:
            return cls.described(name, Path(scene), options=options)
        worlds: dict[str, Callable[[], World]] = {
            inspection.NAME: lambda: cls.inspection(seed, loose_cups=loose_cups, options=options),
            bench.NAME: lambda: cls.bench(seed, options=options),
        }
        if name not in worlds:
            raise DescriptionError(f"there is no world {name!r}; there are: {', '.join(worlds)}")
        return worlds[name]()

    @property
    def time_s(self) -> float:
        """Simulated time."""
        return float(self.data.time)

    @property
    def timestep_s(self) -> float:
        """Simulated time of one step."""
        return self._timestep_s

    @property
    def parts(self) -> tuple[WorldPart, ...]:
        """All mechanisms, in the order in which they are ticked."""
        base: tuple[WorldPart, ...] = () if self.base is None else (self.base,)
        return (*base, *self.arms.values(), *self.grippers.values())

    def part(self, kind: ControllerKind, prefix: str) -> WorldPart:
        """One mechanism. Raises DescriptionError if the world has none like it."""
        for part in self.parts:
            if (part.kind, part.prefix) == (kind, prefix):
                return part
        there_are = ", ".join(f"{part.kind.value} {part.prefix!r}" for part in self.parts)
        raise DescriptionError(
            f"the world {self.scene.name!r} has no {kind.value} whose names begin with {prefix!r}; "
            f"it has: {there_are}"
        )

    def step(
        self,
        count: int = 1,
        *,
        now_s: float | None = None,
        broke: Callable[[WorldPart, Exception, float], None] | None = None,
    ) -> None:
        """Advance by `count` steps.

        Args:
            now_s: the present on the commands' clock (default: simulated time).
            broke: is told of whatever one mechanism raises, and when, and all others go on; without it that
                ends the step.
        """
        model, data, dt_s = self.model, self.data, self._timestep_s
        parts = self.parts
        offset_s = 0.0 if now_s is None else now_s - float(data.time)
        for _ in range(count):
            present_s = float(data.time) + offset_s
            if self.steps % _TARGET_STEPS == 0:
                self._move_target()
            for part in parts:
                try:
                    part.tick(present_s, dt_s)
                except Exception as error:
                    if broke is None:
                        raise
                    broke(part, error, present_s)
            if self._door is not None:
                self._door.tick(data)
            for hand in self._hands.values():
                hand.tick()
            mujoco.mj_step(model, data)
            self.steps += 1

    def base_pose(self) -> Pose:
        """Of the mobile base in the world frame."""
        return body_pose(self.data, BASE_BODY)

    def things(self) -> list[Thing]:
        """The named things where they are now."""
        return located_things(self._definitions, self.data)

    def sensed(self) -> list[Thing]:
        """Those that sensors of their own know about: what is a robot's, and what has a state."""
        definitions = [
            each for each in self._definitions if each.kind is ThingKind.ROBOT or self.states_of(each.name)
        ]
        return located_things(tuple(definitions), self.data)

    def states_of(self, thing: str) -> tuple[str, ...]:
        """What a named thing can be; nothing of most."""
        return DOOR_STATES if thing == DOOR and self._door is not None else ()

    def state_of(self, thing: str) -> str:
        """What it is now, of its states; "" if it has none."""
        return self._door.state(self.data) if thing == DOOR and self._door is not None else ""

    def put(self, thing: str, state: str) -> None:
        """Somebody in the room brings a thing into a state; it takes its time.

        Raises:
            CommandRefused: there is no such thing, or it cannot be that. Nothing has changed then.
        """
        if self._door is None:
            raise CommandRefused(f"{thing!r} cannot be made {state!r}; nothing here has states")
        if state not in self.states_of(thing):
            raise CommandRefused(
                f"{thing!r} cannot be made {state!r}; what can be done is: {DOOR} {' or '.join(DOOR_STATES)}"
            )
        self._door.put(state, self.data)

    def lead(self, prefix: str, way: Vector3) -> None:
        """Somebody takes an arm by its tool and leads it by `way` [m], in the robot's axes: ahead, left, up.

        Raises:
            CommandRefused: there is no such arm, or nobody leads so far at once.
        """
        if prefix not in self._hands:
            raise CommandRefused(f"there is no arm whose names begin with {prefix!r} to take by the hand")
        length = float(np.linalg.norm(way))
        if not 0.0 < length <= MOST_M:
            raise CommandRefused(f"a hand leads above 0 to {MOST_M:g} m at once, not {length:g} m")
        turn = np.eye(3) if self.base is None else rotation_matrix(self.base_pose().quaternion)
        x, y, z = turn.dot(np.array(way)).tolist()
        self._hands[prefix].lead((x, y, z))

    def state(self, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The state vector (see `state_vector`), into `out` if given."""
        vector = np.empty(state_size(self.model)) if out is None else out
        return write_state(self.model, self.data, self._signature, self.steps, vector)

    def digest(self) -> str:
        """Hash of the state: equal runs have equal digests."""
        return hashlib.sha256(self.state().tobytes()).hexdigest()

    def _move_target(self) -> None:
        if self._path is None:
            return
        pose = self._path.pose(float(self.data.time))
        self.data.mocap_pos[self._target] = pose.position
        self.data.mocap_quat[self._target] = to_mujoco(pose.quaternion)


def _has(model: mujoco.MjModel, kind: mujoco.mjtObj, name: str) -> bool:
    return int(mujoco.mj_name2id(model, kind, name)) >= 0
