"""A link that goes silent: everybody is told within one window, what moves comes to rest, nobody is left."""

# ruff: noqa: PT012 (a failure arrives while the body of the `async with` goes on)

from __future__ import annotations

import asyncio

import pytest

from framework.errors import ResourceFailed, ResourceUnavailable
from framework.status import Severity, Status
from framework.transport.local import LocalTransport
from framework.transport.messages import Heartbeat, Message
from tests.framework.registrar.harness import Arm, Device, Harness, Sub, Top, play, vanish

BEAT_S = 0.1
WINDOW_S = 0.25


class Cut:
    """A network between processes; what is cut off is heard by nobody and hears nobody."""

    def __init__(self) -> None:
        self.off: set[str] = set()

    def __call__(self, sender: str, to: str, message: Message) -> tuple[float, ...]:
        return () if {sender, to} & self.off else (0.001,)


def over_a_network() -> tuple[Harness, Cut]:
    cut = Cut()
    return Harness(LocalTransport(beat_s=BEAT_S, disturb=cut)), cut


def now_s() -> float:
    return asyncio.get_running_loop().time()


def test_a_silent_client_is_reaped_and_what_it_moved_comes_to_rest_within_one_window() -> None:
    async def main() -> None:
        stage, cut = over_a_network()
        async with stage as harness:
            server, client = await harness.enter_all("server", "client")
            rested: list[float] = []

            async def rest() -> None:
                rested.append(now_s())

            harness.offer(server, Device, safe_stop=rest)
            with pytest.raises(ResourceFailed, match="silent"):
                async with client.request(Device(), exclusive=True):
                    await asyncio.sleep(1)
                    cut.off.add("client")
                    await asyncio.sleep(3600)
            # The far end and the near end both know by themselves, after one window and one beat.
            assert now_s() <= 1 + WINDOW_S + 2 * BEAT_S
            assert [at_s <= 1 + WINDOW_S + 2 * BEAT_S for at_s in rested] == [True]
            await asyncio.sleep(1)
            assert server.snapshot().is_empty
            cut.off.clear()

    play(main)


@pytest.mark.parametrize("silent", ["server", "client"])
def test_what_a_network_repeats_of_who_is_silent_keeps_nobody_alive(silent: str) -> None:
    async def main() -> None:
        cut = Cut()

        def repeating(sender: str, to: str, message: Message) -> tuple[float, ...]:
            once = cut(sender, to, message)
            is_repeated = bool(once) and sender == silent and isinstance(message, Heartbeat)
            return tuple(0.001 + number * BEAT_S for number in range(20)) if is_repeated else once

        async with Harness(LocalTransport(beat_s=BEAT_S, disturb=repeating)) as harness:
            server, client = await harness.enter_all("server", "client")
            harness.offer(server, Device)
            with pytest.raises(ResourceFailed, match="silent"):
                async with client.request(Device()):
                    await asyncio.sleep(1)
                    cut.off.add(silent)
                    await asyncio.sleep(3600)
            assert now_s() <= 1 + WINDOW_S + 2 * BEAT_S
            await asyncio.sleep(WINDOW_S)
            assert server.snapshot().is_empty
            await asyncio.sleep(3)
            cut.off.clear()

    play(main)


def test_over_several_hops_it_is_still_one_window_and_never_a_sum() -> None:
    async def main() -> None:
        stage, cut = over_a_network()
        async with stage as harness:
            low, middle, high, client = await harness.enter_all("low", "middle", "high", "client")
            rested: list[float] = []

            async def rest() -> None:
                rested.append(now_s())

            harness.offer(low, Device, safe_stop=rest)
            harness.offer(middle, Sub, lambda sub: Device(), exclusive=True)
            harness.offer(high, Top, lambda top: Sub())
            with pytest.raises(ResourceFailed):
                async with client.request(Top()):
                    await asyncio.sleep(1)
                    cut.off.add("client")
                    await asyncio.sleep(3600)
            await asyncio.sleep(1)
            assert len(rested) == 1
            assert rested[0] <= 1 + WINDOW_S + 3 * BEAT_S
            cut.off.clear()

    play(main)


def test_a_silent_provider_is_fatal_and_may_be_asked_again_when_it_is_back() -> None:
    async def main() -> None:
        stage, cut = over_a_network()
        async with stage as harness:
            server, client = await harness.enter_all("server", "client")
            harness.offer(server, Sub)
            for _ in range(2):
                told: list[Status] = []
                begun_s = now_s()
                with pytest.raises(ResourceFailed, match="silent"):
                    async with client.request(Sub(), on_status=told.append):
                        await asyncio.sleep(0.5)
                        cut.off.add("server")
                        await asyncio.sleep(3600)
                assert now_s() - begun_s <= 0.5 + WINDOW_S + 2 * BEAT_S + 0.01
                assert [status.severity for status in told] == [Severity.FATAL]
                await asyncio.sleep(1)
                cut.off.clear()
                await asyncio.sleep(1)
                assert server.snapshot().is_empty and client.snapshot().is_empty

    play(main)


def test_a_stopped_provider_that_is_asked_again_at_once_is_given_up_as_fast_each_time() -> None:
    async def main() -> None:
        stage, cut = over_a_network()
        async with stage as harness:
            server, client = await harness.enter_all("server", "client")
            harness.offer(server, Sub)
            async with client.request(Sub("held"), on_failure="tell"):  # and left when all is over
                with pytest.raises(ResourceFailed, match="silent"):
                    async with client.request(Sub()):
                        await asyncio.sleep(0.5)
                        cut.off.add("server")
                        await asyncio.sleep(3600)
                for _ in range(3):
                    began_s = now_s()
                    with pytest.raises(ResourceUnavailable, match="silent"):
                        async with client.request(Sub()):
                            pass
                    assert now_s() - began_s <= WINDOW_S + 0.001
                cut.off.clear()
                await asyncio.sleep(1)
                async with client.request(Sub()) as lease:
                    assert lease.value == "handle of Sub(sub)"

    play(main)


def test_a_short_hiccup_is_nobody_s_failure() -> None:
    async def main() -> None:
        stage, cut = over_a_network()
        async with stage as harness:
            server, client = await harness.enter_all("server", "client")
            harness.offer(server, Device)
            told: list[Status] = []
            async with client.request(Device(), exclusive=True, on_status=told.append) as lease:
                for _ in range(10):
                    await asyncio.sleep(0.5)
                    cut.off.add("client")
                    await asyncio.sleep(0.09)  # one beat is lost, or none
                    cut.off.clear()
                assert told == [] and lease.is_open

    play(main)


def test_a_client_that_is_restarted_under_its_name_does_not_inherit_old_leases() -> None:
    async def main() -> None:
        stage, _ = over_a_network()
        async with stage as harness:
            server, client = await harness.enter_all("server", "client")
            harness.offer(server, Arm)
            old = asyncio.create_task(client.request(Arm()).__aenter__())
            lease = await old
            harness.forget(client)
            vanish(client)
            again = await harness.enter("client")
            async with again.request(Arm()) as fresh:
                assert fresh.id != lease.id
                assert [view.id for view in server.snapshot().leases] == [fresh.id]

    play(main)


def test_no_call_waits_on_a_dead_peer() -> None:
    async def main() -> None:
        stage, cut = over_a_network()
        async with stage as harness:
            server, client = await harness.enter_all("server", "client")
            harness.offer(server, Sub)
            cut.off.add("server")
            with pytest.raises(Exception, match=r"silent|no answer"):
                async with client.request(Sub(), timeout_s=5):
                    pass
            assert now_s() <= 5
            cut.off.clear()

    play(main)
