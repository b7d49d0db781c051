"""What is kept for whom, alone: who lets go how, whose word is enough, who is gone."""

from __future__ import annotations

import pytest

from framework.keepers import Keepers


class Two:
    """Anna and Ben, at a device each; nobody else is; Anna's arm has a hand."""

    def __init__(self) -> None:
        self.there = {"anna", "ben"}

    def keeps(self, person: str) -> bool:
        return person in self.there

    def besides(self, person: str) -> tuple[str, ...]:
        return ("hand",) if person == "anna" else ()

    def disposes(self, by: str, person: str) -> bool:
        return by == person or by not in ("anna", "ben")


def kept(*, by_word: bool = False) -> tuple[Keepers, Two]:
    """Anna has driven the arm from the seat."""
    keepers, people = Keepers(), Two()
    keepers.people = people
    for thing in ("seat", "arm"):
        keepers.takes(thing, "anna")
    for thing in ("arm", "seat"):
        keepers.lets_go(thing, "anna", by_word=by_word)
    return keepers, people


@pytest.mark.parametrize("thing", ["arm", "seat", "hand"])
def test_whoever_is_stopped_keeps_what_they_drove_and_what_goes_with_it(thing: str) -> None:
    keepers, _ = kept()
    assert keepers.keeper(thing, ["ben"]) == "anna"
    assert keepers.keeper(thing, []) == "anna", "no word at all is none of hers"
    for word in ("anna", "console", ""):
        assert keepers.keeper(thing, ["ben", word]) == ""
    assert keepers.persons == ("anna",)


def test_by_their_own_word_nothing_is_kept() -> None:
    keepers, _ = kept(by_word=True)
    assert keepers.persons == ()
    assert keepers.keeper("arm", ["ben"]) == ""


def test_what_is_elsewhere_is_nobodys() -> None:
    keepers, _ = kept()
    assert keepers.keeper("base", ["ben"]) == ""


def test_it_is_given_back_as_a_whole() -> None:
    keepers, _ = kept()
    assert set(keepers.gives_back("anna")) == {"seat", "arm", "hand"}
    assert keepers.keeper("seat", ["ben"]) == ""
    assert keepers.gives_back("anna") == ()


def test_who_takes_it_again_has_it_and_keeps_it_by_that() -> None:
    keepers, _ = kept()
    keepers.takes("arm", "anna")
    assert keepers.persons == ()
    keepers.lets_go("arm", "anna", by_word=False)
    assert keepers.keeper("arm", ["ben"]) == "anna"


def test_whom_it_is_handed_to_takes_all_of_it() -> None:
    keepers, _ = kept()
    keepers.takes("seat", "ben")
    assert keepers.keeper("arm", ["ben"]) == ""


def test_for_whom_is_gone_nothing_is_kept() -> None:
    keepers, people = kept()
    people.there.remove("anna")
    assert keepers.keeper("arm", ["ben"]) == ""
    assert keepers.persons == ()
    gone = Keepers()
    gone.people = people
    gone.lets_go("arm", "anna", by_word=False)
    people.there.add("anna")
    assert gone.keeper("arm", ["ben"]) == "", "they were gone when they let go"


def test_where_nobody_knows_people_nothing_is_kept() -> None:
    keepers = Keepers()
    keepers.lets_go("arm", "anna", by_word=False)
    assert keepers.keeper("arm", ["ben"]) == ""
