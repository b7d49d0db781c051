"""What the gripper's process becomes ready with."""

from __future__ import annotations

import msgspec

from resources.types.streams import StreamHandle


class FciGripperFeed(msgspec.Struct, frozen=True):
    """state: stream of `GripperSample`; max_width_m: as the gripper has it."""

    state: StreamHandle
    max_width_m: float
