"""`pilothouse grammar …`: products of the language: samples, words, a speech grammar, and what lint finds.

Of the running installation's language, with the names that it knows just now; without one, of the language
of the actions found here, with names that are typical of our robots.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from itertools import chain, islice
from pathlib import Path

import msgspec

from framework.errors import DescriptionError
from pilothouse.cli.language import Here, language_here
from pilothouse.cli.seed_number import seed_number

#: Kinds of samples.
KINDS = ("both", "single", "compound")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.set_defaults(do=None, parser=parser)
    products = parser.add_subparsers(title="what to print", metavar="WHAT")

    def product(name: str, do: Callable[[argparse.Namespace], int], words: str) -> argparse.ArgumentParser:
        made = products.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
        made.add_argument("--state", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        made.add_argument(
            "--actions", type=Path, action="append", default=[], metavar="FOLDER", help="more actions"
        )
        made.set_defaults(do=do)
        return made

    made = product("samples", _samples, "sentences that are understood, with what they mean")
    made.add_argument("--count", type=int, default=100, metavar="N", help="how many at most (100)")
    made.add_argument("--seed", type=seed_number, default=0, metavar="N", help="where randomness begins (0)")
    made.add_argument("--kind", choices=KINDS, default="both", help="of one action, of several, or both")
    made.add_argument(
        "--json", action="store_true", help="one a line as JSON: text, plan, and where the slots stand in it"
    )
    product("jsgf", _jsgf, "a grammar for speech recognisers (JSGF): what can be done now")
    product("words", _words, "every word that can be said")
    made = product("lint", _lint, "all that is wrong with phrases, with file and line")
    made.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="only of the actions in there")


def run(arguments: argparse.Namespace) -> int:
    """Print it; `lint` gives 1 if it found anything."""
    if arguments.do is None:
        arguments.parser.print_help()
        return 2
    return int(arguments.do(arguments))


def _samples(arguments: argparse.Namespace) -> int:
    from grammars.wording.compounds import compound_samples
    from grammars.wording.samples import single_samples

    here = _here(arguments)
    count, seed = max(0, arguments.count), arguments.seed
    singles = (count + 1) // 2 if arguments.kind == "both" else count
    single = single_samples(here.language, here.world, singles, seed)
    compound = compound_samples(here.language, here.world, count - singles or count, seed)
    made = {"single": single, "compound": compound, "both": chain(single, compound)}[arguments.kind]
    for sample in islice(made, count):
        print(json.dumps(msgspec.to_builtins(sample)) if arguments.json else sample.text)
    return 0


def _jsgf(arguments: argparse.Namespace) -> int:
    from grammars.tools.jsgf import jsgf

    here = _here(arguments)
    print(jsgf(here.language, here.world), end="")
    return 0


def _words(arguments: argparse.Namespace) -> int:
    from grammars.tools.jsgf import vocabulary

    here = _here(arguments)
    for word in vocabulary(here.language, here.world):
        print(word)
    return 0


def _lint(arguments: argparse.Namespace) -> int:
    for folder in arguments.folders:
        if not folder.is_dir():
            raise DescriptionError(f"{folder} is no folder; give that of an action or of several")
    from grammars.tools.lint import mistakes

    here = _here(argparse.Namespace(state=arguments.state, actions=[*arguments.actions, *arguments.folders]))
    found = mistakes(
        here.catalogue, here.language, here.world, providers=here.providers, below=arguments.folders
    )
    for problem in found:
        print(problem)
    if not found:
        print(
            f"Nothing is wrong with the phrases of {len(here.catalogue.available)} actions.", file=sys.stderr
        )
    return 1 if found else 0


def _here(arguments: argparse.Namespace) -> Here:
    here = language_here(arguments.state, arguments.actions)
    if not here.is_running:
        print("(no installation is running: the names are typical ones)", file=sys.stderr)
    return here
