"""`pilothouse fail RESOURCE`: make a device or a resource fail, really. `restore` ends it."""

from __future__ import annotations

import argparse

from pilothouse.cli.api import Api


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "resource", help="a device's name, or registrar/request as `pilothouse status` prints it"
    )
    parser.add_argument(
        "--how",
        choices=("die", "hang", "garbage", "reflex"),
        default="die",
        help="its process is killed (default), hangs, or sends garbage; reflex: an arm protects itself",
    )


def run(arguments: argparse.Namespace) -> int:
    """Have it done, say what was done."""
    api = Api.of_state(arguments.state)
    print(api.post("/api/fail", {"resource": arguments.resource, "how": arguments.how}))
    return 0
