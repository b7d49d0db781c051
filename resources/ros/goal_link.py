"""The bridge's end of an action of theirs: every goal has an end in our ring, in its time.

That end may be said before the goal has one: what does not give up in time is "lost" to whoever set it, but
not over. A goal is over when its server says so, has never heard of it, or is gone; until then nobody else
has the action. So it is with goals that a bridge before this one has set, of which nothing is known but
their numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from framework.errors import MalformedMessage
from resources.ros.bridging import ActionOut
from resources.ros.link_end import LinkEnd, Tell, message_of, serialised, uuid_of
from resources.ros.messages import type_named
from resources.types.ros_links import CancelGoal, Ended, LinkOrder, Progress, SetGoal, Taken

GIVEN_UP_WITHIN_S: Final = 2.0
"""So long an action has to end a goal that it was told to give up, until it counts as lost [s]."""

AGAIN_S: Final = 1.0
"""So often it is told again [s]: who has just been found may not have heard it."""

GONE_S: Final = 1.0
"""A server that is not in the graph for so long is gone, and its goals with it [s]."""

FOUND_WITHIN_S: Final = 10.0
"""A server of which only goals are known has so long to be found [s]."""

_OUTCOMES: Final = {4: "succeeded", 5: "canceled", 6: "aborted"}
"""By action_msgs/msg/GoalStatus; 0 is a goal that the server does not know."""


class _Goal:
    """One goal. message: None of one that an earlier bridge has set."""

    def __init__(
        self, number: int, message: Any, taken_within_s: float, within_s: float, now_s: float
    ) -> None:
        self.number = number
        self.message = message
        self.taken_within_s, self.within_s = taken_within_s, within_s
        self.taken_until_s, self.until_s = now_s + taken_within_s, now_s + within_s
        self.handle: Any = None
        self.is_sent = False
        self.is_told = False
        """Whether whoever set it has heard of an end."""
        self.given_up_s: float | None = None
        self.cancelled_s = float("-inf")
        self.missing_since_s: float | None = None
        self.why = ""


class ActionOutEnd(LinkEnd):
    """client, goal_class: rclpy's, unless a test has others."""

    def __init__(
        self,
        participant: Any,
        link: ActionOut,
        ring: Any,
        tell: Tell,
        client: Any = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(participant, link, ring, tell)
        self._now_s = now_s
        if client is None:
            from rclpy.action import ActionClient

            self._type = type_named(link.type, "action")
            client = participant.named(
                ActionClient, participant.node, self._type, link.name, callback_group=participant.group
            )
        self._client = client
        self._goals: dict[int, _Goal] = {}
        for number in link.orphans:
            goal = self._goals[number] = _Goal(number, None, FOUND_WITHIN_S, FOUND_WITHIN_S, now_s())
            goal.is_sent = goal.is_told = True
            goal.given_up_s = now_s()

    def obey(self, order: LinkOrder, halted: str) -> None:
        """Give it a goal, or give one up."""
        if isinstance(order, CancelGoal):
            if (goal := self._goals.get(order.number)) is not None:
                self._give_up(goal, "it was not wanted any more")
        elif not isinstance(order, SetGoal):
            super().obey(order, halted)
        elif halted:
            self.news(Ended(order.number, "refused", words=f"no goal is given: {halted}"))
        elif order.number in self._goals:
            raise MalformedMessage(f"{self.link.name} reaches for goal {order.number} already")
        else:
            message = message_of(order.data, self._type.Goal)
            goal = _Goal(order.number, message, order.taken_within_s, order.within_s, self._now_s())
            self._goals[order.number] = goal
            self._send(goal)

    def turn(self, now_s: float, halted: str) -> None:
        """Goals that take too long, that nobody is to reach for any more, or whose server is gone."""
        is_there = self._client.server_is_ready()
        for goal in list(self._goals.values()):
            if halted:
                self._give_up(goal, halted)
            if not goal.is_sent:
                self._look_at_unsent(goal, now_s)
            elif goal.handle is None:
                self._look_at_unanswered(goal, now_s, is_there=is_there)
            else:
                self._look_at_taken(goal, now_s)
            self._look_for_server(goal, now_s, is_there=is_there)

    @property
    def is_done(self) -> bool:
        """Whether all goals are over."""
        return not self._goals

    def give_up(self, words: str) -> None:
        """All goals."""
        for goal in list(self._goals.values()):
            self._give_up(goal, words)

    def close(self) -> None:
        """Give it no more goals."""
        self._client.destroy()

    # ------------------------------------------------------------ looking after one

    def _look_at_unsent(self, goal: _Goal, now_s: float) -> None:
        if goal.given_up_s is not None:
            self._over(goal, "canceled", words=goal.why)
        elif now_s >= goal.taken_until_s:
            words = f"it was not taken within {goal.taken_within_s:g} s: nobody offers it"
            self._over(goal, "refused", words=words)
        else:
            self._send(goal)

    def _look_at_unanswered(self, goal: _Goal, now_s: float, *, is_there: bool) -> None:
        """It was sent: whether it is reached for nobody knows."""
        if goal.message is None:
            if is_there:
                self._take_over(goal)
            elif now_s >= goal.taken_until_s:
                self._over(goal, "lost")
        elif not goal.is_told and now_s >= goal.taken_until_s:
            self._give_up(goal, "it was not taken in time")
            words = f"it was not taken within {goal.taken_within_s:g} s: it is there, but says nothing"
            self._tell(goal, "refused", words=words)

    def _look_at_taken(self, goal: _Goal, now_s: float) -> None:
        if goal.given_up_s is None:
            if now_s >= goal.until_s:
                self._give_up(goal, f"it was not reached within {goal.within_s:g} s")
            return
        if now_s >= goal.cancelled_s + AGAIN_S:
            self._cancel(goal)
        if not goal.is_told and now_s >= goal.given_up_s + GIVEN_UP_WITHIN_S:
            within = f"within {GIVEN_UP_WITHIN_S:g} s"
            words = f"{goal.why}; it was told to give up, and has not said so {within}"
            self._tell(goal, "lost", words=words)

    def _look_for_server(self, goal: _Goal, now_s: float, *, is_there: bool) -> None:
        if is_there or not goal.is_sent or goal.number not in self._goals or goal.message is None:
            goal.missing_since_s = None
        elif goal.missing_since_s is None:
            goal.missing_since_s = now_s
        elif now_s >= goal.missing_since_s + GONE_S:
            self._over(goal, "lost", words="its server is gone")

    # ------------------------------------------------------------ to the server, and back

    def _send(self, goal: _Goal) -> None:
        """What is sent before the server was found would be lost."""
        if not self._client.server_is_ready():
            return
        goal.is_sent = True
        future = self._client.send_goal_async(
            goal.message,
            feedback_callback=lambda told: self._progress(goal, told.feedback),
            goal_uuid=_uuid(goal.number),
        )
        future.add_done_callback(lambda done: self._taken(goal, done))

    def _take_over(self, goal: _Goal) -> None:
        """One that an earlier bridge has set: by its number it is asked for its end, and told to give up."""
        from rclpy.action.client import ClientGoalHandle

        accepted = self._type.Impl.SendGoalService.Response(accepted=True)
        goal.handle = ClientGoalHandle(self._client, _uuid(goal.number), accepted)
        self._await_end(goal)
        self._cancel(goal)

    def _taken(self, goal: _Goal, done: Any) -> None:
        self.participant.has_come()
        if (error := done.exception()) is not None:
            self._over(goal, "refused", words=f"it failed: {error}")
            return
        handle = done.result()
        if not handle.accepted:
            self._over(goal, "refused", words="it does not take this goal")
            return
        goal.handle = handle
        self._await_end(goal)
        if goal.given_up_s is not None:
            self._cancel(goal)
        else:
            self.news(Taken(goal.number))

    def _await_end(self, goal: _Goal) -> None:
        goal.handle.get_result_async().add_done_callback(lambda done: self._ended(goal, done))

    def _cancel(self, goal: _Goal) -> None:
        goal.cancelled_s = self._now_s()
        goal.handle.cancel_goal_async()

    def _progress(self, goal: _Goal, feedback: Any) -> None:
        if not goal.is_told:
            self.participant.has_come()
            self.news(Progress(goal.number, serialised(feedback)))

    def _ended(self, goal: _Goal, done: Any) -> None:
        self.participant.has_come()
        if (error := done.exception()) is not None:
            self._over(goal, "lost", words=f"it failed: {error}")
            return
        told = done.result()
        data = b"" if goal.is_told else serialised(told.result)
        self._over(goal, _OUTCOMES.get(told.status, "lost"), data, goal.why)

    def _give_up(self, goal: _Goal, why: str) -> None:
        if goal.given_up_s is None:
            goal.given_up_s, goal.why = self._now_s(), why
            if goal.handle is not None:
                self._cancel(goal)

    def _tell(self, goal: _Goal, outcome: str, data: bytes = b"", words: str = "") -> None:
        """Once to whoever set it: what comes of it later is of no interest to them."""
        if not goal.is_told:
            goal.is_told = True
            self.news(Ended(goal.number, outcome, data, words))

    def _over(self, goal: _Goal, outcome: str, data: bytes = b"", words: str = "") -> None:
        """It goes on no more."""
        if self._goals.pop(goal.number, None) is not None:
            self._tell(goal, outcome, data, words)


def _uuid(number: int) -> Any:
    """By which the whole graph knows a goal."""
    from unique_identifier_msgs.msg import UUID

    return UUID(uuid=list(uuid_of(number)))
