"""Options that all tests share."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where browser tests leave the pictures that the README shows."""
    parser.addoption("--pictures", default="", metavar="FOLDER", help="write the README's screenshots there")
