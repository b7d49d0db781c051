"""A node with a life cycle: it says on /managed what it does; options for what goes wrong in transitions."""

from __future__ import annotations

import argparse
import os
import signal
import time
from collections.abc import Sequence

import rclpy
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from std_msgs.msg import String


class Managed(LifecycleNode):  # type: ignore[misc]  # rclpy has no types here
    """It publishes while it is active."""

    def __init__(self, trouble: str) -> None:
        super().__init__("managed")
        self.trouble = dict([trouble.split("=")]) if trouble else {}
        self.said = self.create_publisher(String, "/managed", 10)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self.went("configure")

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self.went("activate")

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self.went("deactivate")

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        return self.went("cleanup")

    def went(self, transition: str) -> TransitionCallbackReturn:
        match self.trouble.get(transition):
            case "dies":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hangs":
                time.sleep(3600)
            case "refuses":
                return TransitionCallbackReturn.FAILURE
        self.said.publish(String(data=transition))
        return TransitionCallbackReturn.SUCCESS


def main(argv: Sequence[str] | None = None) -> None:
    """Until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--trouble", default="", metavar="TRANSITION=HOW", help="dies, hangs or refuses")
    choice, others = parser.parse_known_args(argv)
    rclpy.init(args=others)
    rclpy.spin(Managed(choice.trouble))


if __name__ == "__main__":
    main()
