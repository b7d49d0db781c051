"""The seam between a tree and what carries an action out. The real runner is in `framework.plugins`.

A tree knows of a runner only what stands here, so its tests script theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from framework.events import Event
from framework.interlock import Permit
from framework.plan.ast import Compare, Do, State
from framework.plan.signature import Signatures
from framework.plugins.events import Outcome, RunState
from framework.plugins.service import SupervisorService
from framework.plugins.withheld import Withheld

#: A runner says something to people.
Say = Callable[[Event], None]


class Runner(Protocol):
    """One run of one action.

    Each change of state or detail is followed by `changed`: the tree does not look otherwise.
    """

    @property
    def state(self) -> RunState: ...

    @property
    def detail(self) -> str: ...

    @property
    def fraction(self) -> float:
        """How much is done, 0 to 1; -1 where that is not known."""
        ...

    @property
    def value(self) -> Any: ...

    @property
    def memory(self) -> Any:
        """What the action remembers of its runs (`Action.memory`); None if nothing."""
        ...

    def withholds(self, wanted: Sequence[Any]) -> Withheld:
        """Which of these requests (`RunnerFactory.needed_alone`) would wait for what it has just now."""
        ...

    async def run(self) -> Outcome:
        """Carry the action out; never raises for the action's own errors."""
        ...

    def cancel(self, why: str, *, by_word: bool = False) -> None:
        """End it; `run` returns soon. Idempotent, also before `run` has begun.

        by_word: the operator whose action it is has said so.
        """
        ...

    def pause(self) -> None:
        """Hold on without giving anything up."""
        ...

    def resume(self) -> None:
        """Go on after `pause`."""
        ...

    def answer(self, text: str) -> object:
        """What the operator says to an action that is asking."""
        ...


class RunnerFactory(Signatures, Protocol):
    """Makes the runner of an action, and knows its signature: what "it" means depends on that."""

    def runner(
        self,
        do: Do,
        parameters: Mapping[str, Any],
        *,
        say: Say,
        changed: Callable[[], None],
        who: str,
        permit: Permit,
        memory: Any = None,
    ) -> Runner:
        """A fresh runner, known to others as `who`; `parameters` hold no references any more.

        memory: what its action remembers from the beginning; by default nothing.

        permit: names the plan and the node for which it asks (`framework.interlock`).

        Raises PilothouseError if there can be none.
        """
        ...

    def serve(self, service: SupervisorService) -> None:
        """Actions that are started from now on reach the supervisor through this."""
        ...

    def collide(self, one: Do, other: Do) -> str:
        """What both need for themselves alone without an alternative, in words; empty if there is nothing."""
        ...

    def needed_alone(self, do: Do) -> Sequence[Any]:
        """What it needs for itself alone without an alternative, as requests."""
        ...

    def is_continuous(self, do: Do) -> bool:
        """Whether the action stays after it is established."""
        ...


class Conditions(Protocol):
    """Whether something is so. Leaves only: a State or a Compare."""

    def read(self, condition: State | Compare) -> bool | None:
        """Whether it holds now; None if that cannot be told."""
        ...

    def is_finding_out(self, condition: State | Compare) -> bool:
        """Whether it cannot be told yet, but may be soon: a sensor is being started for it, for instance."""
        ...

    def why_undecidable(self, condition: State | Compare) -> str:
        """Why it could not be told whatever comes, and what it would take, in words; empty if it may be."""
        ...

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` whenever an answer may have changed; returns what ends that."""
        ...


class NoConditions:
    """Nothing can be told about anything."""

    def read(self, condition: State | Compare) -> bool | None:
        """Unknown."""
        return None

    def is_finding_out(self, condition: State | Compare) -> bool:
        """Never."""
        return False

    def why_undecidable(self, condition: State | Compare) -> str:
        """There is nobody to say."""
        return ""

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Nothing ever changes."""
        return lambda: None
