"""`pilothouse complete TEXT`: what could follow a text that has been begun.

Asks the running installation; without one, the language of the actions that are found here, which then
knows no things by name. 0 if anything could follow or the text is whole, 1 if not.
"""

from __future__ import annotations

import argparse
import json
import sys

import msgspec

from framework.errors import InstallationError, PilothouseError, PlanError
from framework.plan.parser import Completions
from framework.state import StateFolder
from pilothouse.cli.api import PATIENCE_S, Api
from pilothouse.running import look
from resources.web.page_messages import MAX_BEGUN_CHARS

#: Nobody waits for longer at a shell's prompt [s].
SHELL_PATIENCE_S = 1.5

#: How many words of a text are looked at to find what could have followed, and how many options are named.
MOST_WORDS, MOST_NAMED = 30, 12

#: What a shell would take for something else than itself.
_SPECIAL = frozenset("'\"\\$&;|<>()*?[]{}!#~`")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("text", nargs="*", help="what has been typed so far; none: how could I begin?")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.add_argument(
        "--shell", action="store_true", help="for shells: print what the last of the words could become"
    )
    parser.add_argument("--quoted", action="store_true", help="with --shell: that word is inside of quotes")
    parser.add_argument("--actions", action="append", default=[], metavar="FOLDER", help="more actions")


def run(arguments: argparse.Namespace) -> int:
    """Ask, print."""
    text = " ".join(arguments.text)
    if arguments.shell:
        return _for_shell(arguments, text)
    if len(text) > MAX_BEGUN_CHARS:
        most = f"{len(text)} characters; {MAX_BEGUN_CHARS} are the most"
        print(f"That is too long to be completed: {most}.", file=sys.stderr)
        return 1
    try:
        found = _completions(arguments, text, PATIENCE_S)
    except PlanError as refusal:
        print(refusal, file=sys.stderr)
        return 1
    if arguments.json:
        print(json.dumps(msgspec.to_builtins(found)))
    else:
        for option in found.options:
            print(option)
        if found.is_whole:
            print("(it is an instruction as it stands)", file=sys.stderr)
        elif not found.options:
            print(_what_could(arguments, text), file=sys.stderr)
    return 0 if found.options or found.is_whole else 1


def _what_could(arguments: argparse.Namespace, text: str) -> str:
    """Why nothing follows: how far it could have been continued, and with what."""
    words = text.split()[:MOST_WORDS]
    while words:
        words.pop()
        begun = " ".join(words)
        options = _completions(arguments, f"{begun} " if begun else "", PATIENCE_S, quiet=True).options
        if options:
            could = ", ".join(options[:MOST_NAMED]) + (" …" if len(options) > MOST_NAMED else "")
            where = f'after "{begun}" could come' if begun else "an instruction could begin with"
            return f'nothing could follow "{text.strip()}"; {where}: {could}'
    return f'nothing could follow "{text.strip()}"'


def _for_shell(arguments: argparse.Namespace, text: str) -> int:
    """One possible last word a line. Words on the error channel would be in the way: none."""
    try:
        found = _completions(arguments, text, SHELL_PATIENCE_S, quiet=True)
    except PilothouseError:
        return 1
    before = " ".join(arguments.text[:-1])
    start = len(before) + 1 if before else 0
    lines = [completed(text, option, found.begun)[start:] for option in found.options]
    for line in lines:
        print(line if arguments.quoted else _escaped(line))
    return 0 if lines else 1


def completed(text: str, option: str, begun: int) -> str:
    """The text with one option put at its end."""
    kept = text[: len(text) - begun]
    space = "" if not kept or kept[-1].isspace() or option[:1] in tuple(",.;:?!") else " "
    return f"{kept}{space}{option}"


def _escaped(words: str) -> str:
    return "".join(f"\\{letter}" if letter in _SPECIAL else letter for letter in words)


def _completions(
    arguments: argparse.Namespace, text: str, patience_s: float, *, quiet: bool = False
) -> Completions:
    installation = look(StateFolder(arguments.state))
    if installation is not None:
        api = Api(installation, refusals=PlanError, patience_s=patience_s)
        try:
            return msgspec.convert(api.ask("/api/complete", {"text": text}), Completions)
        except msgspec.ValidationError as error:
            raise InstallationError(f"the installation is of another release: {error}") from error
    from pilothouse.cli.language import default_language

    if not quiet:
        print("(no installation is running: things are not known by name)", file=sys.stderr)
    here = default_language(arguments.actions)
    return here.language.complete(text, here.world)
