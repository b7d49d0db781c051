"""`pilothouse retry RESOURCE`: what waits for its next attempt, or for a human, tries again at once."""

from __future__ import annotations

import argparse

from pilothouse.cli.api import Api


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("resource", help="a device's name, or a resource as `pilothouse status` prints it")


def run(arguments: argparse.Namespace) -> int:
    """Have it done, say what was done."""
    print(Api.of_state(arguments.state).post("/api/retry", {"resource": arguments.resource}))
    return 0
