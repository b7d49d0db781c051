"""What becomes of an instruction: `Interpreter.steps` has the whole order.

Which command to the supervisor it is, is found in `commanding.py`, what else it comes to in
`understanding.py`, what could be meant in `framework.dialogue`, and what may start in `admission.py`.
"""

from __future__ import annotations

import logging
from functools import partial

import msgspec

from framework.dialogue.meta import MetaKind
from framework.dialogue.meta_reading import MetaReader
from framework.dialogue.pointing import pointing_words
from framework.dialogue.spelling import clean
from framework.dialogue.stopping import sounds_like_stop
from framework.dialogue.wish import Wish
from framework.events import EventKind
from framework.plan.instruction import Instruction, Source
from framework.supervisor.admission import CLOSING, Admission
from framework.supervisor.answering import Answering
from framework.supervisor.binding import Binding
from framework.supervisor.commanding import STOPS, Commanding
from framework.supervisor.conversation import Conversation
from framework.supervisor.exchange import Exchange, Steps, Think
from framework.supervisor.follow_ups import FollowUps
from framework.supervisor.grounding import Grounding
from framework.supervisor.last_wishes import LastWishes
from framework.supervisor.orders import Orders
from framework.supervisor.plans import PlanRecord
from framework.supervisor.understanding import Understanding, is_too_long

log = logging.getLogger("pilothouse.supervisor")

_MOST_SHOWN = 200


class Interpreter:
    """Takes instructions from the hearing of them to the start of a plan."""

    def __init__(
        self,
        conversation: Conversation,
        reader: MetaReader,
        last: LastWishes,
        orders: Orders,
        answering: Answering,
        grounding: Grounding,
        admission: Admission,
        binding: Binding,
        follow_ups: FollowUps,
    ) -> None:
        self._last = last
        self._language = last.language
        self._orders = orders
        self._grounding = grounding
        self._admission = admission
        self._binding = binding
        self._follow_ups = follow_ups
        self._commands = Commanding(conversation, reader, last, orders, answering)
        self._understanding = Understanding(
            self._commands,
            conversation,
            reader,
            last,
            orders,
            grounding,
            admission,
            binding,
            follow_ups,
        )

    def steps(self, exchange: Exchange) -> Steps[None]:
        """All that happens to an instruction, in this order.

        1. Everybody is told that it was heard.
        2. A stop, in all its forms, is carried out: it waits for nothing and nobody.
        3. Misspellings are put right, where that is certain; what is handed on as an answer stays as it was
           typed.
        4. It answers the supervisor's open question to this operator;
        5. one of this operator's plans has waited for these words ("until I say go");
        6. it answers what an action has asked;
        7. it is another command to the supervisor itself (`orders.py`); what is only like "stop", "no" or
           "pause" is taken for that later, if nobody understands it otherwise.
        8. Everything else is understood: as referring to what was done last ("undo that"), as a correction
           of it, by the language, or by a proposer. Of several meanings it is asked which one.
        9. What was left unsaid ("the arm", "it") and what was pointed at is filled in, or asked for.
        10. The plan is let in: refused, asked about, or carried out (`admission.py`, `book.py`).
        """
        self.hear(exchange)
        instruction = exchange.instruction
        meta = self._commands.command(instruction)
        if self._admission.is_closed and (meta is None or meta.kind is not MetaKind.EMERGENCY):
            exchange.refuse(CLOSING)
            return
        if meta is not None and meta.kind in STOPS:
            yield from self._orders.carry_out(meta, exchange)
            return
        is_said = not is_too_long(instruction.text) and instruction.source is not Source.PROPOSER
        spelt = instruction
        if is_said and meta is None and not sounds_like_stop(instruction.text):
            spelt = yield from self._spelt(instruction)
            if (
                spelt is not instruction
                and (meta := self._commands.command(spelt)) is not None
                and meta.kind in STOPS
            ):
                yield from self._orders.carry_out(meta, exchange)
                return
        if is_said and (yield from self._commands.carried_out(meta, exchange, spelt.text)):
            return
        exchange.instruction = spelt
        meant = yield from self._understanding.understood(exchange, instruction.text)
        if meant is not None:
            yield from self.carry_out(meant.wish, exchange, meant.after)

    def hear(self, exchange: Exchange) -> None:
        """Tell everybody that it was heard."""
        instruction = exchange.instruction
        heard = clean(instruction.text[: 4 * _MOST_SHOWN])
        shown = heard if len(heard) <= _MOST_SHOWN else heard[:_MOST_SHOWN] + " …"
        exchange.say(EventKind.HEARD, shown, {"source": instruction.source.value})

    def carry_out(self, wish: Wish, exchange: Exchange, after: PlanRecord | None = None) -> Steps[None]:
        """The last two of the `steps`, for what is understood, or needs no understanding."""
        try:
            wish = yield from self._binding.bound(wish, exchange)
            self._last.bound(exchange, wish.plan)
            if pointing_words(wish.plan):
                wish = yield Think(self._follow_ups.there(wish, exchange))
            wish = yield from self._grounding.grounded(wish, exchange)
            yield from self._admission.let_in(wish, exchange, after=after)
        except Exception as error:
            if exchange.instruction.source is not Source.PROPOSER:
                raise
            log.exception("a proposal that could not be considered: %r", wish.plan)
            exchange.refuse(f"the proposal is of no use: {type(error).__name__}: {error}.")

    def _spelt(self, instruction: Instruction) -> Steps[Instruction]:
        """With the misspellings put right that are certain; the same if there is none."""
        text: str = yield Think(partial(self._language.spelt, instruction.text))
        same = text == instruction.text
        return instruction if same else msgspec.structs.replace(instruction, text=text)
