"""What the supervisor says and asks in answer to an instruction: to everybody, and into that one's reply."""

from __future__ import annotations

from collections.abc import Callable

from framework.plan.instruction import Instruction
from framework.supervisor.events import EventBus, EventKind
from framework.supervisor.questions import Question, Questions
from framework.supervisor.reply import Reply


class Conversation:
    """Talks to operators. questions: the open ones."""

    def __init__(self, events: EventBus, questions: Questions) -> None:
        self._events = events
        self.questions = questions

    def say(
        self,
        reply: Reply,
        kind: EventKind,
        text: str,
        instruction: Instruction,
        data: dict[str, str | int | float | bool] | None = None,
    ) -> None:
        """Say something about an instruction."""
        reply.add(self._events.emit(kind, text, plan=reply.plan, who=instruction.who, data=data))

    def tell(self, reply: Reply | None, kind: EventKind, text: str, *, who: str = "") -> None:
        """Say something that need not come from an instruction."""
        event = self._events.emit(kind, text, who=who)
        if reply is not None:
            reply.add(event)

    def refuse(self, reply: Reply, text: str, instruction: Instruction) -> None:
        """It will not be done, and why."""
        self.say(reply, EventKind.REFUSED, text[0].upper() + text[1:], instruction)
        reply.settle(False)

    def ask(
        self,
        text: str,
        instruction: Instruction,
        reply: Reply,
        go_on: Callable[[int], object],
        options: tuple[str, ...] = (),
        *,
        typed_only: bool = False,
    ) -> None:
        """Ask whoever gave the instruction; `go_on` is called with the choice (from 1) unless it is "no"."""

        def answered(choice: int, why: str) -> None:
            if choice:
                go_on(choice)
                return
            self.say(reply, EventKind.CANCELLED, f"I leave it{': ' + why if why else ''}.", instruction)
            reply.settle(False)

        question = Question(text, instruction.who, answered, options, typed_only)
        self.questions.ask(question)
        self.say(reply, EventKind.ASKED, question.full_text, instruction, {"options": len(options)})
