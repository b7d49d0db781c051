"""The supervisor: takes instructions from anybody, decides what may be done, says what happens.

Read `supervisor.py` first: it has the order in which an instruction is looked at. Then

| file | has |
|---|---|
| `hearing.py` | the first looks at an instruction: heard, a command, waited for |
| `meta.py`, `meta_reading.py`, `meta_plain.py` | commands before any grammar: the words, finding them |
| `orders.py`, `latch.py` | stop, cancel, pause, carry on, status; the emergency stop |
| `answering.py`, `questions.py`, `action_questions.py` | open questions and what answers them |
| `understanding.py`, `grounding.py`, `proposing.py`, `last_wishes.py` | from words to a plan |
| `admission.py` | whether it may start |
| `book.py`, `plans.py`, `plan_voice.py`, `plan_control.py`, `awaited.py` | the plans |
| `action_service.py`, `repeating.py` | what running actions may ask for |
| `framework/interlock.py` | what does not go on by itself: whose word is needed, and was given |
| `events.py`, `conversation.py`, `reply.py` | who is told, and how |

What has to be asked, confirmed or corrected is decided by pure functions in `framework.dialogue`.
"""

from framework.supervisor.emergency import EmergencyControl
from framework.supervisor.events import Event, EventBus, EventKind
from framework.supervisor.meta import Meta, MetaKind, MetaPhrases
from framework.supervisor.meta_plain import PLAIN
from framework.supervisor.meta_reading import MetaReader, meta_command, meta_swallows
from framework.supervisor.plans import PlanView
from framework.supervisor.questions import Question
from framework.supervisor.reply import Reply
from framework.supervisor.supervisor import Supervisor

__all__ = [
    "PLAIN",
    "EmergencyControl",
    "Event",
    "EventBus",
    "EventKind",
    "Meta",
    "MetaKind",
    "MetaPhrases",
    "MetaReader",
    "PlanView",
    "Question",
    "Reply",
    "Supervisor",
    "meta_command",
    "meta_swallows",
]
