"""STUN and TURN servers from a YAML file, read strictly."""

from __future__ import annotations

from pathlib import Path

from framework.errors import DescriptionError
from framework.yaml_reader import read, text_of
from resources.operator.arguments import IceServer

_EXAMPLE = "- {urls: ['turn:192.168.0.5:3478?transport=udp'], username: me, credential: secret}"


def ice_servers(path: Path) -> tuple[IceServer, ...]:
    """The servers of a file. Raises DescriptionError in words."""
    try:
        content = text_of(path, "--ice: this list of STUN and TURN servers")
        found: tuple[IceServer, ...] = read(
            content, tuple[IceServer, ...], file=str(path), what="the list of STUN and TURN servers"
        )
    except DescriptionError as error:
        raise DescriptionError(
            f"{error}; such a list looks like {_EXAMPLE}; without --ice no server is used, "
            "and in one network none is needed"
        ) from None
    return found
