"""What refers to what was done last: taken back, turned round, so far instead, the same with something else.

What it means is decided in `framework.dialogue.follow_up`. What takes the place of something counts from
where that began (`PlanBook.start`); what could mean several things, or nothing, is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from framework.dialogue.continuing import continued, one_after_the_other
from framework.dialogue.correction import Corrected, Correction, LastSaid, with_a_bit
from framework.dialogue.discourse import kinds_of
from framework.dialogue.follow_up import (
    FollowUp,
    FollowUpKind,
    FollowUpReader,
    other_way,
    scaled,
    turned_round,
    with_another,
)
from framework.dialogue.language import SpokenLanguage
from framework.dialogue.referred import Referent, Referred, goes_too_far
from framework.dialogue.referring import Content, Mode, Referring, ReferringReader
from framework.dialogue.spelling import clean, words_of
from framework.dialogue.values import actions_in
from framework.dialogue.wish import Wish
from framework.events import EventKind, Subject
from framework.plan.ast import Do, Plan
from framework.plan.ast import Sequence as InSequence
from framework.plan.instruction import Instruction
from framework.plan.parser import NotUnderstood, Reading, Understood, World
from framework.plan.signature import Signatures
from framework.plugins.action import Risk
from framework.supervisor.begun import to_take_back
from framework.supervisor.book import PlanBook
from framework.supervisor.exchange import Answer, Ask, Exchange, Steps, Think
from framework.supervisor.last_wishes import LastWish, LastWishes
from framework.supervisor.plans import PlanRecord
from framework.supervisor.questions import Questions
from framework.tree.action import ActionNode
from framework.tree.run import PlanState
from framework.tree.view import NodeState

#: "A bit more", in the words of phrases.
_A_BIT = "a bit"

_MOST_WITH_PRONOUN = 4
#: The same, with how it is to be done behind the pronoun.
_MOST_BEHIND_PRONOUN = 7
#: So many of the last instructions a text may be said behind: "both down again".
_MOST_BEFORE = 2
_NOTHING = "What do you mean? You have had nothing moved yet that this could be about."
_WHAT_IS = 'What do you mean by "{word}"?'
_WHAT_CHANGES = 'What shall I change in "{words}": which one, which way, or how far?'
_BEFORE_EMERGENCY = "that was before the emergency stop: say what is to move now"


class Follow(NamedTuple):
    """What is to be done. after: a plan that ends first."""

    wish: Wish
    after: PlanRecord | None = None


class FollowUps:
    """Carries out what refers to what was done last."""

    def __init__(
        self,
        book: PlanBook,
        last: LastWishes,
        reader: FollowUpReader,
        signatures: Signatures,
        world: World,
        questions: Questions,
        signs: ReferringReader,
        of_things: Collection[str] = (),
    ) -> None:
        self._signs = signs
        self._of_things = frozenset(of_things)
        self._book = book
        self._last = last
        self._language: SpokenLanguage = last.language
        self._reader = reader
        self._signatures = signatures
        self._world = world
        self._questions = questions

    def read(self, text: str, correction: Correction | None) -> FollowUp | None:
        """What a text says of what was done last; None if nothing."""
        found = self._reader.read(text)
        if found is None and correction is not None and not correction.wrong:
            found = self._reader.read(correction.right)
            if found is not None and found.kind is FollowUpKind.UNDO:
                found = msgspec.structs.replace(found, rest=correction.right)
        return found

    def another(self, text: str, last: LastWish, *, is_named: bool = False) -> tuple[Plan, ...]:
        """The last plan with another one of what it names, if a text names that: "the left one"."""
        telling = self._reader.naming(text, self._nouns(), is_named=is_named)
        if not telling:
            return ()
        return tuple(
            changed
            for plan in self._last.plans(last)
            for changed in with_another(plan, telling, self._signatures, self._world)
        )

    def _nouns(self) -> set[str]:
        kinds = kinds_of(self._signatures)
        return {each.name.rpartition(" ")[2] for kind in kinds for each in self._world.known(kind)}

    def instead(self, correction: Correction, last: LastWish, exchange: Exchange) -> Follow | None:
        """The last plan with another one of what it names: "no, the left one"."""
        plans = self.another(correction.right, last)
        if len(plans) != 1:
            return None
        after = self.end(last, exchange)
        return self._begun(plans[0], last, exchange, after=after, is_instead=True)

    def is_meant(self, follow: FollowUp, who: str, *, is_sure: bool) -> Callable[[], bool]:
        """Whether it is about what was done last, as work. is_sure: it is an instruction in itself."""
        last = self._last.of(who)  # by now, and not by the time that somebody has thought
        has_moved = self._has_moved(who)
        return partial(self._is_meant, follow, last, has_moved=has_moved, is_sure=is_sure)

    def _is_meant(self, follow: FollowUp, last: LastWish | None, *, has_moved: bool, is_sure: bool) -> bool:
        if follow.kind is FollowUpKind.UNDO:
            return (not is_sure or has_moved) and not (last is not None and self._is_way(follow, last))
        if follow.kind is FollowUpKind.SAME:
            return last is not None and bool(self._same_with(follow, last))
        if is_sure or not follow.rest:
            return not is_sure
        plans = () if last is None else self._last.plans(last)
        if follow.kind is FollowUpKind.OTHER_WAY:
            return any(self._other_way_by(other_way(each, self._signatures), follow.rest) for each in plans)
        return any(self._by(each, follow.rest) is not None for each in plans)

    def _is_way(self, follow: FollowUp, last: LastWish) -> bool:
        """Whether what corrects it is one of its ways: "sorry, I meant back"."""
        return bool(follow.rest) and any(
            not each.is_whole for each in self._last.corrected(Correction(follow.rest), last)
        )

    def _has_moved(self, who: str) -> bool:
        """Whether what this operator had done last can be taken back."""
        record = next((each for each in self._book.started_by(who) if _is_there_to_take_back(each)), None)
        return record is not None and bool(to_take_back(record))

    def end(self, last: LastWish, exchange: Exchange) -> PlanRecord | None:
        """The last instruction is not wanted: its question and its plan end."""
        self._questions.withdraw(exchange.who, "you have corrected it")
        record = self._last.running(last)
        if record is not None:
            exchange.say(EventKind.CANCELLED, f"I end: {record.words}.")
            record.run.stop("the operator has corrected it")
            return record
        ending = self._book.find(last.reply.plan) if last.reply.plan else None
        is_ending = ending is not None and ending.is_active and not ending.is_wanted
        return ending if is_ending else None

    def steps(self, follow: FollowUp, exchange: Exchange) -> Steps[Follow | None]:
        """What it comes to; None if that is settled, or a question is all that comes of it."""
        self._questions.withdraw(exchange.who, "you have said something else")
        if follow.kind is FollowUpKind.UNDO:
            return (yield from self._take_back(exchange))
        last = self._last.of(exchange.who)
        if last is not None and follow.kind is FollowUpKind.SAME:
            return (yield from self._same(follow, last, exchange))
        plans = () if last is None else self._last.plans(last)
        # Of what is still being asked nobody knows which it is, and nothing has moved by it.
        if last is None or len(plans) != 1 or not self._moves(plans[0]) or not last.reply.plan:
            yield Ask(_NOTHING, free=_NothingIsAnAnswer())
            return None
        plan = plans[0]
        match follow.kind:
            case FollowUpKind.OTHER_WAY:
                turned = other_way(plan, self._signatures)
                if follow.rest:
                    so_far = yield Think(partial(self._other_way_by, turned, follow.rest))
                    return (yield from self._instead(so_far, follow, last, exchange))
                return (yield from self._instead(turned, follow, last, exchange))
            case FollowUpKind.HALF | FollowUpKind.DOUBLE:
                find = partial(scaled, plan, follow.kind, self._signatures, self._says)
                changed = yield Think(find)
                plans = () if changed is None else (changed,)
                return (yield from self._instead(plans, follow, last, exchange))
            case FollowUpKind.TOO_FAR:
                return (yield from self._how_far(plan, last, exchange))
        is_back = follow.kind is FollowUpKind.LESS
        more = yield Think(partial(self._a_bit, plan, is_back, follow.rest or _A_BIT))
        if more is None:
            return (yield from self._instead((), follow, last, exchange))
        return self._begun(more, last, exchange, after=self._last.running(last))

    # -- said behind what was done last

    def continued(self, text: str, who: str) -> Callable[[], tuple[Reading, ...]]:
        """What a text means behind what this operator had done last, as work; nothing if that is nothing."""
        last = self._last.of(who)
        started = [record for record in self._book.started_by(who) if record.can_be_taken_back]
        is_last = bool(started) and last is not None and last.reply.plan == started[0].id
        done = [record.plan for record in started[:_MOST_BEFORE]] if is_last else []
        return partial(self._continued, text, last, done)

    def _continued(self, text: str, last: LastWish | None, done: Sequence[Plan]) -> tuple[Reading, ...]:
        if last is None or not done:
            return ()
        said = self._signs.without_filling(text)
        language = self._language
        for count in range(1, len(done) + 1):
            before = done[:count][::-1]
            if found := continued(said, before, language.parse, language.plain_words):
                return found
        for referring, rest in self._signs.beginnings(said) if self._moves(done[0]) else ():
            first = self._referred(referring, last) if referring.mode is Mode.AGAIN else None
            if first is None or first.left_out or len(first.plans) != 1:
                continue
            again = first.plans[0]
            found = continued(rest, (done[0], again), language.parse, language.plain_words)
            return tuple(
                msgspec.structs.replace(
                    each,
                    plan=one_after_the_other((again, each.plan)),
                    confidence=min(each.confidence, first.confidence),
                )
                for each in found
            )
        return ()

    def follow_on(self, readings: Sequence[Reading], exchange: Exchange) -> Steps[Follow | None]:
        """Do what was said behind what was done last; it comes after that."""
        self._questions.withdraw(exchange.who, "you have said something else")
        last = self._last.of(exchange.who)
        if last is None:
            return None
        running = self._last.running(last)
        which = yield from self._which([each.plan for each in readings], exchange)
        reading = readings[which]
        found = self._begun(reading.plan, last, exchange, after=running)
        sure = 1.0 if len(readings) > 1 else min(found.wish.confidence, reading.confidence)
        wish = msgspec.structs.replace(found.wish, confidence=sure, corrections=reading.corrections)
        return Follow(wish, found.after)

    def unnamed(self, text: str, result: NotUnderstood) -> str:
        """The pronoun for which a short instruction is not understood: "it" of "rotate it a bit"; else ""."""
        words = words_of(text)
        is_question = bool(result.answer) or text.rstrip().endswith("?")
        if is_question or result.kind is not Subject.NOT_UNDERSTOOD or len(words) < 2:
            return ""
        pronouns = self._last.words.pronouns
        if len(words) <= _MOST_WITH_PRONOUN and words[-1] in pronouns:
            return words[-1]
        # "Rotate it a bit": how it is to be done stands behind.
        is_short = len(words) <= _MOST_BEHIND_PRONOUN and not any(each.isdigit() for each in text)
        at = next((place for place in (1, 2) if place < len(words) and words[place] in pronouns), 0)
        return words[at] if at and is_short else ""

    def ask_what(self, word: str) -> Steps[None]:
        """Ask what a pronoun means; the instruction has to be said with its name."""
        yield Ask(_WHAT_IS.format(word=word), free=_NothingIsAnAnswer())

    # -- said word by word

    def referring(self, text: str) -> Referring | None:
        """What a text says of what was done last, word by word; None if nothing."""
        found = self._signs.read(text)
        is_request = found is not None and found.mode is Mode.AGAIN  # "could the right one do the same?"
        return found if is_request or not text.rstrip().endswith("?") else None

    def referred(self, referring: Referring, who: str) -> Callable[[], Referred | None]:
        """What that comes to, as work; None if a word of it fits nothing."""
        return partial(self._referred, referring, self._last.of(who))

    def _referred(self, referring: Referring, last: LastWish | None) -> Referred | None:
        if referring.mode is Mode.UNDO:
            if not all(map(self._is_remark, referring.contents)):
                return None
            return Referred(Mode.UNDO, (), tuple(each.text for each in referring.contents))
        plans = () if last is None else self._last.plans(last)
        if last is None or len(plans) != 1 or not last.reply.plan:
            return None
        is_going_on = self._last.running(last) is not None
        if referring.is_bare and not (
            is_going_on or any(self._named(each.thing) for each in referring.contents)
        ):
            return None
        needs_motion = referring.mode in (Mode.FURTHER, Mode.LESS, Mode.TOO_FAR) or any(
            each.is_alone for each in referring.contents
        )
        if needs_motion and not self._moves(plans[0]):
            return None
        language = self._language
        referent = Referent(
            LastSaid(last.text, plans),
            language.plainly,
            language.surely,
            language.plain_words,
            self._named,
            self._signatures,
            self._world,
            is_going_on=is_going_on,
        )
        found = referent.changed(referring)
        if found is None or (found.plans == plans and self._needs_change(referring)):
            return None
        if referring.is_less_if_back and any(map(referent.is_way_back, found.plans)):
            mode = Mode.LESS if referring.is_bit or referent.says_how_far(referring) else Mode.TOO_FAR
            found = msgspec.structs.replace(found, mode=mode)
        if found.mode in (Mode.FURTHER, Mode.LESS):
            return self._so_much(referring, found, referent, plans[0])
        return found

    def _needs_change(self, referring: Referring) -> bool:
        """Whether it means nothing if all stays as it is."""
        return referring.mode is Mode.INSTEAD or (referring.mode is Mode.AGAIN and not referring.repeats)

    def _so_much(
        self, referring: Referring, found: Referred, referent: Referent, plan: Plan
    ) -> Referred | None:
        """The last measured action, so much of it, or a little."""
        if found.mode is Mode.LESS and not (referring.is_bit or referent.says_how_far(referring)):
            return None
        if not referent.says_how_far(referring):
            do = self._a_bit(plan, found.mode is Mode.LESS, _A_BIT)
        else:
            do = referent.acts(found.plans[0]) if len(found.plans) == 1 else None
        return None if do is None else msgspec.structs.replace(found, plans=(do,))

    def carry_out(self, referring: Referring, referred: Referred, exchange: Exchange) -> Steps[Follow | None]:
        """Do what it comes to; None if that is settled, or a question is all that comes of it."""
        self._questions.withdraw(exchange.who, "you have said something else")
        last = self._last.of(exchange.who)
        if referred.mode is Mode.UNDO:
            found = yield from self._take_back(exchange)
        elif last is None:
            return None
        elif referred.mode is Mode.TOO_FAR:
            found = yield from self._how_far(self._last.plans(last)[0], last, exchange)
        else:
            is_instead = referred.mode is Mode.INSTEAD
            running = self._last.running(last)
            after = self.end(last, exchange) if is_instead else None if referred.is_another else running
            which = yield from self._which(referred.plans, exchange)
            found = self._begun(referred.plans[which], last, exchange, after=after, is_instead=is_instead)
        if found is None:
            return None
        sure = min(found.wish.confidence, referred.confidence)
        wish = msgspec.structs.replace(found.wish, left_out=referred.left_out, confidence=sure)
        return Follow(wish, found.after)

    def ends_first(self, referring: Referring, who: str) -> PlanRecord | None:
        """What goes on by the last instruction and is not wanted so, whatever is wanted instead."""
        last = self._last.of(who)
        if last is None or referring.mode in (Mode.AGAIN, Mode.FURTHER):
            return None
        return self._last.running(last)

    def ask_what_changes(self, last: LastWish, exchange: Exchange) -> Steps[Follow | None]:
        """Something was wrong with what moved, and it is not clear what: it ends, and that is asked."""
        after = self.end(last, exchange)
        words = self._language.plain_words(self._last.plans(last)[0])
        answer: Answer = yield Ask(_WHAT_CHANGES.format(words=words), free=_HowFar(self._last, last))
        exchange.add_doubt(answer.source, answer.said.confidence if answer.read is not None else 1.0)
        if answer.read is None:
            return None
        return self._begun(answer.read, last, exchange, after=after, is_instead=True)

    def has_moved_by(self, last: LastWish) -> bool:
        """Whether something moves, or has moved, by it."""
        plans = self._last.plans(last)
        return len(plans) == 1 and bool(last.reply.plan) and self._moves(plans[0])

    def _named(self, content: str) -> list[str]:
        """The words of a content that tell one thing from another: those of "with the left"."""
        words = words_of(content)
        is_named = bool(words) and words[0] in self._of_things
        return self._reader.naming(content, self._nouns(), is_named=is_named)

    def _is_remark(self, content: Content) -> bool:
        is_plain = not any(each.isdigit() for each in content.text)
        return is_plain and not isinstance(self._language.parse(content.text), Understood)

    def _which(self, plans: Sequence[Plan], exchange: Exchange) -> Steps[int]:
        """Which of several is meant, from 0."""
        if len(plans) == 1:
            return 0
        options = yield Think(partial(self._language.options, plans))
        answer: Answer = yield Ask("What do you mean?", options)
        exchange.add_doubt(answer.source)
        return answer.choice - 1

    # -- taking back

    def _take_back(self, exchange: Exchange) -> Steps[Follow | None]:
        records = self._book.started_by(exchange.who)
        record = next((each for each in records if _is_there_to_take_back(each)), None)
        if record is None:
            yield Ask(_NOTHING, free=_NothingIsAnAnswer())
            return None
        if record.is_before_emergency:
            exchange.refuse(f"{_BEFORE_EMERGENCY}.")
            return None
        parts = to_take_back(record)
        if not parts:
            exchange.refuse(f'"{record.words}" cannot be taken back: {_why_not(record, self._signatures)}.')
            return None
        taken = {id(part.action) for part in parts}
        stays = [each.words for each in record.run.actions if _was_done(each) and id(each) not in taken]
        steps = tuple(turned_round(part.action.do, self._signatures) for part in parts)
        plan: Plan = steps[0] if len(steps) == 1 else InSequence(steps)
        if record.is_wanted:
            exchange.say(EventKind.CANCELLED, f"I end: {record.words}.")
            record.run.stop("the operator takes it back")
        if stays:
            exchange.say(EventKind.ANSWERED, f"What cannot be taken back: {'; '.join(stays)}.")
        words = f'take back "{record.words}"'
        self._last.note(exchange, words, [plan])
        wish = Wish(plan, replaces=record.id, takes_back=True, words=words)
        return Follow(wish, record if record.is_active else None)

    # -- something else instead

    def _instead(
        self, plans: Sequence[Plan], follow: FollowUp, last: LastWish, exchange: Exchange
    ) -> Steps[Follow | None]:
        """What takes the place of the last instruction."""
        if not plans:
            words = self._language.plain_words(self._last.plans(last)[0])
            exchange.refuse(f'I do not see what "{clean(exchange.instruction.text)}" changes in "{words}".')
            return None
        after = self.end(last, exchange)
        which = yield from self._which(plans, exchange)
        return self._begun(plans[which], last, exchange, after=after, is_instead=True)

    def _how_far(self, plan: Plan, last: LastWish, exchange: Exchange) -> Steps[Follow | None]:
        """Too far: it stops, and it is asked how far it should be."""
        after = self.end(last, exchange)
        half = yield Think(partial(scaled, plan, FollowUpKind.HALF, self._signatures, self._says))
        options = () if half is None else ((yield Think(partial(self._language.plain_words, half))),)
        free = _HowFar(self._last, last)
        back = "back to where it was"
        answer: Answer = yield Ask("How far, then?", (*options, back), free=free)
        exchange.add_doubt(answer.source, answer.said.confidence if answer.read is not None else 1.0)
        if answer.read is not None:
            return self._begun(answer.read, last, exchange, after=after, is_instead=True)
        if half is not None and answer.choice == 1:
            return self._begun(half, last, exchange, after=after, is_instead=True)
        return (yield from self._take_back(exchange))

    # -- once more, with something else

    def _same(self, follow: FollowUp, last: LastWish, exchange: Exchange) -> Steps[Follow]:
        """Beside what is being done, or instead of it: "use the other arm"."""
        another = self.another(follow.rest, last, is_named=follow.is_with)
        plan = another[0] if another else (yield Think(partial(self._same_with, follow, last)))[0]
        running = self._last.running(last) if follow.is_instead else None
        after = self.end(last, exchange) if running is not None else None
        if not another:  # the same thing moves: it comes after what that does
            after = self._last.running(last)
        return self._begun(plan, last, exchange, after=after, is_instead=running is not None)

    # -- inside

    def _begun(
        self,
        plan: Plan,
        last: LastWish,
        exchange: Exchange,
        *,
        after: PlanRecord | None = None,
        is_instead: bool = False,
    ) -> Follow:
        replaces = last.reply.plan if is_instead else ""
        words = self._language.plain_words(plan)
        self._last.note(exchange, words, [plan])
        return Follow(Wish(plan, replaces=replaces), after)

    def _same_with(self, follow: FollowUp, last: LastWish) -> tuple[Plan, ...]:
        """The last plan with another one of what it names, or one other value: "the same to the left"."""
        if another := self.another(follow.rest, last, is_named=follow.is_with):
            return another
        telling = " ".join(self._reader.naming(follow.rest, (), is_named=follow.is_with))
        for text in dict.fromkeys(filter(None, (follow.rest, telling))):
            found = self._last.corrected(Correction(text), last)
            plans = {repr(each.reading.plan): each.reading.plan for each in found if not each.is_whole}
            if plans:
                return tuple(plans.values()) if len(plans) == 1 else ()
        return ()

    def _by(self, plan: Plan, how_much: str) -> Do | None:
        """Its last measured action, so far."""
        found = self._a_bit(plan, False, how_much)
        if found is not None and any(goes_too_far(do, found) for _, do in actions_in(plan)):
            return None  # "30 more" of a metre: who knows of what
        if any(found == do for _, do in actions_in(plan)):
            # "2 cm more" after 2 cm is as much again whatever that was; "one more" is no measure.
            half = scaled(plan, FollowUpKind.HALF, self._signatures, self._says)
            return found if half is not None and self._a_bit(half, False, how_much) == found else None
        return found

    def _other_way_by(self, turned: Sequence[Plan], how_far: str) -> tuple[Plan, ...]:
        """Plans the other way, so far: "ten centimetres", "twice as far"."""
        follow = self._reader.read(how_far)
        if follow is not None and follow.kind in (FollowUpKind.HALF, FollowUpKind.DOUBLE):
            scales = (scaled(each, follow.kind, self._signatures, self._says) for each in turned)
            return tuple(each for each in scales if each is not None)
        measured = (self._by(each, how_far) for each in turned if isinstance(each, Do))
        return tuple(each for each in measured if each is not None)

    def _a_bit(self, plan: Plan, is_back: bool, how_much: str) -> Do | None:
        """A little, or so much, further than the last measured action, or back."""
        for _, do in reversed(actions_in(plan)):
            if is_back:
                turned = turned_round(do, self._signatures)
                if turned == do:
                    continue
                do = turned
            found = with_a_bit(do, how_much, self._language.parse, self._language.plain_words)
            if found is not None:
                return found
        return None

    def _says(self, do: Do) -> bool:
        result = self._language.parse(self._language.plain_words(do))
        return isinstance(result, Understood) and result.readings[0].plan == do

    def _moves(self, plan: Plan) -> bool:
        found = (self._signatures.find(do.action) for _, do in actions_in(plan))
        return any(each is not None and each.risk is not Risk.NONE for each in found)


class _NothingIsAnAnswer:
    """Reads answers (`FreeAnswer`) to what can only be said anew: whatever is said is an instruction."""

    def read(self, said: Instruction) -> Any:
        return None


class _HowFar:
    """Reads answers to "how far, then?" (`FreeAnswer`): the plan with what was said in it."""

    def __init__(self, last: LastWishes, wish: LastWish) -> None:
        self._last = last
        self._wish = wish

    def read(self, said: Instruction) -> Plan | None:
        text = clean(said.text)
        found: tuple[Corrected, ...] = self._last.corrected(Correction(text), self._wish) if text else ()
        changed = [each for each in found if not each.is_whole]
        return changed[0].reading.plan if len(changed) == 1 else None


def _is_there_to_take_back(record: PlanRecord) -> bool:
    """Not what has failed before it moved anything: nobody means that."""
    has_failed = record.outcome is not None and record.outcome.state is PlanState.FAILED
    return record.can_be_taken_back and (not has_failed or bool(to_take_back(record)))


def _was_done(action: ActionNode) -> bool:
    return action.has_begun and action.state_now() is not NodeState.SKIPPED


def _why_not(record: PlanRecord, signatures: Signatures) -> str:
    actions = record.run.actions
    if not any(each.has_begun for each in actions):
        return "nothing of it has begun"
    risks = [signature.risk for each in actions if (signature := signatures.find(each.do.action)) is not None]
    if all(risk is Risk.NONE for risk in risks):
        return "it has moved nothing, and what is said or shown is said or shown"
    return "where it began is not known"
