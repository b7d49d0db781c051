"""Carrying out meta commands: stop, cancel, pause, carry on, status, the emergency stop, answers.

Ending comes first and talking about it second. Nothing here waits: what takes
time is a task, and the reply is settled when that is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from framework.plan.instruction import Instruction, Source
from framework.plan.words import doing
from framework.supervisor.book import PlanBook
from framework.supervisor.conversation import Conversation
from framework.supervisor.emergency import EmergencyControl
from framework.supervisor.events import EventKind
from framework.supervisor.latch import Latch
from framework.supervisor.meaning import Target, meant
from framework.supervisor.meta import Meta, MetaKind, clean
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply

#: Who may take back an emergency stop in words: a recogniser's mistake must not.
_MAY_RESET = (Source.TYPED, Source.PHONE, Source.PROGRAM)


class Orders:
    """The supervisor's meta commands.

    is_understood: whether the language makes something of a text; then a word like "stop" may be an action's.
    status: the answer to "what are you doing?".
    """

    def __init__(
        self,
        book: PlanBook,
        conversation: Conversation,
        emergency: EmergencyControl,
        is_understood: Callable[[str], bool],
        status: Callable[[], str],
    ) -> None:
        self.latch = Latch(emergency, conversation.tell, self._end_all)
        self._book = book
        self._talk = conversation
        self._is_understood = is_understood
        self._status = status
        self._tasks: set[asyncio.Task[None]] = set()
        self._do: dict[MetaKind, Callable[[Meta, Instruction, Reply], bool]] = {
            MetaKind.EMERGENCY: self._emergency,
            MetaKind.STOP: self._stop,
            MetaKind.CANCEL: self._cancel,
            MetaKind.PAUSE: self._pause,
            MetaKind.RESUME: self._resume,
            MetaKind.RESET: self._reset,
            MetaKind.STATUS: self._say_status,
            MetaKind.YES: self._answer,
            MetaKind.NO: self._answer,
            MetaKind.CHOICE: self._answer,
        }

    def carry_out(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        """Do it; False if the words turn out to be meant for an action."""
        return self._do[meta.kind](meta, instruction, reply)

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

    def running_in_words(self) -> str:
        """For refusals."""
        running = [record.words for record in self._book.wanted]
        return f"I am {'; '.join(map(doing, running))}" if running else "nothing is being done"

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

    def _cancel(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        if not meta.what and self._talk.questions.open_for(instruction.who) is not None:
            self._talk.questions.answer(instruction.who, 0)
            reply.settle(True)
            return True
        targets = meant(meta.what, self._book.active)
        if not targets and not meta.is_certain and self._is_understood(instruction.text):
            return False
        if not targets:
            what = f'"{meta.what}" is not being done' if meta.what else "there is nothing to cancel"
            running = f"; {self.running_in_words()}" if meta.what else ""
            self._talk.refuse(reply, f"{what}{running}.", instruction)
        elif len(targets) == 1:
            self._end(targets, instruction, reply)
        else:
            options = (*(target.words for target in targets), "all of these")
            self._talk.ask(
                "Which one?",
                instruction,
                reply,
                lambda choice: self._end(targets[choice - 1 : choice] or targets, instruction, reply),
                options,
            )
        return True

    def _pause(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        paused = [record for record in self._book.wanted if record.run.pause()]
        if not paused:
            self._talk.refuse(reply, "there is nothing to pause.", instruction)
        reply.settle(True)
        return True

    def _resume(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        asking = self._book.asking(instruction.who)
        if asking is not None:
            asking.answer("carry on")
            self._talk.say(reply, EventKind.RESUMED, f"I carry on: {asking.words}.", instruction)
        else:
            resumed = [record for record in self._book.wanted if record.run.resume()]
            for record in resumed:
                self._book.say(record, EventKind.RESUMED, f"I carry on: {record.words}.")
            if not resumed:
                self._talk.refuse(reply, "there is nothing to carry on with.", instruction)
        reply.settle(True)
        return True

    def _say_status(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        self._talk.say(reply, EventKind.ANSWERED, self._status(), instruction)
        reply.settle(True)
        return True

    def _reset(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        if not self.latch.is_set:
            if self._is_understood(instruction.text):
                return False
            self._talk.refuse(reply, "the emergency stop is not set.", instruction)
        elif instruction.source not in _MAY_RESET:
            self._talk.refuse(reply, "not by voice or gesture: type it to take back the stop.", instruction)
        else:
            token = self.latch.token
            by = instruction.who or "the operator"
            self._talk.ask(
                f"Take back the emergency stop{self.latch.because}? Nothing will move by that.",
                instruction,
                reply,
                lambda _: reply.settle(self.latch.reset(token, by, reply)),
                typed_only=True,
            )
        return True

    def _answer(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        question = self._talk.questions.open_for(instruction.who)
        if question is None:
            return self._answer_action(instruction, reply)
        choice = {MetaKind.YES: 1, MetaKind.NO: 0}.get(meta.kind, meta.choice)
        if meta.kind is MetaKind.YES and question.options:
            self._talk.refuse(reply, f"which one? {question.full_text}", instruction)
        elif meta.kind is MetaKind.CHOICE and not question.options:
            self._talk.refuse(reply, f"yes or no? {question.text}", instruction)
        elif question.typed_only and choice and instruction.source not in _MAY_RESET:
            self._talk.refuse(reply, "that is not confirmed by voice or gesture: type it.", instruction)
        elif self._talk.questions.answer(instruction.who, choice):
            reply.settle(True)
        else:
            self._talk.refuse(reply, f"there is no answer {choice}: {question.full_text}", instruction)
        return True

    def _answer_action(self, instruction: Instruction, reply: Reply) -> bool:
        asking = self._book.asking(instruction.who)
        if asking is not None:
            asking.answer(clean(instruction.text))
            reply.settle(True)
            return True
        if self._is_understood(instruction.text):
            return False
        others = [question.who or "somebody else" for question in self._talk.questions.open]
        asked = f"; {others[0]} is asked, and answers" if others else ""
        self._talk.refuse(reply, f"I have not asked you anything{asked}.", instruction)
        return True

    # -- ending

    def _end(self, targets: list[Target], instruction: Instruction, reply: Reply) -> None:
        for target in targets:
            target.end("cancelled by the operator")
        words = ", ".join(doing(target.words) for target in targets)
        self._talk.say(reply, EventKind.CANCELLED, f"I end {words}.", instruction)
        self._start(self._settle_when_quiet(targets, reply), "cancelling")

    def _end_all(self, why: str) -> tuple[PlanRecord, ...]:
        records = self._book.active
        for record in records:
            record.run.stop(why)
        self._talk.questions.withdraw_all(why)
        return records

    async def _settle_when_quiet(self, targets: list[Target], reply: Reply) -> None:
        for target in targets:
            await self._book.over(target)
        reply.settle(True)

    async def _settle_when_over(self, records: tuple[PlanRecord, ...], reply: Reply, who: str) -> None:
        await self._book.all_over(records)
        left = [task for record in records for task in record.run.left_behind]
        if left:
            self._talk.tell(reply, EventKind.ERROR, f"{len(left)} actions do not end; I leave them.", who=who)
        else:
            self._talk.tell(reply, EventKind.ENDED, "All is at rest.", who=who)
        reply.settle(not left)

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
