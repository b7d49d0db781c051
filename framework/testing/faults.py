"""Scripted faults: what goes wrong, and when, on the running loop's clock.

A plan says at which second which callable is called; it knows nothing about
sensors or processes, those who write a test hand the callables in. The same seed
gives the same faults. What was done, and when, is kept as a timeline for reports.
"""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeAlias

import msgspec

from framework.clock import Clock, LoopClock
from framework.errors import DescriptionError

Action: TypeAlias = Callable[..., object]
"""Called with the fault's arguments; if it returns an awaitable, that is awaited."""

Choice: TypeAlias = "str | Action | tuple[str | Action, *tuple[object, ...]]"
"""A fault's name or callable, alone or followed by its arguments."""


class Fault(msgspec.Struct, frozen=True):
    """One thing to do `at_s` seconds after the plan has begun."""

    at_s: float
    what: str | Action
    arguments: tuple[object, ...] = ()

    def __str__(self) -> str:
        name = self.what if isinstance(self.what, str) else _name(self.what)
        return f"{name}({', '.join(map(_words, self.arguments))})"


class Injected(msgspec.Struct, frozen=True):
    """One thing a plan did; times count from the plan's beginning, `error` is empty if it went well."""

    fault: str
    planned_s: float
    began_s: float
    ended_s: float
    error: str = ""

    def __str__(self) -> str:
        late = f", planned for {self.planned_s:.3f} s" if self.began_s - self.planned_s > 1e-3 else ""
        error = f": {self.error}" if self.error else ""
        return f"{self.began_s:10.3f} s  {self.fault}{late}{error}"


class FaultPlan:
    """Faults in the order of their times; those of one instant in the order they were added.

    Parameters
        named: faults that `at` may name with a string, as a scenario file does.
    """

    def __init__(self, faults: Iterable[Fault] = (), *, named: Mapping[str, Action] | None = None) -> None:
        self._named = dict(named or {})
        self._faults: list[Fault] = []
        self._timeline: list[Injected] = []
        self.extend(faults)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults, in the order in which they will happen."""
        return tuple(sorted(self._faults, key=lambda fault: fault.at_s))

    @property
    def timeline(self) -> tuple[Injected, ...]:
        """What has been done so far."""
        return tuple(self._timeline)

    def at(self, at_s: float, what: str | Action, *arguments: object) -> Self:
        """Add a fault, before `run` is called; returns the plan, for chaining.

        Raises DescriptionError for an unknown name or an impossible time.
        """
        return self.extend([Fault(at_s, what, arguments)])

    def extend(self, faults: Iterable[Fault]) -> Self:
        """Add faults, of `random_faults` for instance; raises as `at` does, and then adds none."""
        new = list(faults)
        for fault in new:
            self._check(fault)
        self._faults += new
        return self

    async def run(self, clock: Clock | None = None) -> tuple[Injected, ...]:
        """Do everything in turn and return the timeline; cancel the task to stop early.

        A fault that takes time delays the next one. One that raises ends the
        plan with its exception: a fault that cannot be injected proves nothing.
        """
        clock = clock or LoopClock()
        start_s = clock.now_s()
        for fault in self.faults:
            wait_s = start_s + fault.at_s - clock.now_s()
            if wait_s > 0.0:
                await clock.sleep(wait_s)
            await self._inject(fault, clock, start_s)
        return self.timeline

    def as_lines(self) -> str:
        """The timeline, one line for each fault, for a report."""
        return "\n".join(map(str, self._timeline))

    async def _inject(self, fault: Fault, clock: Clock, start_s: float) -> None:
        action = self._named[fault.what] if isinstance(fault.what, str) else fault.what
        began_s = clock.now_s() - start_s
        error = ""
        try:
            outcome = action(*fault.arguments)
            if inspect.isawaitable(outcome):
                await outcome
        except BaseException as raised:
            error = repr(raised)
            raise
        finally:
            ended_s = clock.now_s() - start_s
            self._timeline.append(Injected(str(fault), fault.at_s, began_s, ended_s, error))

    def _check(self, fault: Fault) -> None:
        if not (fault.at_s >= 0.0 and math.isfinite(fault.at_s)):
            raise DescriptionError(f"{fault} is planned for {fault.at_s} s; give a time of 0 s or later.")
        if isinstance(fault.what, str) and fault.what not in self._named:
            known = ", ".join(sorted(self._named)) or "none"
            raise DescriptionError(f"There is no fault named {fault.what!r}; known are: {known}.")


def random_faults(seed: int, n: int, choices: Sequence[Choice], mean_interval_s: float) -> Iterator[Fault]:
    """`n` faults drawn from `choices`, at exponentially distributed intervals (a Poisson process).

    Raises DescriptionError if there is nothing to choose from or the interval is not above zero.
    """
    if not choices or not mean_interval_s > 0.0:
        raise DescriptionError(
            f"Random faults need at least one choice and a mean interval above 0 s, "
            f"not {len(choices)} and {mean_interval_s} s."
        )
    return _drawn(random.Random(seed), n, choices, mean_interval_s)


def _drawn(lots: random.Random, n: int, choices: Sequence[Choice], mean_interval_s: float) -> Iterator[Fault]:
    at_s = 0.0
    for _ in range(n):
        at_s += lots.expovariate(1.0 / mean_interval_s)
        choice: Any = lots.choice(choices)
        what, *arguments = choice if isinstance(choice, tuple) else (choice,)
        yield Fault(at_s, what, tuple(arguments))


def _name(action: Action) -> str:
    # Not the qualified name: "<locals>" and addresses would make reports of equal runs differ.
    inner = getattr(action, "func", action)  # functools.partial
    return getattr(inner, "__name__", None) or type(inner).__name__


def _words(argument: object) -> str:
    plain = (
        isinstance(argument, str | int | float | bytes | bool | tuple | msgspec.Struct) or argument is None
    )
    return repr(argument) if plain else type(argument).__name__
