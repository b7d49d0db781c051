"""A node of ours in the ROS 2 graph, in a process of its own: made, spun in the main thread, and left.

rclpy's callbacks run while `wait` is called, so nothing here needs a lock, and who hangs in a callback does
not beat. What a topic's other end offers is looked at by `Connection`: a policy that does not fit, or another
type, is told with both sides' words, not by silence.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from framework.errors import DescriptionError
from framework.processes.child import Child
from framework.status import Severity
from resources.ros.library import library
from resources.ros.messages import type_named
from resources.ros.qos import misfits, profile_of, qos_of
from resources.types.ros import SIM_TIME_VARIABLE, Qos

NAMESPACE: Final = "/pilothouse"

_FAST_HZ: Final = 400.0
_GATHERED_S: Final = 0.003
"""Above so many messages a second they are gathered for so long [s]."""

_TURN_S: Final = 0.05
"""So often the main loop turns, if nothing comes: it beats, and sees that it is to stop."""

_ENDS_WITHIN_S: Final = 1.0


class Participant:
    """A node, with its own context. A context manager; used from the main thread only.

    Raises PluginUnavailable without rclpy, DescriptionError for a name that ROS does not take.
    """

    def __init__(self, child: Child, name: str) -> None:
        rclpy = library()
        from rclpy.callback_groups import ReentrantCallbackGroup
        from rclpy.executors import SingleThreadedExecutor, TimeoutObject
        from rclpy.parameter import Parameter
        from rclpy.signals import SignalHandlerOptions

        self.child = child
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        try:
            self.node: Any = rclpy.create_node(
                name,
                context=self._context,
                namespace=NAMESPACE,
                use_global_arguments=False,
                enable_rosout=False,
                start_parameter_services=False,
                parameter_overrides=[
                    Parameter("use_sim_time", value=bool(os.environ.get(SIM_TIME_VARIABLE)))
                ],
            )
        except Exception as error:  # rclpy's own, of several kinds
            self._context.try_shutdown()
            raise DescriptionError(f"ROS does not take {name!r} for a node: {error}") from error
        self.group: Any = ReentrantCallbackGroup()
        """Of what waits in the middle: others have their turn meanwhile."""
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        # The same one each time: with another it would begin anew with what waits in the middle, and come to
        # nobody else.
        self._timeout = TimeoutObject(_TURN_S)
        self._has_come = False
        self._is_told = False
        self._raw: list[Connection] = []
        self._came = 0
        self._gathers = False
        self._woken = self.node.create_guard_condition(self._be_told)
        child.on_wake = self._wake

    def wait(self, timeout_s: float) -> bool:
        """Turn for so long [s], or until something has come. Returns whether the child is to stop."""
        self._has_come = False
        return self._turn_until(timeout_s, lambda: self._has_come or self._is_told)

    def spin(self, timeout_s: float) -> bool:
        """Turn for so long [s], whatever comes, or until a command does. Returns whether it is to stop.

        Waiting costs rclpy more than taking: where raw messages come so fast that it does not matter to any
        of them, they are gathered for a moment and taken together.
        """
        before, began_s = self._came, time.monotonic()
        is_over = self._turn_until(timeout_s, lambda: self._is_told)
        took_s = time.monotonic() - began_s
        self._gathers = self._came - before > _FAST_HZ * took_s and took_s >= _GATHERED_S
        return is_over

    def _turn_until(self, timeout_s: float, is_over: Callable[[], bool]) -> bool:
        until_s = time.monotonic() + timeout_s
        while not self.child.stopping and not is_over():
            left_s = until_s - time.monotonic()
            if self._gathers:
                time.sleep(_GATHERED_S)
                for connection in self._raw:
                    connection.drain()
            self.turn(min(max(left_s, 0.0), _TURN_S))
            if left_s <= 0.0:
                break
        self._is_told = False
        return self.child.stopping

    def _be_told(self) -> None:
        self._is_told = True

    def has_come(self) -> None:
        """Something has come by another way than a topic: `wait` is over."""
        self._has_come = True

    def turn(self, timeout_s: float) -> None:
        """Have one thing done, at most, that comes within that time [s]; also while it is to stop."""
        self.child.beat()
        self._timeout.timeout = timeout_s
        self._executor.spin_once(timeout_sec=self._timeout)

    def named(self, make: Callable[..., Any], *arguments: Any, **others: Any) -> Any:
        """Make something of a name: raises DescriptionError for one that ROS does not take."""
        name = next(each for each in arguments if isinstance(each, str))
        with _naming(name):
            return make(*arguments, **others)

    def ros_s(self) -> float:
        """ROS's time now [s]: the wall clock's, or a simulation's."""
        now_s: float = self.node.get_clock().now().nanoseconds / 1e9
        return now_s

    def subscribe(self, topic: str, type_name: str, qos: Qos, take: Callable[[Any], None]) -> Connection:
        """Have `take` called with each message of a topic. type_name: "sensor_msgs/msg/LaserScan".

        Raises DescriptionError for a type that is not installed there, or a topic of a wrong name.
        """
        return self._subscribed(topic, type_name, qos, lambda message, _: take(message), raw=False)

    def subscribe_raw(
        self, topic: str, type_name: str, qos: Qos, take: Callable[[bytes, int], None]
    ) -> Connection:
        """As `subscribe`, with each message as it came (CDR), and when its publisher sent it [ns]."""
        return self._subscribed(
            topic, type_name, qos, lambda data, info: take(data, int(info["source_timestamp"])), raw=True
        )

    def _subscribed(
        self, topic: str, type_name: str, qos: Qos, take: Callable[[Any, Any], None], *, raw: bool
    ) -> Connection:
        from rclpy.event_handler import SubscriptionEventCallbacks

        connection = Connection(self, topic, type_name, qos, outward=False)

        def taken(message: Any, info: Any) -> None:
            self._has_come = True
            self._came += 1
            connection.came(time.monotonic())
            take(message, info)

        events = SubscriptionEventCallbacks(
            incompatible_qos=connection.refused,
            deadline=connection.deadline_missed if qos.deadline_s is not None else None,
            liveliness=connection.liveliness_changed if qos.lease_s is not None else None,
        )
        with _naming(topic):
            connection.end = self.node.create_subscription(
                type_named(type_name), topic, taken, profile_of(qos), event_callbacks=events, raw=raw
            )
        if raw:
            self._raw.append(connection)
            connection.on_left(lambda: self._raw.remove(connection))
        return connection

    def publish(self, topic: str, type_name: str, qos: Qos) -> Connection:
        """A topic of ours, whose messages are sent by `Connection.send`. Raises as `subscribe` does."""
        from rclpy.event_handler import PublisherEventCallbacks

        connection = Connection(self, topic, type_name, qos, outward=True)
        events = PublisherEventCallbacks(incompatible_qos=connection.refused)
        with _naming(topic):
            connection.end = self.node.create_publisher(
                type_named(type_name), topic, profile_of(qos), event_callbacks=events
            )
        return connection

    def offered(self, topic: str, until_s: float) -> list[Offer]:
        """What is published there, once somebody does; empty if nobody does until then, CLOCK_MONOTONIC [s].

        Raises DescriptionError for a topic of a wrong name.
        """
        from rclpy.validate_topic_name import validate_topic_name

        with _naming(topic):
            validate_topic_name(topic)
        name = self.node.resolve_topic_name(topic)
        while not (found := self.node.get_publishers_info_by_topic(name)):
            left_s = until_s - time.monotonic()
            if left_s <= 0.0 or self.wait(min(left_s, _TURN_S)):
                return []
        return [Offer(each.topic_type, qos_of(each.qos_profile)) for each in found]

    def _wake(self) -> None:
        """A command has come, or it is to stop: from any thread, or a signal handler."""
        self._woken.trigger()

    def close(self) -> None:
        """Leave the graph, in the order that hangs nobody; idempotent."""
        self.child.on_wake = None
        self._executor.shutdown(timeout_sec=_ENDS_WITHIN_S)
        with suppress(Exception):  # what was not made whole cannot be unmade
            self.node.destroy_node()
        self._context.try_shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Offer(msgspec.Struct, frozen=True):
    """What somebody publishes. type_name: "sensor_msgs/msg/LaserScan"."""

    type_name: str
    qos: Qos


class Connection:
    """Our end of one topic, and what is known of the other ends.

    Attributes:
        newest_s: when a message came last, CLOCK_MONOTONIC [s]; None before the first.
    """

    def __init__(
        self, participant: Participant, topic: str, type_name: str, qos: Qos, *, outward: bool
    ) -> None:
        self.topic = topic
        self.type_name = type_name
        self.end: Any = None
        self.newest_s: float | None = None
        self._was_refused = self._is_wrong = False
        self._left: Callable[[], None] = lambda: None
        self._participant = participant
        self._tell: Callable[[Severity, str], None] = participant.child.status
        self._qos = qos
        self._outward = outward

    def tell(self, told: Callable[[Severity, str], None]) -> None:
        """Have `told` called with what is wrong with it, instead of the process's owner."""
        self._tell = told

    @property
    def is_refused(self) -> bool:
        """Whether the middleware has said so, nobody who is known by name fits, and nothing has come."""
        if not self._was_refused or self.newest_s is not None:
            return False
        others = self._others()
        return bool(others) and all(_is_known(other) and self._misfits(other) for other in others)

    def came(self, now_s: float) -> None:
        """A message has come: what was wrong is over."""
        self.newest_s = now_s
        if self._is_wrong:
            self._is_wrong = False
            self._say(Severity.OK, f"{self.topic} goes on")

    def send(self, message: Any) -> None:
        """Publish a message of its type, or the bytes of one."""
        self.end.publish(message)

    @property
    def is_heard(self) -> bool:
        """Of what we send: whether anybody who fits takes it, as far as the middleware knows yet."""
        return bool(self.end.get_subscription_count())

    def on_left(self, left: Callable[[], None]) -> None:
        """Have `left` called when it is closed."""
        self._left = left

    def drain(self) -> None:
        """Take all that has come by now."""
        subscription = self.end
        with subscription.handle:
            while (
                taken := subscription.handle.take_message(subscription.msg_type, subscription.raw)
            ) is not None:
                subscription.callback(*taken)

    def close(self) -> None:
        """Leave the topic."""
        self._left()
        node = self._participant.node
        (node.destroy_publisher if self._outward else node.destroy_subscription)(self.end)

    def refused(self, info: Any) -> None:
        """The middleware: somebody there does not fit."""
        from rclpy.qos import qos_policy_name_from_kind

        policy = str(qos_policy_name_from_kind(info.last_policy_kind)).lower()
        words = self._misfit() or f"{self.topic}: somebody there does not fit in {policy}"
        self._was_refused = True
        self._participant.has_come()
        self._is_wrong = True
        self._say(Severity.WARNING if self.newest_s is not None else Severity.ERROR, words)

    def deadline_missed(self, info: Any) -> None:
        """The middleware: nothing has come for longer than was promised."""
        self._is_wrong = True
        self._say(Severity.ERROR, f"{self.topic}: no message within the promised {self._qos.deadline_s:g} s")

    def liveliness_changed(self, info: Any) -> None:
        """The middleware: a publisher lives, or does not any more."""
        if info.alive_count == 0 and info.not_alive_count_change > 0:
            self._is_wrong = True
            self._say(Severity.ERROR, f"{self.topic}: its publisher lives no more")

    def why_silent(self) -> str:
        """Why nothing comes, as far as the graph tells: nobody is there, another type, policies."""
        others = self._others()
        if not others:
            node = self._participant.node
            wanted = self.topic.rpartition("/")[2]
            alike = sorted(
                name for name, _ in node.get_topic_names_and_types() if name.rpartition("/")[2] == wanted
            )
            near = ", ".join(name for name in alike if name != node.resolve_topic_name(self.topic))
            hint = f"; there is {near}" if near else ""
            return f"nobody {'listens to' if self._outward else 'publishes'} {self.topic}{hint}"
        if types := sorted({other.topic_type for other in others} - {self.type_name}):
            return f"{self.topic} is of type {', '.join(types)}; {self.type_name} was asked for"
        return self._misfit() or f"{_name(others[0])} has {self.topic}, but no message comes"

    def offers(self) -> list[Qos]:
        """What the other ends say of themselves."""
        return [qos_of(other.qos_profile) for other in self._others()]

    def _others(self) -> list[Any]:
        """The other ends, as the graph knows them."""
        node = self._participant.node
        find = node.get_subscriptions_info_by_topic if self._outward else node.get_publishers_info_by_topic
        ours = node.get_name(), node.get_namespace()
        found = find(node.resolve_topic_name(self.topic))
        return [other for other in found if (other.node_name, other.node_namespace) != ours]

    def _misfit(self) -> str:
        """Who does not fit, and in which policy, with both sides' words; "" if all do."""
        for other in self._others():
            if policies := self._misfits(other):
                return f"{self.topic}: {_name(other)} does not fit: {policies}"
        return ""

    def _misfits(self, other: Any) -> str:
        theirs = qos_of(other.qos_profile)
        asked, offered = (theirs, self._qos) if self._outward else (self._qos, theirs)
        return "; ".join(misfits(asked, offered))

    def _say(self, severity: Severity, words: str) -> None:
        self._tell(severity, words)


def _is_known(end: Any) -> bool:
    """Whether the graph has heard whose it is; that comes a moment after what it offers."""
    return "UNKNOWN" not in end.node_name


def _name(end: Any) -> str:
    if not _is_known(end):
        return "a node"
    return f"{end.node_namespace.rstrip('/')}/{end.node_name}"


@contextmanager
def _naming(topic: str) -> Iterator[None]:
    """What rclpy raises of a topic's name, in our words."""
    from rclpy.exceptions import InvalidTopicNameException, NameValidationException

    try:
        yield
    except (InvalidTopicNameException, NameValidationException) as error:
        raise DescriptionError(f"ROS does not take the name {topic!r}: {error}") from error
