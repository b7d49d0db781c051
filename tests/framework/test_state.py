"""The state folder: what is kept comes back, whole or not at all; what is wrong is set aside and told."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from framework.errors import DescriptionError, InstallationError, PilothouseError
from framework.state import StateFolder, quoted, set_aside, write_whole


class Entry(msgspec.Struct, frozen=True):
    name: str
    value: float = 0.0


class Book(msgspec.Struct, frozen=True):
    entries: tuple[Entry, ...] = ()
    others: tuple[int, ...] = ()


BOOK = Book((Entry("dock", 1.5), Entry("table")), (1, 2))


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    StateFolder(tmp_path / "state").write("poses", {"dock": [1.0, 2.0]})
    assert StateFolder(tmp_path / "state").read("poses", dict[str, list[float]]) == {"dock": [1.0, 2.0]}
    StateFolder(tmp_path / "state").write("book", BOOK)
    state = StateFolder(tmp_path / "state")
    assert state.restore("book", Book) == BOOK and state.notes == []


def test_nothing_kept_is_none(tmp_path: Path) -> None:
    assert StateFolder(tmp_path).read("poses", dict[str, float]) is None
    assert StateFolder(tmp_path).restore("book", Book) is None


def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    state.write("poses", 1)
    state.remove("poses")
    state.remove("poses")
    assert state.read("poses", int) is None


def test_a_damaged_file_is_named_and_quoted_briefly(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    (tmp_path / "poses.json").write_bytes(b'{"dock": ' + 1000 * b"[")
    with pytest.raises(DescriptionError, match=r"poses\.json") as refused:
        state.read("poses", dict[str, float])
    assert '{"dock": [[' in str(refused.value) and len(str(refused.value)) < 400


def test_a_later_version_is_refused_and_not_touched(tmp_path: Path) -> None:
    (tmp_path / "version").write_text("99")
    with pytest.raises(InstallationError, match="99"):
        StateFolder(tmp_path)
    assert names(tmp_path) == ["version"] and (tmp_path / "version").read_text() == "99"


@pytest.mark.parametrize("content", [b"", b"\n", b"0", b"x" * 5000, b"9" * 5000, b"\xff\x00", "²".encode()])
def test_what_says_no_version_is_set_aside(tmp_path: Path, content: bytes) -> None:
    StateFolder(tmp_path).write("book", BOOK)
    (tmp_path / "version").write_bytes(content)
    state = StateFolder(tmp_path)
    assert len(state.notes) == 1 and "set aside" in state.notes[0]
    (aside,) = tmp_path.glob("version.set-aside-*")
    assert aside.read_bytes() == content
    again = StateFolder(tmp_path)
    assert again.notes == [] and again.restore("book", Book) == BOOK


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InstallationError, match="--state"):
        StateFolder(file / "state")


def test_a_failed_write_leaves_the_old_content(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    state.write("poses", 1)
    with pytest.raises(TypeError):
        state.write("poses", object())
    assert state.read("poses", int) == 1
    assert names(tmp_path) == ["poses.json", "version"]


# -- disks that are full or read-only

FULL = OSError(errno.ENOSPC, "No space left on device")
STEPS = ("tempfile.mkstemp", "os.fdopen", "os.fsync", "os.replace")


@pytest.fixture(params=STEPS)
def full_disk(request: pytest.FixtureRequest) -> Iterator[pytest.MonkeyPatch]:
    """The disk is full at one step of a write."""

    def full(*_: object, **__: object) -> None:
        raise FULL

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"framework.state.{request.param}", full)
        yield patch


def test_a_first_start_on_a_full_disk_leaves_nothing_and_the_next_one_works(
    tmp_path: Path, full_disk: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InstallationError, match="No space left"):
        StateFolder(tmp_path)
    assert names(tmp_path) == []
    full_disk.undo()
    assert StateFolder(tmp_path).notes == []


def test_a_full_disk_leaves_the_old_content_whole(tmp_path: Path, full_disk: pytest.MonkeyPatch) -> None:
    full_disk.undo()
    state = StateFolder(tmp_path)
    state.write("book", BOOK)
    full_disk.setattr("framework.state.os.fsync", _raise_full)
    with pytest.raises(InstallationError, match=r"book.* cannot be written: No space left"):
        state.write("book", Book())
    failures: list[str] = []
    state.write_later("book", Book(), failures.append)
    state.flush()
    assert len(failures) == 1 and "No space left" in failures[0]
    assert state.restore("book", Book) == BOOK and names(tmp_path) == ["book.json", "version"]


def _raise_full(*_: object) -> None:
    raise FULL


def test_a_disk_that_takes_a_few_bytes_only(tmp_path: Path) -> None:
    """A real write that comes to its end, of every length: the kernel refuses what is beyond a limit."""
    state = StateFolder(tmp_path)
    state.write("book", BOOK)
    limited = """
import resource, sys
from pathlib import Path
from framework.errors import InstallationError
from framework.state import StateFolder
state = StateFolder(Path(sys.argv[1]))
for most in range(0, 40):
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    try:
        state.write("book", {"entries": [{"name": "much too long for so little"}]})
    except InstallationError as error:
        assert "cannot be written" in str(error)
    else:
        sys.exit(f"{most} bytes were enough")
"""
    subprocess.run([sys.executable, "-c", limited, str(tmp_path)], check=True)
    assert StateFolder(tmp_path).restore("book", Book) == BOOK and names(tmp_path) == ["book.json", "version"]


def test_what_cannot_be_set_aside_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = StateFolder(tmp_path)
    file = tmp_path / "book.json"
    file.write_bytes(b"precious")

    def read_only(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("framework.state.os.rename", read_only)
    assert state.restore("book", Book) is None
    assert "Read-only" in state.notes[0]
    with pytest.raises(InstallationError, match="left as it is"):
        state.write("book", BOOK)
    assert file.read_bytes() == b"precious"


def test_of_several_writes_in_a_row_the_last_counts(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    for number in range(100):
        state.write_later("count", number, pytest.fail)
    state.flush()
    assert state.read("count", int) == 99


def test_what_a_disk_has_no_time_for_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    goes_on = threading.Event()
    begun = threading.Event()

    def slow(file: int) -> None:
        begun.set()
        goes_on.wait()

    state = StateFolder(tmp_path)
    monkeypatch.setattr("framework.state.os.fsync", slow)
    monkeypatch.setattr("framework.state._FLUSHES_WITHIN_S", 0.0)
    state.write_later("book", BOOK, pytest.fail)
    begun.wait()
    state.write_later("scores", 1, pytest.fail)
    state.flush()
    assert "the disk is slow: book, scores may be as they were before" in caplog.text
    monkeypatch.setattr("framework.state._FLUSHES_WITHIN_S", 60.0)
    goes_on.set()
    state.flush()
    assert state.restore("book", Book) == BOOK and len(state.notes) == 1


def test_what_a_cut_off_write_leaves_is_swept(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    state.write("book", BOOK)
    (tmp_path / ".book.json.x7_23abc").write_bytes(b"half")
    state.sweep()
    assert names(tmp_path) == ["book.json", "version"]


# -- garbage


def test_what_is_good_is_used_and_the_rest_set_aside(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)

    def restored(content: str) -> Book | None:
        (tmp_path / "book.json").write_text(content)
        again = StateFolder(tmp_path)
        found = again.restore("book", Book, check)
        assert len(again.notes) == 1 and "set aside" in again.notes[0], content
        (aside,) = tmp_path.glob("book.json.set-aside-*")
        assert aside.read_text() == content
        aside.unlink()
        assert StateFolder(tmp_path).restore("book", Book, check) == found, "what is good is kept"
        return found

    def check(entry: object) -> None:
        if isinstance(entry, Entry) and entry.value < 0:
            raise PilothouseError("it is negative")

    dock = Book((Entry("dock", 1.5),))
    assert restored('{"entries": [{"name": "dock", "value": 1.5}, {"name": 7}]}') == dock
    assert restored('{"entries": [{"name": "dock", "value": 1.5}, {"name": "b", "value": -1}]}') == dock
    assert restored('{"entries": [{"name": "dock", "value": 1.5}], "others": 3}') == dock
    assert restored("[]") is None
    assert restored("") is None
    # Of a later version: what we know is used, and nothing is written over.
    assert restored('{"entries": [{"name": "dock", "value": 1.5}], "routes": [1]}') == dock
    assert restored('{"entries": [{"name": "dock", "value": 1.5, "frame": "map"}]}') == dock
    (tmp_path / "scores.json").write_text('{"camera": {"name": "a"}, "lidar": 3}')
    assert state.restore("scores", dict[str, Entry]) == {"camera": Entry("a")}


def test_what_was_set_aside_earlier_stays(tmp_path: Path) -> None:
    asides = set()
    for number in range(3):
        file = tmp_path / "book.json"
        file.write_text(str(number))
        asides.add(set_aside(file))
    assert sorted(aside.read_text() for aside in asides) == ["0", "1", "2"]


def test_quotes_are_brief_and_printable() -> None:
    assert quoted(b"") == "it is empty"
    assert "\x1b" not in quoted(b"\x1b[2J\x00\xff") and len(quoted(b"a" * 10**6)) < 70


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_whole(tmp_path / "secret", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


def test_who_cannot_keep_something_is_told_no_path_and_no_exception(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path / "state")
    (tmp_path / "state").rename(tmp_path / "away")
    (tmp_path / "state").touch()
    with pytest.raises(InstallationError) as told:
        folder.write("poses", {"alpha": [1.0]})
    assert "poses" in str(told.value)
    assert str(tmp_path) not in str(told.value) and "Errno" not in str(told.value)
