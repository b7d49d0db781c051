"""What an arm's control law asks in every tick: the wall that is felt, and the one behind it that holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
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

View = tuple[Array, Array]
"""An arm's joints as they stand at any time (7,) [rad], [rad/s]: kept up to date by somebody else."""

# Further from every margin than this the twin has nothing to feel: it goes along with its arm [m].
_FREE_M = 0.015


class Watched:
    """One twin and one look for all arms of a model, whoever of them ticks.

    views: of the arms, where their states are known at any time; then it is looked once for all of them. Else
    each arm is known as it was in its own last tick.
    """

    def __init__(self, model: TwinModel, coupling: Coupling | None, views: Sequence[View] = ()) -> None:
        self.twin = Twin(model, coupling)
        self.barrier = Barrier(model)
        self.time_s = 0.0
        self._views = tuple(views)

    def see(self, arm: int, q: Array, dq: Array) -> None:
        """How an arm stands (7,) [rad], [rad/s], and the others."""
        self.twin.see(arm, q, dq)
        for number, (positions, velocities) in enumerate(self._views):
            self.twin.see(number, positions, velocities)

    def advance(self, arm: int, q: Array, dq: Array, time_s: float) -> None:
        """An arm ticks, at its own time: whoever is ahead takes the twin along."""
        passed_s = time_s - self.time_s
        if passed_s <= 1e-9 and self._views:
            return
        self.see(arm, q, dq)
        twin, barrier = self.twin, self.barrier
        barrier.look(twin.q)
        if passed_s <= 1e-9:
            return
        self.time_s = time_s
        if barrier.nearest_m > _FREE_M:
            twin.go_along()
        else:
            twin.step(passed_s)


class ArmGuard:
    """Of one arm of a twin; see `guards`."""

    def __init__(
        self, watched: Watched, arm: int, clearances: Sequence[Clearance], *, backstop: bool
    ) -> None:
        self._watched, self._arm = watched, arm
        self._clearances = tuple(clearances)
        self._backstop = backstop
        self._time_s = 0.0
        self._is_leaving = True

    def restart(self, q: Array) -> None:
        """The arm is measured anew (7,) [rad]: its twin stands there, too."""
        self._watched.see(self._arm, q, np.zeros(7))
        self._watched.twin.restart(self._arm)
        self._time_s = self._watched.time_s
        self._is_leaving = True

    def torque(self, state: ArmState, torque: Array, permitted: Permitted, dt_s: float) -> Array:
        """What to add to a law's torque, without weight (7,) [N m]; see `resources.controllers.guarding`."""
        watched, arm = self._watched, self._arm
        self._time_s += dt_s
        watched.advance(arm, state.q, state.dq, self._time_s)
        twin, barrier = watched.twin, watched.barrier
        self._is_leaving = self._is_leaving and barrier.is_within(arm)
        if self._is_leaving:
            # A twin that began within a wall would be thrown out of it. The backstop alone is gentle.
            twin.restart(arm)
        felt = twin.feedback[twin.model.dofs[arm]]
        if not self._backstop:
            return felt.copy()
        return felt + barrier.correction(arm, state, torque + felt, permitted)

    def line_enters(self, start: Pose7, goal: Pose7) -> str:
        """What the hand would enter between two poses of the tool, in words; "" if nothing."""
        return next(filter(None, (each.line(start, goal) for each in self._clearances)), "")

    def posture_enters(self, start: Joints7, goal: Joints7) -> str:
        """What the arm would enter between two postures [rad], in words; "" if nothing."""
        return next(filter(None, (each.posture(start, goal) for each in self._clearances)), "")

    def near(self) -> tuple[Near, ...]:
        """What was near in the last tick, the nearest first."""
        return self._watched.barrier.near()


def guards(
    arms: Sequence[TwinArm],
    surroundings: Surroundings = Surroundings(),
    coupling: Coupling | None = None,
    *,
    backstop: bool = True,
    views: Sequence[View] = (),
) -> tuple[ArmGuard, ...]:
    """One for each arm of one twin, in their order.

    backstop: without it there is the twin alone, as in the paper. views: see `Watched`; without them the arms
    have to be asked in their order.
    """
    watched = Watched(TwinModel(tuple(arms), surroundings), coupling, views)
    return tuple(
        ArmGuard(watched, number, tuple(_clearances(arm, surroundings)), backstop=backstop)
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


def _clearances(arm: TwinArm, surroundings: Surroundings) -> Iterator[Clearance]:
    """In each frame in which something stands in an arm's way."""
    if surroundings.walls or surroundings.boxes:
        yield Clearance(arm, surroundings)
    if arm.own is not None and (arm.own.walls or arm.own.no_go):
        in_its_base = msgspec.structs.replace(arm.own, body=())
        yield Clearance(TwinArm(arm.prefix, tree=arm.tree), in_its_base)
    if arm.own is not None and arm.own.body:
        yield Clearance(arm, Surroundings(body=arm.own.body, margin=arm.own.margin))
