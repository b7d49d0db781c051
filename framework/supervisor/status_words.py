"""The answer to "what are you doing?", in words."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Protocol

from framework.dialogue.activity import activity, i_am
from framework.plan.ast import Do
from framework.plugins.need import in_words as request_in_words
from framework.registrar.snapshot import Snapshot
from framework.supervisor.plans import PlanRecord
from framework.supervisor.retained import done_by
from framework.tree.run import PlanState
from framework.tree.view import NodeState

_HAS = frozenset(("granted",))
_WANTS = frozenset(("seeking", "asked", "queued", "reserved"))


class HasSnapshot(Protocol):
    """The registrar through which actions request, as far as it matters here."""

    def snapshot(self) -> Snapshot: ...


def what_is_done(
    records: tuple[PlanRecord, ...],
    registrar: HasSnapshot | None,
    latched_because: str | None,
    person: Callable[[Do], str],
) -> str:
    """A few sentences: every plan with what its actions are at, resources used and waited for, the stop.

    person: whose an action is by name. What such a one does and has is said of them, not of me.
    """
    sentences: list[str] = []
    if latched_because is not None:
        sentences.append(f"The emergency stop is set{latched_because}.")
    sentences += [_theirs(record, person) or _plan(record) for record in records]
    if not records:
        sentences.append("I am doing nothing.")
    if registrar is not None:
        people = {person(action.do) for record in records for action in record.run.actions} - {""}
        sentences += _resources(registrar.snapshot(), people)
    return " ".join(sentences)


def _theirs(record: PlanRecord, person: Callable[[Do], str]) -> str:
    """What somebody does by the only action of a plan: "Phone 1 drives the arm."."""
    if not record.is_single or not record.is_wanted:
        return ""
    (action,) = record.run.actions
    does = done_by(person(action.do), action)
    return f"{does[0].upper()}{does[1:]}." if does else ""


def _plan(record: PlanRecord) -> str:
    state = record.run.state
    if state is PlanState.PAUSED:
        opening = f"I have paused {activity(record.words, record.is_single, answers=record.only_answers)}"
    elif state is PlanState.STOPPING:
        opening = f"I am ending {activity(record.words, record.is_single, answers=record.only_answers)}"
    else:
        opening = i_am(record.words, record.is_single, answers=record.only_answers)
    parts = []
    for action in record.run.actions:
        now = action.state_now()
        if now.is_over or now is NodeState.IDLE:
            continue
        said = action.detail or now.value
        more = f": {said}" if said != now.value else ""
        parts.append(said if record.is_single else f"{action.words} is {now}{more}")
    return f"{opening} ({'; '.join(parts)})." if parts else f"{opening}."


def _resources(snapshot: Snapshot, people: Collection[str]) -> list[str]:
    """What is in use and waited for, but for what is in the name of these people."""
    used: dict[str, None] = {}
    wanted: dict[str, None] = {}
    for lease in snapshot.leases:
        if lease.side not in ("held", "both") or lease.who in people:
            continue
        words = _request(lease.request) + (" for myself alone" if lease.exclusive else "")
        if lease.phase in _HAS:
            used[words] = None
        elif lease.phase in _WANTS:
            wanted[words] = None
    sentences = []
    if used:
        sentences.append(f"In use: {', '.join(used)}.")
    if wanted:
        sentences.append(f"Waited for: {', '.join(wanted)}.")
    return sentences


def _request(request: Any) -> str:
    return request_in_words(request)
