"""The gripper's control box: requests in, replies and states out, a finger force for the physics.

Pure: `request` and `step` are called, nothing is sent. Position and speed are those of the simulated fingers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import Final

from resources.fci_sim.gripper_wire import (
    GRIPPER_VERSION,
    GripperCommand,
    GripperRequest,
    GripperStatus,
    gripper_connect_reply,
    gripper_reply,
    gripper_state,
)
from resources.fci_sim.physics import TIMESTEP_S, ArmPhysics
from resources.fci_sim.wire import ConnectStatus

MOST_SPEED_M_S: Final = 0.1
MOST_FORCE_N: Final = 140.0
TEMPERATURE: Final = 25

_HOLD_FORCE_N: Final = 20.0  # while moving to a width; fingers that meet more than this are blocked
_STIFFNESS: Final = 4000.0  # of a finger about the width it is led to [N/m]
_DAMPING: Final = 16.0  # near-critical for a finger of 15 g [N s/m]
_AT_WIDTH_M: Final = 2e-4
_STILL_M_S: Final = 1e-3
_BLOCKED_STEPS: Final = 100  # standing still for so long is being blocked


class _Doing(Enum):
    NOTHING = "nothing"
    MOVING = "moving"
    GRASPING = "grasping"
    HOMING = "homing"


class GripperBox:
    """One gripper. Replies go to the client that asked; `send(client, bytes)` takes them."""

    def __init__(self, physics: ArmPhysics, send: Callable[[int, bytes], None]) -> None:
        self._physics = physics
        self._send = send
        self._doing = _Doing.NOTHING
        self._asked: tuple[int, GripperRequest] | None = None  # client and request that are being carried out
        self._goal_m = self._led_m = physics.width_m
        self._speed = 0.05
        self._force_n = _HOLD_FORCE_N
        self._still = 0
        self._within: tuple[float, float] = (0.0, 0.0)
        self.max_width_m = 2.0 * physics.finger_limits.upper
        self.is_grasped = False
        self.force_n = 0.0  # of each finger, positive opens

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for the fingers to get somewhere."""
        return self._asked is not None

    def request(self, client: int, request: GripperRequest) -> None:
        """Take a request of a client; it is answered at once or when the fingers have come to rest."""
        match request.command:
            case GripperCommand.CONNECT:
                version = int(request.fields[0])
                right = version == GRIPPER_VERSION
                status = ConnectStatus.SUCCESS if right else ConnectStatus.INCOMPATIBLE_VERSION
                self._send(client, gripper_connect_reply(request.id, status))
            case GripperCommand.STOP:
                self._end(GripperStatus.ABORTED)
                self._goal_m = self._led_m = max(0.0, self._physics.width_m)
                self.is_grasped = False
                self._force_n = _HOLD_FORCE_N
                self._send(client, gripper_reply(request.command, request.id, GripperStatus.SUCCESS))
            case GripperCommand.HOMING:
                self._begin(client, request, _Doing.HOMING, self.max_width_m, 0.05, _HOLD_FORCE_N)
            case GripperCommand.MOVE:
                width, speed = request.fields
                if self._fits(width, speed):
                    self._begin(client, request, _Doing.MOVING, width, speed, _HOLD_FORCE_N)
                else:
                    self._send(client, gripper_reply(request.command, request.id, GripperStatus.FAIL))
            case GripperCommand.GRASP:
                self._grasp(client, request)

    def leave(self, client: int) -> None:
        """A client is gone; the fingers stop, unless they hold something."""
        if self._asked is not None and self._asked[0] == client:
            self._asked = None
            self._doing = _Doing.NOTHING
            self._goal_m = self._led_m = max(0.0, self._physics.width_m)

    def step(self) -> None:
        """One millisecond on: renews `force_n` and answers whoever waits."""
        physics = self._physics
        way = self._goal_m - self._led_m
        self._led_m += math.copysign(min(abs(way), self._speed * TIMESTEP_S), way)
        pull = _STIFFNESS * (self._led_m - physics.width_m) / 2 - _DAMPING * physics.finger_speed / 2
        self.force_n = min(max(pull, -self._force_n), self._force_n)
        self._still = self._still + 1 if abs(physics.finger_speed) < _STILL_M_S else 0
        if self.is_grasped and not self._is_within():
            self.is_grasped = False  # what was held is gone
        if self._asked is not None:
            self._judge()

    def state(self, message_id: int) -> bytes:
        """The state packet."""
        return gripper_state(
            message_id,
            width_m=self._physics.width_m,
            max_width_m=self.max_width_m,
            is_grasped=self.is_grasped,
            temperature=TEMPERATURE,
        )

    def _fits(self, width: float, speed: float) -> bool:
        # NaN fits nowhere.
        return 0.0 <= width <= self.max_width_m + 1e-6 and 0.0 < speed <= 10.0

    def _grasp(self, client: int, request: GripperRequest) -> None:
        width, inner, outer, speed, force = request.fields
        if not (self._fits(width, speed) and inner >= 0 and outer >= 0 and 0 < force <= 10 * MOST_FORCE_N):
            self._send(client, gripper_reply(request.command, request.id, GripperStatus.FAIL))
            return
        self._within = (width - inner, width + outer)
        # Led far enough below zero to press with the whole force, whatever is in between.
        force_n = min(force, MOST_FORCE_N)
        self._begin(client, request, _Doing.GRASPING, -0.01 - 2.0 * force_n / _STIFFNESS, speed, force_n)

    def _begin(
        self, client: int, request: GripperRequest, doing: _Doing, goal_m: float, speed: float, force_n: float
    ) -> None:
        self._end(GripperStatus.ABORTED)
        self._asked = (client, request)
        self._doing = doing
        self._goal_m = goal_m
        self._led_m = self._physics.width_m
        self._speed = min(speed, MOST_SPEED_M_S)
        self._force_n = force_n
        self._still = 0
        self.is_grasped = False

    def _judge(self) -> None:
        blocked = self._still >= _BLOCKED_STEPS
        match self._doing:
            case _Doing.GRASPING if blocked and self.force_n <= -0.99 * self._force_n:
                self.is_grasped = self._is_within()
                if not self.is_grasped:
                    self._goal_m = self._led_m = max(0.0, self._physics.width_m)
                self._end(GripperStatus.SUCCESS if self.is_grasped else GripperStatus.UNSUCCESSFUL)
            case _Doing.HOMING | _Doing.MOVING:
                there = abs(self._physics.width_m - self._goal_m) < _AT_WIDTH_M
                if there and self._still:
                    self._end(GripperStatus.SUCCESS)
                elif blocked and self._led_m == self._goal_m:
                    self._end(GripperStatus.UNSUCCESSFUL)

    def _is_within(self) -> bool:
        least, most = self._within
        return least < self._physics.width_m < most

    def _end(self, status: GripperStatus) -> None:
        self._doing = _Doing.NOTHING
        if self._asked is not None:
            client, request = self._asked
            self._asked = None
            self._send(client, gripper_reply(request.command, request.id, status))
