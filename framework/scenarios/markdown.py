"""A scenario's report as text for people: Markdown that also reads well as it is."""

from __future__ import annotations

from framework.scenarios.report import Report


def timeline(report: Report, *, with_details: bool = True) -> str:
    """What was done and expected, one line each; with details, what came of it below."""
    lines: list[str] = []
    for entry in report.entries:
        lines.append(str(entry))
        if with_details:
            lines += [f"{'':16}{detail}" for detail in entry.detail]
    return "\n".join(lines)


def verdict(report: Report) -> str:
    """One line: whether it passed, how long it took, what was recorded."""
    numbers = ", ".join(f"{name} {value:g}" for name, value in report.numbers.items())
    word = "passed" if report.passed else "FAILED"
    return f"{word}: {report.scenario} (seed {report.seed}, {report.took_s:.1f} s; {numbers})"


def document(report: Report, picture: str = "") -> str:
    """The whole report; `picture` is the name of an image beside it."""
    parts = [f"# {report.scenario}", ""]
    if report.description:
        parts += [report.description, ""]
    parts += [
        f"{verdict(report)}",
        "",
        f"File `{report.file}`, seed {report.seed}, {report.clock.value} clock.",
        "",
    ]
    if report.failure:
        parts += ["## What failed", "", "```", report.failure, "```", ""]
    if picture:
        parts += [f"![timeline]({picture})", ""]
    parts += ["## Timeline", "", "```", timeline(report), "```", ""]
    if report.numbers:
        parts += ["## Numbers", "", "| name | value |", "|---|---:|"]
        parts += [f"| {name} | {value:g} |" for name, value in report.numbers.items()]
        parts.append("")
    parts += ["## What was said", "", "```", *map(str, report.lines), "```", ""]
    return "\n".join(parts)
