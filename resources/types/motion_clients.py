"""What actions hold for arms, grippers and the base: `await arm.move_to(pose)`, `await gripper.close()`.

A goal is awaited: the client repeats it until the control loop reports that it ended. Cancelling the await
ends the repeating, so the mechanism comes to rest within `ORDER_LAPSES_S` at the latest; giving the lease
back does it at once. Targets (`track_…`, `drive`) are sent once each: whoever streams them keeps them coming.
Who passes on what somebody else streams says when that was given (`given_s`): else a source that is dead for
long would look alive for as long as its last word is repeated.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from framework.errors import LeaseError, MotionFailed
from resources.types.clients import StreamClient
from resources.types.motion import (
    ORDER_PERIOD_S,
    ArmSample,
    BaseSample,
    Drive,
    EndKind,
    Follow,
    GripperSample,
    Guide,
    Hold,
    Joints7,
    LoopState,
    MotionCommand,
    MotionSample,
    MoveBase,
    MoveGripper,
    MoveJoints,
    MovePose,
    StopKind,
    TrackJoints,
    TrackPose,
    TrackTwist,
    Vector6,
    Wanted,
    encode_motion,
)
from resources.types.streams import Pose7

if TYPE_CHECKING:
    from framework.registrar import Lease

#: How often a report is looked for while a goal is awaited [s].
_LOOK_S = 0.02

#: A goal that the control loop has not taken up within this has been lost [s].
_TAKEN_UP_WITHIN_S = 1.0

#: What ends a motion where it is made has ended its lease after so long [s].
_TOLD_WITHIN_S = 0.2

Progress = Callable[[float], None]


def first_number(lease: str) -> int:
    """Wishes under a lease are numbered from here on, no two holders' alike: a report may still speak of the
    former one's."""
    return zlib.crc32(lease.encode()) << 20


class MotionClient(StreamClient):
    """Whatever moves: wishes under numbers, and reports of what became of them."""

    def __init__(self, name: str, lease: Lease | None) -> None:
        super().__init__(name, lease)
        self._number = 0
        self._number_from(lease)

    def put(self, lease: Lease | None) -> None:
        """See `Client.put`; numbers go on from the new lease's first."""
        super().put(lease)
        self._number_from(lease)

    def wish(self, command: MotionCommand, *, given_s: float | None = None) -> int:
        """Send a command once, under a new number, which is returned; `given_s`, LeaseError: see `send`."""
        self._number += 1
        self.send(encode_motion(Wanted(self._number, command)), given_s=given_s)
        return self._number

    def latest_motion(self, after: int = 0) -> MotionSample | None:
        """The newest report, or None before the first; see `latest_sample`."""
        sample: MotionSample | None = self.latest_sample(after)
        return sample

    async def first_motion(self) -> Any:
        """The newest report; waits for the first. Raises MotionFailed if none comes within a second."""
        return await _first(self, self._name)

    async def carry_out(self, command: MotionCommand, progress: Progress | None = None) -> None:
        """Have a goal reached; `progress` is told how much of it is done, 0 to 1.

        Raises MotionFailed with the reason if it is not reached, refused, stopped or interrupted by a fault.
        """
        await self._pursue(command, progress)

    async def keep(self, command: MotionCommand) -> None:
        """Repeat a command that has no end (guiding, holding, sweeping) until cancelled.

        Raises MotionFailed if it is refused, stopped, or interrupted by a fault.
        """
        await self._pursue(command, None)
        raise MotionFailed(f"{self._name} has ended what was to go on")

    async def follow(self, source: str, session: str) -> None:
        """Follow a person's hand (an arm its pose, a base its sticks), until cancelled: see `Follow`.

        The hand's samples do not pass here: this only keeps the right to follow them alive. After a stop that
        passes by itself (a busy machine's hiccup) it is wished anew: that moves nothing, since the clutch has
        to be opened and closed again. Raises as `keep` for all else.
        """
        while True:
            try:
                await self.keep(Follow(source, session))
            except MotionFailed as error:
                if not error.passes:
                    raise
            await asyncio.sleep(ORDER_PERIOD_S)

    async def _pursue(self, command: MotionCommand, progress: Progress | None) -> None:
        """Repeat a wish until its loop reports that it has ended."""
        number = self.wish(command)
        payload = encode_motion(Wanted(number, command))
        loop = asyncio.get_running_loop()
        began_s = sent_s = loop.time()
        was_taken_up = False
        while True:
            await asyncio.sleep(_LOOK_S)
            now_s = loop.time()
            sample = self.latest_motion()
            if sample is not None:
                state = sample.loop
                if state.done == number and not state.outcome:
                    if progress is not None:
                        progress(1.0)
                    return
                why, kind = _failure(number, state, was_taken_up=was_taken_up)
                if why:
                    if state.fault or state.stopped or kind is EndKind.TAKEN:
                        # The loop knows first. That ends the lease too, in words that say what can be done:
                        # whoever holds it is told now, and this run is over by that.
                        await asyncio.sleep(_TOLD_WITHIN_S)
                    raise MotionFailed(why, passes=kind.passes)
                if state.following == number:
                    was_taken_up = True
                    if progress is not None:
                        progress(state.progress)
            if not was_taken_up and now_s - began_s > _TAKEN_UP_WITHIN_S:
                raise MotionFailed(f"{self._name} has not taken up the order within {_TAKEN_UP_WITHIN_S:g} s")
            if now_s - sent_s >= ORDER_PERIOD_S - 1e-6:
                sent_s = now_s
                try:
                    self.send(payload)
                except LeaseError:
                    # It has failed this very moment: its holder is told why, and this run is over by that.
                    await asyncio.sleep(_TOLD_WITHIN_S)
                    raise

    def _number_from(self, lease: Lease | None) -> None:
        if lease is not None:
            self._number = max(first_number(lease.id), self._number)


def _failure(number: int, state: LoopState, *, was_taken_up: bool) -> tuple[str, EndKind]:
    """Why the wish of this number comes to nothing; "" while it may."""
    if state.fault:
        return state.fault, EndKind.FAILED
    if state.stopped:
        return state.stopped, EndKind.HEARTBEAT if state.stop is StopKind.ALONE else EndKind.FAILED
    if state.done == number:
        return state.outcome, state.ended
    if state.refused_number == number:
        return state.refusal, state.refused_as
    if was_taken_up and state.following != number:
        return "another command took its place", EndKind.FAILED
    return "", EndKind.REACHED


async def _first(client: StreamClient, name: str) -> Any:
    """The newest sample of a loop; waits for the first."""
    try:
        async with asyncio.timeout(_TAKEN_UP_WITHIN_S), aclosing(client.samples()) as samples:
            return await anext(samples)
    except TimeoutError:
        raise MotionFailed(f"{name} does not report: its control loop is silent") from None


class ArmStateClient(StreamClient):
    """An arm's state, read only: fields of ArmHandle, and its samples."""

    def latest(self, after: int = 0) -> ArmSample | None:
        """The newest sample; see `latest_sample`."""
        sample: ArmSample | None = self.latest_sample(after)
        return sample

    async def first(self) -> ArmSample:
        """The newest sample; waits for the first. Raises MotionFailed if none comes within a second."""
        sample: ArmSample = await _first(self, self._name)
        return sample


class ArmClient(MotionClient):
    """An arm: fields of ArmHandle, and its motions. Poses are of the tool point in the arm's base frame."""

    async def state(self) -> ArmSample:
        """What the arm feels and does now."""
        sample: ArmSample = await self.first_motion()
        return sample

    async def move_joints(
        self, joints: Sequence[float], *, speed: float = 0.3, progress: Progress | None = None
    ) -> None:
        """Go to a posture (7,) [rad]; see `carry_out`."""
        q1, q2, q3, q4, q5, q6, q7 = (float(value) for value in joints)
        await self.carry_out(MoveJoints((q1, q2, q3, q4, q5, q6, q7), speed), progress)

    async def move_to(
        self, base_T_tool: Pose7, *, speed: float = 0.25, turn: float = 0.8, progress: Progress | None = None
    ) -> None:
        """Take the tool straight to a pose, at most at `speed` [m/s] and `turn` [rad/s]; see `carry_out`."""
        await self.carry_out(MovePose(base_T_tool, speed, turn), progress)

    def track_pose(
        self,
        base_T_tool: Pose7,
        twist: Vector6 | None = None,
        acceleration: Vector6 | None = None,
        *,
        given_s: float | None = None,
    ) -> int:
        """Stream a pose with its feed-forward; at least every `TARGET_LAPSES_S`, or the arm holds.

        `given_s`: when the pose was taken, if that was not now; see `send`.

        Returns the number under which the loop reports what became of it, as all that stream do.
        """
        rest = TrackPose(base_T_tool)
        command = TrackPose(base_T_tool, twist or rest.twist, acceleration or rest.acceleration)
        return self.wish(command, given_s=given_s)

    def track_twist(self, twist: Vector6, *, given_s: float | None = None) -> int:
        """Stream a twist [m/s, rad/s]; see `track_pose`."""
        return self.wish(TrackTwist(twist), given_s=given_s)

    def track_joints(
        self, joints: Joints7, velocities: Joints7 | None = None, *, given_s: float | None = None
    ) -> int:
        """Stream a posture [rad] with velocities [rad/s]; see `track_pose`."""
        command = TrackJoints(joints) if velocities is None else TrackJoints(joints, velocities)
        return self.wish(command, given_s=given_s)

    async def guide(self) -> None:
        """Let a person move the arm by hand, until cancelled."""
        await self.keep(Guide())

    async def hold(self) -> None:
        """Stay, compliantly, until cancelled."""
        await self.keep(Hold())


class GripperClient(MotionClient):
    """A gripper: fields of GripperHandle, and its motions."""

    async def state(self) -> GripperSample:
        """How it stands now."""
        sample: GripperSample = await self.first_motion()
        return sample

    async def open(self, width_m: float | None = None, *, progress: Progress | None = None) -> None:
        """Open to a width [m], by default all the way; see `carry_out`."""
        await self.carry_out(MoveGripper(self.max_width_m if width_m is None else width_m), progress)

    async def close(self, *, force_n: float = 20.0, progress: Progress | None = None) -> None:
        """Close until the fingers meet each other or something between them."""
        await self.carry_out(MoveGripper(0.0, force_n=force_n), progress)

    async def grasp(self, *, force_n: float = 20.0, progress: Progress | None = None) -> None:
        """Close on something and keep hold of it. Raises MotionFailed if there was nothing."""
        await self.carry_out(MoveGripper(0.0, force_n=force_n, grasp=True), progress)


class BaseClient(MotionClient):
    """The mobile base: fields of BaseHandle, and its motions."""

    async def state(self) -> BaseSample:
        """How it stands and moves now."""
        sample: BaseSample = await self.first_motion()
        return sample

    def drive(
        self, forward: float = 0.0, left: float = 0.0, turn: float = 0.0, *, given_s: float | None = None
    ) -> None:
        """Stream velocities [m/s, m/s, rad/s]; at least every `TARGET_LAPSES_S`, or the base stops.

        `given_s`: see `ArmClient.track_pose`.
        """
        self.wish(Drive(forward, left, turn), given_s=given_s)

    async def move_to(
        self,
        x: float,
        y: float,
        yaw: float,
        *,
        speed: float = 0.4,
        turn: float = 0.6,
        progress: Progress | None = None,
    ) -> None:
        """Go to a pose of the odometry frame [m, m, rad]; see `carry_out`."""
        await self.carry_out(MoveBase(x, y, yaw, speed, turn), progress)
