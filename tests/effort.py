"""How many random inputs a property is tried with: a quarter in `make test`, all of them in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import settings

IS_FULL: Final = os.environ.get("PILOTHOUSE_EFFORT") == "full"


def share(full: int) -> int:
    """So many of `full` now."""
    return full if IS_FULL else max(1, full // 4)


def random_inputs(full: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A property's decorator, above `@given`: so many inputs in `make soak`, which runs it again."""

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        marked: Callable[..., Any] = pytest.mark.thorough(test)
        return settings(max_examples=share(full), deadline=None)(marked)

    return decorate


def seeds(name: str, full: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that has a test run with each of so many seeds: a quarter of `full` in `make test`."""

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        marked: Callable[..., Any] = pytest.mark.thorough(test)
        chosen: Callable[..., Any] = pytest.mark.parametrize(name, range(share(full)))(marked)
        return chosen

    return decorate
