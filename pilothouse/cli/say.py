"""`pilothouse say TEXT`: an instruction for the running installation; prints what happens.

Ends when the instruction has ended, or stands (a continuous action that is
established goes on without us). 0 if it succeeded or stands, 1 if it was
refused, failed or was cancelled.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from framework.state import StateFolder
from pilothouse.cli.api import Api
from pilothouse.cli.running import find

#: Kinds of event after which an instruction has come to nothing.
CAME_TO_NOTHING = frozenset({"refused", "failed", "cancelled", "error"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("text", nargs="+", help='what you want, for example: "show the environment"')
    parser.add_argument("--json", action="store_true", help="print one event a line as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Say it, follow it."""
    api = Api(find(StateFolder(arguments.state)))
    last: dict[str, Any] = {"kind": "error", "text": "the installation said nothing"}
    for event in api.lines("/api/say", {"text": " ".join(arguments.text)}):
        last = event
        print(json.dumps(event) if arguments.json else in_words(event), flush=True)
    if last["kind"] in CAME_TO_NOTHING:
        return 1
    sys.stdout.flush()
    return 0


def in_words(event: dict[str, Any]) -> str:
    """One event as a line for people."""
    return f"{event.get('t_s', 0.0):8.2f} s  {event['kind']:<10}  {event['text']}"
