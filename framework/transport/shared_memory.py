"""Making a file in shared memory so that a lack of room is an error in words.

A sparse file in a full /dev/shm kills its writer with SIGBUS at the first store;
so every byte is reserved before anybody maps it. No layout is known here.
"""

from __future__ import annotations

import os
from pathlib import Path

from framework.errors import SharedMemoryFull, StreamError


def create_file(path: Path, size: int, purpose: str) -> int:
    """Make a private file (mode 600) of `size` bytes, all of them reserved; returns its descriptor.

    Raises SharedMemoryFull; then no file is left.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise no_room(path.parent, size, purpose, error) from error
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        os.close(descriptor)
        path.unlink(missing_ok=True)
        raise no_room(path.parent, size, purpose, error) from error
    return descriptor


def publish_file(unpublished: Path, path: Path, *, replace: bool) -> tuple[int, int]:
    """Give a finished file its name, at once, so that nobody opens a half-made one; returns (device, inode).

    Raises StreamError if the name is taken and `replace` is not asked for; then the file is removed.
    """
    status = unpublished.stat()
    if replace:
        unpublished.replace(path)
    else:
        try:
            path.hardlink_to(unpublished)
        except FileExistsError as error:
            raise StreamError(
                f"{path.name!r} exists already: another writer has it, or one died without removing it. "
                "Choose another name, or remove the dead one's streams (RunDirectory.remove_streams_of).",
                path=path,
            ) from error
        finally:
            unpublished.unlink()
    return status.st_dev, status.st_ino


def no_room(directory: Path, size: int, purpose: str, error: OSError) -> SharedMemoryFull:
    """Say how much was asked for, how much is free, and what to do."""
    try:
        system = os.statvfs(directory)
    except OSError:
        return SharedMemoryFull(
            f"No shared memory for {purpose}: {directory} does not exist or cannot be entered "
            f"({error.strerror}). Pilothouse needs a tmpfs there; in a container, mount one on /dev/shm."
        )
    free, whole = system.f_bavail * system.f_frsize, system.f_blocks * system.f_frsize
    return SharedMemoryFull(
        f"No shared memory for {purpose}: {size / 1e6:.1f} MB were asked for in {directory}, where "
        f"{free / 1e6:.1f} of {whole / 1e6:.1f} MB are free ({error.strerror}). Make it larger "
        "(mount -o remount,size=2G /dev/shm; in a container --shm-size=2g), check that it can be written to, "
        "or ask for smaller or fewer streams."
    )
