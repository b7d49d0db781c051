"""The gripper of an arm that a person drives: each press of its button opens or closes it.

Presses are counted (`HandSample.grips`), so none is lost. What was pressed before it was theirs, or while the
session was silent, was meant for another moment: it is not made up for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import msgspec

from framework.errors import MotionFailed, PilothouseError, StreamError
from framework.plugins.action import Action
from resources.types.arms import Gripper
from resources.types.masters import HandSide
from resources.types.motion_clients import GripperClient
from resources.types.motion_words import named
from resources.types.operator_client import OperatorClient

_LOOK_S = 0.05
_TRIED_AGAIN_S = 5.0

#: News of a hand that are older than this are of before a gap [s].
_FRESH_S = 0.5

#: A gripper that is open wider than this share of its greatest width is open.
_OPEN = 0.5


class Presses:
    """Which of a button's presses count. Pure; times in seconds, on the clock of `HandSample.received_s`."""

    def __init__(self) -> None:
        self._seen: int | None = None
        self._heard_s = 0.0

    def new(self, count: int | None, received_s: float, now_s: float) -> int:
        """How many there are since the last look.

        count: as the newest sample has it, None if there is none.
        """
        is_gap = received_s - self._heard_s > _FRESH_S or now_s - received_s > _FRESH_S
        before, self._seen, self._heard_s = self._seen, count, received_s
        if count is None or before is None or is_gap:
            return 0
        return max(count - before, 0)


def why_in_words(error: PilothouseError) -> str:
    """Why something failed, in one sentence for people."""
    return "it gives no state any more" if isinstance(error, StreamError) else error.why.replace("_", " ")


class DrivenGripper:
    """One arm's. side: of the hand; arm_side: of the arm, as `Gripper` has it; arm: its name for people."""

    def __init__(
        self, action: Action, session: OperatorClient, side: HandSide, arm_side: str, arm: str
    ) -> None:
        self._action = action
        self._session = session
        self._side = side
        self._arm_side = arm_side
        self._arm = arm
        self.device = ""

    async def run(self, told: Callable[[], None] = lambda: None) -> None:
        """Until cancelled. An arm without one, or with one that fails, is driven all the same.

        told: called when `device` is another one.
        """
        said = ""
        while True:
            try:
                request = Gripper(self._arm_side)
                async with self._action.use(request, exclusive=True) as gripper:
                    self.device, said = gripper.device, ""
                    told()
                    await self._toggle(gripper)
            except PilothouseError as error:
                why = why_in_words(error)
                if why != said:
                    said = why
                    self._action.say(f"{self._arm} is driven without its gripper: {why}")
            self.device = ""
            told()
            await asyncio.sleep(_TRIED_AGAIN_S)

    async def _toggle(self, gripper: GripperClient) -> None:
        loop = asyncio.get_running_loop()
        state = await gripper.state()
        is_open = state.width_m > _OPEN * gripper.max_width_m and not state.holds
        presses = Presses()
        moving: asyncio.Task[None] | None = None
        try:
            while True:
                grips, received_s = self._grips()
                if presses.new(grips, received_s, loop.time()) % 2:
                    if moving is not None:
                        moving.cancel()
                    is_open = not is_open
                    moving = asyncio.create_task(self._move(gripper, is_open), name="gripper")
                await asyncio.sleep(_LOOK_S)
        finally:
            if moving is not None:
                moving.cancel()
                await asyncio.gather(moving, return_exceptions=True)

    def _grips(self) -> tuple[int | None, float]:
        with suppress(StreamError, msgspec.MsgspecError, UnicodeDecodeError):  # of a process that ended
            sample = self._session.latest_hand(self._side)
            if sample is not None:
                return sample.grips, sample.received_s
        return None, 0.0

    async def _move(self, gripper: GripperClient, opens: bool) -> None:
        self._action.say(f"{named(gripper)} {'opens' if opens else 'closes'}")
        try:
            await (gripper.open() if opens else gripper.close())
        except MotionFailed as error:
            self._action.say(f"{named(gripper)}: {error}")
