"""The installation as the console and the command line see it (`resources.console.backend`).

Turns what managers and supervisor know into the console's messages, and its
commands into calls. It decides nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from framework.clock import Clock
from framework.errors import PilothouseError
from framework.plan import Source
from framework.processes.emergency import EmergencyStop
from framework.registrar import ResourceRegistrar
from framework.supervisor import Event, EventKind, PlanView, Supervisor
from framework.tree.view import TreeView, picture
from managers.context_manager import ContextManager
from managers.faults import Faults
from managers.output_manager import OutputManager
from managers.sensor_manager import DeviceView, SensorManager
from managers.stream_manager import StreamManager
from resources.children.failing import FailMode
from resources.console.backend import RingFeed
from resources.console.graph import graph_of, label
from resources.console.protocol import (
    PROTOCOL,
    DeviceLine,
    Devices,
    DeviceState,
    Emergency,
    EventLine,
    FailureKind,
    Feed,
    Graph,
    Hello,
    NodeKind,
    NodeState,
    Scene,
    SceneBody,
    TreeNode,
    Trees,
    ViewLine,
    Views,
)
from resources.console.protocol import (
    PlanView as PagePlan,
)
from resources.types.control import SimulationHandle
from resources.types.streams import StreamFormat
from resources.types.views import PageHandle

#: The last line of an instruction's events: whether it came to something.
SETTLED = "settled"

#: How many events a page that has just connected is told.
RECENT = 200

HINTS = ("show the environment", "track the hand", "show the camera", "what are you doing?", "stop")


class House:
    """Everything the backend looks at; filled while the installation is put together."""

    def __init__(self, name: str, version: str, run: str, clock: Clock) -> None:
        self.name = name
        self.version = version
        self.run = run
        self.clock = clock
        self.started_s = clock.now_s()
        self.registrars: list[ResourceRegistrar] = []
        self.simulation: SimulationHandle | None = None
        self.health: Callable[[], Mapping[str, object]] = dict
        self.sensors: SensorManager
        self.streams: StreamManager
        self.outputs: OutputManager
        self.context: ContextManager
        self.supervisor: Supervisor
        self.emergency: EmergencyStop
        self.faults: Faults
        self.page: PageHandle | None = None
        self.views_changed: Callable[[], None] = lambda: None
        self.scene_changed: Callable[[], None] = lambda: None


class Screens:
    """The console as the output manager's only screen."""

    def __init__(self, house: House) -> None:
        self._house = house

    def pages(self) -> dict[str, PageHandle]:
        """The console, once it is being served."""
        page = self._house.page
        return {page.screen: page} if page is not None else {}

    def views_changed(self) -> None:
        """Tell the console."""
        self._house.views_changed()


class InstallationBackend:
    """`ConsoleBackend` of a real installation."""

    def __init__(self, house: House) -> None:
        self._house = house

    def hello(self) -> Hello:
        house = self._house
        return Hello(PROTOCOL, house.version, house.name, house.run, HINTS)

    def scene(self) -> Scene:
        simulation = self._house.simulation
        if simulation is None:
            return Scene()
        try:
            return Scene(msgspec.json.decode(Path(simulation.scene).read_bytes(), type=_SceneFile).bodies)
        except (OSError, msgspec.MsgspecError):
            # The world has gone between two looks; the next change of the scene says so.
            return Scene()

    def graph(self) -> Graph:
        house = self._house
        return graph_of((registrar.snapshot() for registrar in house.registrars), house.clock.now_s())

    def trees(self) -> Trees:
        supervisor = self._house.supervisor
        shown = (*supervisor.ended_plans()[-3:], *supervisor.plans())
        return Trees(tuple(_plan(view) for view in shown))

    def devices(self) -> Devices:
        injected = self._house.faults.injected
        return Devices(
            tuple(_device(device, injected.get(device.name)) for device in self._house.sensors.devices())
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
                )
                for view_id, (view, handle) in self._house.outputs.views().items()
            )
        )

    def emergency(self) -> Emergency:
        latch = self._house.emergency
        if not latch.is_latched:
            return Emergency(False, "Nothing is stopped.")
        return Emergency(True, f"Emergency stop: {latch.reason}")

    def feeds(self) -> Mapping[str, RingFeed]:
        feeds = {
            view_id: RingFeed(Path(handle.encoded.ring), StreamFormat.VIEW, handle.encoded.rate_hz)
            for view_id, (_, handle) in self._house.outputs.views().items()
        }
        simulation = self._house.simulation
        if simulation is not None:
            feeds[Feed.SCENE.value] = RingFeed(Path(simulation.poses.ring), StreamFormat.POSES, 20.0)
        return feeds

    def recent_events(self) -> Sequence[EventLine]:
        return [self.line(event) for event in self._house.supervisor.events.history()[-RECENT:]]

    def status(self) -> bytes:
        house = self._house
        snapshots = [registrar.snapshot() for registrar in house.registrars]
        who = {lease.id: lease.who for snapshot in snapshots for lease in snapshot.leases}
        names = {
            view.id: f"{view.registrar}/{label(view.request)}"
            for snapshot in snapshots
            for view in snapshot.resources
        }
        above: dict[str, list[str]] = {}
        for snapshot in snapshots:
            for view in snapshot.resources:
                for needed in view.depends_on:
                    above.setdefault(needed, []).append(names[view.id])
        resources: list[dict[str, Any]] = [
            {
                "id": view.id,
                "registrar": view.registrar,
                "request": label(view.request),
                "state": view.state,
                "detail": view.detail,
                "leases": list(view.leases),
                "used_by": above.get(view.id) or sorted({who.get(lease, lease) for lease in view.leases}),
                "depends_on": [names.get(needed, needed) for needed in view.depends_on],
            }
            for snapshot in snapshots
            for view in snapshot.resources
        ]
        plans = [
            {
                "id": plan.id,
                "words": plan.words,
                "state": str(plan.state),
                "who": plan.who,
                "detail": plan.detail,
                "picture": picture(plan.tree),
            }
            for plan in house.supervisor.plans()
        ]
        return msgspec.json.encode(
            {
                "plans": plans,
                "resources": resources,
                "providers": house.sensors.devices(),
                "streams": house.streams.streams(),
                "things": house.context.things(),
                "health": {
                    "emergency": house.emergency.reason if house.emergency.is_latched else "",
                    **house.health(),
                },
            }
        )

    async def say(self, text: str, *, who: str) -> AsyncIterator[EventLine]:
        reply = self._house.supervisor.say(text, Source.TYPED, who)
        event: Event | None = None
        async for event in reply:
            yield self.line(event)
        if event is not None:
            words = "done" if reply.succeeded else "not done"
            last = self.line(event)
            yield msgspec.structs.replace(last, number=0, kind=SETTLED, text=words, plan=reply.plan)

    def stop(self, *, who: str) -> str:
        self._house.supervisor.emergency_stop(f"stopped by {who}", who)
        return "Everything that moves stands still until a reset."

    async def reset(self, *, who: str) -> str:
        if not self._house.emergency.is_latched:
            return "The emergency stop was not set."
        if not await self._house.supervisor.reset_emergency(who).done():
            raise PilothouseError("another emergency stop has been made meanwhile; that one stays")
        return "The emergency stop is lifted. Nothing moves by that."

    async def fail(self, resource: str, how: FailureKind, *, who: str) -> str:
        return self._announce(self._house.faults.fail(resource, FailMode(how.value)), who)

    async def restore(self, resource: str, *, who: str) -> str:
        return self._announce(self._house.faults.restore(resource), who)

    async def retry_now(self, resource: str, *, who: str) -> str:
        return self._announce(self._house.faults.retry(resource), who)

    def line(self, event: Event) -> EventLine:
        """An event as the console shows it; its time counts from the installation's start."""
        return EventLine(
            event.sequence,
            round(event.t_s - self._house.started_s, 3),
            event.wall_s,
            event.kind.value,
            event.text,
            event.plan,
            event.action,
            event.who,
        )

    def _announce(self, words: str, who: str) -> str:
        self._house.supervisor.events.emit(EventKind.DEVICE, f"{words} ({who}).", who=who)
        return words


class _SceneFile(msgspec.Struct):
    bodies: tuple[SceneBody, ...]


_KINDS = {
    "do": NodeKind.ACTION,
    "wait": NodeKind.CONDITION,
    "alongside": NodeKind.PARALLEL,
}
_STATES = {"stopping": NodeState.RUNNING, "skipped": NodeState.IDLE, "established": NodeState.READY}


def _node(view: TreeView) -> TreeNode:
    return TreeNode(
        view.id,
        view.words,
        _KINDS.get(view.kind) or NodeKind(view.kind),
        _state(view.state),
        view.detail,
        tuple(map(_node, view.children)),
    )


def _state(state: str) -> NodeState:
    return _STATES.get(str(state)) or NodeState(str(state))


def _plan(view: PlanView) -> PagePlan:
    return PagePlan(view.id, view.words, view.who, _node(view.tree).state, _node(view.tree))


_DEVICE_STATES = {
    "free": DeviceState.IDLE,
    "in use": DeviceState.WORKING,
    "unplugged": DeviceState.FAILED,
    "resting": DeviceState.FAILED,
    "unavailable": DeviceState.FAILED,
}


def _device(device: DeviceView, injected: FailMode | None) -> DeviceLine:
    return DeviceLine(
        device.name,
        device.kind,
        _DEVICE_STATES[device.state],
        device.mount,
        device.detail or device.state,
        injected.value if injected is not None else "",
    )
