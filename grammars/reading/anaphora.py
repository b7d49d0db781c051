"""Steps that are said only by how they relate to those before them, and what they then are. Pure.

step            said                                          what it is
BACK            turn left, wait five seconds, "turn back"     the last motion the other way, just as far
                raise the arm, wait, "back down", "back down 3 cm"
                … the left arm, … the right arm, "both back"  the last motion of each of them
SAME_AMOUNT     lift it 5 cm, then lower it "just as much"    the amounts of the last action of that kind
SAME_VERB       say hello, wait, "say it again"               what was done before with that verb
SAME_THEME      open the left gripper, then "close it"        the same with what was named last
FURTHER         drive 1 m, turn, then "another 40 cm"         the last motion by such an amount, so far
ALL_TIMES       A, then B, "and all this three times"         the steps before it, so many times in all
ARRIVED         raise the left arm, "once it is up", A        nothing: that is so when the motion is done
the core's `again`    A, then B, "do that again"              the same once more, which is asked
                      A, wait, "then again"                   A once more; nobody sees a wait after that

While a text is matched each of them is an action of a name that no plugin can have; `resolved` puts the real
one in its place. A step that relates to nothing makes the whole reading none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeGuard, cast

import msgspec

from framework.plan.again import MOST_TIMES, again, only_times, repeated, seconds, times
from framework.plan.ast import (
    Alongside,
    Condition,
    Do,
    Graph,
    If,
    Parallel,
    Plan,
    State,
    Until,
    Wait,
    While,
    actions_of,
)
from framework.plan.ast import Sequence as SequencePlan
from framework.plan.value import Reference, Value
from framework.plugins.signature import ActionSpec
from grammars.reading.combining import in_sequence

#: How unsure it is which of several motions is undone, or how often something is done again.
DOUBT_WHICH = 0.2
#: In what it is measured how far something goes.
_OF_WAYS = ("m", "rad")
#: What conditions about a device say which one with: what is not so of it is a fault.
_DEVICE = "device"


_Motion = tuple[Do, Do, str]
"""A motion, the same the other way, and that way."""


class Anaphor(StrEnum):
    """The name of such a step while the text is matched."""

    BACK = "\0back"
    SAME_AMOUNT = "\0same amount"
    SAME_VERB = "\0same verb"
    SAME_THEME = "\0same theme"
    FURTHER = "\0further"
    ALL_TIMES = "\0all times"
    ARRIVED = "\0arrived"


def back(
    ways: Sequence[tuple[str, str]] = (),
    amount: tuple[str, float] | None = None,
    *,
    ones: Sequence[str] = (),
    says_way: bool = False,
) -> Do:
    """The opposite of the last motion.

    ways: (action, way) of those that may be meant, by the verb that was said; all if none was. amount: only
    so far (unit, value). ones: of what it was a motion ("left"), one motion each; whatever, if none is named.
    says_way: the way back itself was said ("down"), which tells which motion is meant.
    """
    values: dict[str, Any] = {
        "ways": _written(ways),
        "ones": " ".join(ones),
        "says_way": says_way,
    }
    return Do(Anaphor.BACK, values if amount is None else {**values, "unit": amount[0], "amount": amount[1]})


def _written(ways: Sequence[tuple[str, str]]) -> str:
    return " ".join(f"{action}:{way}" for action, way in ways)


def arrived() -> Do:
    """That the motion before it is done."""
    return Do(Anaphor.ARRIVED)


def same_amount(do: Do) -> Do:
    """An action by as much as the last one of its kind."""
    return Do(Anaphor.SAME_AMOUNT, {"action": do.action, **do.parameters})


def same_verb(ways: Sequence[tuple[str, str]]) -> Do:
    """The last one of these actions once more. ways: (action, way), and "" for any other way."""
    return Do(Anaphor.SAME_VERB, {"ways": _written(ways)})


def same_theme(action: str, which: str, values: Mapping[str, Value]) -> Do:
    """An action with the one that was named last. which: its parameter that says which one."""
    return Do(Anaphor.SAME_THEME, {"action": action, "which": which, **values})


def further(value: float, unit: str) -> Do:
    """The last motion that has an amount in this unit, by another amount."""
    return Do(Anaphor.FURTHER, {"value": value, "unit": unit})


def all_times(count: int, pause_s: float = 0.0) -> Do:
    """What was said before, so many times in all, with so long a pause between two [s]."""
    return Do(Anaphor.ALL_TIMES, {"count": count, "pause_s": pause_s})


def is_about_one(plan: Plan) -> bool:
    """Whether a step relates to one before it, and not to all of them."""
    return isinstance(plan, Do) and plan.action.startswith("\0") and plan.action != Anaphor.ALL_TIMES


class Meaning(msgspec.Struct, frozen=True):
    """What a plan means. doubt: how unsure it is. is_related: whether a step of it relates to others.

    says_way: whether one goes back the way that was said: "back up".
    """

    plan: Plan
    doubt: float = 0.0
    is_related: bool = False
    says_way: bool = False


class Anaphora:
    """Puts real steps in the place of those that relate to others.

    actions: all that can be asked for, by name. again: the action that does the last instruction again,
    and its parameter for how often. pause: makes a plan that waits for so many seconds.
    """

    def __init__(
        self,
        actions: dict[str, ActionSpec],
        again_action: tuple[str, str],
        pause: Callable[[float], Plan],
    ) -> None:
        self._actions = actions
        self._again, self._times = again_action
        self._pause = pause

    def resolved(self, plan: Plan) -> Meaning | None:
        """What a whole instruction means; None if a step in it relates to nothing."""
        every = [*actions_of(plan)]
        is_waited = isinstance(plan, SequencePlan) and any(
            isinstance(step, Wait) and _is_about_it(step.condition) for step in plan.steps
        )
        if not is_waited and not any(do.action.startswith("\0") or do.action == self._again for do in every):
            return Meaning(plan)
        if isinstance(plan, Do) and plan.action == self._again:
            return Meaning(plan)  # alone it is about the last instruction
        meant = self._plan(plan, ())
        says_way = any(do.action == Anaphor.BACK and bool(do.parameters["says_way"]) for do in every)
        return None if meant is None else msgspec.structs.replace(meant, is_related=True, says_way=says_way)

    # -- inside

    def _plan(self, plan: Plan, before: tuple[Plan, ...]) -> Meaning | None:
        match plan:
            case Do():
                return self._do(plan, before)
            case SequencePlan(steps=steps):
                return self._steps(steps, before)
            case Parallel(branches=branches):
                found = [self._plan(each, before) for each in branches]
                return _together(found, lambda plans: Parallel(plans))
            case Alongside(body=body, companion=companion):
                found = [self._plan(body, before), self._plan(companion, before)]
                return _together(found, lambda plans: Alongside(*plans))
            case Until(body=body, condition=condition):
                return _together([self._plan(body, before)], lambda plans: Until(plans[0], condition))
            case While(body=body, condition=condition):
                return _together([self._plan(body, before)], lambda plans: While(plans[0], condition))
            case If(condition=condition, then=then, otherwise=otherwise):
                found = [self._plan(then, before)]
                if otherwise is not None:
                    # What is named in the one branch is known in the other; what is done there, is not.
                    is_undone = any(do.action == Anaphor.BACK for do in actions_of(otherwise))
                    found.append(self._plan(otherwise, before if is_undone else (*before, then)))
                return _together(found, lambda plans: If(condition, *plans))
            case Graph() if (round_ := repeated(plan)) is not None:
                return _together([self._plan(round_, before)], lambda plans: again(*plans))
        return Meaning(plan)

    def _steps(self, steps: Sequence[Plan], before: tuple[Plan, ...]) -> Meaning | None:
        done: list[Plan] = []
        doubt = 0.0
        for step in steps:
            if isinstance(step, Do) and step.action == Anaphor.ALL_TIMES:
                count = int(cast("int", step.parameters["count"]))
                pause_s = float(cast("float", step.parameters["pause_s"]))
                if not done or not 0 < count <= MOST_TIMES:
                    return None
                done = [_so_often(tuple(done), count, self._pause(pause_s) if pause_s else None)]
                continue
            if isinstance(step, Do) and step.action == Anaphor.ARRIVED:
                if not done or not self._is_of_one(done[-1]) or not self._is_motion(done[-1]):
                    return None
                continue
            if done and isinstance(step, Wait) and _is_about_it(step.condition) and self._is_of_one(done[-1]):
                if not step.condition.is_so and _DEVICE in step.condition.arguments:
                    return None  # "when it is down": is it broken?
                continue  # "and once it is up there": that is so when the step before it is done
            if isinstance(step, Do) and step.action == self._again:
                count = int(cast("int", step.parameters.get(self._times, 1))) + 1
                if not done or not 0 < count <= MOST_TIMES:
                    return None
                if (once := self._before_pauses(done)) is not None and repeated(once) is None:
                    done += [*done[1:], once] if count == 1 else []
                    done = [*(done * (count - 1)), once]
                    continue
                done = [_so_often(tuple(done), count, None)]
                doubt = max(doubt, DOUBT_WHICH)
                continue
            meant = self._plan(step, (*before, *done))
            if meant is None:
                return None
            done.append(meant.plan)
            doubt = max(doubt, meant.doubt)
        return Meaning(in_sequence(tuple(done)), doubt)

    def _do(self, do: Do, before: tuple[Plan, ...]) -> Meaning | None:
        earlier = [each for plan in before for each in actions_of(plan)]
        match do.action:
            case Anaphor.BACK:
                return self._back(do, before)
            case Anaphor.SAME_AMOUNT:
                return self._same_amount(do, earlier)
            case Anaphor.SAME_VERB:
                ways = str(do.parameters["ways"]).split()
                same = [each for each in earlier if self._is_said_by(ways, each)]
                return Meaning(same[-1]) if same else None
            case Anaphor.SAME_THEME:
                return self._same_theme(do, before)
            case Anaphor.FURTHER:
                return self._further(do, before)
            case Anaphor.ALL_TIMES | Anaphor.ARRIVED | self._again:
                return None
        return Meaning(do)

    def _is_said_by(self, ways: Sequence[str], do: Do) -> bool:
        """Whether an action may be said with a verb: none is raised again that was lowered."""
        turned = self._turned_round(do)
        if turned is None or all(each.endswith(":") for each in ways):
            return f"{do.action}:" in ways
        own = self._turned_round(turned[0])
        return own is not None and f"{do.action}:{own[1]}" in ways

    def _same_theme(self, do: Do, before: Sequence[Plan]) -> Meaning | None:
        """With the one that was named last; with both, if they were named together."""
        action, which = str(do.parameters["action"]), str(do.parameters["which"])
        own = {name: value for name, value in do.parameters.items() if name not in ("action", "which")}
        kind = next(each.which for each in self._actions[action].parameters if each.name == which)
        told = [(plan, each) for plan in before for each in actions_of(plan) if _names_something(each)]
        ones: list[Value] = []
        for _, each in told:
            one = self._which_one(each, kind)
            if one is None:
                ones.append("")
            elif one not in ones:
                ones.append(one)
        if not told or (last := self._which_one(told[-1][1], kind)) is None:
            return None
        both = [self._which_one(each, kind) for each in actions_of(told[-1][0])]
        if isinstance(told[-1][0], Parallel) and None not in both and len(both) > 1:
            return Meaning(Parallel(tuple(Do(action, {**own, which: one}) for one in both)))
        return Meaning(Do(action, {**own, which: last}), DOUBT_WHICH if len(ones) > 1 else 0.0)

    def _which_one(self, do: Do, kind: str) -> Value | None:
        """Which one of a kind an action names."""
        spec = self._actions.get(do.action)
        name = next((each.name for each in spec.parameters if each.which == kind), "") if spec else ""
        return do.parameters.get(name)

    def _back(self, do: Do, before: Sequence[Plan]) -> Meaning | None:
        ways = str(do.parameters["ways"]).split()
        motions = self._motions(before)
        fitting = [
            each for each in motions if not ways or any(f"{a.action}:{way}" in ways for _, a, way in each)
        ]
        if ones := str(do.parameters["ones"]).split():
            return _of_each(ones, [one for each in fitting for one in each], self._one_of)
        if not fitting:
            return None
        turned = [found for _, found, _ in fitting[-1]]
        if "amount" in do.parameters:
            amounts = [self._amount_of(found, str(do.parameters["unit"])) for found in turned]
            if None in amounts:
                return None
            turned = [
                Do(found.action, {**found.parameters, str(amount): do.parameters["amount"]})
                for found, amount in zip(turned, amounts, strict=True)
            ]
        several = fitting if do.parameters["says_way"] else motions
        plan = turned[0] if len(turned) == 1 else Parallel(tuple(turned))
        return Meaning(plan, DOUBT_WHICH if len(several) > 1 else 0.0)

    def _motions(self, before: Sequence[Plan]) -> list[list[_Motion]]:
        """The motions that are not undone yet, those together that were said together: "both arms up"."""
        motions: list[list[_Motion]] = []
        for step in (part for plan in before for part in _steps_of(plan)):
            turned = [
                (each, *turned)
                for each in actions_of(step)
                if (turned := self._turned_round(each)) is not None
            ]
            groups = [turned] if isinstance(step, Parallel) else [[each] for each in turned]
            for group in filter(None, groups):
                undone = [each for each, _, _ in motions[-1]] if motions else []
                if undone and undone == [back for _, back, _ in group]:
                    motions.pop()
                else:
                    motions.append(group)
        return motions

    def _one_of(self, do: Do) -> Value | None:
        """Which one of several an action names."""
        spec = self._actions.get(do.action)
        named = (do.parameters.get(each.name) for each in (spec.parameters if spec else ()) if each.which)
        return next(named, None)

    def _is_of_one(self, plan: Plan) -> bool:
        """Whether all that a step names is which one does it: no thing that may be open, or be there."""
        for do in actions_of(plan):
            spec = self._actions.get(do.action)
            if spec is None or not any(each.which for each in spec.parameters):
                return False
            said = {each.name for each in spec.parameters if not (each.which or each.opposites)}
            if any(isinstance(do.parameters.get(name), str | Reference) for name in said):
                return False
        return True

    def _is_motion(self, plan: Plan) -> bool:
        return any(self._turned_round(do) is not None for do in actions_of(plan))

    def _before_pauses(self, done: Sequence[Plan]) -> Plan | None:
        """The first of some steps behind which there are only pauses; None if something else is done."""
        first, *pauses = done
        is_paused = bool(pauses) and all(
            isinstance(each, Wait) or (isinstance(each, Do) and seconds(each) is not None) for each in pauses
        )
        return first if is_paused and seconds(first) is None else None

    def _turned_round(self, do: Do) -> tuple[Do, str] | None:
        """An action the other way, and that way; None if it has no way."""
        spec = self._actions.get(do.action)
        for parameter in spec.parameters if spec is not None else ():
            value = do.parameters.get(parameter.name)
            if isinstance(value, str) and value in parameter.opposites:
                way = parameter.opposites[value]
                return Do(do.action, {**do.parameters, parameter.name: way}), str(way)
        return None

    def _amount_of(self, do: Do, unit: str) -> str | None:
        """The parameter that says how far it goes, in this unit; None if in no other was said before."""
        measured = [each for each in self._actions[do.action].parameters if each.unit in _OF_WAYS]
        said = [each for each in measured if each.name in do.parameters] or measured
        return next((each.name for each in said if each.unit == unit), None)

    def _further(self, step: Do, before: Sequence[Plan]) -> Meaning | None:
        """Of several motions the last one is meant if it has such an amount; else it is not sure which."""
        unit, value = str(step.parameters["unit"]), step.parameters["value"]
        parts = (part for plan in before for part in _steps_of(plan))
        motions = [[do for do in actions_of(part) if self._turned_round(do) is not None] for part in parts]
        motions = [group for group in motions if group]
        fitting = [group for group in motions if all(self._amount_in(unit, do) for do in group)]
        if not fitting:
            return None
        further = [
            [Do(do.action, {**do.parameters, self._amount_in(unit, do): value}) for do in group]
            for group in fitting
        ]
        is_sure = fitting[-1] is motions[-1] or all(group == further[-1] for group in further)
        plan = further[-1][0] if len(further[-1]) == 1 else Parallel(tuple(further[-1]))
        return Meaning(plan, 0.0 if is_sure else DOUBT_WHICH)

    def _amount_in(self, unit: str, do: Do) -> str:
        """The parameter by which it was said how far something moves; empty if it was not, or otherwise."""
        said = (each.name for each in self._actions[do.action].parameters if each.unit == unit)
        return next((name for name in said if name in do.parameters), "")

    def _same_amount(self, do: Do, earlier: Sequence[Do]) -> Meaning | None:
        action = str(do.parameters["action"])
        own = {name: value for name, value in do.parameters.items() if name != "action"}
        last = next((each for each in reversed(earlier) if each.action == action), None)
        if last is None:
            return None
        amounts = {
            name: value
            for name, value in last.parameters.items()
            if isinstance(value, int | float) and not isinstance(value, bool) and name not in own
        }
        # What is said of which one holds on as well: "lift the left arm 5 cm, then lower it just as much".
        which = {
            each.name: last.parameters[each.name]
            for each in self._actions[action].parameters
            if each.which and each.name in last.parameters and each.name not in own
        }
        return Meaning(Do(action, {**own, **amounts, **which})) if amounts else None


def _of_each(
    ones: Sequence[str], motions: Sequence[_Motion], one_of: Callable[[Do], Value | None]
) -> Meaning | None:
    """The last motion of each of some, the other way; None if one of them has not moved."""
    last = {str(one_of(each)): turned for each, turned, _ in motions}
    found = [last.get(one) for one in ones]
    backs = tuple(each for each in found if each is not None)
    if len(backs) < len(ones):
        return None
    return Meaning(backs[0] if len(backs) == 1 else Parallel(backs))


def _steps_of(plan: Plan) -> tuple[Plan, ...]:
    return plan.steps if isinstance(plan, SequencePlan) else (plan,)


def _is_about_it(condition: Condition) -> TypeGuard[State]:
    """Whether a condition is about what was named before it: "it is up there"."""
    return isinstance(condition, State) and any(
        isinstance(value, Reference) and not value.is_pointing for value in condition.arguments.values()
    )


def says_more(one: Plan, other: Plan) -> bool:
    """Whether they are the same steps, of which the one says more."""
    mine, theirs = [*actions_of(one)], [*actions_of(other)]
    return (
        len(mine) == len(theirs)
        and mine != theirs
        and all(a.action == b.action for a, b in zip(mine, theirs, strict=True))
        and all(b.parameters.items() <= a.parameters.items() for a, b in zip(mine, theirs, strict=True))
        and type(one) is type(other)
    )


def turns_back(one: Plan, other: Plan) -> bool:
    """Whether they are the same steps but for some that in the one go back where a step before them came
    from, and in the other are something else: "arms down, then back up" does not drive back.
    """
    mine, theirs = _steps_of(one), _steps_of(other)
    if len(mine) != len(theirs):
        return False
    places = [at for at, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b]
    return bool(places) and all(
        at > 0 and _named(mine[at]) <= _named(*mine[:at]) and not _named(theirs[at]) <= _named(mine[at])
        for at in places
    )


def _named(*plans: Plan) -> frozenset[str]:
    return frozenset(do.action for plan in plans for do in actions_of(plan))


def _names_something(do: Do) -> bool:
    return any(isinstance(value, str | Reference) for value in do.parameters.values())


def _so_often(done: tuple[Plan, ...], count: int, pause: Plan | None) -> Plan:
    if repeated(done[-1]) is not None:
        return in_sequence((*done[:-1], only_times(done[-1], count)))
    return times(in_sequence(done), count, pause)


def _together(found: Sequence[Meaning | None], make: Callable[[tuple[Plan, ...]], Plan]) -> Meaning | None:
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    return Meaning(make(tuple(each.plan for each in known)), max(each.doubt for each in known))
