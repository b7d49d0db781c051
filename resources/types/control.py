"""Requests for what moves."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from resources.types.streams import StreamHandle


class SimulationHandle(msgspec.Struct, frozen=True):
    """The simulated world that runs: its state for mirrors, its body poses for whoever draws it.

    scene: path of the scene's description (JSON) in the run directory.
    """

    world: str
    state: StreamHandle
    poses: StreamHandle
    scene: str


class Simulation(msgspec.Struct, frozen=True):
    """The simulated world of this installation. What is simulated depends on it."""

    handle_type: ClassVar[type] = SimulationHandle

    world: str = "inspection"


class SweepHandle(msgspec.Struct, frozen=True):
    """A wrist that sweeps: joint angles to and fro between `lower` and `upper` [rad] at `velocity` [rad/s]."""

    arm: str
    lower: float
    upper: float
    velocity: float


class WristSweep(msgspec.Struct, frozen=True):
    """Have an arm ("left", "right") sweep its last joint. Ask for it exclusively: it moves."""

    handle_type: ClassVar[type] = SweepHandle

    arm: str = "right"
