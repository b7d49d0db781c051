"""Questions that the supervisor has put to an operator, and their deadlines.

One at a time for each operator; whoever asked is the one who is asked. No
answer in time is a "no".
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from framework.clock import Clock

ANSWER_WITHIN_S = 15.0


class Question:
    """One open question.

    options: numbered answers; none for a question of yes or no.
    typed_only: a recogniser's mistake must not answer it.
    on_answer: is called once, with the number of the option (yes is 1) or 0 for no, silence, or a stop.
    """

    def __init__(
        self,
        text: str,
        who: str,
        on_answer: Callable[[int, str], None],
        options: tuple[str, ...] = (),
        typed_only: bool = False,
    ) -> None:
        self.text = text
        self.who = who
        self.options = options
        self.typed_only = typed_only
        self.on_answer = on_answer
        self.timer: asyncio.Task[None] | None = None

    @property
    def full_text(self) -> str:
        """With its options, or with yes and no."""
        if not self.options:
            return f"{self.text} (yes or no)"
        return f"{self.text} " + ", ".join(f"{n}: {each}" for n, each in enumerate(self.options, start=1))


class Questions:
    """The open questions of all operators."""

    def __init__(self, clock: Clock, answer_within_s: float = ANSWER_WITHIN_S) -> None:
        self._clock = clock
        self._answer_within_s = answer_within_s
        self._open: dict[str, Question] = {}

    def ask(self, question: Question) -> None:
        """Put it; an older one to the same operator is withdrawn."""
        self.withdraw(question.who, "another question came up")
        self._open[question.who] = question
        question.timer = asyncio.create_task(self._expire(question), name=f"question to {question.who}")

    def open_for(self, who: str) -> Question | None:
        """The question that this operator may answer."""
        return self._open.get(who)

    @property
    def open(self) -> tuple[Question, ...]:
        """All of them."""
        return tuple(self._open.values())

    def answer(self, who: str, choice: int) -> bool:
        """Settle the question with an option's number; False if there is no such option."""
        question = self._open[who]
        if choice > max(1, len(question.options)):
            return False
        self._close(question, choice, "")
        return True

    def withdraw(self, who: str, why: str) -> None:
        """The question is of no interest any more."""
        if (question := self._open.get(who)) is not None:
            self._close(question, 0, why)

    def withdraw_all(self, why: str) -> None:
        """None is."""
        for who in tuple(self._open):
            self.withdraw(who, why)

    async def _expire(self, question: Question) -> None:
        await self._clock.sleep(self._answer_within_s)
        question.timer = None
        self._close(question, 0, f"no answer came within {self._answer_within_s:g} s")

    def _close(self, question: Question, choice: int, why: str) -> None:
        if self._open.get(question.who) is question:
            del self._open[question.who]
        if question.timer is not None:
            question.timer.cancel()
        question.on_answer(choice, why)
