"""Which tests have to notice the mutants of which files.

Only fast tests: none that asserts wall-clock time, and none that needs a child of ours, which would not be
mutated. A mutant that none of them catches shows that one is missing.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Area(NamedTuple):
    """Part of the repository whose mutants are tried on the same tests.

    files: the files that belong to it, or their folders.
    tests: patterns of test files, in the order in which they run: what takes long comes last.
    """

    name: str
    files: tuple[str, ...]
    tests: tuple[str, ...]

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
        tests=(
            "tests/framework/registrar/test_core_fencing_and_timers.py",
            "tests/framework/registrar/test_core_exclusive.py",
            "tests/framework/registrar/test_core_hands.py",
        ),
    ),
    Area(
        "registrar",
        files=("framework/registrar",),
        tests=(
            "tests/framework/registrar/test_core_[!p]*.py",
            "tests/framework/registrar/test_circles_and_keys.py",
            "tests/framework/registrar/test_core_properties.py",
        ),
    ),
    Area(
        "interlock",
        files=("framework/interlock.py",),
        tests=("tests/framework/test_interlock*.py", "tests/framework/registrar/test_core_hands.py"),
    ),
    Area(
        "keepers",
        files=("framework/keepers.py",),
        tests=("tests/framework/test_keepers*.py",),
    ),
    Area(
        "state",
        files=("framework/state.py",),
        tests=("tests/framework/test_state*.py",),
    ),
    Area(
        "tree",
        files=("framework/tree", "framework/plan"),
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
        tests=(
            "tests/resources/controllers/test_clutch.py",
            "tests/resources/controllers/test_following_with_a_base.py",
            "tests/resources/controllers/test_following_orders.py",
            "tests/resources/controllers/test_following.py",
        ),
    ),
    Area(
        "speech",
        files=(
            "managers/listening.py",
            "managers/speech_manager.py",
            "managers/talking.py",
            "resources/audio",
            "resources/speech/endpointing.py",
            "resources/speech/writing_down.py",
            "resources/web/sound_packets.py",
        ),
        tests=(
            "tests/resources/speech/test_endpointing.py",
            "tests/resources/speech/test_writing_down.py",
            "tests/resources/web/test_sound_packets.py",
            "tests/resources/audio/test_*.py",
            "tests/managers/test_wake_phrase.py",
            "tests/managers/test_listening.py",
            "tests/managers/test_speech_manager.py",
            "tests/managers/test_talking.py",
        ),
    ),
    Area(
        "gestures",
        files=("managers/gesturing.py", "resources/gestures/holding.py", "resources/gestures/watching.py"),
        tests=(
            "tests/resources/gestures/test_watching.py",
            "tests/resources/gestures/test_holding.py",
            "tests/managers/test_camera_hands.py",
            "tests/managers/test_gesturing.py",
        ),
    ),
)


def area_of(file: str) -> Area:
    """The area of a file. Raises LookupError if there is none."""
    for area in AREAS:
        if area.has(file):
            return area
    known = ", ".join(each for area in AREAS for each in area.files)
    raise LookupError(f"{file} belongs to no area of the mutants; these are in one: {known}")
