"""The sets of sentences: whole, well formed, and found or asked for in words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from framework.errors import DescriptionError, InstallationError
from framework.plan.ast import Cancel, Compare, Elapsed, Plan, State, actions_of, parts
from framework.plan.codec import from_json, to_json
from pilothouse.experiments.language import sets
from pilothouse.experiments.language.sets import (
    Annotated,
    Foreign,
    Paraphrase,
    Refused,
    files,
    read,
)
from pilothouse.experiments.language.slots import template_slots

FILES = files({})


def kinds(node: Plan | object) -> set[str]:
    """The actions and conditions of a plan."""
    found: set[str] = set()
    match node:
        case State():
            found.add(node.name)
        case Compare():
            found.add(node.quantity)
        case Elapsed():
            found.add("elapsed")
        case Cancel():
            found.add("cancel")
    for part in parts(node):  # type: ignore[arg-type]
        found |= kinds(part)
    return found


def test_the_paraphrases_cover_every_action_and_condition() -> None:
    lines = read(FILES["paraphrases"], Paraphrase)
    assert len({line.text for line in lines}) == len(lines) >= 230
    counts = Counter(
        kind for line in lines for kind in {do.action for do in actions_of(line.plan)} | kinds(line.plan)
    )
    actions = ("show", "show_environment", "track", "wait", "say", "describe", "remember", "repeat", "list")
    conditions = ("open", "seen", "working", "running", "said", "distance", "elapsed")
    assert min(counts[kind] for kind in (*actions, *conditions, "cancel")) >= 8
    assert abs(2 * sum(line.half == "held" for line in lines) - len(lines)) <= 1
    for line in lines:
        for plan in (line.plan, *line.also):
            assert from_json(to_json(plan)) == plan


def test_the_other_sets_are_whole() -> None:
    assert len(read(FILES["refused"], Refused)) >= 30
    assert len(read(FILES["foreign"], Foreign)) == 250
    commands = read(FILES["gpsr"], Annotated)
    assert len(commands) == 200
    for command in commands:
        template_slots(command.text, command.anonymized)


def test_without_a_checkout_it_says_what_to_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets, "FOLDER", tmp_path)
    with pytest.raises(InstallationError, match=r"--paraphrases FILE .*--gpsr FILE"):
        files({"foreign": tmp_path / "mine.jsonl"})
    given = {option: tmp_path / option for option in sets.FILES}
    assert files(given) == given


def test_a_line_that_is_wrong_is_named(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    file.write_text('{"text": "a"}\n\n{"txt": "b"}\n')
    with pytest.raises(DescriptionError, match=r"set\.jsonl:3: .*text"):
        read(file, Foreign)
    file.write_text('{"text": "a", "plan": {"kind": "dance"}}\n')
    with pytest.raises(DescriptionError, match=r"set\.jsonl:1"):
        read(file, Paraphrase)
    file.write_text("\n")
    with pytest.raises(DescriptionError, match="no sentence"):
        read(file, Foreign)
    with pytest.raises(DescriptionError, match="cannot be read"):
        read(tmp_path / "none.jsonl", Foreign)
