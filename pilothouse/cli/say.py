"""`pilothouse say TEXT`: an instruction for the running installation; prints what happens.

Ends when the instruction has ended, or stands (a continuous action that is
established goes on without us). 0 if it succeeded or stands, 1 if it was
refused, failed or was cancelled. What is asked back can be answered at the prompt.
"""

from __future__ import annotations

import argparse
import sys

from framework.supervisor.understanding import too_long
from pilothouse.cli.api import Api
from pilothouse.cli.following import Following, add_following
from pilothouse.cli.operator import who
from resources.web.page_messages import MAX_TEXT_CHARS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("text", nargs="+", help='what you want, for example: "show the environment"')
    add_following(parser)


def run(arguments: argparse.Namespace) -> int:
    """Say it, follow it."""
    asker, text = who(arguments), " ".join(arguments.text)
    if len(text) > MAX_TEXT_CHARS:  # the installation would not even look at it
        words = too_long(text)
        print(words[0].upper() + words[1:], file=sys.stderr)
        return 1
    following = Following(Api.of_state(arguments.state), asker, arguments)
    return following.follow("/api/say", {"text": text, "who": asker})
