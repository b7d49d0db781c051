"""An owner in a process of its own, for tests that kill it.

    python -m tests.framework.processes.owner SCRIPT COUNT ADOPT_GRACE_S FILE   our children
    python -m tests.framework.processes.owner - 1 0 FILE PROGRAM ARGUMENT…      a foreign program
    python -m tests.framework.processes.owner SCRIPT 1 ADOPT_GRACE_S FILE --adopt RECORD

Prints one JSON line once all are ready: their process ids and adoption records. Then waits to be killed.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack

import msgspec

from framework.processes.supervise import AdoptionRecord
from tests.framework.processes.family import foreign, launcher, spec
from tests.framework.processes.scripts import Wish


class Household(msgspec.Struct):
    """What an owner prints."""

    pids: list[int]
    records: list[AdoptionRecord | None]
    handles: list[bytes]


async def main(script: str, count: int, grace_s: float, file: str, program: list[str]) -> None:
    """Own some children for ever."""
    wish = Wish(file=file) if file else None
    async with AsyncExitStack() as stack:
        start = launcher()
        own = spec(script, wish, adopt_grace_s=grace_s)
        if program and program[0] == "--adopt":
            record = msgspec.json.decode(program[1], type=AdoptionRecord)
            lives = [start.adopt(own, record)]
        else:
            lives = [start.launch(foreign(*program) if program else own) for _ in range(count)]
        children = [await stack.enter_async_context(life) for life in lives]
        household = Household(
            [child.pid for child in children],
            [child.record for child in children],
            [child.handle for child in children],
        )
        print(msgspec.json.encode(household).decode(), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], sys.argv[5:]))
