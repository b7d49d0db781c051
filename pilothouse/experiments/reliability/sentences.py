"""What holds the main loop: every sentence of the language's test sets, said once while an arm moves."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from framework.supervisor.thinking import SWITCH_S
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language import sets
from pilothouse.installation import Installation, Settings
from pilothouse.testbed.said_in_motion import said_in_motion


def sentences() -> tuple[str, ...]:
    """All of them, each once."""
    files = sets.files({})
    texts = [line.text for line in sets.read(files["paraphrases"], sets.Paraphrase)]
    texts += [line.text for line in sets.read(files["refused"], sets.Refused)]
    texts += [line.text for line in sets.read(files["foreign"], sets.Foreign)]
    texts += [line.text for line in sets.read(files["gpsr"], sets.Annotated)]
    return tuple(dict.fromkeys(texts))


async def measure_blocks(progress: Progress, seed: int, *, most: int = 0) -> Figures:
    """`loop_block_ms_max`, `loop_block_wall_ms_max` and counts. most: of the sentences; 0: all.

    A real installation with its simulated robot; processor time of the loop's own thread.
    """
    texts = sentences()[: most or None]
    progress.begin("sentences said during motion", len(texts))
    before_s = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with Installation(Settings(state=Path(folder), seed=seed, port=0)) as installation:
                await _simulated(installation)
                blocks = await said_in_motion(installation, _counted(texts, progress))
    finally:
        sys.setswitchinterval(before_s)
    worst = blocks.longest[0]
    return {
        "sentences": len(texts),
        "loop_callbacks": blocks.callbacks,
        "loop_block_ms_max": 1e3 * worst.processor_s,
        "loop_block_wall_ms_max": blocks.wall_ms_max,
    }


def _counted(texts: Iterable[str], progress: Progress) -> Iterator[str]:
    for text in texts:
        yield text
        progress.step()


async def _simulated(installation: Installation) -> None:
    async with asyncio.timeout(90.0):
        async for _ in installation.events.follow(since=0):
            if installation.managers.simulation is not None:
                return
