"""`pilothouse completion SHELL`: prints the script that completes commands and sentences in a shell."""

from __future__ import annotations

import argparse

from pilothouse.cli.shells.scripts import bash, fish, zsh
from pilothouse.cli.shells.words import commands

SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.epilog = (
        'bash: put  eval "$(pilothouse completion bash)"  into ~/.bashrc; the script says how elsewhere'
    )
    parser.add_argument("shell", choices=tuple(SHELLS))


def run(arguments: argparse.Namespace) -> int:
    """Print it."""
    from pilothouse.cli.main import build_parser

    print(SHELLS[arguments.shell](tuple(commands(build_parser()))), end="")
    return 0
