"""Answers: which open question an utterance or a click answers, and with what.

The supervisor's own question comes before those of actions. Only the operator
who is asked counts; what is not clearly an answer is none. An answer that was
not heard clearly starts nothing.
"""

from __future__ import annotations

from functools import partial

import msgspec

from framework.dialogue.answers import Answer, chosen, in_own_words
from framework.dialogue.confirmation import LEAST_CONFIDENCE, SURE_SOURCES, least
from framework.dialogue.correction import read_correction
from framework.dialogue.meta import Meta, MetaKind
from framework.dialogue.meta_reading import MetaReader
from framework.dialogue.spelling import clean, words_of
from framework.events import EventKind
from framework.plan.instruction import Source
from framework.supervisor.book import PlanBook
from framework.supervisor.exchange import Ask, Exchange, Steps, Think
from framework.supervisor.last_wishes import LastWishes
from framework.supervisor.orders import Orders
from framework.supervisor.questions import CARRY_ON, NO, ActionQuestion, Question, Questions

REACTION_S = 0.6
"""Nobody answers by a gesture sooner after a question was put [s]: its way to the page, and a person's."""

_ANSWERS = (MetaKind.YES, MetaKind.NO, MetaKind.CHOICE)


class Answering:
    """Takes answers. Nothing that a proposer says is one: it has no meta commands, and does not come here.

    last: what corrects the last instruction is no answer. orders: "no" while something moves is one of them.
    """

    def __init__(
        self, questions: Questions, reader: MetaReader, last: LastWishes, book: PlanBook, orders: Orders
    ) -> None:
        self._questions = questions
        self._reader = reader
        self._last = last
        self._book = book
        self._orders = orders

    def answer_question(self, meta: Meta | None, exchange: Exchange, spelt: str) -> Steps[bool]:
        """Whether it answers the supervisor's question (or was meant to, and is refused as that).

        spelt: its text, with misspellings put right.
        """
        question = self._questions.open_for(exchange.who)
        if question is None:
            return False
        if meta is not None and (meta.kind is MetaKind.NO or _calls_off(meta)):
            self._settle(question, 0, exchange)
            return True
        if question.free is not None:
            if (meta is None or meta.kind in _ANSWERS) and (
                yield from self._answer_freely(question, exchange)
            ):
                return True
        elif meta is not None and meta.kind is MetaKind.YES:
            if question.options:
                exchange.refuse(f"which one? {question.full_text}")
            else:
                self._settle(question, 1, exchange)
            return True
        if meta is not None and meta.kind not in _ANSWERS:
            return False
        if not question.options:
            if meta is not None:
                again = f"yes or no? {question.text}" if question.is_yes_or_no else question.full_text
                exchange.refuse(again)
            return meta is not None
        return (yield from self._answer_option(question, meta, exchange, spelt))

    def may_answer(self, text: str, who: str) -> bool:
        """Whether it may answer an open question of this operator's, or is what one of their plans awaits."""
        question = self._questions.open_for(who)
        if question is not None and question.free is not None:
            return True
        if question is not None and question.options:
            answer, _ = self._chosen(question, None, text)
            if answer.choice is not None or answer.could_be:
                return True
        if any(each.takes_words for each in self._questions.of_actions_for(who)):
            return True
        return self._book.awaits(self._reader.normal(text), who)

    def hear_awaited(self, exchange: Exchange, spelt: str) -> Steps[bool]:
        """Whether a plan of this operator has waited for just these words; then it has heard them.

        spelt: its text, with misspellings put right.
        """
        ways = map(self._reader.normal, (exchange.instruction.text, spelt))
        said = next((each for each in ways if self._book.awaits(each, exchange.who)), None)
        if said is None:
            return False
        if not exchange.instruction.confidence >= LEAST_CONFIDENCE:
            yield Ask(f'Did you say "{said}"?')
        if self._book.hear(said, exchange.who):
            exchange.say(EventKind.ANSWERED, f'I heard "{said}".')
        exchange.settle(True)
        return True

    def answer_asking_action(self, meta: Meta | None, exchange: Exchange) -> Steps[bool]:
        """Whether it answers an action's question; a "yes" that answers nothing at all is refused.

        Not so a "no" while something moves: that is for `Orders`, as a stop.
        """
        text = clean(exchange.instruction.text)
        if meta is None:
            # What is neither an instruction nor a question answers the action that asks.
            is_asked = any(question.takes_words for question in self._asking(exchange))
            may_be = bool(words_of(text)) and not text.endswith("?") and is_asked
            if not may_be or (yield Think(partial(self._last.is_instruction, exchange.instruction))):
                return False
            if (yield Think(partial(self._last.is_question, text))):
                return False
            return (yield from self._answer_action(text, exchange))
        if meta.kind is MetaKind.RESUME and not meta.what:
            return (yield from self._answer_action(CARRY_ON, exchange))
        if meta.kind is not MetaKind.DONE and meta.kind not in _ANSWERS:
            return False
        if (yield from self._answer_action(text, exchange)):
            return True
        if meta.kind is MetaKind.DONE or self._reader.forbids(text):
            return False
        if (yield from self._understands(text)):
            return False
        if meta.kind is MetaKind.NO and self._orders.what_moves:
            return False
        others = [question.who or "somebody else" for question in self._questions.open]
        asked = f"; {others[0]} is asked, and answers" if others else ""
        exchange.refuse(f"I have not asked you anything{asked}.")
        return True

    def click(self, question_id: str, choice: int, exchange: Exchange) -> None:
        """An answer by the question's id and the number of an option; 0 is no."""
        question = self._questions.find(question_id)
        if question is None:
            gone = "it was answered, withdrawn, or its time was over"
            exchange.refuse(f"there is no open question {question_id}: {gone}.")
        elif not question.may_be_answered_by(exchange.who):
            exchange.refuse(f"{question.who or 'somebody else'} is asked that.")
        elif isinstance(question, ActionQuestion) and choice in (0, 1):
            self._tell_action(question, CARRY_ON if choice else NO, exchange)
        else:
            self._settle(question, choice, exchange)

    def open_before(self, who: str, began_s: float) -> Question | None:
        """The question that a gesture of this operator may answer, shown since `began_s`: one that was open
        before. Who had their thumb up already has answered nothing."""
        own = self._questions.open_for(who)
        asked = (*((own,) if own is not None else ()), *self._questions.of_actions_for(who))
        return next((each for each in asked if each.asked_s + REACTION_S <= began_s), None)

    def gesture(self, question: Question, choice: int, exchange: Exchange) -> None:
        """Answer it by a gesture for yes (1) or no (0).

        What an action asks is not answered by such a "yes", for it lets something go on that rests.
        """
        if isinstance(question, ActionQuestion):
            if choice:
                exchange.refuse(f"that is not answered by a gesture, say or type it: {question.full_text}")
            elif len(self._asking(exchange)) > 1:
                exchange.refuse("several actions ask; say or type which one you answer.")
            else:
                self._tell_action(question, NO, exchange)
        elif choice and not question.is_yes_or_no:
            exchange.refuse(f"which one? {question.full_text}")
        else:
            self._settle(question, choice, exchange)

    # -- the supervisor's question

    def _understands(self, text: str) -> Steps[bool]:
        return bool((yield Think(partial(self._last.language.understands, text))))

    def _answer_freely(self, question: Question, exchange: Exchange) -> Steps[bool]:
        instruction = exchange.instruction
        correction = read_correction(instruction.text, self._last.words)  # "I mean the hand"
        said = [instruction]
        if correction is not None and not correction.wrong:
            said.append(msgspec.structs.replace(instruction, text=correction.right))
        for each in said:
            assert question.free is not None
            read = yield Think(partial(question.free.read, each))
            if self._questions.answer_freely(question, each, read):
                exchange.settle(True)
                return True
        return False

    def _answer_option(
        self, question: Question, meta: Meta | None, exchange: Exchange, spelt: str
    ) -> Steps[bool]:
        instruction = exchange.instruction
        answer, is_own_words = self._chosen(question, meta, instruction.text)
        if answer.choice is None and spelt != instruction.text:
            answer, is_own_words = self._chosen(question, meta, spelt)
        if answer.choice is not None:
            # Part of an option that is an instruction in itself may be meant as that.
            if is_own_words and not answer.is_whole and (yield from self._understands(instruction.text)):
                return False
            self._settle(question, answer.choice, exchange)
            return True
        if meta is None and (not answer.could_be or (yield from self._understands(instruction.text))):
            return False
        if answer.could_be:
            which = " or ".join(str(number) for number in answer.could_be)
            unclear = f'that could be {which}: say "number {answer.could_be[0]}", for example. '
        else:
            unclear = f"there is no answer {meta.choice if meta is not None else ''}: "
        exchange.refuse(f"{unclear}{question.full_text}")
        return True

    def _chosen(self, question: Question, meta: Meta | None, text: str) -> tuple[Answer, bool]:
        text, filling = clean(text), self._reader.phrases.filling
        if meta is not None and meta.choice:
            by_place = self._reader.is_by_place
            return chosen(text, meta.choice, question.options, by_place=by_place, filling=filling), False
        answer = in_own_words(self._reader.normal(text), question.options, filling)
        correction = read_correction(text, self._last.words)
        if answer.choice is None and correction is not None and not correction.wrong:
            answer = in_own_words(correction.right, question.options, filling)
        return answer, True

    def _settle(self, question: Question, choice: int, exchange: Exchange) -> None:
        """Answer a question, if this may be the answer."""
        instruction = exchange.instruction
        if choice and question.typed_only and instruction.source not in SURE_SOURCES:
            exchange.refuse("that is not confirmed by voice or gesture: type it.")
        elif choice and least(instruction.confidence) < LEAST_CONFIDENCE:
            is_seen = instruction.source is Source.GESTURE
            unclear = "see that clearly enough, show" if is_seen else "hear that clearly enough, say"
            exchange.refuse(f"I did not {unclear} it again: {question.full_text}")
        elif self._questions.answer(question, choice, instruction.source):
            exchange.settle(True)
        else:
            exchange.refuse(f"there is no answer {choice}: {question.full_text}")

    # -- questions of actions

    def _asking(self, exchange: Exchange) -> tuple[ActionQuestion, ...]:
        return self._questions.of_actions_for(exchange.who)

    def _answer_action(self, text: str, exchange: Exchange) -> Steps[bool]:
        asking = self._asking(exchange)
        if not asking:
            return False
        which = 1
        if len(asking) > 1:
            options = tuple(f"{question.action.words}: {question.text}" for question in asking)
            which = (yield Ask(f'Whom do you answer with "{text}"?', options)).choice
        self._tell_action(asking[which - 1], text, exchange)
        return True

    def _tell_action(self, question: ActionQuestion, text: str, exchange: Exchange) -> None:
        words = question.action.words
        if not question.is_open:
            exchange.refuse(f"{words} does not ask any more.")
        elif least(exchange.instruction.confidence) < LEAST_CONFIDENCE and text != NO:
            exchange.refuse(f"I did not hear that clearly enough: {question.text}")
        else:
            self._questions.answer_action(question, text)
            if text == CARRY_ON:
                exchange.say(EventKind.RESUMED, f"I carry on: {words}.")
            exchange.settle(True)


def _calls_off(meta: Meta) -> bool:
    return meta.kind is MetaKind.CANCEL and not meta.what
