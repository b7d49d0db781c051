"""The supervisor in the ROS 2 graph: what other people's nodes see of it, and how they speak with it.

    name                    type                                    offered
    /pilothouse/stop        service std_srvs/srv/Trigger            always: the emergency stop
    /pilothouse/status      service std_srvs/srv/Trigger            always: what is being done, in words
    /pilothouse/events      topic std_msgs/msg/String               always: what happens, in words
    /diagnostics            topic diagnostic_msgs/.../DiagnosticArray   always: each resource, once a second
    /pilothouse/say         topic std_msgs/msg/String               `offers: instructions`: an instruction
    /pilothouse/instruct    action pilothouse_msgs/action/Instruct  `offers: instructions`: one, followed
    /pilothouse/reset       service std_srvs/srv/Trigger            `offers: instructions`: see below

Each part is offered on its own, the stop first: one that cannot be had, or is lost, is told and tried again,
and the others go on. Only where it can be stopped, the robot is instructed: what takes instructions is
offered once the stop has been for a while, and with it. So two robots in one domain, whose names are the
same, do not both obey: the bridge offers no service that somebody else serves already.

An instruction from there is a program's: what is dangerous asks back, and nothing else is different from one
that was typed. One that has lain for too long is refused, unless it is a stop. A reset is asked for twice,
neither at once nor late, for the same stop. `instruct` is there where its type is (docs/ros2.md says how it
gets there).
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final, NamedTuple

from framework.clock import Clock
from framework.errors import LeaseError, PilothouseError
from framework.events import Event, EventBus
from framework.plan.instruction import Source
from framework.plugins.client import client_for
from framework.registrar import Lease, ResourceRegistrar
from framework.registrar.records import ResourceState
from framework.registrar.snapshot import ResourceView, Snapshot
from framework.status import Priority
from framework.supervisor import EmergencyControl, EventKind, Supervisor
from framework.transport.interface import Transport
from resources.types.ros import Qos, RosOffer, RosTopic
from resources.types.ros_clients import Question, RosOfferClient, RosTopicClient

log = logging.getLogger("pilothouse.ros")

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
CONFIRMED_AFTER_S: Final = 1.0
CONFIRMED_WITHIN_S: Final = 10.0
"""A reset counts if it is asked for again so long after it was first [s]: a program that only repeats what
failed has looked at nothing."""

OLD_S: Final = 2.0
"""An instruction or a reset that has lain for longer is refused [s]: meanwhile we stood still."""

STOPPABLE_S: Final = 4.0
"""So long after the stop what takes instructions is offered [s]: by then the bridge knows that the name is
ours alone (`resources.ros.links.ServedEnd`)."""

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 30.0
LASTED_S: Final = 10.0
"""What was offered for so long is tried again after the first pause [s]."""

MOST_TEXT: Final = 1000
"""An instruction that is longer is refused whole [characters]: what is cut off could be its "not"."""

MOST_STATUSES: Final = 20
"""More do not fit into one message, whatever they are written in; then several are sent."""

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


Serve = Callable[[Any], Coroutine[Any, Any, None]]
"""Serves one part by its client, until it is lost."""


class _FirstReset(NamedTuple):
    """A reset that is to be asked for again: of which stop, and when that was said, CLOCK_MONOTONIC [s]."""

    token: int
    answered_s: float


class RosFace:
    """Serves the graph while its bridge is held.

    Args:
        supervisor: whoever instructions go to.
        emergency: the stop that a reset takes back.
        snapshots: of all registrars, now.
        robot: its name.
        is_instructed: whoever speaks in the graph may instruct the robot.
        monotonic_s: reads CLOCK_MONOTONIC, with which the bridge stamps what comes.
    """

    def __init__(
        self,
        transport: Transport,
        supervisor: Supervisor,
        emergency: EmergencyControl,
        events: EventBus,
        snapshots: Callable[[], Iterable[Snapshot]],
        robot: str,
        clock: Clock,
        *,
        is_instructed: bool,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.registrar = ResourceRegistrar("ros_face", transport, clock=clock)
        self._supervisor = supervisor
        self._emergency = emergency
        self._events = events
        self._snapshots = snapshots
        self._robot = robot
        self._clock = clock
        self._is_instructed = is_instructed
        self._monotonic_s = monotonic_s
        self._first_reset: _FirstReset | None = None

    async def __aenter__(self) -> RosFace:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    async def serve(self, bridge: Lease) -> None:
        """Until the bridge is lost. A part that cannot be had is told, and tried again."""
        await _until_one_ends(
            self._lost(bridge),
            self._offer(STOP, self._stoppable),
            self._offer(STATUS, lambda status: self._answer(status, self._status)),
            self._offer(EVENTS, self._tell),
            self._offer(DIAGNOSTICS, self._diagnose),
        )

    async def _lost(self, bridge: Lease) -> None:
        await bridge.failed()

    async def _offer(self, request: RosTopic | RosOffer, serve: Serve) -> None:
        """Have one part, and again whenever it is lost. Never ends; why it is not there is told once."""
        pause_s, told = FIRST_PAUSE_S, ""
        while True:
            had_s = math.inf
            try:
                async with self.registrar.request(
                    request, priority=Priority.BACKGROUND, on_failure="tell", who=WHO
                ) as lease:
                    had_s = self._clock.now_s()
                    why = await self._served(lease, request, serve)
            except PilothouseError as error:
                why = error.why
            except Exception as error:  # else a mistake in one part would be the end of it
                log.exception("%s: an error in the program", request.name)
                why = f"an error in the program, which is in the log: {type(error).__name__}"
            if self._clock.now_s() - had_s >= LASTED_S:
                pause_s, told = FIRST_PAUSE_S, ""
            if why != told:
                told = why
                # Its type is installed by hand: that it is missing is no mistake of anybody's.
                kind = EventKind.DEVICE if request is INSTRUCT else EventKind.ERROR
                self._events.emit(kind, f"{request.name} is not offered in ROS: {why}. It is tried again.")
            # Two robots that want the same name at the same time must not meet again and again.
            await self._clock.sleep(pause_s * random.uniform(1.0, 3.0))
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _served(self, lease: Lease, request: RosTopic | RosOffer, serve: Serve) -> str:
        """Serve it until it is lost; why it is."""
        client = client_for(str(request), request, lease)
        assert isinstance(client, RosTopicClient | RosOfferClient)
        client.on_left_out = self._left_out
        try:
            await _until_one_ends(self._lost(lease), serve(client))
        finally:
            client.end()
        return lease.status.message

    def _left_out(self, words: str) -> None:
        self._events.emit(EventKind.ERROR, f"From ROS came what cannot be read: {words}.", who=WHO)

    async def _stoppable(self, stop: RosOfferClient) -> None:
        """The emergency stop; and, as long as it is there, whatever takes instructions."""
        await _until_one_ends(self._answer(stop, self._stopped), self._instructed())

    async def _instructed(self) -> None:
        await self._clock.sleep(STOPPABLE_S)
        if not self._is_instructed:
            await asyncio.Event().wait()
        await _until_one_ends(
            self._offer(SAY, self._hear),
            self._offer(RESET, lambda reset: self._answer(reset, self._reset)),
            self._offer(INSTRUCT, self._follow),
        )

    async def _answer(self, offer: RosOfferClient, answer: Callable[[float], tuple[bool, str]]) -> None:
        """One of the services. answer: given when it was asked, CLOCK_MONOTONIC [s]."""
        async for question in offer.questions():
            try:
                success, words = answer(question.came_s)
            except PilothouseError as error:
                success, words = False, error.why
            except Exception as error:  # whoever asked is told, and the next one is heard
                log.exception("%s: an error in the program", offer.handle.name)
                success, words = False, f"an error in the program: {type(error).__name__}: {error}"
            offer.reply(question.number, success=success, message=_short(words, 4 * MOST_TEXT))

    def _status(self, asked_s: float) -> tuple[bool, str]:
        return True, self._supervisor.what_is_done()

    def _stopped(self, asked_s: float) -> tuple[bool, str]:
        """However long ago it was asked."""
        reply = self._supervisor.emergency_stop("stopped from ROS", WHO)
        told = [event for event in reply.events if event.kind in (EventKind.EMERGENCY, EventKind.ERROR)]
        if not told:
            return False, "nothing came of it: use the robot's own stop"
        return told[0].kind is EventKind.EMERGENCY, told[0].text

    def _reset(self, asked_s: float) -> tuple[bool, str]:
        """Once to see what stands, and once more to take it back."""
        first, self._first_reset = self._first_reset, None
        token = self._emergency.token
        if not token:
            return False, "the emergency stop is not set"
        now_s = self._monotonic_s()
        if now_s - asked_s > OLD_S:
            return False, f"this was asked {now_s - asked_s:.1f} s ago, and is too old: ask again"
        since_s = asked_s - first.answered_s if first is not None and first.token == token else math.inf
        if CONFIRMED_AFTER_S <= since_s <= CONFIRMED_WITHIN_S:
            reply = self._supervisor.reset_emergency(WHO, token)
            return bool(reply.succeeded), reply.events[-1].text if reply.events else "nothing came of it"
        self._first_reset = _FirstReset(token, now_s)
        because = f"the emergency stop is set ({self._emergency.reason})"
        after = f"ask again {CONFIRMED_AFTER_S:g} s to {CONFIRMED_WITHIN_S:g} s from now"
        if since_s < CONFIRMED_AFTER_S:
            return False, f"so soon nobody has looked: {because}: {after}"
        return False, f"{because}: look whether the robot is clear, then {after}"

    async def _hear(self, say: RosTopicClient) -> None:
        """What is said on the topic; what comes of it is told as any event is."""
        async for heard in say.heard():
            text = heard.message.data.strip()
            if why := self._refusal(text, heard.came_s):
                self._events.emit(EventKind.REFUSED, why, who=WHO)
            elif text:
                self._supervisor.say(text, Source.PROGRAM, WHO)

    def _refusal(self, text: str, came_s: float) -> str:
        """Why an instruction is not taken; "" if it is."""
        if len(text) > MOST_TEXT:
            return (
                f"An instruction of {len(text)} characters came from ROS; {MOST_TEXT} are allowed: "
                "say it in parts."
            )
        age_s = self._monotonic_s() - came_s
        if age_s > OLD_S and not self._supervisor.is_stop(text):
            return (
                f'"{_short(text, 80)}" came from ROS {age_s:.1f} s ago, and we stood still meanwhile; '
                f"{OLD_S:g} s are allowed: say it again."
            )
        return ""

    async def _follow(self, instruct: RosOfferClient) -> None:
        """Goals of the action, each on its own; the bridge bounds how many there are at a time."""
        following: dict[int, asyncio.Task[None]] = {}
        try:
            async for question in instruct.questions():
                for over in [each for each, task in following.items() if task.done()]:
                    del following[over]
                number = question.number
                if question.message is not None:
                    work = self._carry_out(instruct, question)
                    following[number] = asyncio.create_task(work, name=f"goal {number} of ROS")
                elif number in following:
                    following[number].cancel(question.why)
        finally:
            for task in following.values():
                task.cancel(f"{INSTRUCT.name} is not offered any more")
            await asyncio.gather(*following.values(), return_exceptions=True)

    async def _carry_out(self, instruct: RosOfferClient, goal: Question) -> None:
        """One of them. Cancelled: its plan is stopped."""
        text = goal.message.text.strip()
        refused = self._refusal(text, goal.came_s) if text else "the goal has no text: say what is to be done"
        if refused:
            _reply(instruct, goal.number, "aborted", refused)
            return
        who = f"{WHO} ({_short(goal.message.who, 40)})" if goal.message.who else WHO
        reply = self._supervisor.say(text, Source.PROGRAM, who)
        words, outcome = "", "aborted"
        try:
            async for event in reply:
                words = event.text
                instruct.feedback(goal.number, kind=event.kind.value, words=_short(words, MOST_TEXT))
            outcome = "succeeded" if reply.succeeded else "aborted"
        except asyncio.CancelledError as error:
            outcome, words = "canceled", str(error) or "given up in ROS"
            raise
        except PilothouseError as error:
            words = error.why
        finally:
            if reply.plan and reply.succeeded is None:
                try:
                    self._supervisor.stop_plan(reply.plan, words)
                except PilothouseError as error:
                    words = error.why
            _reply(instruct, goal.number, outcome, words)

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


async def _until_one_ends(*parts: Coroutine[Any, Any, None]) -> None:
    """Have all of them, and none any more once one has ended; its error is raised."""
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _reply(instruct: RosOfferClient, number: int, outcome: str, words: str) -> None:
    """How a goal has ended."""
    try:
        succeeded = outcome == "succeeded"
        instruct.reply(number, outcome, succeeded=succeeded, words=_short(words, MOST_TEXT))
    except LeaseError as error:  # it is not offered any more, and the bridge has told its end
        log.info("The end of goal %d (%s) is heard by nobody: %s", number, outcome, error.why)


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
    """What is only read may be cut off, and what no message can carry be marked."""
    text = text.encode(errors="replace").decode()
    return text if len(text) <= most else f"{text[: most - 2]} …"
