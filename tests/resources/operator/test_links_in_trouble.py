"""Real links over a network that loses everything for a moment, and one that strangers flood."""

from __future__ import annotations

import asyncio
import random
import socket
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest
from aioice import stun

from pilothouse.experiments.operator_link.relay import LOOPBACK, Address, Direction, UdpRelay, send
from resources.operator import links
from resources.operator.packets import StatePacket
from resources.operator.protocol import Line, Said
from resources.operator.scripted_page import ScriptedPage
from tests.resources.operator.link_rig import PATIENCE_S, SESSION, Rig, until

pytestmark = pytest.mark.real

BACK_WITHIN_S: Final = 0.35
"""After a blackout; what is scheduled on two busy cores included."""


def play(directory: Path, scenario: Callable[[Rig], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with asyncio.timeout(2 * PATIENCE_S), Rig(directory) as rig:
            await scenario(rig)

    asyncio.run(whole())


@pytest.mark.parametrize("blackout_s", [0.5, 1.1])
def test_a_blackout_does_not_last_longer_than_it_does(tmp_path: Path, blackout_s: float) -> None:
    """What is told meanwhile comes as soon as the network is back, and not at the next full second."""
    came_s: list[float] = []

    def on_state(_: StatePacket) -> None:
        came_s.append(time.monotonic())

    async def scenario(rig: Rig) -> None:
        rig.begin(ScriptedPage(SESSION, time.monotonic, on_state=on_state))
        async with UdpRelay(LOOPBACK, 0) as relay:
            await rig.connect(relay=relay)
            heard = len(came_s)
            await until(lambda: len(came_s) > heard + 30)  # the round trip is known by now
            relay.is_cut = True
            begun_s = time.monotonic()
            await asyncio.sleep(0.1)
            rig.link.tell(Line("doing", "while nothing comes through"))
            await asyncio.sleep(blackout_s - 0.1)
            heard = len(came_s)
            back_s = time.monotonic()
            relay.is_cut = False
            await until(lambda: len(came_s) > heard + 5)
            assert came_s[heard] - back_s < BACK_WITHIN_S
            await until(lambda: any(isinstance(words, Line) for words in rig.page.heard))
            assert time.monotonic() - back_s < BACK_WITHIN_S
            assert came_s[heard] - begun_s > blackout_s
            assert rig.link.is_alive

    play(tmp_path, scenario)


class Recorder(UdpRelay):
    """A network on whose way somebody listens, and sends what they like, also in the page's name."""

    def __init__(self) -> None:
        super().__init__(LOOPBACK, 0)
        self.recorded: list[bytes] = []
        self.way: tuple[socket.socket, Address] | None = None

    def _pass(self, way: Direction, out: socket.socket, payload: bytes, to: Address) -> None:
        if way is self._up and not self.is_cut:
            self.recorded.append(payload)
            self.way = out, to
        super()._pass(way, out, payload, to)


def test_a_page_that_has_vanished_is_not_kept_alive_by_what_strangers_send(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Garbage of every kind, STUN, and all that it ever sent itself, also from its own address."""
    monkeypatch.setattr(links, "DEAD_AFTER_S", 0.6)

    async def scenario(rig: Rig) -> None:
        async with Recorder() as network:
            await rig.connect(relay=network)
            rig.page.say(Said("1", "hello"))
            await rig.moved()
            await until(lambda: rig.said)
            assert network.way is not None
            spoofed, to = network.way
            network.is_cut = True
            begun_s, sent = time.monotonic(), 0
            drawn = random.Random(1)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                async with asyncio.timeout(10.0):
                    while rig.link.is_alive:
                        for out in (stranger, spoofed):
                            for payload in (
                                *(
                                    bytes([first]) + drawn.randbytes(60)
                                    for first in (0, 1, 22, 23, 64, 128, 200)
                                ),
                                drawn.choice(network.recorded),
                                bytes(stun.Message(stun.Method.BINDING, stun.Class.REQUEST)),
                                bytes(stun.Message(stun.Method.BINDING, stun.Class.INDICATION)),
                            ):
                                send(out, payload, to)
                                sent += 1
                        await asyncio.sleep(0.01)
            assert time.monotonic() - begun_s < 2.0
            assert sent > 500
            assert "nothing was heard" in rig.link.ended
            assert len(rig.said) == 1
            assert rig.link.intake.counts.taken == 1

    play(tmp_path, scenario)
