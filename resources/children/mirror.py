"""A sensor's own copy of the world: the model that the world child saved, following the state it publishes.

Loading the compiled model takes a millisecond and needs nothing of what built it, so a sensor knows
neither the world's name nor its seed.
"""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from framework.errors import DescriptionError, MalformedMessage
from framework.processes.child import Child
from framework.transport.ring import Sample
from resources.children.newest_sample import Follower
from resources.types.control import SimulationHandle
from resources.worlds.state_vector import Mirror, state_size


class SavedMirror(Mirror):
    """A `Mirror` of a model in a file, instead of one that is built again from its scene."""

    def __init__(self, model_file: Path, model_signature: int) -> None:
        """Raises DescriptionError if the file cannot be read; it has no named things."""
        try:
            self.model = mujoco.MjModel.from_binary_path(str(model_file))
        except ValueError as error:
            raise DescriptionError(
                f"the world's model {model_file} cannot be loaded: {error}. Start the world again"
            ) from error
        self.data = mujoco.MjData(self.model)
        self.signature = model_signature
        self.step = -1
        self._definitions = ()
        self._size = state_size(self.model)
        mujoco.mj_kinematics(self.model, self.data)


class WorldView:
    """The world as a sensor sees it: `update`, then look at `mirror`."""

    def __init__(self, child: Child, simulation: SimulationHandle) -> None:
        """Waits for a first state. Raises StreamError if none comes, DescriptionError without a model."""
        self.mirror = SavedMirror(Path(simulation.model), simulation.signature)
        self.stamp_s = 0.0  # of the state in the mirror, CLOCK_MONOTONIC [s]
        self._states = Follower(child, simulation.state)
        self._states.first()

    def update(self, now_s: float) -> bool:
        """Take over the newest state. False if there is none that is new, fresh and readable."""
        sample = self._states.newest(now_s)
        if sample is None:
            return False
        try:
            self._load(sample)
        except MalformedMessage as error:
            self._states.complaints.add(str(error), now_s)
            return False
        self.stamp_s = sample.stamp_s
        return True

    def close(self) -> None:
        """Let go of the state's stream."""
        self._states.close()

    def _load(self, sample: Sample) -> None:
        if sample.payload.nbytes % 8:
            raise MalformedMessage(f"world state of {sample.payload.nbytes} bytes; whole float64 are allowed")
        self.mirror.load(np.frombuffer(sample.payload, np.float64))
