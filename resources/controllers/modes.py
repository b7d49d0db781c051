"""What an arm can be doing, and which commands are streams. Nothing happens here."""

from __future__ import annotations

from enum import Enum

from resources.types.motion import TrackJoints, TrackPose, TrackTwist


class ArmMode(Enum):
    """What an arm is doing; the value is its word for people."""

    HOLD = "hold"
    BRAKE = "brake"
    LOCKED = "locked"
    MOVE_TOOL = "move"
    MOVE_JOINTS = "move joints"
    TRACK_POSE = "track"
    TRACK_TWIST = "track twist"
    TRACK_JOINTS = "track joints"
    SWEEP = "sweep"
    GUIDE = "guide"


Streamed = TrackPose | TrackTwist | TrackJoints
"""Commands of which each is the next target of the same stream."""

STREAMS: dict[type[Streamed], ArmMode] = {
    TrackPose: ArmMode.TRACK_POSE,
    TrackTwist: ArmMode.TRACK_TWIST,
    TrackJoints: ArmMode.TRACK_JOINTS,
}
