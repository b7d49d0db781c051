"""Hardware in the loop on the simulated control box: a controller written for the simulation, unchanged.

`python -m tests.resources.twin.box_client ADDRESS STEPS` prints every tenth posture, as JSON.
A process of its own, since pylibfranka never lets go of the interpreter.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import pylibfranka as fci

from pilothouse.experiments.twin.fidelity import hardware_law, twin_model
from resources.twin.in_the_loop import InTheLoop


def main(address: str, steps: int) -> None:
    robot = fci.Robot(address, fci.RealtimeConfig.kIgnore)
    robot.set_collision_behavior([80.0] * 7, [80.0] * 7, [80.0] * 6, [80.0] * 6)
    loop = InTheLoop(twin_model(friction=False), hardware_law())
    control = robot.start_torque_control()
    trace = []
    for step in range(steps):
        state, _ = control.readOnce()
        if step % 10 == 0:
            trace.append(list(state.q))
        torque = loop.tick(np.array(state.q), np.array(state.dq), step * 0.001)
        command = fci.Torques(torque.tolist())
        command.motion_finished = step == steps - 1
        control.writeOnce(command)
    print(json.dumps(trace))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
