"""The driver of a simulated mobile base: asks for the world, whose process runs the base's control loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.plugins.driver import DeviceContext
from framework.plugins.parameters import param
from resources.controllers.base_ramp import BASE_LIMITS
from resources.drivers.simulated.mechanism import SimulatedMechanism
from resources.types.arms import BaseHandle
from resources.types.control import Simulation
from resources.types.motion import ControllerKind


class SimulatedBase(SimulatedMechanism):
    """A simulated base that drives in any direction, looked out for by laser scanners."""

    name: ClassVar[str] = "simulated_base"
    kind: ClassVar[str] = "base"
    moves: ClassVar[ControllerKind] = ControllerKind.BASE

    lidars: tuple[str, ...] = param(default=(), doc="devices whose scans stop it before it touches something")

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[BaseHandle]:
        """The base, with its loop running. Raises what its requests raise."""
        async with device.request(Simulation(self.world)) as simulation:
            control = self.found(simulation.value, device.name)
            yield BaseHandle(
                device=device.name,
                driver=self.name,
                state=control.state,
                max_speed=BASE_LIMITS.speed,
                max_turn=BASE_LIMITS.turn,
                guards=self.lidars,
                frame=control.frame,
            )
