"""What is said about plans: to everybody, into their journals, and to those who asked for them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from framework.clock import Clock
from framework.events import Event, EventBus, EventKind
from framework.interlock import Loss
from framework.supervisor.plans import PlanRecord
from framework.supervisor.questions import Question
from framework.tree.run import PlanOutcome, PlanState

PROGRESS_EVERY_S = 0.5
#: Of a plan of one action the plan says these itself.
_SAID_BY_THE_PLAN = (EventKind.STARTED, EventKind.ENDED, EventKind.FAILED, EventKind.CANCELLED)
#: Of a question that only reads: its answer, or why there is none, is all that is worth a line.
_ASIDES = (EventKind.STARTED, EventKind.WAITING, EventKind.DOING, EventKind.ENDED)


class PlanVoice:
    """Puts what happens to plans into events."""

    def __init__(self, events: EventBus, clock: Clock) -> None:
        self.events = events
        self._clock = clock
        self._progress: dict[str, tuple[float, object]] = {}

    def say(
        self,
        record: PlanRecord,
        kind: EventKind,
        text: str,
        *,
        action: str = "",
        data: Mapping[str, str | int | float | bool] | None = None,
    ) -> Event:
        """Something about a plan."""
        aside = record.only_answers and kind in _ASIDES
        event = self.events.emit(
            kind,
            text,
            plan=record.id,
            action=action,
            who=record.who,
            data=data,
            aside=aside,
            people=record.people,
        )
        record.note(event)
        return event

    def paused(self, record: PlanRecord, why: str) -> None:
        """It was paused although nobody has said so, and how it goes on."""
        words = f'{why}; "{record.words}" is paused{how_it_goes_on(record.awaited_word)}.'
        self.say(record, EventKind.PAUSED, words)

    def in_tree(self, record: PlanRecord, event: Event, question: Question | None = None) -> Event | None:
        """What is to be published of what happened in its tree. question: the one that an action asks."""
        if record.is_single and event.kind in _SAID_BY_THE_PLAN:
            return None
        if event.kind is EventKind.DOING and self._is_too_soon(event):
            return None
        aside = record.only_answers and event.kind in _ASIDES
        event = msgspec.structs.replace(
            event, plan=record.id, who=record.who, aside=aside, people=record.people
        )
        if question is None:
            return event
        data = {**event.data, **question.data}
        return msgspec.structs.replace(event, text=question.full_text, data=data)

    def ended(self, record: PlanRecord, outcome: PlanOutcome) -> None:
        """It is over."""
        for action in record.run.actions:
            self._progress.pop(action.node_id, None)
        words = (outcome.why or outcome.words).rstrip(".")
        why = f": {words}" if words else ""
        if outcome.state is PlanState.SUCCEEDED:
            self.say(record, EventKind.ENDED, f"Done: {record.words}.")
        elif outcome.state is PlanState.FAILED:
            because = f" {_begun(words)}." if words else ""
            self.say(record, EventKind.FAILED, f"That did not work: {record.words}.{because}")
        else:
            self.say(record, EventKind.CANCELLED, f"I ended: {record.words}{why}.")

    def _is_too_soon(self, event: Event) -> bool:
        """An action may report progress as often as it likes, but the history is not for that.

        What it says without having got further is no progress, and is always passed on.
        """
        fraction = event.data.get("fraction")
        told_s, before = self._progress.get(event.node, (-PROGRESS_EVERY_S, None))
        if fraction is None or fraction == before:
            return False
        now_s = self._clock.now_s()
        is_too_soon = now_s - told_s < PROGRESS_EVERY_S and fraction != 1.0
        self._progress[event.node] = (told_s if is_too_soon else now_s, fraction)
        return is_too_soon


def how_it_goes_on(loss: Loss | None) -> str:
    """After such a loss: who has to say what."""
    if loss is not None and loss.keeper:
        return f' until {loss.keeper} or the console says "carry on"'
    return ': say "carry on" to go on'


def _begun(words: str) -> str:
    """As a sentence begins; a device keeps its name as it is ("front_camera is unplugged")."""
    return words if "_" in words.split(" ", 1)[0] else words[0].upper() + words[1:]
