"""All tests here are `ros`, and wait for what really happens."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent

collect_ignore = ["inside"]
"""It is run by the Python that has rclpy, which stops looking for settings there."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.ros)
            item.add_marker(pytest.mark.real)
