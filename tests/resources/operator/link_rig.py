"""A real link on loopback with a scripted page at its other end, and what else its tests need."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from framework.transport.ring import RingReader, RingWriter
from pilothouse.experiments.operator_link.relay import UdpRelay, relayed_offer, without_candidates
from resources.operator.arguments import IceServer
from resources.operator.hand_rings import HandRings
from resources.operator.links import OperatorLink
from resources.operator.orders import ShownArm
from resources.operator.protocol import Answer, PageSays
from resources.operator.scripted_page import ScriptedPage
from resources.types.masters import HandSample, HandSide, decode_hand
from resources.types.motion import ArmSample, LoopState, Workspace, encode_motion
from resources.types.streams import StreamFormat, StreamHandle

SESSION = "7f3a9c0152ee4b8d"
PATIENCE_S = 60.0  # a machine busy with other things is slow, not wrong


async def until(condition: Callable[[], object]) -> float:
    """Wait for it; how long it took [s]. Raises TimeoutError."""
    begun_s = time.monotonic()
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.002)
    return time.monotonic() - begun_s


class Rig:
    """One session: its rings, its present link, its present page.

    Leaving it ends everything, and fails if a task of theirs is left, or one failed with nobody to tell.
    """

    def __init__(self, directory: Path, *, ice: Sequence[IceServer] = (), relay_only: bool = False) -> None:
        self.said: list[PageSays] = []
        self.changes: list[tuple[bool, str]] = []
        self.rings = HandRings(SESSION, directory)
        self.readers = {hand.side: RingReader(Path(hand.stream.ring)) for hand in self.rings.hands}
        self._ice = ice
        self._relay_only = relay_only
        self._links: list[OperatorLink] = []
        self._pages: list[ScriptedPage] = []
        self._complaints: list[str] = []

    @property
    def link(self) -> OperatorLink:
        return self._links[-1]

    @property
    def page(self) -> ScriptedPage:
        return self._pages[-1]

    def begin(self, page: ScriptedPage | None = None) -> None:
        """A new link of this session, and a new page for it."""
        link = OperatorLink(
            SESSION,
            rings=self.rings,
            ice=self._ice,
            relay_only=self._relay_only,
            host="127.0.0.1",
            monotonic_s=time.monotonic,
            on_words=self.said.append,
            on_change=lambda: self.changes.append((link.is_alive, link.ended)),
        )
        self._links.append(link)
        self._pages.append(page or ScriptedPage(SESSION, time.monotonic, clock_ahead_s=-1000.0))

    async def connect(self, *, media: bool = False, relay: UdpRelay | None = None) -> None:
        """Offer, answer, and wait until the link is alive. relay: what the control link goes by."""
        offer = await self.link.offer("control")
        if relay is None:
            await self.link.answer(await self.page.answer(offer))
        else:
            answer = await self.page.answer(relayed_offer(offer, relay))
            await self.link.answer(Answer(answer.link, without_candidates(answer.sdp)))
        if media:
            await self.link.answer(await self.page.answer(await self.link.offer("media")))
        await until(lambda: self.link.is_alive and self.page.is_open and self.page.states_heard)

    def hand(self, side: HandSide = HandSide.RIGHT) -> HandSample | None:
        """The newest sample in the ring."""
        sample = self.readers[side].latest()
        return None if sample is None else decode_hand(sample.payload)

    async def moved(self, **fields: object) -> HandSample:
        """Send a hand's packet, and wait for its sample."""
        before = self.rings.number
        self.page.move(**fields)  # type: ignore[arg-type]
        await until(lambda: self.rings.number > before)
        sample = self.hand()
        assert sample is not None
        return sample

    async def __aenter__(self) -> Self:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: self._complaints.append(str(context))
        )
        self.begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for link in self._links:
            await link.close()
        for page in self._pages:
            await page.close()
        for reader in self.readers.values():
            reader.close()
        self.rings.close()
        if error is None:
            await until(lambda: len(asyncio.all_tasks()) == 1)
            assert not self._complaints, self._complaints


class ScriptedArm:
    """An arm's ring of samples."""

    def __init__(self, directory: Path, device: str = "left_arm") -> None:
        self.writer = RingWriter(directory, f"motion_{device}", slot_bytes=4096, replace=True)
        self.shown = ShownArm(
            device=device,
            side="left",
            state=StreamHandle(device, str(self.writer.path), StreamFormat.ARM, "base", 100.0),
            workspace=Workspace((-1.0, -1.0, 0.0), (1.0, 1.0, 1.0)),
            lower=(-2.0,) * 7,
            upper=(2.0,) * 7,
        )
        self.base_T_tool = (0.5, 0.0, 0.25, 1.0, 0.0, 0.0, 0.0)
        self._time_s = 0.0

    def report(self, *, force_n: float = 0.0, loop: LoopState | None = None) -> ArmSample:
        """Write a sample, 10 ms after the one before by the arm's own time."""
        self._time_s += 0.01
        sample = ArmSample(
            time_s=self._time_s,
            loop=loop or LoopState(),
            q=(0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.75),
            base_T_tool=self.base_T_tool,
            base_T_target=(0.5, 0.125, 0.25, 1.0, 0.0, 0.0, 0.0),
            wrench_estimated=(0.0, 0.0, force_n, 0.0, 0.0, 0.0),
        )
        self.writer.write(encode_motion(sample), stamp_s=time.monotonic())
        return sample
