"""Plans: what is to be done, as data. The AST, its checks, its JSON and its words, and the parser protocol.

Nothing here runs anything (that is `framework.tree`) or understands a text (that is a grammar).
"""

from framework.plan.ast import (
    AllOf,
    Alongside,
    AnyOf,
    Cancel,
    Compare,
    Comparison,
    Condition,
    Do,
    If,
    Parallel,
    Plan,
    Reference,
    Sequence,
    State,
    Until,
    Value,
    Wait,
    While,
    actions_of,
    parts,
)
from framework.plan.check import check
from framework.plan.codec import from_json, to_json
from framework.plan.instruction import Instruction, Pointing, Source
from framework.plan.parser import NothingKnown, NotUnderstood, Parser, Reading, Understood, Wording, World
from framework.plan.signature import Signature, Signatures, is_continuous
from framework.plan.words import condition_in_words, doing, in_words, plain_wording

__all__ = [
    "AllOf",
    "Alongside",
    "AnyOf",
    "Cancel",
    "Compare",
    "Comparison",
    "Condition",
    "Do",
    "If",
    "Instruction",
    "NotUnderstood",
    "NothingKnown",
    "Parallel",
    "Parser",
    "Plan",
    "Pointing",
    "Reading",
    "Reference",
    "Sequence",
    "Signature",
    "Signatures",
    "Source",
    "State",
    "Understood",
    "Until",
    "Value",
    "Wait",
    "While",
    "Wording",
    "World",
    "actions_of",
    "check",
    "condition_in_words",
    "doing",
    "from_json",
    "in_words",
    "is_continuous",
    "parts",
    "plain_wording",
    "to_json",
]
