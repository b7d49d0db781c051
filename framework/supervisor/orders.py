"""Carrying out meta commands: stop, cancel, pause, carry on, status, the emergency stop.

Ending comes first and talking about it second. Nothing here waits: what takes
time is a task, and the reply is settled when that is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from framework.dialogue.confirmation import SURE_SOURCES
from framework.dialogue.spelling import clean
from framework.interlock import Interlock, Loss, LossKind
from framework.plan.ast import Plan
from framework.plan.instruction import Instruction
from framework.supervisor.activity import activity
from framework.supervisor.book import PlanBook
from framework.supervisor.conversation import Conversation
from framework.supervisor.emergency import EmergencyControl
from framework.supervisor.events import EventKind
from framework.supervisor.language import SpokenLanguage
from framework.supervisor.latch import Latch
from framework.supervisor.meaning import Target, meant, names_nothing, running_in_words, to_hold, to_stop
from framework.supervisor.meta import Meta, MetaKind
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply
from framework.tree.run import PlanState


class Orders:
    """The supervisor's meta commands.

    Attributes:
        stops: how often everything was stopped, in whatever way.

    Args:
        language: what it understands may be an action's, although it begins with a word like "stop".
        status: the answer to "what are you doing?".
        carry_on: answers "carry on" to an action that asks; False if none does.
        call_off: withdraws what an operator is asked and waits for; False if there is nothing.
        withdraw_all: withdraws everything that has not started yet.
        forbids: whether words like "don't" forbid whatever is done.
        moves: whether a plan moves something.
        kept: what an operator keeps until they say so.
        kept_by_others: who else keeps something, and how that is had, in words; empty if nobody does.
    """

    def __init__(
        self,
        book: PlanBook,
        conversation: Conversation,
        emergency: EmergencyControl,
        interlock: Interlock,
        language: SpokenLanguage,
        status: Callable[[], str],
        *,
        carry_on: Callable[[Instruction, Reply], bool],
        call_off: Callable[[str], bool],
        withdraw_all: Callable[[str], None],
        forbids: Callable[[str], bool],
        moves: Callable[[Plan], bool],
        kept: Callable[[str], list[Target]],
        kept_by_others: Callable[[str], str],
    ) -> None:
        self.latch = Latch(emergency, conversation.tell, self._end_all_at_once)
        self._book = book
        self._talk = conversation
        self._interlock = interlock
        self._language = language
        self._status = status
        self._carry_on = carry_on
        self._call_off = call_off
        self._withdraw_all = withdraw_all
        self._forbids = forbids
        self._moves = moves
        self._kept = kept
        self._kept_by_others = kept_by_others
        self.stops = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._do: dict[MetaKind, Callable[[Meta, Instruction, Reply], bool]] = {
            MetaKind.EMERGENCY: self._emergency,
            MetaKind.STOP: self._stop,
            MetaKind.CANCEL: self._cancel,
            MetaKind.PAUSE: self._pause,
            MetaKind.RESUME: self._resume,
            MetaKind.DONE: self._done,
            MetaKind.RESET: self._reset,
            MetaKind.STATUS: self._say_status,
            MetaKind.NO: self._no,
        }

    def carry_out(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        """Do it; False if the words turn out to be meant for an action."""
        order = self._do.get(meta.kind)
        return order is not None and order(meta, instruction, reply)

    def stop_everything(self, why: str, who: str, reply: Reply) -> None:
        """End all plans."""
        records = self._end_all(why)
        if not records:
            self._talk.tell(reply, EventKind.ANSWERED, "Nothing is being done.", who=who)
            reply.settle(True)
            return
        words = "; ".join(record.words for record in records)
        self._talk.tell(reply, EventKind.CANCELLED, f"I stop: {words}.", who=who)
        self._start(self._settle_when_over(records, reply, who), "stopping")

    def emergency_stop(self, reason: str, who: str, reply: Reply) -> None:
        """Set the latch, end all plans."""
        ending = self.latch.set(reason, who, reply)
        self._start(self._settle_when_over(ending, reply, who), "stopping for the emergency stop")

    async def close(self) -> None:
        """Wait for what is on its way; all plans are over already."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- the commands

    def _emergency(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        said_by = f" by {instruction.who}" if instruction.who else ""
        self.emergency_stop(f'"{clean(instruction.text)}" was said{said_by}', instruction.who, reply)
        return True

    def _stop(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        self.stop_everything("stopped by the operator", instruction.who, reply)
        return True

    def _no(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        """ "Don't!" ends everything, "no!" what moves; nobody has asked anything."""
        if self._forbids(instruction.text):
            if self._book.wanted:
                return self._stop(meta, instruction, reply)
        elif moving := self.what_moves:
            for record in moving:
                record.run.stop("stopped by the operator")
            else_goes_on = " All else goes on." if self._book.wanted else ""
            words = "; ".join(record.words for record in moving)
            self._talk.say(
                reply, EventKind.CANCELLED, f"I stop what moves: {words}.{else_goes_on}", instruction
            )
            over = self._settle_when_over(moving, reply, instruction.who, "Nothing of that moves any more.")
            self._start(over, "stopping what moves")
            return True
        self._talk.refuse(reply, "I have not asked you anything, and nothing is being done.", instruction)
        return True

    @property
    def what_moves(self) -> tuple[PlanRecord, ...]:
        """The plans that move something, or are yet to, and that nobody has told to end."""
        return to_hold(self._book.active, self._moves, self._book.moved_for)

    def _cancel(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        what = "" if names_nothing(meta.what) else meta.what
        if not what and self._call_off(instruction.who):
            reply.settle(True)
            return True
        is_stop = bool(what) and not meta.is_certain  # "stop the arm" stops first; "cancel …" may ask
        if is_stop:
            targets = to_stop(what, self._book.active, self._book.needed_alone, self._book.moved_for)
        else:
            targets = meant(what, self._book.active)
        if not targets and self._is_an_instruction(meta, instruction):
            return False
        if not targets:
            self._not_done(what, "there is nothing to cancel", instruction, reply)
        elif is_stop or len(targets) == 1:
            self._end(targets, instruction, reply)
        else:
            options = (*(target.words for target in targets), "all of these")
            self._talk.ask(
                "Which one?",
                instruction,
                reply,
                lambda choice, _: self._end(targets[choice - 1 : choice] or targets, instruction, reply),
                options,
            )
        return True

    def _pause(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        records = self._records(meta)
        if not records and meta.what and self._is_an_instruction(meta, instruction):
            return False
        paused = [record for record in records if record.pause(instruction.who)]
        if meta.what and not records:
            self._not_done(meta.what, "there is nothing to pause", instruction, reply)
        elif not paused:
            self._talk.refuse(reply, "there is nothing to pause.", instruction)
        reply.settle(True)
        return True

    def _resume(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        if not meta.what and self._carry_on(instruction, reply):
            return True
        records = self._records(meta)
        if not records and meta.what and self._is_an_instruction(meta, instruction):
            return False
        kept = [] if meta.what else self._kept(instruction.who)  # before what is paused has it again
        stay = [] if meta.what else self._stay_paused(records, kept, instruction.who)
        records = [record for record in records if record not in stay]
        resumed = [record for record in records if record.resume()]
        for record in resumed:
            self._book.voice.say(record, EventKind.RESUMED, f"I carry on: {record.words}.")
        for record in stay:
            why = f"as {record.paused_by} has said"
            words = f'"{record.words}" stays paused, {why}: for that, say "carry on" once more.'
            self._talk.say(reply, EventKind.ANSWERED, words, instruction)
        if meta.what and not records:
            self._not_done(meta.what, "there is nothing to carry on with", instruction, reply)
        elif kept:
            # Whoever drives gives it back, so that what they interrupted can go on.
            self._end_kept(kept, instruction, reply)
            return True
        elif not resumed:
            others = self._kept_by_others(instruction.who)
            self._talk.refuse(reply, f"{others or 'there is nothing to carry on with'}.", instruction)
        reply.settle(True)
        return True

    def _stay_paused(self, records: list[PlanRecord], kept: list[Target], who: str) -> list[PlanRecord]:
        """What others have paused does not go on beside what waits for this one's "carry on"."""
        others = [record for record in records if record.paused_by not in ("", who)]
        theirs = (record for record in records if record not in others)
        waits = kept or any(record.run.state is PlanState.PAUSED for record in theirs)
        return others if waits else []

    def _done(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        """An operator is done with what they keep."""
        if kept := self._kept(instruction.who):
            self._end_kept(kept, instruction, reply)
        elif others := self._kept_by_others(instruction.who):
            self._talk.refuse(reply, f"{others}.", instruction)
        elif self._language.understands(instruction.text):
            return False
        else:
            doing = running_in_words(self._book.wanted)
            self._talk.refuse(reply, f"nothing waits for you to be done; {doing}.", instruction)
        return True

    def _end_kept(self, kept: list[Target], instruction: Instruction, reply: Reply) -> None:
        for target in kept:
            target.end(f'"{clean(instruction.text)}" was said', instruction.who)
        words = " and ".join(f'"{target.words}"' for target in kept)
        self._talk.say(
            reply, EventKind.ENDED, f"That ends {words}; whatever waits for it goes on.", instruction
        )
        self._start(self._settle_when_quiet(kept, reply), "ending what was kept")

    def _records(self, meta: Meta) -> list[PlanRecord]:
        """The plans that are meant, each once; a plan is paused as a whole."""
        what = "" if names_nothing(meta.what) else meta.what
        return list({target.record.id: target.record for target in meant(what, self._book.wanted)}.values())

    def _is_an_instruction(self, meta: Meta, instruction: Instruction) -> bool:
        """Whether words like "stop at the door" are an action's, as nothing of that name is being done.

        "cancel …" is so only as part of a longer instruction: alone it is refused, with what is being done.
        """
        if meta.kind is MetaKind.CANCEL and meta.is_certain:
            return bool(meta.what) and self._language.understands_several(instruction.text)
        return self._language.understands(instruction.text)

    def _not_done(self, what: str, nothing: str, instruction: Instruction, reply: Reply) -> None:
        words = f'"{what}" is not being done; {running_in_words(self._book.wanted)}' if what else nothing
        self._talk.refuse(reply, f"{words}.", instruction)

    def _say_status(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        self._talk.say(reply, EventKind.ANSWERED, self._status(), instruction)
        reply.settle(True)
        return True

    def _reset(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        if not self.latch.is_set:
            if self._language.understands(instruction.text):
                return False
            self._talk.refuse(reply, "the emergency stop is not set.", instruction)
        elif instruction.source not in SURE_SOURCES:
            self._talk.refuse(reply, "not by voice or gesture: type it to take back the stop.", instruction)
        else:
            token = self.latch.token
            by = instruction.who or "the operator"
            self._talk.ask(
                f"Take back the emergency stop{self.latch.because}? Nothing will move by that.",
                instruction,
                reply,
                lambda _, __: reply.settle(self.latch.reset(token, by, reply)),
                typed_only=True,
            )
        return True

    # -- ending

    def _end(self, targets: list[Target], instruction: Instruction, reply: Reply) -> None:
        for target in targets:
            target.end(f"cancelled by {instruction.who or 'the operator'}", instruction.who)
        words = ", ".join(activity(target.words, target.is_single) for target in targets)
        self._talk.say(reply, EventKind.CANCELLED, f"I end {words}.", instruction)
        self._start(self._settle_when_quiet(targets, reply), "cancelling")

    def _end_all_at_once(self, why: str) -> tuple[PlanRecord, ...]:
        self._interlock.raise_all(Loss(LossKind.EMERGENCY, why=why))
        return self._end_all(why)

    def _end_all(self, why: str) -> tuple[PlanRecord, ...]:
        self.stops += 1
        records = self._book.active
        for record in records:
            record.run.stop(why)
        self._withdraw_all(why)
        return records

    async def _settle_when_quiet(self, targets: list[Target], reply: Reply) -> None:
        for target in targets:
            await self._book.over(target)
        reply.settle(True)

    async def _settle_when_over(
        self, records: tuple[PlanRecord, ...], reply: Reply, who: str, words: str = "All is at rest."
    ) -> None:
        await self._book.all_over(records)
        left = [task for record in records for task in record.run.left_behind]
        if left:
            self._talk.tell(reply, EventKind.ERROR, f"{len(left)} actions do not end; I leave them.", who=who)
        else:
            self._talk.tell(reply, EventKind.ENDED, words, who=who)
        reply.settle(not left)

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
