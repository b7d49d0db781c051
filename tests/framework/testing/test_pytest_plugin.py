"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_TESTS = """
import asyncio

def test_result(virtual):
    async def main():
        await asyncio.sleep(3600)
        return asyncio.get_running_loop().time()
    assert virtual(main) == 3600

def test_leftover(virtual):
    kept = []
    async def goes_on():
        await asyncio.sleep(3600)
    async def main():
        kept.append(asyncio.create_task(goes_on(), name="forgotten"))
        await asyncio.sleep(1)
    virtual(main)

def test_stuck(virtual):
    virtual(asyncio.Event().wait)

def test_seed(virtual, seed):
    async def main():
        return asyncio.get_running_loop().seed
    assert virtual(main) == seed
    print(f"the seed is {seed}")

def test_limit(virtual):
    async def main():
        await asyncio.sleep(3600)
    virtual(main, limit_s=60)
"""


def run_pytest(folder: Path, *options: str) -> str:
    (folder / "test_it.py").write_text(_TESTS)
    plugin = ["-p", "framework.testing.pytest_plugin", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "--rootdir", str(folder), *plugin, *options, str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        # Whether Pilothouse is installed or not: the plugin is there once.
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    return done.stdout + done.stderr


def test_leftovers_and_stuck_tasks_fail_with_words(tmp_path: Path) -> None:
    report = run_pytest(tmp_path)
    assert "3 failed, 2 passed" in report
    assert (
        "1 tasks were left running at 1 s virtual time:\n  - forgotten (test_leftover.<locals>.goes_on)"
        in report
    )
    assert "NothingScheduled: At 0 s virtual time" in report
    assert "limit of 60 s virtual time" in report


@pytest.mark.parametrize(("options", "seed"), [((), 0), (("--pilothouse-seed", "42"), 42)])
def test_the_seed_is_said_and_handed_on(tmp_path: Path, options: tuple[str, ...], seed: int) -> None:
    report = run_pytest(tmp_path, "-k", "test_seed", *options)
    assert f"pilothouse: seed {seed} (repeat with --pilothouse-seed)" in report
    assert f"the seed is {seed}" in report
    assert "1 passed" in report


def test_a_seed_that_is_no_number_is_refused(tmp_path: Path) -> None:
    assert "invalid int value: 'x'" in run_pytest(tmp_path, "--pilothouse-seed", "x")
