"""A world of a thousand known objects, and instructions about them: how long one takes to parse there."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from typing import Final

from framework.plan.parser import Known, Parser, Understood, World
from pilothouse.experiments.definition import Figures, Progress

OBJECTS: Final = 1000
SENTENCES: Final = 1500
KINDS: Final = ("world.things", "world.objects", "world.known")
"""The providers that know all of them: what can be followed, what can be picked, what has a place."""

COLOURS: Final = [
    "red",
    "blue",
    "green",
    "yellow",
    "black",
    "white",
    "grey",
    "orange",
    "brown",
    "purple",
    "pink",
    "silver",
    "golden",
    "dark red",
    "dark blue",
    "dark green",
    "light blue",
    "light green",
    "striped",
    "transparent",
]
NOUNS: Final = [
    "cup",
    "bottle",
    "box",
    "plate",
    "bowl",
    "glass",
    "mug",
    "jug",
    "can",
    "jar",
    "tin",
    "lid",
    "pan",
    "pot",
    "spoon",
    "fork",
    "knife",
    "brush",
    "cloth",
    "sponge",
    "bucket",
    "crate",
    "bin",
    "bag",
    "case",
    "pipe",
    "hose",
    "pump",
    "gauge",
    "lamp",
    "cable",
    "plug",
    "switch",
    "screw",
    "bolt",
    "nut",
    "wrench",
    "hammer",
    "drill",
    "saw",
    "file",
    "ruler",
    "tape",
    "rope",
    "hook",
    "handle",
    "wheel",
    "gear",
    "motor",
    "sensor",
]
FORMS: Final = (
    "show me the {one}",
    "could you let me see the {one} please",
    "keep an eye on the {one}",
    "where is the {one}",
    "remember where the {one} is as spot",
    "show the {one} and describe the {two}",
    "track the {one} and show it on the screen",
    "follow the {one} until it is closer than thirty centimetres",
    "wait ten seconds then show the {one}, then track the {two}",
    "show the environment while tracking the {one}",
    "if you can see the {one} track it otherwise wait ten seconds then show the scan",
    "when the door is open show the {one} for twenty seconds, then describe the {two}",
    "track the {one} as long as the {two} is visible, then show the camera until I say stop",
    "stop tracking the {one} and show me the {two}",
    "what can you do with the {one}",
)


class Crowded:
    """A world, and many more things in it."""

    def __init__(self, world: World, things: Iterable[Known]) -> None:
        self._world = world
        self._things = tuple(things)
        self._known: dict[str, tuple[Known, ...]] = {}

    def known(self, kind: str) -> tuple[Known, ...]:
        """The world's own, and the many if they are of this kind."""
        if kind not in self._known:
            known = self._world.known(kind)
            new = tuple(thing for thing in self._things if thing not in known)
            self._known[kind] = (*known, *new) if kind in KINDS else known
        return self._known[kind]

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of these."""
        return tuple(known.name for known in self.known(kind))


def things(count: int = OBJECTS) -> tuple[Known, ...]:
    """So many different things. Raises ValueError for more than there are words for."""
    names = [f"{colour} {noun}" for noun in NOUNS for colour in COLOURS]
    if count > len(names):
        raise ValueError(f"there are words for {len(names)} things, not for {count}")
    return tuple(Known(name, name) for name in names[:count])


def sentences(count: int, seed: int) -> list[str]:
    """Instructions about them: all forms in turn, things drawn."""
    draw = random.Random(seed)
    names = [known.name for known in things()]
    return [
        FORMS[number % len(FORMS)].format(one=draw.choice(names), two=draw.choice(names))
        for number in range(count)
    ]


def measure_crowd(parser: Parser, world: World, progress: Progress, seed: int) -> Figures:
    """Median and 99th percentile of the processor time of one parse [ms], and of the time on the wall.

    The first parse gets to know the world; it is measured by itself.
    """
    crowded = Crowded(world, things())
    texts = sentences(SENTENCES, seed)
    progress.begin(f"parsing among {OBJECTS} known objects", len(texts))
    begun_s = time.perf_counter()
    parser.parse(texts[0], crowded)
    first_ms = 1e3 * (time.perf_counter() - begun_s)
    for text in texts[: 2 * len(FORMS)]:
        parser.parse(text, crowded)
    times_ms: list[float] = []
    wall_ms: list[float] = []
    understood = 0
    for text in texts:
        begun_s, begun_wall_s = time.thread_time(), time.perf_counter()
        answer = parser.parse(text, crowded)
        times_ms.append(1e3 * (time.thread_time() - begun_s))
        wall_ms.append(1e3 * (time.perf_counter() - begun_wall_s))
        understood += isinstance(answer, Understood)
        progress.step()
    return {
        "parse_ms_p50_1000": quantile(times_ms, 0.5),
        "parse_ms_p99_1000": quantile(times_ms, 0.99),
        "parse_wall_ms_p99_1000": quantile(wall_ms, 0.99),
        "parse_understood_pct_1000": 100.0 * understood / len(texts),
        "parse_ms_new_world_1000": first_ms,
    }


def quantile(values: Sequence[float], part: float) -> float:
    """The value below which this part of all lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
