"""Instructions in, plans started and ended, everything said. Here it is decided what may be done.

Order: meta commands on the whole utterance (stop never waits for anything);
then the parser; then the check against the actions' signatures; then questions
(ambiguous, or to be confirmed); then the plan runs beside the others. Nothing
starts while the emergency stop is set.
"""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType

from framework.clock import Clock, LoopClock
from framework.errors import PilothouseError, PlanError
from framework.plan.ast import Plan, actions_of
from framework.plan.check import check
from framework.plan.instruction import Instruction, Pointing, Source
from framework.plan.parser import NothingKnown, NotUnderstood, Parser, Reading, Understood, Wording, World
from framework.plan.signature import Signatures
from framework.plan.words import in_words, plain_wording
from framework.plugins.action import Risk
from framework.plugins.service import Help
from framework.supervisor.book import PlanBook
from framework.supervisor.conversation import Conversation
from framework.supervisor.emergency import EmergencyControl
from framework.supervisor.events import Event, EventBus, EventKind
from framework.supervisor.meaning import meant
from framework.supervisor.meta import Meta, MetaKind, clean, meta_command
from framework.supervisor.orders import Orders
from framework.supervisor.plans import PlanView
from framework.supervisor.questions import ANSWER_WITHIN_S, Question, Questions
from framework.supervisor.reply import Reply
from framework.supervisor.status_words import HasSnapshot, what_is_done
from framework.tree.context import STOP_TIMEOUT_S
from framework.tree.runner import Conditions, NoConditions, RunnerFactory

log = logging.getLogger("pilothouse.supervisor")

MOST_WORDS = 200
MOST_CHARACTERS = 2000
EMERGENCY_POLL_S = 0.1
_MOST_SHOWN = 200
_LEAST_CONFIDENCE = 0.9
_CLOSING = "I am closing down and start nothing any more."


class Supervisor:
    """Takes instructions from any source. An async context manager: leaving it ends all plans, bounded.

    Args:
        signatures: the actions there are. runners: what carries them out.
        parser, world: the language, and what is known just now.
        events: where everything is said.
        emergency: the latch; watched every `emergency_poll_s`, because any process may set it.
        registrar: through which the actions request, for "what are you doing?".
        wording: an action in an operator's words. conditions: what "if", "while" and "until" look at.
        answer_within_s: a question without an answer is a "no" after this long.
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
        conditions: Conditions | None = None,
        wording: Wording = plain_wording,
        clock: Clock | None = None,
        stop_timeout_s: float = STOP_TIMEOUT_S,
        answer_within_s: float = ANSWER_WITHIN_S,
        emergency_poll_s: float = EMERGENCY_POLL_S,
    ) -> None:
        self.events = events
        self._signatures = signatures
        self._parser = parser
        self._registrar = registrar
        self._world = world or NothingKnown()
        self._wording = wording
        self._clock = clock or LoopClock()
        self._emergency_poll_s = emergency_poll_s
        self._talk = Conversation(events, Questions(self._clock, answer_within_s))
        self._book = PlanBook(
            runners=runners,
            conditions=conditions or NoConditions(),
            wording=wording,
            events=events,
            clock=self._clock,
            stop_timeout_s=stop_timeout_s,
        )
        self._orders = Orders(self._book, self._talk, emergency, self._is_understood, self.what_is_done)
        self._watch: asyncio.Task[None] | None = None
        self._is_closed = False
        runners.serve(self)

    async def __aenter__(self) -> Supervisor:
        latch = self._orders.latch
        latch.look()
        watching = latch.watch(self._clock, self._emergency_poll_s)
        self._watch = asyncio.create_task(watching, name="emergency watch")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_closed = True
        self._talk.questions.withdraw_all("the supervisor is closing")
        await self._book.close()
        await self._orders.close()
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)

    # -- what is seen from outside

    def plans(self) -> tuple[PlanView, ...]:
        """The plans that have not ended, the oldest first."""
        return tuple(record.view() for record in self._book.active)

    def ended_plans(self) -> tuple[PlanView, ...]:
        """The last ones that have ended, the oldest first."""
        return tuple(record.view() for record in self._book.ended)

    def journal(self, plan_id: str) -> tuple[Event, ...]:
        """What was said about a plan, running or ended; empty if there is none of that id."""
        for record in (*self._book.active, *self._book.ended):
            if record.id == plan_id:
                return tuple(record.journal)
        return ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """Those that wait for an answer."""
        return self._talk.questions.open

    def what_is_done(self) -> str:
        """The answer to "what are you doing?"."""
        latch = self._orders.latch
        return what_is_done(self._book.active, self._registrar, latch.because if latch.is_set else None)

    # -- instructions

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
        reply = Reply()
        heard = clean(instruction.text[: 4 * _MOST_SHOWN])
        shown = heard if len(heard) <= _MOST_SHOWN else heard[:_MOST_SHOWN] + " …"
        self._talk.say(reply, EventKind.HEARD, shown, instruction, {"source": instruction.source.value})
        meta = self._meta(instruction)
        if self._is_closed and (meta is None or meta.kind is not MetaKind.EMERGENCY):
            self._talk.refuse(reply, _CLOSING, instruction)
        elif meta is None or not self._orders.carry_out(meta, instruction, reply):
            self._understand(instruction, reply)
        return reply

    def carry_out(self, plan: Plan, source: Source = Source.PROGRAM, who: str = "") -> Reply:
        """Start a plan that needs no parsing, from a file or a program; checked like any other."""
        reply = Reply()
        instruction = Instruction(in_words(plan, self._wording), source, who, self._clock.now_s())
        self._consider(Reading(plan), instruction, reply)
        return reply

    # -- stops

    def stop_everything(self, why: str = "stopped by the operator", who: str = "") -> Reply:
        """End all plans and withdraw all questions, at once; the reply is settled when all is at rest."""
        reply = Reply()
        self._orders.stop_everything(why, who, reply)
        return reply

    def stop(self, what: str, *, asked_by: str) -> tuple[str, ...]:
        """`framework.plugins.SupervisorService`: an action ends others, never itself. Does not wait.

        Raises PlanError, naming what runs, if `what` names nothing that does.
        """
        others = []
        for target in meant(what, self._book.active):
            whole_plan = target.action is None
            actions = target.record.run.actions if whole_plan else (target.action,)
            if not any(action is not None and action.words == asked_by for action in actions):
                others.append(target)
        if not others and what:
            raise PlanError(f"{what!r} is not being done; {self._orders.running_in_words()}")
        for target in others:
            target.end(f"{asked_by} ended it")
        return tuple(target.words for target in others)

    async def repeat(self, times: int, *, asked_by: str) -> str:
        """`framework.plugins.SupervisorService`: do the operator's last instruction again."""
        raise PlanError("there is nothing to repeat")

    def abilities(self, topic: str) -> tuple[Help, ...]:
        """`framework.plugins.SupervisorService`: what can be asked for now."""
        return self._parser.help(topic, self._world)

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

    # -- understanding

    def _meta(self, instruction: Instruction) -> Meta | None:
        """What it says to the supervisor itself. A proposer has nothing to say there, nor to confirm."""
        if instruction.source is Source.PROPOSER or len(instruction.text) > MOST_CHARACTERS:
            return None
        return meta_command(instruction.text)

    def _understand(self, instruction: Instruction, reply: Reply) -> None:
        text = clean(instruction.text)
        words = len(text.split())
        if not text:
            self._talk.refuse(reply, "I heard nothing that I could read.", instruction)
            return
        if len(instruction.text) > MOST_CHARACTERS or words > MOST_WORDS:
            too_long = f"that is too long: {words} words; {MOST_WORDS} are the most at once."
            self._talk.refuse(reply, too_long, instruction)
            return
        result = self._parsed(text)
        if isinstance(result, NotUnderstood):
            self._talk.refuse(reply, str(result), instruction)
            return
        best = [each for each in result.readings if each.confidence == result.readings[0].confidence]
        if len(best) == 1:
            self._consider(best[0], instruction, reply)
            return
        options = tuple(in_words(each.plan, self._wording) for each in best)
        self._talk.ask(
            "What do you mean?",
            instruction,
            reply,
            lambda choice: self._consider(best[choice - 1], instruction, reply),
            options,
        )

    def _parsed(self, text: str) -> Understood | NotUnderstood:
        try:
            return self._parser.parse(text, self._world)
        except Exception as error:  # a grammar's mistake must not take the supervisor down
            log.exception("the parser failed at %r", text)
            return NotUnderstood("", reason=f"The parser failed: {type(error).__name__}: {error}")

    def _is_understood(self, text: str) -> bool:
        return isinstance(self._parsed(clean(text)), Understood)

    def _consider(self, reading: Reading, instruction: Instruction, reply: Reply) -> None:
        """A plan is known: may it be done, has somebody to confirm it, is it being done?"""
        plan = reading.plan
        if self._is_closed:
            self._talk.refuse(reply, _CLOSING, instruction)
            return
        if self._refused_because_latched(instruction, reply):
            return
        try:
            check(plan, self._signatures)
        except PlanError as error:
            self._talk.refuse(reply, f"that cannot be done: {error}.", instruction)
            return
        words = in_words(plan, self._wording)
        same = self._book.same_as(plan)
        if same is not None:
            reply.plan = same.id
            already = f"That is being done already: {words}."
            self._talk.say(reply, EventKind.UNDERSTOOD, already, instruction)
            same.replies.append(reply)
            if same.was_established:
                reply.settle(True)
            return
        self._talk.say(reply, EventKind.UNDERSTOOD, f"I understand: {words}.", instruction)
        if self._has_to_be_confirmed(plan, instruction, reading.confidence):
            self._talk.ask(
                f"Shall I {words}?", instruction, reply, lambda _: self._begin(plan, instruction, reply)
            )
        else:
            self._begin(plan, instruction, reply)

    def _begin(self, plan: Plan, instruction: Instruction, reply: Reply) -> None:
        if self._refused_because_latched(instruction, reply):
            return
        try:
            self._book.start(plan, instruction, reply)
        except PilothouseError as error:
            self._talk.refuse(reply, f"that cannot be started: {error}.", instruction)

    def _has_to_be_confirmed(self, plan: Plan, instruction: Instruction, confidence: float) -> bool:
        if instruction.source is Source.PROPOSER:
            return True
        unsure = min(confidence, instruction.confidence) < _LEAST_CONFIDENCE
        if not unsure and instruction.source not in (Source.SPEECH, Source.GESTURE):
            return False
        found = (self._signatures.find(do.action) for do in actions_of(plan))
        return any(each is not None and each.risk is Risk.DANGEROUS for each in found)

    def _refused_because_latched(self, instruction: Instruction, reply: Reply) -> bool:
        latch = self._orders.latch
        if not latch.is_set:
            return False
        because = f"the emergency stop is set{latch.because}"
        self._talk.refuse(reply, f'{because}; say "reset" first.', instruction)
        return True
