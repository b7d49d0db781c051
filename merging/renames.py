"""Renames invented terms to the field's standard ones, in identifiers, docstrings and file names.

    python HELPERS/renames.py [--check]      in the root of a clone; may be run again (nothing is found twice)

Only names inside of the scopes given below are touched. `PROPOSED` lists what is proposed for the rest of the
house; it is not applied.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path
from typing import NamedTuple

ROOT = Path.cwd()

REGISTRAR = (
    "framework/registrar",
    "tests/framework/registrar",
    "tests/mutants",
)
TRANSPORT = ("framework/transport", "framework/registrar", "tests/framework/transport", "tests/framework/registrar")
PROCESSES = (
    "framework/processes",
    "framework/testing",
    "tests/framework/processes",
    "tests/framework/testing",
    "managers/process_manager.py",
    "tests",
)
PLUGINS = ("framework/plugins", "tests/framework/plugins")


class Rename(NamedTuple):
    """Identifiers to be renamed in the Python files of a scope; `imported_from`: only in files that import
    from this module, or are in it."""

    scope: tuple[str, ...]
    names: dict[str, str]
    imported_from: str = ""


#: Files, and so modules: old path → new path.
FILES = {
    "framework/registrar/beats.py": "framework/registrar/heartbeats.py",
    "framework/registrar/climbing.py": "framework/registrar/propagation.py",
    "framework/registrar/crossing.py": "framework/registrar/marshalling.py",
    "framework/registrar/life.py": "framework/registrar/provider_task.py",
    "framework/registrar/lives.py": "framework/registrar/provider_tasks.py",
    "tests/framework/registrar/test_core_beats.py": "tests/framework/registrar/test_core_heartbeats.py",
    "tests/framework/registrar/test_crossing.py": "tests/framework/registrar/test_marshalling.py",
    "framework/processes/told.py": "framework/processes/child_events.py",
    "framework/processes/ladder.py": "framework/processes/escalation.py",
    "framework/processes/watch.py": "framework/processes/watchdog.py",
    "framework/plugins/seat.py": "framework/plugins/binding.py",
    "framework/plugins/aftermath.py": "framework/plugins/recovery.py",
    "framework/plugins/held.py": "framework/plugins/holder_words.py",
    "tests/framework/plugins/test_held.py": "tests/framework/plugins/test_holder_words.py",
}

RENAMES = (
    Rename(
        REGISTRAR,
        {
            "Beats": "Heartbeats",
            "beats": "heartbeats",
            "Climbing": "Propagation",
            "climbing": "propagation",
            "climb": "propagate",
            "Crossing": "Marshalling",
            "_crossing": "_marshalling",
            "_may_cross": "_must_marshal",
            "Life": "ProviderTask",
            "_life": "_provider_task",
            "Lives": "ProviderTasks",
            "lives": "provider_tasks",
            "_lives": "_running",
            "Lent": "ServerLease",
            "LentPhase": "ServerPhase",
            "lent": "served",
            "lent_changed": "served_changed",
            "_lent_to": "_served_to",
            "_lent_anew": "_taken_by_another",
            "_mark_of_lent": "_mark_of_served",
            "Held": "ClientLease",
            "HeldPhase": "ClientPhase",
        },
    ),
    Rename(TRANSPORT, {"Beat": "Heartbeat"}),
    Rename(
        PROCESSES,
        {"Told": "ChildEvent", "Reason": "LossReason"},
        imported_from="framework.processes.told|framework.processes.child_events",
    ),
    Rename(
        PROCESSES,
        {"ChildWatch": "ChildWatchdog"},
        imported_from="framework.processes.watch|framework.processes.watchdog",
    ),
    Rename(
        PLUGINS,
        {
            "Seat": "NeedBinding",
            "seat": "binding",
            "seats": "bindings",
            "sit": "bind",
            "rise": "release",
            "Aftermath": "FailureRecovery",
            "_aftermath": "_recovery",
            "grip": "context",
            "_grip": "_context",
        },
        imported_from="framework.plugins.(seat|binding|aftermath|recovery|claim)",
    ),
)

RENAMES += (
    Rename(("tests/framework/plugins/test_runner_turns.py",), {"seats": "bindings"}),
)

#: In docstrings and comments of these files: whole words.
PROSE = (
    (
        (
            "framework/plugins/seat.py",
            "framework/plugins/binding.py",
            "framework/plugins/claim.py",
            "framework/plugins/aftermath.py",
            "framework/plugins/recovery.py",
        ),
        {"seats": "bindings", "seat": "binding", "Seats": "Bindings"},
    ),
    (("tests/mutants",), {name: new for name, new in RENAMES[0].names.items()}),
    (("framework/registrar",), {"how it climbs": "how it propagates", "how that climbs": "how that propagates"}),
)

#: What ruff cannot wrap by itself.
WRAPPED = {
    '"            if served.commanded and resource.moving:\\n                self.make_safe(resource, why)\\n",': (
        '"            if served.commanded and resource.moving:\\n"\n'
        '        "                self.make_safe(resource, why)\\n",'
    ),
}

#: Proposed for the rest of the house, not applied: old → new, and where.
PROPOSED = {
    "heartbeat period `beat_s`, `hang_after_beats` (framework/transport, processes)": "heartbeat_s, hang_after_heartbeats",
    "Book, NOTEWORTHY_BEATS (framework/registrar/heartbeats.py)": "PeerLedger, MENTIONED_AFTER_HEARTBEATS",
    "Claims (framework/registrar), Claim (framework/plugins)": "ClientLeases; NeedAcquisition",
    "Deed (framework/registrar/effects.py)": "JournalKind",
    "circles.py, Circles (framework/registrar)": "deadlock_detection.py, DeadlockDetection (public CircularDependency stays)",
    "Voice (framework/plugins)": "ActionReporter",
    "Withheld, withheld.py (framework/plugins)": "Conflict, conflicts.py",
    "Desk in framework/plugins/attempt.py": "AttemptHost",
    "UsesQueue": "ad_hoc_leases.py, AdHocLeases",
    "body.py, guardian.py, lifeline.py (framework/processes)": "os_process.py, reaper.py, owner_pipe.py",
    "framework/supervisor: kept.py, kept_by, holds_on": "retained.py, retained_by, retains",
    "framework/supervisor: between_hands.py, holding_back.py, moved_besides.py": "handover.py; gone with the interlock",
    "framework/supervisor: hearing.py, talk": "input_filter.py, conversation",
    "framework/tree: standstill.py": "deadlock_words.py",
    "framework/testing, tests: House, desk, lab": "Installation, SupervisorFixture",
    "managers: untellable.py, why_never": "undecidable.py, why_undecidable",
    "managers: told_walls/shown_walls.py, own_parts.py, followed.py, sights.py": "wall_display.py, robot_parts.py, tracked_objects.py, sightings.py",
    "managers: operator_desk.py": "operator_commands.py",
    "managers: leading.py": "hand_guiding.py (of the simulated arm)",
    "resources/types: begun.py, driving.py Driving._seat, Seat": "sides.py; control_role, ControlRole",
    "pilothouse/keeping.py": "background_requests.py",
    "pilothouse/cli/played_*.py": "pilothouse/testing/simulated_*.py",
}


def main() -> int:
    check = "--check" in sys.argv
    changed = 0
    modules = {_module(old): _module(new) for old, new in FILES.items()}
    for path in _python_files():
        before = path.read_text(encoding="utf-8")
        text = before
        for rename in RENAMES:
            if _is_in(path, rename.scope) and _concerns(path, before, rename):
                text = _renamed(text, rename.names)
        for scope, words in PROSE:
            if _is_in(path, scope):
                for old, new in words.items():
                    text = re.sub(rf"\b{re.escape(old)}\b", new, text)
        for old, new in FILES.items():
            if path.parent == (ROOT / old).parent or _is_in(path, ("tests/mutants",)):
                was, now = Path(old).stem, Path(new).stem
                text = re.sub(rf"\b{was}\.py\b", f"{now}.py", text).replace(f"`{was}`", f"`{now}`")
        for old, new in modules.items():
            text = re.sub(rf"\b{re.escape(old)}\b", new, text)
            package, _, name = old.rpartition(".")
            text = re.sub(rf"(from {re.escape(package)} import (?:\w+, )*){name}\b", rf"\1{new.rpartition('.')[2]}", text)
        if _is_in(path, ("tests/mutants",)):
            for old, new in WRAPPED.items():
                text = text.replace(old, new)
        if _is_in(path, ("tests/faults",)):
            text = text.replace("shell.lives._lives", "shell.provider_tasks._running")
        if text != before:
            changed += 1
            if not check:
                path.write_text(text, encoding="utf-8")
    for old, new in FILES.items():
        if (ROOT / old).exists():
            changed += 1
            if not check:
                subprocess.run(["git", "mv", old, new], check=True)
    if changed and not check:
        ruff = str(ROOT / ".venv/bin/ruff")
        subprocess.run([ruff, "check", "-q", "--fix", "--select", "I,RUF023", "framework", "tests", "managers"], check=False)
        subprocess.run([ruff, "format", "-q", "framework", "tests", "managers"], check=True)
    print(f"{changed} files {'to change' if check else 'changed'}")
    return 0


def _concerns(path: Path, text: str, rename: Rename) -> bool:
    pattern = rename.imported_from
    if not pattern:
        return True
    own = _module(str(path.relative_to(ROOT)))
    return re.fullmatch(pattern, own) is not None or re.search(rf"(from|import) ({pattern})\b", text) is not None


def _renamed(text: str, names: dict[str, str]) -> str:
    """The identifiers of a Python text, also those inside of the braces of f-strings and in mutations."""
    lines = text.splitlines(keepends=True)
    edits: list[tuple[int, int, int, int, str]] = []
    pattern = re.compile(r"(?<![\w\"'])(" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?!\w)")

    def in_string(string: str) -> str:
        if string[1:-1] in names and string[1:-1].startswith("_"):  # in `__slots__`
            return string[0] + names[string[1:-1]] + string[-1]
        if re.match(r"(?i)(rf|fr|f)['\"]", string):
            return re.sub(r"\{[^{}]*\}", lambda found: pattern.sub(lambda m: names[m[1]], found[0]), string)
        return string

    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and token.string in names:
            edits.append((*token.start, *token.end, names[token.string]))
        elif token.type == tokenize.STRING and (new := in_string(token.string)) != token.string:
            edits.append((*token.start, *token.end, new))
    for row, begin, end_row, end, new in reversed(edits):
        head, tail = lines[row - 1][:begin], lines[end_row - 1][end:]
        lines[row - 1 : end_row] = [head + new + tail]
        # Later edits lie above: rows stay as they were counted.
    return "".join(lines)


def _python_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "*.py"], capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split() if (ROOT / name).exists()]


def _is_in(path: Path, scope: tuple[str, ...]) -> bool:
    name = str(path.relative_to(ROOT))
    return any(name == each or name.startswith(f"{each}/") for each in scope)


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


if __name__ == "__main__":
    raise SystemExit(main())
