"""The pytest plugin `pilothouse`: the seed, and a runner on the virtual clock that tolerates no leftovers.

It is loaded by every pytest of an environment that has Pilothouse, so it imports
the loop only when a test asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest

_T = TypeVar("_T")

_OPTION = "--pilothouse-seed"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--pilothouse-seed N`."""
    group = parser.getgroup("pilothouse", "Pilothouse: tests on the virtual clock")
    group.addoption(
        _OPTION,
        type=int,
        default=0,
        metavar="N",
        help="seed of every test that draws lots through the fixtures `seed` and `virtual` (default: 0)",
    )


def pytest_report_header(config: pytest.Config) -> str:
    """Say the seed, so that a failed run can be repeated."""
    return f"pilothouse: seed {config.getoption(_OPTION)} (repeat with {_OPTION})"


class VirtualRunner:
    """What the fixture `virtual` gives: `virtual(coroutine_function)` returns its result."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(
        self, coroutine_function: Callable[[], Coroutine[Any, Any, _T]], *, limit_s: float | None = None
    ) -> _T:
        """Like `framework.testing.run`; the test fails if tasks would have gone on after the end."""
        from framework.testing.runner import run_on
        from framework.testing.virtual_loop import LIMIT_S, VirtualLoop
        from framework.testing.waiting import as_lines

        loop = VirtualLoop(seed=self.seed, limit_s=LIMIT_S if limit_s is None else limit_s)
        result = run_on(loop, coroutine_function)
        if loop.leftovers:
            pytest.fail(
                f"{len(loop.leftovers)} tasks were left running at {loop.time():g} s virtual time:\n"
                f"{as_lines(loop.leftovers)}\nCancel and await them, or leave the scope that owns them.",
                pytrace=False,
            )
        return result


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """The number given with `--pilothouse-seed`, 0 by default."""
    given = request.config.getoption(_OPTION)
    assert isinstance(given, int)
    return given


@pytest.fixture
def virtual(seed: int) -> VirtualRunner:
    """Run a coroutine function on a fresh virtual clock with the test's seed; leftovers fail the test."""
    return VirtualRunner(seed)
