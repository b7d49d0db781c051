"""A campaign as one HTML page that needs nothing beside it: figures, coverage, repairs, and what failed."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Final

from framework.scenarios.campaign.report import CampaignReport, Found
from framework.scenarios.campaign.table import rows
from framework.scenarios.campaign.writing import written
from framework.scenarios.invariants import Breach

_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 78em; padding: 0 1em;
  color: #212529 }
table { border-collapse: collapse } th, td { padding: .15em .6em; text-align: left }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
tr:nth-child(even) td { background: #f8f9fa }
.scroll { overflow-x: auto; max-height: 80vh; overflow-y: auto }
.cover td, .cover th { padding: 0; font-size: 11px }
.cover td { border: 1px solid #fff; min-width: 16px; height: 14px }
.cover thead th { writing-mode: vertical-rl; transform: rotate(180deg); position: sticky; top: 0;
  background: #fff }
.cover tbody th { position: sticky; left: 0; background: #fff; font-weight: normal; white-space: nowrap;
  padding-right: .6em }
.good { color: #2b7a4b } .bad { color: #b3001b } pre { background: #f8f9fa; padding: .8em; overflow-x: auto }
img { max-width: 100% } summary { cursor: pointer }
"""


def page(report: CampaignReport, pictures: Mapping[str, Path], files: Mapping[int, str]) -> str:
    """The page. pictures: the timelines of what was found, by its number; files: where that was written."""
    word, colour = ("passed", "good") if report.passed else ("FAILED", "bad")
    parts = [
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(report.story)}</title>",
        f"<style>{_STYLE}</style><h1>{escape(report.story)}</h1>",
        f"<p><b class='{colour}'>{word}</b>: {report.faults} faults in {len(report.verdicts)} runs of"
        f" the story, seed {report.seed}; {report.played_s:.0f} s were played in {report.took_s:.0f} s,"
        f" {report.faults_per_s:.1f} faults a second."
        f" File <code>{escape(Path(report.file).name)}</code>.</p>",
        _breaches(report),
        _histories(report) if report.histories else "",
        _repairs(report),
        _coverage(report),
        "<h2>What failed</h2>",
        *(
            _found(each, pictures.get(str(number)), files.get(number, ""))
            for number, each in enumerate(report.found)
        ),
        "" if report.found else "<p>Nothing.</p>",
        _out_of_reach(report),
        "</html>",
    ]
    return "\n".join(parts)


def _breaches(report: CampaignReport) -> str:
    lines = "".join(
        f"<tr><td>{breach.value}</td><td class='n {'bad' if count else 'good'}'>{count}</td></tr>"
        for breach in Breach
        for count in (report.breaches.get(breach, 0),)
    )
    return f"<h2>What must hold in every run, and how often it did not</h2><table>{lines}</table>"


def _histories(report: CampaignReport) -> str:
    """What was played beside the story: each kind, and how often something did not hold in it."""
    words = [words for verdict in report.histories for words in verdict.words]
    lines = ""
    held: list[str] = []
    for name in report.histories_of:
        failed = [each for each in words if f"{name}, seed " in each]
        if not failed:
            held.append(name)
            continue
        lines += (
            f"<tr><td>{escape(name)}</td><td class='n bad'>{len(failed)}</td>"
            f"<td>{'<br>'.join(map(escape, failed))}</td></tr>"
        )
    table = (
        f"<table><tr><th>history</th><th class='n'>failed</th><th></th></tr>{lines}</table>" if lines else ""
    )
    return (
        f"<h2>Histories beside the story, and how often something did not hold</h2>"
        f"<p>Each with {len(report.histories)} seeds, from {report.seed}.</p>{table}"
        f"<details><summary>{len(held)} in which everything held</summary>"
        f"<p>{escape(', '.join(held))}</p></details>"
    )


def _repairs(report: CampaignReport) -> str:
    lines = "".join(
        f"<tr><td>{how.value}</td><td class='n'>{each.n}</td><td class='n'>{each.mean_ms:.0f}</td>"
        f"<td class='n'>{each.p50_ms:.0f}</td><td class='n'>{each.p99_ms:.0f}</td>"
        f"<td class='n'>{each.worst_ms:.0f}</td></tr>"
        for how, each in report.repairs.items()
    )
    heads = "".join(f"<th class='n'>{each}</th>" for each in ("faults", "mean", "p50", "p99", "longest"))
    return (
        "<h2>Time to repair [ms]</h2><p>From the strike until everybody who had something had it again, or "
        "its plan had ended or waited for a person's word.</p>"
        f"<table><tr><th>fault</th>{heads}</tr>{lines}</table>"
    )


def _coverage(report: CampaignReport) -> str:
    coverage = report.coverage
    head = "".join(f"<th>{escape(str(each))}</th>" for each in coverage.moments)
    lines = "".join(
        f"<tr><th>{escape(name)}</th>"
        + "".join(
            f"<td style='background:{square.colour}' title='{escape(square.words, quote=True)}'></td>"
            for square in squares
        )
        + "</tr>"
        for name, squares in rows(coverage)
    )
    return (
        f"<h2>Coverage</h2><p><b>{coverage.percent:.1f} %</b> of the cells in reach were struck; "
        f"{len(coverage.holes)} holes (red). Grey is out of reach. The pointer says which cell it is, and "
        f"how often it was struck.</p><div class='scroll'><table class='cover'>"
        f"<thead><tr><th></th>{head}</tr></thead>"
        f"<tbody>{lines}</tbody></table></div>"
    )


def _found(found: Found, picture: Path | None, file: str) -> str:
    image = ""
    if picture is not None:
        content = base64.b64encode(picture.read_bytes()).decode("ascii")
        image = f"<img alt='timeline' src='data:image/png;base64,{content}'>"
    return (
        f"<h3>{escape(found.breach.value)}: {escape(found.words)}</h3>"
        f"<p>In {found.times} runs. {found.shrunk_from} faults, shrunk to {len(found.case.faults)}: "
        f"{escape('; '.join(map(str, found.case.faults))) or 'none: the story itself fails'}.</p>"
        f"<p><code>pilothouse scenario {escape(file)} --seed {found.seed}</code></p>{image}"
        f"<details><summary>The scenario</summary><pre>{escape(written(found.case))}</pre></details>"
    )


def _out_of_reach(report: CampaignReport) -> str:
    lines = "".join(
        f"<tr><td>{escape(what)}</td><td>{escape(why)}</td></tr>"
        for what, why in report.coverage.out_of_reach.items()
    )
    return (
        "<h2>Out of reach</h2><details><summary>What this story cannot try, and why</summary>"
        f"<table>{lines}</table></details>"
    )
