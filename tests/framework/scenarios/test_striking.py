"""What strikes say of whom they hurt: who loses something is told, and who is stopped has lost nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from framework.clock import LoopClock
from framework.events import Event, EventKind
from framework.scenarios.scenario import Fail, How, Phase, Strike, When
from framework.scenarios.stage import StageActivity, StageView
from framework.scenarios.striking import Strikes
from framework.testing.pytest_plugin import VirtualRunner
from framework.tree.view import NodeState

PLAN, NODE = "1", "1.1"
HANGS = Strike(Fail("camera", How.HANG), When(Phase.READY, "show"))


class Told:
    """Events of one plan."""

    last_sequence = 0

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.listener: Callable[[Event], None] = lambda event: None

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        self.listener = listener
        return lambda: None

    def history(self, since: int) -> list[Event]:
        return self.events

    def tell(self, kind: EventKind) -> None:
        event = Event(kind, kind.value, plan=PLAN, action="show", data={"node": NODE}, t_s=0.0)
        self.events.append(event)
        self.listener(event)


class OneAction:
    """A stage on which one action shows something."""

    def __init__(self) -> None:
        self.events = Told()
        self.state: NodeState | None = NodeState.READY
        self.has_been_down = False
        self.time_s = 0.0

    def now_s(self) -> float:
        return self.time_s

    def journals(self) -> tuple[()]:
        return ()

    def motions(self) -> tuple[()]:
        return ()

    def up(self) -> frozenset[str]:
        return frozenset()

    def activities(self) -> tuple[StageActivity, ...]:
        return (StageActivity(PLAN, NODE, self.state),) if self.state is not None else ()

    def fail(self, device: str, how: How) -> str:
        return f"{device} {how.value}"

    def restore(self, device: str) -> str:
        return f"{device} works"


class OneView:
    """What is shown is as old as the stage's beginning until the action works again."""

    def __init__(self, stage: OneAction) -> None:
        self._stage = stage

    @property
    def views(self) -> tuple[StageView, ...]:
        is_new = self._stage.has_been_down and self._stage.state is NodeState.READY
        return (StageView("view", "camera", 1, self._stage.time_s if is_new else -1.0),)

    def look(self) -> None: ...


async def broken(states: list[NodeState | None], news: EventKind | None = None) -> list[str]:
    """What is broken if the action comes to these states one after the other, behind the strike."""
    stage: Any = OneAction()
    watcher: Any = OneView(stage)
    strikes = Strikes((HANGS,), stage, watcher, LoopClock())
    stage.events.tell(EventKind.DOING)
    await stage_moves_on(stage, strikes)
    for state in states:
        stage.state = state
        stage.has_been_down = stage.has_been_down or state is NodeState.WAITING
        if state is NodeState.WAITING and news is not None:
            stage.events.tell(news)
        await stage_moves_on(stage, strikes)
    assert len(strikes.struck()) == 1 and not strikes.struck()[0].error
    await strikes.close()
    return [each.words for each in strikes.broken]


async def stage_moves_on(stage: OneAction, strikes: Strikes) -> None:
    await LoopClock().sleep(0.02)
    stage.time_s += 0.02
    strikes.look()


@pytest.mark.parametrize(
    ("states", "news", "is_untold"),
    [
        ([NodeState.WAITING, NodeState.READY], None, True),
        ([NodeState.WAITING, NodeState.READY], EventKind.WAITING, False),
        ([NodeState.WAITING, None], None, True),
        ([NodeState.STOPPING, None], None, False),
        ([NodeState.WAITING, NodeState.STOPPING, None], None, True),
    ],
    ids=["again", "again and told", "failed", "stopped", "lost and then stopped"],
)
def test_who_loses_something_is_told_and_who_is_stopped_need_not_be(
    virtual: VirtualRunner, states: list[NodeState | None], news: EventKind | None, is_untold: bool
) -> None:
    assert bool(virtual(lambda: broken(states, news))) is is_untold
