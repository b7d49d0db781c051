"""Typed parameters of actions and drivers: how a class states them, and how plain data becomes values.

A parameter is an annotated class attribute; its default is the attribute's value, or a `param(...)`
that also says unit and bounds. Values come from people, parsers and files, so every problem is found
at once and named with parameter, value and what is allowed.

What a driver hands on to its process it states as the fields of a `Parameters`, so that it is declared once.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, get_args, get_origin

import msgspec
from msgspec import inspect as types

from framework.errors import DescriptionError, PlanError, PluginUnavailable

#: Endings of names that say a unit, so that nobody has to say it twice.
UNITS: Mapping[str, str] = {
    "m": "m",
    "mm": "mm",
    "s": "s",
    "ms": "ms",
    "hz": "Hz",
    "rad": "rad",
    "deg": "°",
    "n": "N",
    "nm": "N m",
    "kg": "kg",
    "px": "px",
    "mps": "m/s",
    "radps": "rad/s",
    "fraction": "0 to 1",
}

ALLOWED_TYPES = (
    "allowed are bool, int, float, str, enums, Literal, msgspec structs, and tuples, lists or unions of these"
)


class Stated(msgspec.Struct, frozen=True):
    """What `param(...)` leaves on the class until the signature is read."""

    default: Any = msgspec.UNSET
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    unit: str = ""
    one_of: tuple[Any, ...] = ()
    doc: str = ""
    asked_by: str = ""
    which: str = ""
    is_asked: bool = True
    opposites: Mapping[Any, Any] = {}


def param(
    default: Any = msgspec.UNSET,
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    unit: str = "",
    one_of: Sequence[Any] = (),
    doc: str = "",
    asked_by: str = "",
    which: str = "",
    is_asked: bool = True,
    opposites: Mapping[Any, Any] | None = None,
) -> Any:
    """State a parameter: `distance_m: float = ph.param(default=0.30, ge=0.10, le=0.80)`.

    Args:
        default: without one, the parameter has to be given.
        ge, gt, le, lt: bounds of a number (≥, >, ≤, <).
        unit: as people write it; by default the name's ending says it (`distance_m`).
        one_of: the only values allowed.
        doc: one line for help.
        asked_by: a kind of names ("sessions"). Unless another value is given, it is who gives the
            instruction, if that is one of these; else the only one there is; else the default, "".
        which: a kind of names ("arms") of which it says one. If people do not say it ("move it up"), it is
            the one that they named last (`framework.dialogue.discourse`); if there was none they are asked,
            or with `is_asked=False` it is the default.
        opposites: for values that say a way, the other way: `{"up": "down", "down": "up"}`.
    """
    stated = tuple(one_of)
    return Stated(
        default, ge, gt, le, lt, unit, stated, doc, asked_by, which, is_asked, dict(opposites or {})
    )


class ParameterSpec(msgspec.Struct, frozen=True):
    """One parameter of a signature. Without a `default` it has to be given.

    asked_by: see `param`; filled in by the supervisor, when it lets a plan in.
    which, is_asked, opposites: see `param`.
    """

    name: str
    type: Any
    default: Any = msgspec.UNSET
    unit: str = ""
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    one_of: tuple[Any, ...] = ()
    doc: str = ""
    asked_by: str = ""
    which: str = ""
    is_asked: bool = True
    opposites: Mapping[Any, Any] = {}

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default is msgspec.UNSET or self.default is msgspec.NODEFAULT

    @property
    def type_name(self) -> str:
        """The type as people write it."""
        return self.type.__name__ if isinstance(self.type, type) else str(self.type).replace("typing.", "")

    @property
    def allowed(self) -> str:
        """What may be given, in words: "a float from 0.1 to 0.8 m"."""
        if self.one_of:
            return "one of " + ", ".join(map(repr, self.one_of))
        kind = types.type_info(self.type)
        if isinstance(kind, types.EnumType):
            return "one of " + ", ".join(repr(member.value) for member in kind.cls)
        if isinstance(kind, types.LiteralType):
            return "one of " + ", ".join(map(repr, kind.values))
        bounds = [
            f"{sign} {bound:g}"
            for sign, bound in (("≥", self.ge), (">", self.gt), ("≤", self.le), ("<", self.lt))
            if bound is not None
        ]
        if self.ge is not None and self.le is not None and len(bounds) == 2:
            bounds = [f"from {self.ge:g} to {self.le:g}"]
        words = " ".join([self.type_name, " and ".join(bounds), self.unit]).split()
        return " ".join(words)

    def problem_with(self, value: Any) -> str:
        """What is wrong with a value of the right type; empty if nothing is."""
        if not _is_finite(value):
            return "it is not finite"
        if self.one_of and value not in self.one_of:
            return "it is none of them"
        if isinstance(value, int | float) and not isinstance(value, bool):
            low = (self.ge is not None and value < self.ge) or (self.gt is not None and value <= self.gt)
            high = (self.le is not None and value > self.le) or (self.lt is not None and value >= self.lt)
            return "it is too small" if low else "it is too large" if high else ""
        return ""


class Parameters(msgspec.Struct, frozen=True):
    """Parameters of a driver that travel to its process as they are.

        class Drawing(Parameters, frozen=True):
            rate_hz: Annotated[float, msgspec.Meta(ge=0.1, le=60.0, description="of the pictures")] = 10.0

        class MyCamera(Driver):
            drawing: Drawing        # a robot description says `rate_hz: 30`

    Each field is a parameter of the driver. `Meta` says bounds and help, `extra={"unit": …}` the unit.
    Raises DescriptionError, however it is made, with one sentence for every field that is out of its bounds.
    """

    def __post_init__(self) -> None:
        problems = []
        for spec in read_fields(type(self)):
            value = getattr(self, spec.name)
            problem = spec.problem_with(value)
            if problem:
                problems.append(f"{spec.name} is {value!r}, {problem}; allowed is {spec.allowed}")
        if problems:
            raise DescriptionError("; ".join(problems))


@lru_cache
def read_fields(cls: type[Parameters]) -> tuple[ParameterSpec, ...]:
    """The parameters that are the fields of `cls`, in their order."""
    found = []
    for field in msgspec.structs.fields(cls):
        kind, stated = _stated(field.type)
        unit = stated.unit or _unit_of(field.name, types.type_info(kind))
        shared = {**msgspec.structs.asdict(stated), "default": field.default, "unit": unit}
        found.append(ParameterSpec(field.name, kind, **shared))
    return tuple(found)


def _stated(kind: Any) -> tuple[Any, Stated]:
    """A field's type without its `Meta`, and what that says."""
    if get_origin(kind) is not Annotated:
        return kind, Stated()
    bare, *metas = get_args(kind)
    stated = Stated()
    for meta in metas:
        if isinstance(meta, msgspec.Meta):
            unit = (meta.extra or {}).get("unit", "")
            stated = Stated(
                ge=meta.ge, gt=meta.gt, le=meta.le, lt=meta.lt, unit=unit, doc=meta.description or ""
            )
    return bare, stated


def read_parameters(cls: type, base: type) -> tuple[ParameterSpec, ...]:
    """The parameters that `cls` and its bases below `base` state, in their order.

    Annotations with ClassVar, names that begin with "_" and `memory` are none.
    Raises PluginUnavailable with a reason in words.
    """
    found: dict[str, ParameterSpec] = {}
    for level in reversed(cls.__mro__):
        if not issubclass(level, base) or level is base:
            continue
        try:
            annotations = inspect.get_annotations(level, eval_str=True)
        except Exception as error:  # whatever an annotation raises is the plugin's fault, not ours
            raise PluginUnavailable(
                cls.__name__, f"an annotation of {level.__name__} cannot be read: {error}"
            ) from error
        for name, kind in annotations.items():
            if name.startswith("_") or name == "memory" or ClassVar in (kind, get_origin(kind)):
                continue
            found[name] = _spec(cls, name, kind)
    return tuple(found.values())


def convert(owner: str, specs: Sequence[ParameterSpec], given: Mapping[str, Any]) -> dict[str, Any]:
    """Values for all parameters, from plain data.

    Raises PlanError with one sentence for every problem: unknown, missing, of a wrong type, out of bounds.
    """
    known = {spec.name: spec for spec in specs}
    problems = [
        f"{owner} has no parameter {name!r}; it has {', '.join(known) or 'none'}"
        for name in given
        if name not in known
    ]
    values: dict[str, Any] = {}
    for name, spec in known.items():
        if name not in given:
            if spec.is_required:
                problems.append(f"{owner} needs {name}: {spec.allowed}")
            else:
                values[name] = spec.default
            continue
        raw = given[name]
        try:
            value = msgspec.convert(raw, spec.type)
            problem = spec.problem_with(value)
        except (msgspec.ValidationError, TypeError, OverflowError) as error:
            problem = str(error).lower().replace("`", "")
        if problem:
            problems.append(f"{owner}: {name} = {raw!r} will not do, {problem}; allowed is {spec.allowed}")
        else:
            values[name] = value
    if problems:
        raise PlanError("; ".join(problems))
    return values


def _spec(cls: type, name: str, kind: Any) -> ParameterSpec:
    owner = cls.__name__
    attribute = getattr(cls, name, msgspec.UNSET)
    stated = attribute if isinstance(attribute, Stated) else Stated(default=attribute)
    try:
        info = types.type_info(kind)
        unfit = _unfit(info)
    except (TypeError, NotImplementedError) as error:
        unfit = str(error)
    if unfit:
        raise PluginUnavailable(owner, f"parameter {name} is annotated {kind!r} ({unfit}): {ALLOWED_TYPES}")
    bounded = any(bound is not None for bound in (stated.ge, stated.gt, stated.le, stated.lt))
    if bounded and not isinstance(info, types.IntType | types.FloatType):
        raise PluginUnavailable(owner, f"parameter {name} has bounds, but it is no number: {kind!r}")
    if stated.asked_by and (kind is not str or stated.default is msgspec.UNSET):
        raise PluginUnavailable(
            owner,
            f"parameter {name} is filled with who asks (asked_by={stated.asked_by!r}): make it a str with a "
            'default for when that is nobody, `session: str = ph.param(default="", asked_by="sessions")`',
        )
    unit = stated.unit or _unit_of(name, info)
    fields = msgspec.structs.asdict(stated)
    spec = ParameterSpec(**{**fields, "name": name, "type": kind, "unit": unit})
    if not spec.is_required:
        try:
            problem = spec.problem_with(msgspec.convert(spec.default, kind))
        except (msgspec.ValidationError, TypeError) as error:
            problem = str(error)
        if problem:
            raise PluginUnavailable(
                owner,
                f"the default {spec.default!r} of parameter {name} will not do, {problem}; "
                f"allowed is {spec.allowed}",
            )
    return spec


def _unfit(info: types.Type) -> str:
    """Why a type cannot come from plain data; empty if it can."""
    if isinstance(info, types.CustomType | types.AnyType | types.RawType | types.ExtType):
        return "it could hold anything"
    parts: list[types.Type] = []
    if isinstance(info, types.UnionType):
        parts = list(info.types)
    elif isinstance(info, types.TupleType):
        parts = list(info.item_types)
    elif isinstance(info, types.CollectionType):
        parts = [info.item_type]
    elif isinstance(info, types.DictType):
        parts = [info.key_type, info.value_type]
    return next(filter(None, map(_unfit, parts)), "")


def _unit_of(name: str, info: types.Type) -> str:
    _, underscore, ending = name.rpartition("_")
    if underscore and isinstance(info, types.IntType | types.FloatType):
        return UNITS.get(ending, "")
    return ""


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, msgspec.Struct):
        return all(_is_finite(getattr(value, field)) for field in value.__struct_fields__)
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(_is_finite, value))
    return True
