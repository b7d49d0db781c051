"""The one place where rclpy is imported, once somebody calls `library`: in a process of its own interpreter.

As a program it tries that, and prints what it found (`Found` as JSON), or why it will not do.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import msgspec

from framework.errors import PluginUnavailable

MODULE: Final = "rclpy"

OLDEST: Final = 7
"""The major version of Jazzy's rclpy."""

DISTRIBUTIONS: Final = {7: "jazzy", 9: "kilted"}
"""What rclpy's major version says."""


class Found(msgspec.Struct, frozen=True):
    """An rclpy that works. distribution: "jazzy", or "rclpy 11" of one that is not known here yet."""

    version: str
    distribution: str
    middleware: str
    python: str


def library() -> Any:
    """The module. Raises PluginUnavailable if it cannot be imported, or is older than Jazzy's."""
    try:
        module = import_module(MODULE)
    except ImportError as error:
        raise PluginUnavailable("ROS 2", f"{MODULE} cannot be imported ({error})") from error
    found = installed()
    if (major := _major(found)) and major < OLDEST:
        raise PluginUnavailable(
            "ROS 2", f"{MODULE} {found} is too old: {OLDEST} (Jazzy) and later are spoken with"
        )
    return module


def installed() -> str:
    """Its version; "" if it does not say."""
    try:
        return version(MODULE)
    except PackageNotFoundError:
        return ""


def distribution() -> str:
    """As rclpy's version tells; where it says nothing that is known here, as the environment names it.

    A shell may have another ROS than the one that this rclpy is of.
    """
    major = _major(installed())
    named = os.environ.get("ROS_DISTRO", "")
    if major in DISTRIBUTIONS:
        return DISTRIBUTIONS[major]
    if named and (not major or named not in DISTRIBUTIONS.values()):
        return named
    return f"{MODULE} {major}"


def _major(text: str) -> int:
    head = text.partition(".")[0]
    return int(head) if head.isdecimal() else 0


def main() -> int:
    """Try it, with its middleware."""
    try:
        library()
        middleware = import_module("rclpy.utilities").get_rmw_implementation_identifier()
    except PluginUnavailable as error:
        print(error.reason, file=sys.stderr)
        return 1
    except Exception as error:  # a middleware that cannot be loaded raises what it likes
        print(f"{MODULE} has no middleware that works: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    python = ".".join(map(str, sys.version_info[:3]))
    print(msgspec.json.encode(Found(installed(), distribution(), middleware, python)).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
