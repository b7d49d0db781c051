"""Whatever is asked of an arm, and in whatever order: no limit is exceeded by more than one percent."""

from __future__ import annotations

import math

import numpy as np
import pytest

from framework.errors import CommandRefused
from pilothouse.testbed.arm_stage import HOME, ArmStage
from resources.controllers.settings import ArmSettings, Surface
from resources.types.motion import (
    Guide,
    Hold,
    Joints7,
    MotionCommand,
    MoveJoints,
    MovePose,
    Sweep,
    TrackJoints,
    TrackPose,
    TrackTwist,
    Vector6,
)
from resources.types.streams import Pose7
from tests.resources.controllers.watching import Watch, run_until_at_rest

KINDS = ("pose", "jumps", "joints", "twist", "line", "posture", "guide", "hold", "away", "sweep", "rest")


class Hostile:
    """A client that asks for all kinds of things at all rates: late, in bursts, out of order, nonsense."""

    def __init__(self, stage: ArmStage, seed: int, kinds: tuple[str, ...] = KINDS) -> None:
        self.stage, self.random = stage, np.random.default_rng(seed)
        self.kinds = kinds
        self.refused = 0
        self.begins = True
        self._change()

    def act(self, period: int) -> None:
        """What it does in this period."""
        random, stage = self.random, self.stage
        if random.random() < 0.0015:
            self._change()
        if self.kind == "guide":
            swing = 20.0 * math.sin(3.0 * stage.now_s)
            stage.push((swing * self.way[0], swing * self.way[1], swing * self.way[2]))
        if period % self.every and not self.begins:
            return
        for _ in range(3 if random.random() < 0.05 else 1):
            age_s = random.uniform(0.0, 0.05) if random.random() < 0.1 else 0.0
            if (command := self._command()) is None:
                continue
            try:
                stage.controller.begin(command, stage.now_s - age_s, stage.now_s)
            except CommandRefused:
                self.refused += 1
        self.begins = False

    def _change(self) -> None:
        random = self.random
        self.stage.push((0.0, 0.0, 0.0))
        self.kind = str(random.choice(self.kinds))
        self.every = int(random.choice([1, 5, 10, 16, 200]))
        self.base = self.stage.controller.base_T_tool
        way = random.normal(size=3)
        self.way = [float(value) for value in way / np.linalg.norm(way)]
        self.size, self.frequency = random.uniform(0.02, 0.5), random.uniform(0.1, 3.0)
        self.begun_s = self.stage.now_s
        self.begins = True

    def _command(self) -> MotionCommand | None:
        random, swing = self.random, self.size * math.sin(6.28 * self.frequency * self._time_s)
        match self.kind:
            case "pose":
                return TrackPose(self._at([value * swing for value in self.way]))
            case "away":  # through the singularity of the stretched arm, and on
                share = min(1.0, self._time_s)
                x, y, z = self.base[:3]
                return TrackPose(self._at([(1.3 - x) * share, -y * share, (0.4 - z) * share]))
            case "jumps":
                metre = 1.0 if random.random() < 0.2 else 0.01
                jump = [float(value) for value in metre * random.normal(size=3)]
                if random.random() < 0.05:
                    jump[0] = math.nan
                pose = self._at(jump)
                if random.random() < 0.1:
                    pose = (*pose[:3], *self._rotation())
                twist, acceleration = self._six((0, 1, 10)), self._six((0, 10, 100))
                return TrackPose(pose, twist, acceleration)
            case "joints":
                wild = random.random() < 0.05
                joints = random.uniform(-3, 3, size=7) if wild else np.array(HOME) + swing
                return TrackJoints(_seven(joints), _seven(random.normal(size=7) * random.choice([0, 1, 5])))
            case "twist":
                x, y, z = (10.0 * self.size * value for value in self.way)
                return TrackTwist((x, y, z, 0.3 * self.size, 0.0, -self.size))
            case _:
                return self._goal() if self.begins else None

    def _goal(self) -> MotionCommand | None:
        random, limits = self.random, self.stage.controller.settings.limits
        match self.kind:
            case "line":
                x, y, z = random.uniform([-0.5, -0.5, 0.1], [0.6, 0.5, 0.9]).tolist()
                speed, turn = float(random.choice([0.1, 0.25, 1.0, 5.0])), float(random.choice([0.5, 3.0]))
                return MovePose((x, y, z, *self._rotation()), speed, turn)
            case "posture":
                joints = random.uniform(limits.lower, limits.upper)
                return MoveJoints(_seven(joints), float(random.choice([0.1, 0.3, 1.0])))
            case "sweep":
                return Sweep(-1.0, 1.0, 2.0)
            case "guide":
                return Guide()
            case "hold":
                return Hold()
            case _:
                self.stage.controller.rest()
                return None

    @property
    def _time_s(self) -> float:
        return self.stage.now_s - self.begun_s

    def _at(self, way: list[float]) -> Pose7:
        x, y, z = self.base[:3]
        return (x + way[0], y + way[1], z + way[2], *self.base[3:])

    def _rotation(self) -> tuple[float, float, float, float]:
        x, y, z, w = self.random.normal(size=4).tolist()
        size = math.sqrt(x * x + y * y + z * z + w * w)
        return (x / size, y / size, z / size, w / size)

    def _six(self, sizes: tuple[int, ...]) -> Vector6:
        a, b, c, d, e, f = (self.random.normal(size=6) * self.random.choice(sizes)).tolist()
        return (a, b, c, d, e, f)


def _seven(values: np.typing.NDArray[np.float64]) -> Joints7:
    a, b, c, d, e, f, g = values.tolist()
    return (a, b, c, d, e, f, g)


def _survives(seed: int, seconds: float, kinds: tuple[str, ...] = KINDS) -> None:
    stage = ArmStage()
    watch, client = Watch(stage), Hostile(stage, seed, kinds)
    for period in range(round(seconds * 1000)):
        client.act(period)
        stage.step()
        watch(stage)
        stage.controller.ended()
    stage.push((0.0, 0.0, 0.0))
    stage.controller.rest()
    run_until_at_rest(stage, watch)
    assert not watch.exceeded(), f"seed {seed}: {watch.worst}"
    # It was no idle client.
    assert watch.worst["tool speed"] > 0.01


@pytest.mark.parametrize("seed", range(3))
def test_no_client_gets_an_arm_beyond_its_limits(seed: int) -> None:
    _survives(seed, 2.5)


def test_a_target_through_a_singularity_slows_the_arm_down() -> None:
    _survives(7, 2.5, ("away", "line"))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 140))
def test_no_client_gets_an_arm_beyond_its_limits_for_long(seed: int) -> None:
    _survives(seed, 8.0)


@pytest.mark.parametrize("force_max", [10.0, 30.0])
def test_a_static_contact_stays_under_its_greatest_force(force_max: float) -> None:
    stage = ArmStage(table_m=0.45, settings=ArmSettings(force_max=force_max))
    x, y, z, *rotation = stage.controller.base_T_tool
    for number in range(110):
        height = max(z - 0.25, z - 0.0025 * number)
        pose = (x, y, height, rotation[0], rotation[1], rotation[2], rotation[3])
        stage.controller.begin(TrackPose(pose), stage.now_s, stage.now_s)
        stage.run(0.016)
    forces: list[float] = []
    for _ in range(30):
        stage.controller.begin(TrackPose(pose), stage.now_s, stage.now_s)
        stage.run(0.016, lambda stage: forces.append(stage.table_force()))
    assert max(forces) < 1.05 * force_max
    assert forces[-1] > 0.5 * force_max


def test_joint_goals_press_no_harder_than_the_tool_may() -> None:
    stage = ArmStage(table_m=0.45)
    stage.controller.begin(MoveJoints((0.0, 0.2, 0.0, -2.356, 0.0, 1.571, 0.785)), 0.0, 0.0)
    stage.run(1.2)
    forces: list[float] = []
    while stage.controller.ended() is None:
        stage.step()
        forces.append(stage.table_force())
    assert 10.0 < max(forces[:-1]) < 31.5


def test_a_declared_surface_is_approached_slowly_whatever_is_asked_for() -> None:
    surface = Surface((0.5, 0.0, 0.4), (0.0, 0.0, 1.0))
    stage = ArmStage(settings=ArmSettings(surfaces=(surface,)))
    x, y, _, *rotation = stage.controller.base_T_tool
    pose = (x, y, 0.3, rotation[0], rotation[1], rotation[2], rotation[3])
    stage.controller.begin(MovePose(pose, speed=1.0), 0.0, 0.0)
    speeds = {}
    while stage.controller.ended() is None:
        stage.step()
        speeds[stage.tool[2]] = -stage.controller.tool_twist[2]
    assert max(speeds.values()) > 0.2
    near = [speed for height, speed in speeds.items() if height < 0.41]
    assert 0.09 < max(near) < 0.105


def test_hand_overs_and_stops_in_every_mode_change_no_torque_too_fast() -> None:
    stage = ArmStage()
    watch = Watch(stage)
    start = stage.controller.base_T_tool
    commands: tuple[MotionCommand, ...] = (
        MovePose((start[0], start[1] + 0.2, *start[2:])),
        MoveJoints((0.5, -0.3, 0.2, -1.9, 0.1, 1.7, 0.3)),
        TrackTwist((0.3, 0.3, 0.0, 0.0, 0.0, 0.5)),
        TrackJoints((0.3, -0.5, 0.2, -2.0, 0.1, 1.7, 0.3)),
        Sweep(-0.5, 0.5, 1.5),
        Guide(),
    )
    for stopped_by in (stage.controller.rest, stage.controller.lock):
        for command in commands:
            stage.controller.unlock()
            stage.controller.begin(command, stage.now_s, stage.now_s)
            stage.run(0.15, watch)
            stopped_by()
            stage.run(0.03, watch)
        run_until_at_rest(stage, watch)
    assert not watch.exceeded(), watch.worst
