"""`pilothouse doctor`: what works on this machine, what does not, and the one line that changes it."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from framework.errors import PluginUnavailable, SoundError
from framework.plugins.driver import DriverSpec
from managers.described_mistakes import mistakes_in, refuse, unavailable_in, uncovered_in
from managers.sensor_manager import LOUDSPEAKER
from resources.drivers.franka.library import MODULE as FRANKA
from resources.drivers.franka.library import why_missing as why_no_franka
from resources.drivers.realsense.library import HOW_TO_GET_IT, MODULE, why_missing
from resources.drivers.sound.loudspeaker import LocalLoudspeaker, SoundFolder
from resources.gestures.tracker_library import HOW_TO_GET_IT as HANDS
from resources.gestures.tracker_library import environment, python
from resources.gestures.tracker_library import why_missing as why_no_hands
from resources.robots.description import RobotDescription, RosDescription, read_description
from resources.ros.environment import installation as ros_installation
from resources.voice.engines import VoiceParameters, engine_of

#: Streams of all sensors and views need about this much [bytes].
ENOUGH_SHARED_MEMORY = 256 * 1024 * 1024

_USB = "unplug the cameras and plug them in again; look whether pyrealsense2 fits this system"


_MODEL = "name a model that can be used, or leave it out: docs/speech.md"
_SOUND = "plug one in; PortAudio is in the package libportaudio2"


class Finding(msgspec.Struct, frozen=True):
    """One thing looked at. `needed`: the simulated robot does not run without it."""

    what: str
    works: bool
    words: str
    remedy: str = ""
    needed: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--robot", type=Path, metavar="FILE", help="check this robot description as well")
    parser.add_argument(
        "--ros", action="store_true", help="look for ROS 2, and at what is in its graph; nothing else"
    )
    parser.add_argument(
        "--drivers", type=Path, action="append", default=[], metavar="FOLDER", help="more drivers it may name"
    )


def run(arguments: argparse.Namespace) -> int:
    """Look at everything; 1 if something is missing that `pilothouse run` needs.

    Raises DescriptionError for a robot description with mistakes.
    """
    if arguments.ros:
        from pilothouse.cli.doctor_ros import diagnose

        return diagnose(read_description(arguments.robot).ros if arguments.robot else RosDescription())
    findings = [*_description(arguments.robot, arguments.drivers)] if arguments.robot else []
    findings += examine()
    table = Table("", "what", "found", "to get it")
    for finding in findings:
        mark = Text("✓", "green") if finding.works else Text("✗", "red" if finding.needed else "yellow")
        table.add_row(mark, finding.what, finding.words, "" if finding.works else finding.remedy)
    Console(highlight=False).print(table)
    return 1 if any(finding.needed and not finding.works for finding in findings) else 0


def _description(file: Path, folders: list[Path]) -> list[Finding]:
    """What `pilothouse run` would say of it."""
    from pilothouse.robots import driver_catalogue

    drivers = driver_catalogue(folders)
    robot = read_description(file)
    refuse(mistakes_in(robot, drivers))
    count = len(robot.devices)
    found = Finding(str(file), True, f"{count} device{'' if count == 1 else 's'}, without mistakes")
    recogniser = _listed("recogniser of speech", "resources.speech.recognisers", _MODEL, "", "", str(file))
    wanting = (*unavailable_in(robot, drivers), *uncovered_in(robot, drivers))
    lacking = (Finding("device", False, words) for words in wanting)
    return [found, recogniser, *_voices(robot, drivers), *lacking]


def _voices(robot: RobotDescription, drivers: Mapping[str, DriverSpec]) -> list[Finding]:
    """Whether each of its loudspeakers has a voice."""
    made = (
        (each.name, drivers[each.driver].make(each.parameters))
        for each in robot.devices
        if each.kind == LOUDSPEAKER and not drivers[each.driver].unavailable
    )
    return [
        _spoken_by(f"voice of {name}", driver.parameters)
        for name, driver in made
        if isinstance(driver, (LocalLoudspeaker, SoundFolder))
    ]


def examine() -> list[Finding]:
    """Everything this machine has or lacks."""
    return [check() for check in CHECKS]


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", sys.version_info >= (3, 11), version, "install Python 3.11 or later", True)


def _shared_memory() -> Finding:
    try:
        free = shutil.disk_usage("/dev/shm").free
    except OSError as error:
        return Finding("shared memory", False, str(error), "mount a tmpfs at /dev/shm", True)
    words = f"/dev/shm has {free / 1e6:.0f} MB free"
    remedy = f"give /dev/shm at least {ENOUGH_SHARED_MEMORY / 1e6:.0f} MB (in a container: --shm-size=1g)"
    return Finding("shared memory", free >= ENOUGH_SHARED_MEMORY, words, remedy, True)


def _rendering() -> Finding:
    probe = "from resources.simulation.rendering import choose_gl; print(choose_gl())"
    found = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, timeout=30, check=False
    )
    words = found.stdout.strip() or found.stderr.strip().splitlines()[-1]
    remedy = "apt-get install libosmesa6 libegl1 libegl-mesa0 libgl1-mesa-dri"
    return Finding("simulated cameras (MuJoCo)", found.returncode == 0, words, remedy, True)


def _page() -> Finding:
    from resources.web.static_files import DIST

    works = (DIST / "index.html").is_file()
    return Finding(
        "console page", works, "built" if works else "not built", "make page (needs Node ≥ 20)", True
    )


def _browser() -> Finding:
    names = ("chromium", "chromium-browser", "google-chrome", "firefox")
    path = next((found for name in names if (found := shutil.which(name))), "")
    return Finding(
        "browser", bool(path), os.path.basename(path) or "none on this machine", "apt-get install chromium"
    )


def _realsense() -> Finding:
    what, missing = "RealSense cameras", why_missing()
    if missing:
        return Finding(what, False, f"no module {MODULE}", HOW_TO_GET_IT)
    hangs = f"{MODULE} is installed, and hangs while looking for cameras"
    return _listed(what, "resources.drivers.realsense.listing", _USB, hangs, "")


def _microphones() -> Finding:
    hangs, none = "PortAudio hangs while looking for microphones", "none on this machine"
    return _listed("microphones", "resources.drivers.sound.listing", _SOUND, hangs, none)


def _whisper() -> Finding:
    return _listed("second recogniser (Whisper)", "resources.speech.whisper_model", "make speech", "", "")


def _hands() -> Finding:
    what, missing = "hands before the robot's cameras", why_no_hands()
    if missing:
        return Finding(what, False, f"no environment in {environment()}", HANDS)
    program = "resources.gestures.tracker_library"
    return _listed(what, program, HANDS, "MediaPipe hangs while it is imported", "", python=python())


def _ros() -> Finding:
    """The first interpreter that has rclpy; `--ros` looks at all of them."""
    try:
        found = ros_installation()
    except PluginUnavailable as error:
        return Finding("ROS 2", False, "no rclpy (pilothouse doctor --ros)", error.reason)
    library = found.library
    return Finding(
        "ROS 2", True, f"{library.distribution} (rclpy {library.version}), {found.candidate.found}"
    )


def _loudspeakers() -> Finding:
    hangs, none = "PortAudio hangs while looking for loudspeakers", "none on this machine"
    program = "resources.drivers.sound.listing"
    return _listed("loudspeakers", program, _SOUND, hangs, none, "loudspeakers")


def _voice() -> Finding:
    return _spoken_by("the robot's voice", VoiceParameters())


def _spoken_by(what: str, parameters: VoiceParameters) -> Finding:
    """Whether this voice speaks: it is tried."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return Finding(what, True, engine_of(parameters, Path(folder)).name)
        except SoundError as error:
            return Finding(what, False, str(error))  # which says what to do


def _listed(
    what: str,
    program: str,
    remedy: str,
    hangs: str,
    none: str,
    *arguments: str,
    python: str = sys.executable,
) -> Finding:
    """What a program prints, one a line. In a process of its own: vendors' libraries may stumble or hang."""
    try:
        found = subprocess.run(
            [python, "-m", program, *arguments],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finding(what, False, hangs, remedy)
    works = found.returncode == 0
    lines = (found.stdout if works else found.stderr).strip().splitlines()
    if works and not lines and none:
        return Finding(what, False, none, remedy)
    lines = lines or ["it ended without a word"]
    return Finding(what, works, "; ".join(lines) if works else lines[-1], remedy)


def _franka() -> Finding:
    what, missing = "Franka arms", why_no_franka()
    if missing:
        return Finding(what, False, f"no module {FRANKA}", missing)
    words = f"{FRANKA} {version(FRANKA)}"
    if not os.path.exists("/sys/kernel/realtime"):
        # Good enough for `pilothouse fci-sim`; a real arm wants more.
        words = f"{words}; this kernel is not a real-time one"
    return Finding(what, True, words)


def _module(what: str, module: str, remedy: str) -> Callable[[], Finding]:
    def check() -> Finding:
        works = importlib.util.find_spec(module) is not None
        return Finding(what, works, module if works else f"no module {module}", remedy)

    return check


CHECKS: tuple[Callable[[], Finding], ...] = (
    _python,
    _shared_memory,
    _rendering,
    _page,
    _browser,
    _module("several machines (Zenoh)", "zenoh", "pip install eclipse-zenoh"),
    _module("experiments, pictures", "matplotlib", "pip install 'pilothouse[experiments]'"),
    _ros,
    _microphones,
    _whisper,
    _loudspeakers,
    _voice,
    _hands,
    _realsense,
    _franka,
)
