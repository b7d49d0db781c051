"""Braking is hard, whatever shakes the arm meanwhile; what holds afterwards is compliant again."""

from __future__ import annotations

import numpy as np
import pytest

from pilothouse.testbed.arm_stage import HOME, PERIOD_S, ArmStage
from resources.controllers.firmness import Firmness
from resources.controllers.settings import ArmSettings
from resources.controllers.warming import warm_up
from resources.types.motion import Guide, Joints7, MotionCommand, MoveJoints, MovePose, TrackTwist
from tests.resources.controllers.watching import Watch, run_until_at_rest

_FAR: Joints7 = (0.0, 0.6, 0.0, -1.0, 0.0, 2.4, 0.785)


def _slowed_ms(stage: ArmStage, watch: Watch, *, share: float = 0.1) -> float:
    """Of a stage whose arm is told to rest now: until a tenth of its speed is left for good."""
    begun = np.abs(stage.dq).max()
    assert begun > 0.9  # [rad/s]
    stage.controller.rest()
    speeds: list[float] = []
    for _ in range(600):
        stage.step()
        watch(stage)
        speeds.append(float(np.abs(stage.dq).max()))
    return 1e3 * PERIOD_S * (1 + int(np.flatnonzero(np.array(speeds) > share * begun)[-1]))


@pytest.mark.parametrize(
    ("command", "after_s"),
    [
        (MoveJoints(_FAR, 1.0), 0.3),
        (MovePose((0.5, -0.35, 0.35, 1.0, 0.0, 0.0, 0.0), speed=1.02), 0.45),
        (TrackTwist((-0.2, 0.0, 0.8, 0.0, 1.0, 0.0)), 0.25),
    ],
)
@pytest.mark.parametrize("friction", [False, True])
def test_a_tenth_of_the_greatest_speed_is_left_soon(
    command: MotionCommand, after_s: float, friction: bool
) -> None:
    stage = ArmStage(friction=friction)
    watch = Watch(stage)
    for period in range(round(after_s / PERIOD_S)):
        if period == 0 or (isinstance(command, TrackTwist) and period % 10 == 0):
            stage.controller.begin(command, stage.now_s, stage.now_s)
        stage.step()
        watch(stage)
    assert _slowed_ms(stage, watch) < 250.0
    assert not watch.exceeded()


def test_what_shakes_an_arm_while_it_brakes_does_not_swing_it() -> None:
    stage = ArmStage()
    watch = Watch(stage)
    stage.controller.begin(MoveJoints((1.2, *HOME[1:]), 1.0), 0.0, 0.0)
    stage.run(0.3, watch)
    stage.controller.rest()
    stage.push((15.0, 0.0, 15.0))  # for as long as it brakes, as by a base that brakes with it
    stage.run(0.24, watch)
    stage.push((0.0, 0.0, 0.0))
    stage.run(0.26, watch)
    assert np.abs(stage.dq).max() < 0.01, "half a second after it was told to"
    assert not watch.exceeded()


def test_an_arm_that_has_braked_is_compliant_again() -> None:
    stage = ArmStage()
    stage.controller.begin(MoveJoints((1.2, *HOME[1:]), 1.0), 0.0, 0.0)
    stage.run(0.3)
    stage.controller.rest()
    stage.run(1.5)
    rested = stage.tool
    stage.push((15.0, 0.0, 15.0))
    stage.run(0.8)
    assert float(np.linalg.norm(stage.tool - rested)) > 0.02


@pytest.mark.parametrize("seed", range(4))
def test_an_arm_thrown_to_the_end_of_its_reach_is_braked_within_its_limits(seed: int) -> None:
    """There joints are held back and motors have no torque left: stiff springs would drive it."""
    way = np.random.default_rng(seed).normal(size=3)
    x, y, z = (way / np.linalg.norm(way)).tolist()
    stage = ArmStage()
    stage.controller.begin(Guide(), 0.0, 0.0)
    for force in range(5, 40, 2):
        stage.push((force * x, force * y, force * z))
        stage.run(0.05)
    stage.push((0.0, 0.0, 0.0))
    watch = Watch(stage)
    stage.controller.rest()
    assert run_until_at_rest(stage, watch) < 0.6
    assert not watch.exceeded()


def test_springs_get_firm_while_it_brakes_yield_where_torque_falls_short_and_ease() -> None:
    firmness = Firmness()
    assert firmness.step(brakes=False, holds=True, falls_short=False, dt_s=0.01) == 0.0
    for _ in range(10):
        firm = firmness.step(brakes=True, holds=False, falls_short=False, dt_s=0.01)
    assert firm == pytest.approx(1.0)
    for _ in range(3):
        firm = firmness.step(brakes=True, holds=False, falls_short=True, dt_s=0.01)
    assert firm == pytest.approx(0.0)
    for _ in range(30):
        firm = firmness.step(brakes=True, holds=False, falls_short=False, dt_s=0.01)
    for _ in range(15):  # halted, but whatever shook it may go on
        firm = firmness.step(brakes=False, holds=True, falls_short=False, dt_s=0.01)
    assert firm == pytest.approx(1.0)
    for _ in range(60):
        firm = firmness.step(brakes=False, holds=True, falls_short=False, dt_s=0.01)
    assert firm == 0.0


def test_braking_into_a_contact_presses_no_harder_than_holding_does() -> None:
    """The impact itself depends on speed alone; compared is what comes after it."""
    most = []
    for settings in (ArmSettings(), ArmSettings(braking_stiffness=ArmSettings().joint_stiffness)):
        stage = ArmStage(table_m=0.45, settings=settings)
        touched_s, forces = None, []
        while stage.now_s < 1.5:
            if touched_s is None and round(stage.now_s / PERIOD_S) % 10 == 0:
                twist = TrackTwist((0.0, 0.0, -0.3, 0.0, 0.0, 0.0))
                stage.controller.begin(twist, stage.now_s, stage.now_s)
            stage.step()
            if touched_s is None and stage.table_force() > 0.0:
                touched_s = stage.now_s
                stage.controller.rest()
            elif touched_s is not None and stage.now_s > touched_s + 0.1:
                forces.append(stage.table_force())
        most.append(max(forces))
    firm, compliant = most
    assert firm < max(31.5, 1.1 * compliant)


def test_a_law_that_was_warmed_up_holds_and_remembers_nothing() -> None:
    stage = ArmStage()
    controller = stage.controller
    warm_up(controller)
    assert (controller.mode, controller.is_at_rest, controller.ended()) == ("hold", True, None)
    assert not controller.tau.any()
    assert controller.outliers == 0
    stage.run(0.3)
    assert np.abs(stage.q - np.array(HOME)).max() < 1e-4
