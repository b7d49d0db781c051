"""A headless Chromium that takes no precedence over the robot on the same machine; for experiments and tests.

Started by root, Chromium raises the priority of its own processes (nice -8, which weighs six times as much as
0), because it may. On a machine without a graphics card those processes draw with all the time they get, so
the control loops beside them stood still for up to .9 s. It is therefore started without that right
(`setpriv`, capabilities(7): CAP_SYS_NICE), as the browser of any ordinary user is.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.async_api import Browser

COMMANDS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Three-dimensional drawing without a graphics card, and nothing that calls home.
FLAGS: Final = (
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def command() -> str | None:
    """Where the Chromium of this machine is; None if there is none."""
    return next((path for name in COMMANDS if (path := shutil.which(name))), None)


@asynccontextmanager
async def launched(*more_flags: str) -> AsyncIterator[Browser]:
    """It runs for as long as this is open; AssertionError without a Chromium (ask `command` first)."""
    from playwright.async_api import async_playwright

    found = command()
    assert found is not None, (
        f"no Chromium is installed: none of {', '.join(COMMANDS)}; `make test` installs it"
    )
    with _as_anybodys(found) as path:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=path, args=[*FLAGS, *more_flags])
            try:
                yield browser
            finally:
                await browser.close()


@contextmanager
def _as_anybodys(path: str) -> Iterator[str]:
    """What starts this program without the right to raise its priority; else the program itself."""
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None:
        yield path
        return
    less = f"{quote(setpriv)} --inh-caps=-sys_nice --bounding-set=-sys_nice"
    # A root that may not give up a right, as in some containers, mostly lacks this one, too.
    lines = (
        "#!/bin/sh",
        f'{less} true 2>/dev/null && exec {less} {quote(path)} "$@"',
        f'exec {quote(path)} "$@"',
    )
    with TemporaryDirectory(prefix="pilothouse-browser-") as folder:
        script = Path(folder) / "chromium"
        script.write_text("\n".join(lines) + "\n", encoding="utf-8")
        script.chmod(0o700)
        yield str(script)
