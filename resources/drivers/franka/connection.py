"""Opening an arm or its gripper: connect, set what is to be set, look if it is as described. In children.

Every call may block, and one that the arm does not answer blocks for good: each is announced on standard
output, so that whoever ends the frozen process can say what it was waiting for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from framework.errors import ResourceUnavailable
from resources.arms.pose import Pose, compose
from resources.drivers.franka.arguments import FciArmArguments, FciGripperArguments, Realtime
from resources.drivers.franka.events import WHAT_TO_LOOK_AT, Event, event_of, no_real_time
from resources.drivers.franka.reaching import ARM_PORT, reach
from resources.drivers.franka.states import Mode, RobotState, column_major, frame, mode_of

#: Above what else runs, below the kernel's own watchdogs.
PRIORITY: Final = 80


class Connection:
    """One arm, connected. Raises ResourceUnavailable, in words, if it cannot be.

    Attributes:
        robot: the `pylibfranka.Robot`.
        is_configured: whether the arm has our settings; it takes them only while it is idle.
    """

    def __init__(self, library: Any, arguments: FciArmArguments) -> None:
        self._arguments = arguments
        self.is_configured = False
        enforced = arguments.realtime is Realtime.ENFORCE
        config = library.RealtimeConfig.kEnforce if enforced else library.RealtimeConfig.kIgnore
        with connecting(arguments, ARM_PORT):
            self.robot: Any = library.Robot(arguments.address, config)
            self.first: RobotState = self.robot.read_once()
            if mode_of(self.first) is Mode.IDLE:
                self.configure()
                self.first = self.robot.read_once()

    @property
    def flange_T_tool(self) -> Pose:
        """Where the tool point is, once the arm is configured."""
        if self._arguments.end_effector is None:
            return frame(self.first.F_T_EE)
        x, y, z, qx, qy, qz, qw = self._arguments.end_effector
        return compose(frame(self.first.F_T_NE), Pose((x, y, z), (qx, qy, qz, qw)))

    def configure(self) -> None:
        """Thresholds, payload and end effector. Raises what pylibfranka raises."""
        arguments, robot = self._arguments, self.robot
        torques, forces = arguments.collision_torques, arguments.collision_forces
        contact = [0.5 * each for each in torques], [0.5 * each for each in forces]
        _ask(
            "setting collision thresholds",
            lambda: robot.set_collision_behavior(contact[0], torques, contact[1], forces),
        )
        if arguments.payload_kg:
            xx, yy, zz = arguments.payload_inertia
            tensor = [xx, 0.0, 0.0, 0.0, yy, 0.0, 0.0, 0.0, zz]
            _ask(
                "setting the payload",
                lambda: robot.set_load(arguments.payload_kg, arguments.payload_centre_m, tensor),
            )
        pose = arguments.end_effector
        if pose is not None:
            _ask("setting the end effector", lambda: robot.set_EE(column_major(pose)))
        self.is_configured = True


@contextmanager
def connecting(arguments: FciArmArguments | FciGripperArguments, port: int) -> Iterator[None]:
    """Around what opens an arm or its gripper. Raises ResourceUnavailable, in words, if that cannot be.

    Nothing is waited for at an address where nobody answers.
    """
    who = f"{arguments.device} at {arguments.address}"
    reach(who, arguments.address, port)
    print(
        f"connecting to {who}: it was reached, but has not answered yet; {WHAT_TO_LOOK_AT}",
        flush=True,
    )
    try:
        yield
    except Exception as error:  # pylibfranka's have no base of their own
        event = event_of(error)
        if event is None:
            raise
        raise ResourceUnavailable(f"{who}: {event.words}") from None


def _ask(what: str, call: Callable[[], object]) -> None:
    print(f"{what}: the arm has not answered yet", flush=True)
    call()
    print(f"{what}: done", flush=True)


def run_in_real_time(wanted: Realtime) -> Event | None:
    """Have this process scheduled before all others; says so if it may not be."""
    try:
        if wanted is Realtime.NONE:
            # pylibfranka has asked for the highest priority by itself.
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            return None
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except OSError as error:
        return no_real_time(f"this process may not have a real-time priority ({error.strerror})")
    return None


def keep_in_memory() -> None:
    """Page nothing out that is there now; without effect where that is not permitted."""
    import ctypes

    # Not what comes later: where little may be locked, that would make allocations fail.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mlockall(1)  # MCL_CURRENT
