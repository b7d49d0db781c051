"""Answers: which open question an utterance or a click answers, and with what.

The supervisor's own question comes before those of actions. Only the operator
who is asked counts; what is not clearly an answer is none. An answer that was
not heard clearly starts nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from framework.dialogue.answers import Answer, chosen, in_own_words
from framework.dialogue.confirmation import LEAST_CONFIDENCE, SURE_SOURCES, least
from framework.dialogue.correction import CorrectionWords, read_correction
from framework.dialogue.spelling import clean, words_of
from framework.events import EventKind
from framework.plan.instruction import Instruction, Source
from framework.supervisor.action_questions import CARRY_ON, NO, ActionQuestion
from framework.supervisor.activity import is_question
from framework.supervisor.conversation import Conversation
from framework.supervisor.meta import Meta, MetaKind
from framework.supervisor.meta_reading import MetaReader
from framework.supervisor.questions import Question
from framework.supervisor.reply import Reply

_ANSWERS = (MetaKind.YES, MetaKind.NO, MetaKind.CHOICE)


class Answering:
    """Takes answers.

    is_understood: whether the language makes an instruction of a text.
    is_instruction: the same, or it corrects the last one.
    is_moving: whether anything moves: "no" is a stop then.
    """

    def __init__(
        self,
        talk: Conversation,
        reader: MetaReader,
        correction_words: CorrectionWords,
        is_understood: Callable[[str], bool],
        is_instruction: Callable[[Instruction], bool],
        is_moving: Callable[[], bool],
    ) -> None:
        self._talk = talk
        self._reader = reader
        self._correction_words = correction_words
        self._is_understood = is_understood
        self._is_instruction = is_instruction
        self._is_moving = is_moving

    # -- in words

    def take(self, meta: Meta | None, instruction: Instruction, reply: Reply) -> bool:
        """Whether it answers the supervisor's question (or was meant to, and is refused as that)."""
        question = self._talk.questions.open_for(instruction.who)
        if question is None or instruction.source is Source.PROPOSER:
            return False
        return self._take(question, meta, instruction, reply)

    def take_for_action(self, meta: Meta | None, instruction: Instruction, reply: Reply) -> bool:
        """The same for the questions of actions; a "yes" that answers nothing at all is refused.

        Not so a "no" while something moves: that is for `Orders`, as a stop.
        """
        if instruction.source is Source.PROPOSER:
            return False
        if meta is not None and meta.kind in _ANSWERS:
            return self._without_question(meta, instruction, reply)
        if meta is not None and meta.kind is MetaKind.DONE:
            return self._answer_action(clean(instruction.text), instruction, reply)
        return meta is None and self._in_own_words_to_action(instruction, reply)

    def carry_on(self, instruction: Instruction, reply: Reply) -> bool:
        """Answer "carry on" to an action that asks; False if none does."""
        return self._answer_action(CARRY_ON, instruction, reply)

    def click(self, question_id: str, choice: int, instruction: Instruction, reply: Reply) -> None:
        """An answer by the question's id and the number of an option; 0 is no."""
        question = self._talk.questions.find(question_id)
        if question is None:
            gone = (
                f"there is no open question {question_id}: it was answered, withdrawn, or its time was over."
            )
            self._talk.refuse(reply, gone, instruction)
        elif not question.may_be_answered_by(instruction.who):
            self._talk.refuse(reply, f"{question.who or 'somebody else'} is asked that.", instruction)
        elif isinstance(question, ActionQuestion) and choice in (0, 1):
            self._tell_action(question, CARRY_ON if choice else NO, instruction, reply)
        else:
            self._settle(question, choice, instruction, reply)

    # -- the supervisor's question

    def _take(self, question: Question, meta: Meta | None, instruction: Instruction, reply: Reply) -> bool:
        if meta is not None and (meta.kind is MetaKind.NO or _calls_off(meta)):
            self._settle(question, 0, instruction, reply)
            return True
        if question.takes is not None:
            if (meta is None or meta.kind in _ANSWERS) and self._takes(question.takes, instruction):
                reply.settle(True)
                return True
        elif meta is not None and meta.kind is MetaKind.YES:
            if question.options:
                self._talk.refuse(reply, f"which one? {question.full_text}", instruction)
            else:
                self._settle(question, 1, instruction, reply)
            return True
        if meta is not None and meta.kind not in _ANSWERS:
            return False
        if not question.options:
            if meta is not None:
                again = f"yes or no? {question.text}" if question.is_yes_or_no else question.full_text
                self._talk.refuse(reply, again, instruction)
            return meta is not None
        return self._choose(question, meta, instruction, reply)

    def _takes(self, takes: Callable[[Instruction], bool], instruction: Instruction) -> bool:
        if takes(instruction):
            return True
        correction = read_correction(instruction.text, self._correction_words)  # "I mean the hand"
        if correction is None or correction.wrong:
            return False
        return takes(msgspec.structs.replace(instruction, text=correction.right))

    def _choose(self, question: Question, meta: Meta | None, instruction: Instruction, reply: Reply) -> bool:
        answer, is_own_words = self._chosen(question, meta, instruction)
        if answer.choice is not None:
            # Part of an option that is an instruction in itself may be meant as that.
            if is_own_words and not answer.is_whole and self._is_understood(instruction.text):
                return False
            self._settle(question, answer.choice, instruction, reply)
            return True
        if meta is None and (not answer.could_be or self._is_understood(instruction.text)):
            return False
        if answer.could_be:
            which = " or ".join(str(number) for number in answer.could_be)
            unclear = f'that could be {which}: say "number {answer.could_be[0]}", for example. '
        else:
            unclear = f"there is no answer {meta.choice if meta is not None else ''}: "
        self._talk.refuse(reply, f"{unclear}{question.full_text}", instruction)
        return True

    def _chosen(self, question: Question, meta: Meta | None, instruction: Instruction) -> tuple[Answer, bool]:
        text, filling = clean(instruction.text), self._reader.phrases.filling
        if meta is not None and meta.choice:
            by_place = self._reader.is_by_place
            number = meta.choice
            return chosen(text, number, question.options, by_place=by_place, filling=filling), False
        answer = in_own_words(self._reader.normal(text), question.options, filling)
        correction = read_correction(text, self._correction_words)
        if answer.choice is None and correction is not None and not correction.wrong:
            answer = in_own_words(correction.right, question.options, filling)
        return answer, True

    def _settle(self, question: Question, choice: int, instruction: Instruction, reply: Reply) -> None:
        """Answer a question, if this may be the answer."""
        if choice and question.typed_only and instruction.source not in SURE_SOURCES:
            self._talk.refuse(reply, "that is not confirmed by voice or gesture: type it.", instruction)
        elif choice and least(instruction.confidence) < LEAST_CONFIDENCE:
            unsure = f"I did not hear that clearly enough, say it again: {question.full_text}"
            self._talk.refuse(reply, unsure, instruction)
        elif self._talk.questions.answer(question, choice, instruction.source):
            reply.settle(True)
        else:
            self._talk.refuse(reply, f"there is no answer {choice}: {question.full_text}", instruction)

    # -- questions of actions

    def _without_question(self, meta: Meta, instruction: Instruction, reply: Reply) -> bool:
        if self._answer_action(clean(instruction.text), instruction, reply):
            return True
        if self._is_understood(instruction.text) or self._reader.forbids(instruction.text):
            return False
        if meta.kind is MetaKind.NO and self._is_moving():
            return False
        others = [question.who or "somebody else" for question in self._talk.questions.open]
        asked = f"; {others[0]} is asked, and answers" if others else ""
        self._talk.refuse(reply, f"I have not asked you anything{asked}.", instruction)
        return True

    def _in_own_words_to_action(self, instruction: Instruction, reply: Reply) -> bool:
        """What is neither an instruction nor a question answers the action that asks."""
        text = clean(instruction.text)
        if (
            not words_of(text)
            or is_question(text)
            or not self._talk.questions.of_actions_for(instruction.who)
        ):
            return False
        return not self._is_instruction(instruction) and self._answer_action(text, instruction, reply)

    def _answer_action(self, text: str, instruction: Instruction, reply: Reply) -> bool:
        asking = [
            question
            for question in self._talk.questions.of_actions_for(instruction.who)
            if isinstance(question, ActionQuestion)
        ]
        if not asking:
            return False
        if len(asking) == 1:
            self._tell_action(asking[0], text, instruction, reply)
        else:
            self._talk.ask(
                f'Whom do you answer with "{text}"?',
                instruction,
                reply,
                lambda choice, answered: self._tell_action(asking[choice - 1], text, answered, reply),
                tuple(f"{question.action.words}: {question.text}" for question in asking),
            )
        return True

    def _tell_action(
        self, question: ActionQuestion, text: str, instruction: Instruction, reply: Reply
    ) -> None:
        if not question.is_open():
            self._talk.refuse(reply, f"{question.action.words} does not ask any more.", instruction)
            return
        if least(instruction.confidence) < LEAST_CONFIDENCE and text != NO:
            self._talk.refuse(reply, f"I did not hear that clearly enough: {question.text}", instruction)
            return
        words = question.action.words
        question.answer_with(text, self._talk.questions)
        if text == CARRY_ON:
            self._talk.say(reply, EventKind.RESUMED, f"I carry on: {words}.", instruction)
        reply.settle(True)


def _calls_off(meta: Meta) -> bool:
    return meta.kind is MetaKind.CANCEL and not meta.what
