"""`sensor_msgs/msg/CameraInfo` as our pinhole, and how far the real lens is from one.

Both have the middle of pixel (0, 0) at (0, 0). K is of the picture as the sensor gave it, P of the rectified
one; both are of the whole sensor, of which a picture may be a part (roi), or made smaller (binning).
"""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage
from resources.arms.pose import quaternion_of
from resources.drivers.ros.pictures import Size, checked_size
from resources.types.poses import Quaternion, conjugate
from resources.types.streams import CameraIntrinsics

CAMERA_INFO: Final = "sensor_msgs/msg/CameraInfo"
_COMPRESSED: Final = "/compressed"

_NO_TURN: Final[Quaternion] = (0.0, 0.0, 0.0, 1.0)
_MOST_FOCAL_PX: Final = 1e6


class Lens(msgspec.Struct, frozen=True):
    """A camera's.

    bent_px: how far at most a corner of its picture is from where a pinhole would have it; infinite if that
    is not known. frame_T_optical: of a rectified picture, which may be turned a little.
    """

    intrinsics: CameraIntrinsics
    bent_px: float = 0.0
    frame_T_optical: Quaternion = _NO_TURN

    @property
    def size(self) -> Size:
        """Of the pictures that it is of."""
        return Size(self.intrinsics.width, self.intrinsics.height)


def lens_of(info: Any, *, is_rectified: bool) -> Lens:
    """The lens of the pictures that a CameraInfo belongs to.

    Raises MalformedMessage for a camera that is not calibrated, or numbers that are no lens.
    """
    matrix = np.reshape(np.asarray(info.p), (3, 4))[:, :3] if is_rectified else np.reshape(info.k, (3, 3))
    name = "P" if is_rectified else "K"
    if not np.any(matrix):
        raise MalformedMessage(
            f"its CameraInfo's {name} is all zeros: the camera is not calibrated. Calibrate it "
            "(camera_calibration), and have its driver publish that"
        )
    fx, fy, cx, cy = (float(matrix[at]) for at in ((0, 0), (1, 1), (0, 2), (1, 2)))
    is_lens = (
        all(map(math.isfinite, (fx, fy, cx, cy))) and 0 < fx < _MOST_FOCAL_PX and 0 < fy < _MOST_FOCAL_PX
    )
    if not is_lens or abs(matrix[0, 1]) > 1e-3 * fx:
        raise MalformedMessage(
            f"its CameraInfo's {name} says fx {fx:g}, fy {fy:g}, cx {cx:g}, cy {cy:g}, skew {matrix[0, 1]:g} "
            "px; focal lengths above 0 and no skew are allowed"
        )
    roi, across, down = info.roi, max(1, info.binning_x), max(1, info.binning_y)
    size = checked_size((roi.width or info.width) // across, (roi.height or info.height) // down)
    intrinsics = CameraIntrinsics(
        size.width,
        size.height,
        fx / across,
        fy / down,
        (cx - roi.x_offset + 0.5) / across - 0.5,
        (cy - roi.y_offset + 0.5) / down - 0.5,
    )
    if is_rectified:
        return Lens(intrinsics, 0.0, _turn_of(info))
    return Lens(intrinsics, bent_px(intrinsics, info.distortion_model, tuple(map(float, info.d))))


def bent_px(lens: CameraIntrinsics, model: str, d: tuple[float, ...]) -> float:
    """How far at most a corner is from where a pinhole would have it [px].

    By OpenCV's models: plumb_bob (Brown and Conrady), rational_polynomial, equidistant (Kannala and Brandt).
    Infinite if the model is not known.
    """
    if not any(d):
        return 0.0
    columns = np.array([0.0, lens.width - 1.0, 0.0, lens.width - 1.0])
    rows = np.array([0.0, 0.0, lens.height - 1.0, lens.height - 1.0])
    x, y = (columns - lens.cx) / lens.fx, (rows - lens.cy) / lens.fy  # (4,)
    if model in ("plumb_bob", "rational_polynomial") and len(d) in (4, 5, 8, 12, 14):
        bent_x, bent_y = _brown_conrady(x, y, d)
    elif model in ("equidistant", "fisheye") and len(d) == 4:
        bent_x, bent_y = _kannala_brandt(x, y, d)
    else:
        return math.inf
    far = np.hypot((bent_x - x) * lens.fx, (bent_y - y) * lens.fy).max()
    return float(far) if math.isfinite(far) else math.inf


def info_topic(picture: str) -> str:
    """Where a picture's CameraInfo is, as image_transport has it: beside the one that is not compressed."""
    base = picture.rstrip("/").removesuffix(_COMPRESSED)
    above, slash, _ = base.rpartition("/")
    return f"{above}{slash}camera_info"


def is_rectified(picture: str) -> bool:
    """Whether a topic's name says so, as image_proc and drivers have it: /left/image_rect_color."""
    return any("rect" in part.split("_") or "rectified" in part for part in picture.lower().split("/"))


def _turn_of(info: Any) -> Quaternion:
    """`frame_T_optical` of a rectified picture: R turns the camera's rays to the rectified ones."""
    rectified_T_frame = np.reshape(np.asarray(info.r, np.float64), (3, 3))
    if not np.any(rectified_T_frame) or np.allclose(rectified_T_frame, np.eye(3), atol=1e-9):
        return _NO_TURN
    if not np.allclose(rectified_T_frame @ rectified_T_frame.T, np.eye(3), atol=1e-3):
        raise MalformedMessage(f"its CameraInfo's R is no rotation: {rectified_T_frame.ravel().tolist()}")
    return conjugate(quaternion_of(rectified_T_frame))


Numbers = NDArray[np.float64]


def _brown_conrady(x: Numbers, y: Numbers, d: tuple[float, ...]) -> tuple[Numbers, Numbers]:
    k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4 = (*d, *[0.0] * 12)[:12]
    r2 = x * x + y * y
    radial = (1 + k1 * r2 + k2 * r2**2 + k3 * r2**3) / (1 + k4 * r2 + k5 * r2**2 + k6 * r2**3)
    bent_x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x) + s1 * r2 + s2 * r2**2
    bent_y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y + s3 * r2 + s4 * r2**2
    return bent_x, bent_y


def _kannala_brandt(x: Numbers, y: Numbers, d: tuple[float, ...]) -> tuple[Numbers, Numbers]:
    k1, k2, k3, k4 = d
    far = np.maximum(np.hypot(x, y), 1e-12)
    angle = np.arctan(far)
    bent = angle * (1 + k1 * angle**2 + k2 * angle**4 + k3 * angle**6 + k4 * angle**8)
    return x * bent / far, y * bent / far
