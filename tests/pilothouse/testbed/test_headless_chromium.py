"""The browser beside the robot takes no precedence over it, whoever starts it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from pilothouse.testbed import headless_chromium
from pilothouse.testbed.headless_chromium import launched

pytestmark = pytest.mark.real


def _threads() -> Iterator[tuple[str, int]]:
    """The program and the nice value of every thread on this machine."""
    for path in Path("/proc").glob("[0-9]*/task/[0-9]*/stat"):
        try:
            program = (path.parents[2] / "cmdline").read_bytes().split(b"\0")[0].decode()
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        yield program, int(fields[16])


def test_none_of_its_threads_outranks_an_ordinary_program() -> None:
    async def main() -> None:
        async with launched() as browser:
            page = await browser.new_page()
            await page.goto("about:blank")
            await page.screenshot()  # so that what draws is there, too
            nice = [nice for program, nice in _threads() if "chrom" in Path(program).name]
        assert len(nice) > 10
        assert min(nice) >= 0

    asyncio.run(main())


def test_without_one_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headless_chromium, "COMMANDS", ("no-such-browser",))

    async def main() -> None:
        with pytest.raises(AssertionError, match="none of no-such-browser; `make test` installs it"):
            async with launched():
                pass

    asyncio.run(main())
