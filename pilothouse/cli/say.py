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

#: The kind of the last line: whether the instruction came to something.
SETTLED = "settled"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("text", nargs="+", help='what you want, for example: "show the environment"')
    parser.add_argument("--json", action="store_true", help="print one event a line as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Say it, follow it."""
    api = Api(find(StateFolder(arguments.state)))
    settled = ""
    for event in api.lines("/api/say", {"text": " ".join(arguments.text)}):
        if event["kind"] == SETTLED:
            settled = event["text"]
            continue
        print(json.dumps(event) if arguments.json else in_words(event), flush=True)
    if not settled:
        print("The installation ended before the instruction did.", file=sys.stderr)
    return 0 if settled == "done" else 1


def in_words(event: dict[str, Any]) -> str:
    """One event as a line for people."""
    return f"{event.get('t_s', 0.0):8.2f} s  {event['kind']:<10}  {event['text']}"
