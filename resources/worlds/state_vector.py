"""A world's whole state as one flat vector, and the mirror that loads it into a copy of the model.

The world process writes the vector to shared memory; each sensor process keeps a `Mirror` and loads
it. Layout (float64): [0] signature of the model, [1] step counter, [2:] MuJoCo's state of `SPEC`:
time, qpos, qvel, activation, mocap poses and whatever else full physics needs.
"""

from __future__ import annotations

import zlib

import mujoco
import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage
from resources.arms.pose import Pose, compose, from_mujoco
from resources.worlds.scene import Scene
from resources.worlds.things import Thing, ThingDefinition

SPEC = int(
    mujoco.mjtState.mjSTATE_FULLPHYSICS
    | mujoco.mjtState.mjSTATE_MOCAP_POS
    | mujoco.mjtState.mjSTATE_MOCAP_QUAT
)
_HEADER = 2


def signature(scene: Scene) -> int:
    """Checksum of a scene's document and files: states travel only between equal models."""
    checksum = zlib.crc32(scene.document.text().encode())
    for name in sorted(scene.document.files):
        checksum = zlib.crc32(scene.document.files[name], checksum)
    return checksum


def state_size(model: mujoco.MjModel) -> int:
    """Length of the vector."""
    return _HEADER + int(mujoco.mj_stateSize(model, SPEC))


def write_state(
    model: mujoco.MjModel, data: mujoco.MjData, model_signature: int, step: int, out: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Fill `out` (state_size,), which may lie in shared memory, and return it."""
    out[0] = model_signature
    out[1] = step
    mujoco.mj_getState(model, data, out[_HEADER:], SPEC)
    return out


class Mirror:
    """A copy of a world's model that follows states from outside. Holds no physics of its own."""

    def __init__(self, scene: Scene) -> None:
        """`scene` must be the world's: same seed, same options."""
        self.model = scene.compile()
        self.data = mujoco.MjData(self.model)
        self.signature = signature(scene)
        self.step = -1
        self._definitions = tuple(scene.things)
        self._size = state_size(self.model)
        mujoco.mj_kinematics(self.model, self.data)

    @property
    def time_s(self) -> float:
        """Simulated time of the loaded state."""
        return float(self.data.time)

    def load(self, state: NDArray[np.float64]) -> None:
        """Take over a state and place bodies, cameras and lights accordingly.

        Raises:
            MalformedMessage: wrong length, another model's, or not finite. Nothing has changed then.
        """
        if state.shape != (self._size,):
            raise MalformedMessage(f"world state has shape {state.shape}; this model's has ({self._size},)")
        if not np.isfinite(state).all():
            raise MalformedMessage("world state contains NaN or infinity; every entry must be finite")
        if int(state[0]) != self.signature:
            raise MalformedMessage(
                f"world state is of model {int(state[0]):#x}, this mirror has {self.signature:#x}; "
                "build both from the same world, seed and options"
            )
        self.step = int(state[1])
        mujoco.mj_setState(self.model, self.data, np.ascontiguousarray(state[_HEADER:]), SPEC)
        # Positions are all that sensors see; contacts and inertia are the world's business.
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)

    def body_pose(self, name: str) -> Pose:
        """Pose of a body in the world frame."""
        return body_pose(self.data, name)

    def things(self) -> list[Thing]:
        """The named things where they are now."""
        return located_things(self._definitions, self.data)


def body_pose(data: mujoco.MjData, name: str) -> Pose:
    """World pose of a body."""
    body = data.body(name)
    x, y, z = (float(value) for value in body.xpos)
    return Pose((x, y, z), from_mujoco(body.xquat))


def located_things(definitions: tuple[ThingDefinition, ...], data: mujoco.MjData) -> list[Thing]:
    """Definitions with the poses their bodies have in `data`."""
    things = []
    for each in definitions:
        at = compose(body_pose(data, each.body), each.centre)
        things.append(
            Thing(each.name, each.kind, at.position, at.quaternion, each.size, each.colour, each.says)
        )
    return things
