"""Every instruction said once while an arm moves: how long the main loop was held, and by what.

For `pilothouse experiment reliability` (`loop_block_ms_max`) and for whoever looks for a callback that takes
too long. On the virtual clock nothing is waited for, and what is measured is real all the same: the processor
time of each callback.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from framework.garbage import keep_what_is_there
from framework.loop_block import LoopBlocks
from framework.testing.runner import run
from pilothouse.installation import Installation
from pilothouse.settings import Settings
from pilothouse.testbed.virtual_installation import VirtualInstallation

#: What moves meanwhile.
MOVES: Final = "move the right arm up slowly"
#: Devices are up by then [s].
_UP_S: Final = 20.0
_EACH_S: Final = 0.3
#: After so many everything is stopped, or the plans of a thousand sentences would run at once.
_AT_ONCE: Final = 10


def loop_block_ms(sentences: Iterable[str], *, seed: int = 0) -> LoopBlocks:
    """Say all of them to an installation on the virtual clock.

    `processor_ms_max` of what comes back is the figure; `longest` names the callbacks and sentences.
    """

    async def play() -> LoopBlocks:
        with tempfile.TemporaryDirectory(prefix="pilothouse-said-") as state:
            async with VirtualInstallation(Settings(state=Path(state), seed=seed)) as installation:
                await asyncio.sleep(_UP_S)
                return await said_in_motion(installation, sentences)

    return run(play, seed=seed)


async def said_in_motion(installation: Installation, sentences: Iterable[str]) -> LoopBlocks:
    """Say all of them to this installation, each with an arm in motion."""
    supervisor = installation.supervisor
    keep_what_is_there()  # as `pilothouse run` does
    with LoopBlocks() as blocks:
        for number, text in enumerate(sentences):
            if number % _AT_ONCE == 0:
                blocks.doing = MOVES
                supervisor.stop_everything()
                await asyncio.sleep(2 * _EACH_S)
                supervisor.say(MOVES, who="who moves")
                await asyncio.sleep(_EACH_S)
            blocks.doing = text
            # In a callback of its own, as a page's message is.
            asyncio.get_running_loop().call_soon(supervisor.say, text)
            await asyncio.sleep(_EACH_S)
            if supervisor.questions:
                supervisor.say("no")
        supervisor.stop_everything()
        await asyncio.sleep(_EACH_S)
    return blocks
