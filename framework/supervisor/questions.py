"""Questions that have been put to operators: by the supervisor, with a deadline, and by actions, without.

The supervisor asks one at a time for each operator; whoever asked is the one
who is asked. No answer in time is a "no". An action's question waits as long as
the action does: it may be a minute's walk to the arm, and nothing moves meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from framework.clock import Clock
from framework.plan.instruction import Instruction, Source

ANSWER_WITHIN_S = 15.0


class OnAnswer(Protocol):
    """Hears how a question ended. choice: 0 is no, or why there is no answer; source: of the answer."""

    def __call__(self, choice: int, why: str, source: Source) -> None: ...


class Question:
    """One open question.

    id: unique in the installation, never used again.
    options: numbered answers; none for a question of yes or no.
    typed_only: a recogniser's mistake must not answer it.
    on_answer: is called once, with the number of the option (yes is 1), or 0.
    takes: whether it takes an instruction as an answer in free words; None if there are only the options.
    hint: how it can be answered, if not by an option or yes and no.
    is_open: whether whoever asked still wants to know.
    """

    def __init__(
        self,
        text: str,
        who: str,
        on_answer: OnAnswer,
        options: tuple[str, ...] = (),
        *,
        typed_only: bool = False,
        takes: Callable[[Instruction], bool] | None = None,
        hint: str = "",
        is_open: Callable[[], bool] = lambda: True,
    ) -> None:
        self.id = ""
        self.text = text
        self.who = who
        self.options = options
        self.typed_only = typed_only
        self.on_answer = on_answer
        self.takes = takes
        self.hint = hint
        self.is_open = is_open
        self.timer: asyncio.Task[None] | None = None

    def may_be_answered_by(self, who: str) -> bool:
        """Whether this operator is asked."""
        return who == self.who

    @property
    def is_yes_or_no(self) -> bool:
        """It has no numbered options, and takes no free words."""
        return not self.options and self.takes is None

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


class Questions:
    """The open questions of all operators."""

    def __init__(self, clock: Clock, answer_within_s: float = ANSWER_WITHIN_S) -> None:
        self.answer_within_s = answer_within_s
        self._clock = clock
        self._open: dict[str, Question] = {}
        self._of_actions: dict[str, Question] = {}
        self._last_number = 0

    def ask(self, question: Question) -> None:
        """Put the supervisor's question; an older one to the same operator is withdrawn."""
        self.withdraw(question.who, "another question came up")
        self._number(question)
        self._open[question.who] = question
        question.timer = asyncio.create_task(self._expire(question), name=f"question to {question.who}")

    def ask_for_action(self, node: str, question: Question) -> None:
        """Put the question of an action; its older one is out of date."""
        self._number(question)
        self._of_actions[node] = question

    def open_for(self, who: str) -> Question | None:
        """The supervisor's question that this operator may answer."""
        return self._open.get(who)

    def of_actions_for(self, who: str) -> tuple[Question, ...]:
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
        if not 0 <= choice <= question.most:
            return False
        self._close(question, choice, "", source)
        return True

    def drop(self, question: Question) -> None:
        """It was answered in another way: nobody is told."""
        self._forget(question)

    def withdraw(self, who: str, why: str) -> None:
        """The supervisor's question to this operator is of no interest any more."""
        if (question := self._open.get(who)) is not None:
            self._close(question, 0, why)

    def withdraw_all(self, why: str) -> None:
        """No question is. Those of actions end with their plans."""
        for who in tuple(self._open):
            self.withdraw(who, why)
        self._of_actions.clear()

    def _number(self, question: Question) -> None:
        self._last_number += 1
        question.id = f"q{self._last_number}"

    async def _expire(self, question: Question) -> None:
        await self._clock.sleep(self.answer_within_s)
        question.timer = None
        self._close(question, 0, f"no answer came within {self.answer_within_s:g} s")

    def _close(self, question: Question, choice: int, why: str, source: Source = Source.PROGRAM) -> None:
        self._forget(question)
        question.on_answer(choice, why, source)

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
            if not question.is_open():
                del self._of_actions[node]
