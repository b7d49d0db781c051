"""What managers and supervisor know, as the console's messages say it. Pure: nothing is looked up here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from framework.registrar.snapshot import Snapshot
from framework.supervisor import Event, EventKind, PlanView, Question
from framework.supervisor.questions import ANSWER_WITHIN_S
from framework.tree.run import PlanState
from framework.tree.view import TreeView
from managers.devices import DeviceView
from managers.said_aloud import spoken_words
from resources.children.failing import FailMode
from resources.console.graph import label
from resources.types.context import KnownThing
from resources.types.device_states import DeviceState
from resources.types.poses import chained, inverse
from resources.types.streams import IDENTITY, Pose7
from resources.web.protocol import (
    DeviceLine,
    EventLine,
    NodeKind,
    NodeState,
    OptionThing,
    TreeNode,
)
from resources.web.protocol import DeviceState as PageState
from resources.web.protocol import PlanView as PagePlan
from resources.web.protocol import Question as PageQuestion

TOLD_ANEW_M: Final = 0.02
"""What is asked about is told anew when it is so far from where it was for the robot [m]."""

Called = Callable[[str], tuple[KnownThing, ...]]
"""The things that somebody may mean who says this (`ContextManager.called`)."""


def resources(snapshots: Sequence[Snapshot]) -> list[dict[str, Any]]:
    """All resources of all registrars, as `pilothouse status --json` prints them."""
    who = {lease.id: lease.who for snapshot in snapshots for lease in snapshot.leases}
    names = {
        view.id: f"{view.registrar}/{label(view.request)}"
        for snapshot in snapshots
        for view in snapshot.resources
    }
    above: dict[str, list[str]] = {}
    for snapshot in snapshots:
        for view in snapshot.resources:
            for needed in view.depends_on:
                above.setdefault(needed, []).append(names[view.id])
    return [
        {
            "id": view.id,
            "registrar": view.registrar,
            "request": label(view.request),
            "state": view.state,
            "detail": view.detail,
            "leases": list(view.leases),
            "used_by": above.get(view.id) or sorted({who.get(lease, lease) for lease in view.leases}),
            "depends_on": [names.get(needed, needed) for needed in view.depends_on],
        }
        for snapshot in snapshots
        for view in snapshot.resources
    ]


def event_line(event: Event, started_s: float, questions: Sequence[Question]) -> EventLine:
    """An event; its time counts from `started_s`. Of a question it says how that can be answered."""
    line = EventLine(
        event.sequence,
        round(event.t_s - started_s, 3),
        event.wall_s,
        event.kind.value,
        event.text,
        event.plan,
        event.action,
        event.who,
        event.people,
        event.subject,
        str(event.data.get("words", "")),
        str(event.data.get("device", "")),
        str(event.data.get("why", "")),
        str(event.data.get("session", "")),
        aside=event.aside,
        spoken=spoken_words(event),
    )
    question_id = str(event.data.get("question", ""))
    if event.kind is not EventKind.ASKED or not question_id:
        return line
    count = int(event.data.get("options", 0))
    options = tuple(str(event.data.get(f"option_{number}", "")) for number in range(1, count + 1))
    found = next((question for question in questions if question.id == question_id), None)
    within_s = ANSWER_WITHIN_S if found is not None and found.timer is not None else None
    return msgspec.structs.replace(line, question=question_id, options=options, answer_within_s=within_s)


def page_question(
    question: Question,
    history: Iterable[Event],
    now_s: float,
    called: Called = lambda name: (),
    world_T_robot: Pose7 = IDENTITY,
) -> PageQuestion:
    """An open question and how long it waits still.

    history: all events, the oldest first. called: the things of a name. world_T_robot: where it stands.
    """
    left_s = None
    if question.timer is not None:
        asked = [event.t_s for event in history if event.data.get("question") == question.id]
        left_s = max(0.0, ANSWER_WITHIN_S - (now_s - asked[0])) if asked else ANSWER_WITHIN_S
    return PageQuestion(
        question.id,
        question.text,
        question.who,
        question.options,
        question.hint,
        left_s,
        ANSWER_WITHIN_S,
        _places(question.things, called, inverse(world_T_robot)),
    )


def last_told(questions: Iterable[PageQuestion]) -> tuple[object, ...]:
    """What of open questions is told anew when it changes: which there are, and where their things are.

    For the robot: its base may drive meanwhile, and operators' pictures, which drive with it, show them in
    its frame.
    """
    return tuple(
        (
            question.id,
            tuple(
                (thing.choice, *(round(value / TOLD_ANEW_M) for value in thing.robot_T_thing[:3]))
                for thing in question.things
            ),
        )
        for question in questions
    )


def _places(names: Sequence[str], called: Called, robot_T_world: Pose7) -> tuple[OptionThing, ...]:
    found = []
    for choice, name in enumerate(names, start=1):
        things = called(name) if name else ()
        if len(things) == 1 and things[0].world_T_thing is not None:
            place = things[0].world_T_thing
            found.append(OptionThing(choice, place, chained(robot_T_world, place), things[0].size_m))
    return tuple(found)


def page_plan(view: PlanView) -> PagePlan:
    """A plan with its tree."""
    return PagePlan(view.id, view.words, view.who, _PLAN_STATES[view.state], _node(view.tree))


def page_device(device: DeviceView, injected: FailMode | None) -> DeviceLine:
    """A device, and the failure that somebody put there."""
    return DeviceLine(
        device.name,
        device.kind,
        _DEVICE_STATES[device.state],
        device.mount,
        device.detail or device.state,
        injected.value if injected is not None else "",
    )


_KINDS = {
    "do": NodeKind.ACTION,
    "wait": NodeKind.CONDITION,
    "decide": NodeKind.CONDITION,
    "alongside": NodeKind.PARALLEL,
}


def _name(view: TreeView) -> str:
    """What a node does; a join has no words of its own but its condition, for its steps stand below it."""
    if not view.children:
        return view.words
    return f"{view.kind} {view.condition}" if view.condition else ""


def _node(view: TreeView) -> TreeNode:
    return TreeNode(
        view.id,
        _name(view),
        _KINDS.get(view.kind) or NodeKind(view.kind),
        NodeState(view.state.value),
        view.detail,
        tuple(map(_node, view.children)),
        round(view.fraction, 2),  # as fine as a bar can show it: each change is told to all pages
    )


_PLAN_STATES = {
    PlanState.RUNNING: NodeState.RUNNING,
    PlanState.ESTABLISHED: NodeState.READY,
    PlanState.PAUSED: NodeState.PAUSED,
    PlanState.STOPPING: NodeState.STOPPING,
    PlanState.SUCCEEDED: NodeState.SUCCEEDED,
    PlanState.FAILED: NodeState.FAILED,
    PlanState.CANCELLED: NodeState.CANCELLED,
}

_DEVICE_STATES = {
    DeviceState.FREE: PageState.IDLE,
    DeviceState.IN_USE: PageState.WORKING,
    DeviceState.FAULT: PageState.FAILED,
    DeviceState.UNPLUGGED: PageState.FAILED,
    DeviceState.RESTING: PageState.FAILED,
    DeviceState.UNAVAILABLE: PageState.FAILED,
}
