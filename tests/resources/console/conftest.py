"""One browser for all tests of a file; each test gets a server of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.resources.console.browser import chromium
from tests.resources.console.desk import Driver


@pytest.fixture(scope="module")
def drive() -> Iterator[Driver]:
    with asyncio.Runner() as runner:
        browser = chromium()
        yield Driver(runner, runner.run(browser.__aenter__()))
        runner.run(browser.__aexit__(None, None, None))
