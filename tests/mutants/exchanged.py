"""A mutant in a process that has imported everything already: the code of the functions that it changes.

Whoever holds such a function, by whatever name, has it as mutated from then on. What ran while it was
imported has run unmutated, and what a module or a class says outside of its functions cannot be changed any
more: such a mutant wants a process that imports it as mutated (`mutated.py`).
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Final, NamedTuple

from tests.mutants.areas import ROOT
from tests.mutants.catalogue import Mutant
from tests.mutants.mutated import texts_of


class NotExchangeable(Exception):
    """A mutation that changes more than the code of functions that are there; says which."""


class Change(NamedTuple):
    """A function whose code a mutant changes, before and after. A function inside it comes after it."""

    before: CodeType
    after: CodeType


class Functions:
    """The functions of this process that are written in a folder's files, those that exist now."""

    def __init__(self, folder: Path = ROOT) -> None:
        self._known: dict[tuple[str, str, int], list[FunctionType]] = {}
        for each in gc.get_objects():
            if type(each) is FunctionType and each.__code__.co_filename.startswith(f"{folder}/"):
                self._known.setdefault(_place(each.__code__), []).append(each)

    def exchange(self, mutant: Mutant) -> None:
        """Have them run as mutated. Raises NotExchangeable, and DoesNotApply."""
        path = str(ROOT / mutant.file)
        before, after = (compile(text, path, "exec", dont_inherit=True) for text in texts_of(mutant))
        for change in changes(before, after):
            functions = self._known.get(_place(change.before), [])
            if not functions and "<locals>" not in change.before.co_qualname:
                raise NotExchangeable(f"no test has imported {change.before.co_qualname} of {mutant.file}")
            for function in functions:
                if function.__code__.co_freevars != change.after.co_freevars:
                    raise NotExchangeable(f"{function.__qualname__} sees other variables around it")
                function.__code__ = change.after


def changes(before: CodeType, after: CodeType) -> Iterator[Change]:
    """What differs between two codes of a module. Raises NotExchangeable if more than functions does."""
    if _same(before, after):
        return
    if before.co_flags & inspect.CO_OPTIMIZED:
        yield Change(before, after)
    inner, inner_after = _inner(before), _inner(after)
    if [each.co_name for each in inner] != [each.co_name for each in inner_after]:
        inner = inner_after = []
    if not before.co_flags & inspect.CO_OPTIMIZED:
        unmutated = dict(zip(map(id, inner_after), inner, strict=True))
        constants = tuple(unmutated.get(id(each), each) for each in after.co_consts)
        if not _same(before, after.replace(co_consts=constants)):
            raise NotExchangeable(f"{before.co_qualname} of {before.co_filename} says more than functions")
    for pair in zip(inner, inner_after, strict=True):
        yield from changes(*pair)


def _inner(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


#: What a code does, without where it stands in its file.
_DOES: Final = (
    "co_name",
    "co_code",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_flags",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_exceptiontable",
)


def _same(one: CodeType, other: CodeType) -> bool:
    """Whether both do the same, wherever they stand in their files."""
    if any(getattr(one, name) != getattr(other, name) for name in _DOES):
        return False
    ours, theirs = _constants(one), _constants(other)
    return len(ours) == len(theirs) and all(map(_same_constant, ours, theirs))


def _constants(code: CodeType) -> list[object]:
    """From 3.13 on a class knows its own line."""
    is_class = not code.co_flags & inspect.CO_OPTIMIZED
    return [each for each in code.co_consts if not (is_class and each == code.co_firstlineno)]


def _same_constant(one: object, other: object) -> bool:
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return _same(one, other)
    return repr(one) == repr(other)  # 1, 1.0 and True are equal, and so are 0.0 and -0.0


def _place(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno
