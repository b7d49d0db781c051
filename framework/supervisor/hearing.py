"""The first looks at an instruction: it was heard; is it a command; does somebody wait for it?

What becomes of it then is decided in `supervisor.py`.
"""

from __future__ import annotations

from framework.dialogue.confirmation import LEAST_CONFIDENCE
from framework.dialogue.correction import CorrectionWords, read_correction
from framework.dialogue.spelling import clean
from framework.events import EventKind
from framework.plan.instruction import Instruction, Source
from framework.supervisor.book import PlanBook
from framework.supervisor.conversation import Conversation
from framework.supervisor.meta import Meta, MetaKind
from framework.supervisor.meta_reading import MetaReader
from framework.supervisor.reply import Reply
from framework.supervisor.understanding import MOST_CHARACTERS

_MOST_SHOWN = 200


class Hearing:
    """Of one supervisor. reader, correction_words: the language's words for all that needs no grammar."""

    def __init__(
        self, reader: MetaReader, correction_words: CorrectionWords, book: PlanBook, talk: Conversation
    ) -> None:
        self._reader = reader
        self._correction_words = correction_words
        self._book = book
        self._talk = talk

    def heard(self, instruction: Instruction) -> Reply:
        """It is said to everybody that this was heard; what is to become of it is told in the reply."""
        reply = Reply()
        heard = clean(instruction.text[: 4 * _MOST_SHOWN])
        shown = heard if len(heard) <= _MOST_SHOWN else heard[:_MOST_SHOWN] + " …"
        self._talk.say(reply, EventKind.HEARD, shown, instruction, {"source": instruction.source.value})
        return reply

    def meta(self, instruction: Instruction) -> Meta | None:
        """What it says to the supervisor itself. A proposer has nothing to say there, nor to confirm."""
        if instruction.source is Source.PROPOSER or len(instruction.text) > MOST_CHARACTERS:
            return None
        meta = self._reader.command(instruction.text)
        if meta is not None:
            return meta
        correction = read_correction(instruction.text, self._correction_words)  # "no, stop!"
        if correction is None or correction.wrong:
            return None
        meta = self._reader.command(correction.right)
        return meta if meta is not None and not meta.what and meta.kind is not MetaKind.YES else None

    def is_awaited(self, instruction: Instruction, reply: Reply) -> bool:
        """Whether a plan of this operator has waited for just these words; then it has heard them."""
        if instruction.source is Source.PROPOSER:
            return False
        said, who = self._reader.normal(instruction.text), instruction.who
        if not self._book.awaits(said, who):
            return False

        def hear(*_: object) -> None:
            if self._book.hear(said, who):
                self._talk.say(reply, EventKind.ANSWERED, f'I heard "{said}".', instruction)
            reply.settle(True)

        if instruction.confidence >= LEAST_CONFIDENCE:
            hear()
        else:
            self._talk.ask(f'Did you say "{said}"?', instruction, reply, hear)
        return True
