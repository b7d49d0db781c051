"""Completion scripts for bash (4 or later), zsh and fish (3 or later)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pilothouse.cli.shells.words import Command

_BASH = Path(__file__).with_name("pilothouse.bash").read_text(encoding="utf-8")


def bash(commands: Sequence[Command]) -> str:
    """Completion for bash (4 or later)."""
    cases = "\n".join(
        f'        "{each.key}") flags="{" ".join(each.flags)}" valued="{" ".join(each.valued)}" '
        f'words="{" ".join(each.words)}" sentence={each.sentence_at} ;;'
        for each in commands
    )
    everything = " ".join(each.key for each in commands if each.path)
    return _BASH.replace("@ALL@", everything).replace("@CASES@", cases)


_ZSH = Path(__file__).with_name("pilothouse.zsh").read_text(encoding="utf-8")


def zsh(commands: Sequence[Command]) -> str:
    """Completion for zsh."""
    helps = {each.path: each.help for each in commands}
    cases = []
    for each in commands:
        below = [(word, helps.get(f"{each.path} {word}".strip(), "")) for word in each.words]
        described = " ".join(_zsh_quoted(f"{word}:{words}") for word, words in below if words)
        cases.append(
            f'        "{each.key}") flags=({" ".join(each.flags)}) valued=({" ".join(each.valued)}) '
            f"choices=({' '.join(each.words)}) described=({described}) sentence={each.sentence_at} ;;"
        )
    everything = " ".join(each.key for each in commands if each.path)
    return _ZSH.replace("@ALL@", everything).replace("@CASES@", "\n".join(cases))


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


_FISH = Path(__file__).with_name("pilothouse.fish").read_text(encoding="utf-8")


def fish(commands: Sequence[Command]) -> str:
    """Completion for fish (3 or later)."""
    everything = " ".join(each.key for each in commands if each.path)
    valued = " ".join(sorted({flag for each in commands for flag in each.valued}))
    helps = {each.path: each.help for each in commands}
    lines = [_FISH.replace("@ALL@", everything).replace("@VALUED@", valued)]
    for each in commands:
        key = each.key
        for word in each.words:
            described = helps.get(f"{each.path} {word}".strip(), "")
            told = f" -d {_fish_quoted(described)}" if described else ""
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


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
