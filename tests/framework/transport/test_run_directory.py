"""The directory of an installation: who is alive, what is swept, and what is left: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from framework.errors import SharedMemoryFull, StreamError
from framework.transport.ring import RingReader, RingWriter
from framework.transport.run_directory import RunDirectory

_AN_INSTALLATION = """
import sys
from pathlib import Path
from framework.transport.ring import RingWriter
from framework.transport.run_directory import RunDirectory

run = RunDirectory.create(Path(sys.argv[1]))
RingWriter(run.path, "camera", slot_bytes=1000)
print(run.path, flush=True)
sys.stdin.read()
"""


def start_installation(base: Path) -> tuple[subprocess.Popen[str], Path]:
    child = subprocess.Popen(
        [sys.executable, "-c", _AN_INSTALLATION, str(base)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    return child, Path(child.stdout.readline().strip())


@pytest.mark.parametrize("base", ["/nonexistent/shm", "/proc"])
def test_no_shared_memory_is_an_error_in_words(base: str) -> None:
    with pytest.raises(SharedMemoryFull, match="No shared memory for the streams of this installation"):
        RunDirectory.create(Path(base))


def test_what_the_dead_left_is_swept_and_the_living_are_spared(tmp_path: Path) -> None:
    living, path_of_living = start_installation(tmp_path)
    dead, path_of_dead = start_installation(tmp_path)
    with living, dead:
        assert RunDirectory.sweep(tmp_path) == ()
        dead.send_signal(signal.SIGKILL)
        dead.wait()
        assert (path_of_dead / "camera.ring").exists()
        assert RunDirectory.sweep(tmp_path) == (path_of_dead,)
        assert path_of_living.exists()
        living.send_signal(signal.SIGKILL)
        living.wait()
        assert RunDirectory.sweep(tmp_path) == (path_of_living,)
    assert list(tmp_path.iterdir()) == []


def test_it_lives_as_long_as_one_who_joined(tmp_path: Path) -> None:
    owner, path = start_installation(tmp_path)
    with owner:
        child = RunDirectory.join(path)
        owner.send_signal(signal.SIGKILL)
        owner.wait()
    assert RunDirectory.sweep(tmp_path) == ()
    child.leave()
    child.leave()
    assert RunDirectory.sweep(tmp_path) == (path,)


def test_only_an_installations_directory_can_be_joined(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="no run directory"):
        RunDirectory.join(tmp_path)
    with pytest.raises(StreamError, match="no run directory"):
        RunDirectory.join(tmp_path / "pilothouse-1-0123abcd")


def test_foreign_things_are_not_swept(tmp_path: Path) -> None:
    (tmp_path / "pilothouse-notes").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "pilothouse-1-0123abcd").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "pilothouse-2-0123abcd").write_text("a file")
    assert RunDirectory.sweep(tmp_path) == ()
    assert len(list(tmp_path.iterdir())) == 4
    assert RunDirectory.sweep(tmp_path / "absent") == ()


def test_one_that_is_swept_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept: list[Path] = []
    really_make = Path.mkdir

    def make_and_be_swept(path: Path, mode: int = 0o777) -> None:
        really_make(path, mode)
        if not swept:
            swept.extend(RunDirectory.sweep(tmp_path))

    monkeypatch.setattr(Path, "mkdir", make_and_be_swept)
    with RunDirectory.create(tmp_path) as run:
        assert len(swept) == 1
        assert list(tmp_path.iterdir()) == [run.path]
        assert run.path != swept[0]


def test_it_is_private_and_goes_with_everything_in_it(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    run = RunDirectory.create(tmp_path)
    assert run.path.name.startswith(f"pilothouse-{os.getpid()}-")
    assert run.path.stat().st_mode & 0o777 == 0o700
    writer = RingWriter(run.path, "camera", slot_bytes=10)
    run.remove()
    run.remove()
    writer.close()
    assert list(tmp_path.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) == before
    assert run.remove_streams_of("camera") == 0


def test_the_streams_of_one_child_are_removed_and_their_names_are_free(tmp_path: Path) -> None:
    with RunDirectory.create(tmp_path) as run:
        colour = RingWriter(run.path, "front.colour", slot_bytes=10)
        RingWriter(run.path, "front.depth", slot_bytes=10)
        RingWriter(run.path, "wrist.scan", slot_bytes=10)
        (run.path / ".front.ir.0123abcd.new").write_bytes(b"died while making it")
        colour.write(b"last", stamp_s=1.0)
        with RingReader(colour.path) as reader:
            assert run.remove_streams_of("front.") == 2
            assert sorted(path.name for path in run.path.iterdir()) == ["wrist.scan.ring"]
            assert reader.latest() is not None
            assert not reader.replaced()
            with RingWriter(run.path, "front.colour", slot_bytes=10):
                assert reader.replaced()
        for prefix in ("", "../x"):
            with pytest.raises(StreamError, match="no beginning of a stream's name"):
                run.remove_streams_of(prefix)
