"""A harness of seven registrars in which everything goes wrong by chance, on the virtual clock.

Chains over four registrars, a safe stop, exclusive leases that are preempted, an optional
dependency, scripted children that restart or do not, a sensor with substitutes, and clients that
come, go, are cancelled and vanish. One seed gives one run, whose journals are the same byte for byte.

    python -m tests.faults.random_registrars SEED FAULTS      prints a digest of the journals
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import random
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from framework.errors import Preempted, ResourceFailed, ResourceUnavailable
from framework.plugins.driver import DeviceContext, Driver, driver_spec
from framework.processes.spec import ProcessSpec, RestartPolicy
from framework.registrar import ResourceRegistrar, Supply
from framework.status import Severity
from framework.testing import FaultPlan, VirtualLoop, random_faults, run_on
from framework.testing.children import Dies, Hangs, Script, ScriptedLauncher, ScriptedLife, TalksNonsense
from framework.transport.local import LocalTransport
from managers.process_manager import ProcessManager
from managers.sensor_manager import SensorManager
from resources.robots.description import DeviceDescription, RobotDescription
from resources.types.processes import Process
from tests.faults.random_user import NAMES, User
from tests.faults.sensor import feed
from tests.faults.stage import BEAT_S, Network, SpoiltClock
from tests.framework.registrar.harness import Arm, Device, Mid, Sub, Top, shell_of, vanish

#: Mean times between two faults, and between two users who come [s].
FAULT_EVERY_S = 0.05
USER_EVERY_S = 0.08

#: How long the harness has to come to rest when everybody has left [s].
SETTLED_S = 40.0

CAMERAS = ("front", "back", "wrist")
CLIENTS = ("anna", "bert", "cleo", "dora")
_TIMES = {"stop_timeouts_s": (0.2, 0.2), "start_timeout_s": 1.0, "stale_after_s": 0.5}


class RandomRegistrars:
    """The registrars, what they provide, and all that can be done to them."""

    def __init__(self, seed: int) -> None:
        self.lots = random.Random(seed)
        self.network = Network(self.lots)
        self.transport = LocalTransport(beat_s=BEAT_S, disturb=self.network)
        self.launcher = ScriptedLauncher(rng=random.Random(seed))
        self.clocks = [SpoiltClock() for _ in range(3)]
        self.supplies: dict[Any, Supply] = {}
        self.mood = ""
        self.registrars: dict[str, ResourceRegistrar] = {}
        self.dead: list[ResourceRegistrar] = []
        self.users: list[User] = []
        self.processes: ProcessManager
        self.sensors: SensorManager
        self._stack = AsyncExitStack()
        self._going: set[asyncio.Task[None]] = set()
        self._strays: list[asyncio.Task[None]] = []

    # -- building

    async def __aenter__(self) -> RandomRegistrars:
        for name in ("processes", "low", "middle", "high", "arms", "sensors", *CLIENTS):
            await self.bear(name)
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stack.__aexit__(*error)

    async def bear(self, name: str) -> None:
        """A registrar comes, perhaps in the place of a dead one."""
        clock = self.clocks[len(self.registrars) % len(self.clocks)]
        if name == "processes":
            self.processes = ProcessManager(self.transport, self.launcher, clock=clock)
            entered: Any = self.processes
        elif name == "sensors":
            self.sensors = self._sensor_manager(clock)
            entered = self.sensors
        else:
            entered = ResourceRegistrar(name, self.transport, clock=clock)
            provide = {"low": self._low, "middle": self._middle, "high": self._high, "arms": self._arms}
            if name in provide:
                provide[name](entered)
        await self._stack.enter_async_context(entered)
        self.registrars[name] = getattr(entered, "registrar", entered)

    def _low(self, registrar: ResourceRegistrar) -> None:
        @registrar.provides(Sub, start_timeout_s=0.5, stop_timeout_s=0.5)
        @asynccontextmanager
        async def sub(request: Sub, supply: Supply) -> AsyncIterator[int]:
            self.supplies[request] = supply
            await asyncio.sleep(self.lots.choice([0.0, 0.0, 0.05]))
            await self._be_moody("start")
            yield 1
            await asyncio.sleep(self.lots.choice([0.0, 0.0, 0.05]))
            await self._be_moody("stop")

    async def _be_moody(self, when: str) -> None:
        if self.mood == f"{when} raises":
            raise OSError("in a bad mood")
        if self.mood == f"{when} hangs":
            await asyncio.Event().wait()

    def _middle(self, registrar: ResourceRegistrar) -> None:
        @registrar.provides(Mid)
        @asynccontextmanager
        async def mid(request: Mid, supply: Supply) -> AsyncIterator[int]:
            self.supplies[request] = supply
            restart = None if request.name == "a" else RestartPolicy()
            spec = ProcessSpec((request.name,), f"mid {request.name}", restart=restart, **_TIMES)  # type: ignore[arg-type]
            if request.name == "c":
                self._stray(supply)
            async with registrar.request(Sub(request.name)), registrar.request(Process(spec)) as process:
                yield process.value.pid

    def _stray(self, supply: Supply) -> None:
        """A task that takes something on a provider's behalf, and does not care when that ends."""

        async def hold() -> None:
            with suppress(ResourceFailed, ResourceUnavailable, Preempted):
                async with supply.request(Sub("b")):
                    await asyncio.Event().wait()

        self._strays.append(asyncio.create_task(hold()))

    def _high(self, registrar: ResourceRegistrar) -> None:
        @registrar.provides(Top)
        @asynccontextmanager
        async def top(request: Top, supply: Supply) -> AsyncIterator[str]:
            self.supplies[request] = supply
            async with registrar.request(Sub("c"), optional=True), registrar.request(Mid(request.name)):
                yield request.name

    def _arms(self, registrar: ResourceRegistrar) -> None:
        @registrar.provides(Device, safe_stop_timeout_s=0.3, preempt_grace_s=0.1)
        @asynccontextmanager
        async def device(request: Device, supply: Supply) -> AsyncIterator[str]:
            async def rest() -> None:
                await asyncio.sleep(self.lots.choice([0.0, 0.02, 0.02, 1.0]))

            self.supplies[request] = supply
            supply.declare_safe_stop(rest)
            yield request.name

        @registrar.provides(Arm)
        @asynccontextmanager
        async def arm(request: Arm) -> AsyncIterator[str]:
            async with registrar.request(Device(), exclusive=True, wait=True):
                yield request.mode

    def _sensor_manager(self, clock: SpoiltClock) -> SensorManager:
        class ScriptedCamera(Driver):
            """A camera with a scripted process."""

            name = "scripted_camera"
            kind = "rgbd"

            @asynccontextmanager
            async def provide(self, device: DeviceContext) -> AsyncIterator[Any]:
                name = f"camera {device.name}"
                async with device.request(Process(ProcessSpec((name,), name, restart=None, **_TIMES))):  # type: ignore[arg-type]
                    yield feed(device.name)

        robot = RobotDescription(
            "tester",
            tuple(
                DeviceDescription(name, "scripted_camera", "rgbd", priority=-number, retry_after_s=2.0)
                for number, name in enumerate(CAMERAS)
            ),
        )
        drivers = {"scripted_camera": driver_spec(ScriptedCamera)}
        return SensorManager(self.transport, robot, drivers, Path("/nowhere"), clock=clock)

    # -- what goes wrong

    def faults(self) -> list[Callable[[], None]]:
        """Everything that can be done to the harness; the more frequent more often."""
        often = [self.die, self.hang, self.go_stale, self.talk_nonsense, self.give_up, self.fail, self.cancel]
        seldom = [
            self.report,
            self.spoil_network,
            self.change_mood,
            self.spoil_children,
            self.step_clock,
            self.unplug,
            self.plug_in,
            self.retry,
        ]
        return [*often * 3, *seldom * 2, self.vanish_client, self.kill_manager]

    def die(self) -> None:
        """A child is killed."""
        self._hurt(lambda life: life.die())

    def hang(self) -> None:
        """A child hangs."""
        self._hurt(lambda life: life.hang())

    def go_stale(self) -> None:
        """A child's stream stands still."""
        self._hurt(lambda life: life.go_stale())

    def talk_nonsense(self) -> None:
        """A child sends garbage."""
        times = self.lots.choice([1, 40, None])
        self._hurt(lambda life: life.talk_nonsense(times))

    def give_up(self) -> None:
        """A child says how it is, perhaps for the last time."""
        severity = self.lots.choice([Severity.WARNING, Severity.ERROR, Severity.OK, Severity.FATAL])
        self._hurt(lambda life: life.say(severity, "by chance"))

    def fail(self) -> None:
        """Any resource of anybody fails."""
        registrar = self.registrars[self.lots.choice(sorted(self.registrars))]
        resources = registrar.snapshot().resources
        if resources:
            registrar.fail(self.lots.choice(resources).id, "by chance")

    def report(self) -> None:
        """A provider says something."""
        if self.supplies:
            supply = self.supplies[self.lots.choice(sorted(self.supplies, key=repr))]
            match self.lots.randrange(3):
                case 0:
                    supply.report(
                        self.lots.choice([Severity.OK, Severity.WARNING, Severity.ERROR]), "by chance"
                    )
                case 1:
                    supply.update(self.lots.random())
                case _:
                    supply.fail("by chance")

    def cancel(self) -> None:
        """Somebody's body is cancelled from outside."""
        alive = [user for user in self.users if not user.task.done()]
        if alive:
            self.lots.choice(alive).task.cancel()

    def spoil_network(self) -> None:
        """For a while messages are doubled, late, out of order, or too many."""
        self.network.kind = self.lots.choice(Network.KINDS)
        asyncio.get_running_loop().call_later(self.lots.random() * 0.6, self._good_network)

    def _good_network(self) -> None:
        self.network.kind = ""

    def change_mood(self) -> None:
        """From now on one thing at the bottom starts and stops badly, or well again."""
        self.mood = self.lots.choice(["", "", "start raises", "start hangs", "stop raises", "stop hangs"])

    def spoil_children(self) -> None:
        """The next lives of a process are bad ones, or good ones again."""
        names = [f"mid {name}" for name in NAMES] + [f"camera {name}" for name in CAMERAS]
        bad = [
            Script(0.05, dies_before_ready=True),
            Script(None),
            Script(cannot_start="out of memory"),
            Script(acts=(Dies(0.2),)),
            Script(acts=(Hangs(0.2),)),
            Script(acts=(TalksNonsense(0.1),)),
            Script(leaves_on=signal.SIGKILL),
        ]
        self.launcher.set_script(self.lots.choice(names), self.lots.choice(bad), Script())

    def step_clock(self) -> None:
        """Somebody sets the clock, or a process stands still for a while."""
        clock = self.lots.choice(self.clocks)
        clock.wall_step_s += self.lots.uniform(-3600.0, 3600.0)
        clock.gap_s += self.lots.choice([0.0, 0.3, 5.0])

    def unplug(self) -> None:
        """A camera is gone."""
        self.sensors.unplug(self.lots.choice(CAMERAS), noticed=self.lots.random() < 0.5)

    def plug_in(self) -> None:
        """A camera is back."""
        self.sensors.plug_in(self.lots.choice(CAMERAS))

    def retry(self) -> None:
        """Somebody says "retry now" to whatever is up."""
        for resource in self.processes.registrar.snapshot().resources:
            if resource.state in ("needs a human", "retrying"):
                self.processes.registrar.retry_now(resource.id)

    def vanish_client(self) -> None:
        """A client's process is gone; a while later it is started again."""
        self._kill(self.lots.choice(CLIENTS))

    def kill_manager(self) -> None:
        """A manager's process is gone, and a while later started again."""
        name = self.lots.choice(["processes", "low", "middle", "high", "arms", "sensors"])
        if self._kill(name) and name == "processes":
            self.launcher.kill_owner()

    def _kill(self, name: str) -> bool:
        registrar = self.registrars.pop(name, None)
        if registrar is None:
            return False
        vanish(registrar)
        self.dead.append(registrar)
        if name == "middle":
            for stray in self._strays:
                stray.cancel()
        for user in self.users:
            if user.client is registrar:
                user.task.cancel()
        task = asyncio.create_task(self._bear_later(name))
        self._going.add(task)
        task.add_done_callback(self._going.discard)
        return True

    async def _bear_later(self, name: str) -> None:
        await asyncio.sleep(self.lots.random() * 0.6)
        await self.bear(name)

    def _hurt(self, how: Callable[[ScriptedLife], None]) -> None:
        alive = [life for lives in self.launcher.lives.values() for life in lives[-1:] if life.is_alive]
        if alive:
            how(self.lots.choice(alive))

    # -- the run

    async def live(self, faults: int, seed: int) -> None:
        """So many faults, with users all the while; then everybody leaves."""
        coming = asyncio.create_task(self._users_come())
        plan = FaultPlan(random_faults(seed, faults, self.faults(), FAULT_EVERY_S))
        await plan.run()
        assert len(plan.timeline) == faults
        coming.cancel()
        await asyncio.wait([coming])
        if self._going:
            await asyncio.wait(set(self._going))
        self.network.kind = self.mood = ""
        for user in self.users:
            user.leave.set()
        async with asyncio.timeout(300):
            await asyncio.wait([user.task for user in self.users])
        for user in self.users:
            user.check()
        await asyncio.sleep(SETTLED_S)
        self.assert_nothing_left()
        assert all(stray.done() for stray in self._strays)

    def assert_nothing_left(self) -> None:
        """No lease, resource, deadline, provider or child."""
        for registrar in self.registrars.values():
            assert registrar.snapshot().is_empty, registrar.snapshot()
            shell = shell_of(registrar)
            core = shell.core
            assert not (core.resources or core.by_key or core.running or core.leases or core.holds)
            assert not core.timers.pending(besides=("beat", "judge")), core.timers.pending()
            assert not (core.peers.seeking or shell.claims.in_hand or shell.provider_tasks._running)
        assert not self.launcher.running, self.launcher.running

    def journals(self) -> bytes:
        """All that every registrar did, dead ones too, with its times."""
        registrars = [*self.dead, *self.registrars.values()]
        lines = [
            f"{entry.at_s!r} {entry.wall_s!r} {entry} {entry.lease} {entry.generation}"
            for registrar in registrars
            for entry in registrar.journal.entries()
        ]
        return "\n".join(lines).encode()

    async def _users_come(self) -> None:
        while True:
            await asyncio.sleep(self.lots.expovariate(1.0 / USER_EVERY_S))
            present = [name for name in CLIENTS if name in self.registrars]
            if present:
                self.users.append(User(self.lots, self.registrars[self.lots.choice(present)]))


def play(seed: int, faults: int) -> bytes:
    """One run; returns its journals. Nothing may be left on the loop."""
    journals: list[bytes] = []

    async def main() -> None:
        async with RandomRegistrars(seed) as harness:
            await harness.live(faults, seed)
            journals.append(harness.journals())

    loop = VirtualLoop(seed=seed)
    run_on(loop, main)
    assert not loop.leftovers, loop.leftovers
    timers = [handle for _, _, handle in loop._timers if not handle.cancelled()]
    assert not timers, timers
    return journals[0]


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    print(hashlib.sha256(play(int(sys.argv[1]), int(sys.argv[2]))).hexdigest())
