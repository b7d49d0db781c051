"""Run with `make mutants`: each mutation on a copy of the package, the core's tests on the copy.

A mutant is caught when a test fails on it; an import error, a hang or a crash of
the test run is no catch. The unmutated copy has to pass. Names given as
arguments choose among the mutants. Exit code 0 if all are caught.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tests.mutants.catalogue import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]

#: What a copy consists of; the front door is left out, the core's tests need none.
COPIED = ("framework", "tests/__init__.py", "tests/framework/registrar", "pyproject.toml")

#: Run at the same time.
AT_ONCE = 2

#: No test run of a copy takes this long unless the mutant hangs it [s].
TIMEOUT_S = 120.0

#: A failing test for one of these reasons says nothing about the mutant.
BROKEN = ("ImportError", "ModuleNotFoundError", "SyntaxError", "NameError", "IndentationError")

UNMUTATED = "(none)"


class Verdict(NamedTuple):
    """What became of one mutant."""

    name: str
    ok: bool
    by: str
    took_s: float


def main(chosen: list[str]) -> int:
    """Try all mutants, or the chosen ones; print a table; 0 if every one is caught."""
    unknown = set(chosen) - {mutant.name for mutant in MUTANTS}
    if unknown:
        names = ", ".join(mutant.name for mutant in MUTANTS)
        print(f"there is no mutant named {', '.join(sorted(unknown))}; there are {names}", file=sys.stderr)
        return 2
    todo: list[Mutant | None] = [None, *(m for m in MUTANTS if not chosen or m.name in chosen)]
    width = max(len(mutant.name) for mutant in MUTANTS)
    began_s = time.monotonic()
    missed = []
    print(f"{'mutant':<{width}}  {'seconds':>7}  caught by")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for number, verdict in enumerate(pool.map(attempt, todo), 1):
            sign = "" if verdict.ok else "  <-- NOT AS IT SHOULD BE"
            print(
                f"{verdict.name:<{width}}  {verdict.took_s:7.1f}  {verdict.by}{sign}  [{number}/{len(todo)}]",
                flush=True,
            )
            if not verdict.ok:
                missed.append(verdict.name)
    caught = len(todo) - len(missed)
    print(f"{caught} of {len(todo)} as they should be, {time.monotonic() - began_s:.0f} s")
    for mutant in MUTANTS:
        if mutant.name in missed:
            print(f"not caught: {mutant.name} ({mutant.file}): {mutant.why}")
    return 1 if missed else 0


def attempt(mutant: Mutant | None) -> Verdict:
    """Try one mutant (None: the unmutated copy, which has to pass)."""
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pilothouse-mutant-") as folder:
        copy = Path(folder)
        make_copy(copy)
        problem = mutate(copy, mutant) if mutant is not None else ""
        ok, by = (False, problem) if problem else judge(copy, is_mutated=mutant is not None)
    return Verdict(mutant.name if mutant else UNMUTATED, ok, by, time.monotonic() - began_s)


def make_copy(folder: Path) -> None:
    """Copy what the core's tests need."""
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)


def mutate(folder: Path, mutant: Mutant) -> str:
    """Apply the mutation; says what is wrong with it, if it does not fit any more."""
    path = folder / "framework" / "registrar" / mutant.file
    text = path.read_text(encoding="utf-8")
    count = text.count(mutant.before)
    if count != 1:
        return f"its `before` occurs {count} times in {mutant.file}: rewrite the mutation"
    path.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
    return ""


def judge(folder: Path, *, is_mutated: bool) -> tuple[bool, str]:
    """Run the core's tests on the copy: whether that went as it should, and what caught the mutant."""
    report = folder / "report.xml"
    tests = sorted(
        str(path.relative_to(folder)) for path in folder.glob("tests/framework/registrar/test_core_*.py")
    )
    # The examples with the sharpest eye for their own rule first, the property test last.
    tests.sort(key=lambda path: "properties" in path)
    environment = os.environ | {"PYTHONPATH": str(folder), "PILOTHOUSE_PROPERTY_PROFILE": "mutants"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--junitxml={report}"]
    try:
        run = subprocess.run(
            [*command, *tests],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, f"nothing: the tests hung for {TIMEOUT_S:.0f} s"
    if run.returncode not in (0, 1) or not report.exists():
        return False, f"nothing: pytest ended with {run.returncode}: {run.stdout[-200:]!r}"
    failures = [
        (case.get("name", ""), failure.get("message") or "")
        for case in ElementTree.parse(report).iter("testcase")
        for failure in case.findall("failure")
    ]
    if not is_mutated:
        return run.returncode == 0, "nothing, as it should be" if run.returncode == 0 else str(failures)
    if not failures:
        return False, "nothing"
    name, message = failures[0]
    if message.startswith(BROKEN):
        return False, f"nothing: {name} is broken by it: {message}"
    return True, name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
