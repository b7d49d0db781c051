"""Having a device over ROS: the graph, and a process that joins it. What these drivers share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

from framework.plugins.driver import DeviceContext
from resources.children.starting import started
from resources.drivers.ros.arguments import RosSensorParameters
from resources.ros.specs import ros_spec
from resources.types.ros import RosDomain, RosDomainHandle, RosNode

Handle = TypeVar("Handle")


@asynccontextmanager
async def graph_of(device: DeviceContext, node: RosNode | None) -> AsyncIterator[RosDomainHandle]:
    """The graph, and in it the device's own node if that is for us to run. Raises what its requests raise."""
    async with AsyncExitStack() as stack:
        domain = await stack.enter_async_context(device.request(RosDomain()))
        if node is not None:
            await stack.enter_async_context(device.request(node))
        yield domain.value


@asynccontextmanager
async def joined(
    device: DeviceContext,
    driver: str,
    program: str,
    arguments: RosSensorParameters,
    handle_type: type[Handle],
    rate_hz: float,
) -> AsyncIterator[Handle]:
    """Have the process run. program: "module:function". Raises what its requests raise."""
    async with graph_of(device, arguments.node) as domain:
        name = f"{driver} {device.name}"
        spec = ros_spec(domain, program, arguments, name, device=device.name, rate_hz=rate_hz)
        async with started(device, spec, handle_type) as handle:
            yield handle
