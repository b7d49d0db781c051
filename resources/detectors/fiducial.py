"""Finds square fiducial markers in a picture and measures their poses, with OpenCV's ArUco module."""

from __future__ import annotations

from functools import lru_cache

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.detectors.edge_refinement import refine_corners
from resources.simulation.intrinsics import Intrinsics

# A pose whose corners miss the found ones by more than this is a wrong match, not a rough one.
MAX_REPROJECTION_PX = 2.0


class MarkerSighting(msgspec.Struct, frozen=True):
    """One marker in one picture. Its frame: z out of its face, y up, x right, origin in the middle."""

    marker_id: int
    camera_T_marker: NDArray[np.float64]  # (4, 4); optical frame: x right, y down, z forward
    corners_px: NDArray[np.float64]  # (4, 2) clockwise from the marker's upper left
    reprojection_px: float  # root mean square


def detect_markers(
    rgb: NDArray[np.uint8], intrinsics: Intrinsics, size_m: float, *, dictionary: int = cv2.aruco.DICT_4X4_50
) -> list[MarkerSighting]:
    """All markers of a dictionary, in the order of their ids.

    Args:
        rgb: (height, width, 3).
        size_m: edge of the black square.

    The pose is the better of the two that a flat square admits (IPPE, Collins and Bartoli 2014).
    """
    grey = np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    corners, ids, _ = _detector(dictionary).detectMarkers(grey)
    if ids is None:
        return []
    half = size_m / 2
    cells = cv2.aruco.getPredefinedDictionary(dictionary).markerSize + 2  # with the black border
    model = np.array([[-half, half, 0], [half, half, 0], [half, -half, 0], [-half, -half, 0]])
    camera = intrinsics.matrix()
    sightings = []
    for marker_id, found in zip(np.ravel(ids), corners, strict=True):
        pixels = refine_corners(grey, np.asarray(found, dtype=np.float64).reshape(4, 2), cells)
        solved, rotation, translation = cv2.solvePnP(
            model, pixels, camera, None, flags=cv2.SOLVEPNP_IPPE_SQUARE
        )
        if not solved or translation[2, 0] <= 0:
            continue
        projected, _ = cv2.projectPoints(model, rotation, translation, camera, None)
        error = float(np.sqrt(np.mean(np.sum((projected.reshape(4, 2) - pixels) ** 2, axis=1))))
        if error > MAX_REPROJECTION_PX:
            continue
        camera_T_marker = np.eye(4)
        camera_T_marker[:3, :3] = cv2.Rodrigues(rotation)[0]
        camera_T_marker[:3, 3] = translation[:, 0]
        sightings.append(MarkerSighting(int(marker_id), camera_T_marker, pixels, error))
    return sorted(sightings, key=lambda sighting: sighting.marker_id)


@lru_cache(maxsize=4)
def _detector(dictionary: int) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    # Brings the corners within the pixel that `refine_corners` starts from.
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = 3
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(dictionary), parameters)
