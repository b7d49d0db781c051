"""One browser for all tests of the operator's page: each device is a context of its own in it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser

from tests.resources.console.browser import chromium
from tests.resources.operator.page_station import Play, Scenario, station


@pytest.fixture(scope="package")
def runner() -> Iterator[asyncio.Runner]:
    """A browser belongs to the loop that it was started on."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="package")
def browser(runner: asyncio.Runner) -> Iterator[Browser]:
    """It runs."""
    context = chromium()
    yield runner.run(context.__aenter__())
    runner.run(context.__aexit__(None, None, None))


@pytest.fixture
def play(tmp_path: Path, runner: asyncio.Runner, browser: Browser) -> Play:
    """Plays a scenario at a station."""

    async def whole(scenario: Scenario) -> None:
        async with station(tmp_path) as here:
            await scenario(here, browser)
        assert here.broken == []

    return lambda scenario: runner.run(whole(scenario))
