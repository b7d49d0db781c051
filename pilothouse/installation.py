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
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from contextvars import Context
from types import TracebackType
from typing import Any, Final, TypeVar

from framework.clock import LoopClock
from framework.dialogue.discourse import kinds_of
from framework.dialogue.proposal import CheckedProposer
from framework.dialogue.proposer import Proposer
from framework.interlock import Interlock
from framework.loop_lag import LoopLag
from framework.loop_watchdog import Held, HeldBook, LoopWatchdog
from framework.loop_watchdog import in_words as held_in_words
from framework.plugins.blame import PluginFiles, fail_holder
from framework.processes.emergency import EmergencyStop
from framework.processes.launcher import ProcessLauncher
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar
from framework.registrar.records import ResourceState
from framework.state import StateFolder
from framework.supervisor import EventBus, EventKind, Supervisor
from framework.supervisor.thinking import Thinking
from framework.transport.local import LocalTransport
from framework.transport.run_directory import RunDirectory
from framework.tree.actions import ActionRunners, CatalogueSignatures
from grammars import Language
from grammars.packs.pack import read_packs
from grammars.tools.choices import names_for, states_of
from managers.answering_aloud import AnsweringAloud
from managers.conditions import WorldConditions
from managers.console_backend import InstallationBackend, Managers, Screens
from managers.context_manager import ContextManager
from managers.controller_manager import ControllerManager
from managers.described_mistakes import mistakes_in, refuse, unavailable_in
from managers.faults import Faults
from managers.gesture_manager import GestureManager, cameras_by_name
from managers.gesturing import Gesturing
from managers.known_names import HINTED, KnownNames
from managers.listening import Listening
from managers.operator_desk import OperatorDesk
from managers.operator_entries import in_words
from managers.operator_manager import OperatorManager
from managers.output_manager import OutputManager
from managers.page_sounds import PageSounds
from managers.people import PeopleAsked
from managers.process_manager import ProcessManager, Restarted
from managers.ros_face import RosFace
from managers.ros_manager import RosManager
from managers.sensor_manager import LOUDSPEAKER, SensorManager
from managers.shown_walls import Box, walls_of
from managers.speech_manager import SpeechManager, SpeechPrograms
from managers.spoken_names import SpokenNames
from managers.steadiness import MANY
from managers.stream_manager import StreamManager
from managers.talking import Talking
from managers.world_controls import WorldControls
from pilothouse import __version__
from pilothouse.catalogue import action_catalogue
from pilothouse.language import checked_language
from pilothouse.robots import driver_catalogue, robot_of
from pilothouse.settings import Settings as Settings
from pilothouse.spoken_language import models_folder, spoken_language_spec
from pilothouse.standing_requests import (
    hold_control,
    hold_face,
    hold_hands,
    hold_operators,
    hold_voice,
    hold_world,
)
from resources.children.arguments import SoundFilesArguments
from resources.children.specs import sound_files_spec
from resources.console.backend import Topic
from resources.console.encoder_spec import EncoderArguments, encoder_process
from resources.console.graph import label
from resources.console.server import ConsoleServer
from resources.drivers.marker_detector import marker_detector
from resources.drivers.openai_server import OpenAIServer
from resources.gestures.arguments import ReaderArguments, TrackerArguments
from resources.gestures.specs import reader_spec, tracker_spec
from resources.operator.arguments import OperatorArguments
from resources.operator.spec import operator_spec
from resources.robots.description import CONTROLLERS
from resources.speech.arguments import EarArguments, EndpointArguments, RecogniserArguments
from resources.speech.specs import ear_spec, endpoint_spec, recogniser_spec
from resources.types.arms import ArmHandle
from resources.types.gestures import HandsFeed
from resources.types.motion import ControllerKind
from resources.types.operator import Entered, EntryNote
from resources.types.sensors import CameraFeed
from resources.types.streams import Pose7, StreamHandle
from resources.types.views import PageHandle
from resources.types.whereabouts import robot_among

T = TypeVar("T")

log = logging.getLogger("pilothouse")

#: The supervisor says that it is alive this often [s]; control processes stop after 0.2 s of silence.
BEAT_S: Final = 0.05

#: How often states are looked at for the console while a page is open [s].
LOOK_S: Final = 0.1

#: When it is left, each part has so long [s]; the next one is not to wait for one that does not end.
PART_LEAVES_WITHIN_S: Final = 2.0

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
        self._loop: asyncio.AbstractEventLoop | None = None
        self._emergency: EmergencyStop | None = None
        self._run_directory: RunDirectory | None = None
        self.left_behind: list[str] = []
        """What did not end in time when it was left."""
        self._clock = LoopClock()
        self.lag = LoopLag()
        self.held = HeldBook()

    async def __aenter__(self) -> Installation:
        await self._stack.__aenter__()
        self._loop = asyncio.get_running_loop()
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

    # -- what may be called from another thread while it is left (`leaving.py`)

    def make_safe(self) -> None:
        """Everything that moves stands still, also if the main loop is blocked."""
        if self._emergency is not None:
            with suppress(ValueError):  # closed: all processes have ended
                self._emergency.latch("the installation ends")

    def forget(self) -> None:
        """The streams of an installation that is cut off; who has opened one keeps it."""
        if self._run_directory is not None:
            self._run_directory.remove()

    def awaited(self) -> list[str]:
        """Who does not end: actions and resources, in words. Processes always do."""
        tasks = asyncio.all_tasks(self._loop) if self._loop is not None else ()
        names = [task.get_name().split() for task in tasks]
        actions = sorted({f"the action {words[-1]}" for words in names if words[0] == "action"})
        resources = [
            f"{label(resource.request)} of {registrar.name}"
            for registrar in self.managers.registrars
            if registrar is not self.processes.registrar
            for resource in registrar.snapshot().resources
            if resource.state in (ResourceState.STOPPING, ResourceState.FAILED)
        ]
        return [*actions, *self.left_behind, *resources]

    async def _enter(self, part: AbstractAsyncContextManager[T]) -> T:
        """Enter a part that is left again, within its time, when all that came after it has been left."""
        entered = await part.__aenter__()

        async def leave() -> None:
            try:
                async with asyncio.timeout(PART_LEAVES_WITHIN_S):
                    await part.__aexit__(None, None, None)
            except TimeoutError:
                self.left_behind += [each for each in self.awaited() if each not in self.left_behind]
                if not self.left_behind:
                    self.left_behind.append(type(part).__name__)

        self._stack.push_async_callback(leave)
        return entered

    @property
    def url(self) -> str:
        """What to open in a browser."""
        return self.server.url

    async def _start(self) -> None:
        """Everything in its order; the stack ends it in the opposite one."""
        wrong = self._prepare()
        await self._start_devices()
        await self._start_operators()
        phrases = await self._start_supervisor()
        await self.serve(self._stack)
        await self._start_face()
        unavailable = self.catalogue.unavailable
        actions = (f"The action {spec.name} is unavailable: {spec.unavailable}" for spec in unavailable)
        for mistake in (*actions, *wrong, *phrases, *self.state.notes):
            self.events.emit(EventKind.ERROR, f"{mistake.rstrip('.')}.")
        self._begin(self._stack, self._beat(self.managers.emergency), "heartbeat")
        await self._stack.enter_async_context(self.lag)
        self.watch_loop(self._stack)
        self._keep_going()

    def _prepare(self) -> list[str]:
        """What needs no loop: robot, run directory, emergency stop. Returns what is wrong with the robot."""
        settings, stack = self.settings, self._stack
        robot = self.robot = robot_of(settings)
        self.packs = read_packs((*robot.grammars, *settings.grammars))
        drivers = self.drivers = driver_catalogue(settings.driver_folders)
        wrong = mistakes_in(robot, drivers)
        if settings.robot:
            refuse(wrong)
        self.state = StateFolder(settings.state)
        stack.callback(self.state.flush)
        RunDirectory.sweep()
        run_directory = self._run_directory = RunDirectory.create()
        stack.callback(run_directory.remove)
        self.directory = run_directory.path
        emergency = self._emergency = EmergencyStop.create(self.directory)
        stack.callback(emergency.close)
        self.transport = self.make_transport()
        self.events = EventBus(self._clock)
        self.managers = Managers(
            robot.robot, __version__, secrets.token_hex(4), self._clock, self.monotonic_s
        )
        self.managers.emergency = emergency
        self.managers.health = self._health
        return [*map(str, wrong), *unavailable_in(robot, drivers)]

    async def _start_devices(self) -> None:
        """The managers of streams, processes, controllers, sensors, context and output."""
        enter, transport, managers = self._enter, self.transport, self.managers
        robot, drivers, directory, state = self.robot, self.drivers, self.directory, self.state
        monotonic_s, seed = self.monotonic_s, self.settings.seed
        interlock = self.interlock = Interlock(
            lambda device: (*managers.controllers.in_reach_of(device), self.ros.device)
        )
        managers.streams = await enter(StreamManager(transport, monotonic_s=monotonic_s))
        self.ros = await enter(
            RosManager(transport, robot.ros, directory, devices=robot.devices, interlock=interlock)
        )
        # Last of all, and bounded by what its children are given.
        self.processes = await self._stack.enter_async_context(self.process_manager(transport))
        managers.controllers = await enter(
            ControllerManager(
                transport,
                robot,
                drivers,
                directory,
                seed=seed,
                state=state,
                monotonic_s=monotonic_s,
                interlock=interlock,
            )
        )
        managers.sensors = await enter(
            SensorManager(
                transport,
                robot,
                drivers,
                directory,
                state=state,
                interlock=interlock,
                ear_for=self.speech_programs().ear,
            )
        )
        managers.context = await enter(
            ContextManager(
                transport,
                robot,
                marker_detector,
                state=state,
                device_states=managers.device_states,
                own_parts=managers.controllers.parts,
                track_of=managers.controllers.track_of,
                monotonic_s=monotonic_s,
            )
        )
        managers.controls = WorldControls(managers.controllers, managers.context)
        managers.outputs = await enter(OutputManager(transport, Screens(managers), self._encoder))

    async def _start_operators(self) -> None:
        """Who serves phones, headsets and desks, once somebody wants it."""
        robot, managers = self.robot, self.managers
        self._operators_wanted = asyncio.Event()
        self.operators = await self._enter(
            OperatorManager(
                self.transport,
                self._operator_process,
                self._operator_token,
                [device.mount for device in robot.devices if device.kind == ControllerKind.ARM.value],
                ice=self.settings.ice,
                robot=self._robot_pose,
                walls=self._walls,
                bases=[device.name for device in robot.devices if device.kind == ControllerKind.BASE.value],
                noticed=self._noticed,
                entry=self._tell_entry,
                interlock=self.interlock,
            )
        )
        managers.operators = OperatorDesk(
            self.operators, lambda: self.supervisor, self._operators_wanted.set, self.monotonic_s
        )
        PeopleAsked(self.operators, managers.operators)

    async def _start_supervisor(self) -> tuple[str, ...]:
        """Actions, language and supervisor. Returns what is wrong with phrases."""
        enter, managers, settings = self._enter, self.managers, self.settings
        registrar = self.registrar = ResourceRegistrar("supervisor", self.transport, interlock=self.interlock)
        await enter(registrar)
        asking = (managers.sensors, managers.outputs, managers.context, managers.controllers, self.operators)
        started = (*asking, managers.streams, self.processes, self.ros)
        managers.registrars = [registrar, *(manager.registrar for manager in started)]
        managers.faults = Faults(managers.sensors, managers.controllers, self.processes, managers.registrars)
        catalogue = self.catalogue = action_catalogue(settings.action_folders)
        runners = ActionRunners(catalogue, registrar)
        language, mistakes = await asyncio.to_thread(
            checked_language, catalogue, collide=runners.collide, packs=self.packs
        )
        spoken_names = SpokenNames(language, KnownNames(managers))
        page_sounds = PageSounds(self.directory, self.monotonic_s)
        self.speech = await enter(
            SpeechManager(
                self.transport,
                self.directory,
                self.speech_programs(),
                spoken_names.now,
                page_sounds.feed,
                lambda: page_sounds.talked_into,
                monotonic_s=self.monotonic_s,
            )
        )
        gestures = await enter(
            GestureManager(
                self.transport,
                self.directory,
                self._gesture_reader,
                self._hand_tracker,
                cameras_by_name(self.robot),
            )
        )
        managers.registrars += [self.speech.registrar, gestures.registrar]
        conditions = await enter(
            WorldConditions(
                registrar,
                managers.context,
                managers,
                monotonic_s=self.monotonic_s,
                is_blocked=managers.controllers.is_blocked,
            )
        )
        managers.language, managers.world, managers.wording = language, KnownNames(managers), language.wording
        managers.signatures = CatalogueSignatures(catalogue)
        managers.action_folders = tuple(map(str, settings.action_folders))
        managers.supervisor = self.supervisor = await enter(
            Supervisor(
                signatures=managers.signatures,
                runners=runners,
                parser=language,
                events=self.events,
                registrar=registrar,
                emergency=managers.emergency,
                world=managers.world,
                kinds=HINTED,
                meta=language.meta,
                proposer=await self._proposer(self._stack, language, managers.signatures),
                conditions=conditions,
                wording=language.wording,
                clock=self._clock,
                interlock=self.interlock,
                thinking=Thinking(
                    managers.world,
                    (*language.kinds, *language.kinds_heard, *HINTED, *kinds_of(managers.signatures)),
                ),
            )
        )
        self.voice = self._stack.enter_context(
            AnsweringAloud(
                self.directory,
                self.supervisor,
                self._clock,
                self.monotonic_s,
                is_there=self._has_loudspeaker,
            )
        )
        managers.listening = Listening(
            registrar, self.supervisor, self._clock, self.monotonic_s, self.voice, self.robot.speech.wake
        )
        managers.talking = await enter(Talking(page_sounds, managers.listening, managers.pointing))
        managers.gesturing = await enter(
            Gesturing(registrar, gestures, self.supervisor, self._clock, self.monotonic_s)
        )
        if (desk := managers.operators) is not None:
            self._stack.callback(self.events.listen(lambda _: desk.tell_then()))
        return mistakes

    async def _start_face(self) -> None:
        """What nodes of the ROS 2 graph see of us, if they are to."""
        offers = self.robot.ros.offers
        if offers == "nothing":
            return
        managers = self.managers
        face = await self._enter(
            RosFace(
                self.transport,
                self.supervisor,
                managers.emergency,
                self.events,
                lambda: [each.snapshot() for each in managers.registrars],
                self.robot.robot,
                self._clock,
                is_instructed=offers == "instructions",
            )
        )
        managers.registrars.append(face.registrar)
        self._begin(self._stack, hold_face(face.registrar, self.events, face), "what ROS sees")

    def _keep_going(self) -> None:
        """Ask for what is to be there as long as we are (`standing_requests.py`)."""
        robot, registrar, events = self.robot, self.registrar, self.events
        if robot.world:
            holding = hold_world(registrar, self.managers, events, robot.world)
            self._begin(self._stack, holding, "the simulated robot")
        for device in robot.devices:
            if not robot.world and device.kind in CONTROLLERS:
                holding = hold_control(registrar, events, device.name)
                self._begin(self._stack, holding, f"control of {device.name}")
        if self._has_loudspeaker:
            self._begin(self._stack, hold_voice(registrar, events, self.voice), "the robot's voice")
        for camera in robot.gestures.cameras:
            self._begin(
                self._stack, hold_hands(registrar, self.managers, events, camera), f"hands before {camera}"
            )
        holding = hold_operators(registrar, events, self._operators_wanted)
        self._begin(self._stack, holding, "operators")
        if self.settings.phones:
            self._operators_wanted.set()

    @property
    def _has_loudspeaker(self) -> bool:
        return any(device.kind == LOUDSPEAKER for device in self.robot.devices)

    # -- what managers ask of it

    def speech_programs(self) -> SpeechPrograms:
        """The processes that hear and recognise."""
        directory, folders = str(self.directory), self.settings.action_folders
        return SpeechPrograms(
            ear=lambda feed: ear_spec(EarArguments(directory, feed)),
            recording=lambda path, name: sound_files_spec(
                SoundFilesArguments(path, run_directory=directory, device=name)
            ),
            endpoint=lambda feed, since_s: endpoint_spec(EndpointArguments(directory, feed, since_s)),
            recogniser=lambda feed, model, is_addressed: recogniser_spec(
                RecogniserArguments(directory, feed, model, self.robot.speech, is_addressed)
            ),
            model=lambda: spoken_language_spec(models_folder(), folders),
        )

    def _gesture_reader(self, hands: HandsFeed) -> ProcessSpec:
        return reader_spec(ReaderArguments(str(self.directory), hands))

    def _hand_tracker(self, source: str, stream: str, camera: CameraFeed) -> ProcessSpec:
        return tracker_spec(TrackerArguments(str(self.directory), source, stream, camera))

    def _encoder(self, source: StreamHandle, view_id: str) -> Any:
        return encoder_process(EncoderArguments(source, str(self.directory), view_id))

    def _operator_token(self) -> str:
        return self.for_programs()[1]

    def _robot_pose(self) -> Pose7:
        return robot_among(self.managers.context.things())

    def _walls(self, arm: ArmHandle) -> tuple[Box, ...]:
        described = {device.name: device for device in self.robot.devices}
        return walls_of(described[arm.device], arm.workspace)

    def _noticed(self, words: str) -> None:
        self.events.emit(EventKind.ERROR, f"{words[0].upper()}{words[1:].rstrip('.')}.")

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

    def make_transport(self) -> LocalTransport:
        """Where its registrars meet."""
        return LocalTransport()

    def process_manager(self, transport: LocalTransport) -> ProcessManager:
        """Starts the child processes."""
        launcher = ProcessLauncher(on_output=_printed, withheld=(PROPOSER_KEY,))
        return ProcessManager(transport, launcher, restarted=self.tell_restarted)

    def tell_restarted(self, restarted: Restarted) -> None:
        """Into the log: a child process runs again. One that keeps failing is said to once, and counted in
        what status and console show of it."""
        name, times = restarted.name, restarted.in_a_row
        why = f" ({restarted.reason})" if restarted.reason else ""
        if restarted.is_steady:
            self.events.emit(
                EventKind.DEVICE, f"The process {name} is steady again, after {times} starts anew."
            )
        elif times == 1:
            self.events.emit(EventKind.DEVICE, f"The process {name} was started again{why}.")
        elif times == MANY:
            text = f"The process {name} is unsteady: it was started again {times} times in a row{why}."
            how = f'"retry now" (`pilothouse retry "process_manager/process {name}"`) ends one'
            self.events.emit(EventKind.ERROR, f"{text} The waits between grow; {how}.")

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

    def watch_loop(self, stack: AsyncExitStack) -> None:
        """Name whoever holds the main loop."""
        emergency = self.managers.emergency
        stack.enter_context(
            LoopWatchdog(
                self.lag,
                PluginFiles(self.catalogue.available, self.drivers.values()),
                self.tell_held,
                lend=emergency.lend,
                # Others set it by this file: the command line, and who serves phones.
                can_stop=emergency.path.exists,
            )
        )

    def tell_held(self, held: Held, context: Context | None) -> None:
        """Somebody has held the loop: told, and if it was a plugin for long, that has failed."""
        told = self.held.note(held)
        if told is not None:
            self._noticed(held_in_words(told))
        fail_holder(held, context)

    async def serve(self, stack: AsyncExitStack) -> None:
        """Show the installation to people."""
        managers, settings = self.managers, self.settings
        backend = InstallationBackend(managers)
        self.server = ConsoleServer(
            backend, host=settings.host, port=settings.port, lag=self.lag, state=settings.state
        )
        await self._enter(self.server)
        managers.page = PageHandle("console", self.server.address)
        managers.views_changed = lambda: self.server.changed(Topic.VIEWS)
        managers.scene_changed = lambda: self.server.changed(Topic.SCENE)
        managers.put_view = self.server.put_view
        stack.callback(self.events.listen(lambda event: self.server.event(backend.line(event))))
        self._begin(stack, self._tell_pages(backend), "console states")

    def _begin(self, stack: AsyncExitStack, work: Any, name: str) -> None:
        task = asyncio.create_task(work, name=name)
        task.add_done_callback(self._tell_broken)

        async def end() -> None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        stack.push_async_callback(end)

    def _tell_broken(self, task: asyncio.Task[Any]) -> None:
        """What goes on as long as we do does not end in silence."""
        if task.cancelled() or (error := task.exception()) is None:
            return
        name = task.get_name()
        log.error("%s: an error in the program", name, exc_info=error)
        self._noticed(
            f"{name} has ended by an error in the program, which is in the log: {type(error).__name__}"
        )

    async def _beat(self, emergency: EmergencyStop) -> None:
        """Tell every control process that the supervisor is alive."""
        while True:
            emergency.beat(self.monotonic_s())
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
            "loop_held": self.held.count,
            "loop_held_last": [
                {
                    "who": f"{each.holder.owner} {each.holder.name}",
                    "file": each.holder.place.file,
                    "line": each.holder.place.line,
                    "held_ms": round(1e3 * each.held_s),
                    "ago_s": round(self.monotonic_s() - each.at_s, 1),
                }
                for each in self.held.last
            ],
            "pages": self.server.pages,
            "processes": {process.name: process.pid for process in self.processes.processes()},
            "unavailable_actions": [spec.name for spec in self.catalogue.unavailable],
        }


def _printed(process: str, line: str) -> None:
    """What a child prints goes into the log."""
    log.info("%s: %s", process, line)
