"""What a RealSense camera's process is told: data, readable in its command line."""

from __future__ import annotations

import msgspec

from resources.children.arguments import within
from resources.drivers.realsense.recovery import Patience
from resources.types.sensors import CameraFeed


class RealSenseArguments(msgspec.Struct, frozen=True):
    """A RealSense camera child's. What it streams from: `drawn`, else `recording`, else what is plugged in.

    serial: which camera is meant, or whose recording it must be; "" is the only one there is, or anybody's.
    drawn: a simulated camera that feeds a software device. rate_hz, width, height: asked of a real camera.
    decimate, spatial, temporal: the filters. repeat, real_time: how a recording is played.
    record: a folder; what comes is recorded there too. patience: with a camera that gives no pictures.
    """

    run_directory: str
    device: str
    serial: str = ""
    recording: str = ""
    drawn: CameraFeed | None = None
    rate_hz: float = 15.0
    width: int = 848
    height: int = 480
    decimate: int = 2
    spatial: bool = False
    temporal: bool = False
    repeat: bool = True
    real_time: bool = True
    record: str = ""
    patience: Patience = Patience()

    def __post_init__(self) -> None:
        within("rate_hz", self.rate_hz, 0.1, 90.0)
        within("width", self.width, 16, 4096)
        within("height", self.height, 16, 4096)
        within("decimate", self.decimate, 1, 8)

    @property
    def is_live(self) -> bool:
        """Whether it streams from hardware."""
        return self.drawn is None and not self.recording
