"""The control box that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.resources.fci.bench import Bench, Boxes


@pytest.fixture(scope="package")
def boxes() -> Iterator[Boxes]:
    """One box after the other."""
    boxes = Boxes()
    yield boxes
    boxes.close()


@pytest.fixture
def bench(boxes: Boxes) -> Bench:
    """A box in lock-step, as new but for its settings."""
    return boxes.bench()
