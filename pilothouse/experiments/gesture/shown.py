"""What is read of generated hands: in single pictures, when a gesture is held, and when nobody shows any."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.definition import Progress
from pilothouse.experiments.gesture.hands import some_bones
from pilothouse.experiments.gesture.motion import Key, Pictures, moving, turn_for
from pilothouse.experiments.gesture.poses import GESTURES, OTHERS, Make
from resources.gestures.fingers import measured
from resources.gestures.holding import RULES, Holding, HoldRules
from resources.gestures.reading import placed
from resources.gestures.shapes import FITTED, Edges, chosen, confidences
from resources.types.gestures import Gesture, GestureKind, TrackedHand, landmarks

Array = NDArray[np.float64]

SET_A, SET_B = 1, 2
"""Second words of the seeds: constants are fitted on A (`fitting.py`), figures are of B."""

EVERY: Final[dict[str, Make]] = {**{str(kind): make for kind, make in GESTURES.items()}, **OTHERS}

SHOWN_S: Final = 1.0
"""So long a gesture is held in a trial [s]."""

SHORTEST_S, LONGEST_S = 0.6, 2.0
"""How long other poses are kept [s]."""

FLASHES: Final = 0.12
"""Such a share of other poses is a gesture that is shown for less than FLASH_S: too short to be meant."""
FLASH_S: Final = 0.25

#: From one pose to the next [s]; to a flash and from it.
_GOES_S: Final = (0.2, 0.6)
_FLASH_GOES_S: Final = 0.2

#: From the picture to whoever reads it [s].
_LATE_S: Final = 0.04

_TRACKERS_OWN: Final = 0.95


class Frames(msgspec.Struct, frozen=True, eq=False):
    """Single pictures, each of another person. points (n, 21, 3), up (n, 3); bends (n, 4): true [rad]."""

    names: tuple[str, ...]
    points: Array
    up: Array
    bends: Array


def frames(random: np.random.Generator, each: int, progress: Progress | None = None) -> Frames:
    """So many of every pose."""
    names: list[str] = []
    rows: list[tuple[Array, Array, Array]] = []
    for name, make in EVERY.items():
        for _ in range(each):
            bones = some_bones(random)
            shape = make(bones, random)
            picture = moving(bones, (Key(shape, turn_for(name, bones, shape, random), 0.04, 0.0),), random)
            names.append(name)
            rows.append((picture.points[0], picture.up, shape.fingers[:, :3].sum(axis=1)))
        if progress is not None:
            progress.step()
    points, up, bends = (np.stack(column) for column in zip(*rows, strict=True))
    return Frames(tuple(names), points, up, bends)


def read_frames(shown: Frames, edges: Edges = FITTED) -> tuple[GestureKind, ...]:
    """What each picture is taken for."""
    return tuple(chosen(sure).kind for sure in confidences(measured(shown.points), shown.up, edges))


def held_trial(kind: GestureKind, random: np.random.Generator) -> Pictures:
    """Somebody lifts a relaxed hand, holds a gesture for SHOWN_S, and lets it down."""
    bones = some_bones(random)
    shape = GESTURES[kind](bones, random)
    turn = turn_for(kind, bones, shape, random)
    before, after = (OTHERS["relaxed"](bones, random) for _ in range(2))
    keys = (Key(before, turn, 0.4, 0.3), Key(shape, turn, SHOWN_S, 0.3), Key(after, turn, 0.4, 0.0))
    return moving(bones, keys, random)


def idle_stream(length_s: float, random: np.random.Generator) -> Pictures:
    """Somebody does other things with a hand, and now and then flashes a gesture without meaning it."""
    bones = some_bones(random)
    keys: list[Key] = []
    lasts_s, is_flash = 0.0, False
    names, kinds = list(OTHERS), list(GESTURES)
    while lasts_s < length_s:
        is_flash = (
            not is_flash and random.random() < FLASHES
        )  # two of the same in a row would be one that is held
        name = kinds[random.integers(len(kinds))] if is_flash else names[random.integers(len(names))]
        shape = EVERY[name](bones, random)
        stays_s = random.uniform(0.0, FLASH_S) if is_flash else random.uniform(SHORTEST_S, LONGEST_S)
        goes_s = _FLASH_GOES_S if is_flash else random.uniform(*_GOES_S)
        if is_flash and keys:
            keys[-1] = msgspec.structs.replace(keys[-1], goes_s=_FLASH_GOES_S)
        keys.append(Key(shape, turn_for(name, bones, shape, random), stays_s, goes_s))
        lasts_s += stays_s + goes_s
    return moving(bones, keys, random)


def events(pictures: Pictures, rules: HoldRules = RULES, edges: Edges = FITTED) -> tuple[Gesture, ...]:
    """What comes of them."""
    found = measured(pictures.points)
    sure = confidences(found, pictures.up, edges)
    holding = Holding(rules)
    out: list[Gesture] = []
    for time_s, rows, each, centre, size_m in zip(
        pictures.times.tolist(),
        pictures.points.tolist(),
        sure,
        found.centre.tolist(),
        found.size.tolist(),
        strict=True,
    ):
        hand = TrackedHand(pictures.side, "camera", time_s, _TRACKERS_OWN, landmarks(rows))
        out.extend(holding.saw((placed(hand, chosen(each), centre, size_m),), time_s + _LATE_S))
    return tuple(out)
