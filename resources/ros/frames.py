"""Where frames were, by what is said of them: tf's tree, and how a moment between two sayings is found.

Pure. A frame has one parent; a link from parent to child holds always (static), or is what was said of it in
the last seconds, between which is interpolated. Nothing is guessed beyond what was said: a frame whose place
is not known is `Unplaced`, with what is missing, and never somewhere.

What is said comes as the fields of geometry_msgs/msg/TransformStamped and nav_msgs/msg/Odometry; who takes
these messages is `resources.drivers.ros.placing`.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from enum import StrEnum
from typing import Final

import msgspec

from framework.errors import MalformedMessage
from resources.types.poses import Quaternion, Vector3, chained, inverse, pose, unit
from resources.types.streams import IDENTITY, Pose7

KEPT_S: Final = 2.0
"""What was said of a moving frame is kept for so long [s]."""

LAGS_S: Final = 0.3
"""What is said of a frame may come so much later than what is measured in it [s]."""

AHEAD_S: Final = 2.0
"""Localisation may say where it will be; further ahead is a clock that is not ours [s]."""

MOST_FRAMES: Final = 2000
_MOST_NAMED: Final = 12
_UNIT_WITHIN: Final = 0.1
_SAME: Final = 0.9995
"""Rotations whose quaternions have this cosine between them are blended without a sine."""


class Lack(StrEnum):
    """What is missing."""

    FRAME = "frame"
    """Nobody has said anything of it."""

    LINK = "link"
    """Nothing leads from there to the other one."""

    BEFORE = "before"
    """It was first said later."""

    AFTER = "after"
    """It was said last before, and may be said soon."""

    SILENT = "silent"
    """It was said last too long before."""


class Unplaced(msgspec.Struct, frozen=True):
    """A frame's place is not known. words: what is missing, for people."""

    lack: Lack
    words: str

    @property
    def may_come(self) -> bool:
        """Whether it is worth waiting a moment."""
        return self.lack is Lack.AFTER


class Frames:
    """A tree of frames. What is `told` of a frame (by a robot description) holds against what others say.

    It has at most `MOST_FRAMES`; told of one more, each method raises MalformedMessage, and leaves it out.
    """

    def __init__(self) -> None:
        self._links: dict[str, _Link] = {}

    def tell(self, parent: str, child: str, parent_T_child: Pose7) -> None:
        """This holds, whatever is said of `child`. Raises MalformedMessage."""
        self._refuse_one_more(child)
        self._links[plain(child)] = _Link(plain(parent), is_told=True, is_static=True, held=parent_T_child)

    def tell_moves(self, parent: str, child: str) -> None:
        """Where `child` is, is said by `moved` alone. Raises MalformedMessage."""
        self._refuse_one_more(child)
        self._links[plain(child)] = _Link(plain(parent), is_told=True)

    def moved(self, child: str, parent_T_child: Pose7, stamp_s: float, now_s: float) -> None:
        """Of a frame that moves by `tell_moves`. Raises MalformedMessage as `said`."""
        self._links[plain(child)].add(child, stamp_s, parent_T_child, now_s)

    def said(
        self, parent: str, child: str, parent_T_child: Pose7, stamp_s: float, now_s: float, *, is_static: bool
    ) -> None:
        """Somebody says it. stamp_s: of when; now_s: when that is now, on the same clock [s].

        Raises MalformedMessage for frames without names, one that is its own parent, what is of another
        time, and one that has another parent by who said it last; the last then counts.
        """
        parent, child = plain(parent), plain(child)
        if not parent or not child or parent == child:
            raise MalformedMessage(f"tf says where {child!r} is in {parent!r}: two names are wanted")
        link = self._links.get(child)
        if link is not None and link.is_told:
            return
        had = "" if link is None else link.parent
        if link is None or link.parent != parent or link.is_static != is_static:
            self._refuse_one_more(child)
            link = self._links[child] = _Link(parent, is_static=is_static)
        if is_static:
            link.held = parent_T_child
        else:
            link.add(child, stamp_s, parent_T_child, now_s)
        if had and had != parent:
            raise MalformedMessage(
                f"tf says that {child} is in {parent}, after it was in {had}: a frame has one parent. Two "
                "nodes say where it is; stop one of them"
            )

    def _refuse_one_more(self, child: str) -> None:
        child = plain(child)
        if child not in self._links and len(self._links) >= MOST_FRAMES:
            raise MalformedMessage(f"there are more than {MOST_FRAMES} frames; {child!r} is left out")

    def forget_moves(self) -> None:
        """Time has gone back: what moved was said of a time that is to come again."""
        for link in self._links.values():
            link.forget()

    def place(self, fixed: str, frame: str, stamp_s: float) -> Pose7 | Unplaced:
        """`fixed_T_frame` at that time [s]."""
        fixed, frame = plain(fixed), plain(frame)
        if not frame:
            return Unplaced(Lack.FRAME, "its messages name no frame (header.frame_id is empty)")
        if fixed == frame:
            return IDENTITY
        down = self._way_up(frame)
        up = self._way_up(fixed)
        if down[-1] != up[-1]:
            return self._unconnected(fixed, frame)
        while down and up and down[-1] == up[-1]:  # what lies above where both ways meet does not count
            down.pop()
            up.pop()
        fixed_T_meet = self._along(up, stamp_s)
        meet_T_frame = self._along(down, stamp_s)
        if isinstance(fixed_T_meet, Unplaced):
            return fixed_T_meet
        if isinstance(meet_T_frame, Unplaced):
            return meet_T_frame
        return chained(inverse(fixed_T_meet), meet_T_frame)

    def _way_up(self, frame: str) -> list[str]:
        """The frame, its parent, … up to the one without, or to where a circle begins anew."""
        way = [frame]
        while (link := self._links.get(way[-1])) is not None and link.parent not in way:
            way.append(link.parent)
        return way

    def _along(self, way: list[str], stamp_s: float) -> Pose7 | Unplaced:
        """`top_T_frame` of a way from frame up to a child of top."""
        total: Pose7 = IDENTITY
        for name in way:
            link = self._links[name]
            found = link.at(name, stamp_s)
            if isinstance(found, Unplaced):
                return found
            total = chained(found, total)
        return total

    def _unconnected(self, fixed: str, frame: str) -> Unplaced:
        names = sorted({*self._links, *(link.parent for link in self._links.values())})
        if not names:
            words = f"nobody says where {frame} is in {fixed}: nothing has come on /tf or /tf_static"
            return Unplaced(Lack.FRAME, words)
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        known = f"frames: {', '.join(names[:_MOST_NAMED])}{more}"
        if frame not in names:
            return Unplaced(Lack.FRAME, f"nobody says where {frame} is; {known}")
        return Unplaced(Lack.LINK, f"{frame} is known, but nothing leads to {fixed}; {known}")


class _Link:
    """What is known of one frame in its parent."""

    def __init__(
        self, parent: str, *, is_told: bool = False, is_static: bool = False, held: Pose7 = IDENTITY
    ) -> None:
        self.parent = parent
        self.is_told = is_told
        self.is_static = is_static
        self.held = held
        self._stamps: list[float] = []
        self._poses: list[Pose7] = []

    def add(self, name: str, stamp_s: float, parent_T_child: Pose7, now_s: float) -> None:
        """Raises MalformedMessage for what is of another time."""
        if not now_s - KEPT_S <= stamp_s <= now_s + AHEAD_S:
            word = "old" if stamp_s < now_s else "ahead of our time"
            raise MalformedMessage(
                f"where {name} is, is said with a stamp that is {abs(now_s - stamp_s):.2f} s {word}; "
                f"{KEPT_S:g} s are allowed: keep the clocks together (chrony), or all on /clock"
            )
        at = bisect_left(self._stamps, stamp_s)
        if at < len(self._stamps) and self._stamps[at] == stamp_s:
            self._poses[at] = parent_T_child
        else:
            self._stamps.insert(at, stamp_s)
            self._poses.insert(at, parent_T_child)
        old = bisect_left(self._stamps, min(now_s - KEPT_S, self._stamps[-1]))
        del self._stamps[:old], self._poses[:old]

    def forget(self) -> None:
        """Nothing was said; what is static holds."""
        self._stamps.clear()
        self._poses.clear()

    def at(self, name: str, stamp_s: float) -> Pose7 | Unplaced:
        """`parent_T_child` then."""
        if self.is_static:
            return self.held
        if not self._stamps:
            return Unplaced(Lack.FRAME, f"nobody says where {name} is in {self.parent}")
        if stamp_s < self._stamps[0]:
            late_s = self._stamps[0] - stamp_s
            return Unplaced(
                Lack.BEFORE, f"where {name} is in {self.parent} was said first {late_s:.2f} s later"
            )
        late_s = stamp_s - self._stamps[-1]
        if late_s > 0.0:
            return Unplaced(
                Lack.AFTER if late_s <= LAGS_S else Lack.SILENT,
                f"where {name} is in {self.parent} was said last {late_s:.2f} s before; {LAGS_S:g} s are "
                "waited for: is its publisher alive, and often enough?",
            )
        after = bisect_right(self._stamps, stamp_s)
        before = after - 1
        if self._stamps[before] == stamp_s:
            return self._poses[before]
        share = (stamp_s - self._stamps[before]) / (self._stamps[after] - self._stamps[before])
        return blended(self._poses[before], self._poses[after], share)


def plain(frame: str) -> str:
    """A frame's name, as tf2 has it: ROS 1 began it with a slash."""
    return frame.strip().removeprefix("/")


def checked_pose(position: Vector3, rotation: Quaternion, of: str) -> Pose7:
    """A pose as it came. Raises MalformedMessage if it is none. of: whose."""
    length = math.hypot(*rotation)
    if not all(map(math.isfinite, (*position, *rotation))) or abs(length - 1.0) > _UNIT_WITHIN:
        raise MalformedMessage(
            f"{of} is said to be at {position}, turned by {rotation}; finite numbers and a unit quaternion "
            "are allowed"
        )
    return pose(position, unit(rotation))


def blended(first: Pose7, second: Pose7, share: float) -> Pose7:
    """A pose on the way: positions in a line, rotations by the shortest way (Shoemake 1985: slerp).

    share: 0 is the first, 1 the second.
    """
    ax, ay, az, *one = first
    bx, by, bz, *other = second
    cosine = sum(a * b for a, b in zip(one, other, strict=True))
    if cosine < 0.0:
        other, cosine = [-value for value in other], -cosine
    if cosine > _SAME:
        of_one, of_other = 1.0 - share, share
    else:
        angle = math.acos(cosine)
        of_one = math.sin((1.0 - share) * angle) / math.sin(angle)
        of_other = math.sin(share * angle) / math.sin(angle)
    x, y, z, w = (of_one * a + of_other * b for a, b in zip(one, other, strict=True))
    at = (ax + share * (bx - ax), ay + share * (by - ay), az + share * (bz - az))
    return pose(at, unit((x, y, z, w)))
