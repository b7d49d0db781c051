"""One running motion of an arm: what was asked for, how its commands arrive, and what they come to.

Turns the command of a period (or its absence) into a torque or the flag of a reflex.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from resources.fci_sim.controllers import InternalControllers
from resources.fci_sim.end_effector import EndEffector
from resources.fci_sim.flags import Flag
from resources.fci_sim.limits import Limits
from resources.fci_sim.motion import MotionGenerator, NoGenerator, Reference, Targets, generator
from resources.fci_sim.wire import (
    Controller,
    Generator,
    Request,
    RobotCommand,
    StateController,
    StateGenerator,
)

Array = NDArray[np.float64]

MOST_MISSED: Final = 20  # commands in a row
FIRST_COMMAND_WITHIN: Final = 1000  # periods; what is missing before it is not counted as lost
_RATE_OVER: Final = 100  # periods


class MoveRequest:
    """The fields of a Move, checked. `problem` says what is wrong with them, "" if nothing is."""

    def __init__(self, request: Request) -> None:
        fields = request.fields
        self.id = request.id
        self.problem = ""
        controller, kind = int(fields[0]), int(fields[1])
        self.path_m, self.path_rad = fields[2], fields[3]
        self.is_asynchronous = bool(fields[8])
        self.velocities: Array = np.nan_to_num(np.array(fields[9:16]))
        if controller not in tuple(Controller) or kind not in tuple(Generator):
            self.problem = f"there is no controller {controller} or no motion generator {kind}"
            controller, kind = Controller.EXTERNAL, Generator.NONE
        self.controller, self.generator = Controller(controller), Generator(kind)
        if not all(math.isfinite(value) and value >= 0 for value in fields[2:8]):
            self.problem = f"deviations have to be finite and at least 0, not {fields[2:8]}"
        elif self.generator is Generator.NONE and self.controller is not Controller.EXTERNAL:
            self.problem = "a motion without motion generator needs the external controller"
        elif self.is_asynchronous and self.generator is not Generator.JOINT_POSITION:
            self.problem = f"only joint positions can be asynchronous, not {self.generator.name}"

    def __str__(self) -> str:
        names = f"{self.generator.name} with {self.controller.name}"
        return f"{names}, asynchronous" if self.is_asynchronous else names


class ArmMotion:
    """From the Move to its end."""

    def __init__(
        self,
        asked: MoveRequest,
        reference: Reference,
        limits: Limits,
        end_effector: EndEffector,
        controllers: InternalControllers,
    ) -> None:
        self.asked = asked
        self.id = asked.id
        self.has_command = False
        self.steps = 0
        self.missed_in_row = 0
        self.missed = 0
        self.torque: Array | list[float] = np.zeros(7)  # (7,) wanted, without the weight [N m]
        self._reference = reference
        self._limits = limits
        self._controllers = controllers
        self._end_effector = end_effector
        self._tau: tuple[float, ...] = (0.0,) * 7  # of the external controller
        self._answered: deque[bool] = deque(maxlen=_RATE_OVER)
        self._generator: MotionGenerator
        if asked.generator is Generator.NONE:
            self._generator = NoGenerator()
        elif asked.is_asynchronous:
            self._generator = Targets(reference, limits, asked.velocities)
        else:
            self._generator = generator(asked.generator, reference, limits, end_effector)
        if asked.controller is Controller.EXTERNAL:
            controllers.leave()

    @property
    def state_generator(self) -> StateGenerator:
        """As states tell it."""
        return StateGenerator(self.asked.generator + 1)

    @property
    def state_controller(self) -> StateController:
        """As states tell it."""
        return StateController(self.asked.controller)

    @property
    def reference(self) -> Reference | None:
        """Where the arm is wanted; None if the client makes the torques."""
        return None if self.asked.generator is Generator.NONE else self._reference

    @property
    def success_rate(self) -> float:
        """Share of the last hundred periods that had their command."""
        return sum(self._answered) / len(self._answered) if self._answered else 0.0

    def advance(self, command: RobotCommand | None) -> Flag | None:
        """One period on: renews `torque`, or names the reflex."""
        self.steps += 1
        flag = self._without() if command is None else self._with(command)
        if flag is None:
            match self.asked.controller:
                case Controller.JOINT_IMPEDANCE:
                    self.torque = self._controllers.hold_joints(self._reference)
                case Controller.CARTESIAN_IMPEDANCE:
                    self.torque = self._controllers.hold_pose(self._reference)
                case Controller.EXTERNAL:
                    self.torque = list(self._tau)
        return flag

    def finish(self) -> Flag | None:
        """The client has no more commands: may it end like this?"""
        return self._generator.finish()

    def strays(self, pose: Array) -> bool:
        """Whether the end effector, at `pose` (4, 4), is farther from its path than the Move allows."""
        if self.asked.generator is Generator.NONE:
            return False
        way = self._reference.pose[:3, 3] - pose[:3, 3]
        return float(way @ way) > self.asked.path_m**2

    def _with(self, command: RobotCommand) -> Flag | None:
        # Since the last command, or since the motion began: a late start has had as many periods to rise in.
        periods = self.missed_in_row + 1 if self.has_command else self.steps
        self.missed_in_row = 0
        self.has_command = True
        self._answered.append(True)
        if self.asked.controller is Controller.EXTERNAL:
            flag = self._limits.torque_command(command.tau, self._tau, periods)
            if flag is not None:
                return flag
            self._tau = command.tau
        return self._generator.command(command)

    def _without(self) -> Flag | None:
        if self.asked.is_asynchronous:
            return self._generator.missed()
        if not self.has_command:
            late = self.steps > FIRST_COMMAND_WITHIN
            return Flag.COMMUNICATION_CONSTRAINTS_VIOLATION if late else None
        self._answered.append(False)
        self.missed += 1
        self.missed_in_row += 1
        if self.missed_in_row > MOST_MISSED:
            return Flag.COMMUNICATION_CONSTRAINTS_VIOLATION
        return self._generator.missed()
