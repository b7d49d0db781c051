"""An arm of seven joints: says where they are on /joint_states, at 100 Hz, and follows commands.

By positions (Float64MultiArray), as ros2_control's forward_command_controller: each joint goes to the newest
point, within its speed. By velocities (the same message) it goes on with the newest for .1 s, then it stands.
By trajectories (JointTrajectory) it takes the last point of the newest. Besides there is a server for
FollowJointTrajectory. A controller that is off (--off-after-s) follows nothing, and forgets what it was told.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import rclpy
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

JOINTS = tuple(f"panda_joint{number}" for number in range(1, 8))
READY = (0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398)
FASTEST = 2.0
WATCHDOG_S = 0.1
HZ = 100.0


class Arm:
    """Its joints, and what they follow."""

    def __init__(self, choice: argparse.Namespace, node: Any) -> None:
        self.choice, self.node = choice, node
        self.q = list(READY)
        self.dq = [0.0] * 7
        self.wanted: list[float] | None = None
        self.wanted_s = -math.inf
        self.began_s = self.last_s = time.monotonic()
        self.states = node.create_publisher(JointState, choice.states, 10)

    def is_on(self, now_s: float) -> bool:
        """Whether its controller follows anything."""
        passed_s = now_s - self.began_s
        return not self.choice.off_after_s <= passed_s < self.choice.on_after_s

    def take(self, wanted: Sequence[float]) -> None:
        """The newest command."""
        if len(wanted) == 7 and all(map(math.isfinite, wanted)):
            self.wanted, self.wanted_s = list(wanted), time.monotonic()

    def turn(self) -> None:
        """A period on."""
        now_s = time.monotonic()
        passed_s, self.last_s = min(now_s - self.last_s, 0.1), now_s
        if not self.is_on(now_s):
            self.wanted = None
        before = list(self.q)
        for joint in range(7):
            self.q[joint] += self._way(joint, passed_s, now_s)
        self.dq = [(at - was) / passed_s if passed_s else 0.0 for at, was in zip(self.q, before, strict=True)]
        self._say(now_s)

    def _way(self, joint: int, passed_s: float, now_s: float) -> float:
        if self.wanted is None or joint + 1 == self.choice.stuck:
            return 0.0
        most = FASTEST * passed_s
        if self.choice.by == "velocities":
            if now_s - self.wanted_s > WATCHDOG_S:
                return 0.0
            return min(max(self.wanted[joint] * passed_s, -most), most)
        return min(max(self.wanted[joint] - self.q[joint], -most), most)

    def _say(self, now_s: float) -> None:
        passed_s = now_s - self.began_s
        state = JointState()
        state.header.stamp = self.node.get_clock().now().to_msg()
        # Fingers first, and the joints from the last to the first: names count, not places.
        names = [name for name in reversed(JOINTS) if name != self.choice.without]
        at = dict(zip(JOINTS, zip(self.q, self.dq, strict=True), strict=True))
        state.name = ["finger", *names]
        state.position = [0.02, *(at[name][0] for name in names)]
        state.velocity = [0.0, *(at[name][1] for name in names)]
        if passed_s > self.choice.nan_after_s:
            state.position[3] = math.nan
        self.states.publish(state)


async def follow(arm: Arm, goal: Any) -> FollowJointTrajectory.Result:
    """Go through the points of a trajectory, in time."""
    result = FollowJointTrajectory.Result()
    trajectory = goal.request.trajectory
    began_s = time.monotonic()
    for point in trajectory.points:
        at_s = point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec
        while time.monotonic() - began_s < at_s or arm.choice.never_ends:
            if goal.is_cancel_requested:
                arm.take(arm.q)
                goal.canceled()
                return result
            await pause(arm.node, 0.01)
        places = [trajectory.joint_names.index(name) for name in JOINTS]
        arm.take([point.positions[place] for place in places])
    goal.succeed()
    return result


async def pause(node: Any, duration_s: float) -> None:
    """Let others run for so long."""
    future: Any = rclpy.task.Future()
    timer = node.create_timer(duration_s, lambda: future.set_result(None))
    await future
    node.destroy_timer(timer)


def main(argv: Sequence[str] | None = None) -> None:
    """Be an arm until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--states", default="/joint_states")
    parser.add_argument("--commands", default="/forward_position_controller/commands")
    parser.add_argument("--by", choices=("positions", "velocities", "trajectory"), default="positions")
    parser.add_argument("--nan-after-s", type=float, default=math.inf, help="then a joint is no number")
    parser.add_argument("--off-after-s", type=float, default=math.inf, help="then its controller is off")
    parser.add_argument("--on-after-s", type=float, default=math.inf, help="then it is on again")
    parser.add_argument("--stuck", type=int, default=0, help="a joint that does not move: 1 to 7")
    parser.add_argument("--without", default="", help="a joint that it does not tell of")
    parser.add_argument("--refuses", action="store_true", help="it takes no goals")
    parser.add_argument("--never-ends", action="store_true", help="it takes goals, and never ends one")
    parser.add_argument("--diary", type=Path, help="a file: a line a turn")
    parser.add_argument("--heard", type=Path, help="a file: a line a command")
    choice = parser.parse_args(argv)

    stack = ExitStack()
    diary = stack.enter_context(choice.diary.open("w", buffering=1)) if choice.diary else None
    heard = stack.enter_context(choice.heard.open("w", buffering=1)) if choice.heard else None
    rclpy.init()
    node = rclpy.create_node("arm")
    arm = Arm(choice, node)

    def take(wanted: Sequence[float]) -> None:
        if heard is not None:
            print(f"{time.monotonic():.4f}", *wanted, file=heard)
        arm.take(wanted)

    def take_trajectory(message: JointTrajectory) -> None:
        at = dict(zip(message.joint_names, message.points[-1].positions, strict=True))
        take([at[name] for name in JOINTS])

    newest = QoSProfile(depth=1)
    if choice.by == "trajectory":
        node.create_subscription(JointTrajectory, choice.commands, take_trajectory, newest)
    else:
        node.create_subscription(Float64MultiArray, choice.commands, lambda m: take(m.data), newest)

    def turn() -> None:
        arm.turn()
        if diary is not None:
            print(f"{time.monotonic():.4f}", *arm.dq, *arm.q, file=diary)

    node.create_timer(1.0 / HZ, turn)
    ActionServer(
        node,
        FollowJointTrajectory,
        "/joint_trajectory_controller/follow_joint_trajectory",
        partial(follow, arm),
        callback_group=ReentrantCallbackGroup(),
        goal_callback=lambda _: GoalResponse.REJECT if choice.refuses else GoalResponse.ACCEPT,
        cancel_callback=lambda _: CancelResponse.ACCEPT,
    )
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    with stack, suppress(KeyboardInterrupt, ExternalShutdownException):
        executor.spin()


if __name__ == "__main__":
    main()
