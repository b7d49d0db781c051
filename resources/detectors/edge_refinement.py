"""Sharpens the corners of a found marker: fits a line to each edge of its black square and intersects them.

Corner refinement that looks at the corners themselves is drawn inwards by blur, some 0.15 px in a
rendered picture, which makes a marker seem 0.7 % farther away. Straight edges have no such bias.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_SAMPLES = 24  # along each edge
_SPAN = (0.12, 0.88)  # of the edge: its ends are where neighbouring edges blur in
_STEP_PX = 0.25
_SMALLEST_CONTRAST = 10.0  # grey values across an edge


def refine_corners(grey: NDArray[np.uint8], corners: NDArray[np.float64], cells: int) -> NDArray[np.float64]:
    """Corners (4, 2) [px], clockwise from the upper left, moved to where the edges' lines meet.

    Args:
        grey: the picture (height, width).
        cells: cells along a side of the black square; profiles reach less than half a cell.

    Returns the corners as they came where an edge cannot be made out.
    """
    lines = [
        _edge_line(grey, corners[number], corners[(number + 1) % 4], corners.mean(axis=0), cells)
        for number in range(4)
    ]
    refined = corners.copy()
    for number in range(4):
        before, after = lines[number - 1], lines[number]
        if before is None or after is None:
            continue
        meeting = np.cross(before, after)
        if abs(meeting[2]) > 1e-9:
            point = meeting[:2] / meeting[2]
            # Further than a pixel away it is another edge, not a better estimate of this one.
            if np.linalg.norm(point - corners[number]) < 1.0:
                refined[number] = point
    return refined


def _edge_line(
    grey: NDArray[np.uint8],
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    middle: NDArray[np.float64],
    cells: int,
) -> NDArray[np.float64] | None:
    """Homogeneous line (3,) through the dark-to-light step between two corners, or None."""
    along = end - start
    length = float(np.linalg.norm(along))
    reach = min(3.0, 0.45 * length / cells)
    if reach < 4 * _STEP_PX:
        return None
    outward = np.array([along[1], -along[0]]) / length
    if float(outward @ (start - middle)) < 0:
        outward = -outward
    base = start + np.linspace(*_SPAN, _SAMPLES)[:, None] * along  # (samples, 2)
    offsets = np.arange(-reach, reach + _STEP_PX / 2, _STEP_PX)
    points = (base[:, None, :] + offsets[None, :, None] * outward).astype(np.float32)  # (samples, offsets, 2)
    profile = cv2.remap(grey, points[..., 0], points[..., 1], cv2.INTER_LINEAR).astype(np.float64)
    rise = np.maximum(np.diff(profile, axis=1), 0.0)  # white lies outside
    total = rise.sum(axis=1)
    clear = total > _SMALLEST_CONTRAST
    if clear.sum() < _SAMPLES // 2:
        return None
    position = (rise[clear] @ (offsets[:-1] + _STEP_PX / 2)) / total[clear]
    edge = base[clear] + position[:, None] * outward
    # One sample on a neighbouring cell or a passing cable must not tilt the line.
    near = np.abs(position - np.median(position)) < 0.75
    if near.sum() < _SAMPLES // 2:
        return None
    vx, vy, x, y = (
        float(value)
        for value in cv2.fitLine(edge[near].astype(np.float32), cv2.DIST_L2, 0, 0.01, 0.01).ravel()
    )
    return np.array([-vy, vx, vy * x - vx * y])
