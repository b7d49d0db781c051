"""`pilothouse stop`: the emergency stop. It sets the latch itself, so it works with the installation hung."""

from __future__ import annotations

import argparse
from pathlib import Path

from framework.errors import InstallationError
from framework.processes.emergency import EmergencyStop
from framework.state import StateFolder
from pilothouse.cli.api import Api
from pilothouse.running import find


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--reason", default="stopped from the command line", help="what to write in the log")


def run(arguments: argparse.Namespace) -> int:
    """Latch first, talk afterwards."""
    installation = find(StateFolder(arguments.state))
    latch = EmergencyStop.attach(Path(installation.run_directory))
    latch.latch(arguments.reason)
    print("Emergency stop: everything that moves stands still until `pilothouse reset`.", flush=True)
    try:
        Api(installation).post("/api/stop", {"who": "command line"})
    except InstallationError as error:
        print(f"(The stop is in force; the supervisor has not answered: {error})")
    latch.close()
    return 0
