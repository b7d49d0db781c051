"""The grammar reference of docs/language.md, made from the code and from the language core.

`python -m grammars.tools.reference` prints it; with a file, it replaces what stands between the two comments
there; `--check` only says whether that is still so.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from framework.dialogue.meta import ALWAYS, MetaKind
from framework.plugins import template as syntax
from framework.plugins.parameters import UNITS as ENDINGS
from framework.plugins.template import Template
from grammars.core import Core, Marker
from grammars.core_file import english
from grammars.domain import TYPES
from grammars.reading.tokens import ARTICLES
from grammars.units import COUNT, UNITS

BEGIN = "<!-- grammar reference: begin (made by python -m grammars.tools.reference, do not edit) -->"
END = "<!-- grammar reference: end -->"
_MOST_SHOWN = 12

_SYNTAX = (
    (
        "`word`",
        "has to be said; articles (" + ", ".join(sorted(ARTICLES)) + ") never count, wherever they stand",
    ),
    ("`[x]`", "may be left out"),
    ("`(x\\|y)`", "one of several; `[x\\|y]` is one of several or nothing"),
    ("`{slot}`", "a parameter of the action; what may be said is in the list of that name, else any words"),
    ("`{list:slot}`", "a parameter, said as that list has it"),
    ("`{slot:=value}`", "says nothing; whoever comes along here has said the value"),
    ("`<rule>`", "a rule of the file, or of the language core"),
    (
        "`{provider: x, by_name: true}`",
        "a list of what is known as x; not “it” and “that”, as it is about somebody and not about a thing",
    ),
    (
        "`who_are: y`",
        "beside `by_name`: what all of them are; who names somebody else is told that “nobody called z is y”",
    ),
)
_MEANS = {
    Marker.CALLING: "before somebody's name",
    Marker.COMMANDING: "before a clause as one commands it",
    Marker.STARTING: "before an activity (“start” showing the camera)",
    Marker.DONE: "before something that is done (“you have” shown the camera)",
    Marker.DOING: "before a clause after “after” and “before”",
    Marker.CLOSING: "after a clause",
    Marker.THEN: "A then B: one after the other",
    Marker.AFTERWARDS: "first of all: after what is being done",
    Marker.ORDER: "once more behind a join, or first in a sentence: “thirdly, only after that,” B",
    Marker.FIRST: "before the first of several",
    Marker.AND: "A and B: at once if A is continuous and they do not need the same thing, else A then B",
    Marker.AND_DOING: "A as well as doing B: as “and”",
    Marker.WHILE_DOING: "A while doing B: beside each other, ended by the finite one",
    Marker.MEANWHILE: "A, meanwhile B: the same",
    Marker.WHILE_THAT: "A while the arm goes home: the same",
    Marker.AT_ONCE: "A, B, at the same time; or in front of them",
    Marker.IN_ORDER: "A and B, one after the other; or in front of them",
    Marker.UNTIL: "A until C",
    Marker.LIMIT: "behind “until C”, before an amount: no further, or no longer, than that",
    Marker.LIMIT_BEHIND: "the same behind it",
    Marker.AS_LONG_AS: "A as long as C",
    Marker.FOR_TIME: "A for a time",
    Marker.EVERY: "A every so often, again and again",
    Marker.AGAIN: "A again and again",
    Marker.TIMES: "A so many times",
    Marker.BETWEEN: "… with a pause in between",
    Marker.ALL_TIMES: "the steps before, so many times in all",
    Marker.BACK: "the last motion the other way, as far",
    Marker.SAME_AMOUNT: "as much as the last one of its kind",
    Marker.FURTHER: "before an amount: the last motion that had such an amount, by so much more",
    Marker.FURTHER_BEHIND: "the same behind it",
    Marker.ONCE_MORE: "what was done before with that verb: say it “again”",
    Marker.KEEPING: "before an activity that is to be done again and again",
    Marker.DELAY_BEFORE: "in a time, A",
    Marker.DELAY_AFTER: "A in a time",
    Marker.STAYING: "behind something: it is not to be moved",
    Marker.KEPT: "before such a thing and those words",
    Marker.NOT_MOVING: "before something: the same",
    Marker.IF: "if C then A",
    Marker.CONDITION_THEN: "between a condition and what follows",
    Marker.OTHERWISE: "if C then A otherwise B",
    Marker.IF_SO: "unless C, A; if so, B",
    Marker.NOTHING: "instead of an instruction: nothing is to be done",
    Marker.WAITING: "the same until C",
    Marker.UNLESS: "unless C, A",
    Marker.WHEN: "when C, A: wait for it, then A",
    Marker.BEFORE: "before B, A",
    Marker.AFTER: "after A, B",
    Marker.ONCE: "once you have done A, B",
    Marker.BUT_FIRST: "A, but first B",
    Marker.CLOSING_SPEECH: "after words that somebody is to say",
    Marker.PASSING: "between the parts of a clause in an unusual order; says nothing",
    Marker.SUPPOSING: "before what would be, if it were done: “if you” turned left",
    Marker.NO_JOIN: "what only begins like a join",
    Marker.CONDITION_AND: "between conditions that all have to hold",
    Marker.CONDITION_OR: "between conditions of which one has to hold",
    Marker.CANCEL: "an end to something that is being done",
    Marker.CANCEL_BARE: "an end to all else, where nothing is named",
    Marker.CANCEL_OF: "between the activity and its thing: the tracking of the hand",
    Marker.CONDITION_OPENING: "before a condition, without changing it",
    Marker.CONDITION_DENYING: "before a condition, denying it",
    Marker.CONDITION_CLOSING: "after a condition",
    Marker.EVERYTHING: "what is ended: everything else",
    Marker.WAIT_UNTIL: "wait until C",
    Marker.SAID: "condition: somebody says something",
    Marker.ELAPSED: "condition: a time has passed",
    Marker.RUNNING: "condition: something is being done",
    Marker.NOT_RUNNING: "condition: something is no longer being done",
    Marker.SLOW: "manner: as slowly as the action says",
    Marker.GENTLE: "manner: gently, else slowly",
    Marker.FAST: "manner: fast",
    Marker.FIRM: "manner: firmly",
    Marker.HALF: "manner: half of what is usual",
    Marker.FULL: "manner: the most that the action says",
    Marker.RATE: "manner: a speed or a force",
    Marker.SHARE: "manner: a share of what is usual",
}


def reference(core: Core | None = None) -> str:
    """The reference as Markdown, without the comments around it."""
    core = english() if core is None else core
    parts = [
        "### Syntax of phrases",
        _table(("written", "means"), _SYNTAX),
        "### Numbers and units",
        "Numbers in digits and in words (`twenty-five`, `a hundred and two`, `one point five`, `½`, `1,5`, "
        "`two and a half`); ordinals are no numbers. A quantity is a number with a unit, or several of one "
        "kind (`two minutes and thirty seconds`, `1 m 20`). Everything becomes SI.",
        _table(("in plans", "said"), _units()),
        "A parameter's unit is the one it states, or the ending of its name: "
        + ", ".join(f"`_{ending}` {unit}" for ending, unit in ENDINGS.items())
        + ". A bare number is in that unit.",
        "### Types of a domain file",
        _table(("type", "Python"), ((f"`{name}`", f"`{kind.__name__}`") for name, kind in TYPES.items())),
        f"### Words of the language core ({core.language or 'unnamed'})",
        _table(("kind", "meaning", "said"), _markers(core)),
        f"Stand for a thing: {_listed(core.references)}.",
        f"Stand for what is pointed at: {_listed(core.pointing)}.",
        f"Stand for both values of a list that has two, at once: {_listed(core.both)}.",
        f"Stand for the one of two that was not named last: {_listed(core.other)}.",
        "### Rules of the core that phrases may use",
        _table(
            ("rule", "stands for"), ((f"`<{name}>`", _code(_text(rule))) for name, rule in core.rules.items())
        ),
        "### Commands to the supervisor itself",
        "They are looked for first, in the whole utterance; no phrase of an action may be one of them, but "
        "for those that mean “done”: they count only for one who keeps something until they say so.",
        _table(("command", "said"), _commands(core)),
    ]
    return "\n\n".join(parts) + "\n"


def replaced(document: str, core: Core | None = None) -> str:
    """A document with the reference between its two comments. Raises ValueError if they are not there."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document needs two lines, {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{reference(core)}\n{END}{after}"


def _units() -> Iterator[tuple[str, str]]:
    by_dimension: dict[str, list[str]] = {}
    for words, unit in UNITS.items():
        by_dimension.setdefault(unit.dimension, []).append(" ".join(words))
    for dimension, names in by_dimension.items():
        shown = "a number" if dimension == COUNT else "0 to 1" if dimension == "fraction" else dimension
        yield shown, ", ".join(names)
    yield "m/s, rad/s, Hz", "a length, an angle, or `times` with `per`, `/` or `a` and a unit of time"


def _markers(core: Core) -> Iterator[tuple[str, str, str]]:
    for marker in Marker:
        templates = core.markers.get(marker, ())
        if templates:
            more = f" … ({len(templates)} in all)" if len(templates) > _MOST_SHOWN else ""
            said = ", ".join(_code(_text(each)) for each in templates[:_MOST_SHOWN])
            yield f"`{marker.value}`", _MEANS.get(marker, ""), said + more


def _commands(core: Core) -> Iterator[tuple[str, str]]:
    for kind in MetaKind:
        said = (*ALWAYS.phrases.get(kind, ()), *core.meta.phrases.get(kind, ()))
        openings = tuple(f"{each} …" for each in core.meta.openings.get(kind, ()))
        if said or openings:
            yield kind.value, _listed(dict.fromkeys((*said, *openings)))


def _listed(texts: Iterable[str]) -> str:
    known = [*texts]
    more = f" … ({len(known)} in all)" if len(known) > _MOST_SHOWN else ""
    return ", ".join(known[:_MOST_SHOWN]) + more


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


def _text(template: Template) -> str:
    """A template as it is written."""
    match template:
        case syntax.Word(text=text):
            return text
        case syntax.Slot(name=name, list=of, constant=constant):
            return (
                f"{{{name}:={constant}}}"
                if constant
                else f"{{{name}}}"
                if of in ("", name)
                else f"{{{of}:{name}}}"
            )
        case syntax.Rule(name=name):
            return f"<{name}>"
        case syntax.Sequence(parts=parts):
            return " ".join(map(_text, parts))
        case syntax.Choice(options=options):
            some = [option for option in options if option != syntax.Sequence(())]
            both = "|".join(map(_text, some))
            return (
                f"[{both.removeprefix('(').removesuffix(')') if len(some) == 1 else both}]"
                if len(some) < len(options)
                else f"({both})"
            )
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m grammars.tools.reference [--check] [FILE]`."""
    parser = argparse.ArgumentParser(prog="python -m grammars.tools.reference", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE")
    parser.add_argument("--check", action="store_true", help="change nothing; 1 if FILE is stale")
    said = parser.parse_args(arguments)
    if said.file is None:
        print(reference(), end="")
        return 0
    try:
        document = said.file.read_text(encoding="utf-8")
        wanted = replaced(document)
    except (OSError, ValueError) as error:
        print(f"{said.file}: {error}", file=sys.stderr)
        return 1
    if document == wanted:
        return 0
    if said.check:
        print(f"{said.file} is stale: python -m grammars.tools.reference {said.file}", file=sys.stderr)
        return 1
    said.file.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
