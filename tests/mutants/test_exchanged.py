"""A mutant's code runs wherever its functions are known, and what is no function is left to a new process."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.catalogue import Mutant
from tests.mutants.exchanged import Functions, NotExchangeable, changes
from tests.mutants.mutated import DoesNotApply

TEXT = """
from functools import wraps

LIMIT = 3

def twice(function):
    @wraps(function)
    def called(value):
        return 2 * function(value)
    return called

@twice
def below(value, limit=LIMIT):
    return min([each for each in (value, limit)])

class Arm:
    HIGHEST = 5

    @property
    def height(self):
        return 4
"""


def module(folder: Path) -> ModuleType:
    file = folder / "exchanged_arm.py"
    file.write_text(TEXT, encoding="utf-8")
    spec = spec_from_file_location("exchanged_arm", file)
    assert spec is not None and spec.loader is not None
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def mutant(folder: Path, before: str, after: str) -> Mutant:
    return Mutant("one", str(folder / "exchanged_arm.py"), before, after, "nothing")


def test_whoever_holds_a_function_has_it_as_mutated(tmp_path: Path) -> None:
    arm = module(tmp_path)
    below, height = arm.below, arm.Arm().__class__.height
    functions = Functions(tmp_path)
    assert (below(7), height.fget(None)) == (6, 4)
    functions.exchange(mutant(tmp_path, "    return min([", "\n    return max(["))
    assert (below(7), height.fget(None)) == (14, 4)
    functions.exchange(mutant(tmp_path, "return 4", "return 9"))
    assert arm.Arm().height == 9


def test_so_has_who_was_wrapped_by_it_before(tmp_path: Path) -> None:
    arm = module(tmp_path)
    Functions(tmp_path).exchange(mutant(tmp_path, "return 2 *", "return 5 *"))
    assert arm.below(1) == 5
    assert arm.twice(lambda value: value)(3) == 15


@pytest.mark.parametrize(
    ("before", "after"), [("LIMIT = 3", "LIMIT = 4"), ("HIGHEST = 5", "HIGHEST = 6"), ("=LIMIT)", "=1)")]
)
def test_what_is_said_outside_of_functions_is_not_exchanged(tmp_path: Path, before: str, after: str) -> None:
    arm = module(tmp_path)
    with pytest.raises(NotExchangeable, match="says more than functions"):
        Functions(tmp_path).exchange(mutant(tmp_path, before, after))
    assert (arm.LIMIT, arm.Arm.HIGHEST, arm.below(7)) == (3, 5, 6)


def test_a_function_that_nobody_has_imported_is_not_exchanged(tmp_path: Path) -> None:
    module(tmp_path)
    with pytest.raises(NotExchangeable, match="no test has imported"):
        Functions(tmp_path / "elsewhere").exchange(mutant(tmp_path, "return 4", "return 9"))


def test_a_mutation_that_does_not_fit_is_told(tmp_path: Path) -> None:
    module(tmp_path)
    with pytest.raises(DoesNotApply, match="occurs 0 times"):
        Functions(tmp_path).exchange(mutant(tmp_path, "return 8", "return 9"))


def test_where_a_function_stands_is_no_change_but_the_kind_of_a_number_is() -> None:
    def changed(before: str, after: str) -> list[str]:
        codes = (compile(text, "arm.py", "exec", dont_inherit=True) for text in (before, after))
        return [change.before.co_qualname for change in changes(*codes)]

    assert changed("def up(): return 1", "\n\n\ndef up():\n    return 1") == []
    assert changed("def up(): return 1", "def up(): return True") == ["up"]
    inner = changed("def up(): return lambda: 1", "def up(): return lambda: 2")
    assert inner == ["up", "up.<locals>.<lambda>"]
