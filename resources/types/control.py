"""Requests for what moves."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from resources.types.motion import ControllerKind, Joints7, LoopState
from resources.types.streams import IDENTITY, Pose7, StreamHandle


class SimulatedControl(msgspec.Struct, frozen=True):
    """A device that the simulated world moves, and whose control loop runs in its process.

    state: stream of `ArmSample`, `GripperSample` or `BaseSample`. frame: the body of the scene that the
    device's base frame is. home: an arm's home posture [rad], None of others. robot_T_base: its mounting
    in the robot's frame.
    """

    device: str
    kind: ControllerKind
    state: StreamHandle
    frame: str = ""
    home: Joints7 | None = None
    robot_T_base: Pose7 = IDENTITY


class SimulationHandle(msgspec.Struct, frozen=True):
    """The simulated world that runs: its state for mirrors, its body poses for whoever draws it.

    report: stream of `SimulationReport`. Files in the run directory: `scene`, the description of the
    scene (JSON); `things`, the named things as they stood at the start (JSON list of `KnownThing`);
    `model`, the compiled model, whose states carry `signature`. controls: what moves in it.
    """

    world: str
    state: StreamHandle
    poses: StreamHandle
    report: StreamHandle
    scene: str
    things: str
    model: str
    signature: int
    controls: tuple[SimulatedControl, ...] = ()


class ControlReport(msgspec.Struct, frozen=True, array_like=True):
    """A device that the world moves, and what its control loop says of itself."""

    device: str
    loop: LoopState


class ThingReport(msgspec.Struct, frozen=True, array_like=True):
    """What the world's own sensors say of a named thing: odometry of what is a robot's, contacts of a door.

    state: one of the thing's states, "" if it has none.
    """

    name: str
    world_T_thing: Pose7
    state: str = ""


class SimulationReport(msgspec.Struct, frozen=True, array_like=True):
    """What the simulated world says of itself, twenty times a second.

    time_s: simulated time [s]. real_time_factor: simulated per real time over the last second.
    lag_s: simulated time that is still to be caught up [s]; lost_s: what was given up for good [s].
    stopped: why nothing may move, or "". refused: commands refused so far; refusal: the last reason.
    things: those that no camera is needed for. controls: those that move.
    """

    time_s: float
    real_time_factor: float
    lag_s: float
    lost_s: float
    emergency: bool
    stopped: str
    refused: int = 0
    refusal: str = ""
    things: tuple[ThingReport, ...] = ()
    controls: tuple[ControlReport, ...] = ()


class Simulation(msgspec.Struct, frozen=True):
    """The simulated world of this installation. What is simulated depends on it."""

    handle_type: ClassVar[type] = SimulationHandle

    world: str = "inspection"

    def __str__(self) -> str:
        return f"simulated world {self.world}"


class SweepHandle(msgspec.Struct, frozen=True):
    """A wrist that sweeps: to and fro between `lower` and `upper` [rad] at `velocity` [rad/s]."""

    arm: str
    lower: float
    upper: float
    velocity: float


class WristSweep(msgspec.Struct, frozen=True):
    """Have an arm ("left", "right") sweep its last joint. Ask for it exclusively: it moves."""

    handle_type: ClassVar[type] = SweepHandle

    arm: str = "right"

    def __str__(self) -> str:
        return f"sweep of the {self.arm} wrist"
