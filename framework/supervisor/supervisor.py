"""Instructions in, plans started and ended, everything said. Here stands the order in which it is looked at.

1. stop, in all its forms: it waits for nothing and nobody;
2. an answer to the supervisor's open question to this operator;
3. words that one of this operator's plans waits for ("until I say go"), or one of its actions has asked for;
4. the other commands to the supervisor itself (`meta.py`, `orders.py`);
5. everything else is an instruction: understood (`understanding.py`), grounded
   (`grounding.py`), let in or asked about (`admission.py`), and carried out (`book.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from types import TracebackType

from framework.clock import Clock, LoopClock
from framework.dialogue.confirmation import moves
from framework.dialogue.correction import CorrectionWords
from framework.dialogue.proposer import Proposer
from framework.errors import PlanError
from framework.interlock import Interlock
from framework.plan.ast import Plan
from framework.plan.instruction import Instruction, Pointing, Source
from framework.plan.parser import Completions, NothingKnown, Parser, Wording, World
from framework.plan.signature import Signatures
from framework.plan.words import plain_wording
from framework.supervisor.action_service import ActionService
from framework.supervisor.admission import CLOSING, Admission
from framework.supervisor.answering import Answering
from framework.supervisor.asked_by import AskedBy
from framework.supervisor.book import PlanBook
from framework.supervisor.conversation import Conversation
from framework.supervisor.emergency import EmergencyControl
from framework.supervisor.events import Event, EventBus
from framework.supervisor.grounding import Grounding
from framework.supervisor.hearing import Hearing
from framework.supervisor.kept import kept_by, kept_by_others
from framework.supervisor.language import SpokenLanguage
from framework.supervisor.last_wishes import LastWishes
from framework.supervisor.meta import MetaKind, MetaPhrases
from framework.supervisor.meta_plain import PLAIN
from framework.supervisor.meta_reading import MetaReader
from framework.supervisor.orders import Orders
from framework.supervisor.plan_control import PlanControl
from framework.supervisor.plan_voice import PlanVoice
from framework.supervisor.plans import PlanView
from framework.supervisor.proposing import PROPOSE_WITHIN_S, Proposing
from framework.supervisor.questions import ANSWER_WITHIN_S, Question, Questions
from framework.supervisor.repeating import Repeating
from framework.supervisor.reply import Reply
from framework.supervisor.status_words import HasSnapshot, what_is_done
from framework.supervisor.understanding import MOST_CHARACTERS, Understanding, is_too_long
from framework.tree.change import Change
from framework.tree.context import STOP_TIMEOUT_S
from framework.tree.runner import Conditions, NoConditions, RunnerFactory

EMERGENCY_POLL_S = 0.1
_STOPS = (MetaKind.STOP, MetaKind.EMERGENCY)


class Supervisor:
    """Takes instructions from any source. An async context manager: leaving it ends all plans, bounded.

    Args:
        signatures: the actions there are. runners: what carries them out.
        parser, world: the language, and what is known just now.
        kinds: under which things are known by name, for the hints that tell two of one name apart.
        meta: the language's words for commands to the supervisor, answers and corrections.
        proposer: who may propose a plan for what the parser refuses; nobody by default.
        events: where everything is said.
        emergency: the latch; watched every `emergency_poll_s`, because any process may set it.
        registrar: through which the actions request, for "what are you doing?".
        wording: an action in an operator's words. conditions: what "if", "while" and "until" look at.
        answer_within_s: a question without an answer is a "no" after this long.
        interlock: who may move by itself; the same object as the registrars'.
    """

    def __init__(
        self,
        *,
        signatures: Signatures,
        runners: RunnerFactory,
        parser: Parser,
        events: EventBus,
        emergency: EmergencyControl,
        registrar: HasSnapshot | None = None,
        world: World | None = None,
        kinds: Callable[[], Iterable[str]] = tuple,
        meta: MetaPhrases | None = None,
        proposer: Proposer | None = None,
        conditions: Conditions | None = None,
        wording: Wording = plain_wording,
        clock: Clock | None = None,
        stop_timeout_s: float = STOP_TIMEOUT_S,
        answer_within_s: float = ANSWER_WITHIN_S,
        propose_within_s: float = PROPOSE_WITHIN_S,
        emergency_poll_s: float = EMERGENCY_POLL_S,
        interlock: Interlock | None = None,
    ) -> None:
        self.events = events
        self._registrar = registrar
        self._clock = clock or LoopClock()
        self._emergency_poll_s = emergency_poll_s
        self._watch: asyncio.Task[None] | None = None
        phrases = meta or PLAIN
        reader = MetaReader(phrases)
        correction_words = CorrectionWords(
            phrases.corrections, phrases.instead_of, phrases.but, phrases.filling
        )
        interlock = interlock or Interlock()
        world = world or NothingKnown()
        conditions = conditions or NoConditions()
        asked_by = AskedBy(signatures, world)
        self._person = asked_by.person
        wording = asked_by.wording(wording)
        self._language = SpokenLanguage(parser, world, wording, kinds)
        self._talk = Conversation(events, Questions(self._clock, answer_within_s))
        self._book = PlanBook(
            runners=runners,
            conditions=conditions,
            wording=wording,
            in_words=self._language.in_words,
            voice=PlanVoice(events, self._clock),
            questions=self._talk.questions,
            clock=self._clock,
            normal=reader.normal,
            stop_timeout_s=stop_timeout_s,
            interlock=interlock,
            person=asked_by.person,
        )
        self._hearing = Hearing(reader, correction_words, self._book, self._talk)
        self._control = PlanControl(self._book, signatures)
        self._last = LastWishes(self._book, self._clock)
        self._proposing = (
            Proposing(proposer, self._talk, world, self._clock, propose_within_s)
            if proposer is not None
            else None
        )
        self._answering = Answering(
            self._talk,
            reader,
            correction_words,
            self._language.understands,
            lambda instruction: self._understanding.is_instruction(instruction),
            lambda: bool(self._orders.what_moves),
        )
        self._orders = Orders(
            self._book,
            self._talk,
            emergency,
            interlock,
            self._language,
            self.what_is_done,
            carry_on=self._answering.carry_on,
            call_off=self._call_off,
            withdraw_all=self._withdraw_all,
            forbids=reader.forbids,
            moves=lambda plan: moves(plan, signatures),
            kept=lambda who: kept_by(who, self._book.wanted, signatures),
            kept_by_others=lambda who: kept_by_others(who, self._book.wanted, signatures),
        )
        self._admission = Admission(
            book=self._book,
            talk=self._talk,
            signatures=signatures,
            conditions=conditions,
            asked_by=asked_by,
            in_words=self._language.in_words,
            latch=self._orders.latch,
            what_has_changed=self._language.what_has_changed,
        )
        self._grounding = Grounding(
            language=self._language,
            talk=self._talk,
            admission=self._admission,
            pointing_words=phrases.pointing,
            clock=self._clock,
        )
        self._understanding = Understanding(
            language=self._language,
            talk=self._talk,
            admission=self._admission,
            grounding=self._grounding,
            last=self._last,
            proposing=self._proposing,
            correction_words=correction_words,
        )
        repeating = Repeating(self._book, self._admission, self._talk)
        runners.serve(ActionService(self._book, self._language, repeating))

    async def __aenter__(self) -> Supervisor:
        latch = self._orders.latch
        latch.look()
        watching = latch.watch(self._clock, self._emergency_poll_s)
        self._watch = asyncio.create_task(watching, name="emergency watch")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._admission.is_closed = True
        self._withdraw_all("the supervisor is closing")
        await self._book.close()
        await self._orders.close()
        if self._proposing is not None:
            await self._proposing.close()
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)

    # -- what is seen from outside

    def plans(self) -> tuple[PlanView, ...]:
        """The plans that have not ended, the oldest first."""
        return tuple(record.view() for record in self._book.active)

    def plan(self, plan_id: str) -> Plan:
        """A plan, running or ended, as it is now. Raises PlanError if there is none of that id."""
        record = self._book.find(plan_id)
        if record is None:
            known = ", ".join(each.id for each in self._book.active) or "none that runs"
            raise PlanError(f"there is no plan {plan_id!r}; there is {known}")
        return record.plan

    def ended_plans(self) -> tuple[PlanView, ...]:
        """The last ones that have ended, the oldest first."""
        return tuple(record.view() for record in self._book.ended)

    def journal(self, plan_id: str) -> tuple[Event, ...]:
        """What was said about a plan, running or ended; empty if there is none of that id."""
        record = self._book.find(plan_id)
        return tuple(record.journal) if record is not None else ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """Those that wait for an answer, also the ones that actions ask."""
        return self._talk.questions.open

    @property
    def stops(self) -> int:
        """How often everything was stopped: who is about to say something for others looks at it first."""
        return self._orders.stops

    def what_is_done(self) -> str:
        """The answer to "what are you doing?"."""
        latch = self._orders.latch
        because = latch.because if latch.is_set else None
        return what_is_done(self._book.active, self._registrar, because, self._person)

    def complete(self, text: str) -> Completions:
        """What could follow a text that has just been begun. Never raises because of it."""
        return self._language.complete(text) if len(text) <= MOST_CHARACTERS else Completions(())

    # -- instructions and answers

    def say(
        self,
        text: str,
        source: Source = Source.TYPED,
        who: str = "",
        *,
        confidence: float = 1.0,
        pointing: tuple[Pointing, ...] = (),
    ) -> Reply:
        """Give an instruction in words. Never raises because of them, never waits."""
        return self.tell(Instruction(text, source, who, self._clock.now_s(), confidence, pointing))

    def tell(self, instruction: Instruction) -> Reply:
        """Give an instruction. A stop has begun when this returns."""
        reply = self._hearing.heard(instruction)
        meta = self._hearing.meta(instruction)
        if self._admission.is_closed and (meta is None or meta.kind is not MetaKind.EMERGENCY):
            self._talk.refuse(reply, CLOSING, instruction)
        elif meta is not None and meta.kind in _STOPS:
            self._orders.carry_out(meta, instruction, reply)
        elif is_too_long(instruction.text):
            self._understanding.hear(instruction, reply)  # it says so, and nobody else has to look at it
        elif not (
            self._answering.take(meta, instruction, reply)
            or self._hearing.is_awaited(instruction, reply)
            or self._answering.take_for_action(meta, instruction, reply)
            or (meta is not None and self._orders.carry_out(meta, instruction, reply))
        ):
            self._understanding.hear(instruction, reply)
        return reply

    def answer(self, question_id: str, choice: int, who: str, source: Source = Source.TYPED) -> Reply:
        """Answer an open question by its id, as a click does. choice: an option's number; yes is 1, no is 0.

        Refused in words: a question that is not open any more, or put to somebody else; no such option.
        """
        question = self._talk.questions.find(question_id)
        words = ("yes" if choice else "no") if question is None or not question.options else f"{choice}"
        if question is not None and 1 <= choice <= len(question.options):
            words = f"{choice}: {question.options[choice - 1]}"
        instruction = Instruction(words, source, who, self._clock.now_s())
        reply = self._hearing.heard(instruction)
        if self._admission.is_closed:
            self._talk.refuse(reply, CLOSING, instruction)
        else:
            self._answering.click(question_id, choice, instruction, reply)
        return reply

    def carry_out(self, plan: Plan, source: Source = Source.PROGRAM, who: str = "") -> Reply:
        """Start a plan that needs no parsing, from a file or a program; checked like any other."""
        reply = Reply()
        instruction = Instruction(self._language.in_words(plan), source, who, self._clock.now_s())
        self._understanding.take(plan, instruction, reply)
        return reply

    # -- plans by their numbers

    def pause_plan(self, plan_id: str) -> None:
        """Hold on. Raises PlanError in words if that cannot be done; so do the next three."""
        self._control.pause(plan_id)

    def resume_plan(self, plan_id: str) -> None:
        """Go on."""
        self._control.resume(plan_id)

    def stop_plan(self, plan_id: str, why: str = "stopped by the operator") -> None:
        """Begin to end it; does not wait."""
        self._control.stop(plan_id, why)

    def change_plan(self, plan_id: str, change: Change) -> None:
        """Insert, remove or replace what has not begun, while the plan is paused."""
        self._control.change(plan_id, change)

    # -- stops

    def stop_everything(self, why: str = "stopped by the operator", who: str = "") -> Reply:
        """End all plans and withdraw all questions, at once; the reply is settled when all is at rest."""
        reply = Reply()
        self._orders.stop_everything(why, who, reply)
        return reply

    def emergency_stop(self, reason: str, who: str = "") -> Reply:
        """Set the latch, then end all plans; the reply is settled when all is at rest."""
        reply = Reply()
        self._orders.emergency_stop(reason, who, reply)
        return reply

    def reset_emergency(self, confirmed_by: str) -> Reply:
        """Take back the emergency stop that is set now, after an operator has confirmed.

        Moves and restarts nothing. It does not succeed if none is set, or another one was made meanwhile.
        """
        reply = Reply()
        latch = self._orders.latch
        reply.settle(latch.reset(latch.token, confirmed_by, reply))
        return reply

    def look_at_emergency(self) -> None:
        """Follow up at once what another process has done to the latch."""
        self._orders.latch.look()

    # -- inside

    def _call_off(self, who: str) -> bool:
        """An operator does not want what was asked or proposed; False if there was nothing."""
        question = self._talk.questions.open_for(who)
        if question is not None:
            self._talk.questions.answer(question, 0)
            return True
        return self._proposing is not None and self._proposing.withdraw(who, "you have called it off")

    def _withdraw_all(self, why: str) -> None:
        """Nothing that has not started yet is to start."""
        self._talk.questions.withdraw_all(why)
        self._admission.withdraw_all(why)
        if self._proposing is not None:
            self._proposing.withdraw_all(why)
        self._last.forget_all()
