"""A simulated camera's process: where it begins. What it does is in capturing.py."""

from __future__ import annotations

from framework.processes.child import Child
from resources.children.arguments import CameraArguments
from resources.simulation.rendering import choose_gl


def main(child: Child, arguments: CameraArguments) -> None:
    """Be a camera. Raises RenderingUnavailable, SharedMemoryFull, StreamError or DescriptionError."""
    # Before anything imports MuJoCo, which reads the choice once and for all.
    choose_gl()
    from resources.children.capturing import capture

    capture(child, arguments)
