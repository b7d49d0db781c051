"""A camera that sees colour and depth, with its CameraInfo; named as those of real ones are.

Options say what goes wrong.
"""

from __future__ import annotations

import argparse
import array
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import rclpy
from numpy.typing import NDArray
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from tests.ros_robot.scene import BASE_T_CAMERA, base_turn_optical, seen
from tests.ros_robot.standing import Standing

FRAME = "front_camera_optical_frame"
FIELD_OF_VIEW = math.radians(70.0)
FARTHEST_M = 8.0


class Camera:
    """What it sees, drawn anew when the robot has moved."""

    def __init__(self, width: int, height: int, standing: Standing) -> None:
        self.focal = width / 2 / math.tan(FIELD_OF_VIEW / 2)
        self.centre = (width - 1) / 2, (height - 1) / 2
        columns, rows = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
        x, y = (columns - self.centre[0]) / self.focal, (rows - self.centre[1]) / self.focal
        rays = np.stack([x, y, np.ones_like(x)], axis=-1).reshape(-1, 3)
        self._rays = (rays @ base_turn_optical().T).astype(np.float32)
        self._shape = height, width
        self._standing = standing
        self._drawn = -1
        self.colour: NDArray[np.uint8] = np.zeros((height, width, 3), np.uint8)
        self.depth_m: NDArray[np.float32] = np.zeros((height, width), np.float32)

    def look(self) -> None:
        """Draw what is seen now."""
        if self._standing.count == self._drawn:
            return
        self._drawn = self._standing.count
        origin = self._standing.place(BASE_T_CAMERA)
        distances, colours = seen(origin, self._rays @ self._standing.turn.T)
        # A ray is as long as its share along the optical axis is one: so long is its depth.
        self.depth_m = (
            np.where(distances < FARTHEST_M, distances, 0.0).astype(np.float32).reshape(self._shape)
        )
        self.colour = colours.reshape(*self._shape, 3)


def image(stamp: Any, pixels: NDArray[Any], encoding: str) -> Image:
    """A message of C-contiguous pixels (h, w) or (h, w, c)."""
    message = Image()
    message.header.stamp = stamp
    message.header.frame_id = FRAME
    message.height, message.width = pixels.shape[:2]
    message.encoding = encoding
    message.step = pixels.strides[0]
    message.data = _bytes(pixels.tobytes())
    return message


def _bytes(content: bytes) -> array.array[int]:
    filled = array.array("B")
    filled.frombytes(content)
    return filled


def coloured(rgb: NDArray[np.uint8], encoding: str) -> NDArray[np.uint8]:
    """In another encoding."""
    if encoding.startswith("bgr"):
        rgb = rgb[..., ::-1]
    if encoding == "mono8":
        grey: NDArray[np.uint8] = rgb.mean(axis=-1).astype(np.uint8)
        return grey
    if encoding.endswith("a8"):
        rgb = np.dstack([rgb, np.full(rgb.shape[:2], 255, np.uint8)])
    return np.ascontiguousarray(rgb)


def packed(stamp: Any, rgb: NDArray[np.uint8], kind: str) -> CompressedImage:
    """As JPEG or PNG."""
    from PIL import Image as Pillow

    content = io.BytesIO()
    Pillow.fromarray(rgb).save(content, kind)
    message = CompressedImage()
    message.header.stamp = stamp
    message.header.frame_id = FRAME
    message.format = f"rgb8; {kind} compressed bgr8"
    message.data = _bytes(content.getvalue())
    return message


def main(argv: Sequence[str] | None = None) -> None:
    """See until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", default="front_camera")
    parser.add_argument("--colour-topic", default="/front/color/image_raw")
    parser.add_argument("--info-topic", default="/front/color/camera_info")
    parser.add_argument("--depth-topic", default="/front/aligned_depth_to_color/image_raw")
    parser.add_argument("--rate-hz", type=float, default=10.0)
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--height", type=int, default=240)
    parser.add_argument("--encoding", default="rgb8")
    parser.add_argument("--compressed", choices=("jpeg", "png"), help="colour comes so, and not otherwise")
    parser.add_argument("--depth", choices=("16UC1", "32FC1", "none"), default="16UC1")
    parser.add_argument("--best-effort", action="store_true")
    parser.add_argument("--no-info", action="store_true")
    parser.add_argument("--not-calibrated", action="store_true", help="its K is of zeros")
    parser.add_argument("--bends", type=float, default=0.0, help="k1 of its lens")
    parser.add_argument("--depth-shrinks", type=int, default=1, help="depth has so many times fewer pixels")
    parser.add_argument(
        "--shrinks-after", type=int, default=0, help="so many pictures, then they are half as large"
    )
    parser.add_argument("--late-s", type=float, default=0.0, help="stamps are so old")
    choice = parser.parse_args(argv)

    rclpy.init()
    node = rclpy.create_node(choice.name)
    reliability = ReliabilityPolicy.BEST_EFFORT if choice.best_effort else ReliabilityPolicy.RELIABLE
    quality = QoSProfile(depth=5, reliability=reliability)
    colour_type = CompressedImage if choice.compressed else Image
    colours = node.create_publisher(colour_type, choice.colour_topic, quality)
    depths = None if choice.depth == "none" else node.create_publisher(Image, choice.depth_topic, quality)
    infos = None if choice.no_info else node.create_publisher(CameraInfo, choice.info_topic, quality)
    camera = Camera(choice.width, choice.height, Standing(node))
    taken = 0

    def info(stamp: Any) -> CameraInfo:
        message = CameraInfo()
        message.header.stamp = stamp
        message.header.frame_id = FRAME
        message.width, message.height = choice.width, choice.height
        message.distortion_model = "plumb_bob"
        message.d = [choice.bends, 0.0, 0.0, 0.0, 0.0]
        if not choice.not_calibrated:
            cx, cy = camera.centre
            message.k = [camera.focal, 0.0, cx, 0.0, camera.focal, cy, 0.0, 0.0, 1.0]
            message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
            message.p = [camera.focal, 0.0, cx, 0.0, 0.0, camera.focal, cy, 0.0, 0.0, 0.0, 1.0, 0.0]
        return message

    def look() -> None:
        nonlocal taken
        taken += 1
        stamp = (node.get_clock().now() - rclpy.duration.Duration(seconds=choice.late_s)).to_msg()
        camera.look()
        rgb = camera.colour
        if choice.shrinks_after and taken > choice.shrinks_after:
            rgb = np.ascontiguousarray(rgb[::2, ::2])
        if infos is not None:
            infos.publish(info(stamp))
        if choice.compressed:
            colours.publish(packed(stamp, rgb, choice.compressed))
        else:
            colours.publish(image(stamp, coloured(rgb, choice.encoding), choice.encoding))
        if depths is not None:
            metres = np.ascontiguousarray(camera.depth_m[:: choice.depth_shrinks, :: choice.depth_shrinks])
            if choice.depth == "32FC1":
                metres[metres == 0.0] = np.nan
                depths.publish(image(stamp, metres, "32FC1"))
            else:
                depths.publish(image(stamp, np.rint(metres * 1000).astype(np.uint16), "16UC1"))

    node.create_timer(1.0 / choice.rate_hz, look)
    rclpy.spin(node)


if __name__ == "__main__":
    main()
