"""The catalogue fits the code as it is: a mutation that does not apply any more shows nothing."""

from __future__ import annotations

import pytest

from tests.mutants.areas import AREAS, ROOT, Area, area_of
from tests.mutants.catalogue import MUTANTS


def test_what_a_mutant_changes_stands_once_in_a_file_of_an_area() -> None:
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in {each.file for each in MUTANTS}}
    assert all(area_of(file).test_files() for file in texts)
    assert [each.name for each in MUTANTS if each.before == each.after] == []
    counts = {each.name: texts[each.file].count(each.before) for each in MUTANTS}
    assert {name: count for name, count in counts.items() if count != 1} == {}


def test_every_mutant_has_a_name_of_its_own() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_what_an_area_names_is_there(area: Area) -> None:
    assert all((ROOT / name).exists() for name in area.files)
    assert all(any(ROOT.glob(pattern)) for pattern in area.tests)
