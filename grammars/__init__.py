"""The language: from text to plans.

Now it is the phrases of the actions, matched simply, behind `framework.plan.Parser`: one instruction, one
action. It knows no robot; all words come from phrases and from the world that is handed in.
"""

from grammars.lint import lint
from grammars.phrases import PhraseParser

__all__ = ["PhraseParser", "lint"]
