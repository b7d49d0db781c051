"""The ROS manager: the ROS 2 graph that the robot is in, and its topics, services and actions, as resources.

It provides `RosDomain` (which interpreter has rclpy, and how processes that run under it join), `RosBridge`
(the process that carries links), `RosNode` (a node that we run), and with the bridge `RosTopic`,
`RosService`, `RosAction` and `RosOffer`. Devices over ROS have processes of their own, which their drivers
ask for. Nothing of ROS is looked for before somebody asks.

A bridge that dies is started again, and its links with it: topics go on without a message doubled, questions
that were open are told to be lost, and goals that were open are given up.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import MotionFailed, ResourceUnavailable
from framework.interlock import Interlock
from framework.registrar import ResourceRegistrar, Supply
from framework.status import Severity, Status
from framework.transport.interface import Transport
from framework.transport.messages import Command
from framework.unreadable import UNREADABLE
from managers.ros_links import RosLinks
from managers.ros_nodes import running
from managers.ros_outward import LEFT_WITHIN_S, OutwardNames, Use
from resources.drivers.ros.commanded import commanded_names
from resources.robots.description import DeviceDescription, RosDescription
from resources.ros.bridging import (
    ActionIn,
    ActionOut,
    AnyLink,
    BridgeArguments,
    ServiceIn,
    ServiceOut,
    TopicIn,
    TopicOut,
)
from resources.ros.environment import RosInstallation, installation
from resources.ros.network import domain_of, reach_of
from resources.ros.specs import bridge_spec
from resources.types.motion import ControllerKind
from resources.types.processes import Process
from resources.types.ros import (
    COMMAND,
    SENSOR,
    Qos,
    RosAction,
    RosBridge,
    RosBridgeHandle,
    RosDomain,
    RosDomainHandle,
    RosLinkHandle,
    RosNode,
    RosOffer,
    RosOutward,
    RosService,
    RosTopic,
)
from resources.types.ros_links import decode_link_order
from resources.types.streams import StreamFormat, StreamHandle

FOUND_WITHIN_S: Final = 60.0
"""Longer than it is looked for (`environment.LOOKED_WITHIN_S`, and the last try)."""

BRIDGED_WITHIN_S: Final = 90.0
LINKED_WITHIN_S: Final = 105.0
NODE_WITHIN_S: Final = 240.0

QUEUED_WITHIN_S: Final = 3700.0
"""Whoever waits for a name does so while the link is being loaded, for as long as a request may [s]."""

STREAM: Final = "ros_bridge"

_LOOKS_HZ: Final = 100.0
"""Of a topic whose pace nobody knows."""


class RosManager:
    """Provides the graph.

    Args:
        described: what the robot description says of it.
        directory: the run directory.
        devices: of the robot; by what some of them are commanded, nobody else sends.
        interlock: who may move by itself.
        find: which interpreter has rclpy. Raises PluginUnavailable, with what to do, if none has.
        monotonic_s: reads CLOCK_MONOTONIC, with which orders are stamped.

    Attributes:
        device: what links move, as the motion interlock knows it. Nobody says what that is, so it is the
            base, which carries everything; without one a device of its own, which has to be in reach of all.
    """

    def __init__(
        self,
        transport: Transport,
        described: RosDescription,
        directory: Path,
        *,
        devices: Sequence[DeviceDescription] = (),
        interlock: Interlock | None = None,
        find: Callable[[str], RosInstallation] = installation,
        clock: Clock | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._described = described
        self._directory = directory
        self._find = find
        self._clock = clock or LoopClock()
        self._monotonic_s = monotonic_s
        self._links: RosLinks | None = None
        bases = (each.name for each in devices if each.kind == ControllerKind.BASE.value)
        self.device = next(bases, "ros")
        self._outward = OutwardNames(commanded_names(devices), self.device)
        registrar = self.registrar = ResourceRegistrar(
            "ros_manager", transport, clock=clock, interlock=interlock
        )
        registrar.provides(RosDomain, start_timeout_s=FOUND_WITHIN_S)(self._domain)
        registrar.provides(RosBridge, start_timeout_s=BRIDGED_WITHIN_S)(self._bridge)
        moving = {"start_timeout_s": QUEUED_WITHIN_S, "safe_stop_timeout_s": 5.0}
        registrar.provides(RosOutward, safe_stop_timeout_s=LEFT_WITHIN_S)(self._outward.provide)
        registrar.provides(RosTopic, **moving)(self._topic)
        registrar.provides(RosService, start_timeout_s=LINKED_WITHIN_S)(self._service)
        registrar.provides(RosNode, start_timeout_s=NODE_WITHIN_S, stop_timeout_s=15.0)(running)
        registrar.provides(RosOffer, start_timeout_s=LINKED_WITHIN_S)(self._offer)
        registrar.provides(RosAction, **moving)(self._action)

    async def __aenter__(self) -> RosManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    @asynccontextmanager
    async def _domain(self, request: RosDomain) -> AsyncIterator[RosDomainHandle]:
        """What it takes to join. Raises PluginUnavailable, DescriptionError, ResourceUnavailable."""
        described = self._described
        domain = domain_of(described)
        found = await asyncio.to_thread(self._find, described.python)
        candidate, distribution = found.candidate, found.library.distribution
        try:
            env = reach_of(described, self._directory, distribution, found.library.middleware)
        except OSError as error:
            raise ResourceUnavailable(
                f"what ROS needs cannot be written into {self._directory} ({error.strerror})"
            ) from error
        yield RosDomainHandle(candidate.python, candidate.found, distribution, domain, (*candidate.env, *env))

    @asynccontextmanager
    async def _bridge(self, request: RosBridge, supply: Supply) -> AsyncIterator[RosBridgeHandle]:
        """The process, started again by the process manager if it dies."""
        async with supply.request(RosDomain()) as domain:
            spec = bridge_spec(domain.value, BridgeArguments(str(self._directory), STREAM))

            def told(status: Status) -> None:
                if status.severity is Severity.UPDATE and self._links is not None:
                    self._links.again()
                    supply.update(RosBridgeHandle(self._links.lives), "the bridge to ROS was started again")

            async with supply.request(Process(spec), on_status=told) as process:
                links = self._links = RosLinks(process, self._directory, self._clock)
                reading = asyncio.create_task(links.read(), name="reader of the bridge to ROS")
                reading.add_done_callback(lambda done: _failed(done, supply))
                try:
                    yield RosBridgeHandle(links.lives)
                finally:
                    self._links = None
                    reading.cancel()

    @asynccontextmanager
    async def _topic(self, request: RosTopic, supply: Supply) -> AsyncIterator[RosLinkHandle]:
        """Messages of a topic, or to it."""
        if not request.outward:
            qos = request.qos or SENSOR
            make = partial(TopicIn, qos=qos, fits=request.qos is None, rate_hz=request.rate_hz)
            async with self._linked(request, make, supply, rate_hz=request.rate_hz) as handle:
                yield handle
            return
        request = _named(request, self._outward.resolved(request.name))
        qos = request.qos or (COMMAND if request.moves else Qos())
        out = partial(TopicOut, qos=qos, is_told=not request.moves)
        if request.moves:
            async with (
                self._outward.alone(request.name, supply) as use,
                self._linked(request, out, supply, hears=False, use=use) as handle,
            ):
                yield handle
        else:
            with self._outward.told(request.name):
                async with self._linked(request, out, supply, hears=False) as handle:
                    yield handle

    @asynccontextmanager
    async def _service(self, request: RosService, supply: Supply) -> AsyncIterator[RosLinkHandle]:
        """A service of theirs."""
        make = partial(ServiceOut, is_told=not request.moves)
        async with self._linked(request, make, supply) as handle:
            yield handle

    @asynccontextmanager
    async def _action(self, request: RosAction, supply: Supply) -> AsyncIterator[RosLinkHandle]:
        """An action of theirs."""
        request = _named(request, self._outward.resolved(request.name))
        async with (
            self._outward.alone(request.name, supply) as use,
            self._linked(request, ActionOut, supply, use=use) as handle,
        ):
            yield handle

    @asynccontextmanager
    async def _offer(self, request: RosOffer, supply: Supply) -> AsyncIterator[RosLinkHandle]:
        """A service or an action of ours."""
        async with self._linked(request, ActionIn if request.is_action else ServiceIn, supply) as handle:
            yield handle

    @asynccontextmanager
    async def _linked(
        self,
        request: RosTopic | RosService | RosAction | RosOffer,
        make: Callable[..., AnyLink],
        supply: Supply,
        *,
        hears: bool = True,
        rate_hz: float = 0.0,
        use: Use | None = None,
    ) -> AsyncIterator[RosLinkHandle]:
        """A link that is open; orders of who holds it go to it. Raises ResourceUnavailable.

        use: of its name, if something may move by it.
        """
        async with supply.request(RosBridge()):
            links = self._links
            assert links is not None, "its bridge is held"
            number = links.next_number()
            ring = f"ros_link_{number}"
            link = make(link=number, name=request.name, type=request.type, ring=ring if hears else "")
            path = self._directory / f"{ring}.ring"

            def told(severity: Severity, words: str) -> None:
                supply.report(severity, words)

            def handle() -> RosLinkHandle:
                stream = StreamHandle(ring, str(path), StreamFormat.ROS, link.name, rate_hz or _LOOKS_HZ)
                return RosLinkHandle(
                    link.name, link.type, definition, stream if link.ring else None, links.lives
                )

            def reopened() -> None:
                supply.update(handle(), f"{link.name} goes on: the bridge to ROS was started again")

            def carry_out(command: Command) -> None:
                try:
                    order = decode_link_order(command.payload)
                except UNREADABLE as error:
                    supply.report(Severity.WARNING, f"{link.name}: an order that is none came: {error}")
                    return
                links.send(number, order, command.sent_s)

            definition = await links.open(link, path, told, reopened)
            supply.on_command(carry_out)
            if use is not None:

                async def come_to_rest() -> None:
                    if words := await links.halt(number):
                        raise MotionFailed(words)

                supply.declare_safe_stop(come_to_rest, device=self.device)
            try:
                yield handle()
            finally:
                if words := await links.close(number):
                    supply.report(Severity.WARNING, words)
                    if use is not None:
                        use.goes_on = words


Outward = TypeVar("Outward", RosTopic, RosAction)


def _named(request: Outward, name: str) -> Outward:
    return msgspec.structs.replace(request, name=name)


def _failed(reading: asyncio.Task[None], supply: Supply) -> None:
    """The bridge is heard no more."""
    if not reading.cancelled() and (error := reading.exception()) is not None:
        supply.fail(f"what the bridge to ROS tells cannot be read: {error}")
