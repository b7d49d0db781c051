"""Questions that have been put to operators: by the supervisor, with a deadline, and by actions, without.

The supervisor asks one at a time for each operator; whoever asked is the one
who is asked. No answer in time is a "no". An action's question waits as long as
the action does: it may be a minute's walk to the arm, and nothing moves meanwhile.
"""

from __future__ import annotations

import asyncio
import math
import re

from framework.clock import Clock
from framework.plan.instruction import Instruction, Source
from framework.supervisor.exchange import Answer, FreeAnswer
from framework.supervisor.plans import PlanRecord
from framework.tree.action import ActionNode

ANSWER_WITHIN_S = 15.0
CARRY_ON = "carry on"
NO = "no"
_HINT = f'say "{CARRY_ON}", or answer in words; I wait'
_YES_OR_NO = 'say "yes" or "no"; I wait'
_SAYS_WHAT = "I wait"

#: How the last sentence of a question begins that a "yes" answers by itself ("Is the way clear?").
_ASKS_WHETHER = re.compile(r"(?:^|[.:;] )(?:is|are|may|shall|does|do) (?!.*\bor\b)[^.:;]*\?$", re.IGNORECASE)


class Question:
    """One open question.

    id: unique in the installation, never used again. asked_s: when it was put, on the installation's clock.
    options: numbered answers; none for a question of yes or no.
    typed_only: a recogniser's mistake must not answer it.
    free: reads answers in free words; None if there are only the options.
    hint: how it can be answered, if not by an option or yes and no.
    things: what each option is about (`Ask`).
    """

    def __init__(
        self,
        text: str,
        who: str,
        options: tuple[str, ...] = (),
        *,
        typed_only: bool = False,
        free: FreeAnswer | None = None,
        hint: str = "",
        things: tuple[str, ...] = (),
    ) -> None:
        self.id = ""
        self.asked_s = math.inf
        self.text = text
        self.who = who
        self.options = options
        self.typed_only = typed_only
        self.free = free
        self.hint = hint
        self.things = things
        self.timer: asyncio.Task[None] | None = None

    def answered(self, answer: Answer) -> None:
        """Is called once, when the question is not open any more; for whoever asked to override."""

    @property
    def is_open(self) -> bool:
        """Whether whoever asked still wants to know."""
        return True

    def may_be_answered_by(self, who: str) -> bool:
        """Whether this operator is asked."""
        return who == self.who

    @property
    def is_yes_or_no(self) -> bool:
        """It has no numbered options, and takes no free words."""
        return not self.options and self.free is None

    @property
    def most(self) -> int:
        """The highest number that answers it."""
        return 1 if self.is_yes_or_no else len(self.options)

    @property
    def full_text(self) -> str:
        """With its options, or with yes and no."""
        if self.hint:
            return f"{self.text} ({self.hint})"
        if self.is_yes_or_no:
            return f"{self.text} (yes or no)"
        if not self.options:
            return self.text
        return f"{self.text} " + ", ".join(f"{n}: {each}" for n, each in enumerate(self.options, start=1))

    @property
    def data(self) -> dict[str, str | int | float | bool]:
        """What goes with the event, for whoever shows buttons: the id, how many options, and each of them."""
        numbered = {f"option_{n}": each for n, each in enumerate(self.options, start=1)}
        return {"question": self.id, "options": len(self.options), **numbered}


class ActionQuestion(Question):
    """An action's question. The first option is "carry on", or yes where that answers it; no is "no"."""

    def __init__(self, text: str, record: PlanRecord, action: ActionNode) -> None:
        asks_whether = _ASKS_WHETHER.search(text) is not None
        options = () if asks_whether else (CARRY_ON,)
        #: Any words may answer what asks; what says what to do waits for a word like "done".
        self.takes_words = text.rstrip().endswith("?")
        hint = _HINT if self.takes_words else _SAYS_WHAT
        super().__init__(text, record.who, options, hint=_YES_OR_NO if asks_whether else hint)
        self.action = action
        self.record = record

    def answered(self, answer: Answer) -> None:
        """Tell the action."""
        self.tell(CARRY_ON if answer.choice else NO)

    def tell(self, text: str) -> None:
        """Tell the action in these words; "carry on" is said to all of its plan."""
        if text == CARRY_ON:  # it may move what it moves, as things are now
            self.record.give_word(self.record.who)
        self.action.answer(text)

    @property
    def is_open(self) -> bool:
        """Whether the action still asks."""
        return self.action.is_asking

    def may_be_answered_by(self, who: str) -> bool:
        """Whoever wanted the plan, or wants the same: a terminal may be gone. Nobody's plan: anybody."""
        return self.who in (who, "") or who in self.record.joined_by


class Questions:
    """The open questions of all operators."""

    def __init__(self, clock: Clock, answer_within_s: float = ANSWER_WITHIN_S) -> None:
        self.answer_within_s = answer_within_s
        self._clock = clock
        self._open: dict[str, Question] = {}
        self._of_actions: dict[str, ActionQuestion] = {}
        self._last_number = 0

    def ask(self, question: Question) -> None:
        """Put the supervisor's question; an older one to the same operator is withdrawn."""
        self.withdraw(question.who, "another question came up")
        self._number(question)
        self._open[question.who] = question
        question.timer = asyncio.create_task(self._expire(question), name=f"question to {question.who}")

    def ask_for_action(self, record: PlanRecord, node_id: str, text: str) -> ActionQuestion | None:
        """Put the question of an action; its older one is out of date. None if it does not ask any more."""
        action = next((action for action in record.run.actions if action.node_id == node_id), None)
        if action is None or not action.is_asking:
            return None
        question = self._of_actions[node_id] = ActionQuestion(text, record, action)
        self._number(question)
        return question

    def open_for(self, who: str) -> Question | None:
        """The supervisor's question that this operator may answer."""
        return self._open.get(who)

    def of_actions_for(self, who: str) -> tuple[ActionQuestion, ...]:
        """The actions' questions that this operator may answer: those of the own plans and of nobody's."""
        self._forget_closed()
        return tuple(each for each in self._of_actions.values() if each.may_be_answered_by(who))

    def find(self, question_id: str) -> Question | None:
        """The open question of this id."""
        return next((question for question in self.open if question.id == question_id), None)

    @property
    def open(self) -> tuple[Question, ...]:
        """All of them, the supervisor's first."""
        self._forget_closed()
        return (*self._open.values(), *self._of_actions.values())

    def answer(self, question: Question, choice: int, source: Source = Source.TYPED) -> bool:
        """Settle a question with an option's number (yes is 1, no 0); False if there is no such option."""
        if not 0 <= choice <= question.most or question not in self.open:
            return False
        self._close(question, Answer(choice, source=source))
        return True

    def answer_freely(self, question: Question, said: Instruction, read: object) -> bool:
        """Settle a question by what else it takes for an answer; False if this is none.

        read: what the question's `FreeAnswer` has made of it.
        """
        if read is None or self._open.get(question.who) is not question:
            return False
        self._close(question, Answer(0, source=said.source, read=read, said=said))
        return True

    def answer_action(self, question: ActionQuestion, text: str) -> None:
        """Settle an action's question with the operator's own words."""
        self._forget(question)
        question.tell(text)

    def withdraw(self, who: str, why: str) -> None:
        """The supervisor's question to this operator is of no interest any more."""
        if (question := self._open.get(who)) is not None:
            self._close(question, Answer(0, why))

    def withdraw_all(self, why: str) -> None:
        """No question is. Those of actions end with their plans."""
        for who in tuple(self._open):
            self.withdraw(who, why)
        self._of_actions.clear()

    def _number(self, question: Question) -> None:
        self._last_number += 1
        question.id = f"q{self._last_number}"
        question.asked_s = self._clock.now_s()

    async def _expire(self, question: Question) -> None:
        await self._clock.sleep(self.answer_within_s)
        question.timer = None
        self._close(question, Answer(0, f"no answer came within {self.answer_within_s:g} s"))

    def _close(self, question: Question, answer: Answer) -> None:
        self._forget(question)
        question.answered(answer)

    def _forget(self, question: Question) -> None:
        if self._open.get(question.who) is question:
            del self._open[question.who]
        for node, other in tuple(self._of_actions.items()):
            if other is question:
                del self._of_actions[node]
        if question.timer is not None:
            question.timer.cancel()

    def _forget_closed(self) -> None:
        for node, question in tuple(self._of_actions.items()):
            if not question.is_open:
                del self._of_actions[node]
