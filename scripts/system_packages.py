"""The few system packages: rendering and sound; for tests a browser, a relay, USB, a voice, a compiler.

Never sudo.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from scripts.progress import Progress, SetupFailed

RENDERING = ("libosmesa6", "libegl1", "libegl-mesa0", "libgl1-mesa-dri")
SOUND = ("libportaudio2", "espeak-ng")
"""Microphones, and how names are pronounced."""

VOICE = "flite"
"""Who speaks to the robot in tests, besides espeak-ng."""

USB = "libusb-1.0-0"
"""Which pyrealsense2 loads, also where it only plays recordings."""

COMPILER, HEADERS = "g++", "python3-dev"

BROWSER = "chromium"
RELAY, RELAY_COMMAND = "coturn", "turnserver"
BROWSER_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_BROWSER = f"the tests need a Chromium browser: none of {', '.join(BROWSER_COMMANDS)} is there and starts."
UBUNTU_BROWSER = (
    "the tests need a Chromium browser; Ubuntu has it as a snap only, which setup does not install. Either\n"
    "    sudo snap install chromium\n"
    "or install Google Chrome's .deb package from its maker's site; then try again."
)


def ensure(progress: Progress, *, for_tests: bool) -> None:
    """See to the system packages: install them as root, otherwise print the line to run.

    Raises SetupFailed if something is missing that the tests need; without tests it warns and goes on.
    """
    progress.begin("System packages")
    debian = shutil.which("dpkg-query") is not None
    missing = missing_packages((*RENDERING, *SOUND, *((USB, VOICE) if for_tests else ()))) if debian else []
    needs_browser = for_tests and not has_browser()
    if needs_browser and debian and not is_ubuntu():
        missing.append(BROWSER)
    if for_tests and debian and shutil.which(RELAY_COMMAND) is None and not starts_services():
        missing.append(RELAY)
    if for_tests and debian:
        missing += missing_for_compiling()

    outcome = (
        "present" if debian else f"not known here; rendering needs OSMesa and EGL ({', '.join(RENDERING)})"
    )
    if missing:
        try:
            _obtain(progress, missing)
            outcome = "installed"
        except SetupFailed as failure:
            if for_tests:
                raise
            lacks = "the simulated cameras may not render, or the robot may not hear well"
            progress.say(f"WARNING: {failure}\nUntil then {lacks}.")
            outcome = f"going on without {' '.join(missing)}"
    if needs_browser and not has_browser():
        raise SetupFailed(UBUNTU_BROWSER if debian and is_ubuntu() else NO_BROWSER)
    progress.end(outcome)


def missing_for_compiling() -> list[str]:
    """What the tests of ROS 2 lack to compile interfaces that its wheels do not have."""
    has_header = (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file()
    return [
        *([] if shutil.which("c++") and shutil.which("cc") else [COMPILER]),
        *([] if has_header else [HEADERS]),
    ]


def missing_packages(names: Sequence[str]) -> list[str]:
    """Return those of the Debian packages `names` that are not installed."""
    answer = subprocess.run(
        ["dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\n", *names],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    installed = {line.split()[0] for line in answer.stdout.splitlines() if line.endswith(" installed")}
    return [name for name in names if name not in installed]


def has_browser() -> bool:
    """Whether a Chromium or Chrome on the PATH really starts (Ubuntu's package alone is a stub)."""
    for command in BROWSER_COMMANDS:
        path = shutil.which(command)
        if path is None:
            continue
        try:
            answer = subprocess.run(
                [path, "--version"], capture_output=True, stdin=subprocess.DEVNULL, timeout=20, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if answer.returncode == 0:
            return True
    return False


def starts_services() -> bool:
    """Whether installing a server starts it here: nobody asked for a relay that listens to everybody.

    Its tests say by name that they are skipped then, and what to install.
    """
    return Path("/run/systemd/system").is_dir()


def is_ubuntu() -> bool:
    """Whether this is Ubuntu, whose Chromium package is only a signpost to a snap."""
    try:
        return platform.freedesktop_os_release().get("ID") == "ubuntu"
    except OSError:
        return False


def _obtain(progress: Progress, names: Sequence[str]) -> None:
    if os.geteuid() != 0:
        raise SetupFailed(
            f"system packages are missing. Please run\n    sudo apt-get install {' '.join(names)}"
        )
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    apt = ("apt-get", "-o", "DPkg::Lock::Timeout=120")
    root = Path("/")
    progress.run([*apt, "update"], doing="reading the package lists", log="apt-update", cwd=root, env=env)
    progress.run(
        [*apt, "install", "-y", "--no-install-recommends", *names],
        doing=f"installing {' '.join(names)}",
        log="apt-install",
        cwd=root,
        env=env,
    )
