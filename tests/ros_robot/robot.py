"""The whole robot: every part a process of its own, and its end the end of all.

.venv-ros/bin/python -m tests.ros_robot.robot [--without PART …] [--only PART …]
"""

from __future__ import annotations

import argparse
import importlib.util
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

PARTS = {
    "base": "takes /cmd_vel, says where it is on /odom and /tf",
    "arm": "takes /forward_position_controller/commands, says where its joints are on /joint_states",
    "gripper": "serves /gripper_controller/gripper_cmd, says how far it is open on /joint_states",
    "scanner": "scans on /front/scan",
    "camera": "pictures on /front",
    "spinner": "points on /mast/points",
    "mounts": "says on /tf_static where the sensors sit",
}
"""What it may have; a part whose program is not there is left out."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run until interrupted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--without", nargs="*", default=(), choices=PARTS)
    parser.add_argument("--only", nargs="*", default=(), choices=PARTS)
    choice = parser.parse_args(argv)
    wanted = [part for part in choice.only or PARTS if part not in choice.without]
    parts: dict[str, subprocess.Popen[bytes]] = {}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for part in wanted:
            module = f"tests.ros_robot.{part}"
            if importlib.util.find_spec(module) is None:
                continue
            parts[part] = subprocess.Popen([sys.executable, "-m", module], stdin=subprocess.DEVNULL)
            print(f"{part:8} {parts[part].pid:7}  {PARTS[part]}", flush=True)
        while parts:
            for part, process in list(parts.items()):
                if process.poll() is not None:
                    print(f"{part} has ended with {process.returncode}", flush=True)
                    del parts[part]
            time.sleep(0.2)
    except KeyboardInterrupt:
        pass
    finally:
        for process in parts.values():
            process.terminate()
        for process in parts.values():
            process.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
