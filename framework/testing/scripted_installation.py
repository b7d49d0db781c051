"""A whole installation on the virtual clock: real supervisor and registrars over scripted devices.

    def test_the_next_camera_takes_over(virtual):
        async def play():
            devices = [ScriptedDevice("good_camera"), ScriptedDevice("other_camera")]
            instructions = {"look": ("good_camera", "other_camera")}
            async with ScriptedInstallation(devices, instructions) as installation:
                return await run_scenario(read_scenario(FILE), installation.stage)

        assert virtual(play).passed

`instructions` names what can be said, and the devices that serve it, best first: a continuous action
shows the first that works, goes over to the next when it fails, and back when it can. Whoever wants
actions of their own hands in a catalogue and a parser, and provides what they need at `transport`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from fnmatch import fnmatchcase
from typing import Any

from framework.clock import Clock, LoopClock
from framework.errors import PilothouseError, ResourceUnavailable
from framework.plan.ast import Do
from framework.plan.parser import Completions, NotUnderstood, Parser, Reading, Understood, World
from framework.plugins import Action, ActionCatalogue, action_spec, needs
from framework.plugins.service import Help
from framework.plugins.signature import ActionSpec
from framework.registrar import ResourceRegistrar
from framework.registrar.journal import Journal
from framework.scenarios.scenario import How
from framework.scenarios.stage import (
    StageDevice,
    StagePlace,
    StageProcess,
    StageResource,
    StageView,
    SupervisedStage,
    dangling_of,
)
from framework.supervisor import EventBus, EventKind, Supervisor
from framework.testing.children import ScriptedLauncher, ScriptedLife
from framework.testing.scripted_conditions import ScriptedConditions
from framework.testing.scripted_latch import ScriptedLatch
from framework.testing.scripted_resources import ScriptedResources
from framework.testing.scripted_sensors import (
    ScriptedDevice,
    ScriptedSensor,
    ScriptedSensors,
    ScriptedView,
)
from framework.transport.local import LocalTransport
from framework.tree.actions import ActionRunners, CatalogueSignatures


class SentenceParser:
    """Understands just these sentences, each as the action without parameters of that name."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self._sentences = {text.casefold(): action for text, action in sentences.items()}

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        """One of the sentences, capitals aside."""
        action = self._sentences.get(text.casefold())
        if action is None:
            return NotUnderstood("", tuple(self._sentences))
        return Understood((Reading(Do(action)),))

    def complete(self, text: str, world: World) -> Completions:
        """The sentences that begin so."""
        begun = text.casefold()
        options = tuple(each for each in self._sentences if each.startswith(begun) and each != begun)
        return Completions(options, len(text), begun in self._sentences)

    def condition(self, text: str, world: World) -> None:
        """None: it has no conditions."""
        return None

    def help(self, topic: str, world: World) -> tuple[Help, ...]:
        """Every sentence."""
        return tuple(Help(action, "", (text,)) for text, action in self._sentences.items())

    def wording(self, do: Do) -> str:
        """The sentence for an action."""
        return next((text for text, action in self._sentences.items() if action == do.action), do.action)


class ScriptedInstallation:
    """An installation without processes, an async context manager; `stage` is what scenarios play on.

    devices: the sensors. instructions: what can be said → the devices that serve it, best first.
    catalogue, parser: actions and a language of your own, instead of `instructions`.
    handles: what your actions request besides, by request type (see `ScriptedResources`).
    `conditions` is what "if", "when" and "until" look at:
    `installation.conditions.put("open", True, thing="door")`.
    seed: of what the scripted processes draw.
    """

    def __init__(
        self,
        devices: Sequence[ScriptedDevice],
        instructions: Mapping[str, Sequence[str]] | None = None,
        *,
        catalogue: ActionCatalogue | None = None,
        parser: Parser | None = None,
        handles: Mapping[type, Any] | None = None,
        seed: int = 0,
        clock: Clock | None = None,
    ) -> None:
        sentences = {text: f"said_{number}" for number, text in enumerate(instructions or {})}
        specs = [_showing(sentences[text], tuple(names)) for text, names in (instructions or {}).items()]
        own = SentenceParser(sentences)
        self.clock = clock or LoopClock()
        self.transport = LocalTransport()
        self.launcher = ScriptedLauncher(rng=random.Random(seed))
        self.sensors = ScriptedSensors(self.transport, devices, self.launcher, clock=clock)
        self.resources = ScriptedResources(self.transport, handles or {}, clock=clock)
        self.conditions = ScriptedConditions()
        self.emergency = ScriptedLatch()
        self.registrar = ResourceRegistrar("supervisor", self.transport, clock=clock)
        self.events = EventBus(self.clock)
        catalogue = catalogue or ActionCatalogue(specs)
        self.supervisor = Supervisor(
            signatures=CatalogueSignatures(catalogue),
            runners=ActionRunners(catalogue, self.registrar, clock=clock),
            parser=parser or own,
            wording=own.wording,
            conditions=self.conditions,
            events=self.events,
            registrar=self.registrar,
            emergency=self.emergency,
            clock=self.clock,
        )
        self.stage = ScriptedStage(self)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> ScriptedInstallation:
        await self._stack.enter_async_context(self.sensors)
        await self._stack.enter_async_context(self.resources)
        await self._stack.enter_async_context(self.registrar)
        await self._stack.enter_async_context(self.supervisor)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    @property
    def registrars(self) -> tuple[ResourceRegistrar, ...]:
        """All of them, the supervisor's first."""
        return (self.registrar, *self.sensors.registrars, self.resources.registrar)


class ScriptedStage(SupervisedStage):
    """`framework.scenarios.Stage` of a scripted installation."""

    def __init__(self, installation: ScriptedInstallation) -> None:
        super().__init__(installation.supervisor)
        self._installation = installation

    @property
    def is_stopped(self) -> bool:
        """Whether the emergency stop is set."""
        return self._installation.emergency.is_latched

    def now_s(self) -> float:
        """Virtual time."""
        return self._installation.clock.now_s()

    # -- faults

    def fail(self, device: str, how: How) -> str:
        """Unplug it; its process, if it runs, fails in that way. Or a resource, `registrar/request`."""
        if "/" in device:
            return self._fail_resource(device)
        sensors = self._installation.sensors
        self._known(device)
        sensors.unplug(device)
        words = f"{device} was made to fail"
        process = f"sensor {device}"
        if process in sensors.samples:
            life = self._installation.launcher.life(process)
            if how is not How.GARBAGE:
                sensors.samples[process].freeze()
            match how:
                case How.DIE:
                    life.die()
                case How.HANG:
                    life.hang()
                case How.GARBAGE:
                    life.talk_nonsense()
                case How.STALE:
                    life.go_stale()
        self.events.emit(EventKind.DEVICE, words)
        return words

    def restore(self, device: str) -> str:
        """Plug it in again."""
        self._known(device)
        self._installation.sensors.plug_in(device)
        words = f"{device} is plugged in"
        self.events.emit(EventKind.DEVICE, words)
        return words

    def kill(self, process: str) -> str:
        """End the first that fits."""
        life = self._life(process)
        self._freeze(life)
        life.die()
        return f"{life.spec.name} was killed"

    def stop_process(self, process: str) -> str:
        """It falls silent."""
        life = self._life(process)
        self._freeze(life)
        life.hang()
        return f"{life.spec.name} stands still"

    def continue_process(self, process: str) -> str:
        """It goes on, if it was not given up meanwhile."""
        life = self._life(process)
        life.is_hanging = False
        life.become_ready()
        samples = self._installation.sensors.samples.get(life.spec.name)
        if samples is not None:
            samples.thaw()
        return f"{life.spec.name} goes on"

    # -- what is seen

    def places(self) -> tuple[StagePlace, ...]:
        """The devices."""
        ways = (How.DIE, How.HANG, How.GARBAGE, How.STALE)
        cannot = {how: "no scripted device can do that" for how in How if how not in ways}
        return tuple(StagePlace(name, cannot) for name in self._installation.sensors.devices)

    def journals(self) -> tuple[Journal, ...]:
        """Of all registrars."""
        return tuple(each.journal for each in self._installation.registrars)

    def dangling(self) -> tuple[str, ...]:
        """Among all registrars."""
        return dangling_of(tuple(each.snapshot() for each in self._installation.registrars))

    def devices(self) -> tuple[StageDevice, ...]:
        """All, with their states: in use, unplugged or free."""
        sensors = self._installation.sensors

        def state(name: str) -> str:
            if f"sensor {name}" in sensors.samples:
                return "in use"
            return "unplugged" if name in sensors.unplugged else "free"

        return tuple(StageDevice(name, state(name)) for name in sensors.devices)

    def views(self) -> tuple[StageView, ...]:
        """All that are up, with the newest sample of what they show."""
        shown = self._installation.sensors.shown
        return tuple(StageView(view, each.device, *each.samples.latest()) for view, each in shown.items())

    def processes(self) -> tuple[StageProcess, ...]:
        """All lives."""
        launcher = self._installation.launcher
        return tuple(StageProcess(name, launcher.life(name).pid) for name in launcher.running)

    def resources(self) -> tuple[StageResource, ...]:
        """Of all registrars."""
        return tuple(
            StageResource(f"{view.registrar}/{view.request}", view.state, view.detail)
            for registrar in self._installation.registrars
            for view in registrar.snapshot().resources
        )

    def leaked(self) -> tuple[str, ...]:
        """Whatever is up."""
        installation = self._installation
        snapshots = [each.snapshot() for each in installation.registrars]
        resources = [f"{view.registrar}/{view.request}" for each in snapshots for view in each.resources]
        leases = [f"lease {lease.id} of {lease.request}" for each in snapshots for lease in each.leases]
        processes = [f"process {name}" for name in installation.launcher.running]
        return (*resources, *leases, *processes)

    # -- inside

    def _fail_resource(self, name: str) -> str:
        for registrar in self._installation.registrars:
            for view in registrar.snapshot().resources:
                if f"{view.registrar}/{view.request}" == name:
                    registrar.fail(view.id, f"{name} was made to fail")
                    return f"{name} was made to fail"
        up = ", ".join(resource.name for resource in self.resources()) or "none"
        raise ResourceUnavailable(f"there is no resource {name!r}; there are {up}")

    def _known(self, device: str) -> None:
        devices = self._installation.sensors.devices
        if device not in devices:
            raise ResourceUnavailable(f"there is no {device!r}; there are {', '.join(devices)}")

    def _life(self, pattern: str) -> ScriptedLife:
        running = self._installation.launcher.running
        for name in running:
            if fnmatchcase(name, pattern):
                return self._installation.launcher.life(name)
        raise PilothouseError(f"no process {pattern!r} runs; running are {', '.join(running) or 'none'}")

    def _freeze(self, life: ScriptedLife) -> None:
        samples = self._installation.sensors.samples.get(life.spec.name)
        if samples is not None:
            samples.freeze()


def _showing(name: str, devices: tuple[str, ...]) -> ActionSpec:
    """An action that shows the first of these devices that works."""

    class Showing(Action):
        """Show the best of some devices."""

        continuous = True

        feed = needs(*(ScriptedSensor(device) for device in devices))

        async def run(self) -> None:
            shown = self.feed.handle.name
            async with self.use(ScriptedView(shown)):
                await self.stay(f"showing {shown}")

    return action_spec(Showing, name=name)
