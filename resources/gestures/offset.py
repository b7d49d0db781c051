"""A person's own pointing bias, measured from a few things they were asked to point at, and taken off again.

People do not point where their finger does: the error is systematic, of some degrees, and differs from person
to person (Mayer et al., Modeling distant pointing for compensating systematic displacements, CHI 2015, who
fit polynomials of two angles). Here each of the two angles is off by a constant and a share of both:

    Δazimuth = a₀ + a₁ (azimuth − about) + a₂ elevation
    Δelevation = e₀ + e₁ (azimuth − about) + e₂ elevation

Fitted by least squares with a prior (ridge): from few pairs little is learned, from none nothing. Angles
are in the robot's frame, azimuth about its z axis, seen from where the ray begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import msgspec
import numpy as np

from resources.types.whereabouts import Point, Ray

Angles = tuple[float, float, float]

MOST_RAD: Final = math.radians(25.0)
"""No ray is turned further than this in either angle."""

#: What is expected before anything was measured: noise of one pointing, size of the constant, and of a share.
_NOISE_RAD: Final = math.radians(3.0)
_CONSTANT_RAD: Final = math.radians(8.0)
_SHARE: Final = 0.1

#: So steep a ray has no azimuth worth the name [rad]; and so near a target is in no direction [m].
_STEEPEST_RAD: Final = math.radians(80.0)
_NEAREST_M: Final = 0.05


class Pair(msgspec.Struct, frozen=True):
    """Somebody pointed along `ray` at something that is at `target`; both in the robot's frame."""

    ray: Ray
    target: Point


class PointingOffset(msgspec.Struct, frozen=True):
    """What has to be added to a ray's angles. about_rad: the azimuth around which it was measured.

    azimuth, elevation: constant [rad], then the shares of azimuth and elevation. pairs: it is from so many.
    """

    about_rad: float = 0.0
    azimuth: Angles = (0.0, 0.0, 0.0)
    elevation: Angles = (0.0, 0.0, 0.0)
    pairs: int = 0


def fitted(pairs: Iterable[Pair]) -> PointingOffset:
    """The offset of a person. Pairs in which there is no direction, or a nearly vertical one, say nothing."""
    rows = [(seen, true) for pair in pairs if (seen := _angles(pair.ray)) and (true := _true(pair))]
    if not rows:
        return PointingOffset()
    about = math.atan2(sum(math.sin(seen[0]) for seen, _ in rows), sum(math.cos(seen[0]) for seen, _ in rows))
    made = np.array([(1.0, _wrapped(seen[0] - about), seen[1]) for seen, _ in rows])  # (n, 3)
    off = np.array([(_wrapped(true[0] - seen[0]), true[1] - seen[1]) for seen, true in rows])  # (n, 2)
    prior = np.diag([(_NOISE_RAD / _CONSTANT_RAD) ** 2, *([(_NOISE_RAD / _SHARE) ** 2] * 2)])
    learned = np.linalg.solve(made.T @ made + prior, made.T @ off)  # (3, 2)
    azimuth, elevation = ((float(a), float(b), float(c)) for a, b, c in learned.T)
    return PointingOffset(about, azimuth, elevation, len(rows))


def corrected(ray: Ray, offset: PointingOffset) -> Ray:
    """The ray as it was meant; as it came, if it has no direction or a nearly vertical one."""
    angles = _angles(ray)
    if angles is None:
        return ray
    beside = max(-math.pi / 2, min(math.pi / 2, _wrapped(angles[0] - offset.about_rad)))
    azimuth, elevation = (
        max(-MOST_RAD, min(MOST_RAD, of[0] + of[1] * beside + of[2] * angles[1]))
        for of in (offset.azimuth, offset.elevation)
    )
    azimuth, elevation = angles[0] + azimuth, max(-math.pi / 2, min(math.pi / 2, angles[1] + elevation))
    flat = math.cos(elevation)
    return (*ray[:3], flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation))


def _angles(ray: Ray) -> tuple[float, float] | None:
    """Azimuth and elevation of a direction [rad]."""
    x, y, z = ray[3:]
    if not all(map(math.isfinite, ray)) or math.hypot(x, y, z) < 1e-9:
        return None
    elevation = math.atan2(z, math.hypot(x, y))
    return (math.atan2(y, x), elevation) if abs(elevation) <= _STEEPEST_RAD else None


def _true(pair: Pair) -> tuple[float, float] | None:
    here = pair.ray[:3]
    if not math.dist(here, pair.target) >= _NEAREST_M:
        return None
    x, y, z = (there - start for there, start in zip(pair.target, here, strict=True))
    return _angles((*here, x, y, z))


def _wrapped(angle: float) -> float:
    return math.remainder(angle, 2.0 * math.pi)
