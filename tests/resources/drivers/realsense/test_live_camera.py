"""Cameras that are plugged in. The genuine library takes a recording that is loaded into its context for one:
it is listed, opened by its serial number, reset and unplugged as hardware is. No hardware was there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("pyrealsense2")

from framework.errors import ResourceUnavailable, StreamError
from framework.status import Severity
from framework.transport.ring import RingReader
from resources.drivers.realsense.arguments import RealSenseArguments
from resources.drivers.realsense.child import Camera
from resources.drivers.realsense.live_camera import LiveCamera, PluggedIn, chosen, plugged_in
from resources.drivers.realsense.recovery import Patience
from resources.drivers.realsense.sources import Profiles, Taken
from resources.types.sensors import CameraFeed
from resources.types.streams import SampleMeta
from tests.resources.drivers.realsense.fake_child import FakeChild
from tests.resources.drivers.realsense.rig import (
    HEIGHT,
    LENS,
    RATE_HZ,
    WIDTH,
    frames_of,
    paced,
    pairs,
    record,
    rs,
    software,
)

SEVEN = PluggedIn("7", "Intel RealSense D435", "3.2", "5.16.0.1")
NINE = PluggedIn("9", "Intel RealSense D405", "2.1", "5.16.0.1")


class Hub:
    """Where "cameras" are plugged in and unplugged; each plays its recording once, then gives nothing."""

    def __init__(self, folder: Path) -> None:
        self.context = rs.context()
        self._folder = folder
        self._plugged: dict[str, tuple[str, Any]] = {}  # file and device, which ends when nobody holds it

    def plug_in(self, serial: str) -> None:
        file = str(self._folder / f"{serial}.db3")
        if not Path(file).exists():
            paced(record(Path(file), pairs(15), serial))
        self._plugged[serial] = (file, self.context.load_device(file))

    def unplug(self, serial: str) -> None:
        file, _ = self._plugged.pop(serial)
        self.context.unload_device(file)

    def camera(self, serial: str = "7", rate_hz: float = RATE_HZ) -> LiveCamera:
        return LiveCamera(serial, WIDTH, HEIGHT, rate_hz, self.context)

    def close(self) -> None:
        for serial in tuple(self._plugged):
            self.unplug(serial)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    made = Hub(tmp_path)
    yield made
    made.close()


# ---------------------------------------------------------------- which camera


@pytest.mark.parametrize(
    ("serial", "there", "words"),
    [
        ("", (), "no RealSense camera is plugged in. lsusb shows"),
        ("8", (), "the RealSense camera 8 was asked for; plugged in: no RealSense camera"),
        (
            "8",
            (SEVEN, NINE),
            r"8 was asked for; plugged in: Intel RealSense D435 \(serial 7, USB 3.2\); Intel .* \(serial 9",
        ),
        ("", (SEVEN, NINE), r"several RealSense cameras are plugged in: .*parameters: \{serial: '7'\}"),
    ],
)
def test_a_camera_that_is_not_there_is_told_with_what_is(
    serial: str, there: tuple[PluggedIn, ...], words: str
) -> None:
    with pytest.raises(ResourceUnavailable, match=words):
        chosen(serial, there)


def test_the_only_camera_needs_no_serial_number() -> None:
    assert chosen("", (NINE,)) is NINE
    assert chosen("9", (SEVEN, NINE)) is NINE


def test_the_library_lists_what_is_plugged_in_by_serial_number(hub: Hub) -> None:
    assert plugged_in(hub.context) == ()
    with pytest.raises(ResourceUnavailable, match="no RealSense camera is plugged in"):
        hub.camera("").start()
    hub.plug_in("9")
    hub.plug_in("7")
    assert [camera.serial for camera in plugged_in(hub.context)] == ["7", "9"]
    assert (hub.camera("7").rank(), hub.camera("9").rank()) == (0, 1)
    hub.unplug("7")
    assert hub.camera("").serial == "9"
    with pytest.raises(ResourceUnavailable, match=r"camera 7 was asked for; plugged in: .*serial 9"):
        hub.camera("7").start()


# ---------------------------------------------------------------- opening and streaming


def test_it_is_opened_by_its_serial_number_and_streams(hub: Hub) -> None:
    hub.plug_in("7")
    hub.plug_in("9")
    camera = hub.camera("9")
    profiles = camera.start()
    assert profiles.rate_hz == RATE_HZ
    taken = camera.next(5.0)
    assert taken is not None
    assert taken.meta.time_s > 0
    camera.stop()
    camera.stop()


def test_a_mode_that_it_has_not_is_told_with_those_that_it_has(hub: Hub) -> None:
    hub.plug_in("7")
    camera = hub.camera("7", rate_hz=90.0)
    with pytest.raises(StreamError, match=rf"no 160×120 at 90 Hz .* its depth has 160×120 at {RATE_HZ} Hz"):
        camera.start()
    camera.stop()


def test_a_silent_camera_gives_nothing_and_raises_nothing(hub: Hub) -> None:
    hub.plug_in("7")
    camera = hub.camera()
    camera.start()
    looks = iter(lambda: camera.next(0.5) is None, True)
    assert len(list(looks)) <= 15  # its few pictures, and then silence
    camera.stop()


def test_what_cannot_be_reset_says_so(hub: Hub) -> None:
    with pytest.raises(StreamError, match="the RealSense camera 7 is not there"):
        hub.camera().reset()
    software = rs.software_device()
    with pytest.raises(RuntimeError, match="hardware_reset is not implemented"):
        software.hardware_reset()  # which `reset` would pass on


def test_plugging_in_and_unplugging_are_noticed(hub: Hub) -> None:
    camera = hub.camera()

    def changes(what: Callable[[str], None], is_there: bool) -> bool:
        what("7")
        for _ in range(200):
            if camera.was_changed():
                assert camera.is_present() is is_there
                return True
            camera._changed.wait(0.05)
        return False

    assert not camera.is_present()
    assert changes(hub.plug_in, True)
    assert not camera.was_changed()
    assert changes(hub.unplug, False)


# ---------------------------------------------------------------- the whole way of a failure

QUICK = Patience(timeout_s=0.2, timeouts=2, first_picture_s=3.0, resets=1, settle_s=0.5, return_s=2.0)


def life(hub: Hub, folder: Path, each_wait: Callable[[FakeChild], None], **changes: Any) -> FakeChild:
    """The life of a camera's process, in this one. each_wait: what happens while it waits."""
    child = FakeChild()
    child.each_wait = lambda: each_wait(child)
    arguments = RealSenseArguments(
        run_directory=str(folder),
        device="eye",
        serial="7",
        decimate=2,
        patience=msgspec.structs.replace(QUICK, **changes),
    )
    camera = Camera(child.as_child, arguments, hub.camera())
    try:
        camera.run(folder)
    finally:
        camera.close()
    return child


def test_silent_reset_back_and_silent_again(hub: Hub, tmp_path: Path) -> None:
    hub.plug_in("7")
    rings: list[int] = []

    def each_wait(child: FakeChild) -> None:
        severities = [severity for severity, _ in child.said]
        if Severity.ERROR in severities and Severity.OK not in severities and not rings:
            with RingReader(tmp_path / "eye.ring") as reader:
                rings.append(reader.sequence)
            hub.unplug("7")  # the reset makes it leave, and come back
            hub.plug_in("7")

    child = life(hub, tmp_path, each_wait)
    words = [text for _, text in child.said]
    severities = [severity for severity, _ in child.said if severity is not Severity.WARNING]
    assert severities == [Severity.ERROR, Severity.OK, Severity.FATAL]
    assert any("it is reset (1 of 1)" in text for text in words)
    assert words[-1].endswith("1 × reset")
    feed = msgspec.json.decode(child.handle, type=CameraFeed)
    assert (feed.intrinsics.width, feed.intrinsics.height) == (WIDTH // 2, HEIGHT // 2)
    assert child.samples > rings[0] > 0


def test_reset_and_never_seen_again(hub: Hub, tmp_path: Path) -> None:
    hub.plug_in("7")

    def each_wait(child: FakeChild) -> None:
        if child.said and child.said[-1][0] is Severity.ERROR:
            hub.close()

    child = life(hub, tmp_path, each_wait, return_s=0.5)
    assert child.said[-1][0] is Severity.FATAL
    assert "did not come back within 0.5 s of its reset; unplug it" in child.said[-1][1]


def test_unplugged_in_the_middle(hub: Hub, tmp_path: Path) -> None:
    hub.plug_in("7")

    def each_wait(child: FakeChild) -> None:
        if child.samples:
            hub.close()

    child = life(hub, tmp_path, each_wait, timeout_s=5.0)
    assert child.said == [(Severity.FATAL, "the RealSense camera 7 was unplugged")]


def test_a_camera_that_never_gives_a_picture_fails_its_start(hub: Hub, tmp_path: Path) -> None:
    class Mute(LiveCamera):
        def next(self, timeout_s: float) -> None:
            return None

    hub.plug_in("7")
    child = FakeChild()
    arguments = RealSenseArguments(
        run_directory=str(tmp_path),
        device="eye",
        patience=msgspec.structs.replace(QUICK, first_picture_s=0.2, settle_s=0.01),
    )
    camera = Camera(child.as_child, arguments, Mute("7", WIDTH, HEIGHT, RATE_HZ, hub.context))
    with pytest.raises(StreamError, match=r"gave no picture within 0\.2 s of its start, 1 × reset"):
        camera.run(tmp_path)
    camera.close()
    assert not child.is_ready
    assert list(tmp_path.glob("*.ring")) == []


class Turncoat:
    """One picture and then silence; after each start with another lens."""

    what = serial = "camera 7"
    can_reset = True
    ended = ""

    def __init__(self) -> None:
        self._taken: Taken | None = None
        self._starts = 0

    def start(self) -> Profiles:
        self._starts += 1
        lens = msgspec.structs.replace(LENS, fx=self._starts * LENS.fx)
        device = software(depth=lens, colour=lens)
        self._taken = Taken(frames_of(device, pairs(1)[0]), 1.0, SampleMeta())
        return Profiles(device.depth, device.colour, RATE_HZ)

    def next(self, timeout_s: float) -> Taken | None:
        taken, self._taken = self._taken, None
        return taken

    def stop(self) -> None:
        self._taken = None

    def reset(self) -> None:
        pass

    def is_present(self) -> bool:
        return True


def test_a_camera_that_comes_back_with_another_lens_is_not_believed(tmp_path: Path) -> None:
    child = FakeChild()
    patience = msgspec.structs.replace(QUICK, settle_s=0.1, return_s=0.4)
    camera = Camera(
        child.as_child,
        RealSenseArguments(run_directory=str(tmp_path), device="eye", patience=patience),
        Turncoat(),
    )
    camera.run(tmp_path)
    camera.close()
    assert child.samples == 1
    assert child.said[-1][0] is Severity.FATAL
    assert "of its reset (camera 7 came back with another lens" in child.said[-1][1]
