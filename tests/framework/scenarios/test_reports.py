"""What is written down of a run: Markdown, JUnit XML, a picture, the smallest failing seed."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from PIL import Image

from framework.errors import DescriptionError
from framework.scenarios import Entry, Kind, Line, Repeated, Report, Span, WhichClock, seeds_of
from framework.scenarios.junit import junit
from framework.scenarios.markdown import document, timeline, verdict
from framework.scenarios.picture import draw

PASSED = Report(
    "the picture stays",
    "my scenarios/stays.yaml",
    3,
    WhichClock.VIRTUAL,
    4.5,
    "",
    (
        Entry(0.0, 1.0, Kind.SAID, 'say "show the environment"', True, 30.0, line=4),
        Entry(1.0, 1.0, Kind.FAULT, "fail front_camera (die)", detail=("front_camera was killed",), line=5),
        Entry(1.0, 2.25, Kind.EXPECTED, "wrist_cloud is shown", True, 3.0, line=6, detail=("gap_ms = 1250",)),
        Entry(2.25, 4.5, Kind.CLEANUP, "stop", True),
    ),
    (
        Span("shown", "front_camera", "front_camera", 0.5, 1.0),
        Span("shown", "wrist_cloud", "wrist_cloud", 2.25, 4.5),
        Span("device", "front_camera", "in use", 0.0, 1.0),
        Span("device", "front_camera", "unplugged", 1.0, 4.5),
        Span("plan", "10: show", "established", 1.0, 4.5),
        Span("plan", "2: show", "established", 1.0, 4.5),
    ),
    (Line(2.0, "switched", "the camera failed: 100 $ lost, _this_ & <that> \x00\x1b"),),
    {"gap_ms": 1250.0, "leaked": 0.0},
)
FAILED = msgspec.structs.replace(
    PASSED,
    seed=5,
    failure="stays.yaml:6: expected within 3 s: wrist_cloud is shown\x00: <nothing>",
    entries=(
        *PASSED.entries[:2],
        Entry(1.0, 4.0, Kind.EXPECTED, "wrist_cloud is shown", False, 3.0, line=6, detail=("nothing",)),
        Entry(4.0, 4.0, Kind.SKIPPED, "say something", line=7),
    ),
    numbers={"leaked": 2.0},
)
EMPTY = Report("nothing happened", "empty.yaml", 0, WhichClock.REAL, 0.0, "")


def test_the_timeline_as_text() -> None:
    assert timeline(PASSED).splitlines() == [
        '    0.000 s  ✓ said     say "show the environment"',
        "    1.000 s  · fault    fail front_camera (die)",
        "                front_camera was killed",
        "    1.000 s  ✓ expected wrist_cloud is shown: after 1.250 s (within 3 s)",
        "                gap_ms = 1250",
        "    2.250 s  ✓ cleanup  stop",
    ]
    assert "✗ expected wrist_cloud is shown: not (within 3 s)" in timeline(FAILED)
    assert "– skipped  say something" in timeline(FAILED)
    assert verdict(PASSED) == "passed: the picture stays (seed 3, 4.5 s; gap_ms 1250, leaked 0)"


def test_the_report_as_markdown() -> None:
    text = document(FAILED, "stays.png")
    assert text.startswith("# the picture stays\n")
    for part in (
        "FAILED: ",
        "## What failed",
        "![timeline](stays.png)",
        "| leaked | 2 |",
        "switched: the camera",
    ):
        assert part in text
    assert "## What failed" not in document(PASSED)


def test_junit() -> None:
    root = ElementTree.fromstring(junit([Repeated((PASSED, FAILED)), Repeated((EMPTY,)), Repeated(())]))
    suites = root.findall("testsuite")
    assert [(each.get("name"), each.get("tests"), each.get("failures")) for each in suites] == [
        ("the picture stays", "2", "1"),
        ("nothing happened", "1", "0"),
    ]
    passed, failed = suites[0].findall("testcase")
    assert passed.get("name") == "seed 3" and passed.find("failure") is None
    assert {each.get("name"): each.get("value") for each in passed.iter("property")} == {
        "gap_ms": "1250",
        "leaked": "0",
    }
    failure = failed.find("failure")
    assert failure is not None and failure.text is not None and "<nothing>" in failure.text


@pytest.mark.parametrize("report", [PASSED, FAILED, EMPTY], ids=["passed", "failed", "empty"])
def test_the_picture(report: Report, tmp_path: Path) -> None:
    draw(report, tmp_path / "timeline.png")
    with Image.open(tmp_path / "timeline.png") as picture:
        picture.load()
        assert picture.width == 1540 and picture.height > 400
        colours = picture.convert("RGB").getcolors(1 << 24)
    assert colours is not None and len(colours) > 20


def test_the_picture_of_a_thousand_faults_has_a_bound(tmp_path: Path) -> None:
    deed = PASSED.entries[1]
    many = tuple(
        msgspec.structs.replace(deed, began_s=0.1 * n, ended_s=0.1 * n, text=f"fail {n}" * 20)
        for n in range(1000)
    )
    draw(msgspec.structs.replace(PASSED, entries=many, took_s=100.0), tmp_path / "many.png")
    with Image.open(tmp_path / "many.png") as picture:
        assert picture.height < 2000


def test_the_smallest_failing_seed_is_named_with_the_way_to_repeat_it() -> None:
    seventh = msgspec.structs.replace(FAILED, seed=7)
    repeated = Repeated((PASSED, seventh, FAILED))
    assert repeated.smallest_failing is FAILED
    assert repeated.how_to_repeat() == "pilothouse scenario 'my scenarios/stays.yaml' --seed 5"
    assert repeated.numbers() == {"gap_ms": (1250.0, 1250.0, 1250.0), "leaked": (0.0, 2.0, 2.0)}
    assert Repeated((PASSED,)).how_to_repeat() == ""


def test_seeds() -> None:
    assert list(seeds_of(5, 3)) == [5, 6, 7]
    for seed, repeat in ((-1, 1), (0, 0)):
        with pytest.raises(DescriptionError, match="0 or more"):
            seeds_of(seed, repeat)
