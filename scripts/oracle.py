"""Sets up `.venv-oracle`: Pinocchio beside what our arm models need, for `make test-oracle` and nothing else.

Pinocchio is several hundred megabytes and no dependency of ours, so the tests against it have an environment
of their own. Run by the system's Python (`python3 -m scripts.oracle`); `--pin` writes its versions down.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from scripts.progress import Progress, SetupFailed
from scripts.setup import unfit_python
from scripts.stamps import Stamp, only_one

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv-oracle"
PACKAGES = ("pin", "mujoco", "numpy", "msgspec", "pytest")
SHARED_PINS = ROOT / "constraints.txt"  # what both environments have is of one version
OWN_PINS = ROOT / "constraints-oracle.txt"
UNPINNED = frozenset({"pip", "setuptools", "wheel"})
HEADER = "# What .venv-oracle has beyond constraints.txt. Written by `python3 -m scripts.oracle --pin`.\n"


def own_pins(installed: Iterable[str], shared: Iterable[str]) -> list[str]:
    """Return those lines `name==version` of `installed` that `shared` does not name, sorted."""
    known = {_name(line) for line in shared if "==" in line} | UNPINNED
    return sorted(line for line in installed if _name(line) not in known)


def _name(line: str) -> str:
    return line.partition("==")[0].strip().lower().replace("_", "-").replace(".", "-")


def ensure(progress: Progress) -> None:
    """Make the environment and install into it, unless that is done for the present pins.

    Raises SetupFailed.
    """
    # It reads TOML, which an unfit Python cannot; `main` has to say so first.
    from scripts import python_environment

    progress.begin("Oracle (Pinocchio)")
    stamp = _stamp()
    usable = python_environment.is_usable(VENV)
    if usable and stamp.is_current():
        progress.end("present")
        return
    stamp.remove()
    if not usable:
        python_environment.create(progress, ROOT, VENV)
    constraints = [part for path in (SHARED_PINS, OWN_PINS) if path.is_file() for part in ("-c", path.name)]
    progress.run(
        [str(VENV / "bin" / "python"), "-m", "pip", "install", "--no-input", *constraints, *PACKAGES],
        doing="installing (a minute the first time)",
        log="pip-oracle",
        cwd=ROOT,
        env={"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUNBUFFERED": "1"},
    )
    stamp.write()
    progress.end("installed")


def pin() -> int:
    """Write the versions that are installed, and return how many."""
    listed = subprocess.run(
        [str(VENV / "bin" / "python"), "-m", "pip", "list", "--format", "freeze"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )
    lines = own_pins(listed.stdout.splitlines(), SHARED_PINS.read_text().splitlines())
    OWN_PINS.write_text(HEADER + "".join(f"{line}\n" for line in lines))
    _stamp().write()
    return len(lines)


def _stamp() -> Stamp:
    return Stamp(VENV / "setup.stamp", [json.dumps(PACKAGES), SHARED_PINS, OWN_PINS, str(ROOT)])


def main(argv: list[str] | None = None) -> int:
    """Set up, and return the exit code: 0 ready, 1 failed with the reason printed, 130 interrupted."""
    reason = unfit_python((sys.version_info[0], sys.version_info[1]))
    if reason is not None:
        print(reason, file=sys.stderr)
        return 1

    parser = argparse.ArgumentParser(prog="python3 -m scripts.oracle", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--pin", action="store_true", help=f"then write {OWN_PINS.name} from what is installed"
    )
    choice = parser.parse_args(argv)

    progress = Progress(1, ROOT / ".setup")
    started = time.monotonic()
    try:
        with only_one(ROOT / ".setup" / "lock-oracle", progress):
            ensure(progress)
            if choice.pin:
                progress.say(f"{OWN_PINS.name}: {pin()} packages")
    except SetupFailed as failure:
        progress.say(f"\nSetup stopped: {failure}")
        return 1
    except KeyboardInterrupt:
        progress.say("\nInterrupted; the next call goes on from here.")
        return 130
    progress.say(f"Ready ({time.monotonic() - started:.1f} s).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
