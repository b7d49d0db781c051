"""The language of an installation: its actions' phrases, and the conditions that it can answer.

Apart from the installation, so that `pilothouse complete` and the products of the language load nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from framework.plan import Do, World
from framework.plugins import ActionCatalogue
from grammars import Language
from grammars.conditions import read_conditions
from grammars.language import nothing_collides
from managers.conditions import PHRASES
from pilothouse.catalogue import ACTIONS


def language_of(
    catalogue: ActionCatalogue, *, collide: Callable[[Do, Do], str] = nothing_collides
) -> Language:
    """The language of these actions; `collide` says what two of them both need for themselves alone."""
    return Language(catalogue.available, conditions=read_conditions(PHRASES), collide=collide)


def mistakes_in_phrases(language: Language, catalogue: ActionCatalogue, world: World) -> tuple[str, ...]:
    """What is wrong with the phrases of other people's actions, a sentence each; ours are known to be right.

    Some tenths of a second an action: not for the main loop.
    """
    from grammars.lint import lint_one

    others = (spec for spec in catalogue.available if ACTIONS not in Path(spec.phrases.file).parents)
    return tuple(str(each) for spec in others for each in lint_one(language, spec, world))
