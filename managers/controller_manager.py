"""The controller manager: what moves, and the simulated world that moves in simulation.

It provides `Simulation` (the world's process) and `WristSweep` (an arm's last
joint swung to and fro, exclusively). Commands go to the process that makes the
motion, stamped with lease, generation, sequence and time; that process refuses
what is not the present holder's, and stops by itself when commands cease.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import LeaseError, ResourceUnavailable
from framework.registrar import CommandStamp, Lease, ResourceRegistrar, Supply
from framework.status import Severity
from framework.transport.interface import Transport
from framework.transport.ring import RingReader
from resources.children.arguments import WorldArguments
from resources.children.orders import Do, Grant, Rest, WorldOrder, encode_order
from resources.children.specs import world_spec
from resources.children.starting import handed_over
from resources.types.control import Simulation, SimulationHandle, SimulationReport, SweepHandle, WristSweep
from resources.types.processes import Process
from resources.worlds import commands

ARMS = {"left": commands.Part.LEFT_ARM, "right": commands.Part.RIGHT_ARM}

#: A motion that goes on is commanded anew this often [s]; the world gives up after 0.2 s of silence.
REPEAT_S = 0.05

#: How often a stopping part is looked at [s].
LOOK_S = 0.02


class ControllerManager:
    """Moves what may be moved, for whoever holds it.

    Args:
        directory: the run directory, where the world makes its streams.
        world: which world is simulated; "" on hardware.
        seed: of the world.
        monotonic_s: reads CLOCK_MONOTONIC, with which commands are stamped.
    """

    def __init__(
        self,
        transport: Transport,
        directory: Path,
        *,
        world: str,
        seed: int = 0,
        clock: Clock | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory = directory
        self._world = world
        self._seed = seed
        self._clock = clock or LoopClock()
        self._monotonic_s = monotonic_s
        self._process: Lease | None = None
        self.registrar = ResourceRegistrar("controller_manager", transport, clock=clock)
        self.registrar.provides(Simulation, start_timeout_s=60.0, stop_timeout_s=10.0)(self._simulation)
        self.registrar.provides(WristSweep, safe_stop_timeout_s=2.0)(self._wrist_sweep)

    async def __aenter__(self) -> ControllerManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    def arms(self) -> tuple[str, ...]:
        """The names of the arms that can be asked for here."""
        return tuple(ARMS) if self._world else ()

    def order(self, order: WorldOrder) -> None:
        """Tell the simulated world something that moves no robot. Raises ResourceUnavailable if none runs."""
        if self._world_is_gone():
            raise ResourceUnavailable(
                "the simulated world does not run just now"
                if self._world
                else "nothing is simulated here: this installation runs on hardware"
            )
        self._order(order)

    @asynccontextmanager
    async def _simulation(self, request: Simulation) -> AsyncIterator[SimulationHandle]:
        if request.world != self._world:
            simulated = repr(self._world) if self._world else "nothing: this installation runs on hardware"
            raise ResourceUnavailable(
                f"the world {request.world!r} is not simulated here; what is, is {simulated}"
            )
        spec = world_spec(WorldArguments(str(self._directory), request.world, self._seed))
        async with self.registrar.request(Process(spec)) as process:
            self._process = process
            try:
                yield handed_over(process, SimulationHandle)
            finally:
                self._process = None

    @asynccontextmanager
    async def _wrist_sweep(self, request: WristSweep, supply: Supply) -> AsyncIterator[SweepHandle]:
        part = ARMS.get(request.arm)
        if part is None:
            raise ResourceUnavailable(f"there is no arm {request.arm!r}; there are {', '.join(ARMS)}")
        async with self.registrar.request(Simulation(self._world)) as simulation:
            with RingReader(Path(simulation.value.report.ring)) as report:
                motion = Motion(
                    self._order,
                    part,
                    report,
                    self._clock,
                    self._monotonic_s,
                    is_gone=self._world_is_gone,
                    voided=supply.fail,
                )
                supply.on_holder(motion.held_by)
                supply.declare_safe_stop(motion.come_to_rest)
                sweep = commands.WristSweep(0.0, part)
                motion.repeat(sweep)
                try:
                    yield SweepHandle(request.arm, sweep.lower, sweep.upper, sweep.velocity)
                finally:
                    await motion.end()

    def _world_is_gone(self) -> bool:
        """Whether its process is lost, and with it everything that moved."""
        return self._process is None or self._process.status.severity is Severity.FATAL

    def _order(self, order: WorldOrder) -> None:
        """Tell the world's process; one that is gone stops its parts by itself."""
        if self._process is not None:
            try:
                self._process.send(encode_order(order))
            except LeaseError:
                self._process = None


class Motion:
    """A motion of one part that goes on for as long as somebody holds it.

    Args:
        order: tells the world's process.
        report: the world's stream of `SimulationReport`.
        is_gone: whether the world is lost: then nothing moves, and no report will say so.
        voided: told, in words, when an emergency stop has ended the grant: it has to be asked for anew.
    """

    def __init__(
        self,
        order: Callable[[WorldOrder], None],
        part: commands.Part,
        report: RingReader,
        clock: Clock,
        monotonic_s: Callable[[], float],
        *,
        is_gone: Callable[[], bool],
        voided: Callable[[str], None],
    ) -> None:
        self._order = order
        self._is_gone = is_gone
        self._voided = voided
        self._part = part
        self._report = report
        self._clock = clock
        self._monotonic_s = monotonic_s
        self._lease = ""
        self._generation = 0
        self._sequence = 0
        self._repeating: asyncio.Task[None] | None = None

    def held_by(self, lease: str, generation: int) -> None:
        """The commanding lease has changed: the world hears it before any command under it."""
        self._lease = lease
        self._generation = generation
        self._sequence = 0
        self._order(Grant(self._part, lease, generation))

    def repeat(self, command: commands.WristSweep) -> None:
        """Command this from now on, whenever somebody holds the part."""
        self._repeating = asyncio.create_task(self._repeat(command), name=f"motion of {self._part.value}")

    async def come_to_rest(self) -> None:
        """Stop, and wait until the world reports that the part stands still."""
        self._order(Rest(self._part))
        since = self._report.sequence
        while not self._is_gone() and not self._is_at_rest(since):
            await self._clock.sleep(LOOK_S)

    async def end(self) -> None:
        """No more commands."""
        if self._repeating is not None:
            self._repeating.cancel()
            await asyncio.gather(self._repeating, return_exceptions=True)

    async def _repeat(self, command: commands.WristSweep) -> None:
        while True:
            if self._lease and self._is_stopped():
                self._voided(f"the emergency stop has ended the motion of {self._part.value}")
                return
            if self._lease:
                self._sequence += 1
                stamp = CommandStamp(self._lease, self._generation, self._sequence, self._monotonic_s())
                self._order(Do(stamp, command))
            await self._clock.sleep(REPEAT_S)

    def _is_at_rest(self, since: int) -> bool:
        """Whether a report made after `since` says so."""
        report = self._latest(since)
        if report is None:
            return self._report.closed
        return any(part.part == self._part.value and part.at_rest for part in report.parts)

    def _is_stopped(self) -> bool:
        """Whether the world says that the emergency stop is set."""
        report = self._latest(0)
        return report is not None and report.emergency

    def _latest(self, since: int) -> SimulationReport | None:
        sample = self._report.latest(since)
        return None if sample is None else msgspec.msgpack.decode(sample.payload, type=SimulationReport)
