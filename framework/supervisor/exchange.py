"""One instruction, with all that is said and asked about it until it is settled.

What becomes of an instruction is decided by a generator (`interpreter.py` has the order). It says what it
has to say through its `Exchange`, and yields what it has to wait for:

| yields | is resumed with |
|---|---|
| `Ask` | the `Answer`; "no" and no answer in time end the generator |
| `Propose` | a plan, or why there is none, in words |
| `AfterEnd` | None: that plan is over |
| `Think` | what the work returned; what it raised is raised here |

Whoever thinks goes on thinking before the next one begins to: instructions are understood in their order.

`conversation.py` runs it. It may be closed wherever it waits; whoever gave the instruction is told.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from framework.dialogue.confirmation import least, least_sure
from framework.events import Event, EventBus, EventKind, Subject
from framework.plan.instruction import Instruction, Source
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply


class Exchange:
    """An instruction and its reply. The instruction becomes less sure by what answers its questions.

    word: the motion interlock's epoch when an operator last said so. What is lost while it is being
    understood, asked about or waited for, they did not know of.
    """

    def __init__(self, instruction: Instruction, events: EventBus, word: int = 0) -> None:
        self.instruction = instruction
        self.word = word
        self.reply = Reply()
        self._events = events

    @property
    def who(self) -> str:
        """The operator; also the one who is asked back."""
        return self.instruction.who

    def say(
        self,
        kind: EventKind,
        text: str,
        data: Mapping[str, str | int | float | bool] | None = None,
        *,
        aside: bool = False,
        subject: Subject = Subject.NONE,
    ) -> None:
        """Say something about it, to everybody and into the reply."""
        reply = self.reply
        event = Event(kind, text, reply.plan, who=self.who, data=data or {}, aside=aside, subject=subject)
        reply.add(self._events.publish(event))

    def refuse(self, text: str, subject: Subject = Subject.NOT_NOW, unknown: str = "") -> None:
        """It will not be done, and why. unknown: a name that would have to be known."""
        data = {"unknown": unknown} if unknown else {}
        self.say(EventKind.REFUSED, text[0].upper() + text[1:], data, subject=subject)
        self.settle(False)

    def leave(self, why: str) -> None:
        """It will not be done, because the operator does not want it (any more)."""
        self.say(EventKind.CANCELLED, f"I leave it{': ' + why if why else ''}.")
        self.settle(False)

    def settle(self, succeeded: bool) -> None:
        """Nothing more will come."""
        self.reply.settle(succeeded)

    def add_doubt(self, source: Source, confidence: float = 1.0) -> None:
        """Part of it came in this way: the less sure one counts."""
        self.instruction = msgspec.structs.replace(
            self.instruction,
            source=least_sure(self.instruction.source, source),
            confidence=least(self.instruction.confidence, confidence),
        )


class FreeAnswer(Protocol):
    """Reads answers that are neither a number nor yes or no."""

    def read(self, said: Instruction) -> Any:
        """What it means as an answer; None if it is none."""
        ...


class Answer(NamedTuple):
    """How a question ended.

    choice: the number of an option (yes is 1); 0 is no, or that there is no answer, `why` says why.
    read: what the question's `FreeAnswer` made of what was `said`.
    """

    choice: int
    why: str = ""
    source: Source = Source.PROGRAM
    read: Any = None
    said: Instruction = Instruction("")


class Ask(NamedTuple):
    """A question to whoever gave the instruction.

    options: numbered answers; none for yes or no. typed_only: a recogniser's mistake must not answer it.
    free: what else is an answer. things: what each option is about, by the name that it is known by; "" if
    that is no thing.
    """

    text: str
    options: tuple[str, ...] = ()
    typed_only: bool = False
    free: FreeAnswer | None = None
    things: tuple[str, ...] = ()


class Propose(NamedTuple):
    """The proposer is to say what a text means. The operator's next instruction ends the wait."""

    text: str


class AfterEnd(NamedTuple):
    """Wait until a plan is over, or up and running until somebody ends it."""

    plan: PlanRecord


class Think(NamedTuple):
    """Work of the language, which may take longer than the loop may be held (`thinking.py`)."""

    work: Callable[[], Any]


T = TypeVar("T")
Steps = Generator[Ask | Propose | AfterEnd | Think, Any, T]
