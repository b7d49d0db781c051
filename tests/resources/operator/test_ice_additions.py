"""What is added to aioice's connections, where the links' own tests do not come by."""

from __future__ import annotations

import asyncio
import gc
import socket
from types import SimpleNamespace

import pytest
from aiortc import RTCPeerConnection

from resources.operator.candidates import LOOPBACK
from resources.operator.ice_additions import (
    FIRST_TIMEOUT_S,
    LARGEST_PACKET,
    LEAST_TIMEOUT_S,
    LONGEST_TIMEOUT_S,
    PATIENCE,
    Dscp,
    close_within,
    gather_only_on,
    ice_connections,
    mark,
    marks_of,
    read_lightly,
    retransmit_soon,
    send_at_once,
)


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
@pytest.mark.parametrize("dscp", list(Dscp))
def test_sockets_of_both_families_are_marked(family: socket.AddressFamily, dscp: Dscp) -> None:
    with socket.socket(family, socket.SOCK_DGRAM) as opened:
        transport = SimpleNamespace(get_extra_info=lambda _: opened)
        ice = SimpleNamespace(_protocols=[SimpleNamespace(transport=transport)])
        assert marks_of(ice) == [0]
        mark(ice, dscp)
        assert marks_of(ice) == [dscp]


def test_packets_are_read_into_no_more_memory_than_they_can_fill() -> None:
    async def scenario() -> None:
        connection = RTCPeerConnection()
        connection.createDataChannel("hands")
        (ice,) = ice_connections(connection)
        gather_only_on(ice, LOOPBACK)
        try:
            await connection.setLocalDescription(await connection.createOffer())
            asyncios = [protocol.transport for protocol in ice._protocols]
            assert all(transport.max_size > LARGEST_PACKET for transport in asyncios)  # still
            read_lightly(ice)
            assert [transport.max_size for transport in asyncios] == [LARGEST_PACKET]
        finally:
            await close_within(connection, 1.0)

    asyncio.run(scenario())


def test_a_time_out_is_short_and_yet_a_round_trip_that_has_become_longer_is_found_out() -> None:
    """Else everything would be taken for lost before it is acknowledged, and sent twice, for ever."""

    async def scenario() -> None:
        connection = RTCPeerConnection()
        connection.createDataChannel("states")
        sctp = connection.sctp
        assert sctp is not None
        retransmit_soon(connection)
        assert sctp._rto == FIRST_TIMEOUT_S
        for _ in range(50):
            sctp._update_rto(0.02)
        assert sctp._rto == LEAST_TIMEOUT_S
        taken_s = []
        for _ in range(20):  # nothing can be measured: all of it is sent twice
            sctp._t3_expired()
            taken_s.append(sctp._rto)
        assert taken_s[: PATIENCE - 1] == [LEAST_TIMEOUT_S] * (PATIENCE - 1)
        assert taken_s[-1] == LONGEST_TIMEOUT_S
        for _ in range(50):
            sctp._update_rto(0.3)
        assert 0.3 < sctp._rto < 0.5
        await connection.close()

    asyncio.run(scenario())


class Flushing:
    """A channel whose packets wait for `way`, or have none: what aiortc's could meet below."""

    def __init__(self, error: Exception | None = None) -> None:
        self.way = asyncio.Event()
        self.flushed = 0
        self.transport = self
        self._error = error

    def send(self, payload: bytes) -> None:
        """Left for later."""

    async def _data_channel_flush(self) -> None:
        for _ in range(2):
            await self.way.wait()
            if self._error is not None:
                raise self._error
            self.flushed += 1
            await asyncio.sleep(0)


def test_what_is_sent_at_once_is_on_its_way_before_the_loop_turns() -> None:
    async def scenario() -> None:
        here, there = RTCPeerConnection(), RTCPeerConnection()
        channel = here.createDataChannel("states", ordered=False, maxRetransmits=0)
        opened, heard = asyncio.Event(), asyncio.Event()
        channel.on("open", opened.set)
        there.on("datachannel", lambda far: far.on("message", lambda _: heard.set()))
        try:
            for connection in (here, there):
                other, make = (there, here.createOffer) if connection is here else (here, there.createAnswer)
                for ice in ice_connections(connection):
                    gather_only_on(ice, LOOPBACK)
                await connection.setLocalDescription(await make())
                await other.setRemoteDescription(connection.localDescription)
            async with asyncio.timeout(10):
                await opened.wait()
                numbered = channel.transport._local_tsn
                send_at_once(channel, b"now")
                assert channel.transport._local_tsn == numbered + 1  # SCTP has sent it
                assert channel.bufferedAmount == 0
                await heard.wait()
        finally:
            for connection in (here, there):
                await close_within(connection, 1.0)

    asyncio.run(scenario())


def test_what_cannot_go_at_once_goes_later() -> None:
    async def scenario() -> None:
        channel = Flushing()
        send_at_once(channel, b"later")  # type: ignore[arg-type]
        assert channel.flushed == 0
        channel.way.set()
        async with asyncio.timeout(5):
            while channel.flushed < 2:
                await asyncio.sleep(0)

    asyncio.run(scenario())


@pytest.mark.parametrize("at_once", [True, False])
def test_what_has_no_way_any_more_is_no_error_here(at_once: bool) -> None:
    async def scenario() -> list[str]:
        complaints: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, said: complaints.append(str(said)))
        channel = Flushing(ConnectionError("no way"))
        if at_once:
            channel.way.set()
        send_at_once(channel, b"lost")  # type: ignore[arg-type]
        channel.way.set()
        for _ in range(5):
            await asyncio.sleep(0)
        gc.collect()
        return complaints

    assert asyncio.run(scenario()) == []
