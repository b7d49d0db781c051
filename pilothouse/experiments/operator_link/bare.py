"""A bare data channel, without anything of ours: what aiortc alone takes here, and Chromium with it.

The far end is `python -m` this module: it offers, and sends back at once what comes.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from aiortc import RTCDataChannel, RTCPeerConnection, RTCSessionDescription

from framework.errors import TransportError
from resources.operator.ice_additions import close_within, gather_only_on, ice_connections

if TYPE_CHECKING:
    from playwright.async_api import Browser

PATIENCE_S: Final = 20.0
LOOPBACK: Final = "127.0.0.1"
_SENT: Final = struct.Struct("<d")

# In the page: the answer to an offer; from then on packets go at that interval [ms], in that size [bytes].
_ANSWER: Final = """async ([sdp, interval, size]) => {
  globalThis.trips = [];
  const connection = new RTCPeerConnection();
  connection.ondatachannel = ({ channel }) => {
    channel.binaryType = "arraybuffer";
    channel.onmessage = ({ data }) => trips.push(performance.now() - new DataView(data).getFloat64(0, true));
    const packet = new DataView(new ArrayBuffer(size));
    setInterval(() => {
      packet.setFloat64(0, performance.now(), true);
      channel.send(packet);
    }, interval);
  };
  await connection.setRemoteDescription({ type: "offer", sdp });
  await connection.setLocalDescription(await connection.createAnswer());
  while (connection.iceGatheringState !== "complete")
    await new Promise((resolve) => (connection.onicegatheringstatechange = resolve));
  return connection.localDescription.sdp;
}"""


async def bare_trips(seconds: float, rate_hz: float, size: int) -> list[float]:
    """Round trips between two processes, of packets of that size [bytes] for so long [ms].

    Raises TransportError if no channel opens.
    """
    connection = RTCPeerConnection()
    opened: asyncio.Future[RTCDataChannel] = asyncio.get_running_loop().create_future()
    trips: list[float] = []

    def take(payload: bytes) -> None:
        trips.append(1e3 * (time.monotonic() - _SENT.unpack_from(payload)[0]))

    def use(channel: RTCDataChannel) -> None:
        channel.on("message", take)
        opened.set_result(channel)

    connection.on("datachannel", use)
    try:
        async with _far_end_running() as far:
            async with _patience():
                await connection.setRemoteDescription(RTCSessionDescription(await far.offer(), "offer"))
                _on_loopback(connection)
                await connection.setLocalDescription(await connection.createAnswer())
                far.answer(connection.localDescription.sdp)
                channel = await opened
            next_s = began_s = time.monotonic()
            while next_s < began_s + seconds:
                channel.send(_SENT.pack(time.monotonic()) + bytes(size - _SENT.size))
                next_s = max(next_s + 1.0 / rate_hz, time.monotonic())
                await asyncio.sleep(next_s - time.monotonic())
    finally:
        await close_within(connection, 0.5)
    return trips


async def bare_page_trips(chromium: Browser, seconds: float, rate_hz: float, size: int) -> list[float]:
    """The same between an empty page, which draws nothing, and a process.

    Raises TransportError if no channel opens.
    """
    page = await chromium.new_page()
    try:
        async with _far_end_running() as far:
            async with _patience():
                far.answer(await page.evaluate(_ANSWER, [await far.offer(), 1e3 / rate_hz, size]))
                await page.wait_for_function("trips.length > 0")
            await page.evaluate("() => { trips = []; }")
            await asyncio.sleep(seconds)
            trips: list[float] = await page.evaluate("trips")
    finally:
        await page.close()
    return trips


class _FarEnd:
    """That process, as whoever started it talks with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def offer(self) -> str:
        """Its description, in SDP. Raises TransportError if it has none."""
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            raise TransportError("the far end of a bare channel ended before it had offered anything")
        sdp: str = json.loads(line)
        return sdp

    def answer(self, sdp: str) -> None:
        """What is answered to it."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(sdp).encode() + b"\n")


@asynccontextmanager
async def _far_end_running() -> AsyncIterator[_FarEnd]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        f"import asyncio; from {__name__} import far_end; asyncio.run(far_end())",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield _FarEnd(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def _patience() -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield
    except TimeoutError:
        raise TransportError(f"a bare channel did not open within {PATIENCE_S:g} s") from None


async def far_end() -> None:
    connection = RTCPeerConnection()
    channel = connection.createDataChannel("bare", ordered=False, maxRetransmits=0)
    channel.on("message", channel.send)
    _on_loopback(connection)
    await connection.setLocalDescription(await connection.createOffer())
    print(json.dumps(connection.localDescription.sdp), flush=True)
    answer = json.loads(await asyncio.to_thread(sys.stdin.readline))
    await connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))
    await asyncio.to_thread(sys.stdin.readline)  # until whoever started this is gone


def _on_loopback(connection: RTCPeerConnection) -> None:
    for ice in ice_connections(connection):
        gather_only_on(ice, LOOPBACK)
