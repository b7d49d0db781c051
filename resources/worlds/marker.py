"""The marked target: a hand-sized plate with a fiducial, hanging from a rod, that a script moves.

The marker is a real texture made by OpenCV's own generator, so that a detector works on real pixels.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import cv2
import numpy as np
from numpy.typing import NDArray

from resources.arms.pose import Pose
from resources.worlds.scene import Scene
from resources.worlds.things import ThingKind

PLATE_M = 0.10  # edge of the plate
MARKER_ID = 7
# 4×4 bits and a black border make 6 cells; with one white cell around it the plate is 8 cells wide.
CELLS, MARKER_CELLS = 8, 6
MARKER_M = PLATE_M * MARKER_CELLS / CELLS  # edge of the black square, which the detector measures
TARGET_BODY = "target"
_PIXELS_PER_CELL = 32


def marker_image(marker_id: int = MARKER_ID) -> NDArray[np.uint8]:
    """The plate's face as grey values (256, 256): the marker of DICT_4X4_50 in a white quiet zone."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = MARKER_CELLS * _PIXELS_PER_CELL
    marker = cv2.aruco.generateImageMarker(dictionary, marker_id, side)
    face = np.full((CELLS * _PIXELS_PER_CELL,) * 2, 255, dtype=np.uint8)
    margin = (face.shape[0] - side) // 2
    face[margin : margin + side, margin : margin + side] = marker
    return face


def add_target(scene: Scene, pose: Pose) -> None:
    """The plate as a mocap body. Its frame: z out of the marked face, y up the marker, x to the right."""
    encoded, png = cv2.imencode(".png", marker_image())
    assert encoded, "OpenCV always encodes a grey image"
    scene.document.files["marker.png"] = png.tobytes()
    asset = scene.document.section("asset")
    ET.SubElement(asset, "texture", name="marker", type="2d", file="marker.png")
    ET.SubElement(
        asset, "material", name="marker", texture="marker", rgba="0.8 0.8 0.8 1", specular="0", shininess="0"
    )
    target = scene.body(TARGET_BODY, pose, mocap=True)
    # Nothing of it collides: a scripted body has infinite mass and would shove the robot about.
    scene.box(target, (PLATE_M, PLATE_M, 0.006), "plate", (0.0, 0.0, -0.0035), collides=False)
    # A plane takes a 2-D texture over its whole face once.
    ET.SubElement(
        target,
        "geom",
        name="marker",
        type="plane",
        size=f"{PLATE_M / 2} {PLATE_M / 2} 0.01",
        material="marker",
        contype="0",
        conaffinity="0",
    )
    scene.cylinder(
        target, 0.006, 1.4, "steel_dark", (0.0, PLATE_M / 2 + 0.7, -0.0035), _UP_IN_PLATE, collides=False
    )
    scene.thing(
        "target",
        ThingKind.OBJECT,
        TARGET_BODY,
        (PLATE_M, PLATE_M, 0.006),
        says=("marker board", "board", "marker plate", "marker"),
    )


_UP_IN_PLATE = (-0.7071067811865476, 0.0, 0.0, 0.7071067811865476)
