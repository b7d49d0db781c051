"""Having a device over ROS: the graph, and a process that joins it. What these drivers share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

from framework.plugins.driver import DeviceContext
from resources.children.starting import started
from resources.ros.specs import ros_spec
from resources.types.ros import RosDomain

Handle = TypeVar("Handle")


@asynccontextmanager
async def joined(
    device: DeviceContext,
    driver: str,
    program: str,
    arguments: object,
    handle_type: type[Handle],
    rate_hz: float,
) -> AsyncIterator[Handle]:
    """Have the process run. program: "module:function". Raises what its requests raise."""
    async with device.request(RosDomain()) as domain:
        name = f"{driver} {device.name}"
        spec = ros_spec(domain.value, program, arguments, name, device=device.name, rate_hz=rate_hz)
        async with started(device, spec, handle_type) as handle:
            yield handle
