"""How `pilothouse run` leaves, measured: one is started, its plugins refuse to end, and it is told to leave.

The plugins are in `stubborn/`: an action that swallows its cancellation, hangs in a thread or blocks the main
loop, and a driver whose provider never returns from its tear-down, with a foreign program below it.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import InstallationError
from framework.state import StateFolder
from pilothouse import running

STUBBORN: Final = Path(__file__).parent / "stubborn"

PATIENCE_S: Final = 90.0
GONE_WITHIN_S: Final = 10.0

_MAIN: Final = "import sys; from pilothouse.cli.main import main; sys.exit(main(sys.argv[1:]))"
_BEGUN: Final = b"refuses to end"
_STOPPING: Final = b"Stopping"
_LOOK_S: Final = 0.005
_ROBOT: Final = """
robot: stubborn
devices:
  - {name: stubborn, driver: stubborn, kind: scan, mount: front, parameters: {is_stubborn: %s}}
"""


class Refusal(StrEnum):
    """What an action does that does not end; as it is asked for. One that only holds the device ends."""

    HOLDING = "holding"
    DEAF = "deaf"
    EXECUTOR = "executing"
    THREAD = "threading"
    BLOCKED = "blocking"


class Way(msgspec.Struct, frozen=True):
    """One way to leave: which actions refuse to end, whether the driver does too, and which signals come.

    The second signal comes as soon as the first was answered in words. world: runs that instead of the
    stubborn device.
    """

    signals: tuple[signal.Signals, ...] = (signal.SIGINT,)
    refusals: tuple[Refusal, ...] = ()
    driver_refuses: bool = False
    world: str = ""


class Exit(msgspec.Struct, frozen=True):
    """How it went; times since the last signal [s].

    told_s: until its first words, since the first signal. exited_s: until the process had ended. gone_s:
    until neither a process that was below it was left nor its run directory; None if one still was after
    `GONE_WITHIN_S`. words: what it said.
    """

    way: Way
    code: int
    told_s: float
    exited_s: float
    gone_s: float | None
    words: str


WAYS: Final = tuple(
    Way(signals, refusals, driver_refuses)
    for signals in ((signal.SIGINT,), (signal.SIGTERM,), (signal.SIGINT, signal.SIGTERM))
    for refusals, driver_refuses in (
        ((), False),
        ((Refusal.DEAF,), False),
        ((Refusal.EXECUTOR,), False),
        ((Refusal.THREAD,), False),
        ((Refusal.HOLDING,), True),
        ((Refusal.BLOCKED,), False),
        ((Refusal.DEAF, Refusal.EXECUTOR, Refusal.THREAD), True),
    )
)


async def exit_s_max(ways: Sequence[Way] = WAYS) -> float:
    """The longest exit after one signal [s]; infinite if a process was left behind."""
    exits = [await measure(way) for way in ways if len(way.signals) == 1]
    return max(float("inf") if each.gone_s is None else each.exited_s for each in exits)


async def measure(way: Way) -> Exit:
    """Start one, have its plugins refuse to end, tell it to leave. Raises InstallationError if it does not
    start."""
    with tempfile.TemporaryDirectory(prefix="pilothouse-exit-") as folder:
        return await _measure(way, Path(folder))


async def _measure(way: Way, folder: Path) -> Exit:
    robot = folder / "robot.yaml"
    await asyncio.to_thread(robot.write_text, _ROBOT % str(way.driver_refuses).lower())
    what = ("--world", way.world) if way.world else ("--robot", str(robot))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _MAIN, "run", "--state", str(folder / "state"), "--port", "0", *what),
        *("--actions", str(STUBBORN / "actions"), "--drivers", str(STUBBORN / "drivers")),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(PATIENCE_S):
            words = await _until(process.stdout, b"is the emergency stop")
            record = running.find(StateFolder(folder / "state"))
            for refusal in way.refusals:
                await asyncio.to_thread(_say, record, f"refuse to end when {refusal.value}")
                words += await _until(process.stdout, _BEGUN)
            below = await asyncio.to_thread(_processes_below, record.pid)
            words, told_s = b"", 0.0
            for number in way.signals:
                begun_s = time.monotonic()
                process.send_signal(number)
                if not words:
                    words += await _until(process.stdout, _STOPPING)
                    told_s = time.monotonic() - begun_s
            rest = asyncio.create_task(process.stdout.read())
            code = await process.wait()
            exited_s = time.monotonic() - begun_s
            words += await rest
    except TimeoutError:
        raise InstallationError(f"it did not start or leave within {PATIENCE_S:g} s: {way}") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    gone_s = await _gone(below, Path(record.run_directory), begun_s)
    return Exit(way, code, told_s, exited_s, gone_s, words.decode(errors="replace"))


async def _until(stream: asyncio.StreamReader, wanted: bytes) -> bytes:
    """What came up to and with the line with these words. Raises InstallationError if it ends before."""
    read = b""
    while line := await stream.readline():
        read += line
        if wanted in line:
            return read
    raise InstallationError(f"the installation ended: {read.decode(errors='replace')}")


def _say(record: running.RunningInstallation, text: str) -> None:
    """An instruction; who blocks the main loop answers nothing, so nobody waits for an answer."""
    request = urllib.request.Request(
        f"{record.url}api/say",
        json.dumps({"text": text, "who": "exits"}).encode(),
        {"Authorization": f"Bearer {record.token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_S):
        pass


def _processes_below(pid: int) -> dict[int, int]:
    """All that came of this process: their ids, and when they were started."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
    found: set[int] = set()
    new = {pid}
    while new:
        new = {child for child, parent in parents.items() if parent in new} - found
        found |= new
    return {each: running.started_ticks(each) for each in found}


async def _gone(processes: dict[int, int], directory: Path, begun_s: float) -> float | None:
    until_s = time.monotonic() + GONE_WITHIN_S
    while _remains(processes, directory):
        if time.monotonic() > until_s:
            return None
        await asyncio.sleep(_LOOK_S)
    return time.monotonic() - begun_s


def _remains(processes: dict[int, int], directory: Path) -> bool:
    living = (ticks and running.started_ticks(pid) == ticks for pid, ticks in processes.items())
    return directory.exists() or any(living)
