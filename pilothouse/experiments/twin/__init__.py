"""The digital twin: two arms that nobody makes collide, and its likeness (paper 001, fig. 5 to 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.twin.attempts import ATTEMPTS, EVERY_S, Course, tried
from pilothouse.experiments.twin.fidelity import Track, pose_errors, real, twin
from pilothouse.testbed.arm_stage import PERIOD_S

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

#: The plane is felt from this force on [N].
TOUCHED_N: Final = 0.5


class TwinRuns:
    """Measures, and keeps the traces for the picture."""

    def __init__(self) -> None:
        self._courses: dict[str, Course] = {}
        self._tracks: tuple[Track, Track] | None = None

    def measure(self, progress: Progress, seed: int) -> Figures:
        """All figures; takes a minute or two. `seed`: of the real arm's inertia and noise."""
        progress.begin("trying to collide", len(ATTEMPTS))
        for attempt in ATTEMPTS:
            self._courses[attempt.what] = tried(attempt)
            progress.step()
        courses = self._courses.values()
        figures: Figures = {
            "attempts": len(ATTEMPTS),
            "min_distance_mm": 1e3 * min(float(course.kept.min()) for course in courses),
            "min_surfaces_mm": 1e3 * min(float(course.surfaces.min()) for course in courses),
            "attempts_kept": sum(bool(course.kept.min() >= 0.0) for course in courses),
            "push_max_n": max(course.push_n for course in courses),
        }
        progress.begin("the same without walls", len(ATTEMPTS))
        entered = 0
        for attempt in ATTEMPTS:
            entered += bool(tried(attempt, guarded=False).kept.min() < 0.0)
            progress.step()
        figures["entered_unguarded"] = entered
        progress.begin("a trajectory on the real arm and on its twin", 2)
        measured = real(seed)
        progress.step()
        modelled = twin()
        progress.step()
        self._tracks = measured, modelled
        figures.update(compared(measured, modelled))
        return figures

    def draw(self, drawing: Picture, figures: Figures) -> None:
        """Distances over time; the tool's height and the force; errors of poses and wrenches."""
        axes = drawing.subplots(2, 2)
        distances = axes[0][0]
        for course in self._courses.values():
            times = [EVERY_S * (1 + number) for number in range(len(course.kept))]
            distances.plot(times, 1e3 * course.kept, color="tab:blue", alpha=0.5, linewidth=0.8)
        distances.axhline(0.0, color="tab:red", linewidth=1.0)
        distances.set(
            title=f"{figures['attempts']} attempts: what is left before the margin",
            xlabel="time [s]",
            ylabel="distance [mm]",
        )
        if self._tracks is not None:
            self._draw_tracks(axes[0][1], axes[1][0], axes[1][1])

    def _draw_tracks(self, height: Axes, pose: Axes, wrench: Axes) -> None:
        import numpy as np

        assert self._tracks is not None
        measured, modelled = self._tracks
        times = PERIOD_S * np.arange(len(measured.position))
        height.plot(times, 1e3 * measured.position[:, 2], label="real")
        height.plot(times, 1e3 * modelled.position[:, 2], "--", label="twin")
        height.set(title="a taught trajectory: height of the tool", xlabel="time [s]", ylabel="z [mm]")
        height.legend(fontsize="small")
        way, turn = pose_errors(measured, modelled)
        pose.plot(times, 1e3 * way, label="linear [mm]")
        pose.plot(times, np.degrees(turn), label="angular [°]")
        pose.set(title="twin and real: pose errors", xlabel="time [s]")
        pose.legend(fontsize="small")
        for words, seen in (("direct (5)", modelled.direct), ("observer (6–7)", modelled.observed)):
            wrench.plot(times, np.linalg.norm(seen - measured.force, axis=1), label=words, linewidth=0.8)
        wrench.set(title="twin's estimates, against the real force", xlabel="time [s]", ylabel="error [N]")
        wrench.set_ylim(0.0, 80.0)
        wrench.legend(fontsize="small")
        for each in (height, pose, wrench):
            touched = np.linalg.norm(measured.force, axis=1) > TOUCHED_N
            each.fill_between(
                times,
                0.0,
                1.0,
                where=touched.tolist(),
                transform=each.get_xaxis_transform(),
                alpha=0.15,
                color="grey",
            )


def compared(measured: Track, modelled: Track) -> Figures:
    """The errors of poses and of wrenches, in free motion and in contact with the plane."""
    import numpy as np

    way, turn = pose_errors(measured, modelled)
    touched = np.linalg.norm(measured.force, axis=1) > TOUCHED_N

    def rms(values: np.typing.NDArray[np.float64]) -> float:
        return float(np.sqrt(np.mean(values**2)))

    figures: Figures = {
        "pose_error_mm_rms": 1e3 * rms(way),
        "pose_error_mm_max": 1e3 * float(way.max()),
        "pose_error_deg_rms": float(np.degrees(rms(turn))),
        "touched_pct": 100.0 * float(touched.mean()),
        "contact_force_n_mean": float(np.linalg.norm(measured.force[touched], axis=1).mean()),
    }
    for whose, track in (("", modelled), ("_real", measured)):
        for name, seen in (("direct", track.direct), ("observer", track.observed)):
            errors = np.linalg.norm(seen - measured.force, axis=1)
            key = f"wrench_error{whose}_n_{name}_rms"
            figures[key] = rms(errors)
            figures[f"{key}_free"] = rms(errors[~touched])
            figures[f"{key}_contact"] = rms(errors[touched])
    return figures


_RUNS: Final = TwinRuns()
measure, draw = _RUNS.measure, _RUNS.draw
