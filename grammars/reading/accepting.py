"""What a parameter takes: words, numbers in a unit, yes and no, one of some texts. From its signature alone.

How that is said, and where it stands in an utterance, is in `slots.py`.
"""

from __future__ import annotations

import msgspec
from msgspec import inspect as types

from framework.plugins.parameters import ParameterSpec
from framework.plugins.phrases import SlotList
from grammars.units import SIGNATURE_UNITS

_NEVER_TEXT = (types.IntType, types.FloatType, types.BoolType, types.NoneType)
_PAIR = 2


class Accepts(msgspec.Struct, frozen=True):
    """What a parameter takes. is_whole: only whole numbers; unit: as the signature has it.

    is_which: it says which one of several things is meant.
    ge, gt, le, lt: limits of numbers.
    """

    is_text: bool = True
    is_number: bool = False
    is_whole: bool = False
    is_flag: bool = False
    unit: str = ""
    choices: tuple[str, ...] = ()
    is_which: bool = False
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None

    def fits(self, value: float) -> bool:
        """Whether a number is within the limits."""
        return (
            (self.ge is None or value >= self.ge)
            and (self.gt is None or value > self.gt)
            and (self.le is None or value <= self.le)
            and (self.lt is None or value < self.lt)
        )

    @property
    def dimension(self) -> str:
        """The SI unit of quantities that fit; empty for plain numbers."""
        unit = SIGNATURE_UNITS.get(self.unit)
        return unit.dimension if unit is not None else self.unit


def accepts(parameter: ParameterSpec) -> Accepts:
    """What may be given for a parameter of a signature."""
    if chosen := choices(parameter):
        return Accepts(is_text=False, choices=chosen, is_which=bool(parameter.which))
    info = types.type_info(parameter.type)
    kinds = info.types if isinstance(info, types.UnionType) else (info,)
    is_float = any(isinstance(kind, types.FloatType) for kind in kinds)
    is_int = any(isinstance(kind, types.IntType) for kind in kinds)
    return Accepts(
        is_text=any(not isinstance(kind, _NEVER_TEXT) for kind in kinds),
        is_number=is_float or is_int,
        is_whole=is_int and not is_float,
        is_flag=any(isinstance(kind, types.BoolType) for kind in kinds),
        unit=parameter.unit,
        ge=parameter.ge,
        gt=parameter.gt,
        le=parameter.le,
        lt=parameter.lt,
    )


def pair_of(said: SlotList | None) -> tuple[str, ...]:
    """The two values of a list that has just these; empty for others, and where names come from a world."""
    if said is None or said.provider or len(said.values) != _PAIR:
        return ()
    return tuple(value for value, _ in said.values)


def choices(parameter: ParameterSpec) -> tuple[str, ...]:
    """The only texts that can be said for it; empty if the parameter is no choice among texts.

    An empty text is what is left out: nobody says it.
    """
    if parameter.one_of:
        return tuple(each for each in parameter.one_of if isinstance(each, str) and each.strip())
    info = types.type_info(parameter.type)
    if isinstance(info, types.EnumType):
        return tuple(member.value for member in info.cls if isinstance(member.value, str))
    if isinstance(info, types.LiteralType):
        return tuple(each for each in info.values if isinstance(each, str))
    return ()
