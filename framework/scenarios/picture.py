"""A scenario's timeline as a picture, in lanes: done, expected, shown, devices, plans, said.

Nothing is cut off at the edge: words stand beside their marks on the side where there is room.
"""

from __future__ import annotations

import textwrap
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from framework.scenarios.invariants import Broken
from framework.scenarios.report import Entry, Kind, Line, Report, Struck

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHOWN: Final = ("#1b6ca8", "#2a9d8f", "#7b5ea7", "#b5838d", "#577590", "#8a9a5b")
_STATES: Final = {
    "free": "#e3e6ea",
    "in use": "#7fb685",
    "unplugged": "#d1495b",
    "resting": "#edae49",
    "unavailable": "#b0b4ba",
    "running": "#edc97f",
    "established": "#7fb685",
    "paused": "#b6c8e0",
    "stopping": "#edae49",
    "succeeded": "#4f9d69",
    "failed": "#d1495b",
    "cancelled": "#b0b4ba",
}
_RED: Final = "#b3001b"
_TITLES: Final = {"device": "devices", "plan": "plans"}
_ORDER: Final = ("done", "expected", "broken", "shown", "device", "plan", "said")
_EVENTS: Final = {
    "switched": "#1b6ca8",
    "failed": "#d1495b",
    "error": "#d1495b",
    "emergency": "#d1495b",
    "refused": "#edae49",
    "established": "#4f9d69",
    "ended": "#4f9d69",
    "cancelled": "#6c757d",
}
_DEEDS: Final = {
    Kind.SAID: ("▶", "#1b6ca8"),
    Kind.ACTED: ("▷", "#1b6ca8"),
    Kind.FAULT: ("✖", "#d1495b"),
    Kind.MENDED: ("✚", "#4f9d69"),
    Kind.WAITED: ("…", "#6c757d"),
    Kind.CLEANUP: ("■", "#6c757d"),
}
_MOST_ROWS: Final = 16
_MOST_LETTERS: Final = 120

_DPI: Final = 110
_WIDTH_IN: Final = 14.0
_LEFT, _RIGHT = 0.19, 0.985
"""Where the time axis begins and ends, as parts of the width. Names of groups and lanes stand before it."""

_ROW_IN, _BETWEEN_IN = 0.27, 0.3
_TITLE_LETTERS: Final = 105
_LANE_LETTERS: Final = 30
_BESIDE_PX: Final = 8.0


class _Label(msgspec.Struct, frozen=True):
    """A mark at a time, with words beside it. until_s: a bar reaches there."""

    from_s: float
    until_s: float
    words: str
    colour: str
    wrong: bool = False


def why_no_pictures() -> str:
    """Why nothing can be drawn here, and what to do about it; empty if it can."""
    if find_spec("matplotlib") is not None:
        return ""
    return "there is no matplotlib here to draw with: pip install 'pilothouse[experiments]'"


def draw(report: Report, file: Path) -> None:
    """Draw the timeline into `file`, whose ending says the format. Raises OSError if it cannot be written."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    end_s = 1.02 * max([report.took_s, *(entry.ended_s for entry in report.entries), 0.1])
    measure = _Measure(end_s)
    struck = [_strike(each) for each in report.struck if not each.never and not each.error]
    deeds = [_deed(entry) for entry in report.entries if entry.kind in _DEEDS]
    wishes = [entry for entry in report.entries if entry.kind is Kind.EXPECTED]
    labels = {
        "done": _packed(sorted([*deeds, *struck], key=lambda label: label.from_s), measure, 8),
        "expected": _packed([_wish(each) for each in wishes], measure, 8),
        "broken": _packed([_breach(each) for each in report.broken], measure, 8),
        "said": _packed([_said(line) for line in report.lines if line.kind in _EVENTS], measure, 7),
    }
    lanes = {
        group: sorted({span.lane for span in report.spans if span.group == group}, key=_by_number)
        for group in ("shown", "device", "plan")
    }
    order = [each for each in _ORDER if each != "broken" or report.broken]
    rows = {name: max(1, len(labels.get(name) or lanes.get(name) or ())) for name in order}
    title = _title(report)
    below = textwrap.wrap(textwrap.shorten(_plain(report.failure), 400), 150) if report.failure else []
    top_in, bottom_in = 0.25 + 0.24 * len(title), 0.55 + 0.2 * len(below)
    heights_in = [_ROW_IN * (count + 0.6) for count in rows.values()]
    height_in = top_in + bottom_in + sum(heights_in) + _BETWEEN_IN * len(rows)
    figure = Figure(figsize=(_WIDTH_IN, height_in))
    FigureCanvasAgg(figure)
    figure.subplots_adjust(
        left=_LEFT,
        right=_RIGHT,
        top=1.0 - top_in / height_in,
        bottom=bottom_in / height_in,
        hspace=_BETWEEN_IN * len(rows) / sum(heights_in),
    )
    axes = figure.subplots(
        len(rows), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights_in}
    )
    faults = [entry.began_s for entry in report.entries if entry.kind is Kind.FAULT]
    faults += [each.from_s for each in struck]
    for each, name in zip(axes[:, 0], order, strict=True):
        if name in labels:
            _draw_labels(each, labels[name], measure, small=name == "said")
        else:
            _draw_spans(each, report, name, lanes[name])
        each.set_xlim(0.0, end_s)
        each.set_ylim(rows[name] - 0.4, -0.6)
        where = ("figure fraction", "axes fraction")
        each.annotate(
            _TITLES.get(name, name), (0.008, 0.5), xycoords=where, va="center", fontsize=10, fontweight="bold"
        )
        each.spines[["top", "right"]].set_visible(False)
        each.grid(axis="x", color="#e9ecef", zorder=0)
        each.vlines(faults, 0, 1, transform=each.get_xaxis_transform(), color=_RED, lw=0.8, ls=":", zorder=1)
    axes[-1, 0].set_xlabel("seconds since the beginning")
    colour = "#2b7a4b" if report.passed else _RED
    for number, line in enumerate(title):
        y = 1.0 - (0.14 + 0.24 * number) / height_in
        figure.text(0.008, y, line, color=colour, fontsize=12, fontweight="bold", va="center")
    for number, line in enumerate(reversed(below)):
        figure.text(0.008, (0.1 + 0.2 * number) / height_in, line, color=colour, fontsize=9, va="center")
    figure.savefig(file, dpi=_DPI)


def _title(report: Report) -> list[str]:
    word = "passed" if report.passed else "FAILED"
    numbers = ", ".join(f"{name} {value:g}" for name, value in report.numbers.items())
    words = f"{report.scenario}: {word}   (seed {report.seed}, {report.clock.value} clock; {numbers})"
    return textwrap.wrap(_plain(words), _TITLE_LETTERS) or [""]


class _Measure:
    """How long words and times are on paper, in points of the picture."""

    def __init__(self, end_s: float) -> None:
        from matplotlib.backends.backend_agg import RendererAgg

        self.width_px = (_RIGHT - _LEFT) * _WIDTH_IN * _DPI
        self._px_per_s = self.width_px / end_s
        self._renderer = RendererAgg(1, 1, _DPI)  # type: ignore[no-untyped-call]

    def at(self, t_s: float) -> float:
        """Where a time is, from the left end of the axis."""
        return t_s * self._px_per_s

    def words(self, words: str, size: float) -> float:
        """How wide they are at a size."""
        from matplotlib.font_manager import FontProperties

        prop = FontProperties(size=size)
        text = self._renderer
        measured = text.get_text_width_height_descent(words, prop, False)  # type: ignore[no-untyped-call]
        return float(measured[0])


def _deed(entry: Entry) -> _Label:
    sign, colour = _DEEDS[entry.kind]
    wrong = entry.ok is False
    return _Label(entry.began_s, entry.ended_s, f"{sign} {entry.text}{'  ✗' if wrong else ''}", colour, wrong)


def _wish(entry: Entry) -> _Label:
    if entry.ok:
        words = f"✓ {entry.text}, after {entry.ended_s - entry.began_s:.2f} s"
        return _Label(entry.began_s, entry.ended_s, words, "#4f9d69")
    bound = f" within {entry.within_s:g} s" if entry.within_s is not None else ""
    return _Label(entry.began_s, entry.ended_s, f"✗ {entry.text}, NOT{bound}", _RED, True)


def _strike(struck: Struck) -> _Label:
    lasts_s = struck.strike.lasts_s
    words = f"✖ {struck.strike.fail} when {struck.strike.when}"
    return _Label(struck.at_s, struck.at_s + lasts_s, words, "#d1495b")


def _breach(broken: Broken) -> _Label:
    return _Label(broken.at_s, broken.at_s, f"✗ {broken.breach.value}: {broken.words}", _RED, True)


def _said(line: Line) -> _Label:
    return _Label(line.t_s, line.t_s, f"{line.kind}: {line.text}", _EVENTS[line.kind])


class _Placed(msgspec.Struct, frozen=True):
    """A label with its words where there is room for them: beginning so far from the left end of the axis."""

    label: _Label
    words: str
    words_px: float


def _placed(label: _Label, measure: _Measure, size: float) -> tuple[_Placed, float, float]:
    """Words stand right of the mark, or left of it, or as far right as they fit; and what that takes."""
    words = _short(label.words)
    width = measure.words(words, size)
    begin, end = measure.at(label.from_s), measure.at(label.until_s)
    if end + _BESIDE_PX + width <= measure.width_px:
        at = end + _BESIDE_PX
    elif begin - _BESIDE_PX - width >= 0.0:
        at = begin - _BESIDE_PX - width
    else:
        at = max(measure.width_px - width, 0.0)
    return _Placed(label, words, at), min(begin, at) - 6.0, max(end, at + width) + 6.0


def _packed(labels: list[_Label], measure: _Measure, size: float) -> list[list[_Placed]]:
    """As few rows as the words need; what finds no room any more is left out, but no failure."""
    rows: list[list[_Placed]] = []
    taken: list[list[tuple[float, float]]] = []
    for label in labels:
        placed, begin, end = _placed(label, measure, size)
        row = next(
            (n for n, each in enumerate(taken) if all(end <= low or begin >= high for low, high in each)),
            None,
        )
        if row is None:
            if len(rows) >= _MOST_ROWS and not label.wrong:
                continue
            rows.append([])
            taken.append([])
            row = len(rows) - 1
        rows[row].append(placed)
        taken[row].append((begin, end))
    return rows


def _draw_labels(axes: Axes, rows: list[list[_Placed]], measure: _Measure, *, small: bool) -> None:
    axes.set_yticks([])
    for row, placed in enumerate(rows):
        for each in placed:
            label = each.label
            if label.until_s > label.from_s:
                axes.barh(
                    row,
                    label.until_s - label.from_s,
                    left=label.from_s,
                    height=0.6,
                    color=label.colour,
                    alpha=0.4,
                    zorder=2,
                )
            axes.plot([label.from_s], [row], "o", color=label.colour, ms=4, zorder=3)
            axes.annotate(
                each.words,
                (each.words_px / measure.width_px, row),
                xycoords=axes.get_yaxis_transform(),
                va="center",
                fontsize=7 if small else 8,
                color=_RED if label.wrong else "#212529",
                zorder=4,
            )


def _draw_spans(axes: Axes, report: Report, group: str, lanes: list[str]) -> None:
    axes.set_yticks(range(len(lanes)), [_short(lane, _LANE_LETTERS) for lane in lanes], fontsize=8)
    if not lanes:
        axes.set_yticks([])
        axes.text(0.0, 0.0, " nothing", va="center", color="#6c757d", fontsize=8)
    for span in report.spans:
        if span.group != group:
            continue
        row = lanes.index(span.lane)
        width = max(span.to_s - span.from_s, 0.004 * max(report.took_s, 0.1))
        colour = _SHOWN[row % len(_SHOWN)] if group == "shown" else _STATES.get(span.label, "#adb5bd")
        axes.barh(row, width, left=span.from_s, height=0.7, color=colour, zorder=2)
        if group != "shown" and width > 0.06 * report.took_s:
            axes.text(span.from_s, row, f" {_short(span.label, 20)}", va="center", fontsize=7)


def _by_number(lane: str) -> tuple[int, str]:
    """Plans ("2: show the scan") in their order, the rest by name."""
    number, colon, _ = lane.partition(":")
    return (int(number), lane) if colon and number.isdigit() else (0, lane)


def _short(text: str, most: int = _MOST_LETTERS) -> str:
    text = _plain(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _plain(text: str) -> str:
    """Not read as a formula, and without what the font has no glyph for."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return printable.replace("$", r"\$")
