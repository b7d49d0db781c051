"""What the processes of gestures are told when they are started, readable in their command lines."""

from __future__ import annotations

from framework.plugins.parameters import Parameters
from resources.types.gestures import HandsFeed
from resources.types.sensors import CameraFeed


class ReaderArguments(Parameters, frozen=True):
    """Of one source of hands."""

    run_directory: str
    hands: HandsFeed


class TrackerArguments(Parameters, frozen=True):
    """Of one camera before which hands are looked for.

    source: under which name they are served; stream: in which they are written.
    """

    run_directory: str
    source: str
    stream: str
    camera: CameraFeed
