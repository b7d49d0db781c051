"""Virtual environments beside `.venv`, for packages that cannot be in it: made, pinned, and looked after."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from scripts.progress import Progress, SetupFailed
from scripts.setup import unfit_python
from scripts.stamps import Stamp, only_one

ROOT = Path(__file__).resolve().parent.parent
SHARED_PINS = ROOT / "constraints.txt"
UNPINNED = frozenset({"pip", "setuptools", "wheel"})


@dataclass(frozen=True)
class SeparateEnvironment:
    """One of them.

    name: what it is called here ("oracle": `.venv-oracle`, `constraints-oracle.txt`, `scripts.oracle`).
    title, installing: what is said meanwhile. packages: what pip is asked for.
    shares_pins: what it and `.venv` have in common is of one version.
    python: which one it is made of, if not of the running one. Raises SetupFailed.
    finish: what else is to be done, once all is installed.
    """

    name: str
    title: str
    installing: str
    packages: tuple[str, ...]
    shares_pins: bool = True
    python: Callable[[], str] = lambda: sys.executable
    finish: Callable[[Path], None] = lambda venv: None

    @property
    def venv(self) -> Path:
        """Its folder."""
        return ROOT / f".venv-{self.name}"

    @property
    def own_pins(self) -> Path:
        """The file with its versions."""
        return ROOT / f"constraints-{self.name}.txt"

    @property
    def pins(self) -> tuple[Path, ...]:
        """All files of versions that count for it."""
        return (SHARED_PINS, self.own_pins) if self.shares_pins else (self.own_pins,)

    def ensure(self, progress: Progress) -> None:
        """Make it and install into it, unless that is done for the present pins. Raises SetupFailed."""
        # It reads TOML, which an unfit Python cannot; `main` has to say so first.
        from scripts import python_environment

        progress.begin(self.title)
        stamp = self._stamp()
        usable = python_environment.is_usable(self.venv)
        if usable and stamp.is_current():
            progress.end("present")
            return
        stamp.remove()
        if not usable:
            python_environment.create(progress, ROOT, self.venv, self.python())
        constraints = [part for path in self.pins if path.is_file() for part in ("-c", path.name)]
        progress.run(
            [self._python, "-m", "pip", "install", "--no-input", *constraints, *self.packages],
            doing=self.installing,
            log=f"pip-{self.name}",
            cwd=ROOT,
            env={"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUNBUFFERED": "1"},
        )
        self.finish(self.venv)
        stamp.write()
        progress.end("installed")

    def pin(self) -> int:
        """Write the versions that are installed, and return how many."""
        listed = subprocess.run(
            [self._python, "-m", "pip", "list", "--format", "freeze"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        )
        shared = SHARED_PINS.read_text().splitlines() if self.shares_pins else []
        lines = own_pins(listed.stdout.splitlines(), shared)
        beyond = " beyond constraints.txt" if self.shares_pins else ""
        header = f"# What .venv-{self.name} has{beyond}. Written by `python3 -m scripts.{self.name} --pin`.\n"
        self.own_pins.write_text(header + "".join(f"{line}\n" for line in lines))
        self._stamp().write()
        return len(lines)

    @property
    def _python(self) -> str:
        return str(self.venv / "bin" / "python")

    def _stamp(self) -> Stamp:
        return Stamp(self.venv / "setup.stamp", [json.dumps(self.packages), *self.pins, str(ROOT)])


def see_checkout(venv: Path) -> None:
    """Let its programs import this checkout, after everything of its own."""
    for folder in (venv / "lib").glob("python3.*/site-packages"):
        (folder / "pilothouse_checkout.pth").write_text(f"{ROOT}\n")


def own_pins(installed: Iterable[str], shared: Iterable[str]) -> list[str]:
    """Return those lines `name==version` of `installed` that `shared` does not name, sorted."""
    known = {_name(line) for line in shared if "==" in line} | UNPINNED
    return sorted(line for line in installed if _name(line) not in known)


def _name(line: str) -> str:
    return line.partition("==")[0].strip().lower().replace("_", "-").replace(".", "-")


def main(environment: SeparateEnvironment, description: str, argv: list[str] | None = None) -> int:
    """Set it up, and return the exit code: 0 ready, 1 failed with the reason printed, 130 interrupted."""
    reason = unfit_python((sys.version_info[0], sys.version_info[1]))
    if reason is not None:
        print(reason, file=sys.stderr)
        return 1

    parser = argparse.ArgumentParser(
        prog=f"python3 -m scripts.{environment.name}", description=description.splitlines()[0]
    )
    parser.add_argument(
        "--pin",
        action="store_true",
        help=f"then write {environment.own_pins.name} from what is installed",
    )
    choice = parser.parse_args(argv)

    progress = Progress(1, ROOT / ".setup")
    started = time.monotonic()
    try:
        with only_one(ROOT / ".setup" / f"lock-{environment.name}", progress):
            environment.ensure(progress)
            if choice.pin:
                progress.say(f"{environment.own_pins.name}: {environment.pin()} packages")
    except SetupFailed as failure:
        progress.say(f"\nSetup stopped: {failure}")
        return 1
    except KeyboardInterrupt:
        progress.say("\nInterrupted; the next call goes on from here.")
        return 130
    progress.say(f"Ready ({time.monotonic() - started:.1f} s).")
    return 0
