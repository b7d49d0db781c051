"""Scenario files: what they become, and what is said about those that are wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from framework.errors import DescriptionError
from framework.scenarios import parse_scenario, read_scenario
from framework.scenarios import reading as reading_module
from framework.scenarios import scenario as s
from framework.supervisor import EventKind
from framework.tree.run import PlanState

MALFORMED = sorted((Path(__file__).parent / "malformed").glob("*.yaml"))
OURS = sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml"))


@pytest.mark.parametrize("file", MALFORMED, ids=lambda file: file.stem)
def test_every_mistake_is_named_with_its_line(file: Path) -> None:
    """The comments on top of each file say what has to be said: line, and how it begins."""
    expected = re.findall(r"^# (\d+): (.*)$", file.read_text(), re.MULTILINE)
    with pytest.raises(DescriptionError) as raised:
        read_scenario(file)
    said = [line.removeprefix(f"{file}:") for line in str(raised.value).splitlines()]
    assert len(said) == len(expected), said
    for line, (number, beginning) in zip(said, expected, strict=True):
        assert line.startswith(f"{number}: {beginning}"), line


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(DescriptionError, match="cannot be read"):
        read_scenario(Path("nowhere.yaml"))


def test_aliases_cannot_blow_it_up() -> None:
    lists = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lists += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(DescriptionError, match="entries, its aliases counted"):
        parse_scenario("\n".join(lists), "bomb")


def test_a_list_within_itself() -> None:
    with pytest.raises(DescriptionError, match="nested too deeply"):
        parse_scenario("name: &a [*a]", "circle")


@pytest.mark.parametrize(
    "deep",
    ["[" * 1_200, "[" * 100_000, "{a: " * 100_000, "[" * 1_200 + "]" * 1_200, "\n  " + "- " * 100_000 + "x"],
    ids=["brackets", "very many", "mappings", "closed", "on one line"],
)
def test_deep_nesting_is_refused_in_words(deep: str) -> None:
    """Also where libyaml would overrun the stack."""
    with pytest.raises(DescriptionError, match="nested too deeply"):
        parse_scenario(f"name: {deep}", "deep")


def test_too_large_a_file() -> None:
    with pytest.raises(DescriptionError, match="larger than"):
        parse_scenario("#" * (1 << 20) + "\nname: x", "large")


def test_what_the_documentation_shows_can_be_read() -> None:
    example = (reading_module.__doc__ or "").split("\n\n")[1]
    text = "\n".join(line.removeprefix("    ") for line in example.splitlines())
    found = parse_scenario(text, "documentation")
    kinds = [type(step.do) for step in found.steps]
    assert kinds == [
        s.Say,
        s.Play,
        s.Listen,
        s.Speak,
        s.Fail,
        s.Fail,
        s.Expect,
        s.Restore,
        s.Take,
        s.Kill,
        s.EmergencyStop,
        s.Reset,
        s.WaitStep,
        s.RandomFaults,
        s.Await,
    ]
    assert found.steps[6].do == s.Expect((s.Shown("wrist_cloud", 3.0),), 5.0, "gap_1_ms")
    assert found.steps[7].at_s == 30.0
    assert found.invariants
    when = s.When(s.Phase.MOVING, "move", 1, 0.2)
    assert found.faults == (s.Strike(s.Fail("left_arm", s.How.HANG), when, 2.0),)


def test_conditions() -> None:
    text = """
name: all conditions
steps:
  - expect:
      event: switched
      text: wrist
      told: [one, two]
      not_told: three
      shown: [front, rear]
      gap_below_s: 2
      devices: {front: unplugged}
      resources: {"outputs/*": absent}
      plans: {look: failed}
      processes: {"camera *": gone}
      nothing_running: true
      empty: true
      emergency: clear
      either: [{shown: any}, {shown: nothing}]
"""
    expect = parse_scenario(text, "conditions").steps[0].do
    assert isinstance(expect, s.Expect)
    assert expect.conditions == (
        s.EventSeen(EventKind.SWITCHED, "wrist"),
        s.Told("one"),
        s.Told("two"),
        s.Told("three", wanted=False),
        s.Shown("front", 2.0),
        s.Shown("rear", 2.0),
        s.DeviceIs("front", "unplugged"),
        s.ResourceIs("outputs/*", "absent"),
        s.PlanIs("look", PlanState.FAILED),
        s.ProcessIs("camera *", False),
        s.NothingRunning(),
        s.Empty(),
        s.Stopped(False),
        s.Either(((s.Shown("any"),), (s.Shown("nothing"),))),
    )


def test_devices_are_known_with_the_line_that_names_them_first() -> None:
    text = """name: devices
steps:
  - expect: {either: [{shown: any}, {devices: {rear: free}}]}
  - random_faults: {n: 1, mean_interval_s: 1, choices: [{fail: front}], invariants: {shown: rear}}
"""
    assert parse_scenario(text, "devices").devices == {"rear": 3, "front": 4}


@pytest.mark.parametrize("file", OURS, ids=lambda file: file.stem)
def test_our_own_scenarios_are_whole(file: Path) -> None:
    found = read_scenario(file)
    assert found.description
    assert any(isinstance(step.do, s.Expect) for step in found.steps)
