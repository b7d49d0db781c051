"""`pilothouse restore RESOURCE`: a device that was made to fail is plugged in again."""

from __future__ import annotations

import argparse

from pilothouse.cli.api import Api


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("resource", help="the device's name")


def run(arguments: argparse.Namespace) -> int:
    """Have it done, say what was done."""
    print(Api.of_state(arguments.state).post("/api/restore", {"resource": arguments.resource}))
    return 0
