"""Goals of a ROS action, one at a time: sent, cancelled, awaited with bounds. Turned by whoever has the node.

    IDLE ── send ──▶ ASKED ── accepted ──▶ RUNNING ── its end ──▶ IDLE
                       └────── cancel ───────┴──▶ ENDING ── its end, or nobody ends it ──▶ IDLE

What has not been answered in time is given up in words; if it is accepted later all the same, it is cancelled
then.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Any, Final

import msgspec

from resources.ros.messages import type_named
from resources.ros.participant import Participant

ACCEPTS_WITHIN_S: Final = 2.0
ENDS_WITHIN_S: Final = 2.0
"""A cancelled goal has to be over by then [s]."""

_SUCCEEDED, _CANCELED, _ABORTED = 4, 5, 6  # action_msgs/msg/GoalStatus


class GoalState(Enum):
    """Where the present goal is."""

    IDLE = auto()
    ASKED = auto()
    RUNNING = auto()
    ENDING = auto()


class Outcome(msgspec.Struct, frozen=True):
    """What became of a goal. result: the server's message, None if there is none; why: it failed, or "".

    is_over: the server has ended it. False: nobody knows what it does.
    """

    result: Any = None
    why: str = ""
    is_over: bool = True
    was_cancelled: bool = False


class Goals:
    """Of one action. Raises DescriptionError for a type that is not installed there."""

    def __init__(self, participant: Participant, action: str, type_name: str) -> None:
        from rclpy.action import ActionClient

        self.action = action
        self.type = type_named(type_name, "action")
        self.state = GoalState.IDLE
        self._client = ActionClient(participant.node, self.type, action)
        self._number = 0
        self._handle: Any = None
        self._since_s = 0.0
        self._longest_s = 0.0
        self._outcome: Outcome | None = None
        self._wants_end = False
        self._late = False

    @property
    def is_heard(self) -> bool:
        """Whether its server is there, as far as the middleware knows yet."""
        return bool(self._client.server_is_ready())

    def why_silent(self) -> str:
        """Why not, in words."""
        return f"nobody serves {self.action}"

    def send(self, goal: Any, longest_s: float, now_s: float) -> None:
        """Ask for a goal that takes no longer than so long [s]. Only while IDLE."""
        self._outcome, self._handle = None, None
        self._wants_end = self._late = False
        if not self.is_heard:
            self._outcome = Outcome(why=self.why_silent())
            return
        self._number += 1
        number = self._number
        self.state, self._since_s, self._longest_s = GoalState.ASKED, now_s, longest_s
        asked = self._client.send_goal_async(goal)
        asked.add_done_callback(lambda future: self._accepted(future.result(), number))

    def cancel(self, now_s: float) -> None:
        """It is not wanted any more; may be repeated."""
        if self.state in (GoalState.ASKED, GoalState.RUNNING):
            if self._handle is not None:
                self._handle.cancel_goal_async()
            self.state, self._since_s, self._wants_end = GoalState.ENDING, now_s, True

    def outcome(self, now_s: float) -> Outcome | None:
        """What became of the goal, once after its end."""
        waited_s = now_s - self._since_s
        match self.state:
            case GoalState.ASKED if waited_s > ACCEPTS_WITHIN_S:
                self._give_up(f"{self.action} has not answered for {waited_s:.1f} s")
            case GoalState.RUNNING if waited_s > self._longest_s:
                self.cancel(now_s)
                self._wants_end, self._late = False, True
            case GoalState.ENDING if waited_s > ENDS_WITHIN_S:
                self._give_up(f"{self.action} does not end what it has been told to end")
            case _:
                pass
        outcome, self._outcome = self._outcome, None
        return outcome

    def close(self) -> None:
        """Cancel what runs, and wait for nothing; idempotent."""
        if self._handle is not None and self.state is not GoalState.IDLE:
            self._handle.cancel_goal_async()
        self.state = GoalState.IDLE

    def _accepted(self, handle: Any, number: int) -> None:
        is_present = number == self._number and self.state is not GoalState.IDLE
        if not handle.accepted:
            if is_present:
                self._end(Outcome(why=f"{self.action} refuses the goal", was_cancelled=self._wants_end))
            return
        if not is_present:
            handle.cancel_goal_async()  # it comes too late
            return
        self._handle = handle
        if self.state is GoalState.ENDING:
            handle.cancel_goal_async()
        else:
            self.state = GoalState.RUNNING
        handle.get_result_async().add_done_callback(lambda future: self._ended(future.result(), number))

    def _ended(self, answer: Any, number: int) -> None:
        if number != self._number or self.state is GoalState.IDLE:
            return
        why = {
            _SUCCEEDED: "",
            _CANCELED: f"{self.action} has given it up",
            _ABORTED: f"{self.action} has failed",
        }.get(answer.status, f"{self.action} ended it with status {answer.status}")
        if self._late:
            why = f"{self.action} did not end in time"
        self._end(Outcome(answer.result, why, was_cancelled=self._wants_end))

    def _give_up(self, why: str) -> None:
        self._end(Outcome(why=why, is_over=False, was_cancelled=self._wants_end))

    def _end(self, outcome: Outcome) -> None:
        self._outcome, self._handle = outcome, None
        self.state = GoalState.IDLE
