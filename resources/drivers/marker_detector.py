"""Which process looks for a robot description's marker in a camera's pictures."""

from __future__ import annotations

from pathlib import Path

from framework.processes.spec import ProcessSpec
from resources.children.arguments import DetectorArguments
from resources.children.specs import detector_spec
from resources.robots.description import MarkerDescription
from resources.types.sensors import CameraFeed


def marker_detector(marker: MarkerDescription, camera: CameraFeed) -> ProcessSpec:
    """The detector of `marker` in the stream of `camera`; it becomes ready with a `TrackedFeed` as JSON."""
    arguments = DetectorArguments(
        run_directory=str(Path(camera.stream.ring).parent),
        thing=marker.name,
        camera=camera.device,
        source=camera.stream,
        intrinsics=camera.intrinsics,
        marker_id=marker.id,
        marker_m=marker.size_m,
    )
    return detector_spec(arguments)
