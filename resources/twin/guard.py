"""What an arm's control law asks in every tick: the wall that is felt, and the one behind it that holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from resources.arms.kinematic_tree import KinematicTree
from resources.controllers.limits import Permitted
from resources.controllers.state import ArmState
from resources.twin.barrier import Barrier, Near
from resources.twin.model import TwinArm, TwinModel
from resources.twin.obstacles import Surroundings
from resources.twin.path import Clearance
from resources.twin.twin import Coupling, Twin
from resources.types.motion import Joints7
from resources.types.streams import Pose7

Array = NDArray[np.float64]


class ArmGuard:
    """Of one arm of a twin; see `guards`."""

    def __init__(
        self, twin: Twin, barrier: Barrier, arm: int, clearance: Clearance, *, steps: bool, backstop: bool
    ) -> None:
        """steps: whether the twin's time goes on with this arm's ticks; one arm's have to do that."""
        self._twin, self._barrier, self._arm = twin, barrier, arm
        self._clearance = clearance
        self._steps, self._backstop = steps, backstop
        self._is_leaving = True

    def restart(self, q: Array) -> None:
        """The arm is measured anew (7,) [rad]: its twin stands there, too."""
        self._twin.see(self._arm, q, np.zeros(7))
        self._twin.restart()
        self._is_leaving = True

    def torque(self, state: ArmState, torque: Array, permitted: Permitted, dt_s: float) -> Array:
        """What to add to a law's torque, without weight (7,) [N m]; see `resources.controllers.guarding`."""
        twin = self._twin
        twin.see(self._arm, state.q, state.dq)
        self._barrier.look(twin.q)
        self._is_leaving = self._is_leaving and self._barrier.is_within
        if self._is_leaving:
            # A twin that began within a wall would be thrown out of it. The backstop alone is gentle.
            twin.restart()
        elif self._steps:
            twin.step(dt_s)
        felt = twin.feedback[twin.model.dofs[self._arm]]
        if not self._backstop:
            return felt.copy()
        return felt + self._barrier.correction(self._arm, state, torque + felt, permitted)

    def line_enters(self, start: Pose7, goal: Pose7) -> str:
        """What the hand would enter between two poses of the tool, in words; "" if nothing."""
        return self._clearance.line(start, goal)

    def posture_enters(self, start: Joints7, goal: Joints7) -> str:
        """What the arm would enter between two postures [rad], in words; "" if nothing."""
        return self._clearance.posture(start, goal)

    def near(self) -> tuple[Near, ...]:
        """What was near in the last tick, the nearest first."""
        return self._barrier.near()


def guards(
    arms: Sequence[TwinArm],
    surroundings: Surroundings,
    coupling: Coupling | None = None,
    *,
    backstop: bool = True,
) -> tuple[ArmGuard, ...]:
    """One for each arm of one twin, in their order; they have to be asked in this order, too.

    backstop: without it there is the twin alone, as in the paper.
    """
    model = TwinModel(tuple(arms), surroundings)
    twin = Twin(model, coupling)
    return tuple(
        ArmGuard(
            twin, Barrier(model), number, Clearance(arm, surroundings), steps=number == 0, backstop=backstop
        )
        for number, arm in enumerate(arms)
    )


def arm_guard(
    surroundings: Surroundings, tree: KinematicTree | None = None, prefix: str = ""
) -> ArmGuard | None:
    """Of an arm by itself, in its base frame; None if nothing is declared."""
    if not surroundings:
        return None
    (guard,) = guards((TwinArm(prefix, tree=tree),), surroundings)
    return guard
