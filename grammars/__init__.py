"""The language: from text to plans, and from plans to words.

It knows no robot: all words come from the language core (`english.yaml`), from the phrases of the actions,
from the conditions, and from the world that is handed in. The way of a text: `recogniser` (words, numbers,
names), `network` (templates), `clauses`, `joins` (plans), `ranking`; `language` puts them together. From the
same phrases come samples, word lists, speech grammars, help and the lint.
"""

from grammars.conditions import read_conditions
from grammars.core import Core
from grammars.core_file import read_core
from grammars.domain import Domain, read_domain
from grammars.language import Language

__all__ = ["Core", "Domain", "Language", "read_conditions", "read_core", "read_domain"]
