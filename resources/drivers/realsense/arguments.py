"""What a RealSense camera's process is told: data, readable in its command line."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from framework.plugins.parameters import Parameters
from resources.children.arguments import Height, Width
from resources.drivers.realsense.recovery import Patience
from resources.types.sensors import CameraFeed


class RealSenseParameters(Parameters, frozen=True):
    """Of a RealSense camera. rate_hz, width, height: asked of a real camera."""

    serial: Annotated[str, Meta(description="of the camera; by default the only one that is plugged in")] = ""
    recording: Annotated[
        str, Meta(description="a .db3 file to play instead; `serial` says whose it must be")
    ] = ""
    rate_hz: Annotated[float, Meta(ge=0.1, le=90.0, description="real cameras know 6, 15, 30, 60 and 90")] = (
        15.0
    )
    width: Width = 848
    height: Height = 480
    decimate: Annotated[
        int, Meta(ge=1, le=8, description="pictures are made so many times smaller, first of all")
    ] = 2
    spatial: Annotated[bool, Meta(description="smooth depth over neighbours, keeping edges")] = False
    temporal: Annotated[bool, Meta(description="smooth depth over time")] = False
    repeat: Annotated[
        bool, Meta(description="a recording begins anew at its end; else that is a failure")
    ] = True
    real_time: Annotated[
        bool, Meta(description="play a recording at its own pace, else as fast as it goes")
    ] = True
    record: Annotated[str, Meta(description="a folder; what the camera gives is recorded there too")] = ""


class RealSenseArguments(RealSenseParameters, frozen=True, kw_only=True):
    """A RealSense camera child's. What it streams from: `drawn`, else `recording`, else what is plugged in.

    drawn: a simulated camera that feeds a software device. patience: with a camera that gives no pictures.
    """

    run_directory: str
    device: str
    drawn: CameraFeed | None = None
    patience: Patience = Patience()

    @property
    def is_live(self) -> bool:
        """Whether it streams from hardware."""
        return self.drawn is None and not self.recording
