"""The coverage of a campaign as a picture: places and ways to fail down, actions and their phases across."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from framework.scenarios.campaign.coverage import Cell, Coverage
from framework.scenarios.campaign.report import CampaignReport

HOLE, OUT, STRUCK = "#d1495b", "#e3e6ea", ("#cfe8d5", "#9fd0ac", "#5fae76", "#2b7a4b")
_FROM: Final = (1, 3, 10, 30)
"""From so many strikes on a cell is darker."""


class Square(msgspec.Struct, frozen=True):
    """One cell as it is drawn."""

    cell: Cell
    colour: str
    words: str


def rows(coverage: Coverage) -> list[tuple[str, list[Square]]]:
    """For each place and way to fail, in order: its name, and its cell in each phase of each action."""
    out = coverage.out
    return [
        (
            f"{place.name}: {how.value}",
            [_square(coverage, out, Cell(place.name, how, moment)) for moment in coverage.moments],
        )
        for place in coverage.places
        for how in place.ways
    ]


def _square(coverage: Coverage, out: dict[Cell, str], cell: Cell) -> Square:
    times = coverage.struck.get(cell, 0)
    if times:
        shade = sum(times >= least for least in _FROM) - 1
        return Square(cell, STRUCK[shade], f"{cell}: {times}")
    if cell in out:
        return Square(cell, OUT, f"{cell}: out of reach: {out[cell]}")
    return Square(cell, HOLE, f"{cell}: never")


def draw(report: CampaignReport, file: Path) -> None:
    """Into `file`, whose ending says the format. Raises OSError if it cannot be written."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import to_rgb
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    table = rows(report.coverage)
    moments = list(report.coverage.moments)
    figure = Figure(figsize=(3.8 + 0.27 * len(moments), 3.4 + 0.165 * len(table)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    rgb = {colour: to_rgb(colour) for colour in (HOLE, OUT, *STRUCK)}
    axes.imshow([[rgb[square.colour] for square in squares] for _, squares in table], aspect="auto")
    axes.set_xticks([number - 0.5 for number in range(len(moments) + 1)], minor=True)
    axes.set_yticks([number - 0.5 for number in range(len(table) + 1)], minor=True)
    axes.grid(which="minor", color="white", lw=1.5)
    axes.set_xlim(-0.6, len(moments) - 0.4)
    axes.set_ylim(len(table) - 0.4, -0.6)
    axes.set_yticks(range(len(table)), [name for name, _ in table], fontsize=7)
    axes.set_xticks(range(len(moments)), [str(each) for each in moments], fontsize=7, rotation=90)
    axes.xaxis.tick_top()
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    for number in range(1, len(table)):
        if table[number][0].split(":")[0] != table[number - 1][0].split(":")[0]:
            axes.axhline(number - 0.5, color="#adb5bd", lw=0.6)
    for number in range(1, len(moments)):
        if moments[number].action != moments[number - 1].action:
            axes.axvline(number - 0.5, color="#adb5bd", lw=0.6)
    legend = [
        Patch(color=colour, label="once" if least == 1 else f"{least} times and more")
        for least, colour in zip(_FROM, STRUCK, strict=True)
    ]
    legend += [Patch(color=HOLE, label="never: a hole"), Patch(color=OUT, label="out of reach")]
    axes.legend(
        handles=legend, loc="upper center", bbox_to_anchor=(0.5, -0.005), ncols=3, frameon=False, fontsize=7
    )
    figure.suptitle(
        f"{report.faults} faults: {report.coverage.percent:.1f} % of the cells in reach were struck",
        fontsize=10,
        fontweight="bold",
    )
    figure.savefig(file, dpi=120)
