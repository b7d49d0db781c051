"""What we serve, asked by clients of rclpy in the same process: names, numbers, bounds, and how it ends."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.serialization import serialize_message
from std_srvs.srv import Trigger
from test_msgs.action import Fibonacci

from framework.errors import DescriptionError, MalformedMessage
from framework.status import Severity
from framework.transport.every_sample import EverySample
from resources.ros import served_links
from resources.ros.bridging import ActionIn, ServiceIn
from resources.ros.growing_ring import GrowingRing
from resources.ros.participant import _naming
from resources.ros.served_links import MOST_OPEN, ActionInEnd, ServedEnd, ServiceInEnd
from resources.types.ros_links import Asked, CancelAsked, News, Reply, decode_news

pytestmark = pytest.mark.filterwarnings("ignore:module 'sre:DeprecationWarning")
"""Lark's, which rclpy imports with the first node."""

SERVICE = "std_srvs/srv/Trigger"
ACTION = "test_msgs/action/Fibonacci"
COUNT = itertools.count()
QUIET: dict[str, Any] = {"start_parameter_services": False, "enable_rosout": False}


class Home:
    """A node as the bridge has one, and another that asks; both turn here."""

    def __init__(self, folder: Path) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=57)
        self.namespace = f"/of_{os.getpid()}_{next(COUNT)}"
        self.node = rclpy.create_node("bridge", context=self.context, namespace=self.namespace, **QUIET)
        self.asker = rclpy.create_node("asker", context=self.context, namespace=self.namespace, **QUIET)
        self.group = ReentrantCallbackGroup()
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.executor.add_node(self.asker)
        self.folder = folder
        self.told: list[tuple[Severity, str]] = []
        self.ends: list[ServedEnd] = []
        self.readers: list[EverySample] = []

    def has_come(self) -> None:
        """As a participant's."""

    def named(self, make: Callable[..., Any], *arguments: Any, **others: Any) -> Any:
        with _naming(next(each for each in arguments if isinstance(each, str))):
            return make(*arguments, **others)

    def open(self, kind: type[Any], name: str) -> tuple[Any, Callable[[], list[News]]]:
        """An end, and what has come by it since it was asked last."""
        number = len(self.ends) + 1
        ring = GrowingRing(self.folder, f"link_{number}", slots=256, most_bytes=1 << 20)
        link = (ActionIn if kind is ActionInEnd else ServiceIn)(
            number, name, ACTION if kind is ActionInEnd else SERVICE, f"link_{number}"
        )
        end = kind(self, link, ring, lambda severity, words: self.told.append((severity, words)))
        self.ends.append(end)
        self.readers.append(reader := EverySample(ring.path))
        return end, lambda: [decode_news(sample.payload) for sample in reader.news()]

    def until(self, is_so: Callable[[], Any], within_s: float = 10.0) -> Any:
        """Turn until it is."""
        until_s = time.monotonic() + within_s
        while not (found := is_so()):
            assert time.monotonic() < until_s, self.told
            self.executor.spin_once(timeout_sec=0.01)
            for end in self.ends:
                end.turn(time.monotonic(), "")
        return found

    def close(self) -> None:
        for reader in self.readers:
            reader.close()
        for end in self.ends:
            end.close()
            assert end.ring is not None
            end.ring.close()
        self.executor.shutdown(timeout_sec=1.0)
        self.node.destroy_node()
        self.asker.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setattr(served_links, "LOOKED_S", 0.3)
    monkeypatch.setattr(served_links, "CONTESTED_S", 0.5)
    made = Home(tmp_path)
    yield made
    made.close()


def test_each_question_has_a_number_of_its_own_and_an_answer(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(served_links, "ANSWERED_WITHIN_S", 1.0)
    end, news = home.open(ServiceInEnd, "switch")
    client = home.asker.create_client(Trigger, "switch")
    home.until(client.service_is_ready)
    asked = [client.call_async(Trigger.Request()) for _ in range(2)]
    came: list[Any] = []

    def both_came() -> bool:
        came.extend(news())
        return len(came) == 2

    home.until(both_came)
    assert all(isinstance(each, Asked) and each.number > 1000 for each in came)
    assert came[0].number != came[1].number
    with pytest.raises(MalformedMessage):
        end.obey(Reply(came[0].number, b"v"), "")
    end.obey(Reply(came[0].number, serialize_message(Trigger.Response(success=True, message="on"))), "")
    home.until(lambda: any(each.done() for each in asked))
    home.until(lambda: all(each.done() for each in asked))
    answers = sorted((each.result().success, each.result().message) for each in asked)
    assert answers[1] == (True, "on") and answers[0][0] is False and "no answer within 1 s" in answers[0][1]
    assert end.is_done and home.told[-1][0] is Severity.WARNING


def test_so_many_wait_at_a_time_and_all_are_answered_in_the_end(home: Home) -> None:
    end, news = home.open(ServiceInEnd, "switch")
    client = home.asker.create_client(Trigger, "switch")
    home.until(client.service_is_ready)
    asked = []
    for _ in range(MOST_OPEN):  # one by one: ten at once are what a service's queue holds
        asked.append(client.call_async(Trigger.Request()))
        home.until(news)
    one_more = client.call_async(Trigger.Request())
    home.until(one_more.done)
    assert not one_more.result().success and "others wait already" in one_more.result().message
    assert not any(each.done() for each in asked) and not end.is_done
    assert [severity for severity, _ in home.told] == [Severity.WARNING]
    end.give_up("it was given back")
    home.until(lambda: end.is_done)
    home.until(lambda: all(each.done() for each in asked))
    assert {each.result().message for each in asked} == {"it was given back"}
    late = client.call_async(Trigger.Request())
    home.until(late.done)
    assert late.result().message == "it was given back"


def test_goals_are_bounded_given_up_by_number_and_aborted_in_the_end(home: Home) -> None:
    end, news = home.open(ActionInEnd, "count")
    client = ActionClient(home.asker, Fibonacci, "count")
    home.until(client.server_is_ready)
    sent, results = [], []
    for order in range(MOST_OPEN):
        sent.append(client.send_goal_async(Fibonacci.Goal(order=order)))
        home.until(sent[-1].done)
        assert sent[-1].result().accepted
        results.append(sent[-1].result().get_result_async())
    one_more = client.send_goal_async(Fibonacci.Goal())
    home.until(one_more.done)
    assert not one_more.result().accepted
    came = home.until(news)
    assert len({each.number for each in came}) == MOST_OPEN
    sent[3].result().cancel_goal_async()
    (asked,) = home.until(news)
    assert isinstance(asked, CancelAsked)
    end.obey(Reply(asked.number, serialize_message(Fibonacci.Result(sequence=[7])), "canceled"), "")
    home.until(results[3].done)
    assert (results[3].result().status, list(results[3].result().result.sequence)) == (5, [7])
    assert not end.is_done
    end.give_up("it was given back")
    home.until(lambda: end.is_done)
    home.until(lambda: all(each.done() for each in results))
    assert {each.result().status for each in results} == {5, 6}
    client.destroy()


@pytest.mark.parametrize(("kind", "name"), [(ServiceInEnd, "switch"), (ActionInEnd, "count")])
def test_a_name_that_somebody_serves_is_not_offered(home: Home, kind: type[Any], name: str) -> None:
    known = "switch" if kind is ServiceInEnd else "count/_action/send_goal"
    service = Trigger if kind is ServiceInEnd else Fibonacci.Impl.SendGoalService
    server = home.asker.create_service(service, known, lambda request, response: response)
    home.open(kind, name)
    home.until(lambda: home.told)
    ((severity, words),) = home.told
    assert severity is Severity.FATAL
    assert words.startswith(f"{name} is served by {home.namespace}/asker in this domain")
    assert home.node.count_services(f"{home.namespace}/{known}") == 1
    home.asker.destroy_service(server)


def test_who_begins_at_the_same_time_draws_back_and_who_was_there_stays(home: Home) -> None:
    first, _ = home.open(ServiceInEnd, "switch")
    client = home.asker.create_client(Trigger, "switch")
    home.until(client.service_is_ready)
    server = home.asker.create_service(Trigger, "switch", lambda request, response: response)
    home.until(lambda: home.told)
    assert home.told[0][0] is Severity.FATAL and first.why_not
    home.asker.destroy_service(server)
    first.close()
    home.ends.remove(first)
    assert first.ring is not None
    first.ring.close()
    home.told.clear()

    second, _ = home.open(ServiceInEnd, "switch")
    home.until(client.service_is_ready)
    settled_s = time.monotonic() + 1.0
    home.until(lambda: time.monotonic() > settled_s)
    server = home.asker.create_service(Trigger, "switch", lambda request, response: response)
    home.until(lambda: home.told)
    assert [severity for severity, _ in home.told] == [Severity.ERROR] and not second.why_not
    home.asker.destroy_service(server)


@pytest.mark.parametrize("name", ["/a b", "/a//b", "/a/", "", "/{c}/d"])
def test_a_name_that_ros_does_not_take_is_refused_at_once(home: Home, name: str) -> None:
    for kind in (ServiceInEnd, ActionInEnd):
        link = (ActionIn if kind is ActionInEnd else ServiceIn)(
            9, name, ACTION if kind is ActionInEnd else SERVICE, "link_9"
        )
        ring = GrowingRing(home.folder, "link_9", slots=4, most_bytes=1 << 10)
        with pytest.raises(DescriptionError, match="ROS does not take the name"):
            kind(home, link, ring, lambda severity, words: None)  # type: ignore[arg-type]
        ring.close()
