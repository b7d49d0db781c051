"""Swings three joints of a Franka arm and returns: plain pylibfranka, as for a real arm.

Against the simulated control box, in two terminals:

    pilothouse fci-sim
    python docs/examples/fci_joint_motion.py 127.0.0.1

With a real arm: it moves by up to 45 degrees. Clear its surroundings, keep the stop button at hand.
"""

import math
import sys

from pylibfranka import ControllerMode, JointPositions, NetworkException, RealtimeConfig, Robot

DURATION_S = 2.5


def main() -> None:
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1"
    try:
        robot = Robot(address, RealtimeConfig.kIgnore)
    except NetworkException as refusal:
        sys.exit(
            f"no arm answers at {address}: is `pilothouse fci-sim` running, or FCI activated? ({refusal})"
        )
    robot.set_collision_behavior([20.0] * 7, [40.0] * 7, [20.0] * 6, [40.0] * 6)

    control = robot.start_joint_position_control(ControllerMode.JointImpedance)
    time_s = 0.0
    start: list[float] = []
    farthest = 0.0
    while True:
        state, period = control.readOnce()
        time_s += period.to_sec()
        start = start or list(state.q_d)
        angle = math.pi / 8 * (1 - math.cos(2 * math.pi * time_s / DURATION_S))
        goal = [q + (angle if joint in (3, 4, 6) else 0.0) for joint, q in enumerate(start)]
        farthest = max(farthest, state.q[3] - start[3])
        command = JointPositions(goal)
        command.motion_finished = time_s >= DURATION_S
        control.writeOnce(command)
        if command.motion_finished:
            break

    state = robot.read_once()
    error = max(abs(now - before) for now, before in zip(state.q, start, strict=True))
    print(f"joint 4 moved by {math.degrees(farthest):.1f} degrees and is back within {error:.4f} rad")


if __name__ == "__main__":
    main()
