"""The control box that the tests of this folder share, and the priority that they need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.resources.drivers.franka.bench import Bench, Boxes


@pytest.fixture(scope="package", autouse=True)
def before_others() -> Iterator[None]:
    """What commands an arm goes before what else this machine does, as far as that is permitted.

    Orders lapse within 0.2 s. That they do is tested elsewhere, and is no failure of what is tested here.
    """
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    yield
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, before)


@pytest.fixture(scope="package")
def boxes(before_others: None) -> Iterator[Boxes]:
    """One box after the other."""
    boxes = Boxes()
    yield boxes
    boxes.close()


@pytest.fixture
def bench(boxes: Boxes) -> Bench:
    """A box in lock-step, as new but for its settings."""
    return boxes.bench()
