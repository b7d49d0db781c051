"""A cloud from a planar scanner on a wrist: asks for the scanner, for its arm to sweep, and for a stitcher.

Nothing here is simulated: scanner and arm are whatever provides them. Reference: paper 004, section 4.1.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

from framework.errors import ResourceUnavailable
from framework.plugins.driver import DeviceContext, Driver
from framework.plugins.parameters import param
from resources.children.arguments import StitcherArguments
from resources.children.specs import stitcher_spec
from resources.children.starting import started, told
from resources.types.control import WristSweep
from resources.types.sensors import CloudFeed, Device, ScanFeed


class SweptLidar(Driver):
    """A planar laser scanner that an arm's wrist sweeps, stitched into a cloud."""

    name: ClassVar[str] = "swept_lidar"
    kind: ClassVar[str] = "cloud"

    scanner: str = param(doc="name of the planar scanner's device")
    arm: str = param(default="right", one_of=("left", "right"), doc="whose wrist carries it")
    scans: int = param(default=60, ge=1, le=1000, doc="how many make a cloud: best those of one half swing")
    rate_hz: float = param(default=5.0, ge=0.1, le=40.0)

    @asynccontextmanager
    async def provide(self, device: DeviceContext) -> AsyncIterator[CloudFeed]:
        """The cloud, in the world frame. The arm does not begin to move before the scanner works."""
        async with device.request(Device(self.scanner)) as scanner:
            scans = scanner.value
            if not isinstance(scans, ScanFeed):
                raise ResourceUnavailable(
                    f"{device.name} sweeps {self.scanner!r}, which gives a {type(scans).__name__}; "
                    "name a planar laser scanner in its description"
                )
            async with device.request(WristSweep(self.arm), exclusive=True):
                arguments = told(
                    self,
                    StitcherArguments,
                    run_directory=str(device.directory),
                    device=device.name,
                    source=scans.stream,
                )
                async with started(device, stitcher_spec(arguments), CloudFeed) as feed:
                    yield feed
