"""What keeps a base from driving: the newest scans of the scanners that guard it. Pure.

Without a fresh scan of every one of its scanners a base does not move at all.
"""

from __future__ import annotations

import math
from collections import deque

import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.controllers.protective_field import (
    Braking,
    Outline,
    Points,
    Sector,
    Twist,
    allowance,
    unseen_share,
)

Odometry = tuple[float, float, float]
"""x, y [m], yaw [rad, not wrapped] of the base in the odometry frame."""

MAX_SCAN_AGE_S = 0.3
"""An older scan says nothing of what is there now [s]."""

_AHEAD_S = 0.05  # a scan may come just after the moment that is looked at; one of the future would never age

CRAWL = 0.15
"""How fast an edge may advance to where no scanner looks [m/s]."""

_LOWEST_M, _HIGHEST_M = 0.05, 1.5  # above the floor: what is lower or higher is no obstacle to the base
_LEVEL = 0.99  # cosine: scanners tilted further sweep a plane, but guard no direction
_REMEMBERED_S = 1.0
_NOTHING = 0.02  # a share of the twist below which it does not count as driving


class ScanSeen(msgspec.Struct, frozen=True, eq=False):
    """One scan. points: (n, 3) in the odometry frame; odometry_T_scanner: (4, 4), when it was taken."""

    stamp_s: float
    points: NDArray[np.float64]
    odometry_T_scanner: NDArray[np.float64]
    angle_min: float
    angle_max: float


class Ruling(msgspec.Struct, frozen=True):
    """What the guard says to a twist: how much of it may be driven, and why not all, or "".

    is_blind: a scanner tells nothing now.
    """

    share: float
    words: str = ""
    is_blind: bool = False


class BaseGuard:
    """Keeps scans and rules on twists. outline: what has to fit."""

    def __init__(self, outline: Outline, braking: Braking) -> None:
        self.outline = outline
        self._scanners: tuple[str, ...] = ()
        self._braking = braking
        self._scans: dict[str, ScanSeen] = {}
        self._sectors: dict[str, Sector] = {}
        self._way: deque[tuple[float, Odometry]] = deque()

    @property
    def scanners(self) -> tuple[str, ...]:
        """Those that guard the base now, and must be fresh. What one saw that leaves is forgotten."""
        return self._scanners

    @scanners.setter
    def scanners(self, names: tuple[str, ...]) -> None:
        for name in set(self._scanners) - set(names):
            self._scans.pop(name, None)
            self._sectors.pop(name, None)  # nobody looks there any more
        self._scanners = names

    def moved(self, odometry: Odometry, now_s: float) -> None:
        """Where the base is now: a scan arrives later than it was taken, and has to be placed."""
        self._way.append((now_s, odometry))
        while self._way[0][0] < now_s - _REMEMBERED_S:
            self._way.popleft()

    def see(self, scanner: str, scan: ScanSeen) -> None:
        """A new scan; of one that does not guard the base it is passed over."""
        if scanner not in self._scanners:
            return
        self._scans[scanner] = scan
        sector = self._sector(scan)
        if sector is None:
            self._sectors.pop(scanner, None)
        else:
            self._sectors[scanner] = sector

    def blind(self, now_s: float) -> str:
        """Which scanner does not see now, in words, or ""."""
        if not self.scanners:
            return "no scanner guards the base"
        for name in self.scanners:
            scan = self._scans.get(name)
            if scan is None:
                return f"the {_spoken(name)} has given no scan yet"
            age_s = now_s - scan.stamp_s
            if age_s < -_AHEAD_S:
                return f"the scan of the {_spoken(name)} is stamped {-age_s:.1f} s ahead of now"
            if not age_s <= MAX_SCAN_AGE_S:
                return f"the scan of the {_spoken(name)} is {age_s:.1f} s old"
        return ""

    def rule(self, twist: Twist, odometry: Odometry, now_s: float) -> Ruling:
        """How much of a twist may be driven from where the base is now."""
        if not any(twist):
            return Ruling(1.0)
        if blind := self.blind(now_s):
            return Ruling(0.0, blind, is_blind=True)
        share = unseen_share(tuple(self._sectors.values()), twist, self.outline, CRAWL)
        for name in self.scanners:
            points = self._around(self._scans[name], odometry)
            allowed = allowance(points, twist, self.outline, self._braking)
            if allowed.share <= _NOTHING:
                return Ruling(0.0, self._words(name, points[allowed.culprit]))
            share = min(share, allowed.share)
        return Ruling(share)

    def _around(self, scan: ScanSeen, odometry: Odometry) -> Points:
        """The points of a scan that are in the base's way, as it stands now, (n, 2)."""
        x, y, yaw = odometry
        points = scan.points
        points = points[(points[:, 2] > _LOWEST_M) & (points[:, 2] < _HIGHEST_M)]
        cos, sin = math.cos(yaw), math.sin(yaw)
        dx, dy = points[:, 0] - x, points[:, 1] - y
        return np.column_stack([cos * dx + sin * dy, cos * dy - sin * dx])

    def _sector(self, scan: ScanSeen) -> Sector | None:
        pose = scan.odometry_T_scanner
        if abs(pose[2, 2]) < _LEVEL or not self._way:
            return None
        x, y, yaw = min(self._way, key=lambda entry: abs(entry[0] - scan.stamp_s))[1]
        cos, sin = math.cos(yaw), math.sin(yaw)
        dx, dy = float(pose[0, 3]) - x, float(pose[1, 3]) - y
        heading = math.atan2(float(pose[1, 0]), float(pose[0, 0])) - yaw
        lower, upper = scan.angle_min, scan.angle_max
        if pose[2, 2] < 0:  # it hangs upside down, and turns the other way
            lower, upper = -upper, -lower
        return Sector(cos * dx + sin * dy, cos * dy - sin * dx, heading + lower, heading + upper)

    def _words(self, scanner: str, point: NDArray[np.float64]) -> str:
        x, y = float(point[0]), float(point[1])
        distance_m = max(float(self.outline.distances(np.array(x), np.array(y))), 0.0)
        # As seen from the outline's corners: what is beside a long base is beside it, not half ahead.
        x, y = x - self.outline.x_m, y - self.outline.y_m
        across = abs(y) / self.outline.width_m - abs(x) / self.outline.length_m
        where = ("to the left" if y > 0 else "to the right") if across > 0 else "ahead" if x > 0 else "behind"
        return f"the {_spoken(scanner)} sees something {distance_m:.1f} m {where}"


def _spoken(name: str) -> str:
    return name.replace("_", " ")
