"""Writes constraints.txt: the installed versions of all that this project and its extras need, no addresses.

Run in the environment that was tried: `.venv/bin/python -m scripts.pin`. Versions only, so the file works
with any package index; pip and setuptools are left to the environment. What only the extra `learn` needs
stands in constraints-learn.txt, written by `python -m scripts.pin learn` where that is installed.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "constraints.txt"
APART = "learn"
ELSEWHERE: Mapping[str, tuple[str, str]] = {"pocketsphinx": ('python_version == "3.12"', "5.0.4")}
"""Where another version is taken, and which: there is no wheel of the tried one for it."""

UNPINNED = frozenset({"pilothouse", "pip", "setuptools"})
HEADER = "# The versions this project was tested with. Written by `.venv/bin/python -m scripts.pin`.\n"
OWN = "# What the extra `learn` needs beyond constraints.txt. Written by `python -m scripts.pin learn`.\n"


def closure(name: str, extras: frozenset[str]) -> dict[str, Distribution]:
    """Return every installed distribution that `name` with these extras needs, itself included, by name."""
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(canonicalize_name(name), extras)]
    while waiting:
        key, wanted = waiting.pop()
        if (key, wanted) in seen:
            continue
        seen.add((key, wanted))
        found[key] = distribution(key)
        for line in found[key].requires or ():
            requirement = Requirement(line)
            if _applies(requirement, wanted):
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return found


def _applies(requirement: Requirement, extras: frozenset[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""})


def main() -> int:
    """Write the file; exit code 1 if the environment is not complete."""
    if sys.argv[1:] not in ([], [APART]):
        print(f"say nothing, or {APART!r}, and not {' '.join(sys.argv[1:])!r}", file=sys.stderr)
        return 2
    try:
        if sys.argv[1:] == [APART]:
            shared = {line.partition("==")[0] for line in PINS.read_text().splitlines()}
            needed = {key: found for key, found in _apart().items() if key not in shared}
            return _write(ROOT / f"constraints-{APART}.txt", OWN, needed)
        extras = frozenset(distribution("pilothouse").metadata.get_all("Provides-Extra") or ()) - {APART}
        return _write(PINS, HEADER, closure("pilothouse", extras))
    except PackageNotFoundError as error:
        print(f"{error}: the environment is not complete; run `make setup` first", file=sys.stderr)
        return 1


def _apart() -> dict[str, Distribution]:
    """All that the extra needs which is installed by nobody but who asks for it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: dict[str, Distribution] = {}
    for line in project["optional-dependencies"][APART]:
        found |= closure(Requirement(line).name, frozenset())
    return found


def _write(file: Path, header: str, needed: Mapping[str, Distribution]) -> int:
    lines = sorted(
        line
        for key, found in needed.items()
        if key not in UNPINNED
        for line in _pins(key, Version(found.version).public)
    )
    file.write_text(header + "".join(lines))
    print(f"{file.name}: {len(needed.keys() - UNPINNED)} packages")
    return 0


def _pins(key: str, version: str) -> list[str]:
    if key not in ELSEWHERE:
        return [f"{key}=={version}\n"]
    where, other = ELSEWHERE[key]
    return [f"{key}=={version} ; {where.replace('==', '!=')}\n", f"{key}=={other} ; {where}\n"]


if __name__ == "__main__":
    sys.exit(main())
