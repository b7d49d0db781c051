"""An installation of the world `bench` in a process of its own, and what its world says by itself.

What the arm does is read from the rings of the control loop, so it is also seen while the main process hangs.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from framework.state import StateFolder
from framework.transport.ring import RingReader
from pilothouse.running import RunningInstallation, find
from resources.types.motion import ArmSample
from resources.types.samples import decode
from resources.types.streams import StreamFormat
from resources.worlds.world import World

MAIN = "import sys; from pilothouse.cli.main import main; sys.exit(main())"
PATIENCE_S = 60.0
_LOOK_S = 0.01


class Bench:
    """It runs; positions are in the frame of the arm's base, which is the robot's here."""

    def __init__(self, process: subprocess.Popen[bytes], running: RunningInstallation) -> None:
        self.process = process
        self.running = running
        self.directory = Path(running.run_directory)
        world = World.named("bench")
        self._block = world.model.body("block").id
        self._base: NDArray[np.float64] = np.array(world.data.body("link0").xpos)
        self._rings: dict[str, RingReader] = {}

    @property
    def link(self) -> str:
        """What to open in a browser for its console."""
        return f"{self.running.url}#token={self.running.token}"

    def arm(self) -> ArmSample:
        """What the arm says of itself now."""
        sample = self._ring("motion_arm").latest()
        assert sample is not None
        decoded = decode(sample, StreamFormat.ARM)
        assert isinstance(decoded, ArmSample)
        return decoded

    def tool(self) -> NDArray[np.float64]:
        """Where the tool is [m], (3,)."""
        return np.array(self.arm().base_T_tool[:3])

    def force(self) -> float:
        """How hard the surroundings push the tool, as the arm estimates it [N]."""
        return float(np.linalg.norm(self.arm().wrench_estimated[:3]))

    def block(self) -> NDArray[np.float64]:
        """Where the middle of the block is [m], (3,)."""
        sample = self._ring("world_poses").latest()
        assert sample is not None
        poses = np.frombuffer(sample.payload, np.float32).reshape(-1, 7)
        return poses[self._block, :3].astype(float) - self._base

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[list[ArmSample]]:
        """All that the arm says while this is open, as it comes."""
        found = [self.arm()]

        async def look() -> None:
            while True:
                sample = self.arm()
                if sample.time_s > found[-1].time_s:
                    found.append(sample)
                await asyncio.sleep(_LOOK_S / 2)

        looking = asyncio.create_task(look())
        try:
            yield found
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)

    async def arm_samples(self, seconds: float) -> list[ArmSample]:
        """All that the arm says for so long, by its own time."""
        async with asyncio.timeout(PATIENCE_S), self.watched() as found:
            while found[-1].time_s - found[0].time_s < seconds:
                await asyncio.sleep(_LOOK_S)
            return found

    def children(self, words: str) -> list[int]:
        """Process ids of its children whose command line says this."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it may end meanwhile
                line = (folder / "cmdline").read_bytes().decode(errors="replace")
                if words in line and str(self.directory) in line:
                    found.append(int(folder.name))
        return found

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The main process hangs."""
        os.kill(self.process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.process.pid, signal.SIGCONT)

    def close(self) -> None:
        """Let go of the rings."""
        for ring in self._rings.values():
            ring.close()

    def _ring(self, name: str) -> RingReader:
        ring = self._rings.get(name)
        if ring is None:
            ring = self._rings[name] = RingReader(self.directory / f"{name}.ring")
        elif ring.replaced():
            ring.reopen()
        return ring


@contextmanager
def bench(folder: Path, *options: str) -> Iterator[Bench]:
    """Run it until the body ends; then it has to end well."""
    state = folder / "state"
    command = ("run", "--world", "bench", "--state", str(state), "--port", "0", "--verbose", *options)
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *command, "--phone-port", str(_free_port())],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    printed = b""
    running: Bench | None = None
    try:
        while b"Ctrl-C ends it" not in printed:
            line = process.stdout.readline()
            assert line, printed.decode()
            printed += line
        running = Bench(process, find(StateFolder(state)))
        yield running
    finally:
        if running is not None:
            running.close()
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=PATIENCE_S)
        (folder / "log").write_bytes(printed + rest)
    assert process.returncode == 0, rest.decode()


def _free_port() -> int:
    """One that a process may take again after it was killed: pages come back to where they were."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
