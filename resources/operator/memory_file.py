"""Who may come back, and where to: the page of a phone outlives the process that served it.

Kept in the run directory, which is one user's (mode 700), in memory, and gone with the installation. Of
secrets there are digests only.
"""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from framework.state import quoted, set_aside, write_whole
from framework.unreadable import UNREADABLE
from resources.operator.sessions import Memory

log = logging.getLogger("pilothouse.operator")

FILE_NAME: Final = "operator_sessions"
PORT_FILE_NAME: Final = "operator_port"


def read_memory(directory: Path) -> Memory | None:
    """What the process before this one kept; None if there was none, or it is not understood."""
    file = directory / FILE_NAME
    try:
        content = file.read_bytes()
    except OSError:
        return None
    try:
        return msgspec.json.decode(content, type=Memory)
    except UNREADABLE as error:
        # Everybody pairs anew, which is what a first start is like, too.
        with suppress(OSError):
            aside = set_aside(file)
            log.warning("%s is set aside as %s (%s): %s", file, aside.name, error, quoted(content))
        return None


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
    """For the next one, which takes any other if this cannot be kept."""
    try:
        write_whole(directory / PORT_FILE_NAME, str(port).encode())
    except OSError as error:
        log.warning("pages will not find this port after a restart: %s", error)
