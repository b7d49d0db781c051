"""What goes on and has happened, for who asks: the chain of causes, from what was recorded, in plain words.

| about | asked as |
|---|---|
| doing | what are you doing? |
| why | why did you stop?, why don't you move?, why didn't you do it? |
| stopped | who stopped you? |
| done | did you reach it?, are you done? |
| until | how long until you are done? |
| since | how long have you been doing that? |
| steps | in which step are you, and what comes next? |
| faults | is everything okay? |
| heard | what did I say?, what did you understand? |
| there | are you there? |

Nothing is guessed: what was not recorded is said to be unknown. Whoever asks is "you"; questions themselves
are left out of every account.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Final

from framework.clock import Clock
from framework.dialogue.activity import i_am
from framework.events import Event, EventBus, EventKind
from framework.supervisor.book import PlanBook
from framework.supervisor.latch import Latch
from framework.supervisor.meaning import shares_words
from framework.supervisor.plans import PlanRecord
from framework.tree.run import PlanState
from framework.tree.view import NodeState

#: What was said so shortly before an end is its cause [s].
_CAUSE_WITHIN_S: Final = 3.0
#: Failures are told of for so long [s].
_RECENT_S: Final = 600.0
_MOST_CAUSES: Final = 3
_NOTHING_YET: Final = "I was asked to do nothing yet."
#: What in a plan's journal has led to how it is.
_CAUSES: Final = (EventKind.SWITCHED, EventKind.WAITING, EventKind.PAUSED, EventKind.RESUMED)


class About(StrEnum):
    """What is asked."""

    DOING = "doing"
    WHY = "why"
    STOPPED = "stopped"
    DONE = "done"
    UNTIL = "until"
    SINCE = "since"
    STEPS = "steps"
    FAULTS = "faults"
    HEARD = "heard"
    THERE = "there"


class Account:
    """Gives it. doing: the answer to "what are you doing?" but for one plan."""

    def __init__(
        self, book: PlanBook, events: EventBus, latch: Latch, clock: Clock, doing: Callable[[str], str]
    ) -> None:
        self._book = book
        self._events = events
        self._latch = latch
        self._clock = clock
        self._doing = doing

    def give(self, about: str, of: str, own: PlanRecord | None) -> str:
        """The answer. of: the words for what it is asked of; own: the plan that asks. Raises ValueError."""
        asker = own.who if own is not None else ""
        match About(about):
            case About.WHY:
                return self._why(of, asker)
            case About.STOPPED:
                return self._stopped(asker, own)
            case About.DONE:
                return self._done(of, asker)
            case About.UNTIL:
                return self._until()
            case About.SINCE:
                return self._since()
            case About.STEPS:
                return self._steps()
            case About.FAULTS:
                return self._faults()
            case About.HEARD:
                return self._heard(asker, own)
            case About.THERE:
                return f"Yes, I am here. {self._doing(own.id if own is not None else '')}"
        return self._doing(own.id if own is not None else "")

    # -- why, who, whether

    def _why(self, of: str, asker: str) -> str:
        found = [f"The emergency stop is set{self._latch.because}."] if self._latch.is_set else []
        active = self._active
        held = [each for each in active if each.run.state is PlanState.PAUSED or _waits(each)]
        if not found and active and not held:
            goes = "; ".join(i_am(each.words, each.is_single) for each in active)
            found.append(f"I have not stopped: {goes}.")
        for record in held:
            found += self._how_it_came(record)
        refused, last = self._last_refused(asker), self._last_ended(of)
        if refused is not None and (last is None or refused.t_s >= last.ended_s) and not held:
            said = self._said_before(refused)
            about = f'You said "{said.text}"' if said is not None else "You asked for something"
            if not found:
                return f"{about}, and I did nothing: {_begun_small(refused.text)}"
        if not active and last is not None:
            found += self._how_it_ended(last, asker)
        return " ".join(found) or f"{_NOTHING_YET} I have nothing to stop or to go on with."

    def _how_it_came(self, record: PlanRecord) -> Iterator[str]:
        """Why a plan is paused or waits."""
        causes = [event.text for event in record.journal if event.kind in _CAUSES]
        yield from dict.fromkeys(causes[-_MOST_CAUSES:])
        if not causes:
            yield f"{i_am(record.words, record.is_single)}, and wait for what that needs."

    def _how_it_ended(self, record: PlanRecord, asker: str) -> Iterator[str]:
        """What came before the end of a plan, and what ended it."""
        outcome = record.outcome
        assert outcome is not None
        before = [event.text for event in record.journal if event.kind is EventKind.SWITCHED]
        before += [event.text for event in self._between(record, EventKind.DEVICE, EventKind.ERROR)]
        wanted = (
            f'{_subject(record.who, asker)} said "{record.instruction.text}", and I began: {record.words}.'
        )
        yield wanted[0].upper() + wanted[1:]
        yield from dict.fromkeys(before[-_MOST_CAUSES:])
        words = (outcome.why or outcome.words).rstrip(".")
        if outcome.state is PlanState.SUCCEEDED:
            yield "I stopped because that is done."
        elif outcome.state is PlanState.FAILED:
            yield f"I stopped because it did not work: {words}." if words else "I stopped: it did not work."
        else:
            yield f"I stopped because {self._who_ended(record, asker) or words or 'it was ended'}."

    def _who_ended(self, record: PlanRecord, asker: str) -> str:
        """Whose words have ended a plan; "" if nobody's have."""
        ended = [each for each in self._events.history() if each.t_s <= record.ended_s]
        orders = [
            event
            for event in ended
            if event.kind in (EventKind.CANCELLED, EventKind.EMERGENCY)
            and event.plan in ("", record.id)
            and event.t_s >= max(record.since_s, record.ended_s - _CAUSE_WITHIN_S)
        ]
        for order in orders:
            said = self._said_before(order)
            if order.kind is EventKind.EMERGENCY and said is None:
                return f"of an emergency stop{self._latch.because}"
            if said is not None and said.t_s >= record.since_s:
                what = " (the emergency stop)" if order.kind is EventKind.EMERGENCY else ""
                return f'{_subject(said.who, asker)} said "{said.text}"{what}'
        return ""

    def _stopped(self, asker: str, own: PlanRecord | None) -> str:
        last = self._last_ended("")
        stopped = f"The emergency stop is set{self._latch.because}. " if self._latch.is_set else ""
        if last is None:
            return f"{stopped}{_NOTHING_YET}" if not stopped else stopped.rstrip()
        if who := self._who_ended(last, asker):
            return f"{stopped}I stopped because {who}; until then: {last.words}."
        if self._active:
            return f"{stopped}Nobody has stopped me: {self._doing(own.id if own is not None else '')}"
        return f"{stopped}Nobody has said so. {' '.join(self._how_it_ended(last, asker))}"

    def _done(self, of: str, asker: str) -> str:
        for record in reversed(self._active):
            if _is_about(record, of):
                if record.was_established:
                    return f"It is up and running: {record.words}."
                return f"Not yet: {self._at(record)}."
        last = self._last_ended(of)
        if last is None:
            other = self._last_ended("")
            doing = f"; the last was: {other.words}" if other is not None else ""
            return f"No: that was not done{doing}." if doing or of else _NOTHING_YET
        assert last.outcome is not None
        if last.outcome.state is PlanState.SUCCEEDED:
            return f"Yes, that is done: {last.words}."
        return f"No, not to its end: {last.words}. {' '.join(self._how_it_ended(last, asker))}"

    # -- times and steps

    def _until(self) -> str:
        active = self._active
        if not active:
            return "There is nothing to wait for: I am doing nothing."
        at = "; ".join(self._at(record) for record in active)
        return f"I cannot know how long it takes yet. {at[0].upper()}{at[1:]}."

    def _since(self) -> str:
        active = self._active
        if not active:
            last = self._last_ended("")
            ago = (
                ""
                if last is None
                else f" I ended {_ago(self._clock.now_s() - last.ended_s)} ago: {last.words}."
            )
            return f"I am doing nothing.{ago}"
        return " ".join(
            f"{i_am(each.words, each.is_single)}, for {_ago(self._clock.now_s() - each.since_s)} now."
            for each in active
        )

    def _steps(self) -> str:
        found = []
        for record in self._active:
            actions = [each for each in record.run.actions if not each.state_now().is_over]
            now = [each.words for each in actions if each.state_now() is not NodeState.IDLE]
            following = [each.words for each in actions if each.state_now() is NodeState.IDLE]
            then = f" Next: {'; then '.join(following)}." if following else " Nothing comes after that."
            found.append(f"Now: {' and '.join(now) or record.words}.{then}")
        return " ".join(found) or "I am at no step: I am doing nothing, and nothing is to come."

    # -- what is wrong, what was said

    def _faults(self) -> str:
        found = [f"The emergency stop is set{self._latch.because}."] if self._latch.is_set else []
        now_s = self._clock.now_s()
        last = self._last_ended("")
        outcome = last.outcome if last is not None and now_s - last.ended_s < _RECENT_S else None
        if last is not None and outcome is not None and outcome.state is PlanState.FAILED:
            why = (outcome.why or outcome.words).rstrip(".")
            found.append(f"The last thing did not work: {last.words}: {why}.")
        for record in self._active:
            if record.run.state is PlanState.PAUSED or _waits(record):
                found += self._how_it_came(record)
        return " ".join(found)

    def _heard(self, asker: str, own: PlanRecord | None) -> str:
        history = [each for each in self._events.history() if each.who == asker]
        heard = [each for each in history if each.kind is EventKind.HEARD]
        asked = heard.pop().sequence if heard and own is not None else self._events.last_sequence + 1
        if not heard:
            return "You have said nothing to me before."
        last = heard[-1]
        after = (each for each in history if last.sequence < each.sequence < asked)
        made = next((each for each in after if each.kind in _MADE_OF_IT), None)
        if made is None:
            return f'You said "{last.text}".'
        words = str(made.data.get("words", ""))
        understood = f"I understood: {words}." if words else made.text
        return f'You said "{last.text}". {understood}'

    # -- records

    @property
    def _active(self) -> tuple[PlanRecord, ...]:
        return tuple(each for each in self._book.active if not each.only_answers)

    def _last_ended(self, of: str) -> PlanRecord | None:
        every = (each for each in reversed(self._book.ended) if not each.only_answers)
        return next((each for each in every if _is_about(each, of)), None)

    def _last_refused(self, who: str) -> Event | None:
        every = (each for each in reversed(self._events.history()) if each.who == who)
        return next((each for each in every if each.kind is EventKind.REFUSED), None)

    def _said_before(self, event: Event) -> Event | None:
        """What was heard last before something happened, of whoever was its reason."""
        for each in reversed(self._events.history()):
            is_theirs = each.who == event.who or not event.who
            if each.sequence < event.sequence and each.kind is EventKind.HEARD and is_theirs:
                return each if event.t_s - each.t_s <= _CAUSE_WITHIN_S else None
        return None

    def _between(self, record: PlanRecord, *kinds: EventKind) -> Iterator[Event]:
        for each in self._events.history():
            is_meanwhile = record.since_s <= each.t_s <= record.ended_s
            if is_meanwhile and each.kind in kinds and each.plan in ("", record.id):
                yield each

    def _at(self, record: PlanRecord) -> str:
        """ "I am moving the arm (half done)"."""
        told = [event for event in record.journal if event.kind is EventKind.DOING and event.fraction >= 0]
        done = f", {100 * told[-1].fraction:.0f} percent done" if told else ""
        paused = " (paused)" if record.run.state is PlanState.PAUSED else ""
        return f"{i_am(record.words, record.is_single)}{done}{paused}"


_MADE_OF_IT: Final = (
    EventKind.UNDERSTOOD, EventKind.REFUSED, EventKind.ASKED, EventKind.CANCELLED, EventKind.PAUSED,
    EventKind.RESUMED, EventKind.EMERGENCY, EventKind.ANSWERED, EventKind.RESET,
)  # fmt: skip


def _waits(record: PlanRecord) -> bool:
    return record.awaited_word is not None or any(
        each.state_now() is NodeState.WAITING for each in record.run.actions
    )


def _is_about(record: PlanRecord, of: str) -> bool:
    return not of or shares_words(of, record.words)


def _subject(who: str, asker: str) -> str:
    return "you" if who == asker else who or "somebody"


def _begun_small(text: str) -> str:
    """A sentence after a colon; "I" stays."""
    return text if text[:2] in ("I ", "I'") else f"{text[:1].lower()}{text[1:]}"


def _ago(duration_s: float) -> str:
    if duration_s < 90:
        return f"{duration_s:.0f} s"
    return f"{duration_s / 60:.0f} minutes" if duration_s < 5400 else f"{duration_s / 3600:.1f} hours"
