"""Completion for fish (3 or later)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pilothouse.cli.shells.words import Command

_HEAD = Path(__file__).with_name("pilothouse.fish").read_text(encoding="utf-8")


def script(commands: Sequence[Command]) -> str:
    """The whole script."""
    everything = " ".join(_key(each) for each in commands if each.path)
    valued = " ".join(sorted({flag for each in commands for flag in each.valued}))
    helps = {each.path: each.help for each in commands}
    lines = [_HEAD.replace("@ALL@", everything).replace("@VALUED@", valued)]
    for each in commands:
        key = _key(each)
        for word in each.words:
            described = helps.get(f"{each.path} {word}".strip(), "")
            told = f" -d {_quoted(described)}" if described else ""
            lines.append(f"complete -c pilothouse -n \"__pilothouse_first '{key}'\" -f -a {word}{told}")
        for flag in each.flags:
            if flag.startswith("--"):
                wants = " -r" if flag in each.valued else ""
                lines.append(f"complete -c pilothouse -n \"__pilothouse_is '{key}'\" -l {flag[2:]}{wants}")
        if each.sentence_at >= 0:
            at = each.sentence_at
            lines.append(
                f"complete -c pilothouse -n \"__pilothouse_says '{key}' {at}\" -f "
                f"-a '(__pilothouse_sentence {at})'"
            )
    return "\n".join(lines) + "\n"


def _key(command: Command) -> str:
    return command.path.replace(" ", "_")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
