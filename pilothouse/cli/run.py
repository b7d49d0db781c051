"""`pilothouse run`: starts the robot, the supervisor and the console, and stays until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from framework.errors import InstallationError
from framework.events import Event, EventKind
from framework.garbage import keep_what_is_there
from framework.state import StateFolder
from framework.supervisor.thinking import SWITCH_S
from pilothouse import running
from pilothouse.cli.seed_number import seed_number
from pilothouse.leaving import CUT_OFF, Leaving
from resources.robots.worlds import worlds

if TYPE_CHECKING:  # loading it takes as long as all the rest: only when something is to run
    from pilothouse.installation import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "--world",
        default="inspection",
        metavar="NAME",
        help=f"what to simulate: {', '.join(worlds())} (default: inspection)",
    )
    parser.add_argument("--robot", default="", metavar="FILE", help="a robot description of your own (YAML)")
    parser.add_argument("--seed", type=seed_number, default=0, help="of the simulated world")
    parser.add_argument(
        "--actions", type=Path, action="append", default=[], metavar="FOLDER", help="more actions"
    )
    parser.add_argument(
        "--drivers", type=Path, action="append", default=[], metavar="FOLDER", help="more drivers"
    )
    parser.add_argument(
        "--grammar",
        action="append",
        default=[],
        metavar="FOLDER",
        help="the words of a grammar pack, too: a folder (pilothouse new grammar), or one of ours by name",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="where the console listens (default: this machine only; elsewhere it is served over https, too; "
        "lan: this machine's address on its network)",
    )
    parser.add_argument("--port", type=int, default=None, help="of the console; 0 takes any free one")
    parser.add_argument(
        "--phones",
        nargs="?",
        const="lan",
        default="",
        metavar="ADDRESS",
        help="let phones and headsets of the local network in, over https (default: at this machine's own "
        "address; without this option only browsers of this machine can drive)",
    )
    parser.add_argument(
        "--phone-port", type=int, default=None, help="where those are served; 0: any free one"
    )
    parser.add_argument(
        "--ice",
        type=Path,
        default=None,
        metavar="FILE",
        help="STUN and TURN servers as YAML: a list of {urls: [...], username: ..., credential: ...}",
    )
    parser.add_argument("--relay-only", action="store_true", help="reach phones through TURN servers only")
    parser.add_argument(
        "--open-page",
        type=Path,
        default=None,
        metavar="FOLDER",
        help="let phones drive by the open SpesRobotics page, too: where its index.html lies (in the Python "
        "package teleop); phones that have paired find it at /spes/",
    )
    parser.add_argument(
        "--proposer",
        default="",
        metavar="URL",
        help="an OpenAI-compatible server on this machine that may propose a plan for what the grammar "
        "refuses (always confirmed), like http://127.0.0.1:8080/v1; its key in PILOTHOUSE_PROPOSER_KEY",
    )
    parser.add_argument(
        "--proposer-model", default="default", metavar="NAME", help="the model that the proposer is to use"
    )
    parser.add_argument("--verbose", action="store_true", help="log what child processes print")


def run(arguments: argparse.Namespace) -> int:
    """Start, announce, wait for a signal, stop."""
    logging.basicConfig(
        level=logging.INFO if arguments.verbose else logging.WARNING,
        format="%(asctime)s %(name)s %(levelname)s %(message)s",
    )
    from pilothouse.installation import Settings
    from resources.console.server import DEFAULT_PORT
    from resources.operator.arguments import DEFAULT_PORT as OPERATOR_PORT
    from resources.operator.ice_file import ice_servers
    from resources.operator.start_checks import PORT_OPTION, check_host, check_open_page, check_relay
    from resources.web.listening import check_port

    settings = Settings(
        state=arguments.state,
        world=arguments.world,
        robot=arguments.robot,
        seed=arguments.seed,
        action_folders=tuple(arguments.actions),
        driver_folders=tuple(arguments.drivers),
        grammars=tuple(arguments.grammar),
        host=arguments.host,
        port=DEFAULT_PORT if arguments.port is None else arguments.port,
        phones=arguments.phones,
        phone_port=OPERATOR_PORT if arguments.phone_port is None else arguments.phone_port,
        ice=ice_servers(arguments.ice) if arguments.ice is not None else (),
        relay_only=arguments.relay_only,
        open_page=arguments.open_page,
        proposer=arguments.proposer,
        proposer_model=arguments.proposer_model,
    )
    for what, folders in (("action", settings.action_folders), ("driver", settings.driver_folders)):
        _check_folders(what, folders)
    check_port(settings.port, option="--port")
    check_port(settings.phone_port, option=PORT_OPTION)
    check_relay(settings.ice, relay_only=settings.relay_only)
    if settings.open_page is not None:
        check_open_page(settings.open_page)
    if settings.phones:
        asyncio.run(check_host(settings.phones))
    state = StateFolder(settings.state)
    with running.only_one(state), Leaving() as leaving:
        return asyncio.run(_run(settings, state, leaving))


def _check_folders(what: str, folders: Sequence[Path]) -> None:
    """Raises InstallationError for one that is not there: its plugins would be missed without a word."""
    for folder in folders:
        if not folder.is_dir():
            raise InstallationError(
                f"--{what}s {folder}: there is no such folder; "
                f"pilothouse new {what} NAME --folder {folder} makes it, with a first one"
            )


async def _run(settings: Settings, state: StateFolder, leaving: Leaving) -> int:
    """Until it is cancelled, which is what a signal does."""
    from pilothouse.installation import Installation

    console = Console(highlight=False)
    installation = Installation(settings)
    leaving.watches(installation)
    with console.status(f"starting the {settings.world} world and the console …"):
        try:
            await installation.__aenter__()
        except asyncio.CancelledError:
            leaving.lingers()  # what was begun in a thread
            raise
    keep_what_is_there()
    # Understanding computes in a thread: the loop is to wait a millisecond for it, not five.
    sys.setswitchinterval(SWITCH_S)
    server = installation.server
    record = running.this_process(
        server.address, server.token, installation.directory, settings.world, server.certificate
    )
    # Something that this robot can do: one that sees nothing would refuse to show anything.
    example = "show the environment" if installation.robot.sensors else "what can you do?"
    phones = "Phone or headset: press  [bold]Phone[/bold]  on that page.\n" if settings.phones else ""
    certificate = (
        f"Your browser does not know its certificate; compare (SHA-256): {server.fingerprint}\n"
        if server.fingerprint
        else ""
    )
    try:
        running.announce(state, record)
        console.print(
            Panel.fit(
                f"Open  [bold]{server.url}[/bold]\n"
                f'and type  [bold]{example}[/bold]  (or: pilothouse say "{example}")\n'
                f"{phones}{certificate}"
                "Ctrl-C ends it.  pilothouse stop  is the emergency stop.",
                title="Pilothouse is running",
            ),
            soft_wrap=True,
        )
        installation.events.listen(lambda event: _tell_error(console, event), since=0)
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
    finally:
        leaving.begins()
        running.withdraw(state, record)
        await installation.__aexit__(None, None, None)
        leaving.lingers()
    for left in installation.left_behind:
        words = Text(f"{left} did not end in time, and was left behind", style="yellow")
        console.print(words, soft_wrap=True)
    return CUT_OFF if installation.left_behind else 0


def _tell_error(console: Console, event: Event) -> None:
    """A plugin that is broken, a phrase that is wrong: whoever started this wants to know."""
    if event.kind is EventKind.ERROR:
        console.print(Text(event.text, style="yellow"))
