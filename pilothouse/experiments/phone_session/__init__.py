"""A scripted person drives the arm with a phone, in lock-step: figures 4 and 5 of paper 000, measured.

Poses come at 60 Hz with a phone's noise, over Wi-Fi. The hand moves within what a person reaches without
standing up, and indexes: clutch on, move, clutch off, back. What is felt is what the page would have
vibrated with (`resources.operator.contact`). The arm is that of `pilothouse.testbed.hand_stage`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.definition import Figures, Progress
from pilothouse.testbed.arm_stage import PERIOD_S, ArmStage
from pilothouse.testbed.hand_stage import HandStage
from resources.operator.contact import ContactFeel
from resources.operator.lost_impulse import lost_impulse
from resources.types.masters import HandSample
from resources.types.motion import Vector6

Array = NDArray[np.float64]

POSES_HZ = 60.0
WIFI_S, WIFI_JITTER_S = 0.01, 0.004
"""One way: half the paper's average of 20 ms there and back; the jitter is exponential [s]."""

NOISE_M, NOISE_M_S, NOISE_M_S2 = 0.0003, 0.003, 0.1
"""Of a phone's visual-inertial fusion: position, velocity, acceleration (standard deviations)."""

TABLE_M = 0.16
STROKE_M, STROKE_S, BACK_S, PAUSE_S = 0.14, 0.9, 0.5, 0.2
PRESS_M, PRESS_S = 0.07, 1.6
DYNAMIC_M, DYNAMIC_S = 0.20, 0.6


class Trace(msgspec.Struct):
    """What was recorded each millisecond: time [s], heights of hand and tool [m], force [N], clutch, feel."""

    time: list[float] = []
    hand: list[float] = []
    tool: list[float] = []
    force: list[float] = []
    engaged: list[bool] = []
    press: list[float] = []
    knocks: int = 0

    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """time, hand, tool, force, each (n,)."""
        return np.array(self.time), np.array(self.hand), np.array(self.tool), np.array(self.force)


class Person:
    """Moves the phone, and presses the clutch."""

    def __init__(self, stage: HandStage, seed: int) -> None:
        self.trace = Trace()
        self._stage = stage
        self._random = random.Random(seed)
        self._height = 0.0
        self._engagement = 0
        self._pressings = 0
        self._due_s = stage.now_s
        self._feel = ContactFeel(lost_impulse)
        self._report_s = 0.0
        stage.each = self._record

    def press(self) -> None:
        """Close the clutch."""
        self._pressings += 1
        self._engagement = self._pressings

    def let_go(self) -> None:
        """Open it."""
        self._engagement = 0

    def stay(self, seconds: float) -> None:
        """Hold still."""
        self.move(0.0, seconds)

    def move(self, way_m: float, seconds: float) -> None:
        """Move up or down as people do: minimum jerk."""
        start = self._height
        for step in range(round(seconds / PERIOD_S)):
            t = step * PERIOD_S / seconds
            if self._stage.now_s >= self._due_s - 1e-9:
                self._due_s += 1.0 / POSES_HZ
                speed = way_m / seconds * (30 * t**2 - 60 * t**3 + 30 * t**4)
                rate = way_m / seconds**2 * (60 * t - 180 * t**2 + 120 * t**3)
                self._send(speed, rate)
            t = (step + 1) * PERIOD_S / seconds
            self._height = start + way_m * (10 * t**3 - 15 * t**4 + 6 * t**5)
            self._stage.step()

    def _send(self, speed: float, rate: float) -> None:
        noise = self._random.gauss
        x, y, z = (noise(0.0, NOISE_M) for _ in range(3))
        vx, vy, vz = (noise(0.0, NOISE_M_S) for _ in range(3))
        ax, ay, az = (noise(0.0, NOISE_M_S2) for _ in range(3))
        twist: Vector6 = (vx, vy, vz + speed, 0.0, 0.0, 0.0)
        acceleration: Vector6 = (ax, ay, az + rate, 0.0, 0.0, 0.0)
        sample = HandSample(
            "", 0, 0.0, 0.0, self._engagement, True, (x, y, z + self._height, 0.0, 0.0, 0.0, 1.0)
        )
        sample = msgspec.structs.replace(sample, twist=twist, acceleration=acceleration)
        self._stage.send(sample, delay_s=WIFI_S + self._random.expovariate(1.0 / WIFI_JITTER_S))

    def _record(self) -> None:
        stage, trace, controller = self._stage, self.trace, self._stage.stage.controller
        wrench = controller.wrench_estimated
        trace.time.append(stage.now_s)
        trace.hand.append(self._height)
        trace.tool.append(float(stage.tool[2]))
        trace.force.append(float(np.linalg.norm(wrench[:3])))
        trace.engaged.append(stage.state.engaged != 0)
        if stage.now_s >= self._report_s:  # a sample of the arm, a hundred times a second
            self._report_s += 0.01
            joints = stage.stage.q.tolist(), stage.stage.dq.tolist()
            self._feel.update(stage.now_s, tuple(joints[0]), tuple(joints[1]), wrench[:3].tolist())
        trace.press.append(self._feel.press)
        trace.knocks = self._feel.knocks


def indexing(seed: int, progress: Callable[[], None] = lambda: None) -> Trace:
    """Figure 4: through half a metre with a hand that moves 150 mm, down to a contact, and off it."""
    stage = HandStage(ArmStage(table_m=TABLE_M))
    person = Person(stage, seed)
    person.stay(0.3)
    for way in (STROKE_M, STROKE_M / 2, -STROKE_M, -STROKE_M, -STROKE_M):
        _stroke(person, way, STROKE_S)
        progress()
    _stroke(person, -0.8 * STROKE_M, 2 * STROKE_S)  # the table is near
    progress()
    person.move(PRESS_M / 2, BACK_S)
    person.press()
    person.stay(PAUSE_S)
    person.move(-PRESS_M, PRESS_S)  # until the table is felt: the person does not press any further
    person.stay(1.0)
    person.move(PRESS_M, PRESS_S)
    person.stay(PAUSE_S)
    person.let_go()
    person.stay(0.3)
    return person.trace


def dynamic(seed: int) -> Trace:
    """Figure 5: 200 mm down in 0.6 s, clutch held: as fast as joint 4 allows there."""
    stage = HandStage()
    person = Person(stage, seed)
    person.stay(0.3)
    person.press()
    person.stay(0.4)
    person.move(-DYNAMIC_M, DYNAMIC_S)
    person.stay(0.6)
    person.let_go()
    person.stay(0.2)
    return person.trace


def delay_s(trace: Trace) -> float:
    """By how much the tool comes after the hand, by cross-correlation of their velocities while engaged."""
    _, hand, tool, _ = trace.arrays()
    engaged = np.array(trace.engaged)
    speeds = np.gradient(hand)[engaged], np.gradient(tool)[engaged]
    fits = [float(np.dot(speeds[0][: -lag or None], speeds[1][lag:])) for lag in range(300)]
    return int(np.argmax(fits)) * PERIOD_S


def errors_m(trace: Trace, delay: float) -> Array:
    """(n,) Between the tool and where the hand had it be that much earlier [m], while engaged and moving."""
    _, hand, tool, _ = trace.arrays()
    lag = round(delay / PERIOD_S)
    engaged = np.flatnonzero(np.array(trace.engaged))
    first = engaged[0]
    late = np.concatenate([np.full(lag, hand[0]), hand[: len(hand) - lag]])
    missing = (tool - tool[first]) - (late - late[first])
    return np.asarray(missing[engaged])


def _stroke(person: Person, way: float, seconds: float) -> None:
    """One of the indexing: from one end of what the hand reaches to the other, and back to the middle."""
    person.move(-way / 2, BACK_S)
    person.press()
    person.stay(PAUSE_S)
    person.move(way, seconds)
    person.stay(PAUSE_S)
    person.let_go()
    person.stay(PAUSE_S)
    person.move(-way / 2, BACK_S)
    person.stay(PAUSE_S)


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

_SESSION_STEPS: Final = 6


class SessionRuns:
    """Measures, and keeps the traces for the picture."""

    def __init__(self) -> None:
        self._session: Trace | None = None
        self._dynamic: Trace | None = None
        self._delay_s = 0.0

    def measure(self, progress: Progress, seed: int) -> Figures:
        """All figures; some ten seconds. What the phone's noise and the network do is drawn from the seed."""
        progress.begin("indexing, touching, moving fast", _SESSION_STEPS + 1)
        session = self._session = indexing(seed, progress.step)
        fast = self._dynamic = dynamic(seed)
        progress.step()
        delay = self._delay_s = delay_s(fast)
        errors = 1e3 * errors_m(fast, delay)
        _, hand, tool, force = session.arrays()
        return {
            "z_range_mm": 1e3 * float(np.ptp(tool)),
            "hand_range_mm": 1e3 * float(np.ptp(hand)),
            "track_rms_mm": float((errors**2).mean() ** 0.5),
            "track_max_mm": float(np.abs(errors).max()),
            "delay_ms": 1e3 * delay,
            "contact_force_n": float(force.max()),
            "haptic_events": session.knocks,
        }

    def draw(self, drawing: Picture, figures: Figures) -> None:
        """Figure 4 (hand, tool, force) and figure 5 (a fast motion), as the paper draws them."""
        assert self._session is not None
        assert self._dynamic is not None
        grid = drawing.add_gridspec(3, 2, width_ratios=(2, 1))
        time, hand, tool, force = self._session.arrays()
        engaged = np.array(self._session.engaged)
        rows = (("hand z [m]", hand), ("tool z [m]", tool), ("|F| estimated [N]", force))
        for row, (label, values) in enumerate(rows):
            axes = drawing.add_subplot(grid[row, 0])
            axes.plot(time, values, linewidth=1)
            axes.set_ylabel(label)
            shade = np.array(self._session.press) > 0.0 if row == 2 else engaged
            _shade(axes, time, shade)
            if row == 0:
                axes.set_title("as figure 4: shaded while the clutch is on; below: while contact is felt")
        axes.set_xlabel("time [s]")
        time, hand, tool, _ = self._dynamic.arrays()
        axes = drawing.add_subplot(grid[:, 1])
        axes.plot(time, hand, label="hand")
        axes.plot(time, tool - tool[0], label="tool")
        _shade(axes, time, np.array(self._dynamic.engaged))
        axes.set(title=f"as figure 5: {figures['delay_ms']:.0f} ms behind", xlabel="time [s]", ylabel="z [m]")
        axes.legend(fontsize="small")


def _shade(axes: Axes, time: np.typing.NDArray[np.float64], where: np.typing.NDArray[np.bool_]) -> None:
    low, high = axes.get_ylim()
    axes.fill_between(time, low, high, where=where, color="tab:orange", alpha=0.15, linewidth=0)
    axes.set_ylim(low, high)


_RUNS: Final = SessionRuns()
measure, draw = _RUNS.measure, _RUNS.draw
