"""Completion for zsh."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pilothouse.cli.shells.words import Command

_SCRIPT = Path(__file__).with_name("pilothouse.zsh").read_text(encoding="utf-8")


def script(commands: Sequence[Command]) -> str:
    """The whole script."""
    helps = {each.path: each.help for each in commands}
    cases = []
    for each in commands:
        below = [(word, helps.get(f"{each.path} {word}".strip(), "")) for word in each.words]
        described = " ".join(_quoted(f"{word}:{words}") for word, words in below if words)
        cases.append(
            f'        "{_key(each)}") flags=({" ".join(each.flags)}) valued=({" ".join(each.valued)}) '
            f"choices=({' '.join(each.words)}) described=({described}) sentence={each.sentence_at} ;;"
        )
    everything = " ".join(_key(each) for each in commands if each.path)
    return _SCRIPT.replace("@ALL@", everything).replace("@CASES@", "\n".join(cases))


def _key(command: Command) -> str:
    return command.path.replace(" ", "_")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
