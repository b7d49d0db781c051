"""The bridge's end of each kind of link: rclpy on one side, the link's ring on the other.

All of it runs in one thread. Nothing is waited for: `turn` looks after what takes too long. `halt` is an
emergency stop, or a supervisor that is silent: nothing that could move anything is sent, and goals are given
up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from framework.errors import MalformedMessage, PilothouseError
from framework.status import Severity
from resources.ros.bridging import (
    ActionIn,
    ActionOut,
    AnyLink,
    ServiceIn,
    ServiceOut,
    TopicIn,
    TopicOut,
)
from resources.ros.growing_ring import GrowingRing
from resources.ros.messages import parts_of, type_named
from resources.ros.participant import Participant
from resources.ros.silence import Silence
from resources.types.ros_links import (
    Answered,
    Asked,
    Call,
    CancelAsked,
    CancelGoal,
    Ended,
    Feedback,
    LinkOrder,
    News,
    Progress,
    Reply,
    Send,
    SetGoal,
    Taken,
    encode,
    new_number,
)
from resources.types.streams import SampleMeta, encode_meta

Tell = Callable[[Severity, str], None]

GIVEN_UP_WITHIN_S: Final = 2.0
"""So long an action has to end a goal that it was told to give up [s]."""

_OUTCOMES: Final = {4: "succeeded", 5: "canceled", 6: "aborted"}
"""By action_msgs/msg/GoalStatus."""


class LinkEnd:
    """Base of them.

    ring: where what comes is written, if anything does. tell: how the link is, by severity and words.
    """

    def __init__(self, participant: Participant, link: AnyLink, ring: GrowingRing | None, tell: Tell) -> None:
        self.link = link
        self.participant = participant
        self.ring = ring
        self.tell = tell

    def obey(self, order: LinkOrder, halted: str) -> None:
        """An order for this link. halted: why nothing may be sent that moves; "" if it may.

        Raises MalformedMessage for an order of another kind of link, or bytes that are none of its type.
        """
        raise MalformedMessage(
            f"{self.link.name} is a {self.link.__struct_config__.tag}: it takes no such order"
        )

    def turn(self, now_s: float, halted: str) -> None:
        """Look after what takes too long."""

    @property
    def is_done(self) -> bool:
        """Whether nothing goes on that is to be given up first."""
        return True

    def give_up(self, words: str) -> None:
        """Have an end to whatever goes on."""

    def close(self) -> None:
        """Leave the graph's name."""

    def news(self, news: News) -> None:
        """Write it into the link's ring."""
        assert self.ring is not None, "links that hear anything have one"
        try:
            self.ring.write(encode(news), stamp_s=time.monotonic())
        except PilothouseError as error:
            self.tell(Severity.ERROR, f"{self.link.name}: {error.why}")


class TopicInEnd(LinkEnd):
    """Messages as they come."""

    def __init__(self, participant: Participant, link: TopicIn, ring: GrowingRing, tell: Tell) -> None:
        super().__init__(participant, link, ring, tell)
        self._after_ns = link.after_ns
        self._ring = ring
        self._connection = participant.subscribe_raw(link.name, link.type, link.qos, self._came)
        self._connection.tell(tell)
        self._silence = Silence(self._connection, link.rate_hz) if link.rate_hz else None

    def turn(self, now_s: float, halted: str) -> None:
        """Say that it is silent."""
        if self._silence is not None and (told := self._silence.look(now_s)):
            self.tell(*told)

    def close(self) -> None:
        """No more of them."""
        self._connection.close()

    def _came(self, data: bytes, sent_ns: int) -> None:
        if sent_ns <= self._after_ns:
            return  # it was had before the bridge was started again
        try:
            meta = encode_meta(SampleMeta(sent_ns / 1e9))
            self._ring.write(data, stamp_s=time.monotonic(), meta=meta)
        except PilothouseError as error:
            self.tell(Severity.ERROR, f"{self.link.name}: {error.why}")


class TopicOutEnd(LinkEnd):
    """Messages of ours."""

    link: TopicOut

    def __init__(self, participant: Participant, link: TopicOut, tell: Tell) -> None:
        super().__init__(participant, link, None, tell)
        self._connection = participant.publish(link.name, link.type, link.qos)
        self._connection.tell(tell)

    def obey(self, order: LinkOrder, halted: str) -> None:
        """Publish."""
        if not isinstance(order, Send):
            super().obey(order, halted)
        elif halted and not self.link.is_told:
            self.tell(Severity.WARNING, f"{self.link.name}: nothing is published: {halted}")
        else:
            self._connection.send(order.data)

    def close(self) -> None:
        """No more of them."""
        self._connection.close()


class _Question:
    """One question to a service of theirs. future: what it will answer; None until it is asked."""

    def __init__(self, number: int, request: Any, within_s: float) -> None:
        self.number = number
        self.request = request
        self.within_s = within_s
        self.until_s = time.monotonic() + within_s
        self.future: Any = None


class ServiceOutEnd(LinkEnd):
    """A service of theirs: every question gets an answer in our ring, in its time."""

    def __init__(self, participant: Participant, link: ServiceOut, ring: GrowingRing, tell: Tell) -> None:
        super().__init__(participant, link, ring, tell)
        self._type = type_named(link.type, "srv")
        self._client = participant.named(
            participant.node.create_client, self._type, link.name, callback_group=participant.group
        )
        self._open: dict[int, _Question] = {}

    def obey(self, order: LinkOrder, halted: str) -> None:
        """Ask."""
        if not isinstance(order, Call):
            super().obey(order, halted)
            return
        if halted:
            self.news(Answered(order.number, words=f"nothing is asked: {halted}"))
            return
        question = _Question(order.number, message_of(order.data, self._type.Request), order.within_s)
        self._open[order.number] = question
        self._ask(question)

    def turn(self, now_s: float, halted: str) -> None:
        """Ask as soon as somebody offers it; who has waited for long enough is told why."""
        for question in list(self._open.values()):
            if now_s < question.until_s:
                self._ask(question)
                continue
            self._forget(question)
            there = "it is there, but does not answer" if question.future is not None else "nobody offers it"
            words = f"no answer within {question.within_s:g} s: {there}"
            self.news(Answered(question.number, words=words))

    def give_up(self, words: str) -> None:
        """Answers that are not there yet are of no use any more."""
        for question in list(self._open.values()):
            self._forget(question)

    def close(self) -> None:
        """Ask no more."""
        self.participant.node.destroy_client(self._client)

    def _ask(self, question: _Question) -> None:
        """What is asked before the server was found would be lost."""
        if question.future is None and self._client.service_is_ready():
            question.future = self._client.call_async(question.request)
            question.future.add_done_callback(lambda done: self._answered(question, done))

    def _forget(self, question: _Question) -> None:
        del self._open[question.number]
        if question.future is not None:
            self._client.remove_pending_request(question.future)

    def _answered(self, question: _Question, done: Any) -> None:
        if self._open.pop(question.number, None) is None:
            return
        self.participant.has_come()
        error = done.exception()
        if error is not None:
            self.news(Answered(question.number, words=f"it failed: {error}"))
        else:
            self.news(Answered(question.number, serialised(done.result())))


class _Goal:
    """One goal of an action of theirs."""

    def __init__(self, order: SetGoal, message: Any, now_s: float) -> None:
        self.number = order.number
        self.message = message
        self.is_sent = False
        self.taken_until_s = now_s + order.taken_within_s
        self.until_s = now_s + order.within_s
        self.within_s = order.within_s
        self.taken_within_s = order.taken_within_s
        self.handle: Any = None
        self.given_up_s: float | None = None
        self.why = ""


class ActionOutEnd(LinkEnd):
    """An action of theirs: every goal has an end in our ring, in its time."""

    def __init__(self, participant: Participant, link: ActionOut, ring: GrowingRing, tell: Tell) -> None:
        super().__init__(participant, link, ring, tell)
        from rclpy.action import ActionClient

        self._type = type_named(link.type, "action")
        self._client = participant.named(
            ActionClient, participant.node, self._type, link.name, callback_group=participant.group
        )
        self._goals: dict[int, _Goal] = {}
        self._orphans = link.orphans

    def obey(self, order: LinkOrder, halted: str) -> None:
        """Give it a goal, or give one up."""
        if isinstance(order, CancelGoal):
            if (goal := self._goals.get(order.number)) is not None:
                self._give_up(goal, "it was not wanted any more")
        elif not isinstance(order, SetGoal):
            super().obey(order, halted)
        elif halted:
            self.news(Ended(order.number, "refused", words=f"no goal is given: {halted}"))
        else:
            self._set(order)

    def turn(self, now_s: float, halted: str) -> None:
        """Goals that take too long, or that nobody is to reach for any more."""
        if self._orphans and self._client.server_is_ready():
            self._give_up_orphans()
        for goal in list(self._goals.values()):
            if halted:
                self._give_up(goal, halted)
            if not goal.is_sent:
                if goal.given_up_s is not None:
                    self._end(goal, "canceled", words=goal.why)
                    continue
                self._send(goal)
            if goal.handle is None and now_s >= goal.taken_until_s:
                # Should it be taken after all, it is given up then: see `_taken`.
                there = "it is there, but says nothing" if goal.is_sent else "nobody offers it"
                words = f"it was not taken within {goal.taken_within_s:g} s: {there}"
                self._end(goal, "refused", words=words)
            elif goal.given_up_s is None and now_s >= goal.until_s:
                self._give_up(goal, f"it was not reached within {goal.within_s:g} s")
            elif goal.given_up_s is not None and now_s >= goal.given_up_s + GIVEN_UP_WITHIN_S:
                words = (
                    f"{goal.why}; it was told to give up, and has not said so within {GIVEN_UP_WITHIN_S:g} s"
                )
                self._end(goal, "lost", words=words)

    @property
    def is_done(self) -> bool:
        """Whether all goals have ended."""
        return not self._goals

    def give_up(self, words: str) -> None:
        """All goals."""
        for goal in list(self._goals.values()):
            self._give_up(goal, words)

    def close(self) -> None:
        """Give it no more goals."""
        self._client.destroy()

    def _give_up_orphans(self) -> None:
        """What the bridge before us has set in motion: its end nobody would hear of."""
        from action_msgs.srv import CancelGoal as CancelService

        asking = self.participant.node.create_client(CancelService, f"{self.link.name}/_action/cancel_goal")
        self._asking = asking  # kept: what is collected asks nothing
        for number in self._orphans:
            request = CancelService.Request()
            request.goal_info.goal_id.uuid = list(_uuid(number))
            asking.call_async(request)
        self._orphans = ()

    def _set(self, order: SetGoal) -> None:
        if order.number in self._goals:
            raise MalformedMessage(f"{self.link.name} reaches for goal {order.number} already")
        message = message_of(order.data, self._type.Goal)
        goal = self._goals[order.number] = _Goal(order, message, time.monotonic())
        self._send(goal)

    def _send(self, goal: _Goal) -> None:
        """What is sent before the server was found would be lost."""
        from unique_identifier_msgs.msg import UUID

        if goal.is_sent or not self._client.server_is_ready():
            return
        goal.is_sent = True
        future = self._client.send_goal_async(
            goal.message,
            feedback_callback=lambda told: self._progress(goal, told.feedback),
            goal_uuid=UUID(uuid=list(_uuid(goal.number))),
        )
        future.add_done_callback(lambda done: self._taken(goal, done))

    def _taken(self, goal: _Goal, done: Any) -> None:
        self.participant.has_come()
        handle = done.result()
        if not handle.accepted:
            self._end(goal, "refused", words="it does not take this goal")
            return
        goal.handle = handle
        handle.get_result_async().add_done_callback(lambda result: self._ended(goal, result))
        if goal.given_up_s is not None or goal.number not in self._goals:
            handle.cancel_goal_async()
            return
        self.news(Taken(goal.number))

    def _progress(self, goal: _Goal, feedback: Any) -> None:
        if goal.number in self._goals:
            self.participant.has_come()
            self.news(Progress(goal.number, serialised(feedback)))

    def _ended(self, goal: _Goal, done: Any) -> None:
        self.participant.has_come()
        told = done.result()
        self._end(goal, _OUTCOMES.get(told.status, "lost"), serialised(told.result), goal.why)

    def _give_up(self, goal: _Goal, why: str) -> None:
        if goal.given_up_s is None:
            goal.given_up_s, goal.why = time.monotonic(), why
            if goal.handle is not None:
                goal.handle.cancel_goal_async()

    def _end(self, goal: _Goal, outcome: str, data: bytes = b"", words: str = "") -> None:
        """Once: what comes of it later is of no interest."""
        if self._goals.pop(goal.number, None) is not None:
            self.news(Ended(goal.number, outcome, data, words))


LOOKED_S: Final = 1.5
"""So long it is looked whether a name is taken before it is offered [s]: on one machine everybody is found
within less than that."""

CONTESTED_S: Final = 1.5
"""Whoever offers the same name so shortly after us began at the same time, and both draw back [s]."""

MOST_OPEN: Final = 32
"""So many questions or goals of others wait for us at a time; more are refused at once."""

ANSWERED_WITHIN_S: Final = 30.0
"""A question that we have not answered by then is answered by an empty response [s]."""

_AT_ONCE: Final = 5
_AT_ONCE_EVERY_S: Final = 0.02
"""So many are refused together, and the next ones after so long [s]: of more, ROS's queues lose some."""

_LOOKS_EVERY_S: Final = 0.1
_GOES_OUT_S: Final = 0.1
"""So long the last end of a goal may take on its way out [s]."""


class ServedEnd(LinkEnd):
    """Base of what we serve, under a name that nobody else serves.

    ROS lets two servers have one name, and both are asked: one sentence would move two robots. So it is
    looked for a while who is there before anything is offered, and a name that is taken is not. Who has
    offered it for long keeps it.
    """

    def __init__(
        self, participant: Participant, link: ServiceIn | ActionIn, ring: GrowingRing, tell: Tell
    ) -> None:
        super().__init__(participant, link, ring, tell)
        self._name: str = participant.named(_resolved, participant.node, link.name)
        self._server: Any = None
        self._open: dict[int, Any] = {}
        self._looked_until_s = time.monotonic() + LOOKED_S
        self._look_s = self._looked_until_s
        self._let_go_s = 0.0
        self._is_told = self._is_full = False
        self.why_not = ""
        """Why nobody is served any more; "" while somebody is."""

    @property
    def known_as(self) -> str:
        """The service by which the graph knows it."""
        return self._name

    def serve(self) -> Any:
        """Offer it: the server, which is asked from now on."""
        raise NotImplementedError

    def refuse(self, number: int, words: str) -> None:
        """Have an end to what somebody waits for."""
        raise NotImplementedError

    def turn(self, now_s: float, halted: str) -> None:
        """Offer it once nobody else is found to; see who else does."""
        if self.why_not:
            self._let_go(now_s)
        elif now_s >= self._look_s:
            self._look(now_s)

    def _look(self, now_s: float) -> None:
        self._look_s = now_s + _LOOKS_EVERY_S
        is_taken = self.participant.node.count_services(self.known_as) > (self._server is not None)
        if is_taken and (self._server is None or now_s < self._looked_until_s + CONTESTED_S):
            self._refuse(f"{self._taken()}; it is not offered a second time")
        elif is_taken and not self._is_told:
            self.tell(Severity.ERROR, f"{self._taken()} too, since")
        elif self._server is None:
            try:
                self._server = self.serve()
            except PilothouseError as error:
                self._refuse(error.why)
        self._is_told = is_taken

    def is_full(self, count: int) -> bool:
        """Whether no more are let wait; told once, until there is room again."""
        was_full, self._is_full = self._is_full, count >= MOST_OPEN
        if self._is_full and not was_full:
            self.tell(Severity.WARNING, f"{self.link.name}: {count} wait already; more are refused")
        return self._is_full

    def give_up(self, words: str) -> None:
        """Whoever waits is told so, and so is who comes from now on."""
        self.why_not = words
        self._let_go(time.monotonic())

    def _let_go(self, now_s: float) -> None:
        if now_s >= self._let_go_s:
            self._let_go_s = now_s + _AT_ONCE_EVERY_S
            for number in list(self._open)[:_AT_ONCE]:
                self.refuse(number, self.why_not)

    def _refuse(self, words: str) -> None:
        self.give_up(words)
        self.tell(Severity.FATAL, words)

    def _taken(self) -> str:
        who = " and ".join(self._others()) or "somebody"
        return f"{self.link.name} is served by {who} in this domain: one of the two belongs into another"

    def _others(self) -> list[str]:
        """Nodes that serve it; another installation's bridge has the name of ours."""
        from rclpy.node import NodeNameNonExistentError

        node, found = self.participant.node, []
        own = node.get_fully_qualified_name()
        nodes = node.get_node_names_and_namespaces()
        for name, namespace in sorted(set(nodes)):
            full_name = f"{namespace.rstrip('/')}/{name}"
            try:
                services = dict(node.get_service_names_and_types_by_node(name, namespace))
            except NodeNameNonExistentError:
                continue  # it has just left
            if full_name != own and self.known_as in services:
                found.append(full_name)
        if not found and nodes.count((node.get_name(), node.get_namespace())) > 1:
            return [f"another {own}"]
        return found


def _resolved(node: Any, name: str) -> str:
    """A service's name as the graph has it. Raises NameValidationException for one that ROS does not take."""
    from rclpy.validate_full_topic_name import validate_full_topic_name
    from rclpy.validate_topic_name import validate_topic_name

    validate_topic_name(name, is_service=True)
    is_plain = "//" not in name and "{" not in name
    resolved: str = node.resolve_service_name(name) if is_plain else name
    validate_full_topic_name(resolved, is_service=True)
    return resolved


class _Asked:
    """A question of others. future: what we answer."""

    def __init__(self, future: Any) -> None:
        self.future = future
        self.until_s = time.monotonic() + ANSWERED_WITHIN_S


class ServiceInEnd(ServedEnd):
    """A service of ours: every question is answered, by an empty response if we do not."""

    def __init__(self, participant: Participant, link: ServiceIn, ring: GrowingRing, tell: Tell) -> None:
        super().__init__(participant, link, ring, tell)
        self._type = type_named(link.type, "srv")
        self._waiting = 0

    def obey(self, order: LinkOrder, halted: str) -> None:
        """Answer."""
        if not isinstance(order, Reply):
            super().obey(order, halted)
        elif order.number in self._open:
            response = message_of(order.data, self._type.Response)
            self._open.pop(order.number).future.set_result(response)

    def serve(self) -> Any:
        """A server of rclpy's."""
        return self.participant.named(
            self.participant.node.create_service,
            self._type,
            self.link.name,
            self._asked,
            callback_group=self.participant.group,
        )

    def turn(self, now_s: float, halted: str) -> None:
        """Who has waited for long enough waits no more."""
        super().turn(now_s, halted)
        for number, asked in list(self._open.items()):
            if now_s >= asked.until_s:
                words = f"{self.link.name}: no answer within {ANSWERED_WITHIN_S:g} s"
                self.refuse(number, words)
                self.tell(Severity.WARNING, f"{words}; an empty one is given")

    @property
    def is_done(self) -> bool:
        """Whether nobody waits."""
        return not self._waiting

    def refuse(self, number: int, words: str) -> None:
        """By an empty response."""
        self._open.pop(number).future.set_result(self._empty(words))

    def close(self) -> None:
        """Serve no more."""
        if self._server is not None:
            self.participant.node.destroy_service(self._server)

    async def _asked(self, request: Any, response: Any) -> Any:
        from rclpy.task import Future

        self.participant.has_come()
        if self.why_not:
            return self._empty(self.why_not)
        if self.is_full(len(self._open)):
            return self._empty(f"{MOST_OPEN} others wait already")
        number = new_number()
        asked = self._open[number] = _Asked(Future())
        self._waiting += 1
        try:
            self.news(Asked(number, serialised(request)))
            return await asked.future
        finally:
            self._waiting -= 1

    def _empty(self, words: str) -> Any:
        """A response of zeros; with the words, where its type has room for them as std_srvs' have."""
        response = self._type.Response()
        if isinstance(getattr(response, "message", None), str):
            response.message = words
        return response


class ActionInEnd(ServedEnd):
    """An action of ours. A goal is "accepted" until it ends: rclpy looks at what it executes in each turn."""

    def __init__(self, participant: Participant, link: ActionIn, ring: GrowingRing, tell: Tell) -> None:
        super().__init__(participant, link, ring, tell)
        self._type = type_named(link.type, "action")
        self._ending = 0
        self._ended_s = 0.0

    @property
    def known_as(self) -> str:
        """Goals are given by a service."""
        return f"{super().known_as}/_action/send_goal"

    def obey(self, order: LinkOrder, halted: str) -> None:
        """Say how far a goal is, or how it has ended."""
        if isinstance(order, Feedback):
            if order.number in self._open:
                message = message_of(order.data, self._type.Feedback)
                self._open[order.number].publish_feedback(message)
        elif not isinstance(order, Reply):
            super().obey(order, halted)
        elif order.number in self._open:
            self._end(order.number, order.outcome, message_of(order.data, self._type.Result))

    def serve(self) -> Any:
        """A server of rclpy's."""
        from rclpy.action import ActionServer

        return self.participant.named(
            ActionServer,
            self.participant.node,
            self._type,
            self.link.name,
            lambda handle: self._type.Result(),
            goal_callback=self._is_taken,
            handle_accepted_callback=self._asked,
            cancel_callback=self._cancelled,
            callback_group=self.participant.group,
        )

    @property
    def is_done(self) -> bool:
        """Whether all goals have ended, and their givers had the time to hear it."""
        is_out = time.monotonic() >= self._ended_s + _GOES_OUT_S
        return not self._open and not self._ending and is_out

    def refuse(self, number: int, words: str) -> None:
        """The goal is aborted."""
        self.tell(Severity.WARNING, f"{self.link.name}: a goal is aborted: {words}")
        self._end(number, "aborted", self._type.Result())

    def close(self) -> None:
        """Take no more goals."""
        if self._server is not None:
            self._server.destroy()

    def _is_taken(self, goal: Any) -> Any:
        from rclpy.action import GoalResponse

        self.participant.has_come()
        refused = self.why_not or self.is_full(len(self._open))
        return GoalResponse.REJECT if refused else GoalResponse.ACCEPT

    def _asked(self, handle: Any) -> None:
        self.participant.has_come()
        number = new_number()
        self._open[number] = handle
        self.news(Asked(number, serialised(handle.request)))

    def _cancelled(self, handle: Any) -> Any:
        from rclpy.action import CancelResponse

        self.participant.has_come()
        wanted = bytes(handle.goal_id.uuid)
        for number, open_handle in self._open.items():
            if bytes(open_handle.goal_id.uuid) == wanted:
                self.news(CancelAsked(number))
        return CancelResponse.ACCEPT

    def _end(self, number: int, outcome: str, result: Any) -> None:
        handle = self._open.pop(number)
        self._ending += 1

        def end(ending: Any) -> Any:
            self._ending -= 1
            self._ended_s = time.monotonic()
            return _ended(ending, outcome, result)

        handle.execute(end)


def _ended(handle: Any, outcome: str, result: Any) -> Any:
    """A goal's last step: what ROS allows of its end. Who was not asked to give it up cannot have."""
    if outcome == "succeeded":
        handle.succeed()
    elif outcome == "canceled" and handle.is_cancel_requested:
        handle.canceled()
    else:
        handle.abort()
    return result


def _uuid(number: int) -> bytes:
    """By which the whole graph knows a goal."""
    return number.to_bytes(16, "big")


def message_of(data: bytes, message_class: Any) -> Any:
    """The message that these bytes are. Raises MalformedMessage if they are none."""
    from rclpy.serialization import deserialize_message

    try:
        return deserialize_message(data, message_class)
    except Exception as error:  # the middleware's own, of no class that is promised
        raise MalformedMessage(f"{len(data)} bytes are no {message_class.__name__}: {error}") from error


def serialised(message: Any) -> bytes:
    """A message as it travels."""
    from rclpy.serialization import serialize_message

    data: bytes = serialize_message(message)
    return data


def made(participant: Participant, link: AnyLink, ring: GrowingRing | None, tell: Tell) -> LinkEnd:
    """The end of this link. Raises DescriptionError for names and types that ROS does not take."""
    if isinstance(link, TopicOut):
        return TopicOutEnd(participant, link, tell)
    assert ring is not None, "all others hear something"
    match link:
        case TopicIn():
            return TopicInEnd(participant, link, ring, tell)
        case ServiceOut():
            return ServiceOutEnd(participant, link, ring, tell)
        case ActionOut():
            return ActionOutEnd(participant, link, ring, tell)
        case ServiceIn():
            return ServiceInEnd(participant, link, ring, tell)
        case ActionIn():
            return ActionInEnd(participant, link, ring, tell)


def parts(link: AnyLink) -> tuple[Any, ...]:
    """The message classes that go over it. Raises DescriptionError for a type that is not installed."""
    kinds = {TopicIn: "msg", TopicOut: "msg", ServiceOut: "srv", ServiceIn: "srv"}
    return parts_of(link.type, kinds.get(type(link), "action"))
