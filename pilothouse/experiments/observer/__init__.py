"""What the momentum observer sees: how soon, how exactly, and what it takes for a force that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pilothouse.experiments.definition import Figures, Progress
from pilothouse.testbed.arm_stage import ArmStage
from resources.controllers.settings import ArmSettings
from resources.types.motion import Joints7, MoveJoints

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

GAINS: Final = (25, 50, 100, 200)
FORCE_N: Final = 20.0
SETTLED: Final = 0.05

#: Where free motion goes [rad]: half a metre and a quarter turn, with every joint.
AWAY: Final[Joints7] = (0.6, -0.4, 0.3, -2.0, 0.3, 1.8, 0.2)


class ObserverRuns:
    """Measures, and keeps the traces for the picture."""

    def __init__(self) -> None:
        self._steps: dict[int, list[float]] = {}
        self._free: dict[str, list[float]] = {}

    def measure(self, progress: Progress, seed: int) -> Figures:
        """All figures; takes some seconds. Nothing is random."""
        progress.begin("pushing and moving", len(GAINS) + 3)
        figures: Figures = {}
        for gain in GAINS:
            seen = self._steps[gain] = _pushed(gain)
            unsettled = [n for n, force in enumerate(seen) if abs(force - FORCE_N) > SETTLED * FORCE_N]
            figures[f"settle_ms_{gain}"] = unsettled[-1] + 1
            progress.step()
        errors = [force - FORCE_N for force in self._steps[100][-200:]]
        figures["static_rms_n"] = _rms(errors)
        for name, words, friction, bits in (
            ("free_rms_n", "measured exactly", False, 0),
            ("free_rms_n_20bit", "20-bit encoders", False, 20),
            ("free_rms_n_friction", "with joint friction", True, 0),
        ):
            seen = self._free[words] = _moved(friction, bits)
            figures[name] = _rms(seen)
            progress.step()
        return figures

    def draw(self, drawing: Picture, figures: Figures) -> None:
        """The step for each gain; what is seen in free motion."""
        left, right = drawing.subplots(1, 2)
        for gain, forces in self._steps.items():
            left.plot(range(len(forces)), forces, label=f"gain {gain}: {figures[f'settle_ms_{gain}']} ms")
        left.axhspan(FORCE_N * (1 - SETTLED), FORCE_N * (1 + SETTLED), color="tab:green", alpha=0.15)
        left.set(title="a push of 20 N", xlabel="time [ms]", ylabel="estimated [N]", xlim=(0, 200))
        left.legend(fontsize="small")
        for words, forces in self._free.items():
            right.semilogy([n / 1e3 for n in range(len(forces))], forces, label=words)
        right.set(title="free motion: nothing pushes", xlabel="time [s]", ylabel="estimated [N]")
        right.set_ylim(1e-3, 20.0)
        right.legend(fontsize="small")


def _pushed(gain: int) -> list[float]:
    """What is seen of a push that begins at the first entry, along x, against a held arm [N]."""
    stage = ArmStage(settings=ArmSettings(observer_gain=float(gain)))
    stage.run(0.05)
    stage.push((FORCE_N, 0.0, 0.0))
    seen = []
    for _ in range(1500):
        stage.step()
        seen.append(float(stage.controller.wrench_estimated[0]))
    return seen


def _moved(friction: bool, bits: int) -> list[float]:
    """The size of the force that is seen while nothing pushes a moving arm [N]."""
    stage = ArmStage(friction=friction, encoder_bits=bits)
    stage.run(0.05)
    seen = []
    stage.controller.begin(MoveJoints(AWAY, 0.5), stage.now_s, stage.now_s)
    while stage.controller.ended() is None:
        stage.step()
        x, y, z = stage.controller.wrench_estimated[:3].tolist()
        seen.append((x * x + y * y + z * z) ** 0.5)
    return seen


def _rms(values: list[float]) -> float:
    return float((sum(value * value for value in values) / len(values)) ** 0.5)


_RUNS: Final = ObserverRuns()
measure, draw = _RUNS.measure, _RUNS.draw
