"""Twenty attempts to make two arms collide: with each other, the body, walls and a box; slow, fast, by force.

Paper 001, figure 5, in kind: there an operator tried by hand; here people of springs and masses do, and
commands that know nothing of walls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from pilothouse.experiments.twin.stage import LEFT, RIGHT, Person, TwinStage
from resources.arms.pose import Vector3
from resources.twin.twin import Coupling
from resources.types.motion import Guide, MotionCommand, TrackJoints, TrackTwist, Vector6

Array = NDArray[np.float64]

LASTS_S: Final = 2.4
EVERY_S: Final = 0.004  # distances are taken so often

# What holds an arm that nobody pushes.
_STILL: Vector6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Attempt(msgspec.Struct, frozen=True):
    """One way to try. Arms without a twist [m/s, rad/s], or joint speeds, are guided, unless they hold."""

    what: str
    people: tuple[Person, ...] = ()
    twists: tuple[Vector6 | None, Vector6 | None] = (None, None)
    holds: tuple[bool, bool] = (False, False)
    turns: tuple[float, float] = (0.0, 0.0)  # of the first joint [rad/s]


def _hand(side: str, to: Vector3, speed: float, force_n: float) -> Person:
    return Person(f"{side}hand", to, speed, force_n)


_MIDDLE: Final[Vector3] = (0.45, 0.0, 0.55)
_TO_BODY: Final[Vector3] = (-0.2, 0.0, 0.6)


def _both(speed: float, force_n: float) -> tuple[Person, ...]:
    return _hand(LEFT, _MIDDLE, speed, force_n), _hand(RIGHT, _MIDDLE, speed, force_n)


ATTEMPTS: Final = (
    Attempt("hand to hand, slow, 50 N", _both(0.2, 50.0)),
    Attempt("hand to hand, fast, 100 N", _both(0.8, 100.0)),
    Attempt(
        "hand to a held hand, 100 N", (_hand(LEFT, (0.55, -0.32, 0.6), 0.5, 100.0),), holds=(False, True)
    ),
    Attempt(
        "hand to the other forearm, 80 N", (_hand(RIGHT, (0.25, 0.32, 0.75), 0.6, 80.0),), holds=(True, False)
    ),
    Attempt(
        "forearm to forearm, 100 N",
        (
            Person(f"{LEFT}link4", (0.1, 0.0, 0.65), 0.4, 100.0),
            Person(f"{RIGHT}link4", (0.1, 0.0, 0.65), 0.4, 100.0),
        ),
    ),
    Attempt(
        "elbow to a held elbow, fast, 100 N",
        (Person(f"{LEFT}link5", (0.1, -0.32, 0.7), 0.8, 100.0),),
        holds=(False, True),
    ),
    Attempt("left hand to the body, slow, 50 N", (_hand(LEFT, _TO_BODY, 0.2, 50.0),)),
    Attempt("left hand to the body, fast, 100 N", (_hand(LEFT, _TO_BODY, 0.8, 100.0),)),
    Attempt("right elbow to the body, 100 N", (Person(f"{RIGHT}link4", (-0.1, 0.0, 0.65), 0.5, 100.0),)),
    Attempt(
        "both hands to the body, 100 N",
        (_hand(LEFT, _TO_BODY, 0.5, 100.0), _hand(RIGHT, _TO_BODY, 0.5, 100.0)),
    ),
    Attempt("hand down to the table, 50 N", (_hand(LEFT, (0.55, 0.32, 0.0), 0.3, 50.0),)),
    Attempt("hand down to the table, fast, 100 N", (_hand(RIGHT, (0.55, -0.32, 0.0), 1.0, 100.0),)),
    Attempt("hand to the side, fast, 100 N", (_hand(LEFT, (0.5, 1.0, 0.5), 1.0, 100.0),)),
    Attempt("hand forward, 80 N", (_hand(RIGHT, (1.2, -0.32, 0.6), 0.6, 80.0),)),
    Attempt("hand into the box, fast, 100 N", (_hand(LEFT, (0.45, 0.0, 0.2), 0.8, 100.0),)),
    Attempt("hand to its own foot, 80 N", (_hand(RIGHT, (0.0, -0.32, 0.15), 0.5, 80.0),)),
    Attempt(
        "both told to meet, at 1 m/s",
        twists=((0.0, -1.0, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0, 0.0, 0.0)),
    ),
    Attempt("told into the table, at 1 m/s", twists=((0.0, 0.0, -1.0, 0.0, 0.0, 0.0), _STILL)),
    Attempt("told into the side wall, turning at 1.3 rad/s", turns=(1.3, -1.3)),
    Attempt(
        "one told across, pushed on with 100 N",
        (_hand(LEFT, (0.5, -0.4, 0.5), 0.8, 100.0),),
        twists=((0.0, -0.6, 0.0, 0.0, 0.0, 0.0), _STILL),
    ),
)


class Course(msgspec.Struct, frozen=True):
    """What became of an attempt: distances [m] every EVERY_S, the greatest push [N].

    surfaces (n,): the shortest between surfaces; kept (n,): what is left of it outside of kept margins.
    """

    surfaces: Array
    kept: Array
    push_n: float


def tried(
    attempt: Attempt,
    *,
    guarded: bool = True,
    coupling: Coupling | None = None,
    lasts_s: float = LASTS_S,
    each: Callable[[TwinStage], None] | None = None,
) -> Course:
    """Try it. `each`: called after every step."""
    stage = TwinStage(attempt.people, guarded=guarded, coupling=coupling)
    surfaces, kept = [], []
    push = 0.0
    for period in range(round(lasts_s / EVERY_S)):
        for arm, controller in enumerate(stage.controllers):
            command = _command(attempt, arm, stage.now_s)
            if command is not None and (period == 0 or not isinstance(command, Guide)):
                controller.begin(command, stage.now_s, stage.now_s)
        for _ in range(round(EVERY_S * 1000)):
            stage.step()
            push = max(push, stage.push_n)
            if each is not None:
                each(stage)
        now = stage.clearance()
        surfaces.append(now[0])
        kept.append(now[1])
    return Course(np.array(surfaces), np.array(kept), push)


def _command(attempt: Attempt, arm: int, now_s: float) -> MotionCommand | None:
    twist, turn = attempt.twists[arm], attempt.turns[arm]
    if twist is not None:
        return TrackTwist(twist)
    if turn:
        from pilothouse.testbed.arm_stage import HOME

        first, *others = HOME
        q2, q3, q4, q5, q6, q7 = others
        # Ahead of what it can reach, so that it is pressed on.
        return TrackJoints((first + turn * now_s, q2, q3, q4, q5, q6, q7), (turn, 0, 0, 0, 0, 0, 0))
    return None if attempt.holds[arm] else Guide()
