"""`pilothouse world …`: what a person would do in the simulated world by hand: open a door, lead an arm."""

from __future__ import annotations

import argparse
import sys

from framework.errors import PlanError
from pilothouse.cli.api import Api
from pilothouse.cli.operator import add_who, who


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "state_wanted",
        nargs="?",
        default="list",
        metavar="list|open|close|lead|STATE",
        help="list what can be changed, bring a thing into a state, or lead an arm by its tool",
    )
    parser.add_argument("thing", nargs="*", help="which thing: door; or which arm, where to: arm up 10 cm")
    add_who(parser)


def run(arguments: argparse.Namespace) -> int:
    """List them, or have it done and say so."""
    api = Api.of_state(arguments.state, refusals=PlanError)
    try:
        if arguments.state_wanted == "list":
            _list(api)
            return 0
        if not arguments.thing:
            example = "lead arm up 10 cm" if arguments.state_wanted == "lead" else "open door"
            raise PlanError(f"{arguments.state_wanted} what? For example: pilothouse world {example}")
        body: dict[str, object] = {
            "thing": " ".join(arguments.thing),
            "state": arguments.state_wanted,
            "who": who(arguments),
        }
        print(api.post("/api/world", body))
    except PlanError as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


def _list(api: Api) -> None:
    things = api.get("/api/world")
    if not things:
        print("No thing in this world can be changed by hand.")
    for thing in things:
        print(f"{thing['name']}: {thing['state'] or 'not known'} (can be {', '.join(thing['states'])})")
    print("A simulated arm that is guided can be led by hand: pilothouse world lead arm up 10 cm")
