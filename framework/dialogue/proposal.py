"""From somebody's answer in JSON to a plan that may be offered: every gate a proposal has to pass.

The answer follows the schema; its plan fits the actions; it neither stops nor
cancels anything; put into words, it parses back to itself and to nothing else,
in the world as it is known now (so every name in it is known). What comes out
is still only offered: the supervisor has it confirmed, always.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from framework.errors import PlanError, ProposalError
from framework.plan.ast import Cancel, Condition, Plan, actions_of, parts
from framework.plan.check import check
from framework.plan.parser import NotUnderstood, Parser, World
from framework.plan.schema import NamesFor, from_answer, plan_schema
from framework.plan.signature import Signatures

ANSWER_WITHIN_S = 8.0
MOST_ANSWER_CHARACTERS = 64_000
_MOST_EXAMPLES = 120
_NEVER = ("stop",)


class ClarifyingQuestion(msgspec.Struct, frozen=True):
    """What an oracle is asked.

    system: who it is and what it may use. text: the operator's words as they came.
    schema: the JSON schema that the answer has to follow.
    """

    system: str
    text: str
    schema: Mapping[str, Any]


class Oracle(Protocol):
    """Answers in JSON: a language model's server, or a script in a test."""

    async def answer(self, question: ClarifyingQuestion) -> str:
        """The answer as it came. Raises ProposalError in words if there is none."""
        ...


class CheckedProposer:
    """A `Proposer` that believes nothing of what its oracle says.

    Args:
        in_words: a plan as an instruction that the parser understands.
        names_for: in a world, the known names for a text parameter of an action, for the schema.
        conditions: the states that can be asked about and their arguments, for the schema.
        within_s: the whole answer has to be there by then.
    """

    def __init__(
        self,
        oracle: Oracle,
        signatures: Signatures,
        parser: Parser,
        in_words: Callable[[Plan], str],
        *,
        names_for: Callable[[World], NamesFor] = lambda world: lambda action, parameter: (),
        conditions: Mapping[str, tuple[str, ...]] | None = None,
        within_s: float = ANSWER_WITHIN_S,
    ) -> None:
        self._oracle = oracle
        self._signatures = signatures
        self._parser = parser
        self._in_words = in_words
        self._names_for = names_for
        self._conditions = conditions
        self._within_s = within_s

    async def propose(self, text: str, world: World) -> Plan:
        """A plan that has passed every gate. Raises ProposalError with the gate it did not pass."""
        question = await asyncio.to_thread(self._question, text, world)
        try:
            async with asyncio.timeout(self._within_s):
                answer = await self._oracle.answer(question)
        except TimeoutError:
            raise ProposalError(f"the proposer gave no answer within {self._within_s:g} s") from None
        if len(answer) > MOST_ANSWER_CHARACTERS:
            most = MOST_ANSWER_CHARACTERS
            raise ProposalError(f"the proposer's answer has {len(answer)} characters; {most} are the most")
        try:
            plan = from_answer(answer)
            if plan is None:
                raise ProposalError("the proposer knows no plan for that either")
            check(plan, self._signatures)
        except PlanError as error:
            raise ProposalError(f"the proposer's answer is no plan of ours: {_first_line(error)}") from error
        self._refuse_stopping(plan)
        await asyncio.to_thread(self._refuse_what_has_no_words, plan, world)
        return plan

    def _question(self, text: str, world: World) -> ClarifyingQuestion:
        schema = plan_schema(self._signatures, self._names_for(world), self._conditions, leave_out=_NEVER)
        return ClarifyingQuestion(self._introduction(world), text, schema)

    def _refuse_stopping(self, plan: Plan) -> None:
        named = {do.action for do in actions_of(plan)} & set(_NEVER)
        if named or any(isinstance(node, Cancel) for node in _nodes(plan)):
            raise ProposalError("the proposer wanted to stop something; stopping is never proposed")

    def _refuse_what_has_no_words(self, plan: Plan, world: World) -> None:
        words = self._in_words(plan)
        read = self._parser.parse(words, world)
        if isinstance(read, NotUnderstood):
            raise ProposalError(f'the proposal "{words}" is not understood here: {read}')
        best = [each for each in read.readings if each.confidence == read.readings[0].confidence]
        if len(best) > 1 or best[0].plan != plan or best[0].is_assumed:
            raise ProposalError(
                f'the proposal "{words}" could be understood differently from how it is meant'
            )

    def _introduction(self, world: World) -> str:
        lines = [
            "You turn one instruction of a robot's operator into one plan, as JSON in the given schema.",
            "Use only these actions and names, in the meaning they have here. Never stop or cancel anything.",
            "If the instruction cannot be met with them, the plan is null.",
        ]
        for each in filter(None, self._parser.help("", world)):
            examples = "; ".join(each.say[:4])
            lines.append(f"- {each.action}: {each.does} For example: {examples}")
        return "\n".join(lines[:_MOST_EXAMPLES])


def _nodes(plan: Plan) -> list[Plan | Condition]:
    found: list[Plan | Condition] = [plan]
    for node in found:
        found.extend(parts(node))
    return found


def _first_line(error: PlanError) -> str:
    text = str(error).strip().splitlines()[0].rstrip(".")
    return text if len(text) <= 300 else text[:300] + " …"
