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
from framework.dialogue.follow_up import HALF, Naming, scaled, turned_round, with_another
from framework.dialogue.language import SpokenLanguage
from framework.dialogue.named_before import NamingWords, named_last, with_the_nth, with_whole_names
from framework.dialogue.pointing import Pointed, pointing_words
from framework.dialogue.referred import Referent, Referred, goes_too_far
from framework.dialogue.referring import OF_WAYS, Content, Mode, Referring, ReferringReader
from framework.dialogue.spelling import clean, words_of
from framework.dialogue.values import actions_in, with_value
from framework.dialogue.wish import Wish
from framework.events import EventKind, Subject
from framework.plan.ast import Do, Parallel, Plan
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


#: How sure it is that a name of more words is meant: "kitchen" may be another place than "kitchen table".
_IF_NAMED_IN_PART = 0.8
_NO_WORDS = NamingWords()


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
        naming: Naming,
        signatures: Signatures,
        world: World,
        questions: Questions,
        signs: ReferringReader,
        of_things: Collection[str] = (),
        naming_words: NamingWords = _NO_WORDS,
    ) -> None:
        self._naming_words = naming_words
        self._signs = signs
        self._of_things = frozenset(of_things)
        self._book = book
        self._last = last
        self._language: SpokenLanguage = last.language
        self._naming = naming
        self._signatures = signatures
        self._world = world
        self._questions = questions

    def another(self, text: str, last: LastWish, *, is_named: bool = False) -> tuple[Plan, ...]:
        """The last plan with another one of what it names, if a text names that: "the left one"."""
        telling = self._naming.telling(text, self._nouns(), is_named=is_named)
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

    def is_meant(self, referred: Referred, plan: Plan, exchange: Exchange) -> Steps[bool]:
        """Whether it goes back what was done last, and is not the instruction that it could be as well.

        "Back" is, after a motion that can be taken back. "Back up" is asked about after a motion down.
        """
        if referred.mode is Mode.UNDO:
            return self._is_way(plan) and self._has_moved(exchange.who)
        if referred.mode is not Mode.LESS or len(referred.plans) != 1 or referred.plans[0] == plan:
            return False
        return (yield from self._which((*referred.plans, plan), exchange)) == 0

    def _is_way(self, plan: Plan) -> bool:
        """Whether it only goes some way, and not to a place."""
        return isinstance(plan, Do) and turned_round(plan, self._signatures) != plan

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

    # -- with a name that was said before

    def named_before(self, text: str, result: NotUnderstood, who: str) -> Callable[[], tuple[Reading, ...]]:
        """What a text means with a name that this operator has said before, as work."""
        started = [record.plan for record in reversed(self._book.started_by(who))]
        return partial(self._named_before, text, result.unknown, started)

    def _named_before(self, text: str, unknown: str, started: Sequence[Plan]) -> tuple[Reading, ...]:
        words, actions = self._naming_words, [do for plan in started for _, do in actions_in(plan)]
        if unknown:
            names = [value for do in actions for value in do.parameters.values() if isinstance(value, str)]
            named = with_whole_names(text, unknown, names, words)
            return tuple(
                Reading(plan, 1.0 if each.is_sure else _IF_NAMED_IN_PART)
                for each in named
                for plan in self._language.surely(each.text)
            )
        goals: dict[str, None] = {}
        for do in actions:
            if do.action == actions[-1].action:
                values = [value for value in do.parameters.values() if isinstance(value, str) and value]
                goals |= dict.fromkeys(values) if len(values) == 1 else {}
        changed = with_the_nth(text, [*goals], words) if len(goals) > 1 else ""
        plans = self._language.surely(changed) if changed else ()
        kept = [each for each in plans if isinstance(each, Do) and each.action == actions[-1].action]
        return tuple(map(Reading, kept))

    def there(self, wish: Wish, exchange: Exchange) -> Callable[[], Wish]:
        """A wish with what was named last for "there", if nothing is pointed at, as work."""
        before = None if exchange.instruction.pointing else self._last.before(exchange)
        plans = () if before is None else self._last.plans(before)
        return partial(self._there, wish, plans)

    def _there(self, wish: Wish, before: Sequence[Plan]) -> Wish:
        for place, reference in pointing_words(wish.plan) if len(before) == 1 else ():
            thing = named_last(before[0], wish.plan, self._language.known(), self._naming_words)
            values = self._language.fits(wish.plan, place, thing) if thing else ()
            if len(values) == 1:
                pointed = Pointed(place, reference.word, thing, values[0])
                plan = with_value(wish.plan, place, values[0])
                return msgspec.structs.replace(wish, plan=plan, pointed=(*wish.pointed, pointed))
        return wish

    # -- said word by word

    def referring(self, text: str) -> Referring | None:
        """What a text says of what was done last, word by word; None if nothing."""
        found = self._signs.read(text)
        is_request = found is not None and found.mode is Mode.AGAIN  # "could the right one do the same?"
        return found if is_request or not text.rstrip().endswith("?") else None

    def ask_what_moves(self, referring: Referring, who: str) -> Steps[bool]:
        """Whether it says only how much of a motion, or that it is to be taken back, and none was made."""
        last = self._last.of(who)
        is_about_motion = referring.mode in (Mode.FURTHER, Mode.LESS, Mode.TOO_FAR, Mode.UNDO)
        is_amount = bool(referring.changes) and set(referring.changes) <= OF_WAYS
        if referring.contents or not (is_about_motion or is_amount):
            return False
        if last is not None and self.has_moved_by(last):
            return False
        yield Ask(_NOTHING, free=_NothingIsAnAnswer())
        return True

    def referred(self, referring: Referring, who: str) -> Callable[[], Referred | None]:
        """What that comes to, as work; None if a word of it fits nothing."""
        return partial(self._referred, referring, self._last.of(who))

    def _referred(self, referring: Referring, last: LastWish | None) -> Referred | None:
        if referring.mode is Mode.UNDO:
            if not all(map(self._is_remark, referring.contents)) or self._is_other_way(referring, last):
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
        may_be_remark = not referring.denied and any(each.is_alone for each in referring.contents)
        needs_motion = may_be_remark or referring.mode in (Mode.FURTHER, Mode.LESS, Mode.TOO_FAR)
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
        if found is None and referring.mode is Mode.FURTHER:
            return self._of_one(referring, plans[0])
        if found is None or (found.plans == plans and self._needs_change(referring)):
            return None
        if referring.is_less_if_back and any(map(referent.is_way_back, found.plans)):
            mode = Mode.LESS if referring.is_bit or referent.says_how_far(referring) else Mode.TOO_FAR
            found = msgspec.structs.replace(found, mode=mode)
        if found.mode in (Mode.FURTHER, Mode.LESS):
            return self._so_much(referring, found, referent, plans[0])
        return found

    def _of_one(self, referring: Referring, plan: Plan) -> Referred | None:
        """So much further of one of several that moved: "left one three more"."""
        if len(referring.contents) != 1 or referring.changes:
            return None
        do = self._a_bit(plan, False, referring.contents[0].text)
        is_amount = do is not None and not any(
            each == do or goes_too_far(each, do) for _, each in actions_in(plan)
        )
        return Referred(Mode.FURTHER, (do,)) if do is not None and is_amount else None

    def _turned(self, plan: Plan) -> Plan | None:
        """One motion, or several at the same time, the other way; None of anything else."""
        parts = plan.branches if isinstance(plan, Parallel) else (plan,)
        actions = [each for each in parts if isinstance(each, Do)]
        turned = tuple(turned_round(each, self._signatures) for each in actions)
        if len(actions) < len(parts) or any(each in actions for each in turned):
            return None
        return Parallel(turned) if len(turned) > 1 else turned[0]

    def _is_other_way(self, referring: Referring, last: LastWish | None) -> bool:
        """Whether what would take it back is the way that was meant: "sorry, I meant back"."""
        said = referring.way_back
        found = self._last.corrected(Correction(said), last) if said and last is not None else ()
        return not all(each.is_whole for each in found)

    def _needs_change(self, referring: Referring) -> bool:
        """Whether it means nothing if all stays as it is."""
        return referring.mode is Mode.INSTEAD or (referring.mode is Mode.AGAIN and not referring.repeats)

    def _so_much(
        self, referring: Referring, found: Referred, referent: Referent, plan: Plan
    ) -> Referred | None:
        """The last measured action, so much of it, or a little."""
        # "6 cm more" after 6 cm: so much again, and not a little.
        same = next((each.text for each in referring.contents if referent.says_the_same(each)), "")
        if found.mode is Mode.LESS and not (referring.is_bit or same or referent.says_how_far(referring)):
            # "Back up": all of it, if that is where it came from.
            back = self._turned(plan)
            is_way = referring.goes_back and referent.says_otherwise(referring)
            is_back = is_way and any(map(referent.is_way_back, found.plans))
            return msgspec.structs.replace(found, plans=(back,)) if is_back and back is not None else None
        if not referent.says_how_far(referring):
            do = self._a_bit(plan, found.mode is Mode.LESS, same or _A_BIT)
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
        answer: Answer = yield Ask(_WHAT_CHANGES.format(words=words), free=_HowFar(self._last, last, None))
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
        return self._naming.telling(content, self._nouns(), is_named=is_named)

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

    # -- how far, instead

    def _how_far(self, plan: Plan, last: LastWish, exchange: Exchange) -> Steps[Follow | None]:
        """Too far: it stops, and it is asked how far it should be."""
        after = self.end(last, exchange)
        half = yield Think(partial(scaled, plan, HALF, self._signatures, self._says))
        options = () if half is None else ((yield Think(partial(self._language.plain_words, half))),)
        free = _HowFar(self._last, last, half)
        back = "back to where it was"
        answer: Answer = yield Ask("How far, then?", (*options, back), free=free)
        exchange.add_doubt(answer.source, answer.said.confidence if answer.read is not None else 1.0)
        if answer.read is not None:
            return self._begun(answer.read, last, exchange, after=after, is_instead=True)
        if half is not None and answer.choice == 1:
            return self._begun(half, last, exchange, after=after, is_instead=True)
        return (yield from self._take_back(exchange))

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
    """Reads answers to "how far, then?" (`FreeAnswer`): the plan with what was said in it.

    half: half as far; what was said is no change of the wish if it is as far as that already.
    """

    def __init__(self, last: LastWishes, wish: LastWish, half: Plan | None) -> None:
        self._last = last
        self._wish = wish
        self._half = half

    def read(self, said: Instruction) -> Plan | None:
        text = clean(said.text)
        found: tuple[Corrected, ...] = self._last.corrected(Correction(text), self._wish) if text else ()
        changed = [each for each in found if not each.is_whole]
        if len(changed) != 1 and text and self._half is not None:
            found = self._last.corrected_in(Correction(text), self._half)
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
