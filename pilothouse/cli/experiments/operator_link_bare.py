"""A bare data channel between two processes, without anything of ours: what aiortc alone takes here.

The far end is `python -m` this module: it offers, and sends back what comes.
"""

from __future__ import annotations

import asyncio
import json
import struct
import sys
import time
from typing import Final

from aiortc import RTCDataChannel, RTCPeerConnection, RTCSessionDescription

from framework.errors import TransportError
from resources.operator.ice_additions import close_within, gather_only_on, ice_connections

PATIENCE_S: Final = 20.0
LOOPBACK: Final = "127.0.0.1"
_SENT: Final = struct.Struct("<d")


async def bare_trips(seconds: float, rate_hz: float, size: int) -> list[float]:
    """Round trips of packets of that size [bytes] for so long [ms]. Raises TransportError."""
    far = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
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
        assert far.stdin is not None
        assert far.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            offer = json.loads(await far.stdout.readline())
            await connection.setRemoteDescription(RTCSessionDescription(offer, "offer"))
            _on_loopback(connection)
            await connection.setLocalDescription(await connection.createAnswer())
            far.stdin.write(json.dumps(connection.localDescription.sdp).encode() + b"\n")
            channel = await opened
        next_s = began_s = time.monotonic()
        while next_s < began_s + seconds:
            channel.send(_SENT.pack(time.monotonic()) + bytes(size - _SENT.size))
            next_s = max(next_s + 1.0 / rate_hz, time.monotonic())
            await asyncio.sleep(next_s - time.monotonic())
    except TimeoutError:
        raise TransportError(f"a bare channel did not open within {PATIENCE_S:g} s") from None
    finally:
        await close_within(connection, 0.5)
        if far.returncode is None:
            far.kill()
        await far.wait()
    return trips


async def _far_end() -> None:
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


if __name__ == "__main__":
    asyncio.run(_far_end())
