"""The installation as the console and the command line see it (`resources.console.backend`).

Turns what managers and supervisor know into the console's messages, and its
commands into calls. It decides nothing.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from framework.clock import Clock
from framework.errors import PilothouseError, PlanError
from framework.plan import Completions, Parser, Plan, Signatures, Source, Wording, World, in_words
from framework.plan.instruction import Pointing
from framework.processes.emergency import EmergencyStop
from framework.registrar import ResourceRegistrar
from framework.supervisor import Event, EventKind, PlanView, Reply, Supervisor
from framework.tree.view import picture
from framework.unreadable import UNREADABLE
from managers.console_hands import ConsoleHands
from managers.console_plans import change_of, read_plan, understood, written
from managers.console_pointing import ConsolePointing
from managers.console_views import event_line, last_told, page_device, page_plan, page_question, resources
from managers.context_manager import ContextManager
from managers.controller_manager import ControllerManager
from managers.devices import DeviceView
from managers.faults import Faults
from managers.gesturing import Gesturing
from managers.hand_pointing import HandPointing
from managers.hints import hints
from managers.listening import Hearing, Listening
from managers.operator_desk import OperatorDesk
from managers.output_manager import OutputManager
from managers.pointing import pointed_at
from managers.sensor_manager import SensorManager
from managers.stream_manager import StreamManager
from managers.talking import Talking
from managers.world_controls import WorldControls
from resources.children.failing import FailMode
from resources.console.backend import (
    LanguageNow,
    RingFeed,
    RunningPlan,
    SavedPlan,
    Topic,
    Voice,
    WorldThing,
)
from resources.console.graph import graph_of
from resources.types.control import SimulationHandle
from resources.types.speech import Speech
from resources.types.streams import StreamFormat
from resources.types.views import Look, PageHandle
from resources.types.whereabouts import POINTS_FOR_S, Ray, into, robot_among
from resources.web.page_messages import ChangeKind, FailureKind, PagePoint, PlanForm, PlanOrder
from resources.web.protocol import (
    PROTOCOL,
    Devices,
    Emergency,
    EventLine,
    Feed,
    FingerRay,
    Fingers,
    GesturesSeen,
    Graph,
    Heard,
    Hello,
    Operators,
    PointedAt,
    PutView,
    Questions,
    Scene,
    SceneBody,
    Trees,
    ViewLine,
    Views,
)

#: The last line of an instruction's events: whether it came to something.
SETTLED = "settled"

#: How many events a page that has just connected is told.
RECENT = 200


class PutViews(Protocol):
    """The console's server: `ConsoleServer.put_view`."""

    def __call__(self, who: str, look: PutView, *, draws: bool) -> bool: ...


class Managers:
    """Everything the backend looks at; filled while the installation is put together.

    language, world, wording, signatures: what the supervisor understands with.
    action_folders: of the user's own actions. controls: of the simulated world.
    """

    def __init__(
        self,
        name: str,
        version: str,
        run: str,
        clock: Clock,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.version = version
        self.run = run
        self.clock = clock
        self.monotonic_s = monotonic_s
        self.started_s = clock.now_s()
        self.registrars: list[ResourceRegistrar] = []
        self.simulation: SimulationHandle | None = None
        self.health: Callable[[], Mapping[str, object]] = dict
        self.sensors: SensorManager
        self.streams: StreamManager
        self.outputs: OutputManager
        self.controllers: ControllerManager
        self.context: ContextManager
        self.supervisor: Supervisor
        self.emergency: EmergencyStop
        self.faults: Faults
        self.language: Parser
        self.world: World
        self.wording: Wording
        self.signatures: Signatures
        self.action_folders: tuple[str, ...] = ()
        self.controls: WorldControls
        self.operators: OperatorDesk | None = None
        self.listening: Listening
        self.talking: Talking
        self.gesturing: Gesturing
        self.console_pointing = ConsolePointing(lambda: self.context.things(), clock)
        self.hand_pointing = HandPointing(lambda: self.context.things(), clock)
        self.page: PageHandle | None = None
        self.views_changed: Callable[[], None] = lambda: None
        self.scene_changed: Callable[[], None] = lambda: None
        self.put_view: PutViews = _nobody

    def devices(self) -> tuple[DeviceView, ...]:
        """All devices of the robot: what looks, then what moves."""
        return (*self.sensors.devices(), *self.controllers.devices())

    def pointing(self, who: str, points_at: Ray | None = None) -> tuple[Pointing, ...]:
        """What whoever speaks points at, with a phone or in the console's scene: "look at that".

        points_at: with what they hold, if it came with their words.
        """
        lines = self.operators.sessions if self.operators is not None else ()
        monotonic_s, now_s = self.monotonic_s(), self.clock.now_s()
        if points_at is not None:
            return pointed_at(points_at, self.context.things(), now_s)
        for line in lines:
            ago_s = monotonic_s - line.pointed_s
            if line.name == who and line.points_at is not None and ago_s <= POINTS_FOR_S:
                return pointed_at(line.points_at, self.context.things(), now_s - ago_s)
        return self.console_pointing.now(who)

    def device_states(self) -> dict[str, str]:
        """Their states, by name."""
        return {device.name: device.state for device in self.devices()}


class Screens:
    """The console as the output manager's only screen."""

    def __init__(self, managers: Managers) -> None:
        self._managers = managers

    def pages(self) -> dict[str, PageHandle]:
        """The console, once it is being served."""
        page = self._managers.page
        return {page.screen: page} if page is not None else {}

    def views_changed(self) -> None:
        """Tell the console."""
        self._managers.views_changed()

    def put_view(self, page: str, look: Look) -> bool:
        """Tell that page, in the frame that it draws in; False: there is none of this name."""
        managers, middle = self._managers, look.middle
        sessions = managers.operators.sessions if managers.operators is not None else ()
        is_operator = any(line.name == page for line in sessions)
        if is_operator and middle is not None:
            middle = into(robot_among(managers.context.things()), middle)
        return managers.put_view(page, PutView(middle, look.size_m, look.is_above), draws=not is_operator)


class InstallationBackend:
    """`ConsoleBackend` of a real installation."""

    def __init__(self, managers: Managers) -> None:
        self._managers = managers

    def hello(self) -> Hello:
        managers = self._managers
        to_try = hints({device.kind for device in managers.devices()}, managers.world.names("world.things"))
        return Hello(PROTOCOL, managers.version, managers.name, managers.run, to_try)

    def scene(self) -> Scene:
        simulation = self._managers.simulation
        if simulation is None:
            return Scene()
        try:
            return Scene(msgspec.json.decode(Path(simulation.scene).read_bytes(), type=_SceneFile).bodies)
        except (OSError, *UNREADABLE):
            # The world has gone between two looks; the next change of the scene says so.
            return Scene()

    def graph(self) -> Graph:
        managers = self._managers
        return graph_of((registrar.snapshot() for registrar in managers.registrars), managers.clock.now_s())

    def trees(self) -> Trees:
        supervisor = self._managers.supervisor
        shown = (*supervisor.ended_plans()[-3:], *supervisor.plans())
        return Trees(tuple(page_plan(view) for view in shown))

    def devices(self) -> Devices:
        injected = self._managers.faults.injected
        return Devices(
            tuple(page_device(device, injected.get(device.name)) for device in self._managers.devices())
        )

    def views(self) -> Views:
        return Views(
            tuple(
                ViewLine(
                    view_id,
                    view.title or view.source.name,
                    view.source.format.value,
                    view.source.name,
                    handle.encoded.rate_hz,
                    view.source.intrinsics,
                )
                for view_id, (view, handle) in self._managers.outputs.views().items()
            )
        )

    def emergency(self) -> Emergency:
        latch = self._managers.emergency
        if not latch.is_latched:
            return Emergency(False, "Nothing is stopped.")
        return Emergency(True, f"Emergency stop: {latch.reason}")

    def questions(self) -> Questions:
        managers = self._managers
        return Questions(
            tuple(
                page_question(
                    question,
                    managers.supervisor.events.history(),
                    managers.clock.now_s(),
                    managers.context.called,
                    robot_among(managers.context.things()),
                )
                for question in managers.supervisor.questions
            )
        )

    def operators(self) -> Operators:
        desk = self._managers.operators
        return desk.shown() if desk is not None else Operators()

    def fingers(self) -> Fingers:
        return Fingers(
            tuple(
                FingerRay(each.camera, each.side, each.origin, each.direction, each.names)
                for each in self._managers.hand_pointing.shown()
            )
        )

    async def open_pairing(self, *, who: str) -> str:
        return await self._desk.open_pairing()

    async def end_session(self, session: str, *, who: str) -> str:
        return self._announce(self._desk.end_session(session, who), who)

    async def hand_over(self, session: str, *, who: str) -> str:
        return self._announce(await self._desk.hand_over(session), who)

    @property
    def _desk(self) -> OperatorDesk:
        desk = self._managers.operators
        if desk is None:
            raise PilothouseError("operators are not served here")
        return desk

    def looks(self) -> Mapping[Topic, Callable[[], object]]:
        """What nobody announces: it has changed when a look differs from the one before."""
        return {
            Topic.GRAPH: self.graph,
            Topic.TREES: self.trees,
            Topic.DEVICES: self.devices,
            Topic.EMERGENCY: self.emergency,
            # Without the time that is left: the pages count by themselves.
            Topic.OPERATORS: lambda: msgspec.structs.replace(self.operators(), left_s=0.0),
            Topic.FINGERS: self.fingers,
            Topic.QUESTIONS: lambda: last_told(self.questions().questions),
        }

    def feeds(self) -> Mapping[str, RingFeed]:
        feeds = {
            view_id: RingFeed(Path(handle.encoded.ring), StreamFormat.VIEW, handle.encoded.rate_hz)
            for view_id, (_, handle) in self._managers.outputs.views().items()
        }
        simulation = self._managers.simulation
        if simulation is not None:
            feeds[Feed.SCENE.value] = RingFeed(Path(simulation.poses.ring), StreamFormat.POSES, 20.0)
        return feeds

    def recent_events(self) -> Sequence[EventLine]:
        return [self.line(event) for event in self._managers.supervisor.events.history()[-RECENT:]]

    def status(self) -> bytes:
        managers = self._managers
        plans = [
            {
                "id": plan.id,
                "words": plan.words,
                "state": str(plan.state),
                "who": plan.who,
                "detail": plan.detail,
                "picture": picture(plan.tree),
            }
            for plan in managers.supervisor.plans()
        ]
        return msgspec.json.encode(
            {
                "plans": plans,
                "questions": self.questions().questions,
                "resources": resources([registrar.snapshot() for registrar in managers.registrars]),
                "providers": managers.devices(),
                "streams": managers.streams.streams(),
                "things": managers.context.things(),
                "health": {
                    "emergency": managers.emergency.reason if managers.emergency.is_latched else "",
                    **managers.health(),
                },
            }
        )

    async def complete(self, text: str) -> Completions:
        return await self._managers.supervisor.complete(text)

    def language(self, kinds: Sequence[str]) -> LanguageNow:
        managers = self._managers
        return LanguageNow(managers.action_folders, {kind: managers.world.known(kind) for kind in kinds})

    def say(
        self, text: str, *, who: str, points_at: Ray | None = None, spoken: bool = False
    ) -> AsyncIterator[EventLine]:
        pointing = self._managers.pointing(who, points_at)
        source = Source.PHONE_SPEECH if spoken else Source.TYPED
        return self._follow(self._managers.supervisor.say(text, source, who, pointing=pointing))

    def listen(
        self, recording: str, audience: str, *, is_addressed: bool, who: str
    ) -> AsyncIterator[EventLine]:
        speech = Speech(audience, recording, is_addressed=is_addressed)
        managers = self._managers
        # Who speaks here stands before the robot: what a finger shows its cameras is theirs, and of no page.
        # What is said in a recording was said elsewhere, or before.
        pointing = tuple if recording else managers.hand_pointing.lately
        return self._follow(managers.listening.listen(speech, who, pointing))

    def voice(self, tell: Callable[[Heard], None], *, who: str) -> Voice:
        return self._managers.talking.voice(who, tell)

    def point(self, at: PagePoint | None, *, who: str) -> PointedAt:
        return self._managers.console_pointing.point(who, at)

    def watch_hands(self, *, who: str, show: Callable[[GesturesSeen], None]) -> ConsoleHands:
        return ConsoleHands(self._managers.gesturing, who, show)

    async def answer(self, question: str, choice: int, *, who: str) -> str:
        reply = self._managers.supervisor.answer(question, choice, who)
        async for event in reply:
            if event.kind is EventKind.REFUSED:
                raise PlanError(event.text)
            if event.kind is not EventKind.HEARD:  # that is what was answered, not what came of it
                return event.text
        return "That is answered."

    # ------------------------------------------------------------ plans

    def plan(self, plan_id: str) -> RunningPlan:
        view = self._plan_view(plan_id)
        return RunningPlan(
            view.id, view.words, view.who, view.source, str(view.state), view.detail, view.tree
        )

    def plan_file(self, plan_id: str, form: PlanForm) -> SavedPlan:
        view = self._plan_view(plan_id)
        return written(self._managers.supervisor.plan(plan_id), view.words, form)

    async def run_plan(self, content: str, *, who: str) -> AsyncIterator[EventLine]:
        supervisor = self._managers.supervisor
        read = read_plan(content, self._managers.signatures)
        for note in read.notes:
            yield self.line(supervisor.events.emit(EventKind.UNDERSTOOD, f"Of the file: {note}", who=who))
        async for line in self._follow(supervisor.carry_out(read.plan, Source.PROGRAM, who)):
            yield line

    async def order_plan(self, plan_id: str, order: PlanOrder, *, who: str) -> str:
        supervisor = self._managers.supervisor
        view = self._plan_view(plan_id)
        match order:
            case PlanOrder.PAUSE:
                supervisor.pause_plan(plan_id)
                return f"Paused: {view.words}."
            case PlanOrder.RESUME:
                supervisor.resume_plan(plan_id)
                return f"Resumed: {view.words}."
            case PlanOrder.STOP:
                supervisor.stop_plan(plan_id, f"stopped by {who}")
                return f"Stopped: {view.words}."

    async def change_plan(self, plan_id: str, node: str, how: ChangeKind, text: str, *, who: str) -> str:
        managers = self._managers
        supervisor = managers.supervisor

        def plan() -> Plan:
            meant = understood(text, managers.language, supervisor.known, managers.wording)
            in_words(meant, managers.wording)  # is remembered for when the loop asks
            return meant

        change = await supervisor.think(lambda: change_of(node, how, plan))
        managers.supervisor.change_plan(plan_id, change)
        return f"It is now: {self._plan_view(plan_id).words}."

    def _plan_view(self, plan_id: str) -> PlanView:
        supervisor = self._managers.supervisor
        running = supervisor.plans()
        for view in (*running, *supervisor.ended_plans()):
            if view.id == plan_id:
                return view
        known = ", ".join(f"{view.id} ({view.words})" for view in running)
        raise PlanError(
            f"there is no plan {plan_id!r}; {f'there are {known}' if known else 'none is running'}"
        )

    # ------------------------------------------------------------ the simulated world

    def world(self) -> Sequence[WorldThing]:
        return [
            WorldThing(thing.name, thing.state, thing.states)
            for thing in self._managers.context.things()
            if thing.states
        ]

    async def put_world(self, thing: str, state: str, *, who: str) -> str:
        return self._announce(self._managers.controls.put(thing, state), who)

    # ------------------------------------------------------------ stops and failures

    def stop(self, *, who: str, press: str) -> str:
        latch = self._managers.emergency
        if not latch.has_had(press):
            self._managers.supervisor.emergency_stop(f"stopped by {who}", who)
            if not latch.is_latched:
                raise PilothouseError("the emergency stop could not be set")
            latch.remember(press)
        return "Everything that moves stands still until a reset."

    async def reset(self, *, who: str) -> str:
        if not self._managers.emergency.is_latched:
            return "The emergency stop was not set."
        if not await self._managers.supervisor.reset_emergency(who).done():
            raise PilothouseError("another emergency stop has been made meanwhile; that one stays")
        return "The emergency stop is lifted. Nothing moves by that."

    async def fail(self, resource: str, how: FailureKind, *, who: str) -> str:
        return self._announce(self._managers.faults.fail(resource, FailMode(how.value)), who)

    async def restore(self, resource: str, *, who: str) -> str:
        return self._announce(self._managers.faults.restore(resource), who)

    async def retry_now(self, resource: str, *, who: str) -> str:
        return self._announce(self._managers.faults.retry(resource), who)

    def line(self, event: Event) -> EventLine:
        """An event as the console shows it; its time counts from the installation's start."""
        return event_line(event, self._managers.started_s, self._managers.supervisor.questions)

    async def _follow(self, reply: Reply | Hearing) -> AsyncIterator[EventLine]:
        """An instruction's events, and at last whether it came to something."""
        event: Event | None = None
        async for event in reply:
            yield self.line(event)
        if event is not None:
            words = "done" if reply.succeeded else "not done"
            last = EventLine(0, self.line(event).t_s, event.wall_s, SETTLED, words, reply.plan)
            yield last

    def _announce(self, words: str, who: str) -> str:
        self._managers.supervisor.events.emit(EventKind.DEVICE, f"{words} ({who}).", who=who)
        return words


def _nobody(who: str, look: PutView, *, draws: bool) -> bool:
    """There are no pages yet."""
    return False


class _SceneFile(msgspec.Struct):
    bodies: tuple[SceneBody, ...]
