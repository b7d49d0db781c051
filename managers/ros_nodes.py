"""Nodes of ROS 2 that we run: what is started, and the life cycle of those that have one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from framework.errors import PilothouseError, ResourceUnavailable
from framework.plugins.client import client_for
from framework.processes.spec import ProcessSpec, RestartPolicy
from framework.registrar import Supply
from framework.status import Severity, Status
from resources.types.processes import Process
from resources.types.ros import RosDomain, RosDomainHandle, RosNode, RosNodeHandle, RosService
from resources.types.ros_clients import RosServiceClient

CHANGE_STATE: Final = "lifecycle_msgs/srv/ChangeState"
GET_STATE: Final = "lifecycle_msgs/srv/GetState"

UP: Final = ((1, "configure"), (3, "activate"))
DOWN: Final = ((4, "deactivate"), (2, "cleanup"))
"""Transitions by lifecycle_msgs/msg/Transition, in the order of a start and of an end."""

RESTARTS: Final = RestartPolicy(first_s=0.2, longest_s=10.0)
READY_AFTER_S: Final = 0.3
"""Alive for so long, it has started [s]."""

DOWN_WITHIN_S: Final = 1.5
"""Each step of an end has so long [s]: what does not answer is stopped all the same."""

_ASKED_EVERY_S: Final = 0.5
"""A node that was killed stays in the graph for twenty seconds: who comes after it has to be found first."""


@asynccontextmanager
async def running(request: RosNode, supply: Supply) -> AsyncIterator[RosNodeHandle]:
    """A node, with its life cycle if it has one. Raises ResourceUnavailable, in words."""
    died: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    again = asyncio.Event()

    def told(status: Status) -> None:
        if status.severity is Severity.UPDATE:
            again.set()
        elif status.severity >= Severity.WARNING and not died.done():
            died.set_result(status.message)

    async with AsyncExitStack() as stack:
        domain = await stack.enter_async_context(supply.request(RosDomain()))
        spec = spec_of(request, domain.value)
        await stack.enter_async_context(supply.request(Process(spec), on_status=told))
        if not request.lifecycle:
            yield RosNodeHandle(request.full_name)
            return
        cycle = LifeCycle(
            request,
            await _client(
                stack, supply, RosService(f"{request.full_name}/get_state", GET_STATE, moves=False)
            ),
            await _client(
                stack, supply, RosService(f"{request.full_name}/change_state", CHANGE_STATE, moves=False)
            ),
        )
        await cycle.go(UP, request.within_s, died)
        anew = asyncio.create_task(_anew(again, cycle, supply), name=f"life cycle of {request}")
        try:
            yield RosNodeHandle(request.full_name, is_managed=True)
        finally:
            anew.cancel()
            try:
                await cycle.go(DOWN, DOWN_WITHIN_S)
            except PilothouseError as error:
                supply.report(Severity.WARNING, f"{request}: it is stopped as it is: {error.why}")


async def _client(stack: AsyncExitStack, supply: Supply, service: RosService) -> RosServiceClient:
    """Of one of its services, for as long as the stack."""
    client = client_for(str(service), service, await stack.enter_async_context(supply.request(service)))
    assert isinstance(client, RosServiceClient)
    stack.callback(client.end)
    return client


class LifeCycle:
    """That of one node. state, change: its services."""

    def __init__(self, request: RosNode, state: RosServiceClient, change: RosServiceClient) -> None:
        self.request = request
        self._state = state
        self._change = change

    async def go(
        self, steps: tuple[tuple[int, str], ...], within_s: float, died: asyncio.Future[str] | None = None
    ) -> None:
        """Through some transitions, each in its time [s].

        Raises ResourceUnavailable if one fails, or the node dies meanwhile, as `died` tells.
        """
        died = died or asyncio.get_running_loop().create_future()
        for number, name in steps:
            going = asyncio.create_task(self._through(number, name, within_s))
            try:
                await asyncio.wait((going, died), return_when=asyncio.FIRST_COMPLETED)
                if not going.done():
                    raise ResourceUnavailable(f"{self.request} has died in {name}: {died.result()}")
                going.result()
            finally:
                going.cancel()
                await asyncio.gather(going, return_exceptions=True)

    async def _through(self, number: int, name: str, within_s: float) -> None:
        try:
            left_s = await self._awake(within_s)
            answer = await self._change.call(within_s=left_s, transition={"id": number})
        except ResourceUnavailable as error:
            raise ResourceUnavailable(f"{self.request} in {name}: {error.why}") from None
        if not answer.success:
            raise ResourceUnavailable(f"{self.request} has refused to {name}; its own log says why")

    async def _awake(self, within_s: float) -> float:
        """Wait until it answers at all; how much time is left then [s]."""
        now_s = asyncio.get_running_loop().time
        until_s = now_s() + within_s
        while True:
            try:
                await self._state.call(within_s=min(_ASKED_EVERY_S, within_s))
            except ResourceUnavailable:
                if now_s() >= until_s:
                    raise
                continue
            return max(until_s - now_s(), _ASKED_EVERY_S)


async def _anew(again: asyncio.Event, cycle: LifeCycle, supply: Supply) -> None:
    """Whenever it was started again, it goes through its life cycle again."""
    while True:
        await again.wait()
        again.clear()
        try:
            await cycle.go(UP, cycle.request.within_s)
        except PilothouseError as error:
            supply.fail(f"it was started again, and {error.why}")
            return
        supply.report(Severity.OK, f"{cycle.request} was started again, and is active")


def spec_of(request: RosNode, domain: RosDomainHandle) -> ProcessSpec:
    """How it is started. Raises ResourceUnavailable if there is no such program."""
    arguments = ["--ros-args", "-r", f"__node:={request.name}"]
    if request.namespace:
        arguments += ["-r", f"__ns:={request.namespace}"]
    for name, other in request.remappings:
        arguments += ["-r", f"{name}:={other}"]
    for name, value in request.parameters:
        arguments += ["-p", f"{name}:={value}"]
    env = dict(domain.env)
    program = request.command or (program_of(request, {**os.environ, **env}),)
    return ProcessSpec(
        (*program, *arguments),
        f"ros_node {request.full_name}",
        env=domain.env,
        protocol=False,
        ready_after_s=READY_AFTER_S,
        stop_timeouts_s=(2.0, 1.0),
        restart=RESTARTS,
    )


def program_of(request: RosNode, environment: Mapping[str, str]) -> str:
    """The file of a package's executable, as `ros2 run` finds it. Raises ResourceUnavailable."""
    if not request.package or not request.executable:
        words = "give package and executable, or a command"
        raise ResourceUnavailable(f"nobody says which program {request} is: {words}")
    prefixes = [Path(each) for each in environment.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if each]
    for prefix in prefixes:
        file = prefix / "lib" / request.package / request.executable
        if file.is_file() and os.access(file, os.X_OK):
            return str(file)
    there = sorted(
        {
            each.name
            for prefix in prefixes
            for each in (prefix / "lib" / request.package).glob("*")
            if each.is_file()
        }
    )
    if there:
        why = f"the package {request.package} has no {request.executable!r}; it has {', '.join(there[:20])}"
    elif prefixes:
        why = f"no package {request.package!r} is installed in {os.pathsep.join(map(str, prefixes))}"
    else:
        why = "no ROS is sourced (AMENT_PREFIX_PATH is empty): source the workspace before, or give a command"
    raise ResourceUnavailable(f"{request} cannot be started: {why}")
