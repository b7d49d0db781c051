"""What drivers of simulated arms, grippers and bases share: their loop runs in the world's process.

The world has to know them before it starts, so the controller manager asks each driver for `arguments` then;
`provide` only looks up what the world has made of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from framework.errors import ResourceUnavailable
from framework.plugins.driver import Driver
from framework.plugins.parameters import param
from resources.children.arguments import ControlArguments, MechanismParameters, as_told
from resources.types.control import SimulatedControl, SimulationHandle
from resources.types.motion import ControllerKind


class SimulatedMechanism(Driver):
    """Base of drivers whose device moves in the simulated world."""

    moves: ClassVar[ControllerKind]
    """What it is; `kind` says the same."""

    parameters: MechanismParameters
    world: str = param(default="inspection", doc="the world it moves in")

    def arguments(self, device: str, mount: str, orders: Path) -> ControlArguments:
        """What the world is told of it; orders: its mailbox. DescriptionError if it will not do."""
        # A base is the one of its world, wherever it is mounted.
        part = "" if self.moves is ControllerKind.BASE else prefix_of(mount)
        return ControlArguments(
            device=device, kind=self.moves, part=part, orders=str(orders), **as_told(self.parameters)
        )

    def found(self, simulation: SimulationHandle, device: str) -> SimulatedControl:
        """What the world has made of it. Raises ResourceUnavailable if it moves no such device."""
        for control in simulation.controls:
            if control.device == device and control.kind is self.moves:
                return control
        moving = ", ".join(control.device for control in simulation.controls) or "nothing"
        raise ResourceUnavailable(
            f"the simulated world {simulation.world!r} moves no {self.kind} {device!r}; it moves {moving}"
        )


def prefix_of(mount: str) -> str:
    """How the names of what is mounted there begin in a world's model."""
    return f"{mount}_" if mount else ""
