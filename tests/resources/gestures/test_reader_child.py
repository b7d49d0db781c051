"""The process that reads hands, as it really runs: read, killed, started again, told of silence."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from framework.processes.child_events import Said
from framework.transport.every_sample import EverySample
from framework.transport.ring import RingWriter
from pilothouse.experiments.gesture.drawn import POSES, posed
from resources.gestures.arguments import ReaderArguments
from resources.gestures.specs import reader_spec
from resources.types.gestures import (
    GestureKind,
    GesturesFeed,
    HandsFeed,
    HandsTrouble,
    Reading,
    TrackedHand,
    decode_reading,
    encode_hands,
    landmarks,
)
from resources.types.masters import HandSide
from resources.types.streams import StreamFormat, StreamHandle
from tests.framework.processes.family import kill, until
from tests.resources.children.harness import Harness, harness

PALM = posed(POSES[GestureKind.OPEN_PALM])


async def shown(home: Harness, writer: RingWriter, feed: GesturesFeed, until: GestureKind) -> list[Reading]:
    """Show a palm until this was read of it, 15 pictures a second."""
    readings = EverySample(Path(feed.readings.ring))
    found: list[Reading] = []
    async with asyncio.timeout(20.0):
        while not any(gesture.kind is until for reading in found for gesture in reading.gestures):
            now_s = time.monotonic()
            points = landmarks((PALM + 1e-4 * (now_s % 1.0)).tolist())
            hand = TrackedHand(HandSide.RIGHT, "camera", now_s, 0.97, points)
            writer.write(encode_hands((hand,)), stamp_s=now_s)
            await asyncio.sleep(1 / 15)
            found += [decode_reading(sample.payload) for sample in readings.news()]
    readings.close()
    return found


def test_a_palm_is_read_and_read_again_by_the_next_process_and_silence_is_told() -> None:
    async def main() -> None:
        async with harness() as home:
            directory = home.directory.path
            writer = RingWriter(directory, "hands_1", slot_bytes=4096, slots=32)
            stream = StreamHandle("hands_1", str(writer.path), StreamFormat.REPORT, "camera", 30.0)
            source = HandsFeed("ann", stream, (0.0, -1.0, 0.0))
            spec = reader_spec(ReaderArguments(str(directory), source))
            feed = await home.start("reader", spec, GesturesFeed)
            assert feed.hands == source
            await shown(home, writer, feed, GestureKind.OPEN_PALM)
            kill(home.children["reader"].pid)
            found = await shown(home, writer, feed, GestureKind.OPEN_PALM)
            assert found[-1].gestures[0].began_s == 0.0, "the new one has not seen it begin"
            # On a busy machine it may have found them slow before.
            silent = "ann gives no pictures; no gesture counts."
            diary = home.diaries["reader"]
            await until(lambda: any(said.message.startswith(silent) for said in diary.all(Said)))
            readings = EverySample(Path(feed.readings.ring))
            troubles: list[HandsTrouble] = []  # it says so before it writes so

            def is_silent() -> bool:
                troubles.extend(decode_reading(sample.payload).trouble for sample in readings.news())
                return HandsTrouble.SILENT in troubles

            await until(is_silent)
            readings.close()
            writer.close()

    asyncio.run(main())
