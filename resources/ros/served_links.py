"""The bridge's ends of what we serve: everybody who asks is answered, and the name is ours alone."""

from __future__ import annotations

import time
from typing import Any, Final

from framework.errors import PilothouseError
from framework.status import Severity
from resources.ros.bridging import ActionIn, ServiceIn
from resources.ros.growing_ring import GrowingRing
from resources.ros.link_end import LinkEnd, Tell, message_of, serialised
from resources.ros.messages import type_named
from resources.ros.participant import Participant
from resources.types.ros_links import (
    Asked,
    CancelAsked,
    Feedback,
    LinkOrder,
    Reply,
    new_number,
)

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
