"""What "it" and "them" mean when an action starts: the nearest earlier result that fits.

Looked at from the nearest to the farthest: the results of the same plan that were said before, then those of
the operator's earlier plans. A result fits a parameter if it is of the type that the reference names, if it
names one, and can be converted to the parameter's type; if the whole does not, its part of the parameter's
name may. What does not fit is passed over. An action that may still give a result is waited for.

"Them" for a parameter that takes several: a result that is a list itself, or all the results of this plan
together (of the last plan that had any). For any other parameter it is the same as "it".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec import inspect as types

from framework.errors import PlanError
from framework.plan.ast import Reference
from framework.plan.passing import NESTED, outputs_of
from framework.plugins.parameters import ParameterSpec
from framework.tree.results import Result

SEVERAL = frozenset(("them", "these", "those", "they", "both", "all of them", "both of them"))


class Giver(Protocol):
    """An action that was said before."""

    words: str

    @property
    def value(self) -> Any: ...

    @property
    def may_still_give(self) -> bool: ...


class Waiting(NamedTuple):
    """Not known before this action has given something, or is over."""

    giver: Giver


class Meant(NamedTuple):
    """This is what it means."""

    value: Any


def meaning(
    reference: Reference,
    parameter: ParameterSpec | None,
    before: Sequence[Giver],
    earlier: Sequence[Result],
) -> Meant | Waiting:
    """What a reference means for a parameter (None: its type is not known, anything will do).

    before: actions of this plan; earlier: results of plans before; both in the order in which they were said.
    Raises PlanError that names what there is, if nothing fits.
    """
    if reference.word.casefold() in SEVERAL and parameter is not None and _takes_several(parameter.type):
        several = _several(reference, parameter, before, earlier)
        if several is not None:
            return several
    for giver in reversed(before):
        if giver.value is None:
            if giver.may_still_give:
                return Waiting(giver)
            continue
        if fit := _fit(giver.value, reference.type, parameter):
            return Meant(fit[0])
    for result in reversed(earlier):
        if fit := _fit(result.value, reference.type, parameter):
            return Meant(fit[0])
    raise PlanError(_nothing(reference, parameter, before, earlier))


def _several(
    reference: Reference, parameter: ParameterSpec, before: Sequence[Giver], earlier: Sequence[Result]
) -> Meant | Waiting | None:
    for giver in before:
        if giver.value is None and giver.may_still_give:
            return Waiting(giver)
    here = [giver.value for giver in before if giver.value is not None]
    last_plan = earlier[-1].plan if earlier else ""
    there = [result.value for result in earlier if result.plan == last_plan]
    for values in (here, there):
        for value in reversed(values):
            if isinstance(value, list | tuple | set | frozenset) and (
                fit := _fit(value, reference.type, parameter)
            ):
                return Meant(fit[0])
        together = [value for value in values if _is_of(value, reference.type)]
        if together and (fit := _fit(together, "", parameter)):
            return Meant(fit[0])
    return None


def _fit(value: Any, type_name: str, parameter: ParameterSpec | None) -> tuple[Any] | None:
    """What of a result goes into the parameter, in a tuple of one; None if nothing does."""
    if value is None:
        return None
    if _is_of(value, type_name) and _can_be(value, parameter):
        return (value,)
    if parameter is not None:
        named = [
            part
            for name, part in outputs_of(value).items()
            if name.rpartition(NESTED)[2] == parameter.name and part is not None and part is not value
        ]
        if len(named) == 1 and (_is_of(named[0], type_name) or _is_of(value, type_name)):
            return (named[0],) if _can_be(named[0], parameter) else None
    return None


def _is_of(value: Any, type_name: str) -> bool:
    """By the name of its class or of a base of it."""
    return not type_name or any(base.__name__ == type_name for base in type(value).__mro__)


def _can_be(value: Any, parameter: ParameterSpec | None) -> bool:
    if parameter is None:
        return True
    try:
        converted = msgspec.convert(value, parameter.type)
    except (msgspec.ValidationError, TypeError, OverflowError):
        return False
    return not parameter.one_of or converted in parameter.one_of


def _takes_several(kind: Any) -> bool:
    try:
        info = types.type_info(kind)
    except (TypeError, NotImplementedError):
        return False
    each = info.types if isinstance(info, types.UnionType) else (info,)
    return any(isinstance(one, types.CollectionType | types.TupleType) for one in each)


def _nothing(
    reference: Reference, parameter: ParameterSpec | None, before: Sequence[Giver], earlier: Sequence[Result]
) -> str:
    seen: Iterable[tuple[Any, str]] = [
        *((giver.value, giver.words) for giver in reversed(before)),
        *((result.value, result.action.replace("_", " ")) for result in reversed(earlier)),
    ]
    could = next((f"{value!r} ({words})" for value, words in seen if value is not None), "")
    wanted = reference.type or (parameter.allowed if parameter is not None else "")
    if could and wanted:
        return f'"{reference.word}" could only be {could}, but what is wanted is {wanted}; name it'
    return f'there is nothing that "{reference.word}" could mean here; name it'
