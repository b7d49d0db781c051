"""What the children of these tests do; started as `tests.framework.processes.scripts:name`."""

from __future__ import annotations

import asyncio
import ctypes
import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec

from framework.errors import ResourceUnavailable, StreamError
from framework.processes.child import Child
from framework.status import Severity


class Wish(msgspec.Struct):
    """What a test wants of its child."""

    file: str = ""
    number: int = 0
    text: str = ""


def obedient(child: Child) -> None:
    """Ready at once; leaves when asked; echoes commands as statuses and obeys a few."""
    child.ready(b"handle")
    while not child.stopping:
        for command in child.commands(timeout_s=0.05):
            match command:
                case b"handle":
                    child.ready(b"another handle")
                case b"fatal":
                    child.status(Severity.FATAL, "the lens fell off")
                case b"error":
                    child.status(Severity.ERROR, "blurred")
                case b"ok":
                    child.status(Severity.OK, "sharp")
                case b"exit":
                    raise SystemExit(3)
                case b"hang":
                    time.sleep(60)
                case b"garbage":
                    os.write(child.lifeline.birth.channel, b"\xff" * 100)
                case b"busy":
                    child.busy(5.0)
                    time.sleep(0.6)
                case b"close":
                    channel = socket.socket(fileno=os.dup(child.lifeline.birth.channel))
                    channel.shutdown(socket.SHUT_WR)
                case _:
                    child.status(Severity.UPDATE, command.decode())
        child.beat()


def works_slowly(child: Child) -> None:
    """Each of its turns is .7 s of work that leaves the interpreter lock alone; then it says so."""
    block = bytes(1 << 20)
    child.ready()
    while not child.stopping:
        child.beat()
        until = time.monotonic() + 0.7
        while time.monotonic() < until:
            hashlib.sha256(block).digest()
        child.status(Severity.OK, "one more")


def records(child: Child, wish: Wish) -> None:
    """Obedient; its safe_stop writes to a file."""

    def safe_stop() -> None:
        with open(wish.file, "a", encoding="utf-8") as file:
            file.write("safe\n")

    child.safe_stop = safe_stop
    obedient(child)


def hangs_in_main(child: Child, wish: Wish) -> None:
    """Ready, then its main loop sleeps for ever; safe_stop can still run."""

    def safe_stop() -> None:
        with open(wish.file, "a", encoding="utf-8") as file:
            file.write("safe\n")

    child.safe_stop = safe_stop
    child.ready()
    time.sleep(60)


def safe_stop_hangs(child: Child) -> None:
    """Its safe_stop never returns."""
    child.safe_stop = lambda: time.sleep(60)
    obedient(child)


def safe_stop_raises(child: Child) -> None:
    """Its safe_stop raises."""

    def safe_stop() -> None:
        raise OSError("no such motor")

    child.safe_stop = safe_stop
    obedient(child)


def frozen_interpreter(child: Child) -> None:
    """Ready, then a foreign call keeps the interpreter lock, as a vendor's library does."""
    child.ready()
    child.wait(0.3)
    ctypes.PyDLL(None).sleep(60)


def slow_start(child: Child) -> None:
    """Takes 0.4 s to be ready; longer than a hang may take later."""
    time.sleep(0.4)
    obedient(child)


def never_ready(child: Child) -> None:
    """Never says that it is ready."""
    print("waiting for a camera that is not there", file=sys.stderr)
    time.sleep(60)


def raises(child: Child) -> None:
    """Ends before it is ready."""
    print("opening the camera")
    raise RuntimeError("no such camera")


def refuses(child: Child) -> None:
    """Does not want to start, says why at length, and is made safe."""
    child.safe_stop = lambda: print("made safe")
    raise ResourceUnavailable("no camera of that name;\n" + " ".join(["it has to be plugged in"] * 40))


def loses_its_stream(child: Child) -> None:
    """Ready, and then what it reads has gone."""
    child.ready()
    child.wait(0.1)
    raise StreamError("the stream 'front' cannot be opened", path=Path("/dev/shm/pilothouse-1/front.ring"))


def crashes(child: Child) -> None:
    """Ends by a signal before it is ready."""
    os.kill(os.getpid(), signal.SIGSEGV)


def stale(child: Child) -> None:
    """Beats, but its stream has stopped."""
    child.ready()
    child.sampled("color")
    child.sampled("depth")
    while not child.stopping:
        child.sampled("depth")
        child.beat()
        time.sleep(0.01)


def writes_raw(child: Child, wish: Wish) -> None:
    """Ready; once it is told to, it writes bytes of its own onto the channel, for ever if number is not 0."""
    child.ready()
    raw = bytes.fromhex(wish.text)
    child.commands(20.0)
    os.write(child.lifeline.birth.channel, raw)
    while wish.number:
        os.write(child.lifeline.birth.channel, raw)
    while not child.wait(1.0):
        pass


def ignores_signals(child: Child) -> None:
    """Neither SIGINT nor SIGTERM moves it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child.ready()
    while True:
        child.beat()
        time.sleep(0.02)


def ignores_interrupt(child: Child) -> None:
    """Does not look at `stopping`, and blocks; SIGTERM gets it out."""
    child.ready()
    while True:
        child.beat()
        time.sleep(0.02)


def has_grandchildren(child: Child) -> None:
    """Starts two processes that would live long, and hands over their numbers."""
    sleepers = [subprocess.Popen(["sleep", "60"], close_fds=False) for _ in range(2)]
    child.ready(" ".join(str(sleeper.pid) for sleeper in sleepers).encode())
    while not child.wait(1.0):
        pass


def hangs_with_grandchildren(child: Child) -> None:
    """The same, and then its main loop hangs."""
    sleepers = [subprocess.Popen(["sleep", "60"]) for _ in range(2)]
    child.ready(" ".join(str(sleeper.pid) for sleeper in sleepers).encode())
    time.sleep(60)


def prints(child: Child) -> None:
    """Prints as fast as it can, beside its main loop."""
    child.ready()

    def flood() -> None:
        line = b"nothing to see here, move on\n" * 200
        while True:
            os.write(1, line)

    threading.Thread(target=flood, daemon=True).start()
    while not child.wait(1.0):
        pass


def flaps(child: Child) -> None:
    """Ready, and dead at once."""
    child.ready()
    raise SystemExit(7)


def ready_once(child: Child, wish: Wish) -> None:
    """Ready in its first life; later lives end before they are ready."""
    if os.path.exists(wish.file):
        raise SystemExit(9)
    with open(wish.file, "w", encoding="utf-8"):
        pass
    child.ready()
    child.wait(0.05)
    raise SystemExit(8)


def never_reads(child: Child) -> None:
    """Ready, and stops itself, so that commands pile up."""
    child.ready()
    child.busy(60.0)
    os.kill(os.getpid(), signal.SIGSTOP)


def descriptors(child: Child) -> None:
    """Hands over which descriptors it has open."""
    found = sorted(int(name) for name in os.listdir("/proc/self/fd"))
    child.ready(msgspec.json.encode(found))
    while not child.wait(1.0):
        pass


async def on_a_loop(child: Child) -> None:
    """An event loop that beats by itself and hangs on command."""
    woken = asyncio.Event()
    child.ready(b"looping")
    while True:
        for command in child.commands():
            if command == b"hang":
                time.sleep(60)  # noqa: ASYNC251
            child.status(Severity.UPDATE, command.decode())
        with_timeout = asyncio.wait_for(woken.wait(), 0.05)
        try:
            await with_timeout
        except TimeoutError:
            continue
