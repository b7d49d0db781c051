"""A scenario's timeline as a picture, in lanes: done, expected, shown, devices, plans, said."""

from __future__ import annotations

import textwrap
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from framework.scenarios.report import Entry, Kind, Line, Report

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
_LETTER: Final = 0.0062
"""How wide a letter of a label is, as a part of the time axis."""

_MOST_ROWS: Final = 16
_MOST_LETTERS: Final = 90


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

    end_s = max([report.took_s, *(entry.ended_s for entry in report.entries), 0.1])
    labels = {
        "done": _packed([_deed(entry) for entry in report.entries if entry.kind in _DEEDS], end_s),
        "expected": _packed([_wish(each) for each in report.entries if each.kind is Kind.EXPECTED], end_s),
        "said": _packed([_said(line) for line in report.lines if line.kind in _EVENTS], end_s),
    }
    lanes = {
        group: sorted({span.lane for span in report.spans if span.group == group}, key=_by_number)
        for group in ("shown", "device", "plan")
    }
    order = ("done", "expected", "shown", "device", "plan", "said")
    rows = {name: max(1, len(labels.get(name) or lanes.get(name) or ())) for name in order}
    figure = Figure(figsize=(14.0, 1.8 + 0.27 * sum(rows.values()) + 0.3 * len(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(
        len(rows), 1, sharex=True, gridspec_kw={"height_ratios": [count + 0.6 for count in rows.values()]}
    )
    faults = [entry.began_s for entry in report.entries if entry.kind is Kind.FAULT]
    for each, name in zip(axes, order, strict=True):
        if name in labels:
            _draw_labels(each, labels[name], small=name == "said")
        else:
            _draw_spans(each, report, name, lanes[name])
        each.set_xlim(-0.01 * end_s, 1.3 * end_s)
        each.set_ylim(rows[name] - 0.4, -0.6)
        each.set_ylabel(_TITLES.get(name, name), rotation=0, ha="right", va="center", fontweight="bold")
        each.spines[["top", "right"]].set_visible(False)
        each.grid(axis="x", color="#e9ecef", zorder=0)
        each.vlines(faults, 0, 1, transform=each.get_xaxis_transform(), color=_RED, lw=0.8, ls=":", zorder=1)
    axes[-1].set_xlabel("seconds since the beginning")
    word, colour = ("passed", "#2b7a4b") if report.passed else ("FAILED", _RED)
    numbers = ", ".join(f"{name} {value:g}" for name, value in report.numbers.items())
    figure.suptitle(
        f"{_plain(report.scenario)}: {word}   (seed {report.seed}, {report.clock.value} clock; {numbers})",
        color=colour,
        fontsize=12,
        fontweight="bold",
    )
    if report.failure:
        shown = textwrap.shorten(_plain(report.failure), 400)
        figure.supxlabel("\n".join(textwrap.wrap(shown, 150)), color=colour, fontsize=9)
    figure.savefig(file, dpi=110)


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


def _said(line: Line) -> _Label:
    return _Label(line.t_s, line.t_s, f"{line.kind}: {line.text}", _EVENTS[line.kind])


def _packed(labels: list[_Label], end_s: float) -> list[list[_Label]]:
    """As few rows as the words need; what finds no room any more is left out, but no failure."""
    rows: list[list[_Label]] = []
    ends: list[float] = []
    for label in labels:
        width_s = _LETTER * 1.3 * end_s * (len(_short(label.words)) + 3)
        row = next((row for row, end in enumerate(ends) if end <= label.from_s), None)
        if row is None:
            if len(rows) >= _MOST_ROWS and not label.wrong:
                continue
            rows.append([])
            ends.append(0.0)
            row = len(rows) - 1
        rows[row].append(label)
        ends[row] = label.until_s + width_s
    return rows


def _draw_labels(axes: Axes, rows: list[list[_Label]], *, small: bool) -> None:
    axes.set_yticks([])
    for row, labels in enumerate(rows):
        for label in labels:
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
                _short(label.words),
                (label.until_s, row),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                fontsize=7 if small else 8,
                color=_RED if label.wrong else "#212529",
            )


def _draw_spans(axes: Axes, report: Report, group: str, lanes: list[str]) -> None:
    axes.set_yticks(range(len(lanes)), [_short(lane, 40) for lane in lanes], fontsize=8)
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
