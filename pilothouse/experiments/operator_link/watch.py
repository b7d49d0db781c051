"""What an arm's reports and a hand's samples say about a link: clutch off, jumps. Cuts nothing itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from pilothouse.testbed.ring_log import RingLog
from resources.types.masters import HandSample, decode_hand
from resources.types.motion import ArmSample

_decode_arm = msgspec.msgpack.Decoder(ArmSample).decode

ArmTrack = Sequence[tuple[float, ArmSample]]
"""Reports in their order, each with when it was made: CLOCK_MONOTONIC [s]."""


class LinkLog(RingLog):
    """The same, of arms and hands."""

    def arm(self, name: str) -> ArmTrack:
        """What an arm has reported since."""
        return [(sample.stamp_s, _decode_arm(sample.payload)) for sample in self.samples(name)]

    def arm_now(self, name: str) -> ArmSample | None:
        """The newest report that was kept."""
        sample = self.newest(name)
        return None if sample is None else _decode_arm(sample.payload)

    def hand(self, name: str) -> list[HandSample]:
        """What came of a hand since."""
        return [decode_hand(sample.payload) for sample in self.samples(name)]


class Released(msgspec.Struct, frozen=True):
    """The clutch went off. off_ms: since the last valid pose; why: what the control loop says."""

    off_ms: float
    why: str


def released(track: ArmTrack, hands: Sequence[HandSample], cut_s: float) -> Released | None:
    """When the clutch went off after the link was cut; None if it did not, or was not on then.

    From the last pose that came before, by its time of arrival; both times are CLOCK_MONOTONIC, the clock of
    the process that moves. Reports come every 10 ms: it is up to that too long.
    """
    was_on = False
    for stamp_s, sample in track:
        if sample.loop.engaged:
            was_on = True
        elif was_on and stamp_s >= cut_s:
            heard = [hand.received_s for hand in hands if hand.engagement and hand.received_s < stamp_s]
            if not heard:
                return None
            return Released(1e3 * (stamp_s - max(heard)), sample.loop.disengaged)
        else:
            was_on = False
    return None


def jump_mm(track: ArmTrack) -> float:
    """How far target and tool get from where the first report has them, when nothing is to move them [mm]."""
    farthest = 0.0
    for _, sample in track:
        start = track[0][1]
        for was, now in (
            (start.base_T_target, sample.base_T_target),
            (start.base_T_tool, sample.base_T_tool),
        ):
            farthest = max(farthest, 1e3 * math.dist(was[:3], now[:3]))
    return farthest


def moved_by(track: ArmTrack, axis: int, more_than_mm: float) -> int:
    """Reports whose target is further along an axis of the base than that from where the first has it [mm].

    axis: along which nobody but the second operator moves the hand.
    """
    if not track:
        return 0
    start = track[0][1].base_T_target[axis]
    return sum(1e3 * abs(sample.base_T_target[axis] - start) > more_than_mm for _, sample in track)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Of sorted numbers, the smallest that this share of them does not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
