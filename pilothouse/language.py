"""The language of an installation: its actions' phrases, and the conditions that it can answer.

Apart from the installation, so that `pilothouse complete` and the products of the language load nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from framework.plan import Do, NothingKnown
from framework.plugins import ActionCatalogue, ActionSpec
from grammars import Language
from grammars.conditions import Sayable, read_conditions
from grammars.domain import read_names
from grammars.packs.checking import mistakes_of
from grammars.packs.hearing import PackHearing
from grammars.packs.pack import OURS, Pack
from grammars.packs.packed import PackedLanguage
from grammars.reading.grammar import Grammar
from grammars.reading.reader import nothing_collides
from managers.conditions import PHRASES
from pilothouse.catalogue import ACTIONS

#: What things are called in installations like ours, where names are needed and nothing runs.
TYPICAL_NAMES: Final = ACTIONS / "typical_names.yaml"


def language_of(
    catalogue: ActionCatalogue,
    *,
    collide: Callable[[Do, Do], str] = nothing_collides,
    without: Collection[str] = (),
    packs: Sequence[PackHearing] = (),
) -> Language:
    """The language of these actions; `collide` says what two of them both need for themselves alone.

    without: the names of actions that are not to be asked for. packs: whose words it hears, too.
    """
    actions = tuple(spec for spec in catalogue.available if spec.name not in without)
    grammar = _compiled(_Phrases(actions, read_conditions(PHRASES)))
    return PackedLanguage(grammar, packs, collide=collide) if packs else Language(grammar, collide=collide)


class _Phrases(NamedTuple):
    """All that a grammar is compiled from, as read from the files; equal ones give the same grammar."""

    actions: tuple[ActionSpec, ...]
    conditions: tuple[Sayable, ...]

    def __hash__(self) -> int:
        return hash(tuple(spec.phrases.say for spec in self.actions))


@lru_cache(maxsize=2)  # with everybody's actions, and without those that are unfit
def _compiled(phrases: _Phrases) -> Grammar:
    """Once in a process for the same phrases: a scenario with many seeds starts an installation for each."""
    return Grammar(phrases.actions, conditions=phrases.conditions)


def checked_language(
    catalogue: ActionCatalogue,
    *,
    collide: Callable[[Do, Do], str] = nothing_collides,
    packs: Sequence[Pack] = (),
) -> tuple[Language, tuple[str, ...]]:
    """The language, and what is wrong with the phrases of other people's actions, a sentence each.

    An action that would take sentences away from others cannot be asked for. Ours are known to be right.
    Some seconds, and half a second for each action of others: not for the main loop. All that understanding
    needs is loaded then.
    """
    from grammars.tools.lint import lint_one, taken_from_others

    heard = tuple(map(PackHearing, packs))
    language = language_of(catalogue, collide=collide, packs=heard)
    language.speller.load()
    others = [
        spec
        for spec in catalogue.available
        if spec.phrases.say and ACTIONS not in Path(spec.phrases.file).parents
    ]
    strange = [each for each in heard if each.pack.folder.parent != OURS]
    names = read_names(TYPICAL_NAMES) if others or strange else NothingKnown()
    plain = language_of(catalogue, collide=collide)
    told = [f"A grammar pack is wrong: {each}" for one in strange for each in mistakes_of(one, plain, names)]
    unfit: set[str] = set()
    for spec in others:
        if taken := taken_from_others(language, spec, names):
            unfit.add(spec.name)
            told.append(f"{spec.name} cannot be asked for until its phrases are changed: {taken[0]}")
        told += [f"A phrase is wrong: {each}" for each in lint_one(language, spec, names) if not taken]
    if unfit:
        language = language_of(catalogue, collide=collide, without=unfit, packs=heard)
    return language, tuple(told)
