"""How still the rays of tracked hands are: of hands that point and do not move, with the tracker's noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from pilothouse.experiments.gesture.hands import some_bones
from pilothouse.experiments.gesture.motion import RATE_HZ, Key, moving, turn_for
from pilothouse.experiments.gesture.pointing import MEAN_S
from pilothouse.experiments.gesture.poses import point
from resources.gestures.rays import finger_ray, mean_ray, wrist_ray
from resources.types.gestures import GestureKind, TrackedHand, landmarks
from resources.types.whereabouts import Ray

STILL_S = 10.0


class RayNoise(msgspec.Struct, frozen=True):
    """How far rays are from their hand's mean over STILL_S, rms [°]: single ones, means over MEAN_S."""

    single_deg: float
    mean_deg: float


def ray_noise(hands: int, random: np.random.Generator) -> tuple[RayNoise, RayNoise]:
    """Of finger rays and of wrist rays, over so many people."""
    single: tuple[list[float], list[float]] = ([], [])
    mean: tuple[list[float], list[float]] = ([], [])
    makers: tuple[Callable[[TrackedHand], Ray | None], ...] = (finger_ray, wrist_ray)
    for _ in range(hands):
        bones = some_bones(random)
        shape = point(bones, random)
        turn = turn_for(GestureKind.POINT, bones, shape, random)
        pictures = moving(bones, (Key(shape, turn, STILL_S, 0.0),), random)
        seen = [
            TrackedHand(pictures.side, "camera", time_s, 1.0, landmarks(rows))
            for time_s, rows in zip(pictures.times.tolist(), pictures.points.tolist(), strict=True)
        ]
        for way, make in enumerate(makers):
            rays = [make(hand) for hand in seen]
            known = [ray for ray in rays if ray is not None]
            middle = np.mean([ray[3:] for ray in known], axis=0)
            single[way].extend(_off(known, middle.tolist()))
            window = round(MEAN_S * RATE_HZ)
            parts = (rays[start : start + window] for start in range(0, len(rays) - window, window))
            means = (mean_ray([ray for ray in part if ray is not None]) for part in parts)
            mean[way].extend(_off([ray for ray in means if ray is not None], middle.tolist()))
    return RayNoise(_rms(single[0]), _rms(mean[0])), RayNoise(_rms(single[1]), _rms(mean[1]))


def _off(rays: Sequence[Ray], middle: Sequence[float]) -> list[float]:
    length = math.hypot(*middle)
    cosines = (sum(a * b for a, b in zip(ray[3:], middle, strict=True)) / length for ray in rays)
    return [math.degrees(math.acos(max(-1.0, min(1.0, cosine)))) for cosine in cosines]


def _rms(values: Sequence[float]) -> float:
    return math.sqrt(sum(value * value for value in values) / len(values))
