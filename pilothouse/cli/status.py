"""`pilothouse status`: what runs, what it uses, what depends on what, and how it is."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from framework.state import StateFolder
from pilothouse.cli.api import Api
from pilothouse.cli.running import find

COLOURS = {
    "ready": "green",
    "starting": "cyan",
    "degraded": "yellow",
    "retrying": "yellow",
    "needs a human": "magenta",
    "failed": "red",
    "stopping": "cyan",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Ask, print."""
    status = Api(find(StateFolder(arguments.state))).get("/api/status")
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
    console.print(_resources(status["resources"]))
    console.print(_providers(status["providers"]))
    if status.get("streams"):
        console.print(_streams(status["streams"]))
    lag_ms, pages = health.get("loop_lag_ms_p99"), health.get("pages")
    console.print(Text(f"main loop's lag {lag_ms} ms (p99); console pages open: {pages}", style="dim"))
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


def _resources(resources: list[dict[str, Any]]) -> Table:
    table = Table("resource", "state", "used by", "depends on", title="Resources", title_justify="left")
    for resource in resources:
        state = resource["state"]
        detail = f" ({resource['detail']})" if resource.get("detail") else ""
        table.add_row(
            f"{resource['registrar']}/{resource['request']}",
            Text(state + detail, style=COLOURS.get(state, "")),
            "\n".join(resource["used_by"]),
            "\n".join(resource["depends_on"]),
        )
    return table


def _providers(providers: list[dict[str, Any]]) -> Table:
    table = Table("device", "kind", "state", "reliability", title="Devices", title_justify="left")
    for device in providers:
        table.add_row(
            device["name"],
            device["kind"],
            device["state"] + (f": {device['detail']}" if device.get("detail") else ""),
            f"{device['reliability']:.2f}",
        )
    return table


def _streams(streams: list[dict[str, Any]]) -> Table:
    table = Table("stream", "format", "rate", "age", "watchers", title="Streams", title_justify="left")
    for stream in streams:
        table.add_row(
            stream["name"],
            stream["format"],
            f"{stream['rate_hz']:.1f} Hz",
            f"{1000 * stream['age_s']:.0f} ms",
            str(stream["watchers"]),
        )
    return table
