"""Links that go over a TURN server and nothing else; and one that dies, or is not there."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from framework.errors import TransportError
from resources.operator.arguments import IceServer
from resources.operator.ice_additions import Dscp, ice_connections, marks_of
from resources.operator.protocol import Said
from tests.framework.processes.family import OwnLag
from tests.resources.operator.link_rig import PATIENCE_S, Rig, until
from tests.resources.operator.turn_server import needs_turn_server, turn_server

pytestmark = pytest.mark.real


@needs_turn_server
@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_a_link_over_turn_only(tmp_path: Path, transport: str) -> None:
    async def scenario() -> None:
        async with (
            asyncio.timeout(2 * PATIENCE_S),
            turn_server(tmp_path) as server,
            Rig(tmp_path, ice=[server.ice(transport)], relay_only=True) as rig,
        ):
            offer = await rig.link.offer("control")
            assert offer.relay_only
            assert offer.ice[0].urls == server.ice(transport).urls
            kinds = [line for line in offer.sdp.splitlines() if line.startswith("a=candidate")]
            assert kinds
            assert all(" typ relay" in line for line in kinds)
            ice = ice_connections(rig.link._peers["control"]._connection)
            assert [marks_of(each) for each in ice] == [[Dscp.EXPEDITED]]
            await rig.link.answer(await rig.page.answer(offer))
            await until(lambda: rig.link.is_alive and rig.page.is_open)
            sample = await rig.moved(base_T_hand=(0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
            assert sample.base_T_hand[0] == 0.25
            rig.page.say(Said("1", "over the relay"))
            await until(lambda: rig.said and rig.page.states_heard > 3)

    asyncio.run(scenario())


@needs_turn_server
def test_a_relay_that_dies_ends_the_link_and_closing_stays_bounded(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with (
            asyncio.timeout(2 * PATIENCE_S),
            turn_server(tmp_path) as server,
            Rig(tmp_path, ice=[server.ice("udp")], relay_only=True) as rig,
        ):
            await rig.connect()
            await server.kill()
            await until(lambda: rig.link.ended)
            async with OwnLag() as lag:
                begun_s = time.monotonic()
                await rig.link.close()
                assert time.monotonic() - begun_s - lag.s < 4.0

    asyncio.run(scenario())


def test_without_its_relay_there_is_no_offer(tmp_path: Path) -> None:
    async def scenario() -> None:
        nobody = IceServer(("turn:127.0.0.1:9?transport=tcp",), "pilot", "house")
        async with asyncio.timeout(PATIENCE_S), Rig(tmp_path, ice=[nobody], relay_only=True) as rig:
            with pytest.raises(TransportError, match="TURN"):
                await rig.link.offer("control")
            assert "TURN" in rig.link.ended
        async with asyncio.timeout(PATIENCE_S), Rig(tmp_path, relay_only=True) as rig:
            with pytest.raises(TransportError, match="TURN"):
                await rig.link.offer("control")

    asyncio.run(scenario())


@needs_turn_server
def test_a_page_that_leaves_while_candidates_are_gathered_leaves_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with (
            asyncio.timeout(2 * PATIENCE_S),
            turn_server(tmp_path) as server,
            Rig(tmp_path, ice=[server.ice("udp")], relay_only=True) as rig,
        ):
            offering = asyncio.ensure_future(rig.link.offer("control"))
            await until(lambda: rig.link._peers)
            offering.cancel()
            await rig.link.close()

    asyncio.run(scenario())


def test_on_loopback_no_stun_server_is_asked(tmp_path: Path) -> None:
    async def scenario() -> None:
        stun = IceServer(("stun:192.0.2.1:3478",))
        async with asyncio.timeout(PATIENCE_S), Rig(tmp_path, ice=[stun]) as rig:
            offer = await rig.link.offer("control")
            assert " typ host" in offer.sdp
            ice = ice_connections(rig.link._peers["control"]._connection)
            assert [each.stun_server for each in ice] == [None]  # one that does not answer takes five seconds

    asyncio.run(scenario())
