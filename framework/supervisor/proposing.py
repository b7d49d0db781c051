"""Asking a proposer what an instruction means that the grammar refuses: bounded, one at a time an operator.

A proposer is never in the way: what an operator says next, and every stop, ends
the asking. What comes of it is only a plan to be considered like any other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from framework.clock import Clock
from framework.dialogue.proposer import Proposer
from framework.errors import PilothouseError
from framework.events import EventKind
from framework.plan.ast import Plan
from framework.plan.instruction import Instruction
from framework.plan.parser import World
from framework.supervisor.conversation import Conversation
from framework.supervisor.reply import Reply

log = logging.getLogger("pilothouse.supervisor")

PROPOSE_WITHIN_S = 8.0


class Proposing:
    """Runs a proposer. propose_within_s: later answers are not waited for."""

    def __init__(
        self,
        proposer: Proposer,
        talk: Conversation,
        world: World,
        clock: Clock,
        propose_within_s: float = PROPOSE_WITHIN_S,
    ) -> None:
        self._proposer = proposer
        self._talk = talk
        self._world = world
        self._clock = clock
        self._within_s = propose_within_s
        self._asked: dict[str, _Asked] = {}
        self._left: set[asyncio.Task[Plan]] = set()

    def ask(
        self, text: str, instruction: Instruction, reply: Reply, refusal: str, then: Callable[[Plan], None]
    ) -> None:
        """Ask it; `then` gets the plan. Without one, the refusal is said, and why there is none."""
        self.withdraw(instruction.who, "another instruction came")
        words = "I do not understand that; I ask the proposer what it could mean."
        self._talk.say(reply, EventKind.WAITING, words, instruction)
        asked = _Asked(instruction, reply, then, refusal)
        self._asked[instruction.who] = asked
        asked.task = asyncio.create_task(self._bounded(text, asked), name=f"proposal for {instruction.who}")

    def withdraw(self, who: str, why: str) -> bool:
        """This operator is not interested any more; False if nothing was asked."""
        asked = self._asked.pop(who, None)
        if asked is None:
            return False
        asked.task.cancel()
        self._talk.leave(asked.reply, why, asked.instruction)
        return True

    def withdraw_all(self, why: str) -> None:
        """Nobody is."""
        for who in tuple(self._asked):
            self.withdraw(who, why)

    async def close(self) -> None:
        """Wait for what was told to end, bounded."""
        if self._left:
            await asyncio.wait(self._left, timeout=1.0)

    async def _bounded(self, text: str, asked: _Asked) -> None:
        work = asyncio.create_task(self._propose(text), name="proposer")
        self._left.add(work)
        work.add_done_callback(self._left.discard)
        deadline = asyncio.create_task(self._clock.sleep(self._within_s))
        try:
            await asyncio.wait({work, deadline}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            deadline.cancel()
            is_done = work.done()
            work.cancel()  # of no effect if it is done; it is not waited for: it may not want to end
            work.add_done_callback(_seen)
        if self._asked.get(asked.instruction.who) is asked:
            del self._asked[asked.instruction.who]
        plan, why = self._outcome(work) if is_done else (None, f"no proposal within {self._within_s:g} s")
        if plan is None:
            no_help = f"{asked.refusal.rstrip('.')}. The proposer did not help: {why.rstrip('.')}."
            self._talk.refuse(asked.reply, no_help, asked.instruction)
            return
        try:
            asked.then(plan)
        except Exception as error:  # what a proposer gives may be wrong in any way
            log.exception("a proposal that could not be considered: %r", plan)
            words = f"the proposal is of no use: {type(error).__name__}: {error}."
            self._talk.refuse(asked.reply, words, asked.instruction)

    async def _propose(self, text: str) -> Plan:
        return await self._proposer.propose(text, self._world)

    def _outcome(self, work: asyncio.Task[Plan]) -> tuple[Plan | None, str]:
        if work.cancelled():
            return None, "it was cut off"
        error = work.exception()
        if error is None:
            plan: object = work.result()
            return (
                (plan, "") if isinstance(plan, Plan) else (None, f"it gave a {type(plan).__name__}, no plan")
            )
        return None, str(error) if isinstance(error, PilothouseError) else f"{type(error).__name__}: {error}"


class _Asked:
    """One instruction that a proposer is asked about."""

    task: asyncio.Task[None]

    def __init__(
        self, instruction: Instruction, reply: Reply, then: Callable[[Plan], None], refusal: str
    ) -> None:
        self.instruction = instruction
        self.reply = reply
        self.then = then
        self.refusal = refusal


def _seen(work: asyncio.Task[Plan]) -> None:
    """An error that comes too late is nobody's."""
    if not work.cancelled():
        work.exception()
