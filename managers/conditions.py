"""Whether something is so in the world: what "if", "when", "while" and "until" look at (`framework.tree`).

| condition | answered by |
|---|---|
| `open` (thing) | its state, as a contact or whoever else reports it |
| `seen` (thing) | a camera that follows it |
| `working` (device) | the manager that opens it |
| `at`, `facing` (thing) | where the robot and the thing are |
| `blocked` | what the base's loop reports while it drives |
| `distance` (thing) [m] | from the camera that sees it; else from the robot's middle, along the floor |

None wherever that cannot be told. What a running plan says and does (`said`, `running`) is the supervisor's.
While a plan watches, answers are looked at ten times a second; a condition that needs a sensor has it with
the lowest priority for as long as somebody asks. How people say them stands in `conditions.yaml`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import msgspec

from framework.clock import Clock, LoopClock
from framework.plan.ast import Compare, State
from framework.registrar import ResourceRegistrar
from managers.answers import Answers
from managers.context_manager import ContextManager
from managers.devices import HasDevices
from managers.followed import Followed
from managers.undecidable import why_undecidable

PHRASES = Path(__file__).with_suffix(".yaml")

#: How often answers are looked at while somebody watches [s].
LOOK_S = 0.1

#: This often everybody who watches is woken; what nobody asked for in between is dropped [s].
ASK_AGAIN_S = 5.0

#: A sensor that has to be started has an answer by then, or there is none [s].
FIND_OUT_S = 20.0


class _Asked(msgspec.Struct):
    """A condition that somebody watches."""

    condition: State | Compare
    answer: bool | None
    at_s: float


class WorldConditions:
    """`framework.tree.Conditions` of an installation; an async context manager.

    Args:
        registrar: through which sensors are asked for.
        monotonic_s: reads CLOCK_MONOTONIC, with which samples are stamped.
        is_blocked: whether something keeps the base from going on; None if that cannot be told.
    """

    def __init__(
        self,
        registrar: ResourceRegistrar,
        context: ContextManager,
        devices: HasDevices,
        *,
        clock: Clock | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
        is_blocked: Callable[[], bool | None] = lambda: None,
    ) -> None:
        self._registrar = registrar
        self._context = context
        self._devices = devices
        self._clock = clock or LoopClock()
        self._monotonic_s = monotonic_s
        self._watchers: dict[object, Callable[[], None]] = {}
        self._asked: dict[bytes, _Asked] = {}
        self._followed: dict[str, Followed] = {}
        self._answers = Answers(context, devices, self._followed, monotonic_s, is_blocked)
        self._ending: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> WorldConditions:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watchers.clear()
        self._rest()
        await asyncio.gather(*self._ending, return_exceptions=True)

    # -- framework.tree.Conditions

    def read(self, condition: State | Compare) -> bool | None:
        """Whether it holds now; None if that cannot be told."""
        if self._watchers:
            self._want(condition)
        answer = self._answers.answer(condition)
        if self._watchers:
            key = msgspec.json.encode(condition, order="deterministic")
            self._asked[key] = _Asked(condition, answer, self._clock.now_s())
        return answer

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` whenever an answer may have changed; returns what ends that. Idempotent."""
        watcher = object()
        self._watchers[watcher] = changed
        if self._looking is None:
            self._looking = asyncio.create_task(self._look(), name="conditions")

        def end() -> None:
            self._watchers.pop(watcher, None)
            if not self._watchers:
                self._rest()

        return end

    def is_finding_out(self, condition: State | Compare) -> bool:
        """Whether there is no answer yet, but a sensor is being started for it that may have one soon."""
        followed = self._followed.get(self._answers.marked(condition))
        if followed is None or self._answers.answer(condition) is not None:
            return False
        return self._clock.now_s() - followed.began_s < FIND_OUT_S

    def why_undecidable(self, condition: State | Compare) -> str:
        """Why it could not be told whatever comes, and what it would take, in words; empty if it may be."""
        return why_undecidable(condition, self._context, self._devices)

    # -- sensors

    def _want(self, condition: State | Compare) -> None:
        name = self._answers.marked(condition)
        if not name:
            return
        if name not in self._followed:
            self._followed[name] = Followed(self._registrar, name, self._clock)
        self._followed[name].look(self._monotonic_s())

    async def _look(self) -> None:
        prompted_s = self._clock.now_s()
        while True:
            await self._clock.sleep(LOOK_S)
            now_s = self._clock.now_s()
            for followed in self._followed.values():
                followed.look(self._monotonic_s())
            has_changed = False
            for asked in self._asked.values():
                answer = self._answers.answer(asked.condition)
                has_changed = has_changed or answer is not asked.answer
                asked.answer = answer
            if now_s - prompted_s >= ASK_AGAIN_S:
                # Who still asks does so when woken; the others have gone on to something else.
                self._asked = {key: each for key, each in self._asked.items() if each.at_s >= prompted_s}
                self._give_back()
                prompted_s = now_s
                has_changed = True
            if has_changed:
                for changed in tuple(self._watchers.values()):
                    changed()

    def _give_back(self) -> None:
        """Follow no longer what nobody asks about."""
        wanted = {self._answers.marked(asked.condition) for asked in self._asked.values()}
        for name in self._followed.keys() - wanted:
            self._end(self._followed.pop(name).end())

    def _rest(self) -> None:
        """Nobody watches: look at nothing, hold nothing."""
        self._asked.clear()
        self._give_back()
        if self._looking is not None:
            self._looking.cancel()
            self._end(self._looking)
            self._looking = None

    def _end(self, task: asyncio.Task[None]) -> None:
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
