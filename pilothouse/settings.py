"""What an installation is started with."""

from __future__ import annotations

from pathlib import Path

import msgspec

from resources.console.server import DEFAULT_PORT
from resources.operator.arguments import DEFAULT_PORT as OPERATOR_PORT
from resources.operator.arguments import IceServer


class Settings(msgspec.Struct, frozen=True):
    """What an installation is started with.

    robot: a robot description; "" is the world's own. action_folders, driver_folders: the user's plugins.
    grammars: grammar packs besides those of the robot: names of ours, or folders.
    port: of the console; 0 takes any free one.
    phones: where phones and headsets are served: an address, or "lan" for this machine's own on the network;
        "" is this machine only, and not before somebody wants it. phone_port: 0 takes any free one.
    ice, relay_only: STUN and TURN servers, and whether to use nothing but TURN.
    open_page: folder of the open SpesRobotics phone page, served to paired phones at /spes/; None for none.
    proposer, proposer_model: an OpenAI-compatible server on this machine that proposes plans for what the
        language refuses, and one of its models; "" for nobody.
    """

    state: Path
    world: str = "inspection"
    robot: str = ""
    seed: int = 0
    action_folders: tuple[Path, ...] = ()
    driver_folders: tuple[Path, ...] = ()
    grammars: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    phones: str = ""
    phone_port: int = OPERATOR_PORT
    ice: tuple[IceServer, ...] = ()
    relay_only: bool = False
    open_page: Path | None = None
    proposer: str = ""
    proposer_model: str = ""
