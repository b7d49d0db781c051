"""`pilothouse actions`: what can be said here, and which plugins are unavailable, and why."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pilothouse.catalogue import action_catalogue

#: How many ways to say each are shown: `pilothouse grammar samples` has all.
MOST_EXAMPLES = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "--actions", type=Path, action="append", default=[], metavar="FOLDER", help="more actions"
    )


def run(arguments: argparse.Namespace) -> int:
    """List them; 1 if one is unavailable."""
    catalogue = action_catalogue(tuple(arguments.actions))
    console = Console(highlight=False)
    table = Table("action", "what it does", "for example", "from")
    for spec in catalogue.available:
        examples = (spec.phrases.samples or spec.phrases.say)[:MOST_EXAMPLES]
        table.add_row(spec.name, spec.doc, Text("\n".join(examples)), Text(spec.source, style="dim"))
    console.print(table)
    for spec in catalogue.unavailable:
        console.print(Text(f"{spec.name} is unavailable: {spec.unavailable} ({spec.source})", style="yellow"))
    return 1 if catalogue.unavailable else 0
