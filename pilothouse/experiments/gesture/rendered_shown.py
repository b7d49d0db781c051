"""What is read of rendered hands through the real tracker: single pictures, held gestures, others, rays.

All of it by the code that runs in a robot: the tracker's own, in its environment, and `Watching` behind it.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Final

import msgspec
import numpy as np

from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.gesture.hands import some_bones
from pilothouse.experiments.gesture.motion import Array, Key, moved
from pilothouse.experiments.gesture.poses import GESTURES, OTHERS
from pilothouse.experiments.gesture.rendered import (
    CAMERA,
    Look,
    before_camera,
    rendered,
    some_middle,
    turn_before,
)
from pilothouse.experiments.gesture.shown import EVERY, LONGEST_S, SHORTEST_S, SHOWN_S
from pilothouse.experiments.intervals import rate_at_most, wilson
from resources.gestures.rays import wrist_ray
from resources.gestures.reading import seen
from resources.gestures.tracker_pipe import TrackerAtWork
from resources.gestures.watching import Watching
from resources.types.gestures import Gesture, GestureKind, Landmark, TrackedHand, encode_hands
from resources.types.whereabouts import Point, Ray

UP: Final[Point] = (0.0, -1.0, 0.0)
"""What is up before the camera."""

EVERY_PICTURE: Final = 2
"""Of the thirty a second every so many-th is looked at, as before a robot's camera."""

FIGURES: Final = (
    "rendered_found_pct",
    "rendered_frame_pct",
    "rendered_frame_pct_low",
    *(f"rendered_frame_pct_{kind.value}" for kind in GESTURES),
    "rendered_wrong_pct",
    "rendered_other_frame_pct",
    "rendered_held_pct",
    "rendered_held_pct_low",
    *(f"rendered_held_pct_{kind.value}" for kind in GESTURES),
    "rendered_held_other_pct",
    "rendered_false_per_min",
    "rendered_false_per_min_high",
    "rendered_ray_deg",
    "rendered_ray_deg_depth",
    "rendered_ray_pct_depth",
    "hand_ms",
)
"""All that is measured here."""


class Shown(msgspec.Struct):
    """What became of single pictures, by pose; how far rays were off, without and with depth [°]."""

    read: dict[str, Counter[GestureKind | None]]
    plain_deg: list[float]
    measured_deg: list[float]
    pointed: int = 0

    def count(self, name: str) -> int:
        return sum(self.read[name].values())


def rendered_figures(
    random: np.random.Generator, progress: Progress, *, hands: int, held: int, idle_s: float
) -> Figures:
    """All of them. hands: pictures of each pose; held: trials of each gesture. Raises PluginUnavailable."""
    progress.begin("rendered hands, single pictures", len(EVERY))
    with TrackerAtWork(CAMERA, follows=False) as tracker:
        shown = _shown(tracker, random, hands, progress)
    figures = _of_pictures(shown)
    with TrackerAtWork(CAMERA, follows=True) as tracker:
        figures |= _held(tracker, random, held, progress)
        figures |= _idle(tracker, random, idle_s, progress)
    return {name: figures[name] for name in FIGURES}


def _shown(tracker: TrackerAtWork, random: np.random.Generator, hands: int, progress: Progress) -> Shown:
    shown = Shown({name: Counter() for name in EVERY}, [], [])
    for name, make in EVERY.items():
        for _ in range(hands):
            bones = some_bones(random)
            turn = turn_before(name, bones, random)
            points = before_camera(bones, make(bones, random), turn, some_middle(random))
            found, _ = tracker.hands(*rendered(points, Look(random), random), anew=True)
            kind = seen(found[0], UP).kind if found else None
            shown.read[name][kind] += 1
            if name == GestureKind.POINT and kind is GestureKind.POINT:
                _note_rays(shown, found[0], points)
        progress.step()
    return shown


def _note_rays(shown: Shown, hand: TrackedHand, points: Array) -> None:
    shown.pointed += 1
    way = points[Landmark.INDEX_TIP] - points[Landmark.WRIST]
    for ray, noted in ((wrist_ray(hand), shown.plain_deg), (hand.ray, shown.measured_deg)):
        if ray is not None:
            noted.append(off_deg(ray, way))


def off_deg(ray: Ray, way: Array) -> float:
    """Between a ray and the way (3,) that it should go [°]."""
    cosine = float(np.dot(ray[3:], way) / np.linalg.norm(way))
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine))))


def _of_pictures(shown: Shown) -> Figures:
    total = sum(map(shown.count, shown.read))
    lost = sum(read[None] for read in shown.read.values())
    right = {kind: shown.read[kind][kind] for kind in GESTURES}
    tries = sum(map(shown.count, GESTURES))
    none = sum(shown.read[name][GestureKind.NONE] + shown.read[name][None] for name in OTHERS)
    wrong = (
        tries
        - sum(right.values())
        - sum(shown.read[kind][GestureKind.NONE] + shown.read[kind][None] for kind in GESTURES)
    )
    figures: Figures = {
        "rendered_found_pct": 100.0 * (total - lost) / total,
        "rendered_frame_pct": 100.0 * sum(right.values()) / tries,
        "rendered_frame_pct_low": 100.0 * wilson(sum(right.values()), tries)[0],
        "rendered_wrong_pct": 100.0 * wrong / tries,
        "rendered_other_frame_pct": 100.0 * none / sum(map(shown.count, OTHERS)),
        "rendered_ray_deg": _rms(shown.plain_deg),
        "rendered_ray_deg_depth": _rms(shown.measured_deg),
        "rendered_ray_pct_depth": (
            100.0 * len(shown.measured_deg) / shown.pointed if shown.pointed else None
        ),
    }
    return figures | {
        f"rendered_frame_pct_{kind.value}": 100.0 * count / shown.count(kind) for kind, count in right.items()
    }


def _held(tracker: TrackerAtWork, random: np.random.Generator, trials: int, progress: Progress) -> Figures:
    progress.begin("rendered hands, held gestures", len(GESTURES))
    right: dict[GestureKind, int] = {}
    other, took_s = 0, list[float]()
    for kind, make in GESTURES.items():
        right[kind] = 0
        for _ in range(trials):
            bones = some_bones(random)
            turn = turn_before(kind, bones, random)
            before, after = (OTHERS["relaxed"](bones, random) for _ in range(2))
            keys = (
                Key(before, turn, 0.4, 0.3),
                Key(make(bones, random), turn, SHOWN_S, 0.3),
                Key(after, turn, 0.4, 0.0),
            )
            came = _events(tracker, *moved(bones, keys), random, took_s)
            right[kind] += [each.kind for each in came] == [kind]
            other += sum(each.kind is not kind for each in came)
        progress.step()
    hits, tries = sum(right.values()), trials * len(GESTURES)
    figures: Figures = {
        "rendered_held_pct": 100.0 * hits / tries,
        "rendered_held_pct_low": 100.0 * wilson(hits, tries)[0],
        "rendered_held_other_pct": 100.0 * other / tries,
        "hand_ms": 1e3 * float(np.median(took_s)),
    }
    return figures | {f"rendered_held_pct_{kind.value}": 100.0 * hit / trials for kind, hit in right.items()}


def _idle(tracker: TrackerAtWork, random: np.random.Generator, idle_s: float, progress: Progress) -> Figures:
    """Somebody does other things with a hand, that are no gestures."""
    progress.begin("rendered hands that show nothing", 1)
    count, lasted_s = 0, 0.0
    names = list(OTHERS)
    while lasted_s < idle_s:
        bones = some_bones(random)
        turn = turn_before("", bones, random)
        keys = [
            Key(
                OTHERS[names[random.integers(len(names))]](bones, random),
                turn,
                random.uniform(SHORTEST_S, LONGEST_S),
                random.uniform(0.2, 0.6),
            )
            for _ in range(8)
        ]
        times, points = moved(bones, keys)
        count += len(_events(tracker, times, points, random, []))
        lasted_s += float(times[-1])
    progress.step()
    minutes = lasted_s / 60.0
    return {
        "rendered_false_per_min": count / minutes,
        "rendered_false_per_min_high": rate_at_most(count, minutes),
    }


def _events(
    tracker: TrackerAtWork, times: Array, points: Array, random: np.random.Generator, took_s: list[float]
) -> list[Gesture]:
    """What comes of a hand (n, 21, 3) that moves before the camera, about where it is."""
    look, middle = Look(random), some_middle(random)
    watching = Watching(UP, 0.0)
    events: list[Gesture] = []
    placed = points - points.mean(axis=(0, 1)) + middle
    for number in range(0, len(times), EVERY_PICTURE):
        found, took = tracker.hands(*rendered(placed[number], look, random), anew=number == 0)
        took_s.append(took)
        taken_s = 1.0 + float(times[number])
        hands = tuple(msgspec.structs.replace(hand, taken_s=taken_s) for hand in found)
        events += watching.picture(encode_hands(hands), taken_s).gestures
    return events


def _rms(values: list[float]) -> float | None:
    return math.sqrt(sum(value * value for value in values) / len(values)) if values else None
