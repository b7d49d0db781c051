"""Which of several somebody means who does not say it: "move it up", "the arm", "the other one". Pure.

An action's parameter may say of which kind of things it names one (`ph.param(which="arms")`). Left unsaid, it
is the one that this person has named last, in this instruction or before; "the other one" is the other of
two. What was left to the robot, or both at once, names none: then it is asked. Nothing is chosen silently.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from framework.dialogue.spelling import words_of
from framework.dialogue.values import Place, actions_in, at, with_value
from framework.plan.ast import Do, Plan, Reference
from framework.plan.parser import Known, Reading, World
from framework.plan.signature import Signatures
from framework.plugins.action import Risk
from framework.plugins.parameters import ParameterSpec

#: What a reference says that means the other of two.
OTHER = "other"


class Open(msgspec.Struct, frozen=True):
    """A value that has to be asked for. place: of it in the plan; known: what it could be."""

    place: Place
    parameter: ParameterSpec
    known: tuple[Known, ...]

    @property
    def noun(self) -> str:
        """What all of them are called: "arm"."""
        return self.known[0].name.rpartition(" ")[2]


class Bound(msgspec.Struct, frozen=True):
    """A plan with what was left unsaid. open: the first value that is not known."""

    plan: Plan
    open: Open | None = None


def bound(
    plan: Plan,
    earlier: Sequence[Do],
    signatures: Signatures,
    world: World,
    *,
    text: str = "",
    pronouns: Collection[str] = (),
) -> Bound:
    """Fill in what this person has named last.

    earlier: the actions of what they wanted before, in the order in which they said them. text: what was
    said; one of the pronouns in it means what was moved last, whatever that was.
    """
    named = list(earlier)
    has_pronoun = any(word in pronouns for word in words_of(text))
    for place, do in actions_in(plan):
        for parameter in which_of(do, signatures):
            value = do.parameters.get(parameter.name)
            is_other = isinstance(value, Reference) and value.word == OTHER
            if value is not None and not is_other:
                continue
            known = world.known(parameter.which)
            values = [each.value for each in known]
            if len(values) < 2 and not is_other:
                continue
            last = last_named(named, parameter.name, signatures, is_moved_last=has_pronoun and not is_other)
            if is_other:
                others = [each for each in values if each != last]
                last = others[0] if last in values and len(others) == 1 else ""
            where = (*place, "parameters", parameter.name)
            if last in values:
                plan = _with(plan, where, last)
                do = Do(do.action, {**do.parameters, parameter.name: last})
            elif parameter.is_asked or is_other:
                return Bound(plan, Open(where, parameter, known))
        named.append(do)
    return Bound(plan)


def last_named(
    earlier: Sequence[Do], name: str, signatures: Signatures, *, is_moved_last: bool = False
) -> str:
    """The value that a parameter of this name had last; "" if it had none, or that is not certain.

    is_moved_last: only if it belongs to what was moved last.
    """
    for do in reversed(earlier):
        signature = signatures.find(do.action)
        if signature is None:
            continue
        value = do.parameters.get(name)
        moves = signature.risk is not Risk.NONE
        if isinstance(value, str) and value:
            return value
        if moves and (is_moved_last or any(each.name == name for each in signature.parameters)):
            return ""
    return ""


def as_moved_last(
    readings: Sequence[Reading], earlier: Sequence[Do], signatures: Signatures
) -> tuple[Reading, ...]:
    """The readings; what may be more of what this person moved last is as sure as what it is without that.

    "Forward 3 cm" is the base; after a motion of an arm it may be that arm.
    """
    moved = next((do for do in reversed(earlier) if _moves(do, signatures)), None)
    first = next(iter(actions_in(readings[0].plan)), None) if readings else None
    if moved is None or first is None or not any(which_of(moved, signatures)):
        return tuple(readings)
    place, do = first
    if do.action == moved.action:
        return tuple(readings)
    same = with_value(readings[0].plan, place, Do(moved.action, dict(do.parameters)))
    return tuple(
        msgspec.structs.replace(each, confidence=readings[0].confidence) if each.plan == same else each
        for each in readings
    )


def _moves(do: Do, signatures: Signatures) -> bool:
    signature = signatures.find(do.action)
    return signature is not None and signature.risk is not Risk.NONE


def which_of(do: Do, signatures: Signatures) -> Iterator[ParameterSpec]:
    """Its parameters that say which one of several."""
    signature = signatures.find(do.action)
    return (each for each in (signature.parameters if signature is not None else ()) if each.which)


def kinds_of(signatures: Signatures) -> tuple[str, ...]:
    """The kinds of names of which actions say one."""
    found = (signatures.find(name) for name in signatures.names())
    every = (each.which for signature in found if signature is not None for each in signature.parameters)
    return tuple(dict.fromkeys(filter(None, every)))


def with_which(plan: Plan, open_: Open, value: object) -> Plan:
    """The plan with the one that was chosen."""
    return _with(plan, open_.place, value)


def named_one(words: Iterable[str], do: Do, parameter: ParameterSpec, known: Sequence[Known]) -> str:
    """Which one these words mean instead of the one that an action has: "left", "other"; "" if none.

    words: without those that tell nothing apart.
    """
    said = list(words)
    values = [str(each.value) for each in known]
    now = do.parameters.get(parameter.name)
    if said == [OTHER]:
        others = [each for each in values if each != now]
        return others[0] if now in values and len(others) == 1 else ""
    return said[0] if len(said) == 1 and said[0] in values else ""


def _with(plan: Plan, where: Place, value: object) -> Plan:
    do = at(plan, where[:-2])
    return with_value(plan, where[:-1], {**do.parameters, str(where[-1]): value})
