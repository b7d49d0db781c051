"""Carrying out meta commands: stop, cancel, pause, carry on, status, the emergency stop.

Ending comes first and talking about it second. Nothing here waits: what takes
time is a task, and the reply is settled when that is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from functools import partial
from typing import Any

from framework.dialogue.activity import activity
from framework.dialogue.asked_by import AskedBy
from framework.dialogue.confirmation import SURE_SOURCES, moves
from framework.dialogue.meta import Meta, MetaKind
from framework.dialogue.meta_reading import MetaReader
from framework.dialogue.spelling import clean
from framework.dialogue.stopping import sounds_like_stop
from framework.events import EventBus, EventKind
from framework.interlock import Interlock, Loss, LossKind
from framework.plan.ast import Plan, actions_of
from framework.plan.signature import Signatures
from framework.status import Priority
from framework.supervisor.book import PlanBook
from framework.supervisor.conversation import Conversation
from framework.supervisor.exchange import Ask, Exchange, Steps, Think
from framework.supervisor.going_on import GoesOn, goes_on_after
from framework.supervisor.last_wishes import LastWishes
from framework.supervisor.latch import EmergencyControl, Latch
from framework.supervisor.meaning import Target, meant, names_nothing, running_in_words, to_hold, to_stop
from framework.supervisor.plans import PlanRecord
from framework.supervisor.reply import Reply
from framework.supervisor.retained import (
    actions_retained_by,
    retained_by,
    retained_by_others,
    would_be_retained,
)
from framework.supervisor.status_words import HasSnapshot, what_is_done
from framework.tree.run import PlanState


class Orders:
    """The supervisor's meta commands.

    Attributes:
        latch: the emergency stop. stops: how often everything was stopped, in whatever way.

    Args:
        last: is forgotten at a stop; what its language understands may be an action's, although it begins
            with a word like "stop".
        reader: whether words like "don't" forbid whatever is done.
        registrar: through which the actions request, for "what are you doing?".
    """

    def __init__(
        self,
        book: PlanBook,
        conversation: Conversation,
        events: EventBus,
        emergency: EmergencyControl,
        interlock: Interlock,
        last: LastWishes,
        reader: MetaReader,
        signatures: Signatures,
        asked_by: AskedBy,
        registrar: HasSnapshot | None,
    ) -> None:
        self.latch = Latch(emergency, self._tell, self._end_all_at_once)
        self._interlock = interlock
        self.stops = 0
        self._book = book
        self._conversation = conversation
        self._events = events
        self._last = last
        self._language = last.language
        self._reader = reader
        self._signatures = signatures
        self._asked_by = asked_by
        self._registrar = registrar
        self._tasks: set[asyncio.Task[None]] = set()

    def carry_out(self, meta: Meta, exchange: Exchange) -> Steps[bool]:
        """Do it; False if the words turn out to be meant for an action."""
        match meta.kind:
            case MetaKind.EMERGENCY:
                said_by = f" by {exchange.who}" if exchange.who else ""
                self.emergency_stop(f'"{clean(exchange.instruction.text)}" was said{said_by}', exchange)
            case MetaKind.STOP:
                self.stop_everything("stopped by the operator", exchange)
            case MetaKind.CANCEL:
                return (yield from self._cancel(meta, exchange))
            case MetaKind.PAUSE:
                return (yield from self._pause(meta, exchange))
            case MetaKind.RESUME:
                return (yield from self._resume(meta, exchange))
            case MetaKind.DONE:
                return (yield from self._done(exchange))
            case MetaKind.RESET:
                return (yield from self._reset(exchange))
            case MetaKind.STATUS:
                exchange.say(EventKind.ANSWERED, self.what_is_done())
                exchange.settle(True)
            case MetaKind.NO:
                self._no(exchange)
            case _:
                return False
        return True

    def what_is_done(self, but_for: str = "") -> str:
        """The answer to "what are you doing?". but_for: the plan that asks."""
        because = self.latch.because if self.latch.is_set else None
        records = tuple(each for each in self._book.active if each.id != but_for)
        return what_is_done(records, self._registrar, because, self._asked_by.person)

    def goes_on_after(self, who: str) -> tuple[GoesOn, ...]:
        """What would move if this operator said "carry on" now."""
        records = list(self._book.wanted)
        stay = self._stay_paused(records, self._retained(who), who)
        records = [record for record in records if record not in stay and not record.awaits_another(who)]
        return goes_on_after(actions_retained_by(who, records, self._signatures), records, self.moves)

    def stop_everything(self, why: str, exchange: Exchange) -> None:
        """End all plans."""
        records = self._end_all(why)
        if not records:
            exchange.say(EventKind.ANSWERED, "Nothing is being done.")
            exchange.settle(True)
            return
        words = "; ".join(record.words for record in records)
        exchange.say(EventKind.CANCELLED, f"I stop: {words}.")
        self._start(self._settle_when_over(records, exchange), "stopping")

    def emergency_stop(self, reason: str, exchange: Exchange) -> None:
        """Set the latch, end all plans."""
        ending = self.latch.set(reason, exchange.who, exchange.reply)
        self._start(self._settle_when_over(ending, exchange), "stopping for the emergency stop")

    def withdraw_all(self, why: str) -> None:
        """Nothing that has not started yet is to start."""
        self._conversation.withdraw_all(why)
        self._last.forget_all()

    async def close(self) -> None:
        """Wait for what is on its way; all plans are over already."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- the commands

    def _no(self, exchange: Exchange) -> None:
        """ "Don't!" ends everything, "no!" what moves; nobody has asked anything."""
        forbids = self._reader.forbids(exchange.instruction.text)
        if forbids and self._book.wanted:
            self.stop_everything("stopped by the operator", exchange)
        elif forbids or not self.stop_what_moves(exchange):
            exchange.refuse("I have not asked you anything, and nothing is being done.")

    def stop_what_moves(self, exchange: Exchange, besides: str = "") -> bool:
        """End the plans that move something; False if none does. besides: what is to be said with it."""
        moving = self.what_moves
        if not moving:
            return False
        for record in moving:
            record.run.stop("stopped by the operator")
        else_goes_on = " All else goes on." if self._book.wanted else ""
        words = "; ".join(record.words for record in moving)
        exchange.say(EventKind.CANCELLED, f"I stop what moves: {words}.{else_goes_on}")
        if besides:
            exchange.say(EventKind.ANSWERED, besides)
        over = self._settle_when_over(moving, exchange, "Nothing of that moves any more.")
        self._start(over, "stopping what moves")
        return True

    @property
    def has_paused(self) -> bool:
        """Whether a plan is paused."""
        return any(record.run.state is PlanState.PAUSED for record in self._book.active)

    @property
    def what_moves(self) -> tuple[PlanRecord, ...]:
        """The plans that move something, or are yet to, and that nobody has told to end."""
        return to_hold(self._book.active, self.moves, self._book.moved_for)

    def _cancel(self, meta: Meta, exchange: Exchange) -> Steps[bool]:
        what = "" if names_nothing(meta.what) else meta.what
        if not what and self._conversation.call_off(exchange.who):
            exchange.settle(True)
            return True
        if what and (part := self._part_of_last(what, exchange.who)) is not None:
            self._end_part(part, exchange)
            return True
        is_stop = bool(what) and not meta.is_certain  # "stop the arm" stops first; "cancel …" may ask
        targets = self._targets(what, is_stop=is_stop)
        if not targets:
            if (yield from self._is_an_instruction(meta, exchange)):
                return False
            targets = self._targets(what, is_stop=is_stop)  # it may have begun while this was understood
        if not targets:
            self._not_done(what, "there is nothing to cancel", exchange)
            return True
        if not is_stop and len(targets) > 1:
            answer = yield Ask("Which one?", (*(target.words for target in targets), "all of these"))
            targets = targets[answer.choice - 1 : answer.choice] or targets
        self._end(targets, exchange)
        return True

    def _part_of_last(self, what: str, who: str) -> Target | None:
        """The step that is meant by its place: "the second one" of what this operator wanted last."""
        number = self._reader.choice(what.split()) if self._reader.is_by_place(what) else 0
        mine = [each for each in self._book.wanted if number and each.who == who and not each.is_single]
        actions = mine[-1].run.actions if mine else ()
        if not actions or number > len(actions):
            return None
        return Target(mine[-1], actions[number - 1 if number > 0 else -1])

    def _end_part(self, part: Target, exchange: Exchange) -> None:
        if part.action is not None and part.action.state_now().is_over:
            exchange.refuse(f'"{part.words}" is over already; the rest goes on.')
        else:
            self._end([part], exchange)

    def _targets(self, what: str, *, is_stop: bool) -> list[Target]:
        if is_stop:
            return to_stop(what, self._book.active, self._book.needed_alone, self._book.moved_for)
        return meant(what, self._book.active)

    def _pause(self, meta: Meta, exchange: Exchange) -> Steps[bool]:
        records = self._records(meta)
        if not records and meta.what:
            if (yield from self._is_an_instruction(meta, exchange)):
                return False
            records = self._records(meta)
        if not records and meta.what and self.pause_what_moves(exchange):
            return True  # "pause for the time being" names nothing: all that moves rests
        paused = [record for record in records if record.pause(exchange.who)]
        if meta.what and not records:  # whatever moved would rest by now: nothing is ended for a pause
            exchange.refuse(self._words_of_not_done(meta.what))
        elif not paused and meta.what:  # it says what is to rest: nothing else is meant
            exchange.refuse(f"{records[0].words} is {records[0].run.state} already.")
        elif not paused and not self.pause_what_moves(exchange):
            exchange.refuse("there is nothing to pause.")
        exchange.settle(True)
        return True

    def pause_what_moves(self, exchange: Exchange) -> bool:
        """Let the plans rest that move something; what cannot rest ends. False if nothing moves."""
        return self._let_rest(self.what_moves, exchange)

    @property
    def moves_on(self) -> bool:
        """Whether something moves, or is yet to, and is not paused."""
        return any(each.run.state is not PlanState.PAUSED for each in self.what_moves)

    @property
    def may_rest(self) -> bool:
        """Whether a plan runs that could be paused."""
        return any(each.run.state in (PlanState.RUNNING, PlanState.ESTABLISHED) for each in self._book.wanted)

    def pause_all(self, exchange: Exchange) -> bool:
        """Let every plan rest; of what cannot, what moves ends. False if there is nothing to rest."""
        paused = [record for record in self._book.wanted if record.pause(exchange.who)]
        moved = self.pause_what_moves(exchange)
        if paused and not moved:
            exchange.settle(True)
        return bool(paused) or moved

    def _let_rest(self, records: Iterable[PlanRecord], exchange: Exchange) -> bool:
        moving = [each for each in records if each.run.state is not PlanState.PAUSED]
        ending = [record for record in moving if not record.pause(exchange.who)]
        for record in ending:
            record.run.stop("it cannot be paused")
        if ending:
            words = "; ".join(record.words for record in ending)
            exchange.say(EventKind.CANCELLED, f"I stop what cannot be paused: {words}.")
            self._start(self._settle_when_over(tuple(ending), exchange), "stopping what cannot be paused")
        elif moving:
            exchange.settle(True)
        return bool(moving)

    def hold_what_moves_by_itself(self, exchange: Exchange) -> bool:
        """The same for what no hand moves. Nobody asked for that, so what was said has failed."""
        moving = [
            each
            for each in self.what_moves
            if each.run.state is not PlanState.PAUSED and not self._is_by_hand(each)
        ]
        if moving:
            exchange.settle(False)
        return self._let_rest(moving, exchange)

    def _is_by_hand(self, record: PlanRecord) -> bool:
        found = (self._signatures.find(do.action) for do in actions_of(record.plan))
        return any(each is not None and each.priority > Priority.AUTONOMY for each in found)

    def _resume(self, meta: Meta, exchange: Exchange) -> Steps[bool]:
        records = self._records(meta)
        if not records and meta.what:
            if (yield from self._is_an_instruction(meta, exchange)):
                return False
            records = self._records(meta)
        kept = [] if meta.what else self._retained(exchange.who)  # before what is paused has it again
        stay = [] if meta.what else self._stay_paused(records, kept, exchange.who)
        records = [record for record in records if record not in stay]
        for_others = [record for record in records if record.awaits_another(exchange.who)]
        for record in for_others:
            records.remove(record)
            self._say_who_is_awaited(record, exchange)
        resumed = [record for record in records if record.resume(exchange.who)]
        for record in resumed:
            self._book.voice.say(record, EventKind.RESUMED, f"I carry on: {record.words}.")
        for record in stay:
            why = f"as {record.paused_by} has said"
            words = f'"{record.words}" stays paused, {why}: for that, say "carry on" once more.'
            exchange.say(EventKind.ANSWERED, words)
        if meta.what and not records:
            self._not_done(meta.what, "there is nothing to carry on with", exchange)
        elif kept:
            # Whoever drives gives it back, so that what they interrupted can go on.
            self._end_retained(kept, exchange)
            return True
        else:
            drives_again = would_be_retained(exchange.who, resumed, self._signatures)
            gives_back = not (meta.what or drives_again) and self._give_back(exchange)
            if not (resumed or gives_back or for_others):
                others = self._retained_by_others(exchange.who)
                exchange.refuse(f"{others or 'there is nothing to carry on with'}.")
        exchange.settle(True)
        return True

    def _say_who_is_awaited(self, record: PlanRecord, exchange: Exchange) -> None:
        """Somebody whose word is not enough has said that this goes on."""
        keeper = record.awaits_another(exchange.who)
        words = f'"{record.words}" waits for {keeper}: "carry on" is said there, or on the console.'
        exchange.say(EventKind.ANSWERED, words)

    def _give_back(self, exchange: Exchange) -> bool:
        """What is kept for this operator, who was stopped, is not any more. Whether there was anything."""
        things = self._interlock.keepers.gives_back(exchange.who)
        if things:
            exchange.say(EventKind.ENDED, f"{exchange.who} has given back what it drove.")
        return bool(things)

    def _stay_paused(self, records: list[PlanRecord], kept: list[Target], who: str) -> list[PlanRecord]:
        """What others have paused does not go on beside what waits for this one's "carry on"."""
        others = [record for record in records if record.paused_by not in ("", who)]
        theirs = (record for record in records if record not in others)
        waits = kept or any(record.run.state is PlanState.PAUSED for record in theirs)
        return others if waits else []

    def _done(self, exchange: Exchange) -> Steps[bool]:
        """An operator is done with what they keep."""
        if kept := self._retained(exchange.who):
            self._end_retained(kept, exchange)
        elif self._give_back(exchange):
            exchange.settle(True)
        elif others := self._retained_by_others(exchange.who):
            exchange.refuse(f"{others}.")
        elif (yield from self._understands(exchange)):
            return False
        else:
            doing = running_in_words(self._book.wanted)
            exchange.refuse(f"nothing waits for you to be done; {doing}.")
        return True

    def _end_retained(self, kept: list[Target], exchange: Exchange) -> None:
        for target in kept:
            target.end(f'"{clean(exchange.instruction.text)}" was said', exchange.who)
        words = " and ".join(f'"{target.words}"' for target in kept)
        exchange.say(EventKind.ENDED, f"That ends {words}; whatever waits for it goes on.")
        self._start(self._settle_when_quiet(kept, exchange), "ending what was kept")

    def _records(self, meta: Meta) -> list[PlanRecord]:
        """The plans that are meant, each once; a plan is paused as a whole."""
        what = "" if names_nothing(meta.what) else meta.what
        return list({target.record.id: target.record for target in meant(what, self._book.wanted)}.values())

    def _understands(self, exchange: Exchange) -> Steps[bool]:
        return bool((yield Think(partial(self._language.understands, exchange.instruction.text))))

    def _is_an_instruction(self, meta: Meta, exchange: Exchange) -> Steps[bool]:
        """Whether words like "stop at the door" are an action's, as nothing of that name is being done.

        "cancel …" is so only as part of a longer instruction, or as what there is no action for ("kill the
        lights"): else it is refused, with what is being done.
        """
        if meta.kind is MetaKind.CANCEL and meta.is_certain:
            text = exchange.instruction.text
            return bool(meta.what) and bool(
                (yield Think(partial(self._language.understands_several, text)))
                or (yield Think(partial(self._language.is_beyond, text)))
            )
        return (yield from self._understands(exchange))

    def _not_done(self, what: str, nothing: str, exchange: Exchange) -> None:
        if sounds_like_stop(exchange.instruction.text):
            besides = f'"{what}" is not being done, so I stopped all that moved.' if what else ""
            if self.stop_what_moves(exchange, besides):
                return
        exchange.refuse(self._words_of_not_done(what) if what else f"{nothing}.")

    def _words_of_not_done(self, what: str) -> str:
        return f'"{what}" is not being done; {running_in_words(self._book.wanted)}.'

    def _reset(self, exchange: Exchange) -> Steps[bool]:
        if not self.latch.is_set:
            if (yield from self._understands(exchange)):
                return False
            exchange.refuse("the emergency stop is not set.")
        elif exchange.instruction.source not in SURE_SOURCES:
            exchange.refuse("not by voice or gesture: type it to take back the stop.")
        else:
            token = self.latch.token
            words = f"Take back the emergency stop{self.latch.because}? Nothing will move by that."
            yield Ask(words, typed_only=True)
            by = exchange.who or "the operator"
            exchange.settle(self.latch.reset(token, by, exchange.reply))
        return True

    # -- ending

    def _end(self, targets: list[Target], exchange: Exchange) -> None:
        for target in targets:
            target.end(f"cancelled by {exchange.who or 'the operator'}", exchange.who)
        words = ", ".join(
            activity(target.words, target.is_single, answers=target.record.only_answers) for target in targets
        )
        exchange.say(EventKind.CANCELLED, f"I end {words}.")
        self._start(self._settle_when_quiet(targets, exchange), "cancelling")

    def _end_all_at_once(self, why: str) -> tuple[PlanRecord, ...]:
        self._interlock.raise_all(Loss(LossKind.EMERGENCY, why=why))
        return self._end_all(why)

    def _end_all(self, why: str) -> tuple[PlanRecord, ...]:
        self.stops += 1
        records = self._book.active
        for record in records:
            record.run.stop(why)
        self.withdraw_all(why)
        return records

    async def _settle_when_quiet(self, targets: list[Target], exchange: Exchange) -> None:
        for target in targets:
            await self._book.over(target)
        exchange.settle(True)

    async def _settle_when_over(
        self, records: tuple[PlanRecord, ...], exchange: Exchange, words: str = "All is at rest."
    ) -> None:
        await self._book.all_over(records)
        left = [task for record in records for task in record.run.left_behind]
        if left:
            exchange.say(EventKind.ERROR, f"{len(left)} actions do not end; I leave them.")
        else:
            exchange.say(EventKind.ENDED, words)
        exchange.settle(not left)

    def moves(self, plan: Plan) -> bool:
        """Whether anything of a plan may move something."""
        return moves(plan, self._signatures)

    def _retained(self, who: str) -> list[Target]:
        return retained_by(who, self._book.wanted, self._signatures)

    def _retained_by_others(self, who: str) -> str:
        return retained_by_others(who, self._book.wanted, self._signatures)

    def _tell(self, reply: Reply | None, kind: EventKind, text: str, *, who: str = "") -> None:
        event = self._events.emit(kind, text, who=who)
        if reply is not None:
            reply.add(event)

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
