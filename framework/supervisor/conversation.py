"""What the supervisor says and asks in answer to an instruction: to everybody, and into that one's reply."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from framework.dialogue.confirmation import least_sure
from framework.events import EventBus, EventKind
from framework.plan.instruction import Instruction, Source
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
        *,
        aside: bool = False,
    ) -> None:
        """Say something about an instruction."""
        reply.add(self._events.emit(kind, text, plan=reply.plan, who=instruction.who, data=data, aside=aside))

    def tell(self, reply: Reply | None, kind: EventKind, text: str, *, who: str = "") -> None:
        """Say something that need not come from an instruction."""
        event = self._events.emit(kind, text, who=who)
        if reply is not None:
            reply.add(event)

    def refuse(self, reply: Reply, text: str, instruction: Instruction) -> None:
        """It will not be done, and why."""
        self.say(reply, EventKind.REFUSED, text[0].upper() + text[1:], instruction)
        reply.settle(False)

    def leave(self, reply: Reply, why: str, instruction: Instruction) -> None:
        """It will not be done, because the operator does not want it (any more)."""
        self.say(reply, EventKind.CANCELLED, f"I leave it{': ' + why if why else ''}.", instruction)
        reply.settle(False)

    def ask(
        self,
        text: str,
        instruction: Instruction,
        reply: Reply,
        go_on: Callable[[int, Instruction], object],
        options: tuple[str, ...] = (),
        *,
        typed_only: bool = False,
        takes: Callable[[Instruction], bool] | None = None,
    ) -> Question:
        """Ask whoever gave the instruction.

        `go_on` is called with the choice (from 1) unless it is "no", and with the instruction, which is
        as unsure as the answer now if that is less sure.
        """

        def answered(choice: int, why: str, source: Source) -> None:
            if choice:
                both = least_sure(instruction.source, source)
                go_on(choice, msgspec.structs.replace(instruction, source=both))
            else:
                self.leave(reply, why, instruction)

        question = Question(text, instruction.who, answered, options, typed_only=typed_only, takes=takes)
        self.questions.ask(question)
        self.say(reply, EventKind.ASKED, question.full_text, instruction, question.data)
        return question
