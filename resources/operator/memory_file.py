"""Who may come back, and where to: the page of a phone outlives the process that served it.

Kept in the run directory, which is one user's (mode 700), in memory, and gone with the installation. Of
secrets there are digests only.
"""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Final

import msgspec

from framework.state import write_whole
from resources.operator.sessions import Memory

FILE_NAME: Final = "operator_sessions"
PORT_FILE_NAME: Final = "operator_port"


def read_memory(directory: Path) -> Memory | None:
    """What the process before this one kept; None if there was none, or it is not to be understood."""
    try:
        return msgspec.json.decode((directory / FILE_NAME).read_bytes(), type=Memory)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None  # everybody pairs anew, which is what a first start is like, too


def write_memory(directory: Path, memory: Memory) -> None:
    """Keep it: whole or not at all. Raises OSError."""
    write_whole(directory / FILE_NAME, msgspec.json.encode(memory))


def port_again(directory: Path, host: str) -> int:
    """The port that the process before this one listened at, if it is free now; else 0, for any."""
    try:
        port = int((directory / PORT_FILE_NAME).read_text())
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind((host, port))
    except (OSError, ValueError, OverflowError):
        return 0
    return port


def keep_port(directory: Path, port: int) -> None:
    """For the next one. Raises OSError."""
    (directory / PORT_FILE_NAME).write_text(str(port))
