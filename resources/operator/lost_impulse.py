"""The impulse that an arm's tool lost with a change of its joints' velocities: Λ J Δq̇, translation only.

Evaluated at a new contact only, so that one model serves all links of a process. Of the arm with its gripper:
what is in its fingers is not known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from resources.types.motion import REST7, Joints7

if TYPE_CHECKING:
    from resources.arms.dynamics import ArmDynamics


def lost_impulse(q: Joints7, change: Sequence[float]) -> float:
    """|S Λ J Δq̇| [N s] (paper 000, eq 16 repaired: Λ = (J M⁻¹ Jᵀ)⁻¹ for its J M Jᵀ).

    Args:
        q: (7,) [rad]. change: (7,) of the joints' velocities [rad/s].
    """
    import numpy as np

    dynamics = _model()
    dynamics.update(np.array(q), np.zeros(7))
    jacobian = dynamics.jacobian  # (6, 7)
    inverse = jacobian @ np.linalg.solve(dynamics.mass, jacobian.T)  # (6, 6) Λ⁻¹
    # Through a singularity Λ grows without bound in the direction that cannot move; none is lost there.
    impulse = np.linalg.pinv(inverse, rcond=1e-4, hermitian=True) @ (jacobian @ np.asarray(change))
    return float(np.linalg.norm(impulse[:3]))


def prepare() -> None:
    """Build the model now, before a first contact has to wait for it; takes a fraction of a second."""
    lost_impulse(REST7, REST7)


@cache
def _model() -> ArmDynamics:
    from resources.arms.dynamics import ArmDynamics

    return ArmDynamics()
