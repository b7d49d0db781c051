"""What every transport promises, tried on all of them.

`local`: one LocalTransport, virtual clock. `zenoh-shared`: one ZenohTransport, so
objects are handed over. `zenoh-apart`: a ZenohTransport for each registrar, so
everything crosses Zenoh on loopback TCP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack

import pytest

from framework import testing
from framework.errors import TransportError
from framework.status import Priority
from framework.transport.interface import Link, Listener, Transport
from framework.transport.local import LocalTransport
from framework.transport.messages import Ask, Peer, Release, Reprioritise
from framework.transport.zenoh import ZenohTransport
from tests.framework.transport.recorder import Recorder


class Meeting:
    """One installation made for a test; `enter` joins, `run` runs the test on the fitting clock."""

    def __init__(self, kind: str, stack: ExitStack) -> None:
        self.kind = kind
        self._stack = stack
        self._shared: Transport | None = None
        self._first: ZenohTransport | None = None

    @property
    def apart(self) -> bool:
        """Whether registrars have to reach each other over Zenoh."""
        return self.kind == "zenoh-apart"

    def run(self, story: Callable[[Meeting], Awaitable[None]]) -> None:
        async def main() -> None:
            await story(self)

        if self.kind == "local":
            testing.run(main)
        else:
            asyncio.run(main())

    def transport(self) -> Transport:
        if self.apart:
            connect = self._first.endpoints if self._first else ()
            transport = self._stack.enter_context(ZenohTransport(connect=connect))
            self._first = self._first or transport
            return transport
        if self._shared is None:
            local = self.kind == "local"
            self._shared = LocalTransport() if local else self._stack.enter_context(ZenohTransport())
        return self._shared

    def enter(self, name: str, listener: Listener | None = None, *, durable: bool = False) -> Link:
        return self.transport().join(name, listener or Recorder(), durable=durable)


KINDS = ["local", *(pytest.param(each, marks=pytest.mark.real) for each in ("zenoh-shared", "zenoh-apart"))]


@pytest.fixture(params=KINDS)
def meeting(request: pytest.FixtureRequest) -> Iterator[Meeting]:
    with ExitStack() as stack:
        yield Meeting(request.param, stack)


@pytest.mark.parametrize("name", ["", "a/b", "a b", "*", "a" * 129, "-a", "ä", "$*", "a?b"])
def test_a_name_that_is_none_is_refused(meeting: Meeting, name: str) -> None:
    async def story(meeting: Meeting) -> None:
        with pytest.raises(TransportError, match="is no registrar name"):
            meeting.enter(name)

    meeting.run(story)


def test_a_name_is_used_once(meeting: Meeting) -> None:
    async def story(meeting: Meeting) -> None:
        meeting.enter("arm")
        transport, watcher = meeting.transport(), Recorder()
        transport.join("watcher", watcher)
        await watcher.until_seen("arm")  # two that have not met yet: `test_zenoh` tells what becomes of them
        with pytest.raises(TransportError, match="'arm' is already here"):
            transport.join("arm", Recorder())

    meeting.run(story)


def test_a_name_is_free_again_after_leaving_and_the_boot_id_is_new(meeting: Meeting) -> None:
    async def story(meeting: Meeting) -> None:
        watcher = Recorder()
        meeting.enter("watcher", watcher)
        first = meeting.enter("arm")
        await watcher.until_seen("arm")
        first.leave()
        await watcher.until(lambda told: told.lost)
        second = meeting.enter("arm")
        await watcher.until(lambda told: len(told.seen) == 2)
        assert watcher.lost == [("arm", first.boot)]
        assert [peer.boot for peer in watcher.seen] == [first.boot, second.boot]
        assert first.boot != second.boot

    meeting.run(story)


def test_those_present_and_those_who_come_see_each_other(meeting: Meeting) -> None:
    async def story(meeting: Meeting) -> None:
        early, late = Recorder(), Recorder()
        first = meeting.enter("early:1.x#y", early, durable=True)
        second = meeting.enter("late", late)
        await early.until_seen("late")
        await late.until_seen("early:1.x#y")
        assert late.seen == [Peer("early:1.x#y", first.boot, (), True)]
        assert early.seen == [Peer("late", second.boot, (), False)]
        assert dict(first.peers) == dict(second.peers)
        assert set(first.peers) == {"early:1.x#y", "late"}

    meeting.run(story)


def test_what_is_advertised_reaches_everybody_else_now_and_later(meeting: Meeting) -> None:
    async def story(meeting: Meeting) -> None:
        neighbour, provider, latecomer = Recorder(), Recorder(), Recorder()
        meeting.enter("neighbour", neighbour)
        link = meeting.enter("provider", provider)
        kinds = ("cameras:Camera", "tests.x:test.<locals>.Odd,/?#*$ä")
        for provides in (kinds[:1], kinds, ()):
            link.advertise(Peer("provider", link.boot, provides))
        await neighbour.until(lambda told: len(told.seen) == 4)
        assert [peer.provides for peer in neighbour.seen] == [(), kinds[:1], kinds, ()]
        link.advertise(Peer("provider", link.boot, kinds))
        late = meeting.enter("latecomer", latecomer)
        await latecomer.until(lambda told: late.peers.get("provider") == Peer("provider", link.boot, kinds))
        assert not neighbour.lost
        assert not latecomer.lost
        assert "provider" not in {peer.name for peer in provider.seen}

    meeting.run(story)


def test_leaving_is_seen_once_and_may_be_repeated(meeting: Meeting) -> None:
    async def story(meeting: Meeting) -> None:
        stays, goes = Recorder(), Recorder()
        staying = meeting.enter("stays", stays)
        link = meeting.enter("goes", goes)
        await stays.until_seen("goes")
        link.leave()
        link.leave()
        await stays.until(lambda told: told.lost)
        assert stays.lost == [("goes", link.boot)]
        assert set(staying.peers) == {"stays"}
        staying.send("goes", Release("1"))
        link.send("stays", Release("2"))
        link.advertise(Peer("goes", link.boot, ("too:Late",)))
        meeting.enter("stranger")
        await stays.until_seen("stranger")
        assert stays.received == []
        assert [peer.name for peer in stays.seen] == ["goes", "stranger"]

    meeting.run(story)


def test_a_message_to_nobody_is_dropped(meeting: Meeting) -> None:
    async def story(meeting: Meeting) -> None:
        listener = Recorder()
        meeting.enter("alone", listener).send("nobody", Release("1"))
        assert listener.story == []

    meeting.run(story)


def test_a_message_to_oneself_arrives(meeting: Meeting) -> None:
    async def story(meeting: Meeting) -> None:
        listener = Recorder()
        link = meeting.enter("alone", listener)
        message = Release("1")
        link.send("alone", message)
        assert link.is_local("alone")
        assert listener.received == [("alone", message)]
        assert listener.received[0][1] is message

    meeting.run(story)


def test_ten_thousand_messages_arrive_in_order(meeting: Meeting) -> None:
    async def story(meeting: Meeting) -> None:
        sender, receiver = Recorder(), Recorder()
        link = meeting.enter("sender", sender)
        meeting.enter("receiver", receiver)
        await sender.until_seen("receiver")
        for number in range(10_000):
            link.send("receiver", Release(f"lease-{number}"))
        await receiver.until(lambda told: len(told.received) == 10_000)
        assert receiver.received == [("sender", Release(f"lease-{number}")) for number in range(10_000)]

    meeting.run(story)


def test_objects_are_handed_over_inside_and_plain_data_outside(meeting: Meeting) -> None:
    async def story(meeting: Meeting) -> None:
        sender, receiver = Recorder(), Recorder()
        link = meeting.enter("sender", sender)
        meeting.enter("receiver", receiver)
        await sender.until_seen("receiver")
        wish = Reprioritise("inner", Priority.OPERATOR, "me")  # any struct will do as a request
        message = Ask("1", "sender", link.boot, "tests:Wish", wish, "a test", instead_of=("2",))
        link.send("receiver", message)
        await receiver.until(lambda told: told.received)
        arrived = receiver.received[0][1]
        assert link.is_local("receiver") is not meeting.apart
        if meeting.apart:
            assert isinstance(arrived, Ask)
            assert arrived.request == ["Reprioritise", "inner", 2, "me", None, 0]
            assert (arrived.lease, arrived.instead_of) == ("1", ("2",))
        else:
            assert arrived is message

    meeting.run(story)


def test_presence_is_known_before_the_first_message(meeting: Meeting) -> None:
    async def story(meeting: Meeting) -> None:
        host = Recorder()
        meeting.enter("host", host)
        for number in range(5):
            guest = Recorder()
            link = meeting.enter(f"guest{number}", guest)
            await guest.until_seen("host")
            link.send("host", Release(str(number)))
            await host.until(lambda told, n=number: len(told.received) == n + 1)  # type: ignore[misc]
            assert host.story.index(f"seen guest{number}") < host.story.index(
                f"received Release from guest{number}"
            )

    meeting.run(story)
