"""What has moved, as it was seen: the latest deed's share of it, for conditions that speak of motion.

Pure: samples go in, judgements come out. Motion below a tenth of a millimetre is none.
"""

from __future__ import annotations

import math

import msgspec

from framework.scenarios.scenario import Motion, MotionBound
from framework.scenarios.stage import StageMotion

STILL_M = 1e-4


class _Since(msgspec.Struct):
    """One device since the mark. moved_s: when it was last seen somewhere else than before."""

    began: StageMotion
    last: StageMotion
    last_s: float
    moved_s: float = -math.inf
    moved_m: float = 0.0
    jump_m: float = 0.0
    force_n: float | None = None


class MotionLog:
    """`see` each look at what moves; `mark` begins anew, as with every deed."""

    def __init__(self) -> None:
        self._mark_s = 0.0
        self._since: dict[str, _Since] = {}

    def mark(self, now_s: float) -> None:
        """A deed: what was before does not count."""
        self._mark_s = now_s
        self._since = {name: _Since(each.last, each.last, each.last_s) for name, each in self._since.items()}

    def see(self, motions: tuple[StageMotion, ...], now_s: float) -> None:
        """How everything stands now."""
        for motion in motions:
            if not motion.is_seen:
                continue
            since = self._since.get(motion.device)
            if since is None or since.last.life != motion.life:
                self._since[motion.device] = since = _Since(motion, motion, now_s)
            is_moved = math.dist(motion.counts_at, since.last.counts_at) > STILL_M
            if is_moved or not motion.is_at_rest:
                since.moved_s = now_s
            since.jump_m = max(since.jump_m, math.dist(motion.place, since.last.place))
            since.moved_m = max(since.moved_m, math.dist(motion.counts_at, since.began.counts_at))
            if motion.force_n is not None:
                since.force_n = max(since.force_n or 0.0, motion.force_n)
            since.last, since.last_s = motion, now_s

    def why_not(self, condition: Motion) -> str:
        """What is there instead; "" if it holds."""
        since = self._since.get(condition.device)
        if since is None:
            return f"{condition}: nothing that moves is called so"
        limit = condition.limit
        moved_after_s = since.moved_s - self._mark_s
        match condition.bound:
            case MotionBound.AT_REST_WITHIN:
                if not since.last.is_at_rest:
                    return f"{condition}: it moves still"
                return f"{condition}: it moved until {moved_after_s:.3f} s" if moved_after_s > limit else ""
            case MotionBound.NEVER_MOVES_AFTER:
                return f"{condition}: it moved at {moved_after_s:.3f} s" if moved_after_s > limit else ""
            case MotionBound.MOVED_AT_MOST:
                is_more = since.moved_m > max(limit, STILL_M)
                return f"{condition}: it moved {since.moved_m:.4f} m" if is_more else ""
            case MotionBound.MOVED_AT_LEAST:
                far_m = math.dist(since.last.counts_at, since.began.counts_at)
                return f"{condition}: it is {far_m:.4f} m from there" if far_m < limit else ""
            case MotionBound.JUMP_AT_MOST:
                return f"{condition}: it jumped {since.jump_m:.4f} m" if since.jump_m > limit else ""
            case MotionBound.FORCE_AT_MOST:
                if since.force_n is None:
                    return f"{condition}: nothing measures its force here"
                return f"{condition}: it was {since.force_n:.1f} N" if since.force_n > limit else ""
