"""Topics, services and actions: how much longer they take over the bridge than without."""

from __future__ import annotations

import asyncio
import os
import signal
import struct
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from framework.plugins.client import client_for
from framework.status import Severity, Status
from framework.transport.ring import RingReader
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.ros2.house import House
from resources.types.ros import Qos, Reliability, RosAction, RosService, RosTopic

MESSAGES: Final = 400
QUESTIONS: Final = 200
GOALS: Final = 50
KILLS: Final = 10
HURT: Final = 5

CPU_S: Final = 4.0
CPU_HZ: Final = 800.0

TIME: Final = struct.Struct("<q")
"""When a message was sent, CLOCK_MONOTONIC [ns]: its first bytes, as the far side writes them."""

TOPIC: Final = "/measured"
TYPE: Final = "std_msgs/msg/UInt8MultiArray"
PLAIN: Final = Qos(Reliability.BEST_EFFORT, depth=10)
MEASURED: Final = RosTopic(TOPIC, TYPE, qos=PLAIN)

_TICKS: Final = os.sysconf("SC_CLK_TCK")


async def measure_links(house: House, progress: Progress) -> Figures:
    """All of them."""
    figures = await _topic(house, progress)
    figures |= await _asked(house, progress)
    figures |= await _cpu(house, progress)
    return figures


async def _topic(house: House, progress: Progress) -> Figures:
    """Messages of 200 bytes, a hundred a second, to a plain subscriber and to the bridge at the same time."""
    progress.begin("topic, 200 B", 1)
    sender = house.run("send", "--size", 200, "--rate-hz", 100)
    try:
        async with house.held(MEASURED) as topic:
            async with asyncio.TaskGroup() as both:
                plain = both.create_task(house.measured("receive", "--count", MESSAGES))
                ours = both.create_task(_read(topic, MESSAGES))
            progress.step()
    finally:
        house.end(sender)
    theirs, (in_ring, read) = plain.result(), ours.result()
    return {
        "topic_us_p50": _us(in_ring, 50),
        "topic_us_p99": _us(in_ring, 99),
        "topic_plain_us_p50": _us(theirs, 50),
        "topic_plain_us_p99": _us(theirs, 99),
        "topic_ratio": _us(in_ring, 50) / _us(theirs, 50),
        "topic_read_us_p50": _us(read, 50),
    }


async def _read(topic: Any, count: int) -> tuple[list[float], list[float]]:
    """How long messages took until they were in the ring, and until an action had them, decoded [s]."""
    in_ring: list[float] = []
    read: list[float] = []
    seen = 0
    ring = RingReader(Path(topic.stream.ring))
    async for message in topic.messages():
        sent_s = TIME.unpack(bytes(message.data[: TIME.size]))[0] / 1e9
        read.append(time.monotonic() - sent_s)
        sample = ring.latest(seen)
        if sample is not None:
            seen = sample.sequence
            written = topic.messages_of.decode(topic.type, sample.payload)
            in_ring.append(sample.stamp_s - TIME.unpack(bytes(written.data[: TIME.size]))[0] / 1e9)
        if len(read) >= count:
            ring.close()
            return in_ring, read
    raise AssertionError("messages go on")


async def _asked(house: House, progress: Progress) -> Figures:
    """A service and an action that answer at once."""
    progress.begin("service and action", 4)
    server = house.run("serve")
    try:
        plain_asked = await house.measured("ask", "--count", QUESTIONS)
        progress.step()
        plain_walked = await house.measured("walk", "--count", GOALS)
        progress.step()
        asked: list[float] = []
        walked: list[float] = []
        async with house.held(RosService("/switch", "std_srvs/srv/SetBool")) as switch:
            await switch.call(within_s=10.0, data=True)
            for _ in range(QUESTIONS):
                began_s = time.monotonic()
                await switch.call(data=True)
                asked.append(time.monotonic() - began_s)
        progress.step()
        async with house.held(RosAction("/count", "test_msgs/action/Fibonacci"), exclusive=True) as count:
            for _ in range(GOALS):
                began_s = time.monotonic()
                async with count.goal(order=1, taken_within_s=10.0) as goal:
                    await goal.result()
                walked.append(time.monotonic() - began_s)
        progress.step()
    finally:
        house.end(server)
    return {
        "service_us_p50": _us(asked, 50),
        "service_plain_us_p50": _us(plain_asked, 50),
        "action_ms_p50": _us(walked, 50) / 1e3,
        "action_plain_ms_p50": _us(plain_walked, 50) / 1e3,
    }


async def _cpu(house: House, progress: Progress) -> Figures:
    """Of one core, while 800 messages a second come."""
    progress.begin("processor time at 800 messages/s", 1)
    sender = house.run("send", "--size", 200, "--rate-hz", CPU_HZ)
    plain = house.run("receive", "--count", 1_000_000)
    try:
        async with house.held(MEASURED) as topic:
            await anext(topic.messages())
            await asyncio.sleep(2.0)  # the plain one has begun, too
            pids = (house.pid("ros_bridge"), plain.pid)
            with RingReader(Path(topic.stream.ring)) as ring:
                before, first = [_processor_s(pid) for pid in pids], ring.sequence
                began_s = time.monotonic()
                await asyncio.sleep(CPU_S)
                took_s = time.monotonic() - began_s
                after, came = [_processor_s(pid) for pid in pids], ring.sequence - first
        progress.step()
    finally:
        house.end(sender, plain)
    ours, theirs = (100.0 * (last - then) / took_s for then, last in zip(before, after, strict=True))
    return {"cpu_pct": ours, "cpu_plain_pct": theirs, "cpu_messages_hz": came / took_s}


async def measure_failures(house: House, progress: Progress) -> Figures:
    """From a node that is stopped or killed until who reads is told; and what a bridge that dies doubles."""
    deadline = [
        await _told(house, signal.SIGSTOP, RosTopic(TOPIC, TYPE, qos=PLAIN, rate_hz=100.0))
        for _ in range(HURT)
    ]
    lease = Qos(Reliability.BEST_EFFORT, depth=10, lease_s=1.0)
    lives = [
        await _told(house, signal.SIGKILL, RosTopic(TOPIC, TYPE, qos=lease), "--lease-s", 1.0)
        for _ in range(HURT)
    ]
    doubled, lost = await _killed(house, progress)
    return {
        "deadline_ms": 1e3 * max(deadline),
        "liveliness_ms": 1e3 * max(lives),
        "restart_duplicates": doubled,
        "restart_longest_gap_ms": lost,
    }


async def _told(house: House, how: int, request: RosTopic, *arguments: object) -> float:
    """Until somebody who reads is told [s]."""
    sender = house.run("send", "--rate-hz", 100, *arguments)
    told: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    def heard(status: Status) -> None:
        if status.severity >= Severity.ERROR and not told.done():
            told.set_result(time.monotonic())

    try:
        async with house.registrar.request(request, on_status=heard, on_failure="tell") as lease:
            client = client_for("measured", request, lease)
            await anext(client.messages())
            await asyncio.sleep(0.3)
            began_s = time.monotonic()
            sender.send_signal(how)
            async with asyncio.timeout(20.0):
                return await told - began_s
    finally:
        sender.send_signal(signal.SIGCONT)
        house.end(sender)


async def _killed(house: House, progress: Progress) -> tuple[int, float]:
    """Kill the bridge again and again under somebody who reads: doubled messages, the longest gap [ms]."""
    progress.begin("the bridge is killed", KILLS)
    sender = house.run("send", "--rate-hz", 100)
    sent: list[int] = []
    longest_s, last_s = 0.0, time.monotonic()
    kills = 0
    since = 0
    try:
        async with house.held(MEASURED) as topic:
            async for message in topic.messages():
                sent.append(TIME.unpack(bytes(message.data[: TIME.size]))[0])
                now_s = time.monotonic()
                longest_s, last_s = max(longest_s, now_s - last_s) if len(sent) > 1 else 0.0, now_s
                since += 1
                if since < 50:
                    continue
                if kills == KILLS:
                    break
                kills, since = kills + 1, 0
                os.kill(house.pid("ros_bridge"), signal.SIGKILL)
                progress.step()
    finally:
        house.end(sender)
    doubled = len(sent) - len(set(sent))
    return doubled + sum(after < before for before, after in pairwise(sent)), 1e3 * longest_s


def _us(took: list[float], percentile: float) -> float:
    return 1e6 * float(np.percentile(took, percentile))


def _processor_s(pid: int) -> float:
    """User and system time of a process so far [s]."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
