"""What "that" and "there" mean when somebody points. Pure.

Every pointing word looks at what was pointed at around the moment in which it
was said; the likeliest thing that fits is meant, if it is at least twice as
likely as the next. Source: the fusion rules of facts/language.md (ours).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec

from framework.dialogue.spelling import words_of
from framework.dialogue.values import Place, at, has_action_before, values_of, with_value
from framework.plan.ast import Do, Plan, Reference
from framework.plan.instruction import Instruction, Pointing

BEFORE_S, AFTER_S = 1.0, 0.6
CLEARLY = 2.0
_LEAST_LIKELIHOOD = 1e-6

_LEAST_OF_MEANT = 0.1
"""Of how likely the likeliest thing is: a cup that is less likely is only beside what is pointed at."""

Fits = Callable[[Plan, Place, str], tuple[str, ...]]
"""The values that a thing's name stands for in a place of a plan: none if it does not fit there."""


class Pointed(msgspec.Struct, frozen=True):
    """What a pointing word was replaced with. thing: as pointed at or named; value: as the plan has it."""

    place: Place
    word: str
    thing: str
    value: str


class Resolved(msgspec.Struct, frozen=True):
    """All pointing words are replaced. margin: how clear that was, 0 … 1; 1 if nothing else was near."""

    plan: Plan
    pointed: tuple[Pointed, ...] = ()
    margin: float = 1.0


class Candidate(msgspec.Struct, frozen=True):
    """A thing that fits, and its value."""

    thing: str
    value: str


class Which(msgspec.Struct, frozen=True):
    """The word at this place could be several things, the likeliest first. plan: replaced as far as that."""

    plan: Plan
    place: Place
    word: str
    candidates: tuple[Candidate, ...]
    pointed: tuple[Pointed, ...] = ()
    margin: float = 1.0


class Missing(msgspec.Struct, frozen=True):
    """Nothing that fits was pointed at. seen: what was pointed at, and does not fit."""

    plan: Plan
    place: Place
    word: str
    seen: tuple[str, ...] = ()
    pointed: tuple[Pointed, ...] = ()
    margin: float = 1.0


def resolve(
    plan: Plan,
    instruction: Instruction,
    now_s: float,
    fits: Fits,
    pointed: tuple[Pointed, ...] = (),
) -> Resolved | Which | Missing:
    """Replace the pointing words of a plan, in their order, as far as that is clear.

    A word for which nothing was pointed at may mean the result of an action before it in the same plan:
    then it is left to the run. pointed: the words of this plan that are replaced already.
    """
    margin = 1.0
    for place, reference in pointing_words(plan):
        word = reference.word
        turn = sum(each.word == word for each in pointed)
        seen = _likelihoods(instruction.pointing, _moment_s(instruction, word, turn, now_s))
        fitting: dict[str, tuple[float, str]] = {}
        for thing, likelihood in seen.items():
            for value in fits(plan, place, thing):
                # "put that there": what one word has taken at this moment is not what another one means.
                is_taken = any(each.value == value and each.word != word for each in pointed)
                if (instruction.words or not is_taken) and likelihood > fitting.get(value, (0.0, ""))[0]:
                    fitting[value] = (likelihood, thing)
        best = sorted(fitting, key=lambda value: -fitting[value][0])
        if not best:
            if not has_action_before(plan, place):
                return Missing(plan, place, word, tuple(seen), pointed, margin)
            plan = with_value(plan, place, msgspec.structs.replace(reference, is_pointing=False))
            continue
        first = fitting[best[0]][0]
        near = [value for value in best if first < CLEARLY * fitting[value][0]]
        if len(near) > 1:
            candidates = tuple(Candidate(fitting[value][1], value) for value in near)
            return Which(plan, place, word, candidates, pointed, margin)
        if len(best) > 1:
            margin = min(margin, 1.0 - fitting[best[1]][0] / first)
        pointed = (*pointed, Pointed(place, word, fitting[best[0]][1], best[0]))
        plan = with_value(plan, place, best[0])
    return Resolved(plan, pointed, margin)


def pointed_among(
    things: Sequence[str], instruction: Instruction, now_s: float
) -> tuple[tuple[str, ...], float]:
    """Which of several things is pointed at, where "the cup" was said and may be any of them.

    Returns those of which nobody could tell, the likeliest first, none if none is pointed at; and how clear
    it is, as of `Resolved`.
    """
    moment_s = instruction.t_s if instruction.t_s is not None else now_s
    seen = _likelihoods(instruction.pointing, moment_s)
    ordered = sorted(
        (thing for thing in dict.fromkeys(things) if thing in seen), key=lambda each: -seen[each]
    )
    if not ordered or seen[ordered[0]] < _LEAST_OF_MEANT * max(seen.values()):
        return (), 1.0  # something else is pointed at, which is none of them
    near = tuple(each for each in ordered if seen[ordered[0]] < CLEARLY * seen[each])
    margin = 1.0 - seen[ordered[1]] / seen[ordered[0]] if len(ordered) > 1 else 1.0
    return near, margin


def pointing_words(plan: Plan) -> tuple[tuple[Place, Reference], ...]:
    """The references of a plan that point, and where they stand."""
    return tuple(
        (place, value)
        for place, value in values_of(plan).items()
        if isinstance(value, Reference) and value.is_pointing
    )


def owner(plan: Plan, place: Place) -> Do | None:
    """The action whose parameter stands at this place; None if it is part of a condition."""
    if len(place) < 2 or place[-2] != "parameters":
        return None
    found = at(plan, place[:-2])
    return found if isinstance(found, Do) else None


def _moment_s(instruction: Instruction, word: str, turn: int, now_s: float) -> float:
    """When a pointing word was said, the turn-th of its kind; else when the instruction was."""
    times = [each.t_s for each in instruction.words if words_of(each.word)[:1] == words_of(word)[:1]]
    if turn < len(times):
        return times[turn]
    return instruction.t_s if instruction.t_s is not None else now_s


def _likelihoods(pointing: tuple[Pointing, ...], moment_s: float) -> dict[str, float]:
    seen: dict[str, float] = {}
    for each in pointing:
        is_near = -BEFORE_S <= each.t_s - moment_s <= AFTER_S
        if is_near and math.isfinite(each.likelihood) and each.likelihood > _LEAST_LIKELIHOOD:
            seen[each.thing] = max(each.likelihood, seen.get(each.thing, 0.0))
    return seen
