"""What the clients of one arm ask of its control box, and what they are answered: at once, or once it rests.

What a request does to the arm is `box.py`'s business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from resources.arms.urdf import arm_urdf
from resources.fci_sim.arm_motion import MoveRequest
from resources.fci_sim.settings import SETTERS, Settings
from resources.fci_sim.wire import (
    VERSION,
    Command,
    ConnectStatus,
    Mode,
    ModelStatus,
    MoveStatus,
    RecoveryStatus,
    Request,
    SetterStatus,
    StopStatus,
    connect_reply,
    reply,
)

if TYPE_CHECKING:
    from resources.fci_sim.box import ArmBox


class Clerk:
    """Of one arm. send: takes a reply for the connected client; tell: what happens, in words."""

    def __init__(
        self,
        box: ArmBox,
        settings: Settings,
        send: Callable[[bytes], None],
        tell: Callable[[str], None],
    ) -> None:
        self._box = box
        self._settings = settings
        self._send = send
        self._tell = tell
        self._waiting: list[Request] = []  # for the arm to come to rest

    def request(self, request: Request) -> bool:
        """Answer a request; False if the client may not stay connected."""
        command = request.command
        if self._box.plan.is_mute(command):
            self._tell(f"{command.name} stays unanswered (fault)")
            return True
        if command is Command.CONNECT:
            return self._connect(request)
        if command is Command.GET_ROBOT_MODEL:
            self._reply(request, ModelStatus.SUCCESS, arm_urdf(gripper=False).encode())
        elif command is Command.MOVE:
            self._move(request)
        elif command is Command.STOP_MOVE:
            self._stop(request)
        elif command is Command.AUTOMATIC_ERROR_RECOVERY:
            self._recover(request)
        else:
            assert command in SETTERS
            self._set(request)
        return True

    def forget(self) -> None:
        """The client is gone: nobody waits any more."""
        self._waiting.clear()

    def answer_those_who_wait(self) -> None:
        """After a step: the arm may rest now."""
        if self._waiting and self._box.is_ready:
            waiting, self._waiting = self._waiting, []
            for request in waiting:
                self._answer_at_rest(request)

    # --- one by one -------------------------------------------------------------------------------

    def _connect(self, request: Request) -> bool:
        version = int(request.fields[0])
        wrong = self._box.plan.answered_version
        if version == VERSION and wrong is None:
            self._send(connect_reply(request.id, ConnectStatus.SUCCESS))
            return True
        answer = VERSION if wrong is None else wrong
        self._tell(f"a client with version {version} is refused; it was told version {answer}")
        self._send(connect_reply(request.id, ConnectStatus.INCOMPATIBLE_VERSION, answer))
        return False

    def _move(self, request: Request) -> None:
        box = self._box
        asked = MoveRequest(request)
        if asked.problem:
            self._tell(f"a Move is refused: {asked.problem}")
            self._reply(request, MoveStatus.INVALID_ARGUMENT)
        elif box.motion is not None or box.mode is not Mode.IDLE or self._moves_waiting():
            self._tell(f"a Move is refused: the arm is in mode {box.mode.name}")
            self._reply(request, MoveStatus.NOT_POSSIBLE)
        else:
            self._when_at_rest(request)

    def _set(self, request: Request) -> None:
        box = self._box
        if box.motion is not None or box.mode is Mode.USER_STOPPED:
            self._tell(f"{request.command.name} is refused: the arm is in mode {box.mode.name}")
            self._reply(request, SetterStatus.NOT_POSSIBLE)
            return
        problem = self._settings.apply(request)
        if problem:
            self._tell(f"{request.command.name} is refused: {problem}")
            self._reply(request, SetterStatus.INVALID_ARGUMENT)
            return
        box.renew_settings()
        self._reply(request, SetterStatus.SUCCESS)

    def _recover(self, request: Request) -> None:
        box = self._box
        if box.mode is Mode.USER_STOPPED:
            self._reply(request, RecoveryStatus.USER_STOP)
        elif box.motion is not None:
            self._reply(request, RecoveryStatus.NOT_POSSIBLE)
        elif not box.is_within_limits:
            self._tell("recovery is refused: a joint stands outside its limits and has to be moved by hand")
            self._reply(request, RecoveryStatus.MANUAL_RECOVERY_REQUIRED)
        else:
            box.begin_recovery()
            self._when_at_rest(request)

    def _stop(self, request: Request) -> None:
        if self._box.motion is not None:
            self._box.end(MoveStatus.PREEMPTED, "stopped by the client")
        for waiting in self._moves_waiting():
            self._waiting.remove(waiting)
            self._reply(waiting, MoveStatus.PREEMPTED)
        self._when_at_rest(request)

    # --- at rest ----------------------------------------------------------------------------------

    def _when_at_rest(self, request: Request) -> None:
        if self._box.is_ready:
            self._answer_at_rest(request)
        else:
            self._waiting.append(request)

    def _moves_waiting(self) -> list[Request]:
        return [request for request in self._waiting if request.command is Command.MOVE]

    def _answer_at_rest(self, request: Request) -> None:
        box = self._box
        match request.command:
            case Command.MOVE if box.mode is Mode.IDLE:
                box.begin(MoveRequest(request))
            case Command.MOVE:
                self._reply(request, MoveStatus.NOT_POSSIBLE)
            case Command.STOP_MOVE:
                self._reply(request, StopStatus.SUCCESS)
            case _ if box.mode is Mode.USER_STOPPED:
                self._reply(request, RecoveryStatus.USER_STOP)
            case _:
                box.end_recovery()
                self._reply(request, RecoveryStatus.SUCCESS)

    def _reply(self, request: Request, status: int, rest: bytes = b"") -> None:
        self._send(reply(request.command, request.id, status, rest))
