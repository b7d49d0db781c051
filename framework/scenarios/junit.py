"""Reports as JUnit XML, as continuous-integration servers read it: a suite a file, a case a seed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from framework.scenarios.markdown import timeline
from framework.scenarios.repeating import Repeated

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(files: Sequence[Repeated]) -> bytes:
    """The document, UTF-8."""
    root = ElementTree.Element("testsuites")
    for repeated in files:
        if not repeated.reports:
            continue
        first = repeated.reports[0]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=cleaned(first.scenario),
            file=cleaned(first.file),
            tests=str(len(repeated.reports)),
            failures=str(len(repeated.failed)),
            errors="0",
            time=f"{sum(report.took_s for report in repeated.reports):.3f}",
        )
        for report in repeated.reports:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=cleaned(report.scenario),
                name=f"seed {report.seed}",
                time=f"{report.took_s:.3f}",
            )
            properties = ElementTree.SubElement(case, "properties")
            for name, value in report.numbers.items():
                ElementTree.SubElement(properties, "property", name=name, value=f"{value:g}")
            if report.failure:
                failure = ElementTree.SubElement(
                    case, "failure", message=cleaned(report.failure.splitlines()[0])
                )
                failure.text = cleaned(report.failure)
            ElementTree.SubElement(case, "system-out").text = cleaned(timeline(report))
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def cleaned(text: str) -> str:
    """Without the characters that XML cannot hold, which a device's garbage may bring along."""
    return _NOT_XML.sub("�", text)
