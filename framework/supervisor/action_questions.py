"""Questions that actions put to the operator of their plan ("I cannot grasp the cup: take the arm?").

They are answered like the supervisor's own: typed in words, clicked, or with
"carry on". Without a deadline, because an action that asks holds still; an
answer ends the question, and so does the end of the action.
"""

from __future__ import annotations

import re

from framework.supervisor.plans import PlanRecord
from framework.supervisor.questions import Question, Questions
from framework.tree.action import ActionNode

CARRY_ON = "carry on"
NO = "no"
_HINT = f'say "{CARRY_ON}", or answer in words; I wait'
_YES_OR_NO = 'say "yes" or "no"; I wait'

#: How the last sentence of a question begins that a "yes" answers by itself ("Is the way clear?").
_ASKS_WHETHER = re.compile(r"(?:^|[.:;] )(?:is|are|may|shall|does|do) (?!.*\bor\b)[^.:;]*\?$", re.IGNORECASE)


class ActionQuestion(Question):
    """An action's question. The first option is "carry on", or yes where that answers it; no is "no"."""

    def __init__(self, text: str, record: PlanRecord, action: ActionNode) -> None:
        self.action = action
        self.record = record
        asks_whether = _ASKS_WHETHER.search(text) is not None
        super().__init__(
            text,
            record.who,
            lambda choice, why, source: self._answer(CARRY_ON if choice else NO),
            () if asks_whether else (CARRY_ON,),
            hint=_YES_OR_NO if asks_whether else _HINT,
            is_open=lambda: action.is_asking,
        )

    def may_be_answered_by(self, who: str) -> bool:
        """Whoever wanted the plan, or wants the same: a terminal may be gone. Nobody's plan: anybody."""
        return self.who in (who, "") or who in self.record.joined_by

    def answer_with(self, text: str, questions: Questions) -> None:
        """The operator's own words."""
        questions.drop(self)
        self._answer(text)

    def _answer(self, text: str) -> None:
        if text == CARRY_ON:  # a word to the whole plan: it may move what it moves, as things are now
            self.record.give_word()
        self.action.answer(text)


def ask_for(record: PlanRecord, node_id: str, text: str, questions: Questions) -> Question | None:
    """An action of a plan has just asked this; None if it does not ask any more."""
    action = next((action for action in record.run.actions if action.node_id == node_id), None)
    if action is None or not action.is_asking:
        return None
    question = ActionQuestion(text, record, action)
    questions.ask_for_action(node_id, question)
    return question
