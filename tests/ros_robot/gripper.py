"""A gripper of two fingers: a server for GripperCommand, and their joint on /joint_states, at 50 Hz.

Something may be between the fingers (--thing-m): they stall there.
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
from control_msgs.action import GripperCommand
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException
from sensor_msgs.msg import JointState

FASTEST = 0.05
HZ = 50.0


class Gripper:
    """Its finger, and where that is to go: both [m] of one finger."""

    def __init__(self, choice: argparse.Namespace, node: Any) -> None:
        self.choice, self.node = choice, node
        self.at = self.wanted = choice.at_m
        self.speed = 0.0
        self.began_s = self.last_s = time.monotonic()
        self.states = node.create_publisher(JointState, choice.states, 10)

    @property
    def is_stalled(self) -> bool:
        """Whether something is between the fingers, and they press on it."""
        return bool(self.wanted < self.at <= self.choice.thing_m / 2 + 1e-6)

    def turn(self) -> None:
        """A period on."""
        now_s = time.monotonic()
        passed_s, self.last_s = now_s - self.last_s, now_s
        before = self.at
        self.at += min(max(self.wanted - self.at, -FASTEST * passed_s), FASTEST * passed_s)
        if self.at < self.choice.thing_m / 2 <= before:
            self.at = self.choice.thing_m / 2
        self.speed = (self.at - before) / passed_s if passed_s else 0.0
        state = JointState(name=["panda_finger_joint1"], position=[self.at], velocity=[self.speed])
        state.header.stamp = self.node.get_clock().now().to_msg()
        if now_s - self.began_s > self.choice.nan_after_s:
            state.position[0] = math.nan
        self.states.publish(state)


async def move(gripper: Gripper, goal: Any) -> GripperCommand.Result:
    """Go to a position, until it is reached or something is in the way."""
    gripper.wanted = goal.request.command.position
    result = GripperCommand.Result()
    while True:
        await pause(gripper.node, 0.02)
        result.position = gripper.at
        result.stalled = gripper.is_stalled
        result.reached_goal = abs(gripper.at - gripper.wanted) < 1e-4
        if goal.is_cancel_requested:
            gripper.wanted = gripper.at
            goal.canceled()
            return result
        if (result.stalled or result.reached_goal) and not gripper.choice.never_ends:
            goal.succeed()
            return result


async def pause(node: Any, duration_s: float) -> None:
    """Let others run for so long."""
    future: Any = rclpy.task.Future()
    timer = node.create_timer(duration_s, lambda: future.set_result(None))
    await future
    node.destroy_timer(timer)


def main(argv: Sequence[str] | None = None) -> None:
    """Be a gripper until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--states", default="/joint_states")
    parser.add_argument("--action", default="/gripper_controller/gripper_cmd")
    parser.add_argument("--at-m", type=float, default=0.04, help="where a finger begins")
    parser.add_argument("--thing-m", type=float, default=0.0, help="how wide what is between the fingers is")
    parser.add_argument("--nan-after-s", type=float, default=math.inf, help="then its joint is no number")
    parser.add_argument("--refuses", action="store_true", help="it takes no goals")
    parser.add_argument("--never-ends", action="store_true", help="it takes goals, and ends none by itself")
    parser.add_argument("--keeps-on", action="store_true", help="it cannot be cancelled")
    parser.add_argument("--diary", type=Path, help="a file: a line a turn")
    choice = parser.parse_args(argv)

    stack = ExitStack()
    diary = stack.enter_context(choice.diary.open("w", buffering=1)) if choice.diary else None
    rclpy.init()
    node = rclpy.create_node("gripper")
    gripper = Gripper(choice, node)

    def turn() -> None:
        gripper.turn()
        if diary is not None:
            print(f"{time.monotonic():.4f}", gripper.speed, gripper.at, file=diary)

    node.create_timer(1.0 / HZ, turn)
    ActionServer(
        node,
        GripperCommand,
        choice.action,
        partial(move, gripper),
        callback_group=ReentrantCallbackGroup(),
        goal_callback=lambda _: GoalResponse.REJECT if choice.refuses else GoalResponse.ACCEPT,
        cancel_callback=lambda _: CancelResponse.REJECT if choice.keeps_on else CancelResponse.ACCEPT,
    )
    with stack, suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(node)


if __name__ == "__main__":
    main()
