"""What becomes of "look at that cup" and a ray: by the code that the console uses, with generated rays.

Things stand side by side around whoever points, so many degrees apart. The ray is off by NOISE in each of its
two angles: half of that variance is aim, the same as long as somebody points, half is new with each ray, and
`resources.gestures.rays.mean_ray` over MEAN_S makes that small. `managers.pointing` says what may be meant
and `framework.dialogue.pointing` what is: answered, right or wrong, or asked back.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
import numpy as np

from framework.dialogue.pointing import AFTER_S, BEFORE_S, Fits, Resolved, resolve
from framework.dialogue.values import Place
from framework.plan.ast import Do, Plan, Reference
from framework.plan.instruction import Instruction, Pointing, SpokenWord
from managers.pointing import pointed_at
from resources.gestures.offset import Pair, PointingOffset, corrected, fitted
from resources.gestures.rays import mean_ray
from resources.types.context import KnownThing, ThingKind
from resources.types.whereabouts import Point, Ray

NOISE: Final = math.radians(3.0)
APART_DEG: Final = (10, 15, 20)

THINGS: Final = 5
FAR_M: Final = 2.0
SIZE_M: Final = 0.1
NOUNS: Final = ("cup", "drum")

RATE_HZ: Final = 30.0
MEAN_S: Final = 0.33
EVERY_S: Final = 0.2
"""So often rays are looked at while somebody points [s]."""

_EYE: Final[Point] = (0.0, 0.0, 1.3)
_BELOW: Final = math.radians(-10.0)
_SAID_S: Final = 10.0
_PLAN: Final = Do("look_at", {"target": Reference("that", is_pointing=True)})


class Outcomes(msgspec.Struct):
    """Of so many tries."""

    right: int = 0
    wrong: int = 0
    asked: int = 0

    @property
    def tries(self) -> int:
        return self.right + self.wrong + self.asked


def tried(
    apart_deg: float, tries: int, random: np.random.Generator, *, aim_share: float = 0.5
) -> dict[bool, Outcomes]:
    """The same rays with "that cup" (True) and with "that" (False). aim_share: of the noise's variance."""
    outcomes = {True: Outcomes(), False: Outcomes()}
    for _ in range(tries):
        things = _things(apart_deg, random)
        target = things[random.integers(THINGS)]
        seen = _pointings(target, things, random, aim_share)
        instruction = Instruction("", t_s=_SAID_S, pointing=seen, words=(SpokenWord("that", _SAID_S),))
        for is_named, outcome in outcomes.items():
            found = resolve(_PLAN, instruction, _SAID_S, _fits(target if is_named else None))
            if not isinstance(found, Resolved):
                outcome.asked += 1
            elif found.plan == Do("look_at", {"target": target.name}):
                outcome.right += 1
            else:
                outcome.wrong += 1
    return outcomes


def _things(apart_deg: float, random: np.random.Generator) -> tuple[KnownThing, ...]:
    first = math.radians(random.uniform(-60.0, 60.0))
    things = []
    for number in range(THINGS):
        x, y, z = _way(first + number * math.radians(apart_deg), _BELOW)
        pose = (_EYE[0] + FAR_M * x, _EYE[1] + FAR_M * y, _EYE[2] + FAR_M * z, 0.0, 0.0, 0.0, 1.0)
        noun = NOUNS[random.integers(len(NOUNS))]
        things.append(KnownThing(f"{noun}_{number}", ThingKind.OBJECT, pose, (SIZE_M,) * 3))
    return tuple(things)


def _pointings(
    target: KnownThing, things: tuple[KnownThing, ...], random: np.random.Generator, aim_share: float
) -> tuple[Pointing, ...]:
    assert target.world_T_thing is not None
    azimuth, elevation = _angles(target.world_T_thing[:3])
    aim = random.normal(0.0, NOISE * math.sqrt(aim_share), 2)
    count = round((BEFORE_S + AFTER_S + MEAN_S) * RATE_HZ)
    jitter = random.normal(0.0, NOISE * math.sqrt(1.0 - aim_share), (count, 2))
    # An angle of the azimuth is larger than what it makes in the direction.
    rays: list[Ray] = [
        (*_EYE, *_way(azimuth + off / math.cos(elevation), elevation + raised))
        for off, raised in (aim + jitter).tolist()
    ]
    window, step = round(MEAN_S * RATE_HZ), round(EVERY_S * RATE_HZ)
    found: list[Pointing] = []
    for end in range(window, count + 1, step):
        ray = mean_ray(rays[end - window : end])
        if ray is not None:
            found += pointed_at(ray, things, _SAID_S - BEFORE_S + (end - window) / RATE_HZ)
    return tuple(found)


def _fits(named: KnownThing | None) -> Fits:
    """What fits "that", or "that cup" if the thing that is meant is named."""

    def fits(plan: Plan, place: Place, thing: str) -> tuple[str, ...]:
        return (thing,) if named is None or thing.split("_")[0] == named.name.split("_")[0] else ()

    return fits


class OffsetErrors(msgspec.Struct, frozen=True):
    """Means over people [°]: how far their bias alone leads a ray astray, without and with offset."""

    before_deg: float
    after_deg: float


def biased_people(people: int, pairs: int, random: np.random.Generator) -> OffsetErrors:
    """People with a bias each, measured by so many pairs with NOISE in each angle."""
    before, after = [], []
    for _ in range(people):
        constant = random.normal(0.0, np.radians((8.0, 5.0)))
        shares = random.normal(0.0, 0.1, (2, 2))

        def ray_to(azimuth: float, elevation: float, noise: float) -> tuple[Ray, Point]:
            angles = np.array([azimuth, elevation])
            seen = angles + constant + shares @ angles + random.normal(0.0, noise, 2)  # noqa: B023
            x, y, z = _way(azimuth, elevation)
            target = (_EYE[0] + FAR_M * x, _EYE[1] + FAR_M * y, _EYE[2] + FAR_M * z)
            return (*_EYE, *_way(float(seen[0]), float(seen[1]))), target

        def place() -> tuple[float, float]:
            return math.radians(random.uniform(-40.0, 40.0)), math.radians(random.uniform(-30.0, 10.0))

        offset = fitted(Pair(*ray_to(*place(), NOISE)) for _ in range(pairs))
        for _ in range(10):
            ray, target = ray_to(*place(), 0.0)
            before.append(_off(ray, target, PointingOffset()))
            after.append(_off(ray, target, offset))
    return OffsetErrors(float(np.degrees(np.mean(before))), float(np.degrees(np.mean(after))))


def _off(ray: Ray, target: Point, offset: PointingOffset) -> float:
    way = corrected(ray, offset)[3:]
    to = [there - here for there, here in zip(target, ray[:3], strict=True)]
    cosine = sum(a * b for a, b in zip(way, to, strict=True)) / (math.hypot(*way) * math.hypot(*to))
    return math.acos(max(-1.0, min(1.0, cosine)))


def _angles(point: tuple[float, ...]) -> tuple[float, float]:
    x, y, z = (there - here for there, here in zip(point, _EYE, strict=True))
    return math.atan2(y, x), math.atan2(z, math.hypot(x, y))


def _way(azimuth: float, elevation: float) -> Point:
    flat = math.cos(elevation)
    return flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation)
