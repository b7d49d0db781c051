"""Which interpreter of this machine has rclpy.

It is never imported in a process of ours: its wheels set up the environment of every Python that starts, and
its versions of Python need not be ours. The first of these that works is taken: what the robot description
names, what `PILOTHOUSE_ROS` names, the shell's own ROS, the checkout's `.venv-ros`, and those in /opt/ros.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import PluginUnavailable
from framework.processes.spec import EnvPairs
from framework.unreadable import UNREADABLE
from resources.ros.library import Found

VARIABLE: Final = "PILOTHOUSE_ROS"
"""The interpreter with rclpy, or the folder of its virtual environment."""

CHECKOUT: Final = Path(__file__).resolve().parents[2]
INSTALLED: Final = Path("/opt/ros")
HOW_TO_GET_IT: Final = (
    "in a checkout `make ros` (300 MB, x86-64); else source an installed ROS 2 (Jazzy or later) before, or "
    f"name the Python that has rclpy by {VARIABLE}: docs/ros2.md"
)

TRIED_WITHIN_S: Final = 12.0
"""So long an interpreter may take to say what it has, and a setup file to set up [s]; it takes about one."""

LOOKED_WITHIN_S: Final = 45.0
"""Then no other one is begun with [s]; all is over `TRIED_WITHIN_S` later."""

_PROGRAM: Final = "resources.ros.library"


class Candidate(msgspec.Struct, frozen=True):
    """An interpreter that may have rclpy. found: where, in words; env: what it has to be started with.

    is_named: somebody has named it: if it does not work, another one would be a surprise.
    wrong: why it is not worth trying; "" if it is.
    """

    python: str
    found: str
    env: EnvPairs = ()
    is_named: bool = False
    wrong: str = ""


class RosInstallation(msgspec.Struct, frozen=True):
    """One that has it."""

    candidate: Candidate
    library: Found


def installation(named: str = "") -> RosInstallation:
    """The first that works; named: by the robot description. Takes about a second each.

    Raises PluginUnavailable that says what was tried, what was wrong with each, and what to do.
    """
    wrong: list[str] = []
    until_s = time.monotonic() + LOOKED_WITHIN_S
    for candidate in candidates(named):
        left_s = until_s - time.monotonic()
        if left_s <= 0.0:
            wrong.append(
                f"{candidate.found} and what comes after it were not tried: {LOOKED_WITHIN_S:.0f} s are over"
            )
            break
        tried = tried_out(candidate, min(TRIED_WITHIN_S, left_s))
        if isinstance(tried, RosInstallation):
            return tried
        wrong.append(f"{candidate.found} ({candidate.python}): {tried}")
        if candidate.is_named:
            break
    raise PluginUnavailable("ROS 2", "; ".join((*wrong, HOW_TO_GET_IT)))


def candidates(named: str = "", environment: Mapping[str, str] = os.environ) -> Iterator[Candidate]:
    """Where to look, the first choice first."""
    if named:
        yield Candidate(_python_in(Path(named)), "the robot description", is_named=True)
    if chosen := environment.get(VARIABLE, ""):
        yield Candidate(_python_in(Path(chosen)), VARIABLE, is_named=True)
    if environment.get("AMENT_PREFIX_PATH"):
        for python in dict.fromkeys((shutil.which("python3") or "", "/usr/bin/python3", sys.executable)):
            if python:
                yield Candidate(python, "this shell's ROS")
    checkout = CHECKOUT / ".venv-ros" / "bin" / "python"
    if checkout.is_file():
        yield Candidate(str(checkout), "this checkout's .venv-ros")
    for setup in sorted(INSTALLED.glob("*/setup.bash"), reverse=True):
        sourced = _sourced(setup)
        env, wrong = ((), sourced) if isinstance(sourced, str) else (sourced, "")
        yield Candidate("/usr/bin/python3", str(setup.parent), env, wrong=wrong)


def tried_out(candidate: Candidate, within_s: float = TRIED_WITHIN_S) -> RosInstallation | str:
    """What it has, or what is wrong with it."""
    if candidate.wrong:
        return candidate.wrong
    path = os.pathsep.join(filter(None, (str(CHECKOUT), _value(candidate.env, "PYTHONPATH"))))
    try:
        tried = subprocess.run(
            [candidate.python, "-P", "-m", _PROGRAM],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=within_s,
            check=False,
            env={
                **os.environ,
                **dict(candidate.env),
                "PYTHONPATH": path,
                "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "",
            },
        )
        if tried.returncode == 0:
            return RosInstallation(candidate, msgspec.json.decode(tried.stdout, type=Found))
    except subprocess.TimeoutExpired:
        return f"it hangs: nothing came within {within_s:.3g} s"
    except OSError as error:
        return str(error.strerror or error)
    except UNREADABLE:
        return f"it said {tried.stdout.strip()[-200:]!r}, which is not what was asked"
    lines = tried.stderr.strip().splitlines() or [f"it ended with exit code {tried.returncode}"]
    return lines[-1]


def _python_in(place: Path) -> str:
    """Of an environment, or the interpreter itself."""
    inside = place / "bin" / "python"
    return str(inside if inside.is_file() else place)


def _sourced(setup: Path) -> EnvPairs | str:
    """What a shell's environment is after that file, where it differs from ours; or what is wrong with it."""
    try:
        told = subprocess.run(
            ["bash", "-c", f". {shlex.quote(str(setup))} >/dev/null 2>&1 && env -0"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRIED_WITHIN_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{setup.name} hangs: it was not over within {TRIED_WITHIN_S:.0f} s"
    except OSError as error:
        return f"{setup.name} cannot be sourced: bash: {error.strerror or error}"
    if told.returncode != 0:
        return f"{setup.name} ended with exit code {told.returncode}"
    pairs = (entry.partition("=") for entry in told.stdout.decode(errors="replace").split("\0") if entry)
    return tuple((name, value) for name, _, value in pairs if name != "_" and os.environ.get(name) != value)


def _value(pairs: EnvPairs, name: str) -> str:
    return dict(pairs).get(name, "")
