"""The state folder: what an installation remembers between runs, one small file a subject.

One way to write for all of them (`write_whole`): beside the file, synced, then renamed, so that a full disk,
a crash or a loss of power leaves the old content or the new one, never half of one. And nothing that was not
understood is written over: it is set aside first, with the date in its name, and told; work goes on with what
is good of it (`StateFolder.restore`).

The folder carries a version; one of a later version is refused, untouched. A file of a later version in a
folder of ours has more in it than we know, and is set aside like garbage. Which files there are, and what is
lost when one is set aside: docs/architecture.md.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
import threading
import time
import typing
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from framework.errors import DescriptionError, InstallationError, PilothouseError
from framework.unreadable import UNREADABLE

VERSION: Final = 1

T = TypeVar("T")

log = logging.getLogger("pilothouse.state")

_NUMBER: Final = re.compile("[1-9][0-9]{0,8}")
_QUOTED_CHARS: Final = 40
_FLUSHES_WITHIN_S: Final = 3.0


def default_state_folder() -> Path:
    """Where state lives if nobody says otherwise: under the user's state directory."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "pilothouse"


def write_whole(file: Path, content: bytes) -> None:
    """Beside the file, synced, then renamed: never half of one; mode 0600 from its first byte on.

    Takes as long as the disk does: not for an event loop. Raises OSError; then the file is as it was.
    """
    handle, beside = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # it is renamed; some file systems cannot sync a folder
            os.fsync(folder)
    finally:
        os.close(folder)


def set_aside(file: Path) -> Path:
    """Move a file that is not understood out of the way; where to. Raises OSError.

    The new name has the date; what was set aside earlier stays.
    """
    date = time.strftime("%Y-%m-%dT%H-%M-%S")
    for number in range(1, 1000):
        aside = file.with_name(f"{file.name}.set-aside-{date}" + (f"-{number}" if number > 1 else ""))
        if not os.path.lexists(aside):
            os.rename(file, aside)
            return aside
    raise FileExistsError(f"{file} was set aside a thousand times in one second")


def quoted(content: bytes) -> str:
    """The beginning of what is not understood, for people."""
    if not content:
        return "it is empty"
    text = content[: 4 * _QUOTED_CHARS].decode(errors="replace")
    shown = "".join(each if each.isprintable() else "�" for each in text[:_QUOTED_CHARS])
    return f"it begins with {shown!r}" + (" …" if len(content) > len(shown.encode()) else "")


class StateFolder:
    """The state of one installation.

    Args:
        path: the folder; made if it is not there.

    Raises InstallationError if it cannot be made or is of a later version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: list[str] = []
        """What was set aside and why, in words."""
        self._left_as_is: dict[str, str] = {}
        self._later = _LaterWrites()
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._check_version(path / "version")
        except OSError as error:
            raise InstallationError(
                f"the state folder {path} cannot be used: {error}; give another one with --state"
            ) from error

    def _check_version(self, version: Path) -> None:
        """Raises OSError, InstallationError."""
        with suppress(FileNotFoundError):
            content = version.read_bytes()
            text = content.decode(errors="replace").strip()
            if text == str(VERSION):
                return
            if _NUMBER.fullmatch(text) and int(text) > VERSION:
                raise InstallationError(
                    f"the state folder {self.path} is of version {text}, this program knows version "
                    f"{VERSION}; give another one with --state"
                )
            # Left by a full disk or a crash, when it was not written whole.
            aside = set_aside(version)
            self._tell(f"{version} says no version: {quoted(content)}; it is set aside as {aside.name}")
        write_whole(version, f"{VERSION}\n".encode())

    def read(self, name: str, kind: type[T]) -> T | None:
        """What was kept under `name`; None if nothing was. Raises DescriptionError if it is no `kind`."""
        file = self._file(name)
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DescriptionError(f"cannot be read: {error}", file=str(file)) from error
        try:
            return msgspec.json.decode(content, type=kind)
        except UNREADABLE as error:
            raise DescriptionError(
                f"this is no {name} ({error}): {quoted(content)}", file=str(file)
            ) from error

    def restore(
        self, name: str, kind: type[T], check: Callable[[Any], None] = lambda entry: None
    ) -> T | None:
        """What is good of what was kept under `name`; None if nothing is. For the one who writes it.

        If not all of it is understood the file is set aside, told in `notes`, and what is good is written. If
        that cannot be done it stays as it is, and `write` refuses to write over it.

        kind: a struct of sequences, or a dictionary: each entry is good or not by itself.
        check: raises PilothouseError for an entry that is none.
        """
        file = self._file(name)
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._left_as_is[name] = f"{file} cannot be read: {error}"
            self._tell(self._left_as_is[name])
            return None
        good, why = _good_of(content, kind, check)
        if why:
            self._set_aside(name, f"{file} is not understood ({why}): {quoted(content)}")
            if good is not None and name not in self._left_as_is:
                try:
                    self.write(name, good)
                except InstallationError as error:
                    self._tell(str(error))
        return good

    def write(self, name: str, value: object) -> None:
        """Keep `value` under `name`. Raises InstallationError if it cannot be written.

        Takes as long as the disk does: not for an event loop.
        """
        self._write(name, _encoded(value))

    def write_later(self, name: str, value: object, failed: Callable[[str], object]) -> None:
        """As `write`, from another thread, which also calls `failed`. Of several in a row the last counts."""
        content = _encoded(value)

        def write() -> None:
            try:
                self._write(name, content)
            except InstallationError as error:
                failed(str(error))

        self._later.add(name, write)

    def flush(self) -> None:
        """Wait until what is to be written later is written, bounded; what is not by then is named."""
        if unwritten := self._later.flush():
            self._tell(f"the disk is slow: {', '.join(unwritten)} may be as they were before")

    def remove(self, name: str) -> None:
        """Forget what was kept under `name`, if anything. Raises InstallationError if that cannot be done."""
        file = self._file(name)
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise InstallationError(f"{file} cannot be removed: {error}") from error

    def sweep(self) -> None:
        """Remove what writes that were cut off have left. For who has the folder to itself."""
        with suppress(OSError):
            for file in self.path.glob(".*.*"):
                file.unlink(missing_ok=True)

    def _write(self, name: str, content: bytes) -> None:
        if name in self._left_as_is:
            raise InstallationError(f"{self._left_as_is[name]}; it is left as it is")
        try:
            write_whole(self._file(name), content)
        except OSError as error:
            words = error.strerror or "no reason given"
            raise InstallationError(f"{name} in the state folder cannot be written: {words}") from error

    def _set_aside(self, name: str, why: str) -> None:
        try:
            aside = set_aside(self._file(name))
        except OSError as error:
            self._left_as_is[name] = f"{why}, and cannot be set aside: {error}"
            self._tell(self._left_as_is[name])
        else:
            self._tell(f"{why}; it is set aside as {aside.name}, and what is good of it is used")

    def _tell(self, words: str) -> None:
        self.notes.append(words)
        log.warning(words)

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.json"


class _LaterWrites:
    """A thread that writes, so that no event loop waits for a disk. No process waits for it at its end."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: dict[str, Callable[[], None]] = {}
        self._being_written: tuple[str, ...] = ()
        self._is_running = False

    def add(self, name: str, write: Callable[[], None]) -> None:
        """Instead of what waits under this name."""
        with self._changed:
            self._waiting[name] = write
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="state", daemon=True).start()

    def flush(self) -> tuple[str, ...]:
        """Wait until nothing waits any more, bounded; the names of what still does."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_running, _FLUSHES_WITHIN_S)
            return (*self._being_written, *self._waiting)

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._being_written = ()
                    self._is_running = False
                    self._changed.notify_all()
                    return
                name = next(iter(self._waiting))
                self._being_written = (name,)
                write = self._waiting.pop(name)
            write()


def _encoded(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1)


def _good_of(content: bytes, kind: type[T], check: Callable[[Any], object]) -> tuple[T | None, str]:
    """What is good of it, None if it is no `kind` at all; and what is wrong, "" if nothing is."""
    try:
        raw = msgspec.json.decode(content)
    except UNREADABLE as error:
        return None, str(error)
    if not isinstance(raw, dict):
        return None, f"a {type(raw).__name__} instead of names and values"
    wrong: list[str] = []

    def good(entry: object, kind: Any, where: str) -> list[Any]:
        """The entry, if it is good."""
        try:
            value = msgspec.convert(entry, kind)
            check(value)
        except (msgspec.MsgspecError, PilothouseError) as error:
            wrong.append(f"{where}: {error}")
            return []
        if not _holds(msgspec.to_builtins(value), entry):
            wrong.append(f"{where}: there is more in it than this program knows")
        return [value]

    if issubclass(typing.get_origin(kind) or kind, dict):
        _, of = typing.get_args(kind)
        found = {name: value for name, entry in raw.items() for value in good(entry, of, name)}
        return typing.cast(T, found), "; ".join(wrong[:1])
    hints = typing.get_type_hints(kind)
    fields: dict[str, Any] = {}
    for name, entries in raw.items():
        if name not in hints:
            wrong.append(f"{name}: this program knows no such thing")
        elif not isinstance(entries, list):
            wrong.append(f"{name}: a {type(entries).__name__} instead of a list")
        else:
            of = typing.get_args(hints[name])[0]
            fields[name] = tuple(value for entry in entries for value in good(entry, of, name))
    return kind(**fields), "; ".join(wrong[:1])


def _holds(ours: object, theirs: object) -> bool:
    """Whether writing ours back loses nothing of theirs."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return all(key in ours and _holds(ours[key], value) for key, value in theirs.items())
    if isinstance(ours, list | tuple) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_holds, ours, theirs))
    return ours == theirs
