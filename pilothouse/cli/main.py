"""The entry point of the `pilothouse` command: reads the arguments and hands over."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pilothouse import __version__


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="pilothouse",
        description="A supervisory, resource-managed telerobotics framework.",
    )
    parser.add_argument("--version", action="version", version=f"pilothouse {__version__}")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: what was typed) and return the exit code."""
    parser = build_parser()
    parser.parse_args(argv)
    parser.print_help()
    return 0
