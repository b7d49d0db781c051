"""Which events are said aloud, in which words, and how urgent each is. Pure."""

from __future__ import annotations

from typing import Final

from framework.events import Event, EventKind
from resources.types.voice import Urgency
from resources.voice.speakable import LONGEST, speakable

#: What comes of what somebody said: questions, read-backs, refusals, answers, ends. What is being done
#: meanwhile is not told: it is seen.
ALOUD: Final = {
    EventKind.ASKED: Urgency.QUESTION,
    EventKind.UNDERSTOOD: Urgency.ANSWER,
    EventKind.REFUSED: Urgency.ANSWER,
    EventKind.ANSWERED: Urgency.ANSWER,
    EventKind.ESTABLISHED: Urgency.ANSWER,
    EventKind.PAUSED: Urgency.ANSWER,
    EventKind.RESUMED: Urgency.ANSWER,
    EventKind.FAILED: Urgency.ANSWER,
    EventKind.ENDED: Urgency.ANSWER,
    EventKind.CANCELLED: Urgency.URGENT,
}

EMERGENCY: Final = "Everything is at rest. Nothing moves until somebody resets it."
"""What is said of an emergency stop, whoever made it: the robot never says its name aloud."""

LONGEST_QUESTION: Final = 400
"""Characters of a question that are said: whoever is asked has to hear all of it."""

SAYS: Final = "say"
"""The action whose words are said aloud, whoever wanted it."""


def urgency_of_answer(event: Event) -> Urgency | None:
    """Of an event that answers a spoken instruction; None if it is not said, or said to all anyway."""
    return None if event.aside or urgency_for_all(event) is not None else ALOUD.get(event.kind)


def urgency_for_all(event: Event) -> Urgency | None:
    """Of an event whoever it concerns: an emergency stop, and what the robot was told to say; else None."""
    if event.kind is EventKind.EMERGENCY:
        return Urgency.URGENT
    is_said = event.kind is EventKind.ANSWERED and event.action == SAYS
    return Urgency.ANSWER if is_said else None


def spoken_words(event: Event) -> str:
    """How an event is said; "" if it is none that is said to anybody."""
    urgency = urgency_for_all(event) or urgency_of_answer(event)
    if urgency is None:
        return ""
    if event.kind is EventKind.EMERGENCY:
        return EMERGENCY
    return speakable(event.text, LONGEST_QUESTION if urgency is Urgency.QUESTION else LONGEST)
