"""What an experiment is: how it is run, what it is compared with, what it has to reach. Nothing runs here.

What is not code stands in the experiment's `experiment.yaml` (`Facts`); its package has the rest: `measure`,
and if there is more to it `measure_on` (files that were handed in) and `draw`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
import yaml

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


class Facts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `experiment.yaml` says of an experiment.

    Attributes:
        summary: one line.
        paper_title: whose numbers `paper` holds, as the head of a column.
        paper: the published (or measured) numbers to compare with, under the figures' names.
        peers: the numbers of others besides, by the head of their column.
        at_most, at_least, exactly: what the figures have to reach.
        notes: what one has to know to read the figures; {NAME} is a constant of the package.
        files: files that can be handed in, by their option, and what they are.
    """

    summary: str
    paper_title: str = "paper"
    paper: Mapping[str, Figure] = {}
    peers: Mapping[str, Mapping[str, Figure]] = {}
    at_most: Mapping[str, float | int] = {}
    at_least: Mapping[str, float | int] = {}
    exactly: Mapping[str, float | int | bool] = {}
    notes: tuple[str, ...] = ()
    files: Mapping[str, str] = {}

    @property
    def goals(self) -> dict[str, Goal]:
        """What the figures have to reach, by their names."""
        bounds = (
            (Direction.AT_MOST, self.at_most),
            (Direction.AT_LEAST, self.at_least),
            (Direction.EXACTLY, self.exactly),
        )
        return {name: Goal(way, bound) for way, figures in bounds for name, bound in figures.items()}


@cache
def facts(name: str) -> Facts:
    """The facts of the experiment that people type so. Raises OSError if there is none."""
    file = Path(__file__).parent / name.replace("-", "_") / "experiment.yaml"
    return msgspec.convert(yaml.safe_load(file.read_text(encoding="utf-8")), Facts)


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """One experiment.

    Attributes:
        name: what people type.
        facts: what `experiment.yaml` says of it.
        run: takes the progress and the seed, returns the figures; may be a coroutine function.
        run_on: the same on files that were handed in, by their option; None takes no files.
        plot: draws them; None draws a bar for each figure beside the paper's.
        notes: those of the facts, with their constants.
    """

    name: str
    facts: Facts
    run: Run
    run_on: RunOn | None = None
    plot: Plot | None = None
    notes: tuple[str, ...] = ()

    def missed(self, figures: Figures) -> tuple[str, ...]:
        """The figures that do not reach their goals."""
        return tuple(name for name, goal in self.facts.goals.items() if not goal.is_met(figures.get(name)))
