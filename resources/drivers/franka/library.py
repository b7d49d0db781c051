"""The one place where pylibfranka is imported, once somebody calls `library`: a child process of its own.

It is an optional extra. It never releases the interpreter while it waits, so no process that has anything
else to do may use it. Seen from here it has no types: what comes from it is `Any`.
"""

from __future__ import annotations

import platform
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from framework.errors import PluginUnavailable

MODULE: Final = "pylibfranka"

NO_WHEEL: Final = f"{MODULE} has no wheel for this platform"

HOW_TO_GET_IT: Final = (
    f"pip install 'pilothouse[franka]' ({MODULE} 0.21 or later: Linux on x86-64, CPython 3.10 to 3.12)"
)


def has_wheel() -> bool:
    """Whether a wheel is published for this machine and interpreter."""
    return (
        sys.platform == "linux"
        and platform.machine() == "x86_64"
        and platform.python_implementation() == "CPython"
        and sys.version_info < (3, 13)
    )


def why_missing() -> str:
    """Why it cannot be used, and what to do; "" if it is installed. Does not import it."""
    if find_spec(MODULE) is not None:
        return ""
    if not has_wheel():
        return f"{NO_WHEEL}: {HOW_TO_GET_IT}"
    return f"{MODULE} is not installed: {HOW_TO_GET_IT}"


def library() -> Any:
    """The module. Raises PluginUnavailable if it cannot be imported."""
    try:
        return import_module(MODULE)
    except ImportError as error:
        raise PluginUnavailable("fci", f"{MODULE} cannot be imported ({error}): {HOW_TO_GET_IT}") from error
