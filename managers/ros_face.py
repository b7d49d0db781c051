"""The supervisor in the ROS 2 graph: what other people's nodes see of it, and how they speak with it.

    /pilothouse/say       topic, std_msgs/msg/String: an instruction               with `offers:
    instructions` /pilothouse/instruct  action, pilothouse_msgs/action/Instruct: one, followed   with
    `offers: instructions` /pilothouse/reset     service, std_srvs/srv/Trigger; asked twice, within ten
    seconds, it lifts an emergency stop /pilothouse/stop      service, std_srvs/srv/Trigger: the emergency
    stop /pilothouse/status    service, std_srvs/srv/Trigger: what is being done, in words /pilothouse/events
    topic, std_msgs/msg/String: what happens, in words /diagnostics          topic,
    diagnostic_msgs/msg/DiagnosticArray: how each resource is, once a second

An instruction from there is a program's: what is dangerous asks back, and nothing else is different from one
that was typed. `instruct` is there where its type is (docs/ros2.md says how it gets there).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack
from typing import Any, Final

from framework.clock import Clock
from framework.errors import PilothouseError
from framework.events import Event, EventBus
from framework.plan.instruction import Source
from framework.plugins.client import client_for
from framework.registrar import Lease, ResourceRegistrar
from framework.registrar.records import ResourceState
from framework.registrar.snapshot import ResourceView, Snapshot
from framework.status import Priority
from framework.supervisor import EventKind, Supervisor
from framework.transport.interface import Transport
from resources.types.ros import Qos, RosOffer, RosTopic
from resources.types.ros_clients import RosOfferClient, RosTopicClient

SAY: Final = RosTopic("/pilothouse/say", "std_msgs/msg/String", qos=Qos())
EVENTS: Final = RosTopic("/pilothouse/events", "std_msgs/msg/String", outward=True, moves=False)
DIAGNOSTICS: Final = RosTopic(
    "/diagnostics", "diagnostic_msgs/msg/DiagnosticArray", outward=True, moves=False
)
INSTRUCT: Final = RosOffer("/pilothouse/instruct", "pilothouse_msgs/action/Instruct")
TRIGGER: Final = "std_srvs/srv/Trigger"
STOP, RESET, STATUS = (RosOffer(f"/pilothouse/{name}", TRIGGER) for name in ("stop", "reset", "status"))

WHO: Final = "ROS"

DIAGNOSED_EVERY_S: Final = 1.0
CONFIRMED_WITHIN_S: Final = 10.0
"""A reset counts if it is asked for again within so long [s]."""

MOST_TEXT: Final = 1000
"""An instruction that is longer is refused whole [characters]: what is cut off could be its "not"."""

MOST_STATUSES: Final = 60
"""More do not fit into one message; then several are sent."""

OK, WARN, ERROR, STALE = range(4)
"""Levels of diagnostic_msgs/msg/DiagnosticStatus."""

_LEVELS: Final = {
    ResourceState.READY: OK,
    ResourceState.STARTING: OK,
    ResourceState.STOPPING: OK,
    ResourceState.DEGRADED: WARN,
    ResourceState.UNSTEADY: WARN,
    ResourceState.RETRYING: WARN,
    ResourceState.NEEDS_HUMAN: ERROR,
    ResourceState.FAILED: ERROR,
}


class RosFace:
    """Serves the graph while its bridge is held.

    Args:
        supervisor: whoever instructions go to.
        snapshots: of all registrars, now.
        robot: its name.
        is_instructed: whoever speaks in the graph may instruct the robot.
    """

    def __init__(
        self,
        transport: Transport,
        supervisor: Supervisor,
        events: EventBus,
        snapshots: Callable[[], Iterable[Snapshot]],
        robot: str,
        clock: Clock,
        *,
        is_instructed: bool,
    ) -> None:
        self.registrar = ResourceRegistrar("ros_face", transport, clock=clock)
        self._supervisor = supervisor
        self._events = events
        self._snapshots = snapshots
        self._robot = robot
        self._clock = clock
        self._is_instructed = is_instructed
        self._asked_to_reset_s = float("-inf")

    async def __aenter__(self) -> RosFace:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    async def serve(self, bridge: Lease) -> None:
        """Until the bridge is lost. Raises PilothouseError if a part of it cannot be had."""
        async with AsyncExitStack() as stack:
            parts: list[Coroutine[Any, Any, None]] = [self._lost(bridge)]
            status = await self._held(stack, STATUS)
            stop = await self._held(stack, STOP)
            parts += [self._answer(status, self._status), self._answer(stop, self._stopped)]
            parts.append(self._tell(await self._held(stack, EVENTS)))
            parts.append(self._diagnose(await self._held(stack, DIAGNOSTICS)))
            if self._is_instructed:
                parts.append(self._hear(await self._held(stack, SAY)))
                parts.append(self._answer(await self._held(stack, RESET), self._reset))
                try:
                    parts.append(self._follow(await self._held(stack, INSTRUCT)))
                except PilothouseError as error:
                    words = f"The action {INSTRUCT.name} is not offered in ROS: {error.why}."
                    self._events.emit(EventKind.DEVICE, words)
            tasks = [asyncio.create_task(part) for part in parts]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    if task.done():
                        task.result()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _held(self, stack: AsyncExitStack, request: Any) -> Any:
        """A client of it, for as long as the stack."""
        lease = await stack.enter_async_context(
            self.registrar.request(request, priority=Priority.BACKGROUND, on_failure="tell", who=WHO)
        )
        client = client_for(str(request), request, lease)
        stack.callback(client.end)
        return client

    async def _lost(self, bridge: Lease) -> None:
        await bridge.failed()

    async def _answer(self, offer: RosOfferClient, answer: Callable[[], tuple[bool, str]]) -> None:
        """One of the services."""
        async for number, _ in offer.asked():
            try:
                success, words = answer()
            except PilothouseError as error:
                success, words = False, error.why
            offer.reply(number, success=success, message=words)

    def _status(self) -> tuple[bool, str]:
        return True, _short(self._supervisor.what_is_done(), 4 * MOST_TEXT)

    def _stopped(self) -> tuple[bool, str]:
        reply = self._supervisor.emergency_stop("stopped from ROS", WHO)
        told = [event for event in reply.events if event.kind in (EventKind.EMERGENCY, EventKind.ERROR)]
        if not told:
            return False, "nothing came of it: use the robot's own stop"
        return told[0].kind is EventKind.EMERGENCY, told[0].text

    def _reset(self) -> tuple[bool, str]:
        now_s = self._clock.now_s()
        if now_s - self._asked_to_reset_s > CONFIRMED_WITHIN_S:
            self._asked_to_reset_s = now_s
            words = f"look whether the robot is clear, then ask again within {CONFIRMED_WITHIN_S:g} s"
            return False, words
        self._asked_to_reset_s = float("-inf")
        reply = self._supervisor.reset_emergency(WHO)
        return bool(reply.succeeded), reply.events[-1].text if reply.events else "nothing came of it"

    async def _hear(self, say: RosTopicClient) -> None:
        """What is said on the topic; what comes of it is told as any event is."""
        async for message in say.messages():
            text = message.data.strip()
            if len(text) > MOST_TEXT:
                self._events.emit(EventKind.REFUSED, _too_long(text), who=WHO)
            elif text:
                self._supervisor.say(text, Source.PROGRAM, WHO)

    async def _follow(self, instruct: RosOfferClient) -> None:
        """Goals of the action, each on its own."""
        following: dict[int, asyncio.Task[None]] = {}
        try:
            async for number, goal in instruct.asked():
                for over in [each for each, task in following.items() if task.done()]:
                    del following[over]
                if goal is not None:
                    work = self._carry_out(instruct, number, goal)
                    following[number] = asyncio.create_task(work, name=f"goal {number} of ROS")
                elif number in following:
                    following[number].cancel()
        finally:
            for task in following.values():
                task.cancel()

    async def _carry_out(self, instruct: RosOfferClient, number: int, goal: Any) -> None:
        """One of them. Cancelled: its plan is stopped."""
        text = goal.text.strip()
        if not text or len(text) > MOST_TEXT:
            words = _too_long(text) if text else "the goal has no text: say what is to be done"
            instruct.reply(number, "aborted", succeeded=False, words=words)
            return
        who = f"{WHO} ({_short(goal.who, 40)})" if goal.who else WHO
        reply = self._supervisor.say(text, Source.PROGRAM, who)
        words = ""
        try:
            async for event in reply:
                words = event.text
                instruct.feedback(number, kind=event.kind.value, words=_short(words, MOST_TEXT))
        except asyncio.CancelledError:
            if reply.plan and reply.succeeded is None:
                try:
                    self._supervisor.stop_plan(reply.plan, "given up in ROS")
                except PilothouseError as error:
                    words = error.why
            instruct.reply(number, "canceled", succeeded=False, words=words)
            raise
        succeeded = bool(reply.succeeded)
        instruct.reply(
            number,
            "succeeded" if succeeded else "aborted",
            succeeded=succeeded,
            words=_short(words, MOST_TEXT),
        )

    async def _tell(self, events: RosTopicClient) -> None:
        """What happens, in words."""
        coming: asyncio.Queue[Event] = asyncio.Queue(1000)

        def heard(event: Event) -> None:
            if not coming.full():
                coming.put_nowait(event)

        ignore = self._events.listen(heard)
        try:
            while True:
                event = await coming.get()
                events.publish(data=_short(f"{event.kind.value}: {event.text}", MOST_TEXT))
        finally:
            ignore()

    async def _diagnose(self, diagnostics: RosTopicClient) -> None:
        """How each resource is, again and again."""
        while True:
            views = [view for snapshot in self._snapshots() for view in snapshot.resources]
            now_s = time.time()
            stamp = {"sec": int(now_s), "nanosec": int(now_s % 1.0 * 1e9)}
            for some in in_parts([diagnosis(view, self._robot) for view in views]):
                diagnostics.publish(header={"stamp": stamp}, status=some)
            await self._clock.sleep(DIAGNOSED_EVERY_S)


def diagnosis(view: ResourceView, robot: str) -> dict[str, Any]:
    """A resource as a DiagnosticStatus, by its fields."""
    state = ResourceState(view.state)
    words = f"{state.value}: {view.detail}" if view.detail else state.value
    return {
        "level": _LEVELS[state],
        "name": _short(f"pilothouse {view.registrar}: {view.request}", 200),
        "message": _short(words, 400),
        "hardware_id": robot,
        "values": [{"key": "leases", "value": str(len(view.leases))}],
    }


def in_parts(statuses: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """As many lists as it takes; one at least, so that who listens knows that nothing is wrong."""
    return [list(statuses[at : at + MOST_STATUSES]) for at in range(0, max(1, len(statuses)), MOST_STATUSES)]


def _short(text: str, most: int) -> str:
    """What is only read may be cut off."""
    return text if len(text) <= most else f"{text[: most - 2]} …"


def _too_long(text: str) -> str:
    return (
        f"An instruction of {len(text)} characters came from ROS; {MOST_TEXT} are allowed: say it in parts."
    )
