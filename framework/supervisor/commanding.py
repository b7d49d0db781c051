"""What an instruction says to the supervisor itself: a command, or an answer that somebody waits for."""

from __future__ import annotations

import msgspec

from framework.dialogue.correction import read_correction
from framework.dialogue.meta import Meta, MetaKind
from framework.dialogue.meta_reading import MetaReader, last_part
from framework.dialogue.spelling import clean
from framework.plan.instruction import Instruction, Source
from framework.supervisor.answering import Answering
from framework.supervisor.conversation import Conversation
from framework.supervisor.exchange import Exchange, Steps
from framework.supervisor.last_wishes import LastWishes
from framework.supervisor.orders import Orders

MOST_CHARACTERS = 2000
STOPS = (MetaKind.STOP, MetaKind.EMERGENCY)
"""What waits for nothing and nobody."""

_AT_THE_END = (MetaKind.RESUME, MetaKind.PAUSE, MetaKind.CANCEL)


class Commanding:
    """Finds commands, and has them carried out."""

    def __init__(
        self,
        conversation: Conversation,
        reader: MetaReader,
        last: LastWishes,
        orders: Orders,
        answering: Answering,
    ) -> None:
        self._questions = conversation.questions
        self._reader = reader
        self._last = last
        self._orders = orders
        self._answering = answering

    def carried_out(self, meta: Meta | None, exchange: Exchange, text: str) -> Steps[bool]:
        """Whether it was an answer that somebody waits for, or a command that was carried out."""
        return (
            (yield from self._answering.answer_question(meta, exchange, text))
            or (yield from self._answering.hear_awaited(exchange, text))
            or (yield from self._answering.answer_asking_action(meta, exchange))
            or (meta is not None and (yield from self._orders.carry_out(meta, exchange)))
        )

    def command(self, instruction: Instruction) -> Meta | None:
        """What it says to the supervisor itself. A proposer has nothing to say there, nor to confirm."""
        if instruction.source is Source.PROPOSER or len(instruction.text) > MOST_CHARACTERS:
            return None
        meta = self._reader.command(instruction.text)
        if meta is not None:
            return meta
        correction = read_correction(instruction.text, self._last.words)  # "no, stop!"
        if correction is None or correction.wrong:
            return None
        meta = self._reader.command(correction.right)
        if meta is None or meta.what or meta.kind is MetaKind.YES:
            return None
        # "No, 10" is a number of something, unless it is one of the answers that are asked for.
        is_answer = self._questions.open_for(instruction.who) is not None
        return meta if is_answer or meta.kind is not MetaKind.CHOICE else None

    def said_at_the_end(self, instruction: Instruction) -> Meta | None:
        """The command that remarks end in: "there, all clear now, you may carry on"."""
        last = last_part(clean(instruction.text), self._reader.phrases.holding)
        if not last or instruction.source is Source.PROPOSER:
            return None
        meta = self.command(msgspec.structs.replace(instruction, text=last))
        return meta if meta is not None and meta.kind in _AT_THE_END and meta.is_certain else None
