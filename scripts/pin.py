"""Writes constraints.txt: the installed versions of all that this project and its extras need, no addresses.

Run in the environment that was tried: `.venv/bin/python -m scripts.pin`. Versions only, so the file works
with any package index; pip and setuptools are left to the environment.
"""

from __future__ import annotations

import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

UNPINNED = frozenset({"pilothouse", "pip", "setuptools"})
HEADER = "# The versions this project was tested with. Written by `.venv/bin/python -m scripts.pin`.\n"


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
    extras = frozenset(distribution("pilothouse").metadata.get_all("Provides-Extra") or ())
    try:
        needed = closure("pilothouse", extras)
    except PackageNotFoundError as error:
        print(f"{error}: the environment is not complete; run `make setup` first", file=sys.stderr)
        return 1
    lines = sorted(f"{key}=={found.version}\n" for key, found in needed.items() if key not in UNPINNED)
    target = Path(__file__).resolve().parent.parent / "constraints.txt"
    target.write_text(HEADER + "".join(lines))
    print(f"{target.name}: {len(lines)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
