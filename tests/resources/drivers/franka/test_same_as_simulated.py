"""The same instructions through the simulated arm, and through pylibfranka and the control box: same result.

A robot description is all that differs. Compared are the tool's poses at the ends, and the paths in between.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from framework.registrar import ResourceRegistrar
from pilothouse.installation import Installation, Settings
from resources.fci_sim import Push, SimulatedControlBox
from resources.types.arms import ArmState
from resources.types.motion import ArmSample
from resources.types.motion_clients import ArmStateClient
from tests.machine_hiccups import passes_by_itself
from tests.resources.drivers.franka.bench import without_pauses
from tests.resources.drivers.franka.rig import TRIES
from tests.resources.drivers.franka.test_in_installation import robot_file
from tests.resources.drivers.franka.wheel import needs_pylibfranka

pytestmark = needs_pylibfranka

Way = NDArray[np.float64]  # (n, 3) positions of the tool [m]

# One law on two simulations of one arm. What differs is the box's wire (32 bits a number), and for what is
# streamed how fast the arm's time passes: in lock-step it is not the wall's. Ways are compared as curves, not
# by time; measured on a busy machine: 0.5 to 1.0 mm for what is streamed.
SAME_POSITION_M, SAME_TURN = 0.002, 0.01
SAME_WAY_M, SAME_STREAMED_WAY_M = 0.002, 0.005

# From what was taught: a compliant arm cuts the corners that forces made. Measured: 0.6 to 6.6 mm.
AS_TAUGHT_M = 0.012

MOVES = ("move up five centimetres", "move the arm left four centimetres")

# A person who guides: forces on the tool, one after the other [N].
GUIDING = ((0.0, 4.0, 0.0), (0.0, -4.0, 4.0), (0.0, 0.0, -4.0))


class Recorder:
    """What the arm does meanwhile."""

    def __init__(self, client: ArmStateClient) -> None:
        self._client = client
        self.samples: list[ArmSample] = []

    async def run(self) -> None:
        """Until cancelled."""
        async for sample in self._client.samples():
            self.samples.append(sample)

    async def until(self, mode: str) -> None:
        """Until it does this."""
        while not self.samples or self.samples[-1].loop.mode != mode:
            await asyncio.sleep(0.01)

    async def at_rest(self) -> ArmSample:
        """Where it stands, once it does."""
        while not self.samples or not self.samples[-1].loop.is_at_rest:
            await asyncio.sleep(0.01)
        return self.samples[-1]

    async def passed(self, by_s: float) -> None:
        """Until so much of the arm's own time has passed."""
        until_s = self.samples[-1].time_s + by_s
        while self.samples[-1].time_s < until_s:
            await asyncio.sleep(0.01)

    def way(self, since: int) -> Way:
        """Of the tool point."""
        return np.array([sample.base_T_tool[:3] for sample in self.samples[since:]])


@asynccontextmanager
async def running(folder: Path, robot: str) -> AsyncIterator[tuple[Installation, Recorder]]:
    """An installation on the bench; `robot`: its description, "" is the simulated one's."""
    settings = Settings(state=folder / "state", world="bench", robot=robot, port=0)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(asyncio.timeout(300))
        installation = await stack.enter_async_context(Installation(settings))
        stack.enter_context(without_pauses())
        registrar: ResourceRegistrar = installation.managers.registrars[0]
        lease = await stack.enter_async_context(registrar.request(ArmState()))
        recorder = Recorder(ArmStateClient("arm", lease))
        task = asyncio.create_task(recorder.run())
        stack.callback(task.cancel)
        await recorder.at_rest()
        yield installation, recorder


async def told(
    installation: Installation, recorder: Recorder, words: str, tries: int = 1
) -> tuple[ArmSample, Way]:
    """Have something done; where the arm stands then, and how it came there.

    tries: it is said again if a busy machine did not serve the arm in time; then it goes to its beginning
    first, which is not counted as its way.
    """
    for number in range(tries):
        since, heard = len(recorder.samples), [""]
        reply = installation.supervisor.say(words)
        async for event in reply:
            if number and event.text.startswith("repeating") and not heard[-1].endswith(event.text):
                since = len(recorder.samples)
            heard.append(f"{event.kind.value}: {event.text}")
        if await reply.done():
            break
        assert number < tries - 1 and passes_by_itself(heard[-1]), heard[-3:]
        await recorder.at_rest()
    return await recorder.at_rest(), recorder.way(since)


async def taught(installation: Installation, recorder: Recorder, box: SimulatedControlBox) -> Way:
    """Teach it "wave", by pushing the arm about."""
    teaching = installation.supervisor.say("teach wave")
    await recorder.until("guide")
    since = len(recorder.samples)
    for force in GUIDING:
        await asyncio.to_thread(box.inject, Push(force=force, for_s=0.3))
        await recorder.passed(0.4)
    assert await installation.supervisor.say("done").done()
    events = [f"{event.kind.value}: {event.text}" async for event in teaching]
    assert await teaching.done(), events[-4:]
    return recorder.way(since)


def apart(first: ArmSample, second: ArmSample) -> tuple[float, float]:
    """Of two poses: distance [m] and angle [rad]."""
    a, b = first.base_T_tool, second.base_T_tool
    cosine = min(1.0, abs(sum(x * y for x, y in zip(a[3:], b[3:], strict=True))))
    return math.dist(a[:3], b[:3]), 2.0 * math.acos(cosine)


def strays(way: Way, other: Way) -> float:
    """How far the one gets from the other at most [m]; straight between its points, which may be sparse."""
    begins, along = other[:-1], np.diff(other, axis=0)
    lengths = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((way[:, None] - begins) * along).sum(axis=2) / lengths, 0.0, 1.0)  # (n, m - 1)
    distances = np.linalg.norm(way[:, None] - begins - share[:, :, None] * along, axis=2)
    return float(distances.min(axis=1).max())


def unseen(way: Way) -> float:
    """How far a curve may leave the straight lines between its points [m]: a busy machine sees few."""
    return 0.5 * float(np.linalg.norm(np.diff(way, axis=0), axis=1).max())


def test_moves_end_alike_and_a_motion_taught_on_one_is_repeated_alike_on_both(tmp_path: Path) -> None:
    moves: dict[str, list[tuple[ArmSample, Way]]] = {}
    repeated: dict[str, tuple[ArmSample, Way]] = {}
    guided: list[Way] = []

    async def on_the_box(box: SimulatedControlBox) -> None:
        async with running(tmp_path, str(robot_file(tmp_path, box.address))) as (installation, recorder):
            moves["fci"] = [await told(installation, recorder, words) for words in MOVES]
            guided.append(await taught(installation, recorder, box))
            repeated["fci"] = await told(installation, recorder, "repeat wave slowly", TRIES)

    async def on_the_simulated_arm() -> None:
        async with running(tmp_path, "") as (installation, recorder):
            moves["sim"] = [await told(installation, recorder, words) for words in MOVES]
            repeated["sim"] = await told(installation, recorder, "repeat wave slowly", TRIES)

    with SimulatedControlBox(lock_step=True) as box:
        asyncio.run(on_the_box(box))
    asyncio.run(on_the_simulated_arm())

    for (end, way), (other_end, other_way) in zip(moves["fci"], moves["sim"], strict=True):
        distance, turn = apart(end, other_end)
        assert distance < SAME_POSITION_M
        assert turn < SAME_TURN
        assert max(strays(way, other_way), strays(other_way, way)) < SAME_WAY_M
    assert np.ptp(guided[0], axis=0).max() > 0.05, "it was really guided"
    distance, turn = apart(repeated["fci"][0], repeated["sim"][0])
    assert distance < SAME_POSITION_M
    assert turn < SAME_TURN
    # On the box it went back to the beginning first; that way is not to be compared.
    one, other = repeated["sim"][1], repeated["fci"][1]
    assert strays(one, other) < SAME_STREAMED_WAY_M + unseen(other)
    for _, way in repeated.values():
        assert strays(guided[0], way) < AS_TAUGHT_M + unseen(way)
