"""What holds the main loop: every sentence of the language's test sets, said once while an arm moves."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from framework.events import EventKind
from framework.loop_block import LoopBlocks
from framework.supervisor import Reply
from framework.supervisor.thinking import SWITCH_S
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.language import sets
from pilothouse.installation import Installation, Settings

MOTION: Final = "move the left arm up 10 cm slowly"
BACK: Final = "move the left arm down 10 cm slowly"

_UNDERSTOOD_WITHIN_S: Final = 3.0
_MOVES_WITHIN_S: Final = 10.0
_NEWS: Final = (EventKind.UNDERSTOOD, EventKind.REFUSED, EventKind.ASKED, EventKind.ANSWERED)


def sentences() -> tuple[str, ...]:
    """All of them, each once."""
    files = sets.files({})
    texts = [line.text for line in sets.read(files["paraphrases"], sets.Paraphrase)]
    texts += [line.text for line in sets.read(files["refused"], sets.Refused)]
    texts += [line.text for line in sets.read(files["foreign"], sets.Foreign)]
    texts += [line.text for line in sets.read(files["gpsr"], sets.Annotated)]
    return tuple(dict.fromkeys(texts))


async def measure_blocks(progress: Progress, seed: int, *, most: int = 0) -> Figures:
    """`loop_block_ms_max` and `_p99` of the longest, `sentences`. most: of the sentences; 0: all.

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
                with LoopBlocks() as blocks:
                    for number, text in enumerate(texts):
                        blocks.doing = text
                        await _said_during_motion(installation, text, BACK if number % 2 else MOTION)
                        progress.step()
    finally:
        sys.setswitchinterval(before_s)
    worst = blocks.longest[0]
    return {
        "sentences": len(texts),
        "loop_callbacks": blocks.callbacks,
        "loop_block_ms_max": 1e3 * worst.processor_s,
        "loop_block_wall_ms_max": blocks.wall_ms_max,
    }


async def _simulated(installation: Installation) -> None:
    async with asyncio.timeout(90.0):
        async for _ in installation.events.follow(since=0):
            if installation.managers.simulation is not None:
                return


async def _said_during_motion(installation: Installation, text: str, motion: str) -> None:
    supervisor = installation.supervisor
    if not any(plan.words.startswith("move the left arm") for plan in supervisor.plans()):
        moving = supervisor.say(motion)
        with suppress(TimeoutError):
            async with asyncio.timeout(_MOVES_WITHIN_S):
                await _heard_of(moving, EventKind.STARTED, EventKind.REFUSED)
    reply = supervisor.say(text)
    with suppress(TimeoutError):
        async with asyncio.timeout(_UNDERSTOOD_WITHIN_S):
            await _heard_of(reply, *_NEWS)
    if installation.managers.emergency.is_latched:
        await supervisor.reset_emergency("the experiment").done()
    if len(supervisor.plans()) > 1:
        await supervisor.stop_everything("said").done()


async def _heard_of(reply: Reply, *kinds: EventKind) -> None:
    async for event in reply:
        if event.kind in kinds:
            return
