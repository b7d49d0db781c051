"""What is added to aioice's connections, where the links' own tests do not come by."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace

import pytest
from aiortc import RTCPeerConnection

from resources.operator.candidates import LOOPBACK
from resources.operator.ice_additions import (
    LARGEST_PACKET,
    Dscp,
    close_within,
    gather_only_on,
    ice_connections,
    mark,
    marks_of,
    read_lightly,
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
