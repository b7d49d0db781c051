"""The catalogue fits the code as it is: a mutation that does not apply any more shows nothing."""

from __future__ import annotations

import pytest

from tests.mutants.areas import AREAS, ROOT, Area, area_of
from tests.mutants.catalogue import MUTANTS, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_what_a_mutant_changes_stands_once_in_a_file_of_an_area(mutant: Mutant) -> None:
    assert mutant.before != mutant.after
    assert area_of(mutant.file).test_files()
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.before) == 1


def test_every_mutant_has_a_name_of_its_own() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_what_an_area_names_is_there(area: Area) -> None:
    assert all((ROOT / name).exists() for name in area.files)
    assert all(any(ROOT.glob(pattern)) for pattern in area.tests)
