"""Who may come back, kept in the run directory: the page of a phone outlives the process that served it.

The directory is one user's (mode 700), in memory, and gone with the installation. Of secrets there are
digests only.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from resources.operator.sessions import Memory

FILE_NAME: Final = "operator_sessions"


def read_memory(directory: Path) -> Memory | None:
    """What the process before this one kept; None if there was none, or it is not to be understood."""
    try:
        return msgspec.json.decode((directory / FILE_NAME).read_bytes(), type=Memory)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None  # everybody pairs anew, which is what a first start is like, too


def write_memory(directory: Path, memory: Memory) -> None:
    """Keep it: whole or not at all. Raises OSError."""
    handle, beside = tempfile.mkstemp(dir=directory, prefix=f".{FILE_NAME}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(msgspec.json.encode(memory))
        os.replace(beside, directory / FILE_NAME)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
