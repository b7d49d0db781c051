"""STUN and TURN servers from a YAML file, read strictly."""

from __future__ import annotations

from pathlib import Path

import msgspec
import yaml

from framework.errors import DescriptionError
from resources.operator.arguments import IceServer

_SCHEMES = ("stun:", "stuns:", "turn:", "turns:")
_EXAMPLE = "- {urls: ['turn:192.168.0.5:3478?transport=udp'], username: me, credential: secret}"


def ice_servers(path: Path) -> tuple[IceServer, ...]:
    """The servers of a file. Raises DescriptionError in words."""
    try:
        found = msgspec.convert(yaml.safe_load(path.read_text()), tuple[IceServer, ...])
    except (OSError, UnicodeDecodeError, yaml.YAMLError, msgspec.ValidationError) as error:
        raise DescriptionError(
            f"{path} is no list of STUN and TURN servers ({error}); it looks like {_EXAMPLE}"
        ) from None
    for server in found:
        for url in server.urls:
            if not url.startswith(_SCHEMES):
                raise DescriptionError(
                    f"{path}: {url!r} is no STUN or TURN server; such begin with {', '.join(_SCHEMES)}"
                )
    return found
