"""`pilothouse operators`: which devices are there or may come back; have one need a new code."""

from __future__ import annotations

import argparse
import json
from typing import Any

from framework.state import StateFolder
from pilothouse.cli.api import Api
from pilothouse.cli.operator import add_who, who
from pilothouse.running import find

NOBODY = "Nobody is paired. To let a phone in: pilothouse run --phones, then press Phone on the console."
_COME_BACK = "away; may come back without a code for an hour after it left"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "--revoke",
        default="",
        metavar="NAME",
        help="send this device away; it needs a new code, also if it is away now",
    )
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    add_who(parser)


def run(arguments: argparse.Namespace) -> int:
    """List them, or revoke one."""
    api = Api(find(StateFolder(arguments.state)))
    if arguments.revoke:
        print(api.post("/api/operators/end", {"session": arguments.revoke, "who": who(arguments)}))
        return 0
    found = api.get("/api/operators")
    print(json.dumps(found) if arguments.json else in_words(found))
    return 0


def in_words(found: dict[str, Any]) -> str:
    """One device a line."""
    lines = [(line["name"], _state(line)) for line in found["sessions"]]
    lines += [(line["name"], _COME_BACK) for line in found["away"]]
    width = max((len(name) for name, _ in lines), default=0)
    return "\n".join(f"{name:{width}}  {state}" for name, state in lines) or NOBODY


def _state(line: dict[str, Any]) -> str:
    state = "drives" if line["driving"] else "watches" if line["alive"] else "silent"
    return f"{state}; {line['words']}" if line["words"] else state
