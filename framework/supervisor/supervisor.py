"""Instructions in, plans started and ended, everything said. What becomes of them: `interpreter.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from functools import partial
from types import TracebackType
from typing import TypeVar

import msgspec

from framework.clock import Clock, LoopClock
from framework.dialogue.asked_by import AskedBy
from framework.dialogue.follow_up import Naming
from framework.dialogue.language import SpokenLanguage
from framework.dialogue.meta import PLAIN, MetaKind, MetaPhrases
from framework.dialogue.meta_reading import reader_of
from framework.dialogue.proposer import Proposer
from framework.dialogue.referring import ReferringReader
from framework.dialogue.stopping import sounds_like_stop
from framework.dialogue.wish import Wish
from framework.errors import PlanError
from framework.events import Event, EventBus
from framework.interlock import Interlock
from framework.plan.ast import Plan
from framework.plan.instruction import Instruction, Pointing, Source
from framework.plan.parser import Completions, NothingKnown, Parser, Wording, World
from framework.plan.signature import Signatures
from framework.plan.words import plain_wording
from framework.supervisor.account import About, Account
from framework.supervisor.action_service import ActionService
from framework.supervisor.admission import CLOSING, Admission
from framework.supervisor.answering import Answering
from framework.supervisor.awaited import AwaitedConditions
from framework.supervisor.binding import Binding
from framework.supervisor.book import PlanBook
from framework.supervisor.commanding import MOST_CHARACTERS
from framework.supervisor.conversation import PROPOSE_WITHIN_S, Conversation, Proposals
from framework.supervisor.exchange import Exchange, Steps, Think
from framework.supervisor.follow_ups import FollowUps
from framework.supervisor.going_on import GoesOn
from framework.supervisor.grounding import Grounding
from framework.supervisor.interpreter import Interpreter
from framework.supervisor.last_wishes import LastWishes
from framework.supervisor.latch import EmergencyControl
from framework.supervisor.orders import Orders
from framework.supervisor.plan_control import PlanControl
from framework.supervisor.plan_voice import PlanVoice
from framework.supervisor.plans import PlanView
from framework.supervisor.questions import ANSWER_WITHIN_S, Question, Questions
from framework.supervisor.repeating import Repeating
from framework.supervisor.reply import Reply
from framework.supervisor.status_words import HasSnapshot
from framework.supervisor.thinking import Thinking, at_once
from framework.tree.change import Change
from framework.tree.context import STOP_TIMEOUT_S
from framework.tree.runner import Conditions, NoConditions, RunnerFactory

EMERGENCY_POLL_S = 0.1
T = TypeVar("T")


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
        thinking: does the language's work in a thread; without it a long sentence holds the loop.
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
        kinds: Collection[str] = (),
        meta: MetaPhrases = PLAIN,
        proposer: Proposer | None = None,
        conditions: Conditions | None = None,
        wording: Wording = plain_wording,
        clock: Clock | None = None,
        stop_timeout_s: float = STOP_TIMEOUT_S,
        answer_within_s: float = ANSWER_WITHIN_S,
        propose_within_s: float = PROPOSE_WITHIN_S,
        emergency_poll_s: float = EMERGENCY_POLL_S,
        interlock: Interlock | None = None,
        thinking: Thinking | None = None,
    ) -> None:
        interlock = interlock or Interlock()
        world = world or NothingKnown()
        conditions = conditions or NoConditions()
        clock = clock or LoopClock()
        reader = reader_of(meta)
        asked_by = AskedBy(signatures, world)
        wording = asked_by.wording(wording)
        known = world if thinking is None else thinking.world
        language = SpokenLanguage(parser, known, wording, kinds)
        questions = Questions(clock, answer_within_s)
        proposals = Proposals(proposer, known, clock, propose_within_s) if proposer is not None else None
        book = PlanBook(
            runners=runners,
            conditions=conditions,
            wording=wording,
            language=language,
            voice=PlanVoice(events, clock),
            questions=questions,
            clock=clock,
            reader=reader,
            stop_timeout_s=stop_timeout_s,
            interlock=interlock,
            asked_by=asked_by,
        )
        conversation = Conversation(questions, book, proposals, thinking)
        last = LastWishes(book, language, meta.correction_words, clock)
        orders = Orders(
            book, conversation, events, emergency, interlock, last, reader, signatures, asked_by, registrar
        )
        answering = Answering(questions, reader, last, book, orders)
        grounding = Grounding(language, meta.pointing, clock)
        admission = Admission(book, questions, language, signatures, conditions, asked_by, orders.latch)
        repeating = Repeating(book, admission, conversation, events)
        self.events = events
        self._clock = clock
        self._emergency_poll_s = emergency_poll_s
        self._language = language
        self._reader = reader
        self._book = book
        self._conversation = conversation
        self._orders = orders
        self._answering = answering
        self._admission = admission
        binding = Binding(book, signatures, known, clock, meta.pronouns)
        naming = Naming(meta.naming, meta.naming_beside)
        signs = ReferringReader(meta.referring, meta.spelt, meta.of_things, meta.asking)
        follow_ups = FollowUps(
            book, last, naming, signatures, known, questions, signs, meta.of_things, meta.naming_words
        )
        self._interpreter = Interpreter(
            conversation, reader, last, orders, answering, grounding, admission, binding, follow_ups
        )
        self._control = PlanControl(book, signatures)
        self._watch: asyncio.Task[None] | None = None
        #: The names as its language sees them.
        self.known: World = known
        self._thinking = thinking
        self._account = account = Account(book, events, orders.latch, clock, orders.what_is_done)
        told = AwaitedConditions(conditions, reader, book)
        runners.serve(ActionService(book, language, repeating, self.think, account, told, clock))

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
        self._orders.withdraw_all("the supervisor is closing")
        await self._book.close()
        await self._orders.close()
        await self._conversation.close()
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        if self._thinking is not None:
            self._thinking.close()

    # -- what is seen from outside

    def plans(self) -> tuple[PlanView, ...]:
        """The plans that have not ended, the oldest first."""
        return tuple(record.view() for record in self._book.active)

    def goes_on_after(self, who: str) -> tuple[GoesOn, ...]:
        """What would move if this operator said "carry on" now."""
        return self._orders.goes_on_after(who)

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
        return self._conversation.questions.open

    @property
    def stops(self) -> int:
        """How often everything was stopped: who is about to say something for others looks at it first."""
        return self._orders.stops

    def what_is_done(self) -> str:
        """The answer to "what are you doing?"."""
        return self._orders.what_is_done()

    def account(self, about: About, of: str = "") -> str:
        """What goes on and has happened, and why, for nobody in particular."""
        return self._account.give(about, of, None)

    async def complete(self, text: str) -> Completions:
        """What could follow a text that has just been begun. Never raises because of it."""
        if len(text) > MOST_CHARACTERS:
            return Completions(())
        return await self.think(partial(self._language.complete, text))

    def understands(self, text: str) -> bool:
        """Whether a text is an instruction, or anything else that means something here; to be thought."""
        return self._reader.command(text) is not None or self._language.understands(text)

    def may_answer(self, text: str, who: str) -> bool:
        """Whether a text may be an answer that this operator is asked for now."""
        return self._answering.may_answer(text, who)

    def is_stop(self, text: str) -> bool:
        """Whether a text is a stop, or begins or ends like one."""
        return self._reader.stops(text) or sounds_like_stop(text)

    def takes_back(self, text: str, who: str) -> bool:
        """Whether a text stops, or says no to what is being done or asked: nothing begins by that.

        So it counts whoever it was said to, as a stop does.
        """
        if self.is_stop(text):
            return True
        if not self._book.wanted and not any(each.may_be_answered_by(who) for each in self.questions):
            return False
        command = self._reader.command(text)
        says_no = command is not None and not command.what and command.kind in (MetaKind.NO, MetaKind.CANCEL)
        return says_no or self._reader.forbids(text)

    async def think(self, work: Callable[[], T], /) -> T:
        """Do some work of the language where it does not hold the loop."""
        return await (at_once if self._thinking is None else self._thinking)(work)

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
        self._orders.latch.look()  # a stop that others made before it does not end it while it is understood
        exchange = Exchange(instruction, self.events, self._book.epoch)
        self._conversation.run(exchange, self._interpreter.steps(exchange))
        return exchange.reply

    def answer(self, question_id: str, choice: int, who: str, source: Source = Source.TYPED) -> Reply:
        """Answer an open question by its id, as a click does. choice: an option's number; yes is 1, no is 0.

        Refused in words: a question that is not open any more, or put to somebody else; no such option.
        """
        question = self._conversation.questions.find(question_id)
        words = ("yes" if choice else "no") if question is None or not question.options else f"{choice}"
        if question is not None and 1 <= choice <= len(question.options):
            words = f"{choice}: {question.options[choice - 1]}"
        exchange = self._exchange(words, source, who)
        self._interpreter.hear(exchange)
        if self._admission.is_closed:
            exchange.refuse(CLOSING)
        else:
            self._answering.click(question_id, choice, exchange)
        return exchange.reply

    # -- gestures, which start nothing that nobody has asked for

    def pause_by_gesture(self, said: Instruction, *, everything: bool = False) -> Reply | None:
        """What moves rests, and ends if it cannot; or all plans do, as by "pause".

        It has begun when this returns. said: who shows what. None, and nothing said, if nothing is to rest.
        """
        orders = self._orders
        if not (orders.moves_on or (everything and orders.may_rest)):
            return None
        exchange = self._seen(said)
        pause = orders.pause_all if everything else orders.pause_what_moves
        pause(exchange)
        return exchange.reply

    def answer_by_gesture(self, said: Instruction, choice: int, began_s: float) -> Reply | None:
        """Answer the question that was open for this operator before the gesture began: yes is 1, no is 0.

        began_s: on the installation's clock. None, and nothing is said, if there was none. Refused in words:
        what was not seen clearly, what has to be typed, a question with several options, a yes to an action.
        """
        question = self._answering.open_before(said.who, began_s)
        if question is None:
            return None
        exchange = self._seen(said)
        self._answering.gesture(question, choice, exchange)
        return exchange.reply

    def _seen(self, said: Instruction) -> Exchange:
        self._orders.latch.look()
        exchange = Exchange(said, self.events, self._book.epoch)
        self._interpreter.hear(exchange)
        return exchange

    def carry_out(self, plan: Plan, source: Source = Source.PROGRAM, who: str = "") -> Reply:
        """Start a plan that needs no parsing, from a file or a program; checked like any other."""
        exchange = self._exchange("", source, who)
        self._conversation.run(exchange, self._carry_out(plan, exchange))
        return exchange.reply

    def _carry_out(self, plan: Plan, exchange: Exchange) -> Steps[None]:
        text = yield Think(partial(self._language.in_words, plan))
        exchange.instruction = msgspec.structs.replace(exchange.instruction, text=text)
        yield from self._interpreter.carry_out(Wish(plan), exchange)

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
        exchange = self._exchange(why, Source.PROGRAM, who)
        self._orders.stop_everything(why, exchange)
        return exchange.reply

    def emergency_stop(self, reason: str, who: str = "") -> Reply:
        """Set the latch, then end all plans; the reply is settled when all is at rest."""
        exchange = self._exchange(reason, Source.PROGRAM, who)
        self._orders.emergency_stop(reason, exchange)
        return exchange.reply

    def reset_emergency(self, confirmed_by: str, token: int | None = None) -> Reply:
        """Take back the emergency stop of this token, by default the one that is set now, after an operator
        has confirmed.

        Moves and restarts nothing. It does not succeed if none is set, or another one was made meanwhile.
        """
        reply = Reply()
        latch = self._orders.latch
        reply.settle(latch.reset(latch.token if token is None else token, confirmed_by, reply))
        return reply

    def look_at_emergency(self) -> None:
        """Follow up at once what another process has done to the latch."""
        self._orders.latch.look()

    def _exchange(self, text: str, source: Source, who: str) -> Exchange:
        instruction = Instruction(text, source, who, self._clock.now_s())
        return Exchange(instruction, self.events, self._book.epoch)
