"""A RealSense camera's process, for real: fed by a ring, by a recording, by nothing; failing in every way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

pytest.importorskip("pyrealsense2")

from framework.errors import ProcessStartFailed
from framework.processes.child_events import LossReason, Lost, Said
from framework.processes.spec import ProcessSpec
from framework.processes.supervise import ChildProcess
from framework.status import Severity
from framework.transport.ring import RingReader, RingWriter, Sample
from framework.transport.run_directory import RunDirectory
from resources.children.failing import FailMode, fail_command
from resources.drivers.realsense.arguments import RealSenseArguments
from resources.drivers.realsense.recorded_camera import Recording
from resources.drivers.realsense.specs import realsense_spec
from resources.types.sensors import CameraFeed
from resources.types.streams import SampleMeta, StreamFormat, StreamHandle, decode_meta, encode_meta
from tests.framework.processes.family import Diary, launcher, until
from tests.resources.drivers.realsense.rig import HEIGHT, LENS, WIDTH, paced, pairs, record

POSE = (1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 0.0)
SIZE = 5 * WIDTH * HEIGHT


class Stage:
    """A run directory with a camera that is not simulated but painted here, and real children beside it."""

    def __init__(self, stack: AsyncExitStack, directory: Path) -> None:
        self.directory = directory
        self.diaries: dict[str, Diary] = {}
        self.painted = RingWriter(directory, "painted", slot_bytes=SIZE, slots=8)
        self.stamps: list[float] = []
        self.pictures = [colour.tobytes() + depth.tobytes() for depth, colour in pairs(4)]
        self.is_painting = True
        self._stack = stack
        stream = StreamHandle(
            "painted", str(self.painted.path), StreamFormat.RGBD, "painted_optical", 50.0, LENS
        )
        self.feed = CameraFeed("painted", "rgbd", stream, LENS, is_placed=True)

    async def paint(self) -> None:
        """Fifty pictures a second."""
        while True:
            if self.is_painting:
                number = len(self.stamps)
                self.stamps.append(time.monotonic())
                meta = encode_meta(SampleMeta(number / 50, POSE, width=WIDTH, height=HEIGHT))
                self.painted.write(self.pictures[number % 4], stamp_s=self.stamps[-1], meta=meta)
            await asyncio.sleep(0.02)

    async def start(self, name: str, **fields: Any) -> tuple[ChildProcess, CameraFeed]:
        """A camera, of whose failures we are told sooner than people are.

        A hang is known long before the stream is too old, which it also is then, whatever else runs in the
        process: the vendor's threads may be at work while its main loop hangs.
        """
        spec = realsense_spec(RealSenseArguments(run_directory=str(self.directory), device=name, **fields))
        sooner = msgspec.structs.replace(spec, hang_after_beats=8.0, slow_after_s=0.8, stale_after_s=1.6)
        return await self.launch(name, sooner)

    async def launch(self, name: str, spec: ProcessSpec) -> tuple[ChildProcess, CameraFeed]:
        """Its process."""
        diary = self.diaries[name] = Diary()
        child = await self._stack.enter_async_context(launcher().launch(spec, on_event=diary))
        return child, msgspec.json.decode(child.handle, type=CameraFeed)

    async def refused(self, **fields: Any) -> str:
        """What is said of a camera that cannot be had."""
        with pytest.raises(ProcessStartFailed) as refused:
            await self.start("refused", **fields)
        return str(refused.value)


@asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    with RunDirectory.create() as directory:
        async with AsyncExitStack() as stack:
            made = Stage(stack, directory.path)
            stack.callback(made.painted.close)
            painting = asyncio.create_task(made.paint())
            stack.callback(painting.cancel)
            yield made


def played(play: Callable[[Stage], Any]) -> None:
    """Play on a stage, for real."""

    async def main() -> None:
        async with stage() as made:
            await play(made)

    asyncio.run(main())


async def sample_of(feed: CameraFeed, after: int = 0) -> Sample:
    """The next sample."""
    found: list[Sample] = []
    with RingReader(Path(feed.stream.ring)) as reader:

        def came() -> bool:
            sample = reader.latest(after)
            found.extend([sample] if sample is not None else [])
            return sample is not None

        await until(came)
    return found[-1]


# ---------------------------------------------------------------- not starting


def test_what_cannot_start_says_why(tmp_path: Path) -> None:
    good = record(tmp_path / "good.db3", pairs(3), "7")
    half = tmp_path / "half.db3"
    half.write_bytes(good.read_bytes()[:9000])
    (tmp_path / "old.bag").write_bytes(b"#ROSBAG V2.0\n")

    async def play(made: Stage) -> None:
        expected: list[tuple[dict[str, Any], str]] = [
            ({}, "no RealSense camera is plugged in. lsusb shows what the system sees; udev rules must"),
            ({"serial": "1234"}, "camera 1234 was asked for; plugged in: no RealSense camera"),
            ({"recording": str(half)}, "it cannot be read; is it whole?"),
            ({"recording": str(tmp_path / "old.bag")}, "of the older kind; .db3 is read"),
            ({"recording": str(good), "serial": "8"}, "was recorded by 7; 8 was asked for"),
            (
                {"drawn": _of_format(made.feed, StreamFormat.IMAGE)},
                "gives image; a software RealSense is fed from",
            ),
        ]
        refused = await asyncio.gather(*(made.refused(**fields) for fields, _ in expected))
        for (_, words), said in zip(expected, refused, strict=True):
            assert words in said
            assert "Traceback" not in said
        assert {path.name for path in made.directory.iterdir()} == {"painted.ring"}

    played(play)


def _of_format(feed: CameraFeed, kind: StreamFormat) -> CameraFeed:
    return msgspec.structs.replace(feed, stream=msgspec.structs.replace(feed.stream, format=kind))


def test_without_the_library_its_process_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "pyrealsense2.py").write_text("raise ImportError('libusb-1.0.so.0: no such file')")

    async def play(made: Stage) -> None:
        spec = realsense_spec(RealSenseArguments(run_directory=str(made.directory), device="eye"))
        spec = msgspec.structs.replace(spec, env=(*spec.env, ("PYTHONPATH", str(tmp_path))), cwd="")
        with pytest.raises(
            ProcessStartFailed, match=r"libusb-1\.0\.so\.0: no such file\): pip install pyreal"
        ):
            await made.launch("eye", spec)

    played(play)


# ---------------------------------------------------------------- at work


def test_a_software_camera_passes_pictures_stamps_and_poses_on_as_they_are() -> None:
    async def play(made: Stage) -> None:
        _, feed = await made.start("eye", drawn=made.feed, decimate=1)
        assert feed.stream.rate_hz == 50.0 and feed.is_placed
        assert feed.stream.intrinsics == feed.intrinsics == LENS
        sequence = 0
        for _ in range(5):
            sample = await sample_of(feed, sequence)
            sequence = sample.sequence
            number = made.stamps.index(sample.stamp_s)
            meta = decode_meta(sample.meta)
            assert bytes(sample.payload) == made.pictures[number % 4]
            assert (meta.time_s, meta.world_T_frame) == (number / 50, POSE)
            assert (meta.width, meta.height) == (WIDTH, HEIGHT)

        # Garbage is told of and passed over, and a stream that ends makes the camera stale.
        made.is_painting = False
        made.painted.write(b"no picture", stamp_s=time.monotonic(), meta=b"\xc1")
        said = await made.diaries["eye"].first(Said)
        assert said.severity is Severity.WARNING
        assert "its meta cannot be read" in said.message
        made.is_painting = True
        await sample_of(feed, sequence + 5)
        made.is_painting = False
        lost = await made.diaries["eye"].first(Lost)
        assert lost.reason in (LossReason.STALE, LossReason.GAVE_UP)

    played(play)


def test_a_recording_is_recorded_again_and_ends_in_words(tmp_path: Path) -> None:
    given = pairs(20)
    file = paced(record(tmp_path / "given.db3", given, "7"))

    async def play(made: Stage) -> None:
        child, feed = await made.start(
            "eye",
            recording=str(file),
            serial="7",
            repeat=False,
            real_time=False,
            record=str(tmp_path / "again"),
        )
        assert (feed.intrinsics.width, feed.intrinsics.height) == (WIDTH // 2, HEIGHT // 2)
        assert not feed.is_placed, "nobody knows where it stood"
        lost = await made.diaries["eye"].first(Lost)
        assert lost.reason is LossReason.GAVE_UP
        assert "given.db3 is over after 20 pictures" in lost.message
        await until(lambda: not Path(f"/proc/{child.pid}").exists() or child.pid == 0)

    played(play)
    (again,) = (tmp_path / "again").iterdir()
    recording = Recording(again, serial="7", repeat=False, real_time=False)
    recording.start()
    depths = []
    while not recording.ended:
        taken = recording.next(0.05)
        if taken is not None:
            depths.append(np.array(taken.frames.get_depth_frame().get_data()))
    recording.stop()
    assert len(depths) == 20
    assert all(np.array_equal(depth, like) for depth, (like, _) in zip(depths, given, strict=True))


def test_a_recording_that_cannot_be_written_ends_no_camera(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    async def play(made: Stage) -> None:
        _, feed = await made.start("eye", drawn=made.feed, record=str(tmp_path / "file" / "there"))
        said = await made.diaries["eye"].first(Said)
        assert said.severity is Severity.WARNING
        assert "recordings cannot be written" in said.message
        await sample_of(feed, 5)
        assert not made.diaries["eye"].all(Lost)

    played(play)


# ---------------------------------------------------------------- failing


def test_every_way_to_fail_is_found_out_and_the_source_is_not_harmed() -> None:
    expected = {
        FailMode.DIE: LossReason.DIED,
        FailMode.HANG: LossReason.HUNG,
        FailMode.GARBAGE: LossReason.GARBAGE,
        FailMode.STALE: LossReason.STALE,
    }

    async def play(made: Stage) -> None:
        cameras = {mode: (await made.start(mode.value, drawn=made.feed))[0] for mode in expected}
        _, spared = await made.start("spared", drawn=made.feed)
        for mode, child in cameras.items():
            assert child.send(fail_command(mode))
        for mode, reason in expected.items():
            assert (await made.diaries[mode.value].first(Lost)).reason is reason
        sequence = (await sample_of(spared)).sequence
        await sample_of(spared, sequence + 3)
        assert not made.diaries["spared"].all(Lost)

    played(play)
