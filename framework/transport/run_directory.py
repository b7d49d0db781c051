"""The directory in shared memory that one installation and its children share.

It is locked (flock) by everyone who belongs to the installation, so whoever starts
next can tell the living from the dead without asking for process ids, which may
belong to somebody else by now. What is written into it is not known here.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from framework.errors import StreamError
from framework.transport.shared_memory import no_room

SHARED_MEMORY: Final = Path("/dev/shm")

_NAME: Final = re.compile(r"pilothouse-\d+-[0-9a-f]{8}")


class RunDirectory:
    """`/dev/shm/pilothouse-<pid>-<random>/`, mode 700; made by `create`, entered by children with `join`.

    It counts as alive as long as one process that created or joined it lives;
    the lock is not handed on to programs that such a process starts.
    """

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock: int | None = lock

    @classmethod
    def create(cls, base: Path = SHARED_MEMORY) -> RunDirectory:
        """Make a directory for a new installation.

        Raises SharedMemoryFull if `base` is absent or cannot be written to.
        """
        while True:
            path = base / f"pilothouse-{os.getpid()}-{secrets.token_hex(4)}"
            try:
                path.mkdir(mode=0o700)
            except FileExistsError:
                continue
            except OSError as error:
                raise no_room(base, 0, "the streams of this installation", error) from error
            lock = _lock(path, fcntl.LOCK_SH)
            if lock is not None:
                return cls(path, lock)
            # Somebody swept between mkdir and the lock: it looked dead. Once more, under another name.

    @classmethod
    def join(cls, path: Path) -> RunDirectory:
        """Belong to an installation that exists; it stays alive with this process.

        Raises StreamError if it is gone.
        """
        lock = _lock(path, fcntl.LOCK_SH) if _NAME.fullmatch(path.name) else None
        if lock is None:
            raise StreamError(
                f"{path.name!r} is no run directory of an installation, or has been removed; start anew.",
                path=path,
            )
        return cls(path, lock)

    @staticmethod
    def sweep(base: Path = SHARED_MEMORY) -> tuple[Path, ...]:
        """Remove what dead installations of this user left in `base`; returns what was removed."""
        removed = []
        for path in sorted(base.glob("pilothouse-*")):
            if not _NAME.fullmatch(path.name):
                continue
            lock = _lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if lock is None:
                continue
            shutil.rmtree(path, ignore_errors=True)
            if not path.exists():
                removed.append(path)
            os.close(lock)
        return tuple(removed)

    def remove_streams_of(self, name_prefix: str) -> int:
        """Remove all streams whose name begins so (those of a child that died); returns how many.

        Who still reads one keeps reading its last sample; a new writer may take the name.
        """
        if not name_prefix or "/" in name_prefix:
            raise StreamError(
                f"{name_prefix!r} is no beginning of a stream's name; give at least one letter."
            )
        removed = 0
        for path in list(self.path.glob("*")):  # hidden ones too; none if it was removed
            if path.name.startswith(name_prefix) and path.suffix == ".ring":
                path.unlink(missing_ok=True)
                removed += 1
            elif path.name.startswith(f".{name_prefix}") and path.suffix == ".new":  # died while making it
                path.unlink(missing_ok=True)
        return removed

    def leave(self) -> None:
        """End this process's part in it, leaving the files to the others; idempotent."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remove(self) -> None:
        """Remove it with all streams in it; idempotent."""
        if self._lock is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            self.leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def _lock(path: Path, how: int) -> int | None:
    """A locked descriptor of our own directory `path`; None if it is in use, gone, or not ours."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            fcntl.flock(descriptor, how)
            if os.path.samestat(os.fstat(descriptor), path.stat(follow_symlinks=False)):
                return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass  # in use by the living, or removed by another sweep while we waited
    os.close(descriptor)
    return None
