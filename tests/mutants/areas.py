"""Which tests have to notice the mutants of which files, and what they need to run on a copy.

Only fast tests: none that asserts wall-clock time or starts a child of ours. A mutant that none of them
catches shows that one is missing.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

ALWAYS = ("framework", "tests/__init__.py", "tests/effort.py", "pyproject.toml")

#: The front door refuses to open beside packages from elsewhere, so whoever needs one of these needs all.
HOUSE = ("resources", "grammars", "managers", "actions", "pilothouse")


class Area(NamedTuple):
    """Part of the repository whose mutants are tried on the same tests.

    files: the files that belong to it, or their folders.
    copied: what a copy consists of.
    tests: patterns of test files, in the order in which they run: what takes long comes last.
    options: of pytest, besides.
    """

    name: str
    files: tuple[str, ...]
    copied: tuple[str, ...]
    tests: tuple[str, ...]
    options: tuple[str, ...] = ()

    def has(self, file: str) -> bool:
        """Whether a file, seen from the repository's root, belongs to it."""
        return any(file == each or file.startswith(f"{each}/") for each in self.files)

    def test_files(self) -> list[str]:
        """Its test files, seen from the repository's root, in their order."""
        found = [path for pattern in self.tests for path in sorted(ROOT.glob(pattern))]
        return list(dict.fromkeys(str(path.relative_to(ROOT)) for path in found))


AREAS = (
    Area(
        "fencing",
        files=("framework/registrar/fencing.py",),
        copied=(*ALWAYS, "tests/framework/registrar"),
        tests=(
            "tests/framework/registrar/test_core_fencing_and_timers.py",
            "tests/framework/registrar/test_core_exclusive.py",
            "tests/framework/registrar/test_core_hands.py",
        ),
    ),
    Area(
        "registrar",
        files=("framework/registrar",),
        copied=(*ALWAYS, "tests/framework/registrar"),
        tests=(
            "tests/framework/registrar/test_core_[!p]*.py",
            "tests/framework/registrar/test_circles_and_keys.py",
            "tests/framework/registrar/test_core_properties.py",
        ),
    ),
    Area(
        "interlock",
        files=("framework/interlock.py",),
        copied=(
            *ALWAYS,
            "tests/framework/registrar",
            "tests/framework/test_interlock.py",
            "tests/framework/test_interlock_histories.py",
        ),
        tests=("tests/framework/test_interlock*.py", "tests/framework/registrar/test_core_hands.py"),
    ),
    Area(
        "keepers",
        files=("framework/keepers.py",),
        copied=(*ALWAYS, "tests/framework/test_keepers.py", "tests/framework/test_keepers_histories.py"),
        tests=("tests/framework/test_keepers*.py",),
    ),
    Area(
        "state",
        files=("framework/state.py",),
        copied=(*ALWAYS, "tests/framework/test_state.py", "tests/framework/test_state_histories.py"),
        tests=("tests/framework/test_state*.py",),
    ),
    Area(
        "tree",
        files=("framework/tree", "framework/plan"),
        copied=(*ALWAYS, "tests/framework/tree"),
        tests=(
            "tests/framework/tree/test_action_node.py",
            "tests/framework/tree/test_tree.py",
            "tests/framework/tree/test_graph.py",
            "tests/framework/tree/test_c*.py",
            "tests/framework/tree/test_elapsed.py",
            "tests/framework/tree/test_references.py",
            "tests/framework/tree/test_random_*.py",
        ),
    ),
    Area(
        "processes",
        files=("framework/processes",),
        copied=(*ALWAYS, "tests/framework/processes"),
        tests=(
            "tests/framework/processes/test_watch_histories.py",
            "tests/framework/processes/test_watch.py",
            "tests/framework/processes/test_backoff.py",
            "tests/framework/processes/test_adoption.py",
            "tests/framework/processes/test_supervise.py",
            "tests/framework/processes/test_wire.py",
            "tests/framework/processes/test_emergency.py",
            "tests/framework/processes/test_watch_properties.py",
        ),
    ),
    Area(
        "supervisor",
        files=("framework/supervisor", "framework/dialogue"),
        copied=(*ALWAYS, *HOUSE, "tests/framework"),
        tests=(
            "tests/framework/supervisor/test_several_people.py",
            "tests/framework/supervisor/test_supervisor.py",
            "tests/framework/supervisor/test_who_may_move.py",
            "tests/framework/supervisor/test_[acpqr]*.py",
            "tests/framework/supervisor/test_[dhmowt]*.py",
        ),
    ),
    Area(
        "clutch",
        files=("resources/controllers/clutch.py", "resources/controllers/following.py"),
        copied=(*ALWAYS, *HOUSE, "tests/resources/controllers"),
        tests=(
            "tests/resources/controllers/test_clutch.py",
            "tests/resources/controllers/test_following_with_a_base.py",
            "tests/resources/controllers/test_following_orders.py",
            "tests/resources/controllers/test_following.py",
        ),
        options=("--hypothesis-seed=0",),  # the same test catches the same mutant each time
    ),
)


def area_of(file: str) -> Area:
    """The area of a file. Raises LookupError if there is none."""
    for area in AREAS:
        if area.has(file):
            return area
    known = ", ".join(each for area in AREAS for each in area.files)
    raise LookupError(f"{file} belongs to no area of the mutants; these are in one: {known}")
