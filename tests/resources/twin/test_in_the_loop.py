"""Hardware in the loop: one controller, written for the simulation, moves it and what is measured alike."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.twin.fidelity import hardware_law, twin_model
from pilothouse.testbed.arm_stage import HOME, ArmStage
from resources.fci_sim import SimulatedControlBox
from resources.twin.in_the_loop import InTheLoop
from tests.resources.drivers.franka.wheel import needs_pylibfranka

Array = NDArray[np.float64]

STEPS = 1000

SAME_RAD = 0.002
"""What joints may differ by on the whole way, over which they turn by up to a radian. All three are without
friction here; homes differ in the fourth digit, fingers stand elsewhere, the box answers a period later."""


def simulated() -> Array:
    """Every tenth posture of the simulation alone (n, 7)."""
    loop = InTheLoop(twin_model(friction=False), hardware_law())
    loop.supersede(np.array(HOME), np.zeros(7), 0.0)
    trace = []
    for step in range(STEPS):
        if step % 10 == 0:
            trace.append(np.array(loop.data.qpos))
        loop.step()
    return np.array(trace)


def test_the_state_is_superseded_and_the_torque_stays_within_the_motors() -> None:
    class Greedy:
        seen: Array

        def control(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
            self.seen = np.concatenate([data.qpos, data.qvel, [data.time]])
            data.ctrl[:] = 1e3

    greedy = Greedy()
    torque = InTheLoop(twin_model(friction=False), greedy).tick(np.array(HOME), np.full(7, 0.1), 2.5)
    assert greedy.seen.tolist() == [*HOME, *[0.1] * 7, 2.5]
    assert torque.tolist() == [87.0] * 4 + [12.0] * 3


def test_the_same_controller_moves_an_arm_that_is_only_measured() -> None:
    expected = simulated()
    stage = ArmStage(q=HOME)
    loop = InTheLoop(twin_model(friction=False), hardware_law())
    trace = []
    for step in range(STEPS):
        if step % 10 == 0:
            trace.append(stage.q)
        stage.apply(loop.tick(stage.q, stage.dq, step * 0.001))
    apart = np.abs(np.array(trace) - expected).max()
    moved = np.abs(expected - expected[0]).max()
    assert moved > 0.2
    assert apart < SAME_RAD


@needs_pylibfranka
def test_the_same_controller_moves_the_control_box_through_pylibfranka() -> None:
    expected = simulated()
    with SimulatedControlBox(lock_step=True) as box:
        module = "tests.resources.twin.box_client"
        command = [sys.executable, "-m", module, box.address, str(STEPS)]
        root = Path(__file__).parents[3]
        run = subprocess.run(command, capture_output=True, timeout=40.0, check=False, cwd=root)
    assert run.returncode == 0, run.stderr.decode()
    trace = np.array(json.loads(run.stdout.splitlines()[-1]))
    assert trace.shape == (math.ceil(STEPS / 10), 7)
    assert np.abs(trace - expected).max() < SAME_RAD
