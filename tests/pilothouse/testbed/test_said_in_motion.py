"""The measurement of how long instructions hold the main loop."""

from __future__ import annotations

import asyncio
import time

import pytest

from framework.loop_block import KEPT, LoopBlocks
from pilothouse.testbed.said_in_motion import loop_block_ms


def test_instructions_are_said_in_motion_and_their_callbacks_timed() -> None:
    blocks = loop_block_ms(["remember the pose of the left arm as alpha", "what can you do", "nonsense"])
    assert blocks.callbacks > 1000
    assert len(blocks.longest) == KEPT
    assert "remember the pose of the left arm as alpha" in {block.doing for block in blocks.longest}
    assert blocks.processor_ms_max == pytest.approx(1e3 * blocks.longest[0].processor_s)
    assert asyncio.Handle._run.__qualname__ == "Handle._run", "nothing is timed any more"


def test_whoever_computes_is_named_with_what_was_being_done() -> None:
    async def computes() -> None:
        end_s = time.thread_time() + 0.02
        while time.thread_time() < end_s:
            pass

    async def play() -> None:
        await asyncio.create_task(computes(), name="busy")

    with LoopBlocks() as blocks:
        blocks.doing = "a sentence"
        asyncio.run(play())
    assert blocks.longest[0].doing == "a sentence"
    assert "'busy'" in blocks.longest[0].what
    assert blocks.processor_ms_max >= 20.0
    assert blocks.wall_ms_max >= blocks.processor_ms_max
