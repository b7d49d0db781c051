"""Shared-memory rings: bad files, a full /dev/shm, death and torn reads between real processes, leftovers."""

from __future__ import annotations

import os
import resource
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from framework.errors import SharedMemoryFull, StreamError
from framework.transport import ring
from framework.transport.ring import META_BYTES, RingReader, RingWriter
from framework.transport.run_directory import RunDirectory

FRAME_BYTES = 2_000_000

_WRITES_AT_FULL_SPEED = """
import sys, time
from pathlib import Path
import numpy as np
from framework.transport.ring import RingWriter

frames = [np.full(2_000_000, value, dtype=np.uint8) for value in range(251)]
with RingWriter(Path(sys.argv[1]), "camera", slot_bytes=2_000_000, slots=2, replace=True) as writer:
    print("ready", flush=True)
    while writer.sequence < int(sys.argv[2]):
        number = writer.sequence + 1
        writer.write(frames[number % 251], stamp_s=time.monotonic(), meta=str(number).encode())
"""


@pytest.fixture
def directory() -> Iterator[Path]:
    with RunDirectory.create() as run:
        yield run.path
    assert not run.path.exists()


def start_writer(directory: Path, frames: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WRITES_AT_FULL_SPEED, str(directory), str(frames)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


# -- bad files ---------------------------------------------------------------


def good_bytes(directory: Path) -> bytearray:
    writer = RingWriter(directory, "good", slot_bytes=100)
    writer.write(b"hello", stamp_s=1.0)
    content = bytearray(writer.path.read_bytes())
    writer.close()
    return content


def header(*, magic: bytes = b"PHRING\r\n", version: int = 1, slots: int = 4, slot_bytes: int = 100) -> bytes:
    return struct.pack("<8sIIQI", magic, version, slots, slot_bytes, 1)


@pytest.mark.parametrize(
    ("changed_header", "size", "says"),
    [
        pytest.param(header(), 0, "is none: it has 0 bytes", id="empty"),
        pytest.param(header(), 100, "is none: it has 100 bytes", id="shorter-than-a-header"),
        pytest.param(header(), 20_000, "has 20000 bytes where its header promises 36864", id="truncated"),
        pytest.param(header(), 40_960, "has 40960 bytes where its header promises 36864", id="too-long"),
        pytest.param(
            header(magic=b"\x7fELF\2\1\1\0"), None, "no stream of ours: it begins with", id="foreign"
        ),
        pytest.param(header(version=2), None, "layout version 2; this is version 1", id="version"),
        pytest.param(header(slots=0), None, "corrupt header: 0 slots", id="no-slots"),
        pytest.param(header(slots=2**32 - 1), None, "corrupt header: 4294967295 slots", id="too-many-slots"),
        pytest.param(header(slot_bytes=0), None, "slots of 0 bytes", id="no-room-in-slots"),
        pytest.param(header(slot_bytes=2**63), None, "corrupt header: 4 slots", id="huge-slots"),
        pytest.param(header(slot_bytes=5000), None, "header promises 53248", id="other-size"),
    ],
)
def test_a_wrong_file_is_named_and_not_read(
    directory: Path, changed_header: bytes, size: int | None, says: str
) -> None:
    content = good_bytes(directory)
    content[: len(changed_header)] = changed_header
    if size is not None:
        content = (content + bytes(10_000))[:size]
    path = directory / "bad.ring"
    path.write_bytes(content)
    with pytest.raises(StreamError, match=says) as caught:
        RingReader(path)
    # People are told the stream's name; where its file is stands in the traceback.
    assert "'bad'" in str(caught.value) and str(directory) not in str(caught.value)
    assert caught.value.path == path and str(path) in caught.value.__notes__[0]


def test_a_missing_file_and_a_link_are_refused(directory: Path) -> None:
    with pytest.raises(StreamError, match=r"No such file.* is its writer running"):
        RingReader(directory / "absent.ring")
    with RingWriter(directory, "real", slot_bytes=10) as writer:
        (directory / "link.ring").symlink_to(writer.path)
        with pytest.raises(StreamError, match="cannot be opened"):
            RingReader(directory / "link.ring")


def test_a_slot_that_promises_more_than_fits_is_corrupt(directory: Path) -> None:
    with RingWriter(directory, "camera", slot_bytes=100) as writer, RingReader(writer.path) as reader:
        writer.write(b"x", stamp_s=0.0)
        slot = 4096 + 8192  # sequence 1 lies in the second slot
        with writer.path.open("r+b") as file:
            file.seek(slot + 8)
            file.write(struct.pack("=Q", 101))
        with pytest.raises(StreamError, match=r"claims 101 \+ 0 bytes where 100 \+ 4032"):
            reader.latest()


# -- bad use -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "../camera", "a/b", ".hidden", "-rf", "a b", "ä", "x" * 101])
def test_a_name_that_cannot_be_a_file_is_refused(directory: Path, name: str) -> None:
    with pytest.raises(StreamError, match="cannot name a stream"):
        RingWriter(directory, name, slot_bytes=10)


@pytest.mark.parametrize(("slots", "slot_bytes"), [(1, 10), (1025, 10), (4, 0), (4, -1), (4, 2**32 + 1)])
def test_impossible_sizes_are_refused(directory: Path, slots: int, slot_bytes: int) -> None:
    with pytest.raises(StreamError, match="allowed are 2 to 1024 slots"):
        RingWriter(directory, "camera", slot_bytes=slot_bytes, slots=slots)


def test_what_does_not_fit_is_refused_and_harms_nothing(directory: Path) -> None:
    with RingWriter(directory, "camera", slot_bytes=10) as writer, RingReader(writer.path) as reader:
        writer.write(b"good", stamp_s=1.0)
        with pytest.raises(StreamError, match=r"11 bytes with 0 bytes of meta do not fit .* takes 10 and"):
            writer.write(b"x" * 11, stamp_s=2.0)
        with pytest.raises(StreamError, match=f"{META_BYTES + 1} bytes of meta"):
            writer.write(b"x", stamp_s=2.0, meta=b"m" * (META_BYTES + 1))
        with pytest.raises(StreamError, match="C-contiguous"):
            writer.write(np.zeros((2, 4), dtype=np.uint8)[:, ::2], stamp_s=2.0)
        sample = reader.latest()
        assert sample is not None
        assert (sample.sequence, bytes(sample.payload)) == (1, b"good")


@pytest.mark.parametrize("into", [bytes(100), bytearray(3)], ids=["read-only", "too-small"])
def test_a_buffer_that_cannot_take_the_sample_is_refused(directory: Path, into: bytearray) -> None:
    with RingWriter(directory, "camera", slot_bytes=10) as writer, RingReader(writer.path) as reader:
        writer.write(b"1234", stamp_s=1.0)
        with pytest.raises(StreamError, match="`into` must be writable"):
            reader.latest(into=into)


def test_a_body_that_raises_publishes_nothing(directory: Path) -> None:
    with RingWriter(directory, "camera", slot_bytes=10, slots=2) as writer, RingReader(writer.path) as reader:
        writer.write(b"1", stamp_s=1.0)

        def fills_half_and_raises() -> None:
            with writer.slot(4, stamp_s=2.0) as view:
                view[:] = b"half"
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fills_half_and_raises()
        sample = reader.latest()
        assert sample is not None
        assert bytes(sample.payload) == b"1"
        assert writer.write(b"2", stamp_s=3.0) == 2
        sample = reader.latest(after=1)
        assert sample is not None
        assert bytes(sample.payload) == b"2"


def test_a_closed_end_says_so(directory: Path) -> None:
    writer = RingWriter(directory, "camera", slot_bytes=10)
    reader = RingReader(writer.path)
    writer.close()
    writer.close()
    reader.close()
    reader.close()
    with pytest.raises(StreamError, match="closed; make a new RingWriter"):
        writer.write(b"", stamp_s=0.0)
    with pytest.raises(StreamError, match="closed; make a new RingReader"):
        reader.latest()


def test_a_name_in_use_is_refused_unless_it_is_replaced(directory: Path) -> None:
    with RingWriter(directory, "camera", slot_bytes=10) as first:
        with pytest.raises(StreamError, match=r"exists already.*remove_streams_of"):
            RingWriter(directory, "camera", slot_bytes=10)
        with (
            RingReader(first.path) as reader,
            RingWriter(directory, "camera", slot_bytes=20, replace=True) as second,
        ):
            assert reader.replaced()
            first.close()  # must not take the successor's file away
            second.write(b"from the second", stamp_s=5.0)
            reader.reopen()
            assert not reader.replaced()
            assert reader.slot_bytes == 20
            sample = reader.latest()
            assert sample is not None
            assert bytes(sample.payload) == b"from the second"
    assert list(directory.iterdir()) == []


# -- no room -----------------------------------------------------------------


def test_asking_for_more_than_dev_shm_has_is_an_error_in_words(directory: Path) -> None:
    with pytest.raises(
        SharedMemoryFull, match=r"4398050\.7 MB were asked for in .* MB are free .*--shm-size"
    ):
        RingWriter(directory, "camera", slot_bytes=2**32, slots=1024)
    assert list(directory.iterdir()) == []


def test_a_limit_of_the_process_is_an_error_in_words(directory: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
    try:
        with pytest.raises(SharedMemoryFull, match=r"8\.0 MB were asked for .*File too large"):
            RingWriter(directory, "camera", slot_bytes=FRAME_BYTES)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(directory.iterdir()) == []


_FILLS_A_SMALL_TMPFS = """
import sys
from pathlib import Path
from framework.errors import SharedMemoryFull
from framework.transport.ring import RingReader, RingWriter

small, writers = Path(sys.argv[1]), []
try:
    while True:
        writers.append(RingWriter(small, f"camera{len(writers)}", slot_bytes=100_000))
except SharedMemoryFull as error:
    print(len(writers), error)
for writer in writers:
    for _ in range(8):
        writer.write(b"x" * 100_000, stamp_s=0.0)  # every page is there: no SIGBUS
    assert RingReader(writer.path).latest().sequence == 8
    writer.close()
assert list(small.iterdir()) == []
"""


def test_a_tmpfs_that_fills_up_is_an_error_for_the_newcomer_and_harms_nobody(tmp_path: Path) -> None:
    inside = 'mount -t tmpfs -o size=1m none "$1" && exec "$2" -c "$3" "$1"'
    in_a_namespace = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        inside,
        "sh",
        str(tmp_path),
    ]
    if subprocess.run([*in_a_namespace, "true", ""], capture_output=True, timeout=30).returncode != 0:
        pytest.skip("this machine lets nobody mount a small tmpfs in a namespace of its own")
    done = subprocess.run(
        [*in_a_namespace, sys.executable, _FILLS_A_SMALL_TMPFS], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "2 No shared memory for stream 'camera2' (4 × 100000 bytes): 0.4 MB were asked"
    )
    assert "of 1.0 MB are free (No space left on device)" in done.stdout


def test_a_missing_directory_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(SharedMemoryFull, match=r"does not exist or cannot be entered .*tmpfs"):
        RingWriter(tmp_path / "absent", "camera", slot_bytes=10)


# -- as it should be ---------------------------------------------------------


def test_the_latest_wins_and_old_news_is_none(directory: Path) -> None:
    with RingWriter(directory, "camera", slot_bytes=10) as writer, RingReader(writer.path) as reader:
        assert reader.latest() is None
        assert reader.age_s(5.0) == float("inf")
        for number in range(1, 11):
            writer.write(bytes([number]), stamp_s=number / 10, meta=b"m%d" % number)
        sample = reader.latest()
        assert sample is not None
        assert (sample.sequence, sample.stamp_s, sample.meta, bytes(sample.payload)) == (
            10,
            1.0,
            b"m10",
            b"\n",
        )
        assert reader.latest(after=10) is None
        assert reader.age_s(1.5) == 0.5
        assert reader.writer_pid == os.getpid()
        assert not reader.closed
        path = writer.path
    assert not path.exists()


def test_the_end_is_seen_by_those_who_still_read(directory: Path) -> None:
    writer = RingWriter(directory, "camera", slot_bytes=10)
    with RingReader(writer.path) as reader:
        writer.write(b"last", stamp_s=1.0)
        writer.close()
        assert reader.closed
        assert not reader.replaced()
        sample = reader.latest()
        assert sample is not None
        assert bytes(sample.payload) == b"last"


def test_arrays_go_in_and_come_out_without_a_detour(directory: Path) -> None:
    depth_m = np.linspace(0.0, 9.0, 12, dtype=np.float32).reshape(3, 4)
    with (
        RingWriter(directory, "depth", slot_bytes=depth_m.nbytes) as writer,
        RingReader(writer.path) as reader,
    ):
        writer.write(depth_m, stamp_s=1.0)
        into = np.empty_like(depth_m)
        sample = reader.latest(into=into)
        assert sample is not None
        np.testing.assert_array_equal(into, depth_m)
        with writer.slot(depth_m.nbytes, stamp_s=2.0) as view:
            np.multiply(depth_m, 2.0, out=np.frombuffer(view, dtype=np.float32).reshape(3, 4))
        sample = reader.latest(after=1)
        assert sample is not None
        np.testing.assert_array_equal(
            np.frombuffer(sample.payload, dtype=np.float32).reshape(3, 4), depth_m * 2.0
        )
        writer.write(b"", stamp_s=3.0)
        sample = reader.latest(after=2, into=into)
        assert sample is not None
        assert sample.payload.nbytes == 0


def test_the_file_is_private(directory: Path) -> None:
    with RingWriter(directory, "camera", slot_bytes=10) as writer:
        assert writer.path.stat().st_mode & 0o777 == 0o600


def test_a_sample_that_is_overwritten_while_it_is_copied_is_never_handed_out(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RingWriter(directory, "camera", slot_bytes=10, slots=2) as writer, RingReader(writer.path) as reader:
        really_copy, interruptions = ring._copy_into, [2, 1]

        def copy_late(shared: memoryview, into: bytearray, path: Path) -> memoryview:
            for _ in range(interruptions.pop() if interruptions else 0):
                writer.write(bytes([writer.sequence + 1]), stamp_s=0.0)
            copied = really_copy(shared, into, path)
            for _ in range(2 if interruptions else 0):
                writer.write(bytes([writer.sequence + 1]), stamp_s=0.0)
            return copied

        monkeypatch.setattr(ring, "_copy_into", copy_late)
        writer.write(b"\x01", stamp_s=0.0)
        sample = reader.latest(into=bytearray(10))
        assert sample is not None
        assert bytes(sample.payload) == bytes([sample.sequence])
        assert interruptions == []


def test_a_reader_that_is_always_overtaken_says_so(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RingWriter(directory, "camera", slot_bytes=10, slots=2) as writer, RingReader(writer.path) as reader:
        writer.write(b"", stamp_s=0.0)

        def copy_too_late(shared: memoryview, into: bytearray, path: Path) -> memoryview:
            writer.write(b"", stamp_s=0.0)
            writer.write(b"", stamp_s=0.0)
            return shared

        monkeypatch.setattr(ring, "_copy_into", copy_too_late)
        with pytest.raises(StreamError, match=r"overtook the reader 100 times .* more slots"):
            reader.latest(into=bytearray(10))


# -- processes ---------------------------------------------------------------


def test_no_sample_of_a_writer_at_full_speed_is_torn(directory: Path) -> None:
    child = start_writer(directory, frames=3_000)
    seen, last, into = 0, 0, np.empty(FRAME_BYTES, dtype=np.uint8)
    with child, RingReader(directory / "camera.ring") as reader:
        while not reader.closed:
            sample = reader.latest(after=last, into=into)
            if sample is None:
                continue
            assert sample.sequence > last
            last = sample.sequence
            assert sample.meta == str(last).encode()
            expected = last % 251
            assert into.min() == expected == into.max()
            assert reader.age_s(time.monotonic()) < 60.0
            seen += 1
    assert child.returncode == 0
    assert seen > 20


def test_a_reader_survives_the_writers_kill_and_goes_over_to_the_next_one(directory: Path) -> None:
    with start_writer(directory, frames=2**40) as child:
        reader = RingReader(directory / "camera.ring")
        while (sample := reader.latest()) is None or sample.sequence < 100:
            pass
        assert reader.writer_pid == child.pid
        os.kill(child.pid, signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL
    sample = reader.latest()
    assert sample is not None
    assert set(np.unique(np.frombuffer(sample.payload, dtype=np.uint8))) == {sample.sequence % 251}
    assert not reader.closed
    assert not reader.replaced()
    assert reader.age_s(sample.stamp_s + 7.0) == 7.0  # it grows with the clock, nobody renews it
    assert reader.latest(after=sample.sequence) is None

    with start_writer(directory, frames=2**40) as successor:
        assert reader.replaced()
        reader.reopen()
        assert reader.writer_pid == successor.pid
        while reader.latest() is None:
            pass
        successor.send_signal(signal.SIGKILL)
    reader.close()


def test_nothing_stays_mapped_or_open(directory: Path) -> None:
    def held() -> tuple[int, int]:
        maps = Path("/proc/self/maps").read_text().count(directory.name)
        return maps, len(os.listdir("/proc/self/fd"))

    before = held()
    for _ in range(50):
        with RingWriter(directory, "camera", slot_bytes=1000) as writer, RingReader(writer.path) as reader:
            writer.write(b"x", stamp_s=0.0)
            assert reader.latest() is not None
            assert held() > before
            with writer.slot(8, stamp_s=0.0) as view:
                array = np.frombuffer(view, dtype=np.uint8)
        del array, view  # kept beyond the end of its writer, the array keeps the memory; no longer now
    assert held() == before
