"""The one place where pyrealsense2 is imported, once somebody calls `library`: a camera's own process.

It is an optional extra. It has no types of its own: what comes from it is `Any`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from framework.errors import PluginUnavailable

MODULE: Final = "pyrealsense2"

HOW_TO_GET_IT: Final = f"pip install {MODULE} (there are wheels for Linux on x86-64 and aarch64)"


def why_missing() -> str:
    """Why it cannot be used, and what to do; "" if it is installed. Does not import it."""
    return "" if find_spec(MODULE) is not None else f"{MODULE} is not installed: {HOW_TO_GET_IT}"


def library() -> Any:
    """The module. Raises PluginUnavailable if it cannot be imported."""
    try:
        return import_module(MODULE)
    except ImportError as error:
        raise PluginUnavailable(
            "realsense", f"{MODULE} cannot be imported ({error}): {HOW_TO_GET_IT}"
        ) from error
