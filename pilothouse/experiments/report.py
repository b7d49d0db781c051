"""What is made of an experiment's figures: a JSON document, a table for people, a picture."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Mapping
from pathlib import Path

import msgspec
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pilothouse.experiments.definition import Experiment, Figure, Figures, shown


class Machine(msgspec.Struct, frozen=True):
    """Where it was measured, as far as that matters to the figures; it names no host and no path."""

    cpu: str
    cores: int
    python: str
    platform: str


class Document(msgspec.Struct, frozen=True):
    """What `--json` writes."""

    name: str
    figures: Figures
    paper: Mapping[str, Figure]
    seed: int
    machine: Machine


def document(experiment: Experiment, figures: Figures, seed: int) -> Document:
    """The result in its published form; a number that is not finite becomes null."""
    plain = {name: _finite(figure) for name, figure in figures.items()}
    return Document(experiment.name, plain, experiment.facts.paper, seed, this_machine())


def written(result: Document) -> bytes:
    """As JSON, indented."""
    return msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"


def this_machine() -> Machine:
    """This machine."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    libc = " ".join(filter(None, platform.libc_ver()))
    system = f"{platform.system()} {platform.machine()}" + (f", {libc}" if libc else "")
    return Machine(_cpu_model(), len(os.sched_getaffinity(0)), python, system)


def table(experiment: Experiment, figures: Figures) -> Group:
    """The figures beside the paper's and the others', with the goals and whether they were met."""
    grid = Table(title=f"{experiment.name}: {experiment.facts.summary}", title_justify="left")
    grid.add_column("figure")
    grid.add_column("here", justify="right")
    grid.add_column("goal", justify="right")
    grid.add_column("met")
    columns = {experiment.facts.paper_title: experiment.facts.paper, **experiment.facts.peers}
    columns = {title: numbers for title, numbers in columns.items() if numbers}
    for title in columns:
        grid.add_column(title, justify="right")
    goals = experiment.facts.goals
    for name, figure in figures.items():
        goal = goals.get(name)
        met = Text("")
        if goal is not None:
            met = Text("yes", style="green") if goal.is_met(figure) else Text("no", style="bold red")
        others = [shown(numbers[name]) if name in numbers else "" for numbers in columns.values()]
        grid.add_row(name, shown(figure), str(goal) if goal is not None else "", met, *others)
    return Group(grid, *(Text(f"· {note}", style="dim") for note in experiment.notes))


def picture(experiment: Experiment, figures: Figures, file: Path) -> None:
    """Draw the figures into `file`, whose ending says the format. Raises OSError if it cannot be written."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Picture

    drawing = Picture(figsize=(9.0, 6.0), layout="constrained")
    FigureCanvasAgg(drawing)
    if experiment.plot is not None:
        experiment.plot(drawing, figures)
    else:
        _bars(drawing, experiment, figures)
    drawing.savefig(file, dpi=120)


def formats() -> tuple[str, ...]:
    """The endings a picture may have."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    return tuple(sorted(FigureCanvasAgg.get_supported_filetypes()))


def _bars(drawing: object, experiment: Experiment, figures: Figures) -> None:
    """A bar for each number, beside the paper's where it has one."""
    from matplotlib.figure import Figure as Picture

    assert isinstance(drawing, Picture)
    axes = drawing.add_subplot()
    numbers = {
        name: float(figure)
        for name, figure in figures.items()
        if figure is not None and math.isfinite(figure)
    }
    places = range(len(numbers))
    axes.barh([place - 0.2 for place in places], list(numbers.values()), 0.4, label="here")
    paper = [(place, experiment.facts.paper.get(name)) for place, name in enumerate(numbers)]
    known = [(place, float(figure)) for place, figure in paper if figure is not None]
    if known:
        axes.barh(
            [place + 0.2 for place, _ in known],
            [figure for _, figure in known],
            0.4,
            label=experiment.facts.paper_title,
        )
    axes.set_yticks(list(places), list(numbers))
    axes.invert_yaxis()
    axes.set_title(f"{experiment.name}: {experiment.facts.summary}")
    axes.legend()


def _finite(figure: Figure) -> Figure:
    return figure if figure is None or math.isfinite(figure) else None


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return platform.processor() or "unknown"
