"""Whether what came of a sentence is right, asked about, refused helpfully, or wrong. Pure.

right     one of the outcomes that the trial allows, and devices end where they should
asked     a question or a confirmation came first, and what a "yes" begins is right
refused   nothing was done; helpful if it teaches, untrue if it says what is not so
wrong     something else was begun, or moved
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final

import msgspec

from framework.dialogue.spelling import words_of
from framework.plan.ast import Plan, actions_of
from pilothouse.experiments.people.notation import CALLED, Defaults, fits, of_plan, parsed
from pilothouse.experiments.people.talk import Came, Place
from pilothouse.experiments.people.trials import Ends, Right, Trial


class Verdict(StrEnum):
    """What became of a sentence."""

    RIGHT = "right"
    ASKED = "asked"
    REFUSED = "refused"
    WRONG = "wrong"


class Judged(msgspec.Struct, frozen=True):
    """A trial and what became of it.

    helps, is_untrue: of a refusal. never: something moved, or was begun, that must not. why: for people.
    """

    trial: Trial
    came: Came
    verdict: Verdict
    helps: bool = False
    is_untrue: bool = False
    never: bool = False
    why: str = ""


class Knows(msgspec.Struct, frozen=True):
    """What the judge has to know of the installation.

    defaults: of an action's parameters. only_answers: whether an action moves and changes nothing.
    understands: whether a text is an instruction.
    """

    defaults: Defaults
    only_answers: Callable[[str], bool]
    understands: Callable[[str], bool]


#: Events that commands to the supervisor leave.
_META: Final = {
    "stop": ("cancelled", "emergency", "ended"),
    "emergency": ("emergency",),
    "pause": ("paused", "cancelled"),
    "resume": ("resumed",),
    "cancel": ("cancelled", "ended"),
}
_NOTHING_TO_STOP: Final = ("nothing is being done", "nothing to", "nothing moves")
_NEAR_M, _NEAR_RAD = 0.02, 0.04
_OPEN_M: Final = 0.03
_SAMPLE: Final = re.compile(r"[\"“]([^\"”]+)[\"”]")
_KINDS: Final = frozenset(("no_action", "no_thing", "not_now", "not_understood"))


def judge(trial: Trial, came: Came, knows: Knows) -> Judged:
    """What became of it."""
    strayed = came.moved - frozenset(trial.may_move)
    acts = [plan for plan in came.begun if not _only_answers(plan, knows)]
    never = bool(strayed) or (not trial.may_move and bool(acts) and trial.kind in ("ask", "refuse", "answer"))
    if never:
        why = f"moved: {', '.join(sorted(strayed))}" if strayed else "something was begun"
        return Judged(trial, came, Verdict.WRONG, never=True, why=why)
    if any(_is(right, trial, came, came.begun, knows) for right in trial.right) and _ends_well(trial, came):
        return Judged(trial, came, Verdict.RIGHT)
    if came.asked:
        is_right = not came.offered or any(
            _is(right, trial, came, came.offered, knows) for right in trial.right
        )
        verdict = Verdict.ASKED if is_right and not acts else Verdict.WRONG
        return Judged(trial, came, verdict, why="" if is_right else "it offered something else")
    if came.refused and not acts:
        helps, untrue = _teaches(trial, came, knows), _is_untrue(trial, came)
        return Judged(trial, came, Verdict.REFUSED, helps and not untrue, untrue)
    if not came.begun and not acts:
        return Judged(trial, came, Verdict.REFUSED, why="nothing came of it")
    return Judged(trial, came, Verdict.WRONG, why="another plan")


def _is(right: Right, trial: Trial, came: Came, plans: tuple[Plan, ...], knows: Knows) -> bool:
    if right.plan:
        wanted = parsed(right.plan)
        return any(fits(wanted, of_plan(plan), knows.defaults) for plan in plans)
    if right.asks is not None:
        return bool(came.asked) and _has(came.asked, right.asks, all)
    if right.refuses:
        return bool(came.refused) and came.kind == right.refuses and _has(came.refused, right.names, any)
    if right.answers:
        acts = {do.action for plan in plans for do in actions_of(plan)}
        told = right.answers in acts or (right.answers not in acts and not acts and bool(came.answered))
        return told and (not right.names or _has((*came.answered, *came.refused), right.names, any))
    happened = any(each in came.happened for each in _META[right.meta])
    nothing = any(
        each in text.casefold() for text in (*came.refused, *came.answered) for each in _NOTHING_TO_STOP
    )
    return happened or (right.meta in ("stop", "pause", "cancel") and nothing and not plans)


def _ends_well(trial: Trial, came: Came) -> bool:
    return all(_ended(each, came) for each in trial.all_ends)


def _ended(ends: Ends, came: Came) -> bool:
    begin, end = came.began.get(ends.device), came.ended.get(ends.device)
    if begin is None or end is None:
        return False
    if ends.open is not None:
        return (end[0] > _OPEN_M) == ends.open
    forward, left, up, turn = _gone(begin, end)
    wanted = (
        (ends.forward_m, forward, _NEAR_M),
        (ends.left_m, left, _NEAR_M),
        (ends.up_m, up, _NEAR_M),
        (ends.turn_rad, turn, _NEAR_RAD),
    )
    return all(value is None or abs(value - found) <= near for value, found, near in wanted)


def _gone(begin: Place, end: Place) -> tuple[float, float, float, float]:
    """How far forward, left and up [m], and turned [rad]."""
    if len(begin) == 3:
        x, y, heading = (there - here for there, here in zip(end, begin, strict=True))
        c, s = math.cos(begin[2]), math.sin(begin[2])
        return c * x + s * y, c * y - s * x, 0.0, heading
    (x, y, z, w), (a, b, c, v) = begin[3:], end[3:]
    about_tool = w * c - x * b + y * a - z * v  # of the turn from one to the other, about the tool's own axis
    cosine = w * v + x * a + y * b + z * c
    turn = 2.0 * math.atan2(about_tool, cosine)
    turn = math.remainder(turn, 2.0 * math.pi)
    return (
        end[0] - begin[0],
        end[1] - begin[1],
        end[2] - begin[2],
        -turn,
    )  # a tool points down, away from people


def _teaches(trial: Trial, came: Came, knows: Knows) -> bool:
    """It says of what kind it is, and shows what could be said instead, or why it is not possible now."""
    if came.kind not in _KINDS:
        return False
    if came.kind == "not_now":
        return True
    samples = [each for text in came.refused for each in _SAMPLE.findall(text)]
    if not any(knows.understands(each) for each in samples):
        return False
    return came.kind != "no_action" or not trial.needs or _has(came.refused, trial.needs, any)


def _is_untrue(trial: Trial, came: Came) -> bool:
    """It says that there is no such action, or that a thing is not known, and it is not so."""
    if came.kind == "no_action" and not trial.needs and trial.kind not in ("refuse", "ask"):
        return True
    unknown = words_of(came.unknown)
    return bool(unknown) and any(set(words_of(thing)) <= set(unknown) for thing in trial.things)


def _only_answers(plan: Plan, knows: Knows) -> bool:
    return all(knows.only_answers(do.action) for do in actions_of(plan))


def _has(texts: Iterable[str], names: Iterable[str], how: Callable[[Iterable[bool]], bool]) -> bool:
    names = tuple(names)
    said = " ".join(" ".join(words_of(text)) for text in texts)
    # A thing of the room may be called as it is known there.
    return not names or how(
        any(" ".join(words_of(each)) in said for each in (name, CALLED.get(name.casefold(), name)))
        for name in names
    )
