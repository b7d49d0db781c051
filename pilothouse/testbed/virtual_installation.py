"""An installation on the virtual clock: real managers, actions and supervisor; its processes are scripted.

What a process would put into its streams is written here, without content but with the right stamps,
into real rings; everything above is the code that `pilothouse run` runs. Hundreds of seeds take seconds.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import signal
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from framework.errors import ResourceUnavailable
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import ChildProcess, OnEvent, Sink
from framework.scenarios.report import Entry, Report
from framework.scenarios.runner import run_scenario
from framework.scenarios.scenario import NETWORK, How, Scenario
from framework.scenarios.stage import StageMotion, StagePlace
from framework.testing.children import Script, ScriptedLauncher, ScriptedLife
from framework.testing.runner import run
from framework.transport.local import LocalTransport
from framework.unreadable import UNREADABLE
from managers.process_manager import ProcessManager, Restarted
from pilothouse.installation import Installation, Settings
from pilothouse.testbed.installation_stage import InstallationStage, motion_of, settings_of
from pilothouse.testbed.virtual_ailments import Ailment
from pilothouse.testbed.virtual_controls import VirtualControl
from pilothouse.testbed.virtual_faults import VirtualFaults, places, up
from pilothouse.testbed.virtual_network import VirtualNetwork
from pilothouse.testbed.virtual_operators import VirtualOperators
from pilothouse.testbed.virtual_processes import (
    ScriptedProcess,
    check_scripted,
    scripted_people,
    scripted_process,
)
from resources.children.failing import Fail, FailMode
from resources.children.orders import decode_order
from resources.types.views import PageHandle

log = logging.getLogger("pilothouse.testbed")

TICK_S = 0.01
"""How often streams are written where one is due."""

START_S = 0.5
"""From a scripted process's start until it is ready, as a simulated sensor needs."""

START_DRAWN_S = (0.3, 0.9)
LEAVE_DRAWN_S = (0.005, 0.08)
"""Between these the seed draws."""

LOOK_S = 0.02

NONSENSE = 32
"""So many unreadable reports come at once from a child that babbles (`resources.children.failing`)."""


class VirtualLauncher(ScriptedLauncher):
    """Scripted children that write streams as our own children do, without content.

    The seed draws how long each takes to start and to leave, at which moment of their periods its streams
    begin, and how long the links of people take. Seed 0 is the plain run: everything takes what it usually
    does.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(rng=random.Random(seed))
        self._lots = random.Random(seed) if seed else None
        self._parts: dict[str, ScriptedProcess] = {}  # of those that are ready, by name
        self._ended: dict[str, list[ScriptedProcess]] = {}
        self._people: dict[str, VirtualOperators | None] = {}
        self._due_s = math.inf

    def launch(
        self, spec: ProcessSpec, *, on_event: OnEvent | None = None
    ) -> AbstractAsyncContextManager[ChildProcess]:
        """As a real launcher."""
        return self._scripted(spec, super().launch(spec, on_event=on_event))

    @asynccontextmanager
    async def _scripted(
        self, spec: ProcessSpec, launched: AbstractAsyncContextManager[ChildProcess]
    ) -> AsyncIterator[ChildProcess]:
        check_scripted(spec)
        people = self._people[spec.name] = scripted_people(spec, self._lots)
        self.set_script(spec.name, *self._drawn())
        try:
            async with launched as child:
                yield child
        finally:
            self._leave(spec.name)
            for part in self._ended.pop(spec.name, ()):
                part.close()
            del self._people[spec.name]
            if people is not None:
                people.close()

    def _drawn(self) -> tuple[Script, ...]:
        """Lives that differ; none of them in the plain run."""
        if self._lots is None:
            return (Script(ready_after_s=START_S),)
        draw = self._lots.uniform
        return tuple(
            Script(ready_after_s=draw(*START_DRAWN_S), leaves_after_s=draw(*LEAVE_DRAWN_S)) for _ in range(8)
        )

    def ails(self, name: str, ailment: Ailment) -> None:
        """What ails a process from now on; a new life is healthy. Raises ResourceUnavailable."""
        part = self._parts.get(name)
        if part is None:
            raise ResourceUnavailable(f"the process {name!r} is not ready now")
        part.ails(ailment)

    def control(self, device: str) -> VirtualControl | None:
        """What moves this device in the played world, if that is up."""
        return next((control for control, _ in self.controls if control.device == device), None)

    @property
    def ready(self) -> tuple[str, ...]:
        """The names of the processes that are ready."""
        return tuple(self._parts)

    @property
    def controls(self) -> tuple[tuple[VirtualControl, int], ...]:
        """All that moves in the played world, if that is up, and in which of its lives."""
        return tuple(
            (each, len(self.lives[name]))
            for name, part in self._parts.items()
            for each in part.controls or ()
        )

    @property
    def operators(self) -> VirtualOperators | None:
        """The scripted people with phones, if anybody is served."""
        return next((people for people in self._people.values() if people is not None), None)

    def _begin(self, spec: ProcessSpec, sink: Sink) -> ScriptedLife:
        """One life; a process that was restarted has another one."""
        life = super()._begin(spec, sink)
        life.on_command = lambda payload: self._command(life, payload)
        self._leave(spec.name)
        life.before_ready = lambda: self._enter(spec)
        operators = self._people[spec.name]
        if operators is not None:
            operators.changed = lambda handle: self._tell(life, handle)
            if len(self.lives[spec.name]) > 1:
                operators.restarted()
        return life

    def _enter(self, spec: ProcessSpec) -> bytes:
        """It is about to be ready: its streams are there. Its handle."""
        part = self._parts[spec.name] = scripted_process(spec, self._people[spec.name])
        if self._lots is not None:
            part.shift(asyncio.get_running_loop().time(), self._lots)
        return part.handle

    def _tell(self, life: ScriptedLife, handle: bytes) -> None:
        if life.spec.name in self._parts:  # else that it is ready will tell
            life.become_ready(handle)

    def _leave(self, name: str) -> None:
        """Its last life is over, and wrote nothing any more; who reads may still look at its rings."""
        part = self._parts.pop(name, None)
        if part is not None:
            self._ended.setdefault(name, []).append(part)

    async def write(self) -> None:
        """Write what is due, for ever."""
        loop = asyncio.get_running_loop()
        self._due_s = loop.time()
        while True:
            self.catch_up()
            await asyncio.sleep(max(self._due_s - loop.time(), 0.0))

    def catch_up(self) -> None:
        """Write all that was due until now: these are processes of their own, which nobody else holds up."""
        now_s = asyncio.get_running_loop().time()
        while self._due_s <= now_s:
            self._write(self._due_s)
            self._due_s += TICK_S

    def _write(self, now_s: float) -> None:
        for name, part in tuple(self._parts.items()):
            if name not in self.lives or not (life := self.life(name)).is_alive:
                continue
            try:
                part.write(now_s)
            except Exception:  # as with a real process: it crashes, and nobody else
                log.exception("the scripted process %s has crashed", name)
                life.die(code=1)

    def signal(self, name: str, number: int) -> None:
        """What a signal does to a scripted process."""
        life = self.life(name)
        if number == signal.SIGKILL:
            life.die()
        elif number == signal.SIGSTOP:
            self._stands_still(name)
            life.stand_still()
        elif number == signal.SIGCONT:
            self._stands_still(name, still=False)
            life.go_on()

    def _stands_still(self, name: str, *, still: bool = True) -> None:
        if name in self._parts:
            self._parts[name].is_writing = not still

    def _command(self, life: ScriptedLife, payload: bytes) -> None:
        """Of all commands only those have an effect that make something fail, or work again; and what
        operators are told."""
        operators = self._people[life.spec.name]
        if operators is not None:
            with suppress(*UNREADABLE):
                operators.order(payload)
                return
        part = self._parts.get(life.spec.name)
        try:
            order = decode_order(payload)
        except UNREADABLE:
            return
        if part is None:
            return
        if not isinstance(order, Fail) or order.device:
            if part.controls is not None:
                part.controls.obey(order, asyncio.get_running_loop().time())
            return
        part.is_writing = False
        match order.how:
            case FailMode.DIE:
                life.die()
            case FailMode.HANG:
                life.block()
            case FailMode.GARBAGE:
                life.talk_nonsense(NONSENSE)
            case FailMode.STALE:
                life.go_stale()


class VirtualProcesses(ProcessManager):
    """The process manager, whose kill reaches a scripted process."""

    def __init__(
        self,
        transport: LocalTransport,
        launcher: VirtualLauncher,
        restarted: Callable[[Restarted], object],
    ) -> None:
        super().__init__(transport, launcher, restarted=restarted)
        self._scripted = launcher

    def kill(self, name: str) -> None:
        """As the real one."""
        self._child(name)
        self._scripted.signal(name, signal.SIGKILL)


class VirtualInstallation(Installation):
    """An installation without processes and without a console, on the virtual clock."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.launcher = VirtualLauncher(settings.seed)
        self.network = VirtualNetwork(settings.seed)

    def make_transport(self) -> LocalTransport:
        """In some seeds its registrars are as far from each other as if each had a machine of its own."""
        return self.network.transport()

    def process_manager(self, transport: LocalTransport) -> ProcessManager:
        """One whose processes are scripted."""
        return VirtualProcesses(transport, self.launcher, self.tell_restarted)

    def monotonic_s(self) -> float:
        """Virtual time."""
        return asyncio.get_running_loop().time()

    def watch_loop(self, stack: AsyncExitStack) -> None:
        """A watchdog lives in real time."""

    def for_programs(self) -> tuple[str, str, str]:
        """Nobody speaks to a server."""
        return "http://virtual.invalid/", "", ""

    async def serve(self, stack: AsyncExitStack) -> None:
        """Nobody looks, but there is a screen for the views."""
        self.managers.page = PageHandle("console", "http://virtual.invalid/")
        self._begin(stack, self.launcher.write(), "virtual streams")


class VirtualStage(InstallationStage):
    """What a scenario runs on there. More can fail than in a real one: `virtual_faults.py`."""

    def __init__(self, installation: VirtualInstallation) -> None:
        super().__init__(
            installation,
            signal_process=lambda process, number: installation.launcher.signal(process.name, number),
        )
        self._launcher = installation.launcher
        self._network = installation.network
        self._more = VirtualFaults(installation.launcher, installation.network, installation.settings.state)
        self._up: dict[tuple[str, ...], frozenset[str]] = {}

    def now_s(self) -> float:
        """Virtual time."""
        return asyncio.get_running_loop().time()

    def play(self, sentence: str) -> str:
        """People with phones are scripted here: `virtual_operators.py`."""
        if self._launcher.operators is None:
            raise ResourceUnavailable("nobody serves operators yet: say `phones: true` in the scenario")
        return self._launcher.operators.play(sentence, self.now_s())

    def fail(self, device: str, how: How) -> str:
        """Also in ways that no real process has been taught."""
        words = self._more.fail(device, how, self._running())
        return super().fail(device, how) if words is None else self._said(words)

    def restore(self, device: str) -> str:
        """What was done here; or as in a real one."""
        words = self._more.restore(device)
        if words is None or device in self._managers.faults.injected:  # it may have failed in both ways
            return super().restore(device)
        return self._said(words)

    def places(self) -> tuple[StagePlace, ...]:
        """All that can fail here."""
        moving = {device.name for device in self._managers.controllers.devices()}
        arms = {each.name for each in self._managers.controllers.devices() if each.kind == "arm"}
        return places(
            [device.name for device in self._managers.devices()],
            moving,
            arms,
            self._installation.settings.phones != "",
        )

    def up(self) -> frozenset[str]:
        """What runs and is ready: devices, processes; and who is there with a phone."""
        people = self._launcher.operators
        network = (NETWORK,) if self._network.is_between else ()
        there = (*self._launcher.ready, *(people.sessions if people is not None else ()), *network)
        if there not in self._up:
            ready = [each for each in self._processes.processes() if each.name in there]
            devices = {each.device for each, _ in self._launcher.controls} | {each.device for each in ready}
            self._up[there] = up(there, devices)
        return self._up[there]

    def motions(self) -> tuple[StageMotion, ...]:
        """In truth, whatever is reported."""
        now_s = self.now_s()
        return tuple(
            motion_of(each.device, each.truth(now_s), each.reported_s, life)
            for each, life in self._launcher.controls
        )

    def leaked(self) -> tuple[str, ...]:
        """As in a real one, and no life that the managers have forgotten."""
        known = {process.name for process in self.processes()}
        forgotten = [f"process {name}" for name in self._launcher.running if name not in known]
        return (*super().leaked(), *forgotten)


def play_virtual(
    scenario: Scenario, seed: int, watch: Callable[[Entry], None], *, is_drawn: bool = True
) -> Report:
    """One run on a fresh virtual clock. Raises as a real run does. is_drawn: see `run_scenario`."""

    async def play() -> Report:
        with tempfile.TemporaryDirectory(prefix="pilothouse-scenario-") as folder:
            installation = VirtualInstallation(settings_of(scenario, Path(folder) / "state", seed))
            async with installation:
                stage = VirtualStage(installation)
                try:
                    await stage.until_up()
                    return await run_scenario(
                        scenario, stage, seed=seed, look_s=LOOK_S, watch=watch, is_drawn=is_drawn
                    )
                finally:
                    stage.close()

    return run(play, seed=seed, shuffled=seed != 0)
