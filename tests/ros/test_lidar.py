"""A scanner over ROS 2: its scans, its silence, its death, and what does not fit."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from framework.errors import ProcessStartFailed
from framework.processes.child_events import LossReason
from framework.status import Severity
from resources.drivers.ros.arguments import RosLidarArguments
from resources.types.ros import Qos
from resources.types.samples import Scan, decode
from resources.types.sensors import ScanFeed
from resources.types.streams import StreamFormat
from tests.resources.children.harness import Watcher
from tests.ros.harness import RosHarness, ros_harness

PROGRAM = "resources.drivers.ros.lidar_child:main"


async def lidar(ros: RosHarness, **changes: Any) -> ScanFeed:
    arguments: dict[str, Any] = {
        "topic": "/front/scan",
        "run_directory": ros.directory,
        "device": "front_lidar",
        **changes,
    }
    return await ros.start(
        "front_lidar",
        PROGRAM,
        RosLidarArguments(**arguments),
        ScanFeed,
        rate_hz=10.0,
    )


def test_scans_come_and_a_scanner_that_is_stopped_or_killed_is_told() -> None:
    async def main() -> None:
        async with ros_harness() as ros:
            ros.run("scanner", "--metres", "3.25")
            feed = await lidar(ros)
            watcher = Watcher(feed.stream)
            sample, meta = await watcher.next()
            scan = decode(sample, StreamFormat.SCAN)
            assert isinstance(scan, Scan)
            assert scan.ranges_m.tolist() == [3.25] * 181
            assert meta.range_max == 10.0

            ros.kill("scanner", signal.SIGSTOP)
            told = await ros.said("front_lidar", Severity.ERROR, "no message for 0.3")
            assert "/scanner has /front/scan, but no message comes" in told.message
            ros.kill("scanner", signal.SIGCONT)
            await ros.said("front_lidar", Severity.OK, "/front/scan goes on")
            ros.kill("scanner")
            assert await ros.home.lost("front_lidar") is LossReason.STALE

    asyncio.run(main())


@pytest.mark.parametrize(
    ("scanner", "changes", "words"),
    [
        ((), {"topic": "/back/scan"}, "nobody publishes /back/scan; there is /front/scan"),
        (
            (),
            {"qos": Qos()},
            "/front/scan: /scanner does not fit: reliability: best_effort is offered, reliable asked for",
        ),
        (
            (),
            {"qos": Qos(deadline_s=0.5), "topic": "front scan"},
            "ROS does not take the name 'front scan'",
        ),
        (("--late-s", "100"), {}, "its stamp is 100.0. s old"),
        (("--beams", "0"), {}, "a scan of 0 beams came; 1 to 100000 are allowed"),
    ],
)
def test_what_does_not_fit_is_told_in_words(
    scanner: tuple[str, ...], changes: dict[str, Any], words: str
) -> None:
    async def main() -> None:
        async with ros_harness() as ros:
            ros.run("scanner", *scanner)
            with pytest.raises(ProcessStartFailed, match=words):
                await lidar(ros, **changes)

    asyncio.run(main())


def test_a_simulations_time_may_run_slow_begin_anew_and_get_lost() -> None:
    async def main() -> None:
        async with ros_harness(sim_time=True) as ros:
            ros.run("simulated")
            feed = await lidar(ros)
            watcher = Watcher(feed.stream)

            async def times(is_enough: Callable[[float], bool]) -> list[float]:
                found: list[float] = []
                while not found or not is_enough(found[-1]):
                    sample, meta = await watcher.next()
                    assert abs(sample.stamp_s - time.monotonic()) < 0.5
                    found.append(meta.time_s)
                return found

            first = await times(lambda time_s: time_s > 100.5)
            assert first == sorted(first)
            ros.kill("simulated", signal.SIGUSR1)
            await times(lambda time_s: time_s < 50.0)
            ros.kill("simulated", signal.SIGUSR2)
            # Without a clock nobody knows how old a scan is: it is left out, and that is told.
            await ros.said("front_lidar", Severity.WARNING, "ahead of our time")
            assert await ros.home.lost("front_lidar") is LossReason.STALE

    asyncio.run(main())


def bound_by(pid: int) -> tuple[set[str], str]:
    """The addresses of its UDP sockets, as the kernel writes them, and what it has mapped."""
    names = []
    for number in os.listdir(f"/proc/{pid}/fd"):
        with suppress(OSError):  # closed meanwhile
            names.append(os.readlink(f"/proc/{pid}/fd/{number}"))
    inodes = {name[8:-1] for name in names if name.startswith("socket:[")}
    rows = [row.split() for row in Path(f"/proc/{pid}/net/udp").read_text().splitlines()[1:]]
    bound = {row[1].partition(":")[0] for row in rows if row[9] in inodes}
    return bound, Path(f"/proc/{pid}/maps").read_text()


def test_nothing_of_us_is_bound_elsewhere_than_on_loopback() -> None:
    """Neither sockets on other interfaces, nor files in shared memory, which a killed process would leave."""

    async def main() -> None:
        async with ros_harness() as ros:
            ros.run("scanner")
            await lidar(ros)
            bound, mapped = bound_by(ros.child("front_lidar").pid)
            loopback, multicast = "0100007F", "0100FFEF"  # 127.0.0.1; 239.255.0.1, heard on loopback only
            assert bound and bound <= {loopback, multicast}, bound
            assert "/dev/shm/fastdds" not in mapped

    asyncio.run(main())
