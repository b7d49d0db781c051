"""Sets up `.venv-hands`: MediaPipe, which looks for hands in the pictures of the robot's own cameras.

It needs numpy below 2 and a Python up to 3.12, and takes 1 GB, so it has an environment of its own, and is
optional. Run by the system's Python (`python3 -m scripts.hands`); `--pin` writes its versions down, `--fits`
says by its exit code whether there is a Python for it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

from scripts.progress import SetupFailed
from scripts.separate_environment import SeparateEnvironment, main, see_checkout

PYTHONS = ((3, 11), (3, 12))
"""MediaPipe has wheels for older ones, too, which we do not run on."""


def fitting_python() -> str:
    """The running Python if it fits, else another one of this machine. Raises SetupFailed."""
    if sys.version_info[:2] in PYTHONS:
        return sys.executable
    for major, minor in reversed(PYTHONS):
        found = shutil.which(f"python{major}.{minor}")
        if found is not None and _runs(found):
            return found
    running = f"{sys.version_info[0]}.{sys.version_info[1]}"
    raise SetupFailed(
        f"MediaPipe has no wheel for Python {running}, and there is no Python 3.11 or 3.12 beside it. "
        "Install one of them with its venv module, and name it: make hands PYTHON=python3.12"
    )


def _runs(python: str) -> bool:
    """Whether it is one, and can make environments: there are stand-ins that only say what is missing."""
    try:
        tried = subprocess.run(
            [python, "-c", "import ensurepip, venv"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError:
        return False
    return tried.returncode == 0


HANDS = SeparateEnvironment(
    name="hands",
    title="Hand tracker (MediaPipe)",
    installing="installing (1 GB, a minute the first time)",
    packages=("mediapipe==0.10.21", "msgspec"),
    shares_pins=False,
    python=fitting_python,
    finish=see_checkout,
)


def fits() -> bool:
    """Whether this machine has a Python that MediaPipe has a wheel for; says so if not."""
    try:
        fitting_python()
    except SetupFailed as failure:
        print(failure, file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    if sys.argv[1:] == ["--fits"]:
        sys.exit(not fits())
    sys.exit(main(HANDS, __doc__))
