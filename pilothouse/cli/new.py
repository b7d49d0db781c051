"""`pilothouse new action NAME` and `new driver NAME`: class, data and test, ready to run."""

from __future__ import annotations

import argparse
from pathlib import Path

from framework.errors import DescriptionError, PluginUnavailable
from framework.plugins import new_action, new_driver


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("kind", choices=("action", "driver"))
    parser.add_argument("name", help="small letters, digits and _; a verb suits an action: wave")
    parser.add_argument("--folder", type=Path, default=None, help="where (default: ./actions or ./drivers)")


def run(arguments: argparse.Namespace) -> int:
    """Write it, say what to do next."""
    folder = arguments.folder or Path(f"{arguments.kind}s")
    write = new_action if arguments.kind == "action" else new_driver
    try:
        files = write(arguments.name, folder)
    except PluginUnavailable as error:
        raise DescriptionError(error.reason) from error
    for file in files:
        print(f"wrote {file}")
    if arguments.kind == "action":
        print(f"Run it:  pilothouse run --actions {folder}   then   pilothouse say {arguments.name}")
    print(f"Test it: python -m pytest {folder / arguments.name}")
    return 0
