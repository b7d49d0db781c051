"""Goals of other people's actions: what is said of them, and when they are over; the server is scripted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from resources.ros import goal_link
from resources.ros.bridging import ActionOut
from resources.ros.goal_link import GIVEN_UP_WITHIN_S, GONE_S, ActionOutEnd
from resources.types.ros_links import CancelGoal, Ended, News, SetGoal, Taken, decode_news


class Future:
    """As rclpy's, settled by hand."""

    def __init__(self) -> None:
        self.value: Any = None
        self._then: list[Callable[[Any], None]] = []

    def add_done_callback(self, then: Callable[[Any], None]) -> None:
        self._then.append(then)

    def settle(self, value: Any) -> None:
        self.value = value
        for then in self._then:
            then(self)

    def exception(self) -> None:
        return None

    def result(self) -> Any:
        return self.value


class Handle:
    """A goal at the server."""

    def __init__(self, *, accepted: bool = True) -> None:
        self.accepted = accepted
        self.cancels = 0
        self.done = Future()

    def get_result_async(self) -> Future:
        return self.done

    def cancel_goal_async(self) -> None:
        self.cancels += 1

    def end(self, status: int) -> None:
        self.done.settle(type("Told", (), {"status": status, "result": b"r"}))


class Client:
    """rclpy's action client, with a server that does what the test says."""

    def __init__(self) -> None:
        self.is_there = True
        self.sent: list[Future] = []

    def server_is_ready(self) -> bool:
        return self.is_there

    def send_goal_async(self, message: Any, **_: Any) -> Future:
        self.sent.append(Future())
        return self.sent[-1]

    def destroy(self) -> None:
        """Nothing."""


class Participant:
    def has_come(self) -> None:
        """Nothing waits."""


class Stage:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, orphans: tuple[int, ...] = ()) -> None:
        self.now_s = 0.0
        self.client = Client()
        self.news: list[News] = []
        monkeypatch.setattr(goal_link, "message_of", lambda data, kind: data)
        monkeypatch.setattr(goal_link, "serialised", lambda message: message)
        monkeypatch.setattr(goal_link, "_uuid", lambda number: number)
        self.end = ActionOutEnd(
            Participant(),
            ActionOut(1, "/walk", "a/action/Walk", orphans=orphans),
            self,
            lambda severity, words: None,
            self.client,
            lambda: self.now_s,
        )
        self.end._type = type("Walk", (), {"Goal": None})

    def write(self, payload: bytes, **_: Any) -> None:
        """Its ring."""
        self.news.append(decode_news(payload))

    def turn(self, by_s: float = 0.0, halted: str = "") -> None:
        self.now_s += by_s
        self.end.turn(self.now_s, halted)

    def set(self, number: int = 7) -> Handle:
        """A goal that is taken."""
        self.end.obey(SetGoal(number, b"", 5.0, 60.0), "")
        handle = Handle()
        self.client.sent[-1].settle(handle)
        return handle

    @property
    def ends(self) -> list[tuple[int, str]]:
        return [(each.number, each.outcome) for each in self.news if isinstance(each, Ended)]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(monkeypatch)


def test_a_goal_that_is_taken_and_reached_is_over(stage: Stage) -> None:
    handle = stage.set()
    assert stage.news == [Taken(7)] and not stage.end.is_done
    handle.end(4)
    assert stage.ends == [(7, "succeeded")] and stage.end.is_done


def test_what_does_not_give_up_is_lost_to_who_set_it_and_not_over(stage: Stage) -> None:
    handle = stage.set()
    stage.end.give_up("it was given back")
    for _ in range(5):
        stage.turn(1.0)
    assert stage.ends == [(7, "lost")]
    assert handle.cancels >= 4  # it is told again and again
    assert not stage.end.is_done
    handle.end(5)
    assert stage.end.is_done and stage.ends == [(7, "lost")]


def test_what_was_sent_and_is_not_answered_may_be_reached_for(stage: Stage) -> None:
    stage.end.obey(SetGoal(7, b"", 5.0, 60.0), "")
    stage.turn(5.1)
    assert stage.ends == [(7, "refused")] and not stage.end.is_done
    handle = Handle()
    stage.client.sent[-1].settle(handle)  # late, but taken: so it is given up at once
    assert handle.cancels == 1 and not stage.end.is_done
    handle.end(5)
    assert stage.end.is_done


def test_what_is_refused_late_is_over(stage: Stage) -> None:
    stage.end.obey(SetGoal(7, b"", 5.0, 60.0), "")
    stage.turn(5.1)
    stage.client.sent[-1].settle(Handle(accepted=False))
    assert stage.end.is_done


def test_a_server_that_has_left_the_graph_takes_its_goals_with_it(stage: Stage) -> None:
    stage.set()
    stage.client.is_there = False
    stage.turn()
    stage.turn(GONE_S / 2)
    assert not stage.end.is_done
    stage.turn(GONE_S)
    assert stage.ends == [(7, "lost")] and stage.end.is_done


def test_what_was_never_sent_is_over_at_once(stage: Stage) -> None:
    stage.client.is_there = False
    stage.end.obey(SetGoal(7, b"", 5.0, 60.0), "")
    stage.end.obey(CancelGoal(7), "")
    stage.turn()
    assert stage.ends == [(7, "canceled")] and stage.end.is_done and not stage.client.sent


def test_an_emergency_stop_gives_up_and_takes_no_goal(stage: Stage) -> None:
    handle = stage.set()
    stage.turn(0.02, "somebody shouted")
    assert handle.cancels == 1
    stage.end.obey(SetGoal(8, b"", 5.0, 60.0), "somebody shouted")
    assert (8, "refused") in stage.ends and len(stage.client.sent) == 1


def test_goals_of_an_earlier_bridge_are_not_over_before_their_server_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage(monkeypatch, orphans=(7,))
    handle = Handle()

    def take_over(goal: Any) -> None:
        goal.handle = handle
        stage.end._await_end(goal)
        stage.end._cancel(goal)

    monkeypatch.setattr(stage.end, "_take_over", take_over)
    stage.client.is_there = False
    stage.turn(3.0)
    assert not stage.end.is_done  # it takes time to find a server
    stage.client.is_there = True
    stage.turn()
    stage.turn(GIVEN_UP_WITHIN_S)
    assert handle.cancels >= 2 and not stage.end.is_done
    handle.end(0)  # it has never heard of it
    assert stage.end.is_done and not stage.news


def test_goals_of_an_earlier_bridge_whose_server_is_nowhere_are_over_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage(monkeypatch, orphans=(7,))
    stage.client.is_there = False
    stage.turn(9.0)
    assert not stage.end.is_done
    stage.turn(2.0)
    assert stage.end.is_done
