"""Real Image, CompressedImage and CameraInfo messages, good and bad, as pictures and lenses of ours."""

from __future__ import annotations

import array
import io
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as Pillow
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from framework.errors import MalformedMessage
from resources.drivers.ros.lens import bent_px, info_topic, is_rectified, lens_of
from resources.drivers.ros.pictures import fill_colour, fill_depth, unpacked
from resources.types.streams import CameraIntrinsics

RGB = np.array(
    [[(255, 0, 0), (0, 255, 0), (0, 0, 255)], [(10, 20, 30), (200, 100, 50), (255, 255, 255)]], np.uint8
)  # (2, 3, 3)


def image(pixels: NDArray[Any], encoding: str, *, padding: int = 0, big: bool = False) -> Image:
    """A message of pixels (h, w, …), whose rows are longer by so many bytes."""
    number = pixels.dtype.newbyteorder(">" if big else "<")
    rows = np.ascontiguousarray(pixels.astype(number)).view(np.uint8).reshape(len(pixels), -1)
    padded = np.pad(rows, ((0, 0), (0, padding)), constant_values=99)
    message = Image()
    message.height, message.width = pixels.shape[:2]
    message.encoding, message.step, message.is_bigendian = encoding, padded.shape[1], int(big)
    message.data = array.array("B", padded.tobytes())
    return message


def colours(message: Image) -> NDArray[np.uint8]:
    into = np.full((message.height, message.width, 3), 7, np.uint8)
    fill_colour(message, into)
    return into


def depths(message: Image) -> Any:
    into = np.full((message.height, message.width), 7, np.uint16)
    fill_depth(message, into)
    return into.tolist()


@pytest.mark.parametrize("padding", [0, 5])
@pytest.mark.parametrize(
    ("encoding", "pixels"),
    [
        ("rgb8", RGB),
        ("bgr8", RGB[..., ::-1]),
        ("rgba8", np.dstack([RGB, np.zeros((2, 3), np.uint8)])),
        ("bgra8", np.dstack([RGB[..., ::-1], np.zeros((2, 3), np.uint8)])),
    ],
)
def test_colours_in_any_order_and_rows_of_any_length(
    encoding: str, pixels: NDArray[np.uint8], padding: int
) -> None:
    assert np.array_equal(colours(image(pixels, encoding, padding=padding)), RGB)


def test_grey_is_grey() -> None:
    grey = np.array([[0, 128, 255]], np.uint8)
    assert colours(image(grey, "mono8")).tolist() == [[[0] * 3, [128] * 3, [255] * 3]]
    assert colours(image(grey.astype(np.uint16) * 256, "mono16", big=True))[0, 1].tolist() == [128] * 3


@pytest.mark.parametrize(("encoding", "luma"), [("yuv422_yuy2", 0), ("yuyv", 0), ("uyvy", 1), ("yuv422", 1)])
def test_luma_and_shared_colours_become_red_green_and_blue(encoding: str, luma: int) -> None:
    # Pure red and blue of BT.601: (76, 85, 255) and (29, 255, 107), both pixels of a pair alike.
    pairs = np.array([[[76, 85], [76, 255], [29, 255], [29, 107]]], np.uint8)
    made = colours(image(pairs if luma == 0 else pairs[..., ::-1], encoding))
    expected = np.array([[(254, 0, 0)] * 2 + [(0, 0, 254)] * 2])
    assert np.abs(made.astype(int) - expected).max() <= 3


@pytest.mark.parametrize("big", [False, True])
def test_depth_is_millimetres_and_nothing_where_there_is_no_distance(big: bool) -> None:
    assert depths(image(np.array([[0, 1234, 65535]], np.uint16), "16UC1", big=big, padding=3)) == [
        [0, 1234, 65535]
    ]
    metres = np.array([[1.2344, math.nan, math.inf, -1.0, 70.0, 0.0, 65.535]], np.float32)
    assert depths(image(metres, "32FC1", big=big)) == [[1234, 0, 0, 0, 0, 0, 65535]]


def cut(message: Image) -> Image:
    message.data = message.data[:-4]
    return message


def with_step(message: Image, step: int) -> Image:
    message.step = step
    return message


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (image(RGB, "bayer_rggb8"), "'bayer_rggb8' came; rgb8, bgr8, .*debayered"),
        (image(RGB, ""), "encoding '' came"),
        (
            cut(image(RGB, "rgb8")),
            "3×2 rgb8 pixels came in 14 bytes, 9 a row; a row has 9 at least, all of it 18",
        ),
        (with_step(image(RGB, "rgb8"), 0), "0 a row; a row has 9 at least"),
        (with_step(image(RGB, "rgb8"), 4_000_000_000), "4000000000 a row"),
        (Image(encoding="rgb8"), "a picture of 0×0 pixels came"),
        (Image(encoding="rgb8", width=4_000_000_000, height=4_000_000_000), "8192×8192 are allowed"),
        (image(RGB[:, :, :2], "yuyv"), "3 pixels wide; it is to be even"),
    ],
)
def test_what_is_no_picture_is_refused_with_what_came(message: Image, words: str) -> None:
    with pytest.raises(MalformedMessage, match=words):
        fill_colour(message, np.zeros((2, 3, 3), np.uint8))


def test_depth_of_colours_is_refused() -> None:
    with pytest.raises(MalformedMessage, match="depth of encoding 'rgb8' came; 16UC1"):
        depths(image(RGB, "rgb8"))


def packed(kind: str, content: bytes | None = None) -> CompressedImage:
    file = io.BytesIO()
    Pillow.fromarray(np.repeat(np.repeat(RGB, 8, 0), 8, 1)).save(file, kind)
    message = CompressedImage(format=f"rgb8; {kind} compressed bgr8")
    message.data = array.array("B", file.getvalue() if content is None else content)
    return message


@pytest.mark.parametrize(("kind", "apart"), [("jpeg", 60), ("png", 0)])
def test_packed_pictures_are_unpacked(kind: str, apart: int) -> None:
    made = unpacked(packed(kind))
    assert made.shape == (16, 24, 3)
    assert np.abs(made[4::8, 4::8].astype(int) - RGB).max() <= apart


@pytest.mark.parametrize("content", [b"", b"\xff\xd8 no JPEG", b"GIF89a" + bytes(100), None])
def test_what_is_no_packed_picture_is_refused(content: bytes | None) -> None:
    message = packed("png", content)
    if content is None:
        message.data = message.data[:60]
    with pytest.raises(MalformedMessage, match="which are no JPEG or PNG"):
        unpacked(message)


def info(**changes: Any) -> CameraInfo:
    message = CameraInfo(width=640, height=480, distortion_model="plumb_bob")
    message.k = [500.0, 0.0, 320.0, 0.0, 501.0, 240.0, 0.0, 0.0, 1.0]
    message.p = [450.0, 0.0, 310.0, 0.0, 0.0, 450.0, 230.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    message.d = [0.0] * 5
    for name, value in changes.items():
        setattr(message, name, value)
    return message


def test_a_lens_is_that_of_the_picture_or_of_the_rectified_one() -> None:
    assert lens_of(info(), is_rectified=False).intrinsics == CameraIntrinsics(
        640, 480, 500.0, 501.0, 320.0, 240.0
    )
    assert lens_of(info(), is_rectified=True).intrinsics == CameraIntrinsics(
        640, 480, 450.0, 450.0, 310.0, 230.0
    )


def test_a_part_of_the_sensor_that_is_made_smaller_has_another_lens() -> None:
    message = info(binning_x=2, binning_y=2)
    message.roi.x_offset, message.roi.y_offset, message.roi.width, message.roi.height = 100, 40, 400, 400
    lens = lens_of(message, is_rectified=False).intrinsics
    assert (lens.width, lens.height, lens.fx) == (200, 200, 250.0)
    assert lens.cx == pytest.approx((220.0 + 0.5) / 2 - 0.5)


def test_the_turn_of_a_rectified_picture_counts() -> None:
    sin, cos = math.sin(0.1), math.cos(0.1)
    lens = lens_of(info(r=[cos, 0.0, sin, 0.0, 1.0, 0.0, -sin, 0.0, cos]), is_rectified=True)
    assert lens.frame_T_optical == pytest.approx((0.0, -math.sin(0.05), 0.0, math.cos(0.05)))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (info(k=[0.0] * 9), "K is all zeros: the camera is not calibrated"),
        (info(k=[math.nan] * 9), "fx nan"),
        (info(k=[-500.0, 0.0, 320.0, 0.0, 501.0, 240.0, 0.0, 0.0, 1.0]), "fx -500"),
        (info(k=[500.0, 9.0, 320.0, 0.0, 501.0, 240.0, 0.0, 0.0, 1.0]), "skew 9"),
        (info(width=0), "0×480 pixels came"),
    ],
)
def test_what_is_no_lens_is_refused(message: CameraInfo, words: str) -> None:
    with pytest.raises(MalformedMessage, match=words):
        lens_of(message, is_rectified=False)


def test_how_far_a_lens_bends_is_known_of_opencvs_models() -> None:
    lens = CameraIntrinsics(640, 480, 500.0, 500.0, 319.5, 239.5)
    far = math.hypot(319.5 / 500, 239.5 / 500)  # of a corner, from the axis
    assert bent_px(lens, "plumb_bob", (0.0,) * 5) == 0.0
    assert bent_px(lens, "plumb_bob", (-0.1, 0.0, 0.0, 0.0, 0.0)) == pytest.approx(0.1 * far**3 * 500)
    straight = 500 * (far - math.atan(far))
    assert bent_px(lens, "equidistant", (1e-9, 0.0, 0.0, 0.0)) == pytest.approx(straight, rel=1e-4)
    assert bent_px(lens, "thin_prism", (0.1,)) == math.inf


@pytest.mark.parametrize(
    ("picture", "beside", "rectified"),
    [
        ("/front/color/image_raw", "/front/color/camera_info", False),
        ("/front/color/image_raw/compressed", "/front/color/camera_info", False),
        ("/left/image_rect_color", "/left/camera_info", True),
        ("/direct/image", "/direct/camera_info", False),
        ("image", "camera_info", False),
    ],
)
def test_names_say_where_the_lens_is_told_and_whether_the_picture_is_rectified(
    picture: str, beside: str, rectified: bool
) -> None:
    assert info_topic(picture) == beside
    assert is_rectified(picture) is rectified
