"""Sets a checkout up: system packages, Python environment, console page. Asks nothing; quick the second time.

Run by the system's Python (`python3 -m scripts.setup`), so it uses the standard library only. This file
decides the order; how each part is done lives beside it.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def unfit_python(version: tuple[int, int]) -> str | None:
    """Return why this Python cannot be used, in words, or None if it can."""
    if (3, 11) <= version < (3, 14):
        return None
    found = "{}.{}".format(*version)
    return (
        f"Pilothouse needs Python 3.11, 3.12 or 3.13; this one is {found} ({sys.executable}).\n"
        "Install one of them with its venv module, and name it: make setup PYTHON=python3.11"
    )


def main(argv: list[str] | None = None) -> int:
    """Set up, and return the exit code: 0 ready, 1 failed with the reason printed, 130 interrupted."""
    reason = unfit_python((sys.version_info[0], sys.version_info[1]))
    if reason is not None:
        print(reason, file=sys.stderr)
        return 1

    from scripts import console_page, python_environment, system_packages
    from scripts.progress import Progress, SetupFailed
    from scripts.stamps import only_one

    parser = argparse.ArgumentParser(prog="make setup", description=__doc__.splitlines()[0])
    parser.add_argument("--tests", action="store_true", help="also what the tests need (a browser)")
    parser.add_argument("--page", action="store_true", help="build the console's page only")
    choice = parser.parse_args(argv)

    steps = console_page.STEPS if choice.page else 2 + console_page.STEPS
    progress = Progress(steps, ROOT / ".setup")
    started = time.monotonic()
    try:
        with only_one(ROOT / ".setup" / "lock", progress):
            if not choice.page:
                system_packages.ensure(progress, for_tests=choice.tests)
                python_environment.ensure(progress, ROOT)
            console_page.ensure(progress, ROOT)
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
