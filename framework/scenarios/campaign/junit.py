"""A campaign as JUnit XML: one test case a case, named by its seed."""

from __future__ import annotations

from xml.etree import ElementTree

from framework.scenarios.campaign.report import CampaignReport
from framework.scenarios.junit import cleaned


def junit(report: CampaignReport) -> bytes:
    """The file's content."""
    verdicts = (*report.histories, *report.verdicts)
    failed = sum(bool(verdict.words) for verdict in verdicts)
    root = ElementTree.Element("testsuites", name="pilothouse campaign")
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=cleaned(report.story),
        file=cleaned(report.file),
        tests=str(len(verdicts)),
        failures=str(failed),
        errors="0",
        time=f"{report.took_s:.3f}",
    )
    properties = ElementTree.SubElement(suite, "properties")
    figures = {
        "faults": report.faults,
        "coverage_pct": round(report.coverage.percent, 2),
        "leaked": report.leaked,
        "dangling": report.dangling,
        "never_ended": report.never_ended,
        "surprise_motion": report.surprise_motion,
        "untold": report.untold,
    }
    figures |= {f"mttr_ms_p99_{how.value}": round(each.p99_ms) for how, each in report.repairs.items()}
    for name, value in figures.items():
        ElementTree.SubElement(properties, "property", name=name, value=f"{value:g}")
    for number, verdict in enumerate(verdicts):
        beside = number < len(report.histories)
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=cleaned(report.story),
            name=f"seed {verdict.seed}: {'histories' if beside else f'{verdict.faults} faults'}",
            time=f"{verdict.took_s:.3f}",
        )
        if verdict.words:
            failure = ElementTree.SubElement(case, "failure", message=cleaned(verdict.words[0]))
            failure.text = cleaned("\n".join(verdict.words))
    ElementTree.indent(root)
    content: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"
