"""Who alone sends by a name of the ROS 2 graph what may move something.

By name, not by request: the same topic with another quality of service, or without its leading slash, is the
same robot's motion. And no name is sent by that a device of the robot description is commanded by.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from framework.errors import MotionFailed, ResourceUnavailable
from framework.registrar import Supply
from resources.types.ros import RosOutward, RosOutwardHandle

LEFT_WITHIN_S: Final = 12.0
"""Whoever loses a name has its link halted and closed, each within `ros_links.ENDED_WITHIN_S`."""


class Use:
    """One link that sends by a name. goes_on: what has not ended by it, in words; "" is nothing."""

    def __init__(self) -> None:
        self.over = asyncio.Event()
        self.goes_on = ""


class OutwardNames:
    """Provides `RosOutward`, and knows who stands on one.

    Args:
        commanded: devices of the robot, by the names by which they are commanded.
        device: what moves, as the motion interlock knows it.
    """

    def __init__(self, commanded: Mapping[str, str], device: str) -> None:
        self.device = device
        self._commanded = {_from_root(name): device for name, device in commanded.items()}
        self._uses: dict[str, Use] = {}
        self._moving: set[str] = set()
        self._told: Counter[str] = Counter()

    def resolved(self, name: str) -> str:
        """Its one name. Raises ResourceUnavailable if nothing is to be sent by it."""
        name = _from_root(name)
        if "~" in name or "{" in name:
            raise ResourceUnavailable(
                f"{name} has a part that is filled in: to be sent by, a name is written out, as /cmd_vel"
            )
        if device := self._commanded.get(name):
            raise ResourceUnavailable(
                f"by {name} the robot's {device.replace('_', ' ')} is commanded: ask for that device instead"
            )
        return name

    @asynccontextmanager
    async def provide(self, request: RosOutward, supply: Supply) -> AsyncIterator[RosOutwardHandle]:
        """The right; the next one has it when the link of the last is closed. Raises ResourceUnavailable."""
        name = request.name
        if self._told[name]:
            raise ResourceUnavailable(
                f"{name} is sent by with moves=False: nothing by which something moves goes beside that"
            )

        async def come_to_rest() -> None:
            if (use := self._uses.get(name)) is not None:
                await use.over.wait()
                if use.goes_on:
                    raise MotionFailed(use.goes_on)

        supply.declare_safe_stop(come_to_rest, device=self.device)
        self._moving.add(name)
        try:
            yield RosOutwardHandle(name)
        finally:
            self._moving.discard(name)
            self._uses.pop(name, None)

    @asynccontextmanager
    async def alone(self, name: str, supply: Supply) -> AsyncIterator[Use]:
        """Have the right for a link that this supply is of, until that is closed."""
        async with supply.request(RosOutward(name), exclusive=True, wait=supply.is_patient):
            use = self._uses[name] = Use()
            try:
                yield use
            finally:
                use.over.set()

    @contextmanager
    def told(self, name: str) -> Iterator[None]:
        """Send by it what moves nothing. Raises ResourceUnavailable if something may move by it already."""
        if name in self._moving:
            raise ResourceUnavailable(
                f"by {name} something may move, for who holds it alone: nobody sends with moves=False beside"
            )
        self._told[name] += 1
        try:
            yield
        finally:
            self._told[name] -= 1


def _from_root(name: str) -> str:
    """As it is resolved: all of our nodes are in the root namespace."""
    return name if name.startswith(("/", "~")) else f"/{name}"
