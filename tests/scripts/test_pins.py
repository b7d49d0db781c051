"""Every package that is declared is pinned, once, by name and version alone."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.pin import APART, ELSEWHERE, PINS, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS_APART = ROOT / f"constraints-{APART}.txt"


def pinned(file: str) -> dict[str, str]:
    lines = [line for line in (ROOT / file).read_text().splitlines() if not line.startswith("#")]
    here = [line.partition(" ; ")[0] for line in lines if is_here(line.partition(" ; ")[2])]
    return {name: version for name, _, version in (line.partition("==") for line in here)}


def is_here(marker: str) -> bool:
    """Whether a pin is for this Python: elsewhere another version may be taken (`scripts.pin.ELSEWHERE`)."""
    return not marker or Marker(marker).evaluate()


def declared(lines: list[str]) -> set[str]:
    found = {Requirement(line) for line in lines}
    return {
        canonicalize_name(each.name)
        for each in found
        if each.name != PROJECT["name"] and (each.marker is None or each.marker.evaluate({"extra": ""}))
    }


@pytest.mark.parametrize("file", [PINS.name, PINS_APART.name])
def test_a_pin_is_a_name_and_a_version(file: str) -> None:
    """No address, no hash, and no build of one index alone ("2.13.0+cpu")."""
    wrong = [
        each
        for each in pinned(file).items()
        if not re.fullmatch(r"[a-z0-9-]+ [0-9][0-9a-z.]*", " ".join(each))
    ]
    assert pinned(file) and not wrong


def test_where_another_version_is_taken_there_is_one_everywhere() -> None:
    lines = [line for line in PINS.read_text().splitlines() if " ; " in line]
    assert {line.partition("==")[0] for line in lines} == set(ELSEWHERE)
    for name in ELSEWHERE:
        markers = [Marker(line.partition(" ; ")[2]) for line in lines if line.startswith(f"{name}==")]
        for python in ("3.11", "3.12", "3.13"):
            assert sum(marker.evaluate({"python_version": python}) for marker in markers) == 1


def test_all_that_is_declared_is_pinned() -> None:
    extras = PROJECT["optional-dependencies"]
    shared = [line for extra, lines in extras.items() if extra != APART for line in lines]
    assert declared([*PROJECT["dependencies"], *shared]) <= pinned(PINS.name).keys()
    assert declared(extras[APART]) <= pinned(PINS_APART.name).keys()
    assert not pinned(PINS.name).keys() & pinned(PINS_APART.name).keys()
