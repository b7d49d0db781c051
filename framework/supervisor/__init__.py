"""The supervisor: takes instructions from anybody, decides what may be done, says what happens.

Read `interpreter.py` first: it has the order in which an instruction is looked at. Then

| file | has |
|---|---|
| `exchange.py`, `conversation.py`, `reply.py` | an instruction and what is said about it; its driver |
| `orders.py`, `latch.py` | stop, cancel, pause, carry on, status; the emergency stop |
| `answering.py`, `questions.py` | open questions and what answers them |
| `grounding.py`, `last_wishes.py` | what was pointed at; corrections |
| `admission.py`, `objections.py` | whether a plan may start |
| `book.py`, `plans.py`, `plan_voice.py`, `plan_control.py`, `awaited.py` | the plans |
| `meaning.py`, `status_words.py` | which plan is meant; what is being done |
| `action_service.py`, `repeating.py` | what running actions may ask for |
| `framework/interlock.py` | what does not go on by itself: whose word is needed, and was given |
| `supervisor.py` | all of it together |

What has to be asked, confirmed or corrected is decided by pure functions in `framework.dialogue`.
"""

from framework.events import Event, EventBus, EventKind
from framework.supervisor.latch import EmergencyControl
from framework.supervisor.plans import PlanView
from framework.supervisor.questions import Question
from framework.supervisor.reply import Reply
from framework.supervisor.supervisor import Supervisor

__all__ = [
    "EmergencyControl",
    "Event",
    "EventBus",
    "EventKind",
    "PlanView",
    "Question",
    "Reply",
    "Supervisor",
]
