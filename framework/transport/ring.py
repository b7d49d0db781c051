"""A latest-wins stream in shared memory: one writer, any number of readers, one machine.

The file is the interface: a header, then `slots` slots that are written in turn.
Each slot is a seqlock: its word is odd while it is written; a reader copies and then
looks whether the word is still what it was, so it never hands out a torn sample.
Nobody waits for anybody; a slow reader misses samples, it never delays the writer.

What a payload means is not known here (the handle says it), nor who may open the
stream (the directory's mode says it), nor where the directory is (`run_directory.py`).
The order of stores that the seqlock needs is given by x86-64, the platform of this project.
"""

from __future__ import annotations

import mmap
import os
import re
import secrets
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, cast

import msgspec

from framework.errors import StreamError
from framework.transport.shared_memory import create_file, no_room, publish_file

if TYPE_CHECKING:
    import numpy as np
    from _typeshed import ReadableBuffer, WriteableBuffer

    # Arrays are buffers at run time; numpy's stubs say so from Python 3.12 on only.
    Readable = ReadableBuffer | np.ndarray[Any, Any]
    Writable = WriteableBuffer | np.ndarray[Any, Any]

MAGIC: Final = b"PHRING\r\n"
LAYOUT_VERSION: Final = 1
META_BYTES: Final = 4032
"""Room for a sample's `meta` [bytes]."""

_PAGE: Final = 4096
_HEADER: Final = struct.Struct(
    "<8sIIQI"
)  # magic, version, slots, slot_bytes, writer's pid; one page is reserved
_LATEST, _CLOSED = 8, 9  # words (8 bytes each) of the header: away from the fixed part's cache line
_LOCK, _PAYLOAD_BYTES, _META_LENGTH, _STAMP = 0, 1, 2, 3  # words of a slot's head
_META_AT: Final = 64  # in the slot's head, which takes one page; the payload begins on the next one
_MOST_SLOTS: Final = 1024
_MOST_SLOT_BYTES: Final = 1 << 32
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_TRIES: Final = 100


class Sample(msgspec.Struct, frozen=True, gc=False):
    """One sample as it was written; a copy, so it stays what it is.

    `sequence` counts from 1 in each ring; `stamp_s` is CLOCK_MONOTONIC [s], the same for every
    process of a machine. `payload` is flat (format "B"): `numpy.frombuffer` takes it as it is.
    """

    sequence: int
    stamp_s: float
    meta: bytes
    payload: memoryview


class RingWriter:
    """The only writer of a stream, from one thread at a time.

    Parameters
        directory: where the file `<name>.ring` is made; it decides who may read.
        slot_bytes: largest payload [bytes].
        slots: how many samples back a reader may still be copying, two at least.
        replace: take the place of a ring of this name that a former writer left.

    Raises
        SharedMemoryFull: no room, no such directory, or not writable;
        StreamError: a bad name or size, or the name is taken.
    """

    def __init__(
        self, directory: Path, name: str, *, slot_bytes: int, slots: int = 4, replace: bool = False
    ) -> None:
        if not _NAME.fullmatch(name):
            raise StreamError(
                f"{name!r} cannot name a stream: letters, digits, '_', '-' and '.' only, at most 100, "
                "and no '-' or '.' in front."
            )
        if not 2 <= slots <= _MOST_SLOTS or not 1 <= slot_bytes <= _MOST_SLOT_BYTES:
            raise StreamError(
                f"Stream {name!r} was asked for with slots={slots}, slot_bytes={slot_bytes}; allowed are "
                f"2 to {_MOST_SLOTS} slots of 1 to {_MOST_SLOT_BYTES} bytes."
            )
        self.path = directory / f"{name}.ring"
        self.slot_bytes = slot_bytes
        self.slots = slots
        self.sequence = 0
        self._stride = _stride(slot_bytes)
        size = _PAGE + slots * self._stride
        unpublished = directory / f".{name}.{secrets.token_hex(4)}.new"
        purpose = f"stream {name!r} ({slots} × {slot_bytes} bytes)"
        descriptor = create_file(unpublished, size, purpose)
        try:
            # Populated now: the first frames are not to pay for page faults.
            self._map = mmap.mmap(descriptor, size, mmap.MAP_SHARED | mmap.MAP_POPULATE)
        except OSError as error:
            unpublished.unlink(missing_ok=True)
            raise no_room(directory, size, purpose, error) from error
        finally:
            os.close(descriptor)
        _HEADER.pack_into(self._map, 0, MAGIC, LAYOUT_VERSION, slots, slot_bytes, os.getpid())
        self._inode = publish_file(unpublished, self.path, replace=replace)
        self._bytes = memoryview(self._map)
        self._words = self._bytes.cast("Q")  # a whole word is stored at once; struct.pack_into("<Q") is not
        self._reals = self._bytes.cast("d")
        self._open = True

    def write(self, payload: Readable, *, stamp_s: float, meta: bytes = b"") -> int:
        """Publish a copy of a C-contiguous buffer (bytes, memoryview, numpy array); returns its sequence.

        Raises StreamError if it is larger than a slot, not contiguous, or the ring is closed.
        """
        source = _flat(payload, self.path)
        at = self._begin(source.nbytes, stamp_s, meta)
        if source.nbytes:
            self._bytes[at + _PAGE : at + _PAGE + source.nbytes] = source
        self._publish(at)
        return self.sequence

    @contextmanager
    def slot(self, size: int, *, stamp_s: float, meta: bytes = b"") -> Iterator[memoryview]:
        """Lend `size` bytes of shared memory to fill in place; published when the body ends.

        A body that raises publishes nothing. Do not use the view, or an array made
        from it, after the body: readers have it then.
        """
        at = self._begin(size, stamp_s, meta)
        yield self._bytes[at + _PAGE : at + _PAGE + size]
        self._publish(at)

    def close(self, *, remove: bool = True) -> None:
        """Tell the readers that this was the end, and remove the file; idempotent."""
        if not self._open:
            return
        self._open = False
        self._words[_CLOSED] = 1
        if remove and _inode(self.path) == self._inode:  # not a successor's
            self.path.unlink(missing_ok=True)
        _unmap(self._map, self._words, self._reals, self._bytes)
        del self._map, self._words, self._reals, self._bytes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, size: int, stamp_s: float, meta: bytes) -> int:
        """Take the next slot from its readers and describe what comes; where it begins [bytes]."""
        self._check(size, meta)
        sequence = self.sequence + 1
        at = _PAGE + (sequence % self.slots) * self._stride
        words, word = self._words, at // 8
        words[word + _LOCK] = 2 * sequence + 1
        words[word + _PAYLOAD_BYTES] = size
        words[word + _META_LENGTH] = len(meta)
        self._reals[word + _STAMP] = stamp_s
        self._bytes[at + _META_AT : at + _META_AT + len(meta)] = meta
        return at

    def _publish(self, at: int) -> None:
        words, sequence = self._words, self.sequence + 1
        words[at // 8 + _LOCK] = 2 * sequence + 2
        words[_LATEST] = self.sequence = sequence

    def _check(self, size: int, meta: bytes) -> None:
        if not self._open:
            raise StreamError(
                f"{named(self.path)} is closed; make a new RingWriter to write again.", path=self.path
            )
        if not 0 <= size <= self.slot_bytes or len(meta) > META_BYTES:
            raise StreamError(
                f"{size} bytes with {len(meta)} bytes of meta do not fit into {named(self.path)}: a slot "
                f"takes {self.slot_bytes} and {META_BYTES}. Make the ring with larger slot_bytes.",
                path=self.path,
            )


class RingReader:
    """One of the readers of a stream; it never writes, and survives its writer.

    Raises StreamError if the file is absent, foreign, truncated or of another layout version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._map, self._inode = _map_existing(path)
        self.slots, self.slot_bytes, self.writer_pid = _read_header(self._map, path)
        self._bytes = memoryview(self._map)
        self._words = self._bytes.cast("Q")
        self._reals = self._bytes.cast("d")
        self._open = True

    def latest(self, after: int = 0, *, into: Writable | None = None) -> Sample | None:
        """The newest sample, or None if its sequence is not above `after`.

        With `into`, a writable contiguous buffer of at least the payload's size, the payload is
        copied there and the sample's view points into it: no allocation for each frame.
        """
        for _ in range(_TRIES):
            sequence = self._latest_sequence()
            if sequence <= after:
                return None
            sample = self._copy(sequence, into)
            if sample is not None:
                return sample
        raise StreamError(
            f"The writer of {named(self.path)} overtook the reader {_TRIES} times in a row: "
            f"{self.slots} slots are too few for its pace. Make the ring with more slots.",
            path=self.path,
        )

    def since(self, after: int) -> list[Sample]:
        """The samples with a sequence above `after` that are still there, oldest first.

        For streams of which every sample counts, such as sound. The oldest slot is left out: it is the one
        that is written next. What is missing shows in the sequences.
        """
        newest = self._latest_sequence()
        oldest = max(after + 1, newest - self.slots + 2, 1)
        found = (self._copy(sequence, None) for sequence in range(oldest, newest + 1))
        return [sample for sample in found if sample is not None]

    @property
    def sequence(self) -> int:
        """Number of the latest sample, 0 before the first; the sample itself is not read."""
        return self._latest_sequence()

    def age_s(self, now_s: float) -> float:
        """Seconds since the newest sample's stamp; infinite before the first one."""
        for _ in range(_TRIES):
            sequence = self._latest_sequence()
            if sequence == 0:
                return float("inf")
            word = self._slot_at(sequence) // 8
            stamp_s = self._reals[word + _STAMP]
            if self._words[word + _LOCK] == 2 * sequence + 2:
                return now_s - stamp_s
        raise StreamError(
            f"The writer of {named(self.path)} overtook the reader {_TRIES} times in a row.", path=self.path
        )

    @property
    def closed(self) -> bool:
        """Whether the writer ended orderly; after a crash this stays False and the age grows."""
        self._check_open()
        return self._words[_CLOSED] != 0

    def replaced(self) -> bool:
        """Whether another ring has taken this one's place: `reopen`, or make a new reader."""
        inode = _inode(self.path)
        return inode is not None and inode != self._inode

    def reopen(self) -> None:
        """Go over to the ring that has this path now; its sequence begins anew, so ask `latest(0)` first."""
        fresh = RingReader(self.path)
        self.close()
        self.__dict__.update(fresh.__dict__)

    def close(self) -> None:
        """Let go of the memory; idempotent."""
        if self._open:
            self._open = False
            _unmap(self._map, self._words, self._reals, self._bytes)
            del self._map, self._words, self._reals, self._bytes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _latest_sequence(self) -> int:
        self._check_open()
        return self._words[_LATEST]

    def _check_open(self) -> None:
        if not self._open:
            text = f"The reader of {named(self.path)} is closed; make a new RingReader to read again."
            raise StreamError(text, path=self.path)

    def _slot_at(self, sequence: int) -> int:
        return _PAGE + (sequence % self.slots) * _stride(self.slot_bytes)

    def _copy(self, sequence: int, into: Writable | None) -> Sample | None:
        """The sample, or None if the writer has taken the slot again meanwhile."""
        at = self._slot_at(sequence)
        words, word, unchanged = self._words, at // 8, 2 * sequence + 2
        if words[word + _LOCK] != unchanged:
            return None
        size, meta_bytes = words[word + _PAYLOAD_BYTES], words[word + _META_LENGTH]
        stamp_s = self._reals[word + _STAMP]
        if words[word + _LOCK] != unchanged:
            return None
        if size > self.slot_bytes or meta_bytes > META_BYTES:
            raise StreamError(
                f"Sample {sequence} of {named(self.path)} claims {size} + {meta_bytes} bytes where "
                f"{self.slot_bytes} + {META_BYTES} are possible: the stream is corrupt. Restart its writer.",
                path=self.path,
            )
        meta = bytes(self._bytes[at + _META_AT : at + _META_AT + meta_bytes])
        shared = self._bytes[at + _PAGE : at + _PAGE + size]
        payload = memoryview(bytes(shared)) if into is None else _copy_into(shared, into, self.path)
        if words[word + _LOCK] != unchanged:
            return None
        return Sample(sequence, stamp_s, meta, payload)


def _stride(slot_bytes: int) -> int:
    """Bytes from one slot to the next: a page for its head, and whole pages for the payload."""
    return _PAGE + (slot_bytes + _PAGE - 1) // _PAGE * _PAGE


def _flat(payload: Readable, path: Path) -> memoryview:
    view = memoryview(cast("ReadableBuffer", payload))
    if view.nbytes == 0:
        return memoryview(b"")
    try:
        return view.cast("B")
    except (TypeError, ValueError) as error:
        raise StreamError(
            f"A buffer of shape {view.shape}, strides {view.strides} and format {view.format!r} cannot go "
            f"into {named(path)} as it lies: give C-contiguous plain numbers (numpy.ascontiguousarray).",
            path=path,
        ) from error


def _copy_into(shared: memoryview, into: Writable, path: Path) -> memoryview:
    target = memoryview(cast("WriteableBuffer", into))
    if target.readonly or not target.c_contiguous or target.nbytes < shared.nbytes:
        raise StreamError(
            f"The sample of {named(path)} has {shared.nbytes} bytes; `into` must be writable, contiguous and "
            f"as large, but has {target.nbytes}.",
            path=path,
        )
    if shared.nbytes == 0:
        return memoryview(b"")
    filled = target.cast("B")[: shared.nbytes]
    filled[:] = shared
    return filled


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _map_existing(path: Path) -> tuple[mmap.mmap, tuple[int, int]]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        text = f"{named(path)} cannot be opened ({error.strerror}): is its writer running?"
        raise StreamError(text, path=path) from error
    try:
        status = os.fstat(descriptor)
        if status.st_size < _PAGE:
            raise StreamError(
                f"{named(path)} is none: it has {status.st_size} bytes, and a header alone has {_PAGE}.",
                path=path,
            )
        flags = mmap.MAP_SHARED | mmap.MAP_POPULATE
        return mmap.mmap(descriptor, status.st_size, flags, mmap.PROT_READ), (status.st_dev, status.st_ino)
    except OSError as error:
        raise StreamError(f"{named(path)} cannot be mapped ({error.strerror}).", path=path) from error
    finally:
        os.close(descriptor)


def named(path: Path) -> str:
    """A stream by its name, as people know it."""
    return f"the stream {path.stem!r}"


def _read_header(mapped: mmap.mmap, path: Path) -> tuple[int, int, int]:
    """(slots, slot_bytes, writer's pid), or StreamError after the map has been closed."""
    magic, version, slots, slot_bytes, pid = _HEADER.unpack_from(mapped)
    wrong = ""
    if magic != MAGIC:
        wrong = f"is no stream of ours: it begins with {magic!r}, not {MAGIC!r}"
    elif version != LAYOUT_VERSION:
        wrong = (
            f"has layout version {version}; this is version {LAYOUT_VERSION}. "
            "Reader and writer come from different releases: restart both"
        )
    elif not 2 <= slots <= _MOST_SLOTS or not 1 <= slot_bytes <= _MOST_SLOT_BYTES:
        wrong = f"has a corrupt header: {slots} slots of {slot_bytes} bytes"
    elif len(mapped) != (size := _PAGE + slots * _stride(slot_bytes)):
        wrong = f"has {len(mapped)} bytes where its header promises {size}: it is truncated, or foreign"
    if wrong:
        mapped.close()
        raise StreamError(f"{named(path)} {wrong}.", path=path)
    return slots, slot_bytes, pid


def _unmap(mapped: mmap.mmap, *views: memoryview[Any]) -> None:
    try:
        for view in views:
            view.release()
        mapped.close()
    except BufferError:
        return  # an array made from a lent slot is still alive: the memory goes with it
