"""`pilothouse say TEXT`: an instruction for the running installation; prints what happens.

Ends when the instruction has ended, or stands (a continuous action that is
established goes on without us). 0 if it succeeded or stands, 1 if it was
refused, failed or was cancelled. What is asked back can be answered at the prompt.
"""

from __future__ import annotations

import argparse

from framework.state import StateFolder
from pilothouse.cli.api import Api
from pilothouse.cli.following import Following, add_following
from pilothouse.cli.operator import who
from pilothouse.cli.running import find


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("text", nargs="+", help='what you want, for example: "show the environment"')
    add_following(parser)


def run(arguments: argparse.Namespace) -> int:
    """Say it, follow it."""
    asker = who(arguments)
    following = Following(Api(find(StateFolder(arguments.state))), asker, arguments)
    return following.follow("/api/say", {"text": " ".join(arguments.text), "who": asker})
