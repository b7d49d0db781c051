"""Who is at the command line: each terminal is an operator of its own, and is the one who is asked back."""

from __future__ import annotations

import argparse
import os
import sys

#: Whoever is at no terminal: scripts, pipes.
NOBODY_IN_PARTICULAR = "command line"


def add_who(parser: argparse.ArgumentParser) -> None:
    """The option that says who asks."""
    parser.add_argument(
        "--who",
        default="",
        metavar="NAME",
        help="who asks, and is asked back (default: this terminal)",
    )


def who(arguments: argparse.Namespace) -> str:
    """What the installation calls us: "command line (pts/3)" at a terminal."""
    if arguments.who:
        return str(arguments.who)[:100]
    try:
        terminal = os.ttyname(sys.stdin.fileno())
    except (OSError, ValueError, AttributeError):
        return NOBODY_IN_PARTICULAR
    return f"{NOBODY_IN_PARTICULAR} ({terminal.removeprefix('/dev/')})"
