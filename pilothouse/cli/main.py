"""The entry point of the `pilothouse` command: reads the arguments and hands over.

Exit codes: 0 it was done, 1 it was refused or failed, 2 the command line or the
machine is not as it should be (in words on standard error), 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from framework.errors import PilothouseError
from framework.state import default_state_folder
from pilothouse import __version__

#: Commands by name: the module with `add_arguments(parser)` and `run(arguments) -> int`, and what it does.
COMMANDS = {
    "run": ("run", "start the robot, the supervisor and the console"),
    "say": ("say", "give an instruction to the running installation and tell what happens"),
    "listen": ("listen", "carry out what is said to a microphone of the robot, or in a file of sound"),
    "complete": ("complete", "say what could follow a text that has been begun"),
    "plan": ("plan", "run and save plans as files; show, pause, change and stop running ones"),
    "stop": ("stop", "emergency stop; works with the installation hung"),
    "reset": ("reset", "lift the emergency stop, after a question; moves nothing"),
    "status": ("status", "actions, resources, leases, dependencies, health"),
    "operators": ("operators", "phones and headsets that are there or may come back; revoke one"),
    "fail": ("fail", "make a device or a resource fail"),
    "restore": ("restore", "plug a device in again"),
    "retry": ("retry", "have what waits for its next attempt try at once"),
    "world": ("world", "change the simulated world by hand: open a door"),
    "scenario": ("scenario", "run failure-injection scenarios and report"),
    "campaign": ("campaign", "strike a story with random faults, and report what did not hold"),
    "fci-sim": ("fci_sim", "run a simulated Franka control box that pylibfranka connects to"),
    "experiment": ("experiment", "reproduce a figure or table, beside the paper's numbers"),
    "new": ("new", "write the beginnings of an action or a driver"),
    "actions": ("actions", "list the actions, and why some are unavailable"),
    "grammar": ("grammar", "products of the language: samples, words, a speech grammar, lint"),
    "completion": ("completion", "print the script that completes all this in bash, zsh or fish"),
    "doctor": ("doctor", "say what works on this machine and how to get the rest"),
}


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of the whole command line; with `only`, just that command's arguments are loaded."""
    parser = argparse.ArgumentParser(
        prog="pilothouse",
        description="A supervisory, resource-managed telerobotics framework. Start with: pilothouse run",
    )
    parser.add_argument("--version", action="version", version=f"pilothouse {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for name, (module, words) in COMMANDS.items():
        command = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
        command.add_argument(
            "--state",
            type=Path,
            default=default_state_folder(),
            metavar="FOLDER",
            help="where the installation keeps its state (default: the user's state directory)",
        )
        if only in (None, name):
            import_module(f"pilothouse.cli.{module}").add_arguments(command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: what was typed) and return the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    named = next((word for word in words if word in COMMANDS), "")
    parser = build_parser(named)
    arguments = parser.parse_args(words)
    if arguments.command is None:
        parser.print_help()
        return 0
    module = import_module(f"pilothouse.cli.{COMMANDS[arguments.command][0]}")
    try:
        return int(module.run(arguments))
    except PilothouseError as error:
        print(f"pilothouse {arguments.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; there is nobody left to tell.
        sys.stderr.close()
        return 1
