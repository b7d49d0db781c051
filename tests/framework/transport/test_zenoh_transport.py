"""ZenohTransport inside one process: endpoints, opening and closing, bad bytes, doubles and gaps."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import zenoh

from framework.errors import TransportError
from framework.transport.codec import MAX_BYTES, encode
from framework.transport.interface import Link
from framework.transport.messages import Edge, Grant, Peer, Release
from framework.transport.zenoh import ZenohTransport
from framework.transport.zenoh_keys import Keys
from tests.framework.transport.recorder import Recorder


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "127.0.0.1:7447",
        "tcp/127.0.0.1",
        "tcp/127.0.0.1:",
        "tcp/127.0.0.1:65536",
        "tcp/::1:7447",
        "tcp/127.0.0.1:7447#iface=eth0",
        "tcp/127.0.0.1:7447?rel=0",
        "udp/127.0.0.1:7447",
        "serial//dev/ttyUSB0",
        "tcp/127.0.0.1:7447 ",
    ],
)
def test_an_endpoint_that_is_none_is_refused(endpoint: str) -> None:
    for listen, connect in ((endpoint,), ()), ((), (endpoint,)):
        with pytest.raises(TransportError, match="is no endpoint: write tcp/HOST:PORT"):
            ZenohTransport(listen=listen, connect=connect, allow_remote=True)


@pytest.mark.parametrize(
    "endpoint",
    [
        "tcp/0.0.0.0:7447",
        "tcp/192.168.1.5:7447",
        "tcp/[::]:7447",
        "tcp/robot.local:7447",
        "tcp/127.0.0.1.evil:1",
    ],
)
def test_an_endpoint_off_this_machine_is_refused_unless_allowed(endpoint: str) -> None:
    for listen, connect in ((endpoint,), ()), ((), (endpoint,)):
        with pytest.raises(TransportError, match=r"leads off this machine.*allow_remote=True"):
            ZenohTransport(listen=listen, connect=connect)
        ZenohTransport(listen=listen, connect=connect, allow_remote=True)


@pytest.mark.parametrize(
    "endpoint", ["tcp/127.0.0.1:7447", "tcp/127.9.9.9:1", "tcp/[::1]:7447", "tcp/localhost:7447"]
)
def test_loopback_endpoints_are_taken(endpoint: str) -> None:
    ZenohTransport(listen=(endpoint,), connect=(endpoint,))


def test_it_listens_on_loopback_only() -> None:
    with ZenohTransport() as transport:
        (endpoint,) = transport.endpoints
        sockets = [line.split() for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
        listening = [local for _, local, _, state, *_ in sockets if state == "0A"]
        port = int(endpoint.rsplit(":", 1)[1])
        assert endpoint == f"tcp/127.0.0.1:{port}"
        assert [address for address in listening if address.endswith(f":{port:04X}")] == [
            f"0100007F:{port:04X}"
        ]


def test_a_port_that_is_taken_is_said_clearly() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        endpoint = f"tcp/127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(
            TransportError, match=f"cannot listen on {endpoint}: the address is already in use"
        ):
            ZenohTransport(listen=(endpoint,)).open()


def test_an_address_of_another_machine_cannot_be_listened_on() -> None:
    with pytest.raises(TransportError, match=r"listen on tcp/192\.0\.2\.1:7447"):
        ZenohTransport(listen=("tcp/192.0.2.1:7447",), allow_remote=True).open()


def test_a_closed_transport_says_so_and_is_quiet() -> None:
    async def main() -> None:
        transport = ZenohTransport()
        link = transport.join("arm", Recorder())
        transport.close()
        transport.close()
        link.send("arm", Release("1"))
        link.advertise(Peer("arm", link.boot, ("m:Kind",)))
        link.leave()
        for use in (transport.open, lambda: transport.join("arm", Recorder()), lambda: transport.endpoints):
            with pytest.raises(TransportError, match="has been closed"):
                use()

    asyncio.run(main())


def test_a_transport_belongs_to_one_loop() -> None:
    with ZenohTransport() as transport:
        with pytest.raises(TransportError, match="within a running event loop"):
            transport.join("arm", Recorder())

        async def join(name: str) -> None:
            transport.join(name, Recorder())

        asyncio.run(join("arm"))
        with pytest.raises(TransportError, match="the event loop of its first join"):
            asyncio.run(join("camera"))


def test_installations_do_not_see_each_other() -> None:
    async def main() -> None:
        with (
            ZenohTransport(installation="one") as one,
            ZenohTransport(installation="two", connect=one.endpoints) as two,
            ZenohTransport(installation="one", connect=one.endpoints) as third,
        ):
            told = Recorder()
            one.join("arm", told)
            two.join("arm", Recorder())
            third.join("camera", Recorder())
            await told.until_seen("camera")
            assert [peer.name for peer in told.seen] == ["camera"]

    asyncio.run(main())


class Intruder:
    """A bare Zenoh session that says whatever it likes to one registrar."""

    def __init__(self, session: zenoh.Session, victim: Link, keys: Keys) -> None:
        self.session = session
        self.me = Peer("intruder", "0badcafe")
        self.victim = victim
        self.keys = keys
        self.tokens: list[zenoh.LivelinessToken] = []  # Zenoh withdraws a token that nobody holds

    def put(self, payload: bytes, *, sender: Peer | None = None) -> None:
        to = self.victim.peers["victim"]
        self.session.put(
            self.keys.message(to, sender or self.me),
            payload,
            congestion_control=zenoh.CongestionControl.BLOCK,
            priority=zenoh.Priority.INTERACTIVE_HIGH,
        )

    def declare(self, tail: str) -> None:
        root = self.keys.all_tokens.removesuffix("**")
        self.tokens.append(self.session.liveliness().declare_token(root + tail))

    def appear(self) -> None:
        self.declare(f"{self.me.name}/{self.me.boot}/5e55/1/0/v/=")

    def vanish(self) -> None:
        self.tokens.pop().undeclare()  # type: ignore[no-untyped-call]


def with_intruder(story: Callable[[Intruder, Recorder], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        with ZenohTransport() as transport:
            told = Recorder()
            link = transport.join("victim", told)
            config = zenoh.Config()
            config.insert_json5("listen/endpoints", "[]")
            config.insert_json5("connect/endpoints", f'["{transport.endpoints[0]}"]')
            config.insert_json5("scouting/multicast/enabled", "false")
            with zenoh.open(config) as session:
                await story(Intruder(session, link, Keys("default")), told)

    asyncio.run(main())


def test_bytes_that_are_no_message_are_reported_and_change_nothing() -> None:
    async def story(intruder: Intruder, told: Recorder) -> None:
        intruder.appear()
        await told.until_seen("intruder")
        intruder.put(b"")
        intruder.put(b"\xc1garbage")
        intruder.put(b"x" * (MAX_BYTES + 1))
        intruder.put(encode(1, Release("good")))
        await told.until(lambda told: told.received)
        assert [sender for sender, _ in told.malformations] == ["intruder"] * 3
        empty, garbage, long = (reason for _, reason in told.malformations)
        assert "0 bytes came in that are no message" in empty
        assert "c1 67 61 72" in garbage
        assert f"{MAX_BYTES + 1} bytes came in" in long
        assert told.received == [("intruder", Release("good"))]

    with_intruder(story)


def test_a_flood_of_garbage_is_reported_ever_more_rarely() -> None:
    async def story(intruder: Intruder, told: Recorder) -> None:
        intruder.appear()
        await told.until_seen("intruder")
        for _ in range(2000):
            intruder.put(b"garbage")
        intruder.put(encode(1, Release("end")))
        await told.until(lambda told: told.received)
        assert len(told.malformations) == 8 + 7  # 1 to 8, then 16, 32, … 1024
        assert "number 1024 of this sender" in told.malformations[-1][1]

    with_intruder(story)


def test_doubles_and_overtaken_messages_are_dropped_and_gaps_counted() -> None:
    async def story(intruder: Intruder, told: Recorder) -> None:
        intruder.appear()
        await told.until_seen("intruder")
        for number in (1, 2, 2, 1, 5, 3, 6):
            intruder.put(encode(number, Release(str(number))))
        await told.until(lambda told: len(told.received) == 4)
        assert told.received == [("intruder", Release(number)) for number in ("1", "2", "5", "6")]
        assert intruder.victim.lost_messages == 2  # type: ignore[attr-defined]

    with_intruder(story)


def test_a_message_of_somebody_unknown_waits_for_his_presence() -> None:
    async def story(intruder: Intruder, told: Recorder) -> None:
        intruder.put(encode(1, Release("early")))
        intruder.put(encode(1, Release("of another")), sender=Peer("intruder", "00000000"))
        intruder.appear()
        await told.until(lambda told: told.received)
        assert told.story == ["seen intruder", "received Release from intruder"]
        intruder.vanish()
        await told.until(lambda told: told.lost)
        assert told.received == [("intruder", Release("early"))]

    with_intruder(story)


def test_an_unreadable_token_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def story(intruder: Intruder, told: Recorder) -> None:
        intruder.declare("nonsense")
        intruder.appear()
        await told.until_seen("intruder")
        assert told.story == ["seen intruder"]
        assert "the presence token" in caplog.text

    with_intruder(story)


def test_what_cannot_travel_raises_at_the_sender_and_uses_up_no_number() -> None:
    async def main() -> None:
        with ZenohTransport() as one, ZenohTransport(connect=one.endpoints) as two:
            told, other = Recorder(), Recorder()
            link = one.join("sender", told)
            receiver = two.join("receiver", other)
            await told.until_seen("receiver")
            link.send("receiver", Release("1"))
            with pytest.raises(TransportError, match="object cannot be sent to another process"):
                link.send("receiver", Grant("l", Edge("r", "b", 1), object(), 0, 1))
            link.send("receiver", Release("2"))
            await other.until(lambda told: len(told.received) == 2)
            assert receiver.lost_messages == 0  # type: ignore[attr-defined]

    asyncio.run(main())


def test_the_later_of_two_that_took_a_name_unseen_by_each_other_is_expelled() -> None:
    async def main() -> None:
        with ZenohTransport() as hub_of_one, ZenohTransport() as hub_of_two:
            elder, younger, colleague = Recorder(), Recorder(), Recorder()
            first = hub_of_one.join("arm", elder)
            hub_of_two.join("colleague", colleague)
            second = hub_of_two.join("arm", younger)
            with ZenohTransport(connect=(*hub_of_one.endpoints, *hub_of_two.endpoints)) as bridge:
                watcher = Recorder()
                bridge.join("watcher", watcher)
                await younger.until(lambda told: told.malformations)
                assert (
                    f"joined this installation before this one (boot {second.boot})"
                    in younger.malformations[0][1]
                )
                await colleague.until(lambda told: told.peers_now() == {"arm": first.boot, "watcher": ANY})
                await watcher.until(lambda told: told.peers_now() == {"arm": first.boot, "colleague": ANY})
            assert elder.malformations == []
            assert ("colleague", ANY) in younger.lost

    asyncio.run(main())


class _Any:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


ANY: Any = _Any()


def test_nothing_is_left_after_closing() -> None:
    async def visit() -> None:
        with ZenohTransport() as one, ZenohTransport(connect=one.endpoints) as two:
            told = Recorder()
            link = one.join("one", told)
            two.join("two", Recorder())
            await told.until_seen("two")
            link.send("two", Release("1"))

    def held() -> tuple[int, int]:
        return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

    asyncio.run(visit())  # Zenoh's own pool of threads stays for the life of the process
    files_before, threads_before = held()
    for _ in range(10):
        asyncio.run(visit())
    assert held()[0] <= files_before
    # The pool grows on a busy machine, and ends what idles for 10 s; what ten sessions forgot would stay.
    given_up_s = time.monotonic() + 40.0
    while (threads := held()[1]) > threads_before + 3:
        assert time.monotonic() < given_up_s, f"{threads} threads, {threads_before} before"
        time.sleep(0.05)
