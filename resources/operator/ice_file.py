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
_WHAT_TO_DO = (
    f"it must hold a YAML list of STUN and TURN servers, like {_EXAMPLE}; "
    "give such a file, or leave --ice out: in one network no server is needed"
)


def ice_servers(path: Path) -> tuple[IceServer, ...]:
    """The servers of a file. Raises DescriptionError in words."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DescriptionError(f"--ice {path}: there is no such file; {_WHAT_TO_DO}") from None
    except OSError as error:
        why = error.strerror or error
        raise DescriptionError(f"--ice {path}: cannot be read ({why}); {_WHAT_TO_DO}") from None
    try:
        found = msgspec.convert(yaml.safe_load(content), tuple[IceServer, ...])
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        why = " ".join(str(error).split())
        raise DescriptionError(
            f"--ice {path} is no list of STUN and TURN servers ({why}); it looks like {_EXAMPLE}"
        ) from None
    for server in found:
        for url in server.urls:
            if _ADDRESS.fullmatch(url) is None:
                raise DescriptionError(
                    f"{path}: {url!r} is no STUN or TURN server; such look like stun:host:3478, "
                    "turn:host:3478 or turns:host:5349?transport=tcp"
                )
    return found
