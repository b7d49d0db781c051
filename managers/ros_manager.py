"""The ROS manager: the ROS 2 graph that the robot is in, as a resource.

It provides `RosDomain`: which interpreter has rclpy, and how processes that run under it join. What is
started under it, drivers say. Nothing of ROS is looked for before somebody asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from framework.clock import Clock
from framework.errors import ResourceUnavailable
from framework.registrar import ResourceRegistrar
from framework.transport.interface import Transport
from resources.robots.description import RosDescription
from resources.ros.environment import RosInstallation, installation
from resources.ros.network import domain_of, reach_of
from resources.types.ros import RosDomain, RosDomainHandle

FOUND_WITHIN_S: Final = 60.0
"""Each interpreter that is tried takes up to half of that."""


class RosManager:
    """Provides the graph.

    Args:
        described: what the robot description says of it.
        directory: the run directory.
        find: which interpreter has rclpy. Raises PluginUnavailable, with what to do, if none has.
    """

    def __init__(
        self,
        transport: Transport,
        described: RosDescription,
        directory: Path,
        *,
        find: Callable[[str], RosInstallation] = installation,
        clock: Clock | None = None,
    ) -> None:
        self._described = described
        self._directory = directory
        self._find = find
        self.registrar = ResourceRegistrar("ros_manager", transport, clock=clock)
        self.registrar.provides(RosDomain, start_timeout_s=FOUND_WITHIN_S)(self._domain)

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
            env = reach_of(described, self._directory, distribution)
        except OSError as error:
            raise ResourceUnavailable(
                f"what ROS needs cannot be written into {self._directory} ({error.strerror})"
            ) from error
        yield RosDomainHandle(candidate.python, candidate.found, distribution, domain, (*candidate.env, *env))
