"""`pilothouse status`: what runs, what it uses, what depends on what, and how it is."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pilothouse.cli.api import Api

COLOURS = {
    "ready": "green",
    "starting": "cyan",
    "degraded": "yellow",
    "unsteady": "yellow",
    "retrying": "yellow",
    "needs a human": "magenta",
    "failed": "red",
    "stopping": "cyan",
}

_STATE_WIDTH: Final = 13
"""In the lines of a table, at least: "needs a human" [columns]."""

_HELD_SHOWN: Final = 3
"""So many of the last times that the main loop was held."""

_ANY_WIDTH: Final = 10_000
"""More than any table needs [columns]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Ask, print."""
    status = Api.of_state(arguments.state).get("/api/status")
    if arguments.json:
        print(json.dumps(status, indent=1))
    else:
        show(status, Console(highlight=False))
    return 0


def show(status: dict[str, Any], console: Console) -> None:
    """The status as tables."""
    health = status["health"]
    emergency = health.get("emergency", "")
    if emergency:
        console.print(Text(f"EMERGENCY STOP: {emergency}", style="bold white on red"))
    plans = status["plans"]
    console.print(Text("Nothing is being done." if not plans else "Being done:", style="bold"))
    for plan in plans:
        by = f" ({plan['who']})" if plan.get("who") else ""
        console.print(Text(f"plan {plan['id']}: {plan['words']} [{plan['state']}]{by}"))
        console.print(Text(indented(plan["picture"])))
    for question in status.get("questions", ()):
        console.print(Text(in_words(question), style="magenta"))
    console.print()
    _resources(status["resources"], console)
    _providers(status["providers"], console)
    if status.get("streams"):
        _streams(status["streams"], console)
    lag_ms, pages = health.get("loop_lag_ms_p99"), health.get("pages")
    console.print(Text(f"main loop's lag {lag_ms} ms (p99); console pages open: {pages}", style="dim"))
    for held in health.get("loop_held_last", ())[-_HELD_SHOWN:]:
        where = "/".join(held["file"].split("/")[-2:])
        words = f"held up everything for {held['held_ms'] / 1e3:.1f} s: {where}:{held['line']}"
        console.print(Text(f"{held['ago_s']:.0f} s ago the {held['who']} {words}", style="yellow"))
    for name in health.get("unavailable_actions", ()):
        console.print(
            Text(f"the action {name} is unavailable; `pilothouse actions` says why", style="yellow")
        )


def in_words(question: dict[str, Any]) -> str:
    """An open question: whose it is, how it can be answered, how long still."""
    answers = ", ".join(f"{number}: {each}" for number, each in enumerate(question["options"], start=1))
    left_s = question.get("left_s")
    left = f"{left_s:.0f} s left" if left_s is not None else "no hurry"
    who = question["who"] or "anybody"
    return f"Asked of {who}: {question['text']} ({answers or 'yes or no'}; {left})"


def indented(text: str) -> str:
    """Each line two places to the right."""
    return "\n".join(f"  {line}" for line in text.splitlines())


def _resources(resources: list[dict[str, Any]], console: Console) -> None:
    rows = []
    for resource in resources:
        state = resource["state"]
        detail = f" ({resource['detail']})" if resource.get("detail") else ""
        rows.append(
            (
                Text(f"{resource['registrar']}/{resource['request']}"),
                Text(state + detail, style=COLOURS.get(state, "")),
                Text("\n".join(resource["used_by"])),
                Text("\n".join(resource["depends_on"])),
            )
        )
    _show("Resources", ("resource", "state", "used by", "depends on"), rows, console)


def _providers(providers: list[dict[str, Any]], console: Console) -> None:
    rows = [
        (
            Text(device["name"]),
            Text(device["kind"]),
            Text(device["state"] + (f": {device['detail']}" if device.get("detail") else "")),
            Text(f"{device['reliability']:.2f}"),
        )
        for device in providers
    ]
    _show("Devices", ("device", "kind", "state", "reliability"), rows, console)


def _streams(streams: list[dict[str, Any]], console: Console) -> None:
    rows = [
        (
            Text(stream["name"]),
            Text(stream["format"]),
            Text(f"{stream['rate_hz']:.1f} Hz"),
            Text(f"{1000 * stream['age_s']:.0f} ms"),
            Text(str(stream["watchers"])),
        )
        for stream in streams
    ]
    _show("Streams", ("stream", "format", "rate", "age", "watchers"), rows, console)


def _show(title: str, columns: Sequence[str], rows: Sequence[Sequence[Text]], console: Console) -> None:
    """As a table if it has room; else one below the other. Names stay whole: they are typed again.

    Only what the state says goes on in a second line.
    """
    table = Table(title=title, title_justify="left")
    for column, cells in zip(columns, zip(*rows, strict=True) if rows else ((),) * len(columns), strict=True):
        is_state = column == "state"
        widest = max((cell.__rich_measure__(console, console.options).maximum for cell in cells), default=0)
        table.add_column(column, no_wrap=not is_state, min_width=_STATE_WIDTH if is_state else widest)
    for row in rows:
        table.add_row(*row)
    if console.measure(table, options=console.options.update(width=_ANY_WIDTH)).minimum <= console.width:
        console.print(table)
        return
    console.print(Text(title, style="italic"))
    for row in rows:
        console.print(row[0], soft_wrap=True)
        for column, cell in zip(columns[1:], row[1:], strict=True):
            for line in cell.split("\n") if cell else ():
                console.print(Text.assemble(f"  {column}: ", line), soft_wrap=True)
