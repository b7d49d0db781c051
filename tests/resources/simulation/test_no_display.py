"""Cameras are drawn without a screen: no display is there, or one that nobody answers at."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

DRAW = """
from resources.simulation.rendering import choose_gl
chosen = choose_gl()
from resources.worlds.world import World
from resources.simulation.rgbd_camera import RgbdCamera
world = World.inspection(seed=0)
frame = RgbdCamera(world.model, "front_camera").capture(world.data)
print(frame.rgb.shape, int(frame.rgb.std()) > 10)
"""


@pytest.mark.parametrize("display", [None, ":99"], ids=["no display", "a display that is not there"])
def test_a_picture_is_drawn_without_a_display(display: str | None) -> None:
    environment = {
        key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    if display is not None:
        environment["DISPLAY"] = display
    drawn = subprocess.run(
        [sys.executable, "-c", DRAW],
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert drawn.returncode == 0, drawn.stderr
    assert drawn.stdout.strip() == "(480, 848, 3) True"
