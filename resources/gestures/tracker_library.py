"""Where MediaPipe is: an environment of its own, as it cannot be in ours, and imported in that one only.

It needs numpy below 2 and a Python up to 3.12, and takes 1 GB; this version carries its models and asks no
network, later ones do not. In a checkout `make hands` sets it up; elsewhere PILOTHOUSE_HANDS names it.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from framework.errors import PluginUnavailable

MODULE: Final = "mediapipe"
VERSION: Final = "0.10.21"

VARIABLE: Final = "PILOTHOUSE_HANDS"
"""The environment's folder, where it is not the checkout's own."""

CHECKOUT: Final = Path(__file__).resolve().parents[2]
HOW_TO_GET_IT: Final = "make hands (1 GB; needs Python 3.11 or 3.12)"
ELSEWHERE: Final = f"outside of a checkout {VARIABLE} names such an environment: docs/gestures.md"


def environment() -> Path:
    """The folder where it is looked for."""
    return Path(os.environ.get(VARIABLE) or CHECKOUT / ".venv-hands")


def why_missing() -> str:
    """Why there is no such environment, and what to do; "" if there is one. Does not look into it."""
    if (environment() / "bin" / "python").is_file():
        return ""
    return (
        f"MediaPipe has an environment of its own, and there is none in {environment()}: {HOW_TO_GET_IT}; "
        f"{ELSEWHERE}"
    )


def python() -> str:
    """The Python of that environment. Raises PluginUnavailable if there is none, with what to do."""
    if missing := why_missing():
        raise PluginUnavailable("the hand tracker", missing)
    return str(environment() / "bin" / "python")


def library() -> Any:
    """The module, in the tracker's own process. Raises PluginUnavailable if it cannot be imported.

    It has no types of its own: what comes from it is `Any`.
    """
    try:
        module = import_module(MODULE)
    except ImportError as error:
        words = f"{MODULE} cannot be imported in {environment()} ({error}): {HOW_TO_GET_IT}"
        raise PluginUnavailable("the hand tracker", words) from error
    found = getattr(module, "__version__", "")
    if found != VERSION:
        raise PluginUnavailable(
            "the hand tracker",
            f"{MODULE} {found} is in {environment()}, {VERSION} was tried: {HOW_TO_GET_IT}",
        )
    return module


def main() -> int:
    """Try it, in its environment, for `pilothouse doctor`."""
    try:
        library()
    except PluginUnavailable as error:
        print(error.reason, file=sys.stderr)
        return 1
    print(f"{MODULE} {VERSION}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
