"""Random lives of a state folder, on disks that fail: what was written last is there, or nothing was written.

A dictionary says what each file should hold; disks fill up, files are damaged and cannot be read or moved,
and programs start anew, in random order. A failure names its seed: `history(SEED, tmp_path)`.
"""

from __future__ import annotations

import errno
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from framework.errors import InstallationError, PilothouseError
from framework.state import StateFolder
from tests.effort import share


class Entry(msgspec.Struct, frozen=True):
    name: str
    value: int = 0
    where: tuple[float, ...] = ()


class Book(msgspec.Struct, frozen=True):
    entries: tuple[Entry, ...] = ()
    numbers: tuple[int, ...] = ()


BOOKS = ("poses", "routes", "scores")


def positive(entry: object) -> None:
    if isinstance(entry, Entry) and entry.value < 0:
        raise PilothouseError("it is negative")


class Disk:
    """Fails at a step of a write, or when something is moved; notes what was synced before it was renamed."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.fails_at = ""
        self.unsynced: set[int] = set()
        for step in ("tempfile.mkstemp", "os.fdopen", "os.fsync", "os.replace", "os.rename"):
            self._watch(patch, step)

    def _watch(self, patch: pytest.MonkeyPatch, step: str) -> None:
        module, _, name = step.partition(".")
        really = getattr(__import__(module), name)

        def tried(*given: Any, **named: Any) -> Any:
            if step == self.fails_at:
                raise OSError(errno.ENOSPC, "No space left on device")
            if step == "os.fsync":
                self.unsynced.discard(os.fstat(given[0]).st_ino)
            if step == "os.replace":
                assert os.stat(given[0]).st_ino not in self.unsynced, "renamed before it was on the disk"
            result = really(*given, **named)
            if step == "tempfile.mkstemp":
                self.unsynced.add(os.fstat(result[0]).st_ino)
            return result

        patch.setattr(f"framework.state.{step}", tried)


class History:
    """One of them. `holds`: what each file should have in it; `is_left`: not touched in this life."""

    def __init__(self, seed: int, path: Path, disk: Disk) -> None:
        self.lots = random.Random(seed)
        self.path = path
        self.disk = disk
        self.holds: dict[str, Book] = {}
        self.damaged: dict[str, tuple[bytes, Book | None]] = {}
        self.is_left: set[str] = set()
        self.later: dict[str, Book] = {}
        self.asides: list[bytes] = []
        self.tried: Counter[str] = Counter()
        self.state = StateFolder(path)

    def run(self, steps: int) -> None:
        events = (*(self.writes,) * 3, self.writes_later, self.is_damaged, self.is_removed, self.starts_anew)
        for _ in range(steps):
            self.lots.choice(events)()
            self.check()
        self.starts_anew()
        self.check()

    def writes(self) -> None:
        name, book = self._chosen()
        self.disk.fails_at = self.lots.choice(
            ("", "", "", "tempfile.mkstemp", "os.fdopen", "os.fsync", "os.replace")
        )
        if not self.disk.fails_at and name not in self.is_left:
            self.state.write(name, book)
            self._is_written(name, book)
            return
        with pytest.raises(InstallationError) as refused:
            self.state.write(name, book)
        assert ("left as it is" in str(refused.value)) is (name in self.is_left)
        self.tried["not written"] += 1
        self.disk.fails_at = ""

    def writes_later(self) -> None:
        """Several in a row, of several files; of each the last counts, and one that fails is told."""
        failures: list[str] = []
        meant: dict[str, Book] = {}
        self.disk.fails_at = self.lots.choice(("", "", "os.replace"))
        for _ in range(self.lots.randint(1, 6)):
            name, book = self._chosen()
            self.state.write_later(name, book, failures.append)
            meant[name] = book
        self.state.flush()
        good = {
            name: book for name, book in meant.items() if name not in self.is_left and not self.disk.fails_at
        }
        assert (len(failures) >= len(meant) - len(good)) and (bool(failures) == (len(good) < len(meant)))
        self.disk.fails_at = ""
        for name, book in good.items():
            self._is_written(name, book)
        self.tried["written later"] += len(good)

    def is_damaged(self) -> None:
        """By another program: between two lives of ours."""
        name, book = self._chosen()
        whole = msgspec.json.encode(book)
        extra = msgspec.to_builtins(book) | {"of a later version": 1}
        longer = msgspec.to_builtins(book)
        for entry in longer["entries"]:
            entry["frame"] = "map"
        wrong = msgspec.to_builtins(book)
        wrong["entries"] = [{"name": 7}, *wrong["entries"], {"name": "x", "value": -1}, 3]
        content, good = self.lots.choice(
            [
                (whole[: self.lots.randrange(len(whole))], None),
                (b"[]", None),
                (b"\xff\x00", None),
                (msgspec.json.encode(extra), book),
                (msgspec.json.encode(wrong), book),
                (msgspec.json.encode(longer), book),
                (whole.replace(b'"numbers":[', b'"numbers":["x",'), book),
            ]
        )
        is_same = content == msgspec.json.encode(longer) and not book.entries
        (self.path / f"{name}.json").write_bytes(content)
        self.holds.pop(name, None)
        if is_same:
            self.damaged.pop(name, None)
            self.holds[name] = book
        else:
            self.damaged[name] = content, good
        self.starts_anew()

    def is_removed(self) -> None:
        name = self.lots.choice(BOOKS)
        self.state.remove(name)
        self.holds.pop(name, None)

    def starts_anew(self) -> None:
        """Another life: what is good of each file is there; what is not is set aside, told, and not lost."""
        if self.lots.random() < 0.2:
            (self.path / "version").write_bytes(self.lots.choice((b"", b"x", b"0")))
            self.asides.append((self.path / "version").read_bytes())
        (self.path / ".poses.json.cut_off").write_bytes(b"half")
        self.state = StateFolder(self.path)
        self.state.sweep()
        notes = len(self.state.notes)
        self.is_left.clear()
        for name in BOOKS:
            how = self.lots.choice(("", "", "", "os.rename", "os.replace")) if name in self.damaged else ""
            self.disk.fails_at = how
            found = self.state.restore(name, Book, positive)
            self.disk.fails_at = ""
            told, notes = len(self.state.notes) - notes, len(self.state.notes)
            if name not in self.damaged:
                assert found == self.holds.get(name) and told == 0
                continue
            content, good = self.damaged.pop(name)
            assert found == good and told >= 1
            self.tried[f"damaged, {how or 'mended'}"] += 1
            if how == "os.rename":
                self.is_left.add(name)
                assert (self.path / f"{name}.json").read_bytes() == content
                self.damaged[name] = content, good  # the next life finds it again
                continue
            self.asides.append(content)
            if good is not None and not how:
                self.holds[name] = good

    def check(self) -> None:
        """Each file is whole, and nothing else is there but what was set aside."""
        for name in BOOKS:
            if name not in self.damaged:
                assert self.state.read(name, Book) == self.holds.get(name), name
        there = sorted(file.name for file in self.path.iterdir() if ".set-aside-" not in file.name)
        files = {f"{name}.json" for name in (*self.holds, *self.damaged)}
        assert there == sorted({*files, "version"})
        asides = [file.read_bytes() for file in self.path.iterdir() if ".set-aside-" in file.name]
        assert Counter(asides) == Counter(self.asides), "what is not understood is not lost"

    # -- inside

    def _chosen(self) -> tuple[str, Book]:
        some = [Entry(f"e{n}", self.lots.randrange(9), (1.0,) * n) for n in range(self.lots.randrange(3))]
        return self.lots.choice(BOOKS), Book(tuple(some), (self.lots.randrange(99),))

    def _is_written(self, name: str, book: Book) -> None:
        self.holds[name] = book
        self.tried["written"] += 1


def history(seed: int, path: Path, steps: int = 25) -> History:
    with pytest.MonkeyPatch.context() as patch:
        played = History(seed, path, Disk(patch))
        played.run(steps)
    return played


def test_whatever_disks_and_programs_do_each_file_holds_what_was_written_last(tmp_path: Path) -> None:
    tried: Counter[str] = Counter()
    for seed in range(share(40)):
        (tmp_path / str(seed)).mkdir()
        tried += history(seed, tmp_path / str(seed)).tried
    assert min(tried[f"damaged, {how}"] for how in ("mended", "os.rename", "os.replace")) > 2, tried
    assert min(tried["not written"], tried["written"], tried["written later"]) > 10, tried


def test_what_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    (tmp_path / "book.json").mkdir()
    assert state.restore("book", Book) is None and "cannot be read" in state.notes[0]
    (tmp_path / "book.json").rmdir()
    with pytest.raises(InstallationError, match="left as it is"):
        state.write("book", Book())


@pytest.mark.parametrize("version", ["2", "3", "10", "999999999"])
def test_every_later_version_is_refused(tmp_path: Path, version: str) -> None:
    (tmp_path / "version").write_text(version)
    with pytest.raises(InstallationError, match=version):
        StateFolder(tmp_path)


def test_a_list_inside_of_an_entry_that_is_longer_than_ours_is_more_than_we_know(tmp_path: Path) -> None:
    """A pair today, three numbers tomorrow: cut to a pair and written back, the third would be lost."""

    class Pair(msgspec.Struct, frozen=True, array_like=True):
        x: float
        y: float

    class Places(msgspec.Struct, frozen=True):
        places: tuple[Pair, ...] = ()

    globals()["Pair"] = Pair
    (tmp_path / "places.json").write_text('{"places": [[1.0, 2.0, 3.0]]}')
    state = StateFolder(tmp_path)
    assert state.restore("places", Places) == Places((Pair(1.0, 2.0),))
    assert len(state.notes) == 1 and "set aside" in state.notes[0]


def test_a_sweep_takes_what_writes_have_left_and_nothing_else(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    for name in ("a.b.c", "memory.json.set-aside-2026", ".gitignore", "kept.tar.gz"):
        (tmp_path / name).write_bytes(b"somebody's")
    (tmp_path / ".book.json.x7_23abc").write_bytes(b"half")
    state.sweep()
    there = {file.name for file in tmp_path.iterdir()}
    assert {"a.b.c", "memory.json.set-aside-2026", "kept.tar.gz", ".gitignore", "version"} == there


def test_what_is_to_be_written_is_written_in_the_order_in_which_it_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    really = os.replace

    def replace(source: str, target: Path) -> None:
        written.append(target.name)
        really(source, target)

    state = StateFolder(tmp_path)
    monkeypatch.setattr("framework.state.os.replace", replace)
    names = [f"file{number}" for number in range(20)]
    with state._later._changed:  # the thread waits until all have been said
        for name in names:
            state._later._waiting[name] = lambda name=name: state.write(name, 1)  # type: ignore[misc]
    state.write_later("last", 1, pytest.fail)
    state.flush()
    assert written == [f"{name}.json" for name in (*names, "last")]


def test_it_writes_again_after_it_has_rested(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    for number in range(5):
        state.write_later("count", number, pytest.fail)
        state.flush()
        assert state.read("count", int) == number
