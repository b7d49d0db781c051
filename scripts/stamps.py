"""Tells whether a result is still that of its inputs, so that a second setup is quick; one at a time."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.progress import Progress


def digest(parts: Iterable[str | Path]) -> str:
    """Return one hash over texts and the names and contents of files; a missing file counts as such."""
    total = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else _content(part)
        total.update(len(content).to_bytes(8, "big"))
        total.update(content)
    return total.hexdigest()


def _content(path: Path) -> bytes:
    return path.name.encode() + b"\0" + (path.read_bytes() if path.is_file() else b"missing")


class Stamp:
    """A small file beside a result, holding the hash of what the result was made from."""

    def __init__(self, path: Path, parts: Iterable[str | Path]) -> None:
        self._path = path
        self._digest = digest(parts)

    def is_current(self) -> bool:
        """Whether the result was finished from exactly these inputs."""
        return self._path.is_file() and self._path.read_text() == self._digest

    def remove(self) -> None:
        """Forget the result, before it is made anew: an interrupted making must not look finished."""
        self._path.unlink(missing_ok=True)

    def write(self) -> None:
        """Note that the result is finished."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(self._digest)


@contextmanager
def only_one(lock: Path, progress: Progress) -> Iterator[None]:
    """Hold the checkout's setup lock; a second `make` waits for the first and says so."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say("Another setup of this checkout is running; waiting for it.")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
