"""The seam between the framework and a language: text in, plans or an honest refusal out.

The grammar itself is above (`grammars`); it is handed in. A parser is pure:
same text, same world, same answer. It never sees a meta command such as "stop".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

import msgspec

from framework.events import Subject
from framework.plan.ast import Condition, Do, Plan
from framework.plugins.service import Help


class Correction(msgspec.Struct, frozen=True):
    """A word that was not known as it stands, and the known one that was taken for it."""

    said: str
    meant: str


class Reading(msgspec.Struct, frozen=True):
    """One way to understand a text.

    confidence: 0 … 1, comparable among the readings of one text; below 0.9 it is confirmed.
    corrections: misspellings that were assumed. left_out: words that nobody knows, without which this is what
    the text means. warned: remarks that warn of it. A reading that has any of these is offered, never carried
    out unasked if anything could move by it.
    follows: it is to come after what is being done ("after that go home").
    reworded: of what is guessed, other words that are read as just this plan.
    """

    plan: Plan
    confidence: float = 1.0
    corrections: tuple[Correction, ...] = ()
    follows: bool = False
    left_out: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    reworded: str = ""

    @property
    def is_assumed(self) -> bool:
        """Whether it is not quite what was said."""
        return bool(self.corrections or self.left_out or self.warned)


class Understood(msgspec.Struct, frozen=True):
    """All readings, the best first; never empty. Equal confidence means that the text is ambiguous."""

    readings: tuple[Reading, ...]


class NotUnderstood(msgspec.Struct, frozen=True):
    """No reading.

    understood: the longest beginning that could have become something.
    expected: what could have followed there, in words.
    reason: a whole sentence, if there is more to say than that.
    kind: NOT_UNDERSTOOD, NO_ACTION or NO_THING.
    unknown: the name that is not known, as it was said.
    answer: what is said to it if it is a question that nobody can answer; it is no refusal then.
    is_request: whether it may want something that is ours to do, or to know; else it is a remark, or a cry.
    """

    understood: str
    expected: tuple[str, ...] = ()
    reason: str = ""
    kind: Subject = Subject.NOT_UNDERSTOOD
    unknown: str = ""
    answer: str = ""
    is_request: bool = True

    def __str__(self) -> str:
        if self.reason:
            return self.reason
        could = _either(self.expected)
        if self.understood:
            after = f'I understood "{self.understood}"'
            return f"{after}; after that could come {could}." if could else f"{after}, but not the rest."
        return f"I did not understand that; an instruction could begin with {could}." if could else _NOTHING


class Completions(msgspec.Struct, frozen=True):
    """What could follow a text, the likeliest first. Each option is the words to add, whole words.

    begun: how much of the text's end an option replaces [characters]; 2 where "red cup" completes "re".
    is_whole: the text as it stands is an instruction already.
    """

    options: tuple[str, ...]
    begun: int = 0
    is_whole: bool = False


class Known(msgspec.Struct, frozen=True):
    """A known thing as a language needs it.

    value: what goes into the plan, unique among its kind. name: what people call it; two may share one.
    says: other ways to say it. hint: what tells it from others of its name ("on the table").
    """

    value: str
    name: str
    says: tuple[str, ...] = ()
    hint: str = ""


class World(Protocol):
    """What is known at the moment, as far as a language needs it. Answers of an unchanged world are equal."""

    def names(self, kind: str) -> tuple[str, ...]:
        """Names of the known things of a kind (a list's provider), as they are shown to people."""
        ...

    def known(self, kind: str) -> tuple[Known, ...]:
        """The same with values, aliases and hints."""
        ...


class NothingKnown:
    """A world without a single known thing."""

    def names(self, kind: str) -> tuple[str, ...]:
        """None."""
        return ()

    def known(self, kind: str) -> tuple[Known, ...]:
        """None."""
        return ()


class Parser(Protocol):
    """A language."""

    def parse(self, text: str, world: World) -> Understood | NotUnderstood:
        """Understand a text, whatever it contains; never raises because of it."""
        ...

    def complete(self, text: str, world: World) -> Completions:
        """What could follow a text that has just been begun; never raises because of it."""
        ...

    def condition(self, text: str, world: World) -> Condition | None:
        """What a clause says is so ("the door is open"); None if it says nothing of that kind."""
        ...

    def help(self, topic: str, world: World) -> Iterable[Help | None]:
        """What can be asked for now; with a topic, only what has to do with it. Never raises.

        None says nothing: it comes where the work of finding out may be interrupted.
        """
        ...


@runtime_checkable
class ReadsPlainly(Protocol):
    """A language that can leave out all that `Parser.parse` does for texts that are not understood."""

    def plainly(self, text: str, world: World) -> tuple[Reading, ...]:
        """The readings of a text as it stands, the best first; none, quickly, if there is none."""
        ...


@runtime_checkable
class Spells(Protocol):
    """A language that puts misspellings right."""

    def spelt(self, text: str, world: World) -> str:
        """The text with the misspellings put right that are certain; what is to be handed on stays."""
        ...


@runtime_checkable
class Guesses(Protocol):
    """A language that has an idea of what is meant by what it does not read."""

    def guess(self, text: str, world: World) -> tuple[Reading, ...]:
        """What it probably means, the likeliest first; nothing if that cannot be said."""
        ...

    def like(self, text: str, world: World) -> str:
        """What of the dialogue itself it is like, by name: "stop", "resume"; empty if it is like nothing."""
        ...


class Wording(Protocol):
    """Puts one action into the words an operator would use for it ("show the environment")."""

    def __call__(self, do: Do) -> str: ...


_NOTHING = "I did not understand that, and there is nothing that I could do."
_MOST_SHOWN = 8


def _either(options: tuple[str, ...]) -> str:
    shown = [f'"{option}"' for option in options[:_MOST_SHOWN]]
    if len(options) > _MOST_SHOWN:
        shown.append("something else")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}" if shown else ""
