"""What an instruction comes to that is no command: `Understanding.understood` has the order.

What could be meant is decided in `framework.dialogue`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from framework.dialogue.choices import MOST_OPTIONS, best_of, told_apart_by
from framework.dialogue.confirmation import LEAST_CONFIDENCE, instead_of, least, least_sure
from framework.dialogue.correction import Corrected, Correction, CorrectionWords, read_correction
from framework.dialogue.meta import HARMLESS, Meta, MetaKind
from framework.dialogue.meta_reading import MetaReader, first_part
from framework.dialogue.referring import Referring
from framework.dialogue.spelling import clean, words_of
from framework.dialogue.stopping import is_outcry, sounds_like_pause, sounds_like_stop
from framework.dialogue.wish import Wish
from framework.events import EventKind, Subject
from framework.plan.ast import Cancel, Plan, actions_of
from framework.plan.ast import Sequence as InSequence
from framework.plan.instruction import Instruction, Source
from framework.plan.parser import NotUnderstood, Reading, Understood
from framework.supervisor.admission import Admission
from framework.supervisor.awaited import end_of
from framework.supervisor.binding import Binding
from framework.supervisor.commanding import MOST_CHARACTERS, STOPS, Commanding
from framework.supervisor.conversation import Conversation
from framework.supervisor.exchange import Ask, Exchange, Propose, Steps, Think
from framework.supervisor.follow_ups import FollowUps
from framework.supervisor.grounding import Grounding
from framework.supervisor.last_wishes import LastWish, LastWishes, Refused
from framework.supervisor.orders import Orders
from framework.supervisor.plans import PlanRecord
from framework.supervisor.questions import NO

MOST_WORDS = 200
#: How sure it is what somebody wants who corrects what was refused: it is asked.
_IF_CHANGED = 0.8
#: Who cries out while something moves says so few words.
_CRIED = 4
_ELSE = "you have said something else"
_NOTHING = 'I heard nothing that I could read; say what you want, for example "what can you do?".'
_NOTHING_ASKED = (
    'I hear "{text}", and nothing in it that I am to do; if I am, say "do that again", for example.'
)
_STOPPED_FIRST = "That sounded like a stop, so I stopped first. If you want anything else, say it now."
_RESTS = 'It may matter, so what moved rests until you say "carry on".'
_NOTHING_MOVES = "Nothing moves by any instruction."
#: What only answers is answered by a guess that is at least so sure.
_LEAST_ANSWERED = 0.5
_PROPOSING = "I do not understand that; I ask the proposer what it could mean."


def is_too_long(text: str) -> bool:
    """Whether nobody should even look at it."""
    return len(text) > MOST_CHARACTERS or len(text.split()) > MOST_WORDS


def too_long(text: str) -> str:
    """What is said to that, and what to do instead."""
    words = len(text.split())
    counted = (
        f"{words} words; {MOST_WORDS}" if words > MOST_WORDS else f"{len(text)} characters; {MOST_CHARACTERS}"
    )
    return (
        f"that is too long: {counted} are the most at once. Say it in several parts, or make it a plan file."
    )


class Meant(NamedTuple):
    """What an utterance comes to. after: the plan that ends first, as it was corrected."""

    wish: Wish
    after: PlanRecord | None = None


class _Outcome(NamedTuple):
    """What comes of an utterance. meant: None if it is settled."""

    meant: Meant | None


_SETTLED = _Outcome(None)


class _Heard(msgspec.Struct):
    """An utterance that is being understood.

    typed: before misspellings were put right. text: without courtesies. result: what the language makes of
    it; only_answers: that disturbs nothing. correction: what it says was meant, if it corrects something;
    referring: what it says of the last instruction; like: the command that it is like.
    """

    exchange: Exchange
    typed: str
    text: str
    result: Understood | NotUnderstood
    only_answers: bool
    correction: Correction | None
    referring: Referring | None = None
    like: MetaKind | None = None

    @property
    def is_proposed(self) -> bool:
        """Whether a proposer said it."""
        return self.exchange.instruction.source is Source.PROPOSER

    @property
    def is_sure(self) -> bool:
        """Whether it was understood as it stands, and in one way."""
        return isinstance(self.result, Understood) and self.result.readings[0].confidence >= LEAST_CONFIDENCE

    @property
    def may_refer(self) -> bool:
        """Whether it may say something of what was said before, though it was understood."""
        return not self.is_sure or self.only_answers


class Understanding:
    """Makes a wish of an instruction, or settles it: by asking, refusing, or doing what it is like."""

    def __init__(
        self,
        commands: Commanding,
        conversation: Conversation,
        reader: MetaReader,
        last: LastWishes,
        orders: Orders,
        grounding: Grounding,
        admission: Admission,
        binding: Binding,
        follow_ups: FollowUps,
    ) -> None:
        self._commands = commands
        self._conversation = conversation
        self._questions = conversation.questions
        self._reader = reader
        self._last = last
        self._language = last.language
        self._orders = orders
        self._grounding = grounding
        self._admission = admission
        self._binding = binding
        self._follow_ups = follow_ups

    def understood(self, exchange: Exchange, typed: str) -> Steps[Meant | None]:
        """The wish; None if it was refused. typed: the text before misspellings were put right.

        What may be said is asked for in this order; the first that it is decides.
        """
        heard = yield from self._read(exchange, typed)
        if heard is None:
            return None
        for way in (
            self._as_stop_or_pause,
            self._as_going_on,
            self._as_about_refused,
            self._as_referring,
            self._as_correction_inside,
            self._as_correction,
            self._as_like_a_command,
            self._as_continuing,
            self._as_remark,
        ):
            outcome = yield from way(heard)
            if outcome is not None:
                return outcome.meant
        result = heard.result
        if isinstance(result, NotUnderstood):
            wish = yield from self._proposed(result, heard.text, exchange)
        else:
            wish = yield from self._plain(result, heard)
        return Meant(wish) if wish is not None else None

    def _read(self, exchange: Exchange, typed: str) -> Steps[_Heard | None]:
        """What the language makes of it; None if nobody should even look at it."""
        text = clean(exchange.instruction.text)
        if not text:
            exchange.refuse(_NOTHING)
            return None
        if is_too_long(exchange.instruction.text):
            if not self._stops_first(exchange):
                exchange.refuse(too_long(exchange.instruction.text))
            return None
        self._conversation.withdraw_proposal(exchange.who, _ELSE)
        if (wanted := self._reader.without_courtesies(text)) != text and not self._orders.what_moves:
            if not wanted:
                exchange.refuse(_NOTHING_ASKED.format(text=text), Subject.NOT_UNDERSTOOD)
                return None
            exchange.instruction = msgspec.structs.replace(exchange.instruction, text=wanted)
            text = wanted
        correction = read_correction(text, self._last.words)
        result = yield Think(partial(self._language.parse, text))
        return _Heard(exchange, typed, text, result, self._only_answers(result), correction)

    def _as_stop_or_pause(self, heard: _Heard) -> Steps[_Outcome | None]:
        """What begins or ends like a stop or a pause, whatever else it may mean."""
        exchange, text, result = heard.exchange, heard.text, heard.result
        # To wait for two minutes while it drives on: nobody means that.
        if sounds_like_pause(text) and self._moves_nothing(result) and self._pauses_all(exchange):
            return _SETTLED
        # Nor is what begins like a stop a wish beside what moves: "steady, show the camera".
        begins_so = sounds_like_stop(text, at_end=False)
        if begins_so and self._moves_nothing(result) and self._stops_first(exchange):
            return _SETTLED
        # "Ya ya, that's good, no more" may be read as a question; no question begins like a stop.
        is_answered = heard.only_answers and not text.endswith("?")
        if not heard.is_sure or (is_answered and begins_so):
            if (yield from self._pauses_first(exchange)):
                return _SETTLED
            if not self._ends_first(exchange) and self._stops_first(exchange):
                return _SETTLED
        if isinstance(result, Understood) and not heard.is_proposed and _only_stops(result.readings[0].plan):
            yield from self._orders.carry_out(Meta(MetaKind.STOP), exchange)  # "Halt! Halt!"
            return _SETTLED
        return None

    def _as_going_on(self, heard: _Heard) -> Steps[_Outcome | None]:
        """Where something is paused: "so, weiter, go on"."""
        # What is left out of it is no reason to ask whether it is to go on.
        is_free = heard.may_refer or self._reader.may_go_on(heard.text)
        if not (
            is_free and self._orders.has_paused and not heard.is_proposed and self._reader.goes_on(heard.text)
        ):
            return None
        yield from self._orders.carry_out(Meta(MetaKind.RESUME), heard.exchange)
        return _SETTLED

    def _as_about_refused(self, heard: _Heard) -> Steps[_Outcome | None]:
        """What refers to what was refused just now."""
        exchange, result = heard.exchange, heard.result
        refused = None if heard.is_proposed else self._last.refused(exchange.who)
        if refused is None:
            return None
        if isinstance(result, NotUnderstood) and result.kind is Subject.NO_ACTION:
            heard.correction = None  # it has a verb of its own, for which nobody is there: "drop it there"
            return None
        if heard.correction is None and heard.is_sure and not self._repeats(result):
            return None
        return (yield from self._of_refused(refused, heard.correction, result, exchange))

    def _as_referring(self, heard: _Heard) -> Steps[_Outcome | None]:
        """What says something of the last instruction: "undo that"."""
        exchange, result = heard.exchange, heard.result
        referring = None if heard.is_proposed else self._follow_ups.referring(heard.text)
        heard.referring = referring
        may_refer = heard.may_refer
        if referring is None or not (may_refer or referring.goes_back):
            return None
        referred = yield Think(self._follow_ups.referred(referring, exchange.who))
        if referred is None:
            return None
        if not may_refer:
            assert isinstance(result, Understood)
            may_refer = yield from self._follow_ups.is_meant(referred, result.readings[0].plan, exchange)
        if not may_refer:
            return None
        found = yield from self._follow_ups.carry_out(referring, referred, exchange)
        return _Outcome(None if found is None else Meant(found.wish, found.after))

    def _as_correction_inside(self, heard: _Heard) -> Steps[_Outcome | None]:
        """What corrects itself: "turn left, no, right"."""
        if heard.is_proposed or heard.is_sure:
            return None
        inside = yield Think(partial(self._last.corrected_inside, heard.text))
        if not inside:
            return None
        exchange = heard.exchange
        self._questions.withdraw(exchange.who, _ELSE)
        self._last.note(exchange, inside[0].text or heard.text, [each.reading.plan for each in inside])
        return (yield from self._of([(each.text, each.reading) for each in inside], exchange))

    def _as_correction(self, heard: _Heard) -> Steps[_Outcome | None]:
        """What corrects the last instruction: it ends something, so it is not a proposer's."""
        exchange, correction = heard.exchange, heard.correction
        if correction is None or heard.is_proposed:
            return None
        is_plain = isinstance(heard.result, Understood)
        last = self._last.of(exchange.who)
        if last is None:
            return None if is_plain or correction.wrong else (yield from self._of_nothing(correction, heard))
        if (another := self._follow_ups.instead(correction, last, exchange)) is not None:
            return _Outcome(Meant(another.wish, another.after))
        meant = yield Think(partial(self._last.corrected, correction, last))
        if meant and _hands_on(meant, heard.typed):  # a new name stays as it was typed
            as_typed = Correction(_as_typed(correction, heard.typed, self._last.words), correction.wrong)
            meant = (yield Think(partial(self._last.corrected, as_typed, last))) or meant
        if meant:
            return (yield from self._corrected(meant, last, exchange))
        return None if is_plain else (yield from self._changes_nothing(correction, last, heard))

    def _of_nothing(self, correction: Correction, heard: _Heard) -> Steps[_Outcome]:
        """Nothing is there to correct: "no, show the scan" is what follows, "no, not that" is a no."""
        exchange = heard.exchange
        right = yield Think(partial(self._language.parse, correction.right))
        if not isinstance(right, Understood) and self._stops_first(exchange, is_understood=False):
            return _SETTLED
        exchange.instruction = msgspec.structs.replace(exchange.instruction, text=correction.right)
        typed = _as_typed(correction, heard.typed, self._last.words)
        return _Outcome((yield from self.understood(exchange, typed)))

    def _corrected(self, meant: Sequence[Corrected], last: LastWish, exchange: Exchange) -> Steps[_Outcome]:
        """The last instruction as it is meant now, in place of what goes on of it."""
        replaces = last.reply.plan
        after = self._follow_ups.end(last, exchange)
        if not all(each.is_whole for each in meant):
            exchange.instruction = _with_what_was_said(exchange.instruction, last.instruction)
        self._last.note(exchange, meant[0].text or last.text, [each.reading.plan for each in meant])
        wish = yield from self._chosen([(each.text, each.reading) for each in meant], exchange)
        if wish is None:
            return _SETTLED
        return _Outcome(Meant(msgspec.structs.replace(wish, replaces=replaces), after))

    def _changes_nothing(self, correction: Correction, last: LastWish, heard: _Heard) -> Steps[_Outcome]:
        """Nobody sees what that changes, but that somebody says that something is wrong."""
        exchange = heard.exchange
        if self._stops_first(exchange, is_understood=False) or self._is_beyond(exchange):
            return _SETTLED
        goes_on = self._goes_on(last)
        if self._orders.hold_what_moves_by_itself(exchange):
            goes_on = '; what moved rests until you say "carry on"'
        if heard.referring is not None and self._follow_ups.has_moved_by(last):
            asked = yield from self._follow_ups.ask_what_changes(last, exchange)
            return _Outcome(None if asked is None else Meant(asked.wish, asked.after))
        what = f'I do not see what "{correction.right}" changes in "{last.text}"'
        still = f"{_NOTHING_MOVES} " if sounds_like_stop(heard.text) else ""
        exchange.refuse(f"{still}{what}{goes_on}.")
        return _SETTLED

    def _as_like_a_command(self, heard: _Heard) -> Steps[_Outcome | None]:
        """What nobody understands, and is like a command, ends in one, or names what was named before."""
        exchange, result = heard.exchange, heard.result
        if not isinstance(result, NotUnderstood):
            return None
        if self._stops_first(exchange, is_understood=False):
            return _SETTLED
        like = None if heard.is_proposed else (yield Think(partial(self._language.like, heard.text)))
        heard.like = like
        if like is MetaKind.STOP and self._orders.stop_what_moves(exchange, _STOPPED_FIRST):
            self._questions.withdraw(exchange.who, _ELSE)
            return _SETTLED
        referring = heard.referring
        if referring is not None and (yield from self._follow_ups.ask_what_moves(referring, exchange.who)):
            return _SETTLED
        meta = self._commands.said_at_the_end(exchange.instruction)
        if meta is not None and (yield from self._orders.carry_out(meta, exchange)):
            return _SETTLED
        is_rest = like is MetaKind.NO or (like is MetaKind.PAUSE and self._orders.what_moves)
        if like is not None and is_rest and (yield from self._commands.carried_out(Meta(like), exchange, NO)):
            return _SETTLED
        if heard.is_proposed or heard.text.endswith("?"):
            return None
        named = yield Think(self._follow_ups.named_before(heard.text, result, exchange.who))
        if not named:
            return None
        self._questions.withdraw(exchange.who, _ELSE)
        self._last.note(exchange, heard.text, [reading.plan for reading in named])
        return (yield from self._of([("", reading) for reading in named], exchange))

    def _as_continuing(self, heard: _Heard) -> Steps[_Outcome | None]:
        """What goes on with the last instruction, as nothing else that was understood whole."""
        result = heard.result
        is_part_left = isinstance(result, Understood) and bool(result.readings[0].left_out)
        if not (isinstance(result, NotUnderstood) or is_part_left):
            return None
        if heard.is_proposed or heard.text.endswith("?"):
            return None
        behind = yield Think(self._follow_ups.continued(heard.text, heard.exchange.who))
        if not behind:
            return None
        found = yield from self._follow_ups.follow_on(behind, heard.exchange)
        return _Outcome(None if found is None else Meant(found.wish, found.after))

    def _as_remark(self, heard: _Heard) -> Steps[_Outcome | None]:
        """What nobody understands: it may matter, be like a command, or want a name."""
        exchange, result, referring = heard.exchange, heard.result, heard.referring
        if not isinstance(result, NotUnderstood):
            return None
        refers = referring is not None and not referring.is_bare  # "a bit more" is no remark
        if not refers and self._rests_first(result, exchange):
            return _SETTLED
        if heard.like is not None and (yield from self._likened(heard.like, exchange)):
            return _SETTLED
        is_free = not heard.is_proposed and self._questions.open_for(exchange.who) is None
        if is_free and (word := self._follow_ups.unnamed(heard.text, result)):
            yield from self._follow_ups.ask_what(word)
            return _SETTLED
        return None

    def _plain(self, result: Understood, heard: _Heard) -> Steps[Wish | None]:
        """What it says, as it stands."""
        exchange, text = heard.exchange, heard.text
        best = best_of(self._binding.as_moved_last(result.readings, exchange.who))
        plans = [reading.plan for reading in best]
        if all(map(self._admission.only_answers, plans)):  # an answer disturbs nothing that goes on
            self._last.note_question(exchange, text, plans)
        else:
            self._questions.withdraw(exchange.who, _ELSE)
            self._last.note(exchange, text, plans)
        every = [(text, reading) for reading in best]
        if exchange.instruction.alternatives:
            every += yield Think(partial(self._heard_otherwise, exchange.instruction, plans))
        return (yield from self._chosen(every, exchange))

    def _of(self, readings: Sequence[tuple[str, Reading]], exchange: Exchange) -> Steps[_Outcome]:
        """The one of them that is meant."""
        wish = yield from self._chosen(readings, exchange)
        return _Outcome(Meant(wish) if wish is not None else None)

    def _heard_otherwise(self, instruction: Instruction, plans: Sequence[Plan]) -> list[tuple[str, Reading]]:
        """What else may have been said, where that is another plan."""
        found: list[tuple[str, Reading]] = []
        for text in instruction.alternatives:
            result = self._language.parse(text)
            reading = result.readings[0] if isinstance(result, Understood) else None
            if reading is not None and reading.plan not in (*plans, *(each.plan for _, each in found)):
                found.append((text, reading))
        return found

    def _pauses_first(self, exchange: Exchange) -> Steps[bool]:
        """Whether it begins with a pause and says why, and something moved: that can be gone on with later.

        "Make a short break, I have a call". What else is to be done, or a stop, is more than a remark.
        """
        first, rest = first_part(clean(exchange.instruction.text))
        if not rest or sounds_like_stop(rest) or exchange.instruction.source is Source.PROPOSER:
            return False
        meta = self._reader.command(first)
        if meta is None or meta.kind is not MetaKind.PAUSE or meta.what or not self._orders.what_moves:
            return False
        if isinstance((yield Think(partial(self._language.parse, rest))), Understood):
            return False
        return (yield from self._orders.carry_out(meta, exchange))

    def _only_answers(self, result: Understood | NotUnderstood) -> bool:
        return isinstance(result, Understood) and all(
            self._admission.only_answers(each.plan) for each in best_of(result.readings)
        )

    def _ends_first(self, exchange: Exchange) -> bool:
        """Whether it sounds like a stop and says what was wrong with all that moves: that ends at once."""
        text = exchange.instruction.text
        if not sounds_like_stop(text) or exchange.instruction.source is Source.PROPOSER:
            return False
        referring = self._follow_ups.referring(clean(text))
        record = None if referring is None else self._follow_ups.ends_first(referring, exchange.who)
        if record is None or self._orders.what_moves != (record,):
            return False
        exchange.say(EventKind.CANCELLED, f"I end: {record.words}.")
        record.run.stop("the operator has corrected it")
        return True

    def _stops_first(self, exchange: Exchange, *, is_understood: bool = True) -> bool:
        """Whether it sounds like a stop and something moved: that is stopped, and the rest said again.

        is_understood: else an outcry is a stop, too: a false one costs a word, a missed one an arm.
        """
        text = exchange.instruction.text
        is_stop = sounds_like_stop(text) or (not is_understood and is_outcry(text))
        if exchange.instruction.source is Source.PROPOSER or not is_stop:
            return False
        if sounds_like_pause(text) and self._pauses_all(exchange):
            return True
        if not self._orders.stop_what_moves(exchange, _STOPPED_FIRST):
            return False
        self._questions.withdraw(exchange.who, _ELSE)
        return True

    def _likened(self, like: MetaKind, exchange: Exchange) -> Steps[bool]:
        """Whether a text that is like a command was answered: what may move something has to be said so."""
        if like in HARMLESS:
            return like is MetaKind.STATUS and (yield from self._orders.carry_out(Meta(like), exchange))
        if like is MetaKind.YES and self._questions.open_for(exchange.who) is None:
            return False
        plain = next(iter(self._reader.phrases.phrases.get(like, ())), "")
        if plain and like not in STOPS:
            exchange.refuse(f'I think you mean "{plain}". Say that if you do; nothing moves by a guess.')
        return bool(plain) and like not in STOPS

    def _rests_first(self, result: NotUnderstood, exchange: Exchange) -> bool:
        """Whether it is a remark that nobody understands, and something moved by itself: that rests first.

        "There's a bag on the floor", "leave this": it may be a cry in words that nobody thought of. In a few
        words it may be one, too, where it begins like an instruction: "pull over".
        """
        is_short = len(words_of(exchange.instruction.text)) <= _CRIED
        is_remark = result.kind is Subject.NOT_UNDERSTOOD and (is_short or not result.is_request)
        is_proposed = exchange.instruction.source is Source.PROPOSER
        if is_proposed or not is_remark or not self._orders.hold_what_moves_by_itself(exchange):
            return False
        exchange.refuse(f"{_RESTS} {result}", result.kind)
        self._questions.withdraw(exchange.who, _ELSE)
        return True

    def _pauses_all(self, exchange: Exchange) -> bool:
        """Let what moves rest; False if nothing does."""
        is_proposed = exchange.instruction.source is Source.PROPOSER
        if is_proposed or not self._orders.pause_what_moves(exchange):
            return False
        self._questions.withdraw(exchange.who, _ELSE)
        return True

    def _moves_nothing(self, result: Understood | NotUnderstood) -> bool:
        return isinstance(result, Understood) and not any(
            self._orders.moves(each.plan) for each in best_of(result.readings)
        )

    def _of_refused(
        self,
        refused: Refused,
        correction: Correction | None,
        result: Understood | NotUnderstood,
        exchange: Exchange,
    ) -> Steps[_Outcome | None]:
        """What comes of a text that refers to what was refused just now; None if it does not.

        Whatever went on before that is not meant: "grab the red cup" – "no, the blue one" drives nowhere.
        """
        referring = self._follow_ups.referring(clean(exchange.instruction.text))
        is_about = referring is not None and referring.changes_something
        if correction is None and not is_about and not self._repeats(result):
            return None
        if correction is not None:
            # "No, drive to the table": that is wanted instead.
            whole = yield Think(partial(self._last.language.parse, correction.right))
            if isinstance(whole, Understood):
                return None
            plans = yield Think(partial(self._last.refused_corrected, correction, refused))
            if plans:
                self._last.note(exchange, refused.text, plans)
                return (yield from self._of([("", Reading(plan, _IF_CHANGED)) for plan in plans], exchange))
        elif isinstance(result, Understood) and not self._repeats(result):
            return None
        exchange.refuse(f"However that is changed: {refused.why}", Subject.NO_ACTION)
        return _SETTLED

    def _repeats(self, result: Understood | NotUnderstood) -> bool:
        return isinstance(result, Understood) and self._admission.repeats(result.readings[0].plan)

    def _is_beyond(self, exchange: Exchange) -> bool:
        """Whether it changes what was refused; then that is said once more."""
        why = self._last.refers_to_refused(exchange.who, exchange.instruction.text)
        if why:
            exchange.refuse(f"However that is changed: {why}", Subject.NO_ACTION)
        return bool(why)

    def _goes_on(self, last: LastWish) -> str:
        record = self._last.running(last)
        return f'; I go on with it: {record.words}. Say "stop" to end it' if record is not None else ""

    def _chosen(self, readings: Sequence[tuple[str, Reading]], exchange: Exchange) -> Steps[Wish | None]:
        """The only reading, or the one that is meant; None if there are too many to ask.

        What could never be carried out, as nobody could tell its condition, is not offered; if none could,
        the first is refused for that. Of what was said pointing, what it means of that thing comes first.
        """
        instruction = exchange.instruction
        readings = [each for each in readings if self._admission.could_be_told(each[1].plan)] or readings[:1]
        if instruction.pointing and len(readings) > 1:
            readings = (yield Think(partial(self._meant, readings, instruction))) or readings
            readings = self._grounding.pointed_at(readings, instruction)
        if len(readings) == 1:
            text, reading = readings[0]
            wish = Wish(
                reading.plan,
                text,
                reading.plan,
                reading.confidence,
                reading.corrections,
                left_out=reading.left_out,
                warned=reading.warned,
            )
            return (yield from self._after_what_is_done(wish, exchange)) if reading.follows else wish
        plans = [reading.plan for _, reading in readings]
        options = yield Think(partial(self._language.options, plans))
        if len(readings) > MOST_OPTIONS:
            many = f"that could mean {len(readings)} things"
            exchange.refuse(f"{many} ({'; '.join(options[:3])}; …): say it more precisely.")
            return None
        answer = yield Ask("What do you mean?", options, things=told_apart_by(plans))
        exchange.add_doubt(answer.source)
        # The operator has seen it among others: what was assumed for it is settled.
        text, reading = readings[answer.choice - 1]
        wish = Wish(reading.plan, text, reading.plan)
        return (yield from self._after_what_is_done(wish, exchange)) if reading.follows else wish

    def _after_what_is_done(self, wish: Wish, exchange: Exchange) -> Steps[Wish]:
        """ "After that go home": after the last plan of this operator that is not over."""
        record = self._last.still_going(exchange.who)
        if record is None:
            return wish
        words = yield Think(partial(self._language.in_words, wish.plan))
        steps = wish.plan.steps if isinstance(wish.plan, InSequence) else (wish.plan,)
        said = f'when "{record.words}" is over, {words}'
        return msgspec.structs.replace(wish, plan=InSequence((end_of(record.id), *steps)), words=said)

    def _meant(
        self, readings: Sequence[tuple[str, Reading]], instruction: Instruction
    ) -> list[tuple[str, Reading]]:
        """Those that it means of what was pointed at."""
        is_meant = self._grounding.is_meant
        return [each for each in readings if is_meant(each[0], each[1].plan, instruction)]

    def _proposed(self, result: NotUnderstood, text: str, exchange: Exchange) -> Steps[Wish | None]:
        """What a proposer makes of what the language refuses; None if that is the end of it."""
        question = self._questions.open_for(exchange.who)
        of_actions = self._questions.of_actions_for(exchange.who)
        waiting = question or (of_actions[0] if of_actions else None)
        still = f" I still wait for an answer: {waiting.full_text}" if waiting is not None else ""
        refusal = f"{result}{still}"
        if sounds_like_stop(text):  # and nothing did, or it would have been stopped
            refusal = f"{_NOTHING_MOVES} {refusal}"
        is_proposed = exchange.instruction.source is Source.PROPOSER
        is_free = not is_proposed and question is None
        guessed = (yield Think(partial(self._language.guess, text))) if is_free else ()
        if offered := instead_of(result, guessed):
            return (yield from self._guessed(text, offered, exchange))
        if self._conversation.proposals is None or is_proposed or question is not None:
            if result.kind in (Subject.NO_ACTION, Subject.NO_THING):
                self._last.note_refused(exchange.who, text, str(result), result.kind)
            elif not is_proposed and question is None:
                if self._is_beyond(exchange):
                    return None
                self._last.forget_refused(exchange.who)
            if result.answer:
                exchange.say(EventKind.ANSWERED, f"{result.answer}{still}")
                exchange.settle(False)
            else:
                exchange.refuse(refusal, result.kind, result.unknown)
            return None
        if self._admission.refuse_if_latched(exchange):
            return None
        exchange.say(EventKind.WAITING, _PROPOSING)
        plan: Plan | str = yield Propose(text)
        if isinstance(plan, str):
            words = f"{refusal.rstrip('.')}. The proposer did not help: {plan.rstrip('.')}."
            exchange.refuse(words, result.kind, result.unknown)
            return None
        exchange.instruction = msgspec.structs.replace(exchange.instruction, source=Source.PROPOSER)
        return Wish(plan)

    def _guessed(self, text: str, guessed: Sequence[Reading], exchange: Exchange) -> Steps[Wish | None]:
        """What it probably means, to be asked about; what only answers is answered if likely enough."""
        self._last.note(exchange, text, [reading.plan for reading in guessed])
        wish = yield from self._chosen([(reading.reworded, reading) for reading in guessed], exchange)
        if wish is None or len(guessed) > 1:
            return wish
        sure = self._admission.only_answers(wish.plan) and wish.confidence >= _LEAST_ANSWERED
        return msgspec.structs.replace(wish, is_guessed=True, confidence=1.0 if sure else wish.confidence)


def _only_stops(plan: Plan) -> bool:
    """Whether it does nothing but end whatever there is."""
    steps = plan.steps if isinstance(plan, InSequence) else (plan,)
    return all(isinstance(step, Cancel) and not step.what for step in steps)


def _as_typed(correction: Correction, typed: str, words: CorrectionWords) -> str:
    """What a correction says was meant, before misspellings were put right."""
    as_typed = read_correction(typed, words)
    if as_typed is not None:
        return as_typed.right
    return " ".join(typed.split()[-len(correction.right.split()) :])


def _hands_on(meant: Sequence[Corrected], typed: str) -> bool:
    """Whether a value has words that were not typed so."""
    values = (
        value
        for each in meant
        for do in actions_of(each.reading.plan)
        for value in do.parameters.values()
        if isinstance(value, str)
    )
    return any(not set(words_of(value)) <= set(words_of(typed)) for value in values)


def _with_what_was_said(instruction: Instruction, earlier: Instruction) -> Instruction:
    """A correction with what it leaves of the instruction before: as unsure, and pointing as that did."""
    pointing = instruction if instruction.pointing else earlier
    return msgspec.structs.replace(
        instruction,
        source=least_sure(instruction.source, earlier.source),
        confidence=least(instruction.confidence, earlier.confidence),
        pointing=pointing.pointing,
        t_s=pointing.t_s,
        words=pointing.words,
    )
