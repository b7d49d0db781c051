"""`pilothouse new action NAME`, `new driver NAME`, `new grammar NAME`: class, data and test, ready to run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from framework.errors import DescriptionError, PluginUnavailable
from framework.plugins import new_action, new_driver, new_grammar

_WRITE: Final[Mapping[str, Callable[[str, Path], tuple[Path, ...]]]] = {
    "action": new_action,
    "driver": new_driver,
    "grammar": new_grammar,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("kind", choices=tuple(_WRITE))
    parser.add_argument("name", help="small letters, digits and _; a verb suits an action: wave")
    parser.add_argument(
        "--folder", type=Path, default=None, help="where (default: ./actions, ./drivers or ./grammars)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write it, say what to do next."""
    folder = arguments.folder or Path(f"{arguments.kind}s")
    write = _WRITE[arguments.kind]
    try:
        files = write(arguments.name, folder)
    except PluginUnavailable as error:
        raise DescriptionError(error.reason) from error
    for file in files:
        print(f"wrote {file}")
    if arguments.kind == "action":
        print(f"Run it:  pilothouse run --actions {folder}   then   pilothouse say {arguments.name}")
    if arguments.kind == "grammar":
        print(f"Run it:  pilothouse run --grammar {folder / arguments.name}")
    print(f"Test it: python -m pytest {folder / arguments.name}")
    return 0
