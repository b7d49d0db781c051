"""Which of the events that answer a spoken instruction are said aloud, and how urgent each is. Pure."""

from __future__ import annotations

from typing import Final

from framework.events import Event, EventKind
from resources.types.voice import Urgency

#: What comes of what somebody said: questions, read-backs, refusals, answers, ends. What is being done
#: meanwhile is not told: it is seen.
ALOUD: Final = {
    EventKind.ASKED: Urgency.QUESTION,
    EventKind.UNDERSTOOD: Urgency.ANSWER,
    EventKind.REFUSED: Urgency.ANSWER,
    EventKind.ANSWERED: Urgency.ANSWER,
    EventKind.WAITING: Urgency.ANSWER,
    EventKind.ESTABLISHED: Urgency.ANSWER,
    EventKind.PAUSED: Urgency.ANSWER,
    EventKind.RESUMED: Urgency.ANSWER,
    EventKind.FAILED: Urgency.ANSWER,
    EventKind.ENDED: Urgency.ANSWER,
    EventKind.CANCELLED: Urgency.URGENT,
}

EMERGENCY: Final = "Everything is at rest. Nothing moves until somebody resets it."
"""What is said of an emergency stop, whoever made it: the robot never says its name aloud."""

SAYS: Final = "say"
"""The action whose words are said aloud, whoever wanted it."""


def urgency_of_answer(event: Event) -> Urgency | None:
    """Of an event that answers a spoken instruction; None if it is not said."""
    return None if event.aside else ALOUD.get(event.kind)


def urgency_for_all(event: Event) -> Urgency | None:
    """Of an event whoever it concerns: an emergency stop, and what the robot was told to say; else None."""
    if event.kind is EventKind.EMERGENCY:
        return Urgency.URGENT
    is_said = event.kind is EventKind.DOING and event.action == SAYS
    return Urgency.ANSWER if is_said else None
