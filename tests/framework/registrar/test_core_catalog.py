"""The file of the catalog over several incarnations: what each finds of what those before it have written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from framework.registrar import catalog as catalogs
from framework.registrar.catalog import Catalog
from framework.transport.messages import Ask


def ask(lease: str) -> Ask:
    return Ask(lease, "client", "boot", "kind", {"name": lease}, "who")


def leases(catalog: Catalog) -> list[str]:
    return [each.lease for each in catalog.restored]


def test_the_highest_generation_stays_known_whatever_is_granted_or_ended_after_it(tmp_path: Path) -> None:
    """A lower one would be refused by every driver that has seen the higher: nobody could move anything."""
    path = tmp_path / "catalog"
    first = Catalog(path)
    first.granted(ask("exclusive"), 7)
    first.granted(ask("shared"), 0)
    first.ended("exclusive")
    assert first.generation == 7
    first.close()
    second = Catalog(path)
    assert (second.generation, leases(second)) == (7, ["shared"])
    second.ended("shared")
    second.close()
    third = Catalog(path)
    assert (third.generation, leases(third)) == (7, [])
    third.close()
    fourth = Catalog(path)  # of a file in which nothing is left but that
    assert fourth.generation == 7
    fourth.close()


def test_what_ended_is_not_there_again_and_ends_once(tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    catalog = Catalog(path)
    catalog.granted(ask("a"), 1)
    catalog.granted(ask("b"), 2)
    catalog.ended("a")
    size = path.stat().st_size
    catalog.ended("a")
    catalog.ended("never granted")
    assert path.stat().st_size == size
    catalog.close()
    again = Catalog(path)
    assert leases(again) == ["b"]
    again.ended("b")
    again.close()
    last = Catalog(path)
    assert leases(last) == []
    last.close()


@pytest.mark.parametrize("torn", [b'{"granted":{"lea', b"\xff\xfe\n", b"null\n", b"\n"])
def test_a_line_that_cannot_be_read_takes_no_other_along(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "catalog"
    catalog = Catalog(path)
    catalog.granted(ask("a"), 1)
    catalog.granted(ask("b"), 2)
    catalog.close()
    lines = path.read_bytes().splitlines(keepends=True)
    end = b"" if torn.endswith(b"\n") else b"\n"
    path.write_bytes(b"".join([*lines[:-1], torn + end, lines[-1]]))
    again = Catalog(path)
    assert leases(again) == ["a", "b"] and again.generation == 2
    again.close()


def test_a_last_line_without_its_end_is_not_grown_together_with_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    catalog = Catalog(path)
    catalog.granted(ask("a"), 1)
    catalog.close()
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    second = Catalog(path)
    second.granted(ask("b"), 2)
    second.close()
    third = Catalog(path)
    assert leases(third) == ["a", "b"]
    third.close()


def test_it_is_rewritten_when_most_of_it_is_history_and_goes_on_in_the_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogs, "HISTORY", 8)
    path = tmp_path / "catalog"
    (tmp_path / "catalog.new").write_bytes(b"left by a crash while it was rewritten")
    catalog = Catalog(path)
    catalog.granted(ask("stays"), 1)
    longest = 0
    for number in range(100):
        catalog.granted(ask(f"l{number}"), number + 2)
        catalog.ended(f"l{number}")
        longest = max(longest, len(path.read_bytes().splitlines()))
    assert 8 < longest <= 8 + 2 * 2 + 1
    catalog.granted(ask("last"), 200)
    catalog.close()
    again = Catalog(path)
    assert leases(again) == ["stays", "last"] and again.generation == 200
    again.close()
    assert [each.name for each in tmp_path.iterdir()] == ["catalog"]


def test_what_cannot_be_written_any_more_is_given_up_and_harms_nobody(tmp_path: Path) -> None:
    path = tmp_path / "catalog"
    catalog = Catalog(path)
    catalog.granted(ask("a"), 1)
    before = path.read_bytes()
    working, catalog._file = catalog._file, os.open(path, os.O_RDONLY)
    catalog.granted(ask("b"), 2)
    assert catalog._file == -1, "it goes on as if it had been written"
    catalog.granted(ask("c"), 3)
    catalog.ended("a")
    assert path.read_bytes() == before
    catalog._file = working
    catalog.erase()
    assert not path.exists()
