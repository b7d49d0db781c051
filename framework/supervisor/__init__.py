"""The supervisor: takes instructions from anybody, decides what may be done, says what happens.

Read `supervisor.py` first, then `meta.py` (what is understood before any grammar), `book.py` (the plans)
and `events.py` (who is told, and how).
"""

from framework.supervisor.emergency import EmergencyControl
from framework.supervisor.events import Event, EventBus, EventKind
from framework.supervisor.meta import Meta, MetaKind, meta_command
from framework.supervisor.plans import PlanView
from framework.supervisor.questions import Question
from framework.supervisor.reply import Reply
from framework.supervisor.supervisor import Supervisor

__all__ = [
    "EmergencyControl",
    "Event",
    "EventBus",
    "EventKind",
    "Meta",
    "MetaKind",
    "PlanView",
    "Question",
    "Reply",
    "Supervisor",
    "meta_command",
]
