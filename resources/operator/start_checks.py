"""What cannot be meant when phones are to be served; asked before anything is started, and when it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from framework.errors import InstallationError
from resources.operator.arguments import DEFAULT_PORT, IceServer
from resources.web.addresses import ANY, LAN
from resources.web.listening import listen

LISTENER = "the operator's page"
PORT_OPTION = "--phone-port"


def check_open_page(folder: Path) -> None:
    """Raises InstallationError unless the open phone page lies in this folder."""
    what_to_give = "give the folder of the Python package teleop (pip install teleop)"
    try:
        if not folder.is_dir():
            raise InstallationError(f"there is no folder {folder} with the open phone page; {what_to_give}")
        if not (folder / "index.html").is_file():
            raise InstallationError(
                f"{folder} is not the folder of the open phone page: it has no index.html; {what_to_give}"
            )
    except OSError as error:
        raise InstallationError(
            f"the open phone page in {folder} cannot be read ({error.strerror or error}); {what_to_give}"
        ) from error


def check_relay(servers: Sequence[IceServer], *, relay_only: bool) -> None:
    """Raises InstallationError if pages are to be reached through TURN servers only and there is none."""
    if relay_only and not any(url.startswith("turn") for server in servers for url in server.urls):
        raise InstallationError(
            "--relay-only reaches phones through TURN servers only, and none is given: name one with --ice "
            "FILE (its address begins with turn: or turns:), or leave --relay-only out"
        )


async def check_host(host: str) -> None:
    """Raises InstallationError unless this machine has the address. The network's own may come later."""
    if host in (LAN, *ANY):
        return
    (await listen(host.strip("[]"), 0, what=LISTENER, option=PORT_OPTION, default=DEFAULT_PORT)).close()
