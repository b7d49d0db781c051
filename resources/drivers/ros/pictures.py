"""`sensor_msgs/msg/Image` and `CompressedImage` as arrays: views of the message where it can be.

What cannot be read is refused with what came and what is allowed: MalformedMessage.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage, PluginUnavailable

IMAGE: Final = "sensor_msgs/msg/Image"
COMPRESSED: Final = "sensor_msgs/msg/CompressedImage"

MOST_ACROSS: Final = 8192
MOST_BYTES: Final = 100_000_000
_MOST_MM: Final = 65535.0

Colour = NDArray[np.uint8]  # (h, w, 3)
Depth = NDArray[np.uint16]  # (h, w) [mm], 0 where nothing was measured


class Size(msgspec.Struct, frozen=True):
    """Of a picture [px]."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}×{self.height}"


def size_of(image: Any) -> Size:
    """An Image's. Raises MalformedMessage for an empty one, or one larger than is allowed."""
    return checked_size(image.width, image.height)


def checked_size(width: int, height: int) -> Size:
    """Raises MalformedMessage."""
    size = Size(width, height)
    if not (0 < width <= MOST_ACROSS and 0 < height <= MOST_ACROSS):
        raise MalformedMessage(
            f"a picture of {size} pixels came; 1×1 to {MOST_ACROSS}×{MOST_ACROSS} are allowed"
        )
    return size


def fill_colour(image: Any, into: Colour) -> None:
    """Write an Image's colours there, copying each pixel once. `into` has its size.

    Raises MalformedMessage for an encoding that is none of ours, and for rows that are not there.
    """
    fill = _COLOURS.get(image.encoding)
    if fill is None:
        hint = "; subscribe to the picture that is debayered" if image.encoding.startswith("bayer") else ""
        raise MalformedMessage(
            f"a picture of encoding {image.encoding!r} came; {', '.join(_COLOURS)} are allowed{hint}"
        )
    fill(image, into)


def fill_depth(image: Any, into: Depth) -> None:
    """Write an Image's depth there [mm]; 0 for what is no distance, or above 65 m.

    Raises as `fill_colour` does.
    """
    if image.encoding in ("16UC1", "mono16"):
        into[...] = _rows(image, 1, np.uint16)[..., 0]
    elif image.encoding == "32FC1":
        millimetres = _rows(image, 1, np.float32)[..., 0] * np.float32(1000.0)
        with np.errstate(invalid="ignore"):
            is_one = (millimetres >= 0.5) & (millimetres < _MOST_MM + 0.5)  # not of NaN
        into[...] = np.rint(np.where(is_one, millimetres, np.float32(0.0)))
    else:
        raise MalformedMessage(
            f"depth of encoding {image.encoding!r} came; 16UC1 [mm] and 32FC1 [m] are allowed"
        )


def unpacked(message: Any) -> Colour:
    """The colours of a CompressedImage: JPEG or PNG.

    Raises MalformedMessage for another format or what cannot be read, PluginUnavailable without Pillow.
    """
    try:
        from PIL import Image as Pillow
    except ImportError as error:
        raise PluginUnavailable(
            "compressed pictures", f"the Python that has rclpy has no Pillow to unpack them with ({error})"
        ) from error
    if len(message.data) > MOST_BYTES:
        raise MalformedMessage(
            f"{len(message.data)} bytes of compressed picture came; {MOST_BYTES} are allowed"
        )
    try:
        with Pillow.open(io.BytesIO(message.data), formats=("JPEG", "PNG")) as picture:
            checked_size(*picture.size)
            return np.asarray(picture.convert("RGB"))
    except (OSError, SyntaxError, ValueError, Pillow.DecompressionBombError) as error:
        raise MalformedMessage(
            f"{len(message.data)} bytes of format {message.format!r} came, which are no JPEG or PNG: {error}"
        ) from error


# ---------------------------------------------------------------- rows of pixels


def _rows(image: Any, channels: int, kind: type[np.generic]) -> NDArray[Any]:
    """(h, w, channels), a view of the message's bytes. Raises MalformedMessage if they are too few."""
    number = np.dtype(kind).newbyteorder(">" if image.is_bigendian else "<")
    size = size_of(image)
    row_bytes = size.width * channels * number.itemsize
    needed = image.step * (size.height - 1) + row_bytes
    data = memoryview(image.data)
    if image.step < row_bytes or data.nbytes < needed or data.nbytes > MOST_BYTES:
        raise MalformedMessage(
            f"a picture of {size} {image.encoding} pixels came in {data.nbytes} bytes, {image.step} a row; "
            f"a row has {row_bytes} at least, all of it {needed}, and {MOST_BYTES} are the most"
        )
    strides = (image.step, channels * number.itemsize, number.itemsize)
    return np.ndarray((size.height, size.width, channels), number, data, strides=strides)


def _of_channels(channels: int, order: tuple[int, int, int]) -> Callable[[Any, Colour], None]:
    """Red, green and blue are these of so many bytes."""

    def fill(image: Any, into: Colour) -> None:
        rows = _rows(image, channels, np.uint8)
        if order == (0, 1, 2):
            into[...] = rows[..., :3]
            return
        for channel, there in enumerate(order):  # three times as fast as an index that is turned round
            into[..., channel] = rows[..., there]

    return fill


def _of_deep_grey(image: Any, into: Colour) -> None:
    into[...] = _rows(image, 1, np.uint16) >> 8


def _of_yuv(luma: int) -> Callable[[Any, Colour], None]:
    """Two pixels in four bytes, which share their colour (ITU-R BT.601, whole range). luma: first byte's."""

    def fill(image: Any, into: Colour) -> None:
        rows = _rows(image, 2, np.uint8)
        if image.width % 2:
            raise MalformedMessage(
                f"a picture of {image.encoding} is {image.width} pixels wide; it is to be even"
            )
        y = rows[..., luma].astype(np.int32)
        other = rows[..., 1 - luma].astype(np.int32) - 128
        u, v = np.repeat(other[:, 0::2], 2, axis=1), np.repeat(other[:, 1::2], 2, axis=1)
        red = y + (359 * v >> 8)
        green = y - (88 * u + 183 * v >> 8)
        blue = y + (454 * u >> 8)
        for channel, values in enumerate((red, green, blue)):
            into[..., channel] = np.clip(values, 0, 255)

    return fill


_COLOURS: Final = {
    "rgb8": _of_channels(3, (0, 1, 2)),
    "bgr8": _of_channels(3, (2, 1, 0)),
    "rgba8": _of_channels(4, (0, 1, 2)),
    "bgra8": _of_channels(4, (2, 1, 0)),
    "mono8": _of_channels(1, (0, 0, 0)),
    "mono16": _of_deep_grey,
    "yuyv": _of_yuv(0),
    "yuv422_yuy2": _of_yuv(0),
    "uyvy": _of_yuv(1),
    "yuv422": _of_yuv(1),
}
