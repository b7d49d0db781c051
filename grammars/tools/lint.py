"""Whether phrases can live together: what is wrong with them, each with file and line.

Sentences are made of every phrase, each of its options at least once. Each has to mean its own action with
its own values, and nothing else, also for a time if the action goes on until it is stopped; it must not be
a command that the supervisor takes for itself. Words have to be sayable; rules, lists and providers have to
be there. `python -m grammars.tools.lint FOLDER…` does it for the actions of folders, `lint_one` for one
plugin among those that are loaded already.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

from framework.dialogue.meta import MetaKind
from framework.dialogue.meta_reading import MetaReader
from framework.errors import DescriptionError
from framework.plan.ast import Do, Elapsed, Plan, Until, Wait
from framework.plan.parser import NothingKnown, NotUnderstood, World
from framework.plan.words import in_words
from framework.plugins.catalogue import ActionCatalogue
from framework.plugins.signature import ActionSpec
from grammars.conditions import Sayable, read_conditions
from grammars.core import Marker
from grammars.domain import read_names
from grammars.language import Language
from grammars.reading.phrasebook import Phrase
from grammars.reading.tokens import is_article
from grammars.tools.lint_words import of_conditions, of_phrases, unused
from grammars.tools.remembered import Remembered
from grammars.wording.covering import Covering
from grammars.wording.samples import Piece, Pieces, Sampler, Slots, condition_of, sentence, slots_of_condition

#: At most so many mistakes of one phrase are told: the rest are mostly the same.
MOST_OF_ONE = 3
NAMES_FILE = "typical_names.yaml"
_TIME_S = 10.0


def lint(
    language: Language, world: World | None = None, *, providers: Collection[str] | None = None
) -> tuple[DescriptionError, ...]:
    """Everything that is wrong, in the order of files and lines; not raised.

    world: names that are known, so that slots can be filled. providers: the only ones there are, if given.
    """
    world = world or NothingKnown()
    checks = _Checks(language, world)
    problems: list[DescriptionError] = []
    for spec in language.phrasebook.actions.values():
        problems += of_phrases(language, spec, providers)
        problems += checks.action(spec)
    problems += unused(language, language.phrasebook.actions.values())
    problems += of_conditions(language, providers)
    problems += checks.conditions()
    return tuple(sorted(problems, key=lambda problem: (problem.file, problem.line)))


def lint_one(
    language: Language, spec: ActionSpec, world: World, *, providers: Collection[str] | None = None
) -> tuple[DescriptionError, ...]:
    """What is wrong with the phrases of one action, beside those of a language; not raised.

    Also which sentences of other actions it takes away. The language may have the action already.
    """
    known = language.phrasebook.actions
    if spec.name not in known and spec.phrases.can_be_said and not spec.unavailable:
        language = Language(
            (*known.values(), spec), conditions=language.conditions.sayables, core=language.core
        )
    problems = [*of_phrases(language, spec, providers), *unused(language, (spec,))]
    problems += [*_Checks(language, world).action(spec), *taken_from_others(language, spec, world)]
    return tuple(sorted(problems, key=lambda problem: (problem.file, problem.line)))


def mistakes(
    catalogue: ActionCatalogue,
    language: Language,
    world: World,
    *,
    providers: Collection[str] | None = None,
    below: Sequence[Path] = (),
) -> tuple[str, ...]:
    """What a person is told: actions that cannot be used, then all that is wrong, file and line first.

    below: only of the actions in these folders, and what they take away from others.
    """

    folders = tuple(folder.resolve() for folder in below)

    def is_below(file: str) -> bool:
        path = Path(file)  # of what comes from a distribution there is none
        return path.is_absolute() and any(path.resolve().is_relative_to(folder) for folder in folders)

    broken = [
        f"{spec.source or spec.name}: {spec.unavailable}"
        for spec in catalogue.unavailable
        if not below or is_below(spec.source)
    ]
    if not below:
        return (*broken, *map(str, lint(language, world, providers=providers)))
    mine = (spec for spec in catalogue.available if is_below(spec.phrases.file))
    found = (lint_one(language, spec, world, providers=providers) for spec in mine)
    return (*broken, *(str(problem) for problems in found for problem in problems))


def taken_from_others(language: Language, spec: ActionSpec, world: World) -> tuple[DescriptionError, ...]:
    """Sentences of other actions that an action of the language takes away from them; not raised."""
    return tuple(_Checks(language, world).taken_from_others(spec))


#: Of a sentence one way is enough, and not each can be said.
_FEW_WAYS = 4


class _Checks:
    """What sentences mean."""

    def __init__(self, language: Language, world: World) -> None:
        self._language = language
        self._world = world
        self._sampler = Sampler(language, world, Random(0))
        self._meta = MetaReader(language.meta)
        #: By action: rules that were covered already.
        self._covered: dict[str, set[str]] = {}

    def action(self, spec: ActionSpec) -> Iterator[DescriptionError]:
        """Every phrase and every sample of one action."""
        file = spec.phrases.file
        for phrase in self._language.phrases:
            if phrase.action == spec.name:
                for problem in islice(dict.fromkeys(self._phrase(phrase)), MOST_OF_ONE):
                    yield DescriptionError(f"{phrase.text!r}: {problem}", file=phrase.file, line=phrase.line)
        for phrase in self._language.phrasebook.asked:
            if phrase.action == spec.name:
                for problem in islice(dict.fromkeys(self._asked(phrase)), MOST_OF_ONE):
                    yield DescriptionError(f"{phrase.text!r}: {problem}", file=phrase.file, line=phrase.line)
        lines = spec.phrases.sample_lines or (0,) * len(spec.phrases.samples)
        for sample, line in zip(spec.phrases.samples, lines, strict=True):
            problem = self._taken(sample) or self._meaning(sample, spec.name)
            if problem:
                yield DescriptionError(problem, file=file, line=line)

    def taken_from_others(self, spec: ActionSpec) -> Iterator[DescriptionError]:
        """Plain sentences of other actions that now mean this one."""
        for action, text in dict.fromkeys(self._sentences_of_others(spec)):
            result = self._language.by_grammar(text, self._world)
            if isinstance(result, NotUnderstood):
                continue
            sure = result.readings[0].confidence
            plans = [reading.plan for reading in result.readings if reading.confidence == sure]
            if any(isinstance(plan, Do) and plan.action == spec.name for plan in plans) and not self._shares(
                spec.name, action
            ):
                message = f'"{text}" asks for {spec.name} now, and is {action}\'s'
                lines = spec.phrases.lines or (0,)
                yield DescriptionError(message, file=spec.phrases.file, line=lines[0])

    def _sentences_of_others(self, spec: ActionSpec) -> Iterator[tuple[str, str]]:
        """(action, sentence): the samples of all other actions, and one sentence of each of their phrases."""
        for other in self._language.phrasebook.actions.values():
            if other.name != spec.name:
                yield from ((other.name, sample) for sample in other.phrases.samples)
        for phrase in self._language.phrases:
            if phrase.action != spec.name:
                slots = Slots(phrase.parameters, phrase.lists)
                ways = Covering(self._sampler, phrase.rules, slots, most=_FEW_WAYS).ways(phrase.template)
                names = self._names_alone(phrase)
                texts = (sentence(pieces)[0] for pieces in islice(ways, 1))
                yield from ((phrase.action, text) for text in texts if _words(text) not in names)

    def _names_alone(self, phrase: Phrase) -> set[tuple[str, ...]]:
        """Names that may be all of what is said; an action's own words come before them."""
        lists = [each for each in phrase.lists.values() if each.known_only and each.provider]
        return {_words(known.name) for each in lists for known in self._world.known(each.provider)}

    def conditions(self) -> Iterator[DescriptionError]:
        """Every way to put a condition, behind "wait until"."""
        templates = self._language.core.markers.get(Marker.WAIT_UNTIL, ())
        opening = self._sampler.words(templates[0]) if templates else None
        for said in self._language.conditions.sayables if opening else ():
            for problem in islice(dict.fromkeys(self._condition(said, opening or ())), MOST_OF_ONE):
                yield DescriptionError(problem, file=said.file, line=said.line)

    def _phrase(self, phrase: Phrase) -> Iterator[str]:
        covered = self._covered.setdefault(phrase.action, set())
        slots = Slots(phrase.parameters, phrase.lists)
        ways = Covering(self._sampler, phrase.rules, slots, said_once=covered).ways(phrase.template)
        found = False
        for pieces in ways:
            found = True
            text, _ = sentence(pieces)
            do = self._sampler.do(phrase, pieces)
            if (
                problem := self._taken(text)
                or self._meaning(text, phrase.action, do)
                or self._for_a_time(pieces, do)
            ):
                yield problem
        if not found and not self._waits_for_names(phrase):
            yield "it can never be said: of every way through it, some part has no words"

    def _asked(self, phrase: Phrase) -> Iterator[str]:
        """What is wrong with a phrase that is to have several meanings, of its action or one that shares."""
        is_open = False
        for pieces in Covering(self._sampler, phrase.rules, Slots(phrase.parameters, phrase.lists)).ways(
            phrase.template
        ):
            text, _ = sentence(pieces)
            result = self._language.by_grammar(text, self._world)
            if isinstance(result, NotUnderstood):
                yield f'"{text}" is not understood: {result}'
                continue
            sure = result.readings[0].confidence
            plans = [reading.plan for reading in result.readings if reading.confidence == sure]
            is_open |= len(plans) > 1
            for plan in plans:
                if not isinstance(plan, Do) or (
                    plan.action != phrase.action and not self._shares(plan.action, phrase.action)
                ):
                    yield f'"{text}" asks for {_shown(plan)}, not only for {phrase.action}'
        if not is_open:
            yield "it leaves nothing open; write it under say"

    def _for_a_time(self, pieces: Pieces, do: Do) -> str:
        """What is wrong with the same "for ten seconds": it must not be another action's then."""
        templates = self._language.core.markers.get(Marker.FOR_TIME, ())
        words = self._sampler.words(templates[0], _TIME_S) if templates else None
        if words is None or not self._language.stays(do) or any(piece.is_free for piece in pieces):
            return ""
        return self._plan_problem(sentence((*pieces, *words))[0], Until(do, Elapsed(_TIME_S)))

    def _waits_for_names(self, phrase: Phrase) -> bool:
        """Whether it cannot be said only because its providers know nothing just now."""
        return any(each.provider and not self._world.known(each.provider) for each in phrase.lists.values())

    def _condition(self, said: Sayable, opening: Pieces) -> Iterator[str]:
        rules = {**self._language.core.rules, **said.rules}
        covering = Covering(self._sampler, rules, slots_of_condition(said))
        for pieces in covering.ways(said.template):
            if not any(piece.is_free for piece in pieces):
                text, _ = sentence((*opening, *(piece for piece in pieces if piece != Piece(""))))
                if problem := self._plan_problem(text, Wait(condition_of(said, pieces))):
                    yield problem

    def _taken(self, text: str) -> str:
        command = self._meta.command(text)
        if command is None or command.what or command.kind is MetaKind.DONE:
            return ""  # "done" is so only for one who keeps something; of others it is the action's
        return f'"{text}" never gets here, because the supervisor takes it for itself: {command.kind}'

    def _meaning(self, text: str, own: str, meant: Do | None = None) -> str:
        """What is wrong with what a sentence means; empty if it is its own action and no other."""
        result = self._language.by_grammar(text, self._world)
        if isinstance(result, NotUnderstood):
            return f'"{text}" is not understood: {result}'
        if result.readings[0].corrections:
            return f'"{text}" is understood only with another word: {result.readings[0].corrections[0].meant}'
        if (spelt := self._language.spelt(text, self._world)) != text:
            return f'"{text}" is misspelt; it is understood as "{spelt}"'
        sure = result.readings[0].confidence
        plans = [reading.plan for reading in result.readings if reading.confidence == sure]
        others = [plan for plan in plans if not isinstance(plan, Do) or plan.action != own]
        if (
            others
            and len(plans) > 1
            and all(isinstance(plan, Do) and self._shares(plan.action, own) for plan in others)
        ):
            plans = [plan for plan in plans if plan not in others]
        elif others:
            return (
                f'"{text}" asks for {_shown(others[0])}, not only for {own}; change the words of one of them'
            )
        if len(plans) > 1:
            return (
                f'"{text}" can mean {_shown(plans[0])} or {_shown(plans[1])}; change the words of one of them'
            )
        if meant is not None and plans[0] != meant:
            return f'"{text}" means {_shown(plans[0])}, but its slots say {_shown(meant)}'
        return ""

    def _shares(self, one: str, other: str) -> bool:
        """Whether both know that a sentence may mean the other action as well."""
        actions = self._language.phrasebook.actions
        return one in actions[other].phrases.shared_with and other in actions[one].phrases.shared_with

    def _plan_problem(self, text: str, meant: Plan) -> str:
        result = self._language.by_grammar(text, self._world)
        if isinstance(result, NotUnderstood):
            return f'"{text}" is not understood: {result}'
        sure = result.readings[0].confidence
        for reading in result.readings:
            if reading.plan != meant and reading.confidence == sure:
                return f'"{text}" means {_shown(reading.plan)}, and should mean {_shown(meant)}'
        return ""


def _words(text: str) -> tuple[str, ...]:
    """A text's words without an article in front, which makes no difference to whoever understands it."""
    first, *rest = text.casefold().split() or ("",)
    return tuple(rest) if rest and is_article(first) else (first, *rest)


def _shown(plan: Plan) -> str:
    """A plan for whoever writes phrases: with the names of actions and slots."""

    def of_one(do: Do) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in do.parameters.items())
        return f"{do.action}({values})"

    return in_words(plan, of_one)


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m grammars.tools.lint`: prints file:line: message for each mistake; 1 if there is any."""
    parser = argparse.ArgumentParser(
        prog="python -m grammars.tools.lint", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="actions: one folder each")
    parser.add_argument("--conditions", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument(
        "--names", type=Path, metavar="FILE", help=f"names for the slots; else {NAMES_FILE} of a folder"
    )
    parser.add_argument(
        "--remember",
        type=Path,
        metavar="FOLDER",
        help="what was right is not checked again before anything changes; remembered there",
    )
    said = parser.parse_args(arguments)
    catalogue = ActionCatalogue.discover(said.folders, entry_points=False)
    files = [said.names] if said.names else [folder / NAMES_FILE for folder in said.folders]
    remembered = (
        Remembered(said.remember, (*said.folders, *said.conditions, *filter(Path.is_file, files)))
        if said.remember
        else None
    )
    if remembered is not None and remembered.is_right:
        return 0
    problems: tuple[str, ...]
    try:
        sayables = [each for file in said.conditions for each in read_conditions(file)]
        known = [read_names(file) for file in files if said.names or file.is_file()]
        world: World = known[0] if known else NothingKnown()
        providers = known[0].kinds if known else None
        language = Language(catalogue.available, conditions=sayables)
        problems = mistakes(catalogue, language, world, providers=providers)
    except DescriptionError as error:
        problems = (str(error),)
    for problem in problems:
        print(problem)
    if remembered is not None and not problems:
        remembered.remember()
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
