"""The registry on disk, so that it survives `kill -9` of its manager.

A file of JSON lines, only ever appended to: a lease granted, a lease ended. A
line torn by a crash is ignored; a file with more that is not understood is set
aside. When most lines are history the file is rewritten beside itself and
renamed. An orderly shutdown erases it. Nothing is synced to the platter: the
catalog outlives the process, not the power.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

import msgspec

from framework.errors import DescriptionError
from framework.state import quoted, set_aside
from framework.transport.messages import Ask
from framework.unreadable import UNREADABLE

log = logging.getLogger("pilothouse.registrar")

#: The file is rewritten when it has this many lines more than twice what lives.
HISTORY = 4096


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: `granted` is an Ask, `ended` a lease id; `generation` the highest one given so far."""

    granted: Ask | None = None
    ended: str = ""
    generation: int = 0


class Catalog:
    """The catalog of one registrar.

    Args:
        path: the file; its folder must exist. What it holds from an earlier
            incarnation is in `restored` and `generation`.

    Raises DescriptionError if the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._encode = msgspec.json.Encoder().encode
        self._live: dict[str, bytes] = {}
        self._lines = 0
        self.generation = 0
        self.restored: list[Ask] = []
        try:
            self._read()
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError as error:
            raise DescriptionError(
                f"this cannot be the registry's catalog: {error}", file=str(path)
            ) from error
        try:
            self._rewrite()
        except OSError as error:
            self._give_up(error)

    def granted(self, ask: Ask, generation: int) -> None:
        """A lease is live."""
        self.generation = max(self.generation, generation)
        line = self._encode(Entry(granted=ask, generation=generation)) + b"\n"
        self._live[ask.lease] = line
        self._append(line)

    def ended(self, lease: str) -> None:
        """A lease is over."""
        if self._live.pop(lease, None) is not None:
            self._append(self._encode(Entry(ended=lease, generation=self.generation)) + b"\n")

    def erase(self) -> None:
        """An orderly shutdown leaves nothing to restore. Idempotent."""
        self.close()
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Leave the file as it is. Idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _append(self, line: bytes) -> None:
        if self._file < 0:
            return
        try:
            written = os.write(self._file, line)
            if written != len(line):
                raise OSError(f"{written} of {len(line)} bytes were written")
            self._lines += 1
            if self._lines > 2 * len(self._live) + HISTORY:
                self._rewrite()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """The robot goes on; what is lost is only that leases outlive a crash."""
        log.error("the catalog %s cannot be written and is given up: %s", self._path, error)
        self.close()

    def _read(self) -> None:
        if not self._path.exists():
            return
        decode = msgspec.json.Decoder(Entry).decode
        asks: dict[str, Ask] = {}
        unreadable: list[bytes] = []
        for line in self._path.read_bytes().splitlines(keepends=True):
            try:
                entry = decode(line)
            except UNREADABLE:
                unreadable.append(line)
                continue
            self.generation = max(self.generation, entry.generation)
            if entry.granted is not None:
                asks[entry.granted.lease] = entry.granted
                self._live[entry.granted.lease] = line if line.endswith(b"\n") else line + b"\n"
            else:
                asks.pop(entry.ended, None)
                self._live.pop(entry.ended, None)
        self.restored = list(asks.values())
        is_torn = bool(unreadable) and not unreadable[-1].endswith(b"\n")
        if len(unreadable) > is_torn:
            log.warning(
                "%s: %d lines of the catalog are not understood, it is set aside as %s: %s",
                self._path,
                len(unreadable),
                set_aside(self._path).name,
                quoted(unreadable[0]),
            )

    def _rewrite(self) -> None:
        """Leave the living only; the highest generation stays known."""
        beside = self._path.with_name(self._path.name + ".new")
        floor = self._encode(Entry(generation=self.generation)) + b"\n"
        beside.unlink(missing_ok=True)
        file = os.open(beside, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(file, "wb", closefd=False) as whole:
                whole.write(floor + b"".join(self._live.values()))
            os.replace(beside, self._path)
        except OSError:
            os.close(file)
            beside.unlink(missing_ok=True)
            raise
        os.close(self._file)
        self._file = file
        self._lines = len(self._live) + 1
