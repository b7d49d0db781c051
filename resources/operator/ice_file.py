"""STUN and TURN servers from a YAML file, read strictly."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import yaml

from framework.errors import DescriptionError
from resources.operator.arguments import IceServer

_ADDRESS = re.compile(r"(stuns?|turns?):[^?:/@\s]+(:[0-9]{1,5})?(\?transport=(udp|tcp))?")
"""As in RFC 7064 and 7065, without IPv6 literals, which aiortc does not read."""

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
            if _ADDRESS.fullmatch(url) is None:
                raise DescriptionError(
                    f"{path}: {url!r} is no STUN or TURN server; such look like stun:host:3478, "
                    "turn:host:3478 or turns:host:5349?transport=tcp"
                )
    return found
