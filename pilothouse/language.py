"""The language of an installation: its actions' phrases, and the conditions that it can answer.

Apart from the installation, so that `pilothouse complete` and the products of the language load nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from framework.plan import Do
from framework.plugins import ActionCatalogue
from grammars import Language
from grammars.conditions import read_conditions
from grammars.language import nothing_collides
from managers.conditions import PHRASES


def language_of(
    catalogue: ActionCatalogue, *, collide: Callable[[Do, Do], str] = nothing_collides
) -> Language:
    """The language of these actions; `collide` says what two of them both need for themselves alone."""
    return Language(catalogue.available, conditions=read_conditions(PHRASES), collide=collide)
