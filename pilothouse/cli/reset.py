"""`pilothouse reset`: lift the emergency stop, after a person has said yes. Nothing moves by that."""

from __future__ import annotations

import argparse
import sys

from pilothouse.cli.api import Api

QUESTION = "Is everybody clear of the robot? Type yes to lift the emergency stop: "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--yes", action="store_true", help="confirm without being asked")


def run(arguments: argparse.Namespace) -> int:
    """Ask, then reset."""
    api = Api.of_state(arguments.state)
    if not arguments.yes:
        if not sys.stdin.isatty():
            print("A reset must be confirmed: run it in a terminal, or with --yes.", file=sys.stderr)
            return 2
        if input(QUESTION).strip().lower() not in ("yes", "y"):
            print("Not reset; the emergency stop stays.")
            return 1
    print(api.post("/api/reset", {"confirmed": True, "who": "command line"}))
    return 0
