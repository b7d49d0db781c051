"""`Simulation`: the simulated world's process, with all control loops that run in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from framework.errors import LeaseError, ResourceUnavailable, StreamError
from framework.registrar import Lease, Supply
from framework.status import Severity
from framework.transport.ring import RingReader
from framework.unreadable import UNREADABLE
from resources.children.arguments import ControlArguments, WorldArguments
from resources.children.orders import WorldOrder, encode_order
from resources.children.specs import world_spec
from resources.children.starting import handed_over
from resources.types.control import SimulatedControl, Simulation, SimulationHandle, SimulationReport
from resources.types.motion import LoopState
from resources.types.processes import Process


class SimulatedWorld:
    """Provides `Simulation`.

    Args:
        world: which world is simulated; "" on hardware.
        scene: the file that describes it; "" of one that is ours.
        controls: what moves in it, asked for at each start.
    """

    def __init__(
        self,
        world: str,
        seed: int,
        directory: Path,
        controls: Callable[[], tuple[ControlArguments, ...]],
        *,
        scene: str = "",
    ) -> None:
        self.name = world
        self._seed = seed
        self._directory = directory
        self._controls = controls
        self._scene = scene
        self._process: Lease | None = None
        self._handle: SimulationHandle | None = None
        self._reports: RingReader | None = None
        self._seen = 0
        self._loops: dict[str, LoopState] = {}

    @asynccontextmanager
    async def provide(self, request: Simulation, supply: Supply) -> AsyncIterator[SimulationHandle]:
        """The world, running."""
        if request.world != self.name:
            simulated = repr(self.name) if self.name else "nothing: this installation runs on hardware"
            raise ResourceUnavailable(
                f"the world {request.world!r} is not simulated here; what is, is {simulated}"
            )
        arguments = WorldArguments(
            str(self._directory), request.world, self._seed, scene=self._scene, controls=self._controls()
        )
        async with supply.request(Process(world_spec(arguments))) as process:
            self._process, self._handle = process, handed_over(process, SimulationHandle)
            try:
                yield self._handle
            finally:
                self._forget()

    def loops(self) -> dict[str, LoopState]:
        """How the control loops in it are, by device, whoever uses them; nothing while it is not up."""
        if self._handle is None:
            return {}
        try:
            if self._reports is None:
                self._reports = RingReader(Path(self._handle.report.ring))
            sample = self._reports.latest(self._seen)
            if sample is not None:
                self._seen = sample.sequence
                report = msgspec.msgpack.decode(sample.payload, type=SimulationReport)
                self._loops = {each.device: each.loop for each in report.controls}
        except (StreamError, *UNREADABLE):
            return {}  # it has just ended, or sends garbage: whoever watches its process finds out
        return self._loops

    def controls(self) -> tuple[SimulatedControl, ...]:
        """What moves in it; nothing while it is not up."""
        return self._handle.controls if self._handle is not None else ()

    def order(self, order: WorldOrder) -> None:
        """Tell the world something that moves no robot. Raises ResourceUnavailable if none runs."""
        process = self._process
        if process is None or process.status.severity is Severity.FATAL:
            raise ResourceUnavailable(
                "the simulated world does not run just now"
                if self.name
                else "nothing is simulated here: this installation runs on hardware"
            )
        try:
            process.send(encode_order(order))
        except LeaseError as error:
            raise ResourceUnavailable("the simulated world has just ended") from error

    def _forget(self) -> None:
        """It has ended."""
        if self._reports is not None:
            self._reports.close()
        self._process = self._handle = self._reports = None
        self._seen, self._loops = 0, {}
