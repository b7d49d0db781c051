"""The command line as data, read off the argument parsers: what shell completion scripts are made of."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import msgspec


class Command(msgspec.Struct, frozen=True):
    """One command, or the part of one, as "plan run".

    flags: all options; valued: those that take a value. words: what its first positional may be.
    sentence_at: from this positional on (0 is the first) an instruction is typed; -1: nowhere.
    """

    path: str
    help: str
    flags: tuple[str, ...] = ()
    valued: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    sentence_at: int = -1

    @property
    def key(self) -> str:
        """Its path as a name in a script."""
        return self.path.replace(" ", "_")


#: Where instructions are typed.
SENTENCES = {"say": 0, "complete": 0, "plan insert": 1, "plan replace": 2}


def commands(parser: argparse.ArgumentParser, path: str = "", words: str = "") -> Iterator[Command]:
    """The command and everything below it."""
    flags: list[str] = []
    valued: list[str] = []
    first: tuple[str, ...] = ()
    below: list[tuple[str, str, argparse.ArgumentParser]] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            below = [(name, helps.get(name, ""), made) for name, made in action.choices.items()]
            first = tuple(action.choices)
        elif action.option_strings:
            flags += action.option_strings
            if action.nargs != 0:
                valued += action.option_strings
        elif action.choices is not None and not first:
            first = tuple(map(str, action.choices))
    yield Command(path, words, tuple(flags), tuple(valued), first, SENTENCES.get(path, -1))
    for name, help_, made in below:
        yield from commands(made, f"{path} {name}".strip(), help_)
