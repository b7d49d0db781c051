"""The virtual environment `.venv` and what is in it: this project, editable, with its pinned packages."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from scripts.progress import Progress, SetupFailed
from scripts.stamps import Stamp


def ensure(progress: Progress, root: Path) -> None:
    """Make `.venv` and install into it, unless that is done for the present pyproject.toml and constraints.

    A working environment that is already there is kept and only completed. Raises SetupFailed.
    """
    progress.begin("Python packages")
    venv = root / ".venv"
    # Only these tables decide what is installed: a changed linter setting must not cost a reinstall.
    settings = tomllib.loads((root / "pyproject.toml").read_text())
    decisive = {
        "build": settings["build-system"],
        "project": settings["project"],
        "hatch": settings["tool"]["hatch"],
    }
    parts: list[str | Path] = [json.dumps(decisive, sort_keys=True), root / "constraints.txt", str(root)]
    stamp = Stamp(venv / "setup.stamp", parts)
    if stamp.is_current() and (venv / "bin" / "pilothouse").exists():
        progress.end("present")
        return

    stamp.remove()
    if not is_usable(venv):
        create(progress, root, venv)
    python = str(venv / "bin" / "python")
    progress.run(
        [python, "-m", "pip", "install", "--no-input", "-c", "constraints.txt", "-e", ".[dev]"],
        doing="installing (some minutes the first time)",
        log="pip",
        cwd=root,
        env={"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUNBUFFERED": "1"},
    )
    stamp.write()
    progress.end("installed")


def is_usable(venv: Path) -> bool:
    """Whether the environment's Python and pip run, and it was made here, not moved or copied here."""
    pip = venv / "bin" / "pip"
    if not pip.is_file():
        return False
    made_at = re.search(r"(/[^'\"\n]*)/bin/python", pip.read_text(errors="replace")[:1000])
    if made_at is None or Path(made_at[1]).resolve() != venv.resolve():
        return False
    try:
        answer = subprocess.run(
            [
                venv / "bin" / "python",
                "-c",
                "import pip, sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))",
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError:
        return False
    return answer.returncode == 0


def create(progress: Progress, root: Path, venv: Path, python: str = sys.executable) -> None:
    """Make an empty environment of the running Python, or another, in the place of whatever is there.

    Raises SetupFailed.
    """
    has_venv = all(importlib.util.find_spec(module) is not None for module in ("ensurepip", "venv"))
    if python == sys.executable and not has_venv:
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise SetupFailed(
            f"{sys.executable} lacks the venv module. On Debian and Ubuntu please run\n"
            f"    sudo apt-get install python{version}-venv"
        )
    progress.run(
        [python, "-m", "venv", "--clear", str(venv)],
        doing=f"making {venv.name}",
        log=venv.name.lstrip("."),
        cwd=root,
    )
