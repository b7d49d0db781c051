"""Round trips between a page and the operator process, over three networks: from the browser, and scripted.

The operator process is the real one, in a process of its own; no robot runs beside it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from framework.processes.emergency import EmergencyStop
from framework.processes.launcher import ProcessLauncher
from framework.processes.supervise import ChildProcess
from framework.transport.run_directory import RunDirectory
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.operator_link.bare import bare_page_trips, bare_trips
from pilothouse.experiments.operator_link.browser import HeadsetPage, headset_page, why_none
from pilothouse.experiments.operator_link.entry import HANDS_HZ, ScriptedOperator, until
from pilothouse.experiments.operator_link.relay import NETWORKS, Network, Pings, UdpRelay
from pilothouse.experiments.operator_link.watch import quantile
from pilothouse.testbed.headless_chromium import launched
from resources.operator.arguments import OperatorArguments
from resources.operator.orders import OpenPairing, encode_order
from resources.operator.packets import HAND_BYTES, STATE_BYTES
from resources.operator.spec import operator_spec
from resources.operator.state_sender import STATE_RATE_HZ
from resources.types.operator import OperatorLinksHandle

if TYPE_CHECKING:
    from playwright.async_api import Browser

SETTLES_S: Final = 1.0
PICTURES_HZ: Final = 60.0
"""A page sends its hands with each picture."""

OVERHEAD_BYTES: Final = 65
"""What DTLS and SCTP add to a packet, about."""

_NOBODY: Final = "http://127.0.0.1:9/"
"""Address of a console that is not there: nothing is said here."""


class Durations(msgspec.Struct, frozen=True):
    """How long is measured over each network [s]: see `Trips`."""

    drawn_s: float = 10.0
    undrawn_s: float = 4.0
    scripted_s: float = 8.0
    bare_s: float = 4.0


class Measured(msgspec.Struct, frozen=True):
    """trips: round trips of one page [ms], in their order; empty if it could not be measured.

    bare: pings of the relay at the same time; empty where nothing is in between.
    """

    trips: Sequence[float] = ()
    bare: Sequence[float] = ()

    @property
    def added_ms(self) -> float | None:
        """What page and process add to the network's own round trip: the difference of the medians."""
        return _less(self.trips, self.bare)


class Trips(msgspec.Struct, frozen=True):
    """Over one network. page, undrawn: of the browser's page, while it draws for the headset and before.

    used: of `page`, until the page's own thread had the answer, between two pictures [ms].
    hands_hz: right hands that the page sent a second, drawing.
    """

    network: Network
    page: Measured = Measured()
    used: Sequence[float] = ()
    undrawn: Measured = Measured()
    scripted: Measured = Measured()
    hands_hz: float | None = None
    channel: Sequence[float] = ()
    """Of a bare data channel between two processes, on the direct way."""
    bare_page: Sequence[float] = ()
    """Of a bare data channel between an empty page and a process, on the direct way."""

    @property
    def bare(self) -> Sequence[float]:
        """All that the network alone took [ms]."""
        return (*self.page.bare, *self.undrawn.bare, *self.scripted.bare)

    def figures(self) -> Figures:
        """Under the experiment's names."""
        name = self.network.name
        figures: Figures = {f"rtt_ms_{key}_{name}": value for key, value in spread(self.page.trips).items()}
        figures[f"rtt_ms_median_{name}_used"] = spread(self.used)["median"]
        figures[f"hands_hz_{name}"] = self.hands_hz
        figures[f"rtt_ms_median_{name}_undrawn"] = spread(self.undrawn.trips)["median"]
        scripted = spread(self.scripted.trips)
        figures |= {f"rtt_ms_{key}_{name}_scripted": value for key, value in scripted.items()}
        if self.network.is_direct:
            figures[f"rtt_ms_median_{name}_bare"] = spread(self.channel)["median"]
            figures |= {
                f"rtt_ms_{key}_{name}_bare_page": each for key, each in spread(self.bare_page).items()
            }
            figures[f"added_ms_{name}"] = _less(self.page.trips, self.bare_page)
            figures[f"added_ms_{name}_undrawn"] = _less(self.undrawn.trips, self.bare_page)
        else:
            network = spread(self.bare)
            figures |= {f"network_ms_{key}_{name}": value for key, value in network.items()}
            figures[f"added_ms_{name}"] = self.page.added_ms
            figures[f"added_ms_{name}_undrawn"] = self.undrawn.added_ms
            figures[f"added_ms_{name}_scripted"] = self.scripted.added_ms
        return figures


def spread(trips: Sequence[float]) -> dict[str, float | None]:
    """min, mean, median, p99, max; None where there are no trips."""
    if not trips:
        return dict.fromkeys(("min", "mean", "median", "p99", "max"))
    ordered = sorted(trips)
    return {
        "min": ordered[0],
        "mean": sum(ordered) / len(ordered),
        "median": quantile(ordered, 0.5),
        "p99": quantile(ordered, 0.99),
        "max": ordered[-1],
    }


def _less(here: Sequence[float], there: Sequence[float]) -> float | None:
    """The difference of the medians; None where there is nothing to compare."""
    mine, others = spread(here)["median"], spread(there)["median"]
    return None if mine is None or others is None else mine - others


class OperatorHarness:
    """The operator process, running, and the codes that let pages in."""

    def __init__(self, child: ChildProcess) -> None:
        self._child = child

    async def code(self) -> str:
        """A new code's link."""
        before = self._handle.pairing.url
        self._child.send(encode_order(OpenPairing()))
        await until(lambda: self._handle.pairing.url not in ("", before), "a code is open")
        return self._handle.pairing.url

    @property
    def _handle(self) -> OperatorLinksHandle:
        return msgspec.json.decode(self._child.handle, type=OperatorLinksHandle)


@asynccontextmanager
async def operator_harness(state: Path) -> AsyncIterator[OperatorHarness]:
    """The real process, on loopback."""
    with RunDirectory.create() as directory:
        stop = EmergencyStop.create(directory.path)
        try:
            arguments = OperatorArguments(str(directory.path), str(state), _NOBODY, port=0)
            async with ProcessLauncher().launch(operator_spec(arguments), on_event=_ignore) as child:
                yield OperatorHarness(child)
        finally:
            stop.remove()


async def trips(
    state: Path,
    seed: int,
    progress: Progress,
    durations: Durations,
    networks: Sequence[Network] = NETWORKS,
) -> list[Trips]:
    """Over each network, for so long each."""
    progress.begin("round trips of the page and of a scripted one", 2 * len(networks))
    found = []
    async with AsyncExitStack() as stack:
        harness = await stack.enter_async_context(operator_harness(state))
        chromium = None if why_none() else await stack.enter_async_context(launched())
        for network in networks:
            made = Trips(network)
            async with _way(network, seed) as relay:
                if chromium is not None:
                    async with headset_page(chromium, await harness.code(), relay) as headset:
                        made = await _of_page(made, headset, relay, durations)
                progress.step()
                async with ScriptedOperator(await harness.code(), relay) as operator:
                    await asyncio.sleep(SETTLES_S)
                    operator.page.round_trips_ms.clear()
                    bare = await _passes(relay, durations.scripted_s)
                    scripted = Measured(list(operator.page.round_trips_ms), bare)
                progress.step()
            made = msgspec.structs.replace(made, scripted=scripted)
            if network.is_direct:
                made = await _bare(made, chromium, durations.bare_s)
            found.append(made)
    return found


async def _bare(made: Trips, chromium: Browser | None, seconds: float) -> Trips:
    """What the libraries take without us, right after what they take with us."""
    channel = await bare_trips(seconds, HANDS_HZ, HAND_BYTES)
    page = [] if chromium is None else await bare_page_trips(chromium, seconds, PICTURES_HZ, HAND_BYTES)
    return msgspec.structs.replace(made, channel=channel, bare_page=page)


async def _of_page(made: Trips, headset: HeadsetPage, relay: UdpRelay | None, durations: Durations) -> Trips:
    await asyncio.sleep(SETTLES_S)
    await headset.begin()
    bare = await _passes(relay, durations.undrawn_s)
    undrawn = Measured((await headset.measured()).trips, bare)
    await headset.enter()
    await asyncio.sleep(SETTLES_S)
    await headset.begin()
    bare = await _passes(relay, durations.drawn_s)
    heard = await headset.measured()
    return msgspec.structs.replace(
        made,
        page=Measured(heard.trips, bare),
        used=heard.used,
        undrawn=undrawn,
        hands_hz=heard.hands / durations.drawn_s,
    )


@asynccontextmanager
async def _way(network: Network, seed: int) -> AsyncIterator[UdpRelay | None]:
    """None: nothing is in between."""
    if network.is_direct:
        yield None
        return
    async with UdpRelay(network, seed) as relay:
        yield relay


async def _passes(relay: UdpRelay | None, seconds: float) -> list[float]:
    """Let time pass, and ping the relay meanwhile."""
    if relay is None:
        await asyncio.sleep(seconds)
        return []
    async with Pings(relay, STATE_RATE_HZ, STATE_BYTES + OVERHEAD_BYTES) as pings:
        await asyncio.sleep(seconds)
        return pings.round_trips_ms


def _ignore(_: object) -> None:
    """What the process tells its owner is of no interest here."""
