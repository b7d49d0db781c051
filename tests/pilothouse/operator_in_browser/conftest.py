"""What all stories share: one installation, one browser, one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.async_api import Browser

from pilothouse.testbed.console_program import console_program
from tests.pilothouse.bench import Bench, bench
from tests.pilothouse.operator_in_browser.scene import Act, goes_home, play
from tests.resources.console.browser import chromium

ACTIONS = Path(__file__).parents[2] / "scenarios" / "actions"


@pytest.fixture(scope="package")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """It runs."""
    with bench(tmp_path_factory.mktemp("operator"), "--actions", str(ACTIONS)) as running:
        yield running


@pytest.fixture(scope="package")
def runner() -> Iterator[asyncio.Runner]:
    """A browser belongs to the loop that it was started on."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="package")
def browser(runner: asyncio.Runner) -> Iterator[Browser]:
    """Each person opens a context of their own in it."""
    context = chromium()
    yield runner.run(context.__aenter__())
    runner.run(context.__aexit__(None, None, None))


@pytest.fixture(scope="package")
def home(world: Bench, runner: asyncio.Runner) -> NDArray[np.float64]:
    """Where the tool is when the arm is at home [m], (3,)."""

    async def goes_there() -> NDArray[np.float64]:
        async with console_program(world.running) as console:
            await goes_home(console)
        return world.tool()

    return runner.run(goes_there())


@pytest.fixture
def act(
    world: Bench,
    runner: asyncio.Runner,
    browser: Browser,
    home: NDArray[np.float64],
    request: pytest.FixtureRequest,
) -> Act:
    """Plays a story."""
    wanted = request.config.getoption("--pictures")
    pictures = Path(wanted) if wanted else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    return lambda story: runner.run(play(story, world, browser, pictures, home))
