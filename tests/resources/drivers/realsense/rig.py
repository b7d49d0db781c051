"""What the tests of RealSense cameras share: pictures of noise, and recordings of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from resources.drivers.realsense.library import library
from resources.drivers.realsense.software_device import Make, SoftwareDevice, lens_of
from resources.types.sensors import CameraIntrinsics

rs = library()

WIDTH, HEIGHT = 160, 120
LENS = CameraIntrinsics(WIDTH, HEIGHT, 100.0, 100.0, 79.5, 59.5)
RATE_HZ = 30

Pair = tuple[NDArray[np.uint16], NDArray[np.uint8]]  # depth (height, width), colour (height, width, 3)


def pairs(number: int, lens: CameraIntrinsics = LENS) -> list[Pair]:
    """Pictures of noise: whatever is lost on the way is seen."""
    chance = np.random.default_rng(number)
    shape = (lens.height, lens.width)
    return [
        (chance.integers(0, 9000, shape, np.uint16), chance.integers(0, 256, (*shape, 3), np.uint8))
        for _ in range(number)
    ]


def offset(right_m: float = 0.0) -> Any:
    """`rs.extrinsics`: the depth imager sits so far to the right of the colour imager."""
    beside = rs.extrinsics()
    beside.rotation, beside.translation = [1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0], [right_m, 0.0, 0.0]
    return beside


def software(serial: str = "7", unit_m: float = 0.001, right_m: float = 0.0, **lenses: Any) -> SoftwareDevice:
    """A software device; `depth` and `colour` are its lenses."""
    depth, colour = lenses.get("depth", LENS), lenses.get("colour", LENS)
    make = Make(
        "rig", serial, lens_of(depth), lens_of(colour), offset(right_m), depth_unit_m=unit_m, rate_hz=RATE_HZ
    )
    return SoftwareDevice(make)


def record(path: Path, given: Sequence[Pair], serial: str = "7") -> Path:
    """A recording of these pictures."""
    device = software(serial)
    recorder = rs.recorder(str(path), device.device)
    device.start(rs.frame_queue(1))
    for number, (depth, colour) in enumerate(given, 1):
        device.push(depth, colour, number, 1000.0 * number / RATE_HZ)
    device.stop()
    del recorder
    return path


def paced(path: Path) -> Path:
    """The recording as if its pictures had come at their rate, and not as fast as we pushed them."""
    database = sqlite3.connect(path)
    with database:
        topics = database.execute("select id, name from topics where name like '%/image/%'").fetchall()
        for topic, name in topics:
            rows = database.execute("select id from messages where topic_id = ? order by id", (topic,))
            for number, (row,) in enumerate(rows.fetchall(), 1):
                time_ns = number * 1_000_000_000 // RATE_HZ + ("Color" in name)
                database.execute("update messages set timestamp = ? where id = ?", (time_ns, row))
    database.close()
    return path


def frames_of(device: SoftwareDevice, pair: Pair) -> Any:
    """An `rs.composite_frame` of both pictures."""
    syncer = rs.syncer(8)
    device.start(syncer)
    try:
        for number in (
            1,
            2,
        ):  # the first depth comes alone: the library does not know yet that colour follows
            device.push(*pair, number, 1000.0 * number / RATE_HZ)
        while True:
            came, frames = syncer.try_wait_for_frames(5000)
            assert came
            if frames.get_depth_frame() and frames.get_color_frame():
                return frames
    finally:
        device.stop()
