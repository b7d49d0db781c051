"""Completion for bash (4 or later)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pilothouse.cli.shells.words import Command

_SCRIPT = Path(__file__).with_name("pilothouse.bash").read_text(encoding="utf-8")


def script(commands: Sequence[Command]) -> str:
    """The whole script."""
    cases = "\n".join(
        f'        "{_key(each)}") flags="{" ".join(each.flags)}" valued="{" ".join(each.valued)}" '
        f'words="{" ".join(each.words)}" sentence={each.sentence_at} ;;'
        for each in commands
    )
    everything = " ".join(_key(each) for each in commands if each.path)
    return _SCRIPT.replace("@ALL@", everything).replace("@CASES@", cases)


def _key(command: Command) -> str:
    return command.path.replace(" ", "_")
