"""What an experiment is: how it is run, what it is compared with, what it has to reach. Nothing runs here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

Figure = float | int | bool | None
"""One result; None where it could not be measured here."""

Figures = dict[str, Figure]
"""Results by name; a name carries its unit (`new_us_1000`, `notify_ms_p99`)."""


class Progress(Protocol):
    """How far it is, for whoever watches. Cheap enough to be called between measurements."""

    def begin(self, what: str, steps: int) -> None:
        """The next part of the run: what is measured, in how many steps."""
        ...

    def step(self) -> None:
        """One step of this part is done."""
        ...


class Direction(Enum):
    """On which side of its bound a figure has to lie."""

    AT_MOST = "≤"
    AT_LEAST = "≥"
    EXACTLY = "="


class Goal(msgspec.Struct, frozen=True):
    """What a figure has to reach. `bound` is in the figure's unit."""

    direction: Direction
    bound: float | bool

    def __str__(self) -> str:
        return f"{self.direction.value} {shown(self.bound)}"

    def is_met(self, figure: Figure) -> bool:
        """Whether the figure reaches it; what could not be measured does not."""
        if figure is None:
            return False
        match self.direction:
            case Direction.AT_MOST:
                return figure <= self.bound
            case Direction.AT_LEAST:
                return figure >= self.bound
            case Direction.EXACTLY:
                return figure == self.bound


def at_most(bound: float) -> Goal:
    """The figure is to be this or less."""
    return Goal(Direction.AT_MOST, bound)


def at_least(bound: float) -> Goal:
    """The figure is to be this or more."""
    return Goal(Direction.AT_LEAST, bound)


def exactly(bound: float | bool) -> Goal:
    """The figure is to be just this."""
    return Goal(Direction.EXACTLY, bound)


def shown(figure: Figure) -> str:
    """A figure as people read it: three digits, "yes" and "no", "–" where nothing was measured."""
    if figure is None:
        return "–"
    if isinstance(figure, bool):
        return "yes" if figure else "no"
    if isinstance(figure, int) or abs(figure) >= 1000:
        return f"{figure:.0f}"
    return f"{figure:.3g}"


Run = Callable[[Progress, int], Figures | Awaitable[Figures]]
RunOn = Callable[[Mapping[str, Path]], Run]
Plot = Callable[["Picture", Figures], None]


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """One experiment.

    Attributes:
        name: what people type.
        summary: one line.
        run: takes the progress and the seed, returns the figures; may be a coroutine function.
        run_on: the same on files that were handed in, by their option; None takes no files.
        paper_title: whose numbers `paper` holds, as the head of a column.
        paper: the published (or measured) numbers to compare with, under the figures' names.
        peers: the numbers of others besides, by the head of their column.
        goals: what the figures have to reach.
        plot: draws them; None draws a bar for each figure beside the paper's.
        notes: what one has to know to read the figures, a sentence each.
    """

    name: str
    summary: str
    run: Run
    run_on: RunOn | None = None
    paper_title: str = "paper"
    paper: Mapping[str, Figure] = {}
    peers: Mapping[str, Mapping[str, Figure]] = {}
    goals: Mapping[str, Goal] = {}
    plot: Plot | None = None
    notes: tuple[str, ...] = ()

    def missed(self, figures: Figures) -> tuple[str, ...]:
        """The figures that do not reach their goals."""
        return tuple(name for name, goal in self.goals.items() if not goal.is_met(figures.get(name)))
