"""What driving by a session does, whatever the person holds: for the actions `teleoperate_…`.

The hand's motion does not pass here: the control loop reads it by itself, and decides by itself when the
clutch is on (`resources.types.masters`). Here it is kept going, and said, to the operators and on the
session's page; the gripper's button is heard; and a session that falls silent is waited for.

    session there ──▶ READY ──silent──▶ HOLDING, 10 s ──back──▶ READY (and the clutch is pressed anew)
                                            └──not back──▶ what it drove is given back

What was interrupted goes on when the driver says so. One who is lost, or is asked to leave, says nothing:
then it waits for a word (`framework.interlock`).
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import Any

from actions.driven_gripper import DrivenGripper, why_in_words
from framework.errors import ActionOver, LeaseError, PilothouseError
from framework.events import Subject
from framework.plugins.action import Action, OnPreempt, Risk
from framework.plugins.client import Client
from framework.plugins.need import needs
from framework.plugins.parameters import param
from framework.status import Priority, Severity
from resources.types.arms import Arm, ArmHandle, Base, Gripper
from resources.types.begun import BOTH, SIDES
from resources.types.masters import HandSide, HandStream
from resources.types.motion import ArmSample
from resources.types.motion_clients import ArmClient, BaseClient, MotionClient
from resources.types.motion_words import named, said_for_people
from resources.types.naming import listed
from resources.types.operator import DeviceKind, DriverSeat, OperatorSession
from resources.types.operator_client import Driven, OperatorClient, Seat
from resources.types.sensors import Camera

KEPT_S = 10.0
"""What a silent session drives is kept for it so long [s]."""

TOUCHES_N, LEAVES_N = 10.0, 7.0
"""From this force on something is touched, below the other one it is not any more [N]."""

_LOOK_S = 0.05
_CONTACT_EVERY_S = 2.0

DRIVES = ("arm", "base", "robot")
"""What may be driven: the arm, the base by the stick, or both."""

IF_HELD = 'who drives says "carry on" first, or hands it over on the console'
"""How to get what somebody else drives."""

INSTEAD = 'you drive it: use the gripper button, or say "carry on" first'
"""Instead of asking for the gripper of what one drives."""

NO_CAMERA = (
    "no camera works: the page shows the robot's model, and nothing of what is around it; you drive on"
)


class Driving:
    """One run of an action by which a session drives. Everything it is given is held by that action.

    arms: the one, or the right and the left one; none if only the base is driven.
    """

    def __init__(
        self,
        action: Action,
        session: OperatorClient,
        arms: Sequence[ArmClient],
        base: BaseClient | Client,
        camera: Client,
    ) -> None:
        self._action = action
        self._session = session
        self._arms = tuple(zip(sides_for(session, [arm.handle for arm in arms]), arms, strict=True))
        self._base = base if isinstance(base, BaseClient) else None
        self._camera = camera
        self._renewals: list[asyncio.Event] = []
        self._now = (Seat.WATCHING, "")
        self._why = ""
        self._grippers = {
            side: DrivenGripper(action, session, side, arm.side, named(arm)) for side, arm in self._arms
        }

    @property
    def words(self) -> str:
        """What it does: "phone 1 drives the left arm"."""
        return f"{self._session.name} drives {self._what}"

    @property
    def _ready_words(self) -> str:
        """What its page shows until the clutch is pressed; there nobody needs to be told who drives."""
        return f"Ready: hold the clutch to move {self._what}."

    @property
    def _movers(self) -> tuple[MotionClient, ...]:
        base = () if self._base is None else (self._base,)
        return (*(arm for _, arm in self._arms), *base)

    @property
    def _what(self) -> str:
        return listed(map(named, self._movers))

    async def run(self) -> None:
        """Until it is stopped, or ends: ActionOver in good order, else PilothouseError with the reason."""
        name = self._session.name
        why, is_lost = "", True
        self._seat(Seat.READY, self._ready_words)
        self._action.established(self.words, name, subject=Subject.SEAT, data={"session": name})
        try:
            await self._drive()
        except asyncio.CancelledError as error:
            why = str(error)
            raise
        except ActionOver as error:
            why, is_lost = str(error), False
            self._action.lets_go(f"{name} does not drive any more: {why}")
            raise
        except PilothouseError as error:
            why = why_in_words(error)
            raise
        finally:
            if is_lost:
                self._action.lets_go(self._lost_words(name))
            because = f": {self._why or why}" if self._why or why else ""
            self._seat(Seat.WATCHING, f"You do not drive any more{because}")

    def _lost_words(self, name: str) -> str:
        what = f"{self._what} {'holds' if len(self._movers) == 1 else 'hold'}"
        is_there = False
        with suppress(LeaseError):
            is_there = self._session.alive and self._session.lease.status.severity is not Severity.FATAL
        return f"{name} {'does not drive any more' if is_there else 'is lost'}: {what}"

    async def _drive(self) -> None:
        tasks = [self._attend(), self._look_at_picture()]
        for side, arm in self._arms:
            tasks += [self._follow(arm, side), self._feel(arm), self._grippers[side].run(self._seat_again)]
        if self._base is not None:
            tasks += [self._follow(self._base, self._stick_side), self._feel(self._base)]
        await _first_to_end(tasks)

    @property
    def _stick_side(self) -> HandSide:
        return self._arms[0][0] if self._arms else HandSide.RIGHT

    # ------------------------------------------------------------ the arm

    async def _follow(self, mover: MotionClient, side: HandSide) -> None:
        """Keep the right to follow the hand alive; anew when the session comes back, as with a new clutch."""
        renewal = asyncio.Event()
        self._renewals.append(renewal)
        with said_for_people(mover):
            while True:
                renewal.clear()
                hand = _hand_of(self._session, side)
                await _first_to_end([mover.follow(hand.stream.ring, self._session.session), renewal.wait()])

    async def _feel(self, mover: MotionClient) -> None:
        """Say when its clutch goes off by itself, and when an arm touches something."""
        loop = asyncio.get_running_loop()
        disengaged, touches, told_s = "", False, -math.inf
        while True:
            sample = mover.latest_motion()
            if sample is not None:
                if sample.loop.disengaged not in ("", disengaged):
                    self._action.say(
                        f"{named(mover)} holds: {sample.loop.disengaged}; to go on, press the clutch anew",
                        subject=Subject.HOLDS,
                        data={"device": mover.device, "why": sample.loop.disengaged},
                    )
                disengaged = sample.loop.disengaged
            if isinstance(sample, ArmSample):
                force_n = math.hypot(*(sample.wrench_measured or sample.wrench_estimated)[:3])
                before, touches = touches, force_n >= (LEAVES_N if touches else TOUCHES_N)
                is_new = touches and not before and loop.time() - told_s > _CONTACT_EVERY_S
                if is_new and sample.loop.engaged:
                    told_s = loop.time()
                    self._told(f"{named(mover)} touches something, with {force_n:.0f} N")
            await asyncio.sleep(_LOOK_S)

    # ------------------------------------------------------------ the person

    async def _attend(self) -> None:
        """Wait for a session that is silent, and heed one that is asked to leave."""
        session = self._session
        while True:
            if session.leaves:
                self._told_of_seat(f"{session.name} lets go of {self._what}: {session.leaves}")
                raise ActionOver(session.leaves)
            if not session.alive:
                await self._until_back()
            else:
                await session.changed()

    async def _until_back(self) -> None:
        session, name = self._session, self._session.name
        kept = f"{self._what} {_is(self._movers)} kept for"
        self._told_of_seat(f"{name} is silent; {kept} it for {KEPT_S:g} s")
        self._seat(Seat.HOLDING, f"Nothing was heard of you: {kept} you for {KEPT_S:g} s")
        try:
            async with asyncio.timeout(KEPT_S):
                while not (session.alive or session.leaves):
                    await session.changed()
        except TimeoutError:
            given_back = f"{self._what} {_is(self._movers)} given back"
            self._why = f"nothing was heard of you for {KEPT_S:g} s, and {given_back}"
            raise PilothouseError(f"{name} was silent for {KEPT_S:g} s: {given_back}") from None
        if session.alive:
            for renewal in self._renewals:
                renewal.set()
            self._told_of_seat(f"{name} is back: press the clutch to go on")
            self._seat(Seat.READY, self._ready_words)

    async def _look_at_picture(self) -> None:
        """Say what is lost when there is no camera, or none with depth."""
        camera, told = self._camera, ""
        while True:
            device, kind = (camera.device, camera.kind) if camera else ("", "")
            words = {
                "": NO_CAMERA,
                "rgbd": f"{device} shows what is around",
            }.get(kind, f"{device} sees no depth: the page shows the robot's model, and nothing around it")
            if words != told and (told or kind != "rgbd"):
                self._told(words)
            told = words
            await camera.changed()

    # ------------------------------------------------------------ words

    def _told(self, words: str) -> None:
        self._action.say(words)

    def _told_of_seat(self, words: str) -> None:
        """For everybody but its own page, which is told by `_seat`."""
        self._action.say(words, subject=Subject.SEAT, data={"session": self._session.name})

    def _seat(self, seat: Seat, words: str) -> None:
        """For its own page, of which the words speak as "you". One that is lost hears nothing any more."""
        self._now = seat, words
        self._seat_again()

    def _seat_again(self) -> None:
        """The same, with what is driven now."""
        seat, words = self._now
        driven: tuple[Driven, ...] = ()
        if seat is not Seat.WATCHING:
            base = self._base.device if self._base is not None else ""
            driven = tuple(
                Driven(side, arm.device, self._grippers[side].device, base if number == 0 else "", arm.side)
                for number, (side, arm) in enumerate(self._arms)
            ) or (Driven(self._stick_side, base=base),)
        with suppress(LeaseError):
            self._session.seat(seat, driven, words)


class DrivingAction(Action):
    """Base class of the actions by which somebody drives: they say by what, in words of their own.

    side: of the arm; `BOTH` are two arms, for an action that lets it be said. session: whose hand drives.
    """

    continuous = True
    retains = True
    risk = Risk.MOVES
    priority = Priority.OPERATOR
    on_preempt = OnPreempt.GIVE_UP
    if_held = IF_HELD
    instead = INSTEAD

    side: str = param(
        default="",
        one_of=SIDES,
        which="arms",
        is_asked=False,
        doc="of the arm; the one that was named last, else whichever is free",
    )
    drives: str = param(default=DRIVES[0], one_of=DRIVES, doc="the arm, the base by the stick, or both")
    session: str = param(default="", asked_by="sessions", doc="whose hand drives; by default who asks")

    seat = needs(DriverSeat, exclusive=True)
    operator = needs(lambda given: OperatorSession(session=given.session), exclusive=True)
    arm = needs(
        lambda given: () if given.drives == "base" else Arm("right" if given.side == BOTH else given.side),
        exclusive=True,
    )
    other = needs(
        lambda given: Arm("left") if given.side == BOTH and given.drives != "base" else (), exclusive=True
    )
    base = needs(lambda given: () if given.drives == "arm" else Base(), exclusive=True)
    camera = needs(Camera(kind="rgbd"), Camera(kind="rgb"), optional=True)

    @classmethod
    def keeps(cls, has: Any) -> tuple[Gripper, ...]:
        """Those of what is driven: its button moves them."""
        return tuple(Gripper(arm.side) for arm in (has.arm, has.other) if arm is not None)

    async def run(self) -> None:
        """Until it is stopped, or ends; see `Driving.run`."""
        arms = [arm for arm in (self.arm, self.other) if arm]
        await Driving(self, self.operator, arms, self.base, self.camera).run()


def sides_for(session: OperatorClient, arms: Sequence[ArmHandle]) -> tuple[HandSide, ...]:
    """Which hand drives which arm. Raises PilothouseError if there are not enough hands."""
    if session.kind is DeviceKind.HEADSET:
        return tuple(HandSide.LEFT if arm.side == "left" else HandSide.RIGHT for arm in arms)
    if len(arms) > 1:
        raise PilothouseError(
            f"{session.name} has one hand, and {len(arms)} arms are to be driven: say which one, "
            "or take a headset with two controllers"
        )
    return (HandSide.RIGHT,) * len(arms)


def _hand_of(session: OperatorClient, side: HandSide) -> HandStream:
    hand = session.hand(side)
    if hand is None:
        raise PilothouseError(f"{session.name} has no {side.value} hand")
    return hand


async def _first_to_end(works: Sequence[Awaitable[object]]) -> None:
    """Do all of it at once until the first has ended; raises what that raises, and ends the others."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _is(movers: Sequence[object]) -> str:
    return "is" if len(movers) == 1 else "are"
