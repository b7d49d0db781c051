"""The one place where managers, actions and resources are put together.

An `Installation` is everything that `pilothouse run` starts: run directory,
emergency stop, managers, supervisor and console, in one process, with the
processes it owns below it. Leaving it stops everything, in the opposite order.
What is kept alive meanwhile, and tried again: `standing_requests.py`. Which robot it is: `robots.py`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Final

from framework.clock import LoopClock
from framework.dialogue.proposal import CheckedProposer
from framework.dialogue.proposer import Proposer
from framework.loop_lag import LoopLag
from framework.processes.emergency import EmergencyStop
from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar
from framework.state import StateFolder
from framework.supervisor import EventBus, EventKind, Supervisor
from framework.supervisor.moved_besides import MovedBesides
from framework.transport.local import LocalTransport
from framework.transport.run_directory import RunDirectory
from framework.tree.actions import ActionRunners, CatalogueSignatures
from grammars import Language
from grammars.tools.choices import names_for, states_of
from managers.conditions import WorldConditions
from managers.console_backend import House, InstallationBackend, Screens
from managers.context_manager import ContextManager
from managers.controller_manager import ControllerManager
from managers.described_mistakes import mistakes_in, refuse, unavailable_in
from managers.faults import Faults
from managers.known_names import HINTED, KnownNames
from managers.operator_desk import OperatorDesk
from managers.operator_entries import in_words
from managers.operator_manager import OperatorManager
from managers.output_manager import OutputManager
from managers.people import PeopleAsked
from managers.process_manager import ProcessManager, Restarted
from managers.sensor_manager import SensorManager
from managers.shown_walls import walls_of
from managers.stream_manager import StreamManager
from managers.world_controls import WorldControls
from pilothouse import __version__
from pilothouse.catalogue import action_catalogue
from pilothouse.language import checked_language
from pilothouse.robots import driver_catalogue, robot_of
from pilothouse.settings import Settings as Settings
from pilothouse.standing_requests import hold_control, hold_operators, hold_world
from resources.console.backend import Topic
from resources.console.encoder_spec import EncoderArguments, encoder_process
from resources.console.server import ConsoleServer
from resources.drivers.marker_detector import marker_detector
from resources.drivers.openai_server import OpenAIServer
from resources.operator.arguments import OperatorArguments
from resources.operator.spec import operator_spec
from resources.robots.description import CONTROLLERS
from resources.types.motion import ControllerKind
from resources.types.operator import Entered, EntryNote
from resources.types.streams import StreamHandle
from resources.types.views import PageHandle
from resources.types.whereabouts import robot_among

log = logging.getLogger("pilothouse")

#: The supervisor says that it is alive this often [s]; control processes stop after 0.2 s of silence.
BEAT_S: Final = 0.05

#: How often states are looked at for the console while a page is open [s].
LOOK_S: Final = 0.1

#: The environment variable with the proposer's key, if it wants one.
PROPOSER_KEY: Final = "PILOTHOUSE_PROPOSER_KEY"


class Installation:
    """A running installation; enter it to start, leave it to stop.

    Raises (on entering) InstallationError if this machine or another installation
    is in the way, DescriptionError for a robot description that is wrong.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._stack = AsyncExitStack()
        self._clock = LoopClock()
        self.lag = LoopLag()

    async def __aenter__(self) -> Installation:
        await self._stack.__aenter__()
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)

    @property
    def url(self) -> str:
        """What to open in a browser."""
        return self.server.url

    async def _start(self) -> None:
        settings = self.settings
        stack = self._stack
        robot = self.robot = robot_of(settings)
        drivers = driver_catalogue(settings.driver_folders)
        wrong = mistakes_in(robot, drivers)
        if settings.robot:
            refuse(wrong)
        state = StateFolder(settings.state)
        RunDirectory.sweep()
        run_directory = RunDirectory.create()
        stack.callback(run_directory.remove)
        directory = self.directory = run_directory.path
        emergency = EmergencyStop.create(directory)
        stack.callback(emergency.close)

        clock = self._clock
        house = self.house = House(robot.robot, __version__, secrets.token_hex(4), clock)
        house.emergency = emergency
        house.health = self._health
        transport = self.transport = LocalTransport()
        house.streams = await stack.enter_async_context(
            StreamManager(transport, monotonic_s=self.monotonic_s)
        )
        processes = self.processes = await stack.enter_async_context(self.process_manager(transport))
        besides = MovedBesides()
        controllers = house.controllers = await stack.enter_async_context(
            ControllerManager(
                transport,
                robot,
                drivers,
                directory,
                seed=settings.seed,
                state=state,
                monotonic_s=self.monotonic_s,
                besides=besides,
            )
        )
        house.sensors = await stack.enter_async_context(
            SensorManager(transport, robot, drivers, directory, state=state)
        )

        house.context = await stack.enter_async_context(
            ContextManager(
                transport,
                robot,
                marker_detector,
                state=state,
                device_states=lambda: {device.name: device.state for device in house.devices()},
                own_parts=controllers.parts,
            )
        )
        house.controls = WorldControls(controllers, house.context)

        def encoder_for(source: StreamHandle, view_id: str) -> Any:
            return encoder_process(EncoderArguments(source, str(directory), view_id))

        house.outputs = await stack.enter_async_context(OutputManager(transport, Screens(house), encoder_for))
        described = {device.name: device for device in robot.devices}
        arms = [device.mount for device in robot.devices if device.kind == ControllerKind.ARM.value]
        operators = await stack.enter_async_context(
            OperatorManager(
                transport,
                self._operator_process,
                lambda: self.for_programs()[1],
                arms,
                ice=self.settings.ice,
                robot=lambda: robot_among(house.context.things()),
                walls=lambda arm: walls_of(described[arm.device], arm.workspace),
                bases=[device.name for device in robot.devices if device.kind == ControllerKind.BASE.value],
                noticed=lambda words: self.events.emit(
                    EventKind.ERROR, f"{words[0].upper()}{words[1:].rstrip('.')}."
                ),
                entry=self._tell_entry,
            )
        )
        self._operators_wanted = asyncio.Event()
        house.operators = OperatorDesk(
            operators, lambda: self.supervisor, self._operators_wanted.set, self.monotonic_s
        )
        PeopleAsked(operators, house.operators)
        registrar = ResourceRegistrar("supervisor", transport)
        await stack.enter_async_context(registrar)
        house.registrars = [
            registrar,
            house.sensors.registrar,
            house.outputs.registrar,
            house.context.registrar,
            controllers.registrar,
            operators.registrar,
            house.streams.registrar,
            processes.registrar,
        ]
        house.faults = Faults(house.sensors, controllers, processes, house.registrars)

        catalogue = self.catalogue = action_catalogue(settings.action_folders)
        self.events = EventBus(clock)
        runners = ActionRunners(catalogue, registrar)
        language, mistakes = await asyncio.to_thread(checked_language, catalogue, collide=runners.collide)
        conditions = await stack.enter_async_context(
            WorldConditions(registrar, house.context, house, monotonic_s=self.monotonic_s)
        )
        house.language, house.world, house.wording = language, KnownNames(house), language.wording
        house.signatures = CatalogueSignatures(catalogue)
        house.action_folders = tuple(map(str, settings.action_folders))
        house.supervisor = self.supervisor = await stack.enter_async_context(
            Supervisor(
                signatures=house.signatures,
                runners=runners,
                parser=language,
                events=self.events,
                registrar=registrar,
                emergency=emergency,
                world=house.world,
                kinds=lambda: HINTED,
                meta=language.meta,
                proposer=await self._proposer(stack, language, house.signatures),
                conditions=conditions,
                wording=language.wording,
                clock=clock,
                besides=besides,
            )
        )
        await self.serve(stack)
        for spec in catalogue.unavailable:
            self.events.emit(EventKind.ERROR, f"The action {spec.name} is unavailable: {spec.unavailable}.")
        for words in (*map(str, wrong), *unavailable_in(robot, drivers)):
            self.events.emit(EventKind.ERROR, f"{words.rstrip('.')}.")
        for mistake in mistakes:
            self.events.emit(EventKind.ERROR, f"{mistake.rstrip('.')}.")

        self._begin(stack, self._beat(emergency), "heartbeat")
        await stack.enter_async_context(self.lag)
        if robot.world:
            holding = hold_world(registrar, house, self.events, robot.world)
            self._begin(stack, holding, "the simulated robot")
        for device in robot.devices:
            if not robot.world and device.kind in CONTROLLERS:
                holding = hold_control(registrar, self.events, device.name)
                self._begin(stack, holding, f"control of {device.name}")

        holding = hold_operators(registrar, self.events, self._operators_wanted)
        self._begin(stack, holding, "operators")
        if settings.phones:
            self._operators_wanted.set()

    def _operator_process(self) -> ProcessSpec:
        """The process that serves phones, headsets and desks."""
        settings = self.settings
        console, _, certificate = self.for_programs()
        return operator_spec(
            OperatorArguments(
                run_directory=str(self.directory),
                state=str(settings.state),
                console=console,
                console_certificate=certificate,
                host=settings.phones or "127.0.0.1",
                port=settings.phone_port,
                awaits_ice=True,
                relay_only=settings.relay_only,
                installation=self.robot.robot,
                open_page="" if settings.open_page is None else str(settings.open_page.absolute()),
            )
        )

    async def _proposer(
        self, stack: AsyncExitStack, language: Language, signatures: CatalogueSignatures
    ) -> Proposer | None:
        """Who proposes plans for what the language refuses; nobody unless the settings name one."""
        settings = self.settings
        if not settings.proposer:
            return None
        key = os.environ.get(PROPOSER_KEY, "")
        oracle = OpenAIServer(settings.proposer, settings.proposer_model, key=key)
        await stack.enter_async_context(oracle)
        return CheckedProposer(
            oracle,
            signatures,
            language,
            language.in_words,
            names_for=lambda world: names_for(language, world),
            conditions=states_of(language),
        )

    # -- what is scripted where no process is to run (`testbed/virtual_installation.py`)

    def process_manager(self, transport: LocalTransport) -> ProcessManager:
        """Starts the child processes."""
        launcher = ProcessLauncher(on_output=_printed, withheld=(PROPOSER_KEY,))
        return ProcessManager(transport, launcher, restarted=self.tell_restarted)

    def tell_restarted(self, restarted: Restarted) -> None:
        """Into the log: a child process runs again."""
        why = f" ({restarted.reason})" if restarted.reason else ""
        self.events.emit(EventKind.DEVICE, f"The process {restarted.name} was started again{why}.")

    def monotonic_s(self) -> float:
        """The clock that samples and commands are stamped with."""
        return time.monotonic()

    def for_programs(self) -> tuple[str, str, str]:
        """Where the console's server is, the token for programs, its certificate's file ("": http)."""
        return self.server.address, self.server.token, self.server.certificate

    def _tell_entry(self, note: EntryNote) -> None:
        """Into the log: who came in, and who was turned away."""
        kind = EventKind.DEVICE if isinstance(note, Entered) else EventKind.ERROR
        self.events.emit(kind, in_words(note))

    async def serve(self, stack: AsyncExitStack) -> None:
        """Show the installation to people."""
        house, settings = self.house, self.settings
        backend = InstallationBackend(house)
        self.server = ConsoleServer(
            backend, host=settings.host, port=settings.port, lag=self.lag, state=settings.state
        )
        await stack.enter_async_context(self.server)
        house.page = PageHandle("console", self.server.address)
        house.views_changed = lambda: self.server.changed(Topic.VIEWS)
        house.scene_changed = lambda: self.server.changed(Topic.SCENE)
        stack.callback(self.events.listen(lambda event: self.server.event(backend.line(event))))
        self._begin(stack, self._tell_pages(backend), "console states")

    def _begin(self, stack: AsyncExitStack, work: Any, name: str) -> None:
        task = asyncio.create_task(work, name=name)

        async def end() -> None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        stack.push_async_callback(end)

    async def _beat(self, emergency: EmergencyStop) -> None:
        """Tell every control process that the supervisor is alive."""
        while True:
            emergency.beat(time.monotonic())
            await asyncio.sleep(BEAT_S)

    async def _tell_pages(self, backend: InstallationBackend) -> None:
        """States that nobody announces are pushed when they have changed; pages get at most ten a second."""
        last: dict[Topic, object] = {}
        looks = backend.looks()
        while True:
            if self.server.pages:
                for topic, look in looks.items():
                    now = look()
                    if last.get(topic) != now:
                        last[topic] = now
                        self.server.changed(topic)
            else:
                last.clear()
            await asyncio.sleep(LOOK_S)

    def _health(self) -> dict[str, object]:
        return {
            "loop_lag_ms_p99": round(self.lag.quantile_ms(0.99) or 0.0, 2),
            "pages": self.server.pages,
            "processes": {process.name: process.pid for process in self.processes.processes()},
            "unavailable_actions": [spec.name for spec in self.catalogue.unavailable],
        }


def _printed(process: str, line: str) -> None:
    """What a child prints goes into the log."""
    log.info("%s: %s", process, line)
