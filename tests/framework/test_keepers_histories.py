"""Random histories of who takes, lets go and gives back what, beside a list of it all: for whom it is kept.

The list knows no rules of keeping, only what happened in which order; for whom a thing is kept is read off it
anew at each step. A failure names its seed: `history(SEED)` is that one again.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter

from framework.keepers import Keepers
from tests.effort import share

PERSONS = ("anna", "ben", "cleo")
THINGS = ("arm", "base", "seat", "hand")

#: Whose word is enough for what is kept for whom, besides their own: the console's for all, Ben's for Cleo's.
DISPOSING = {("console", each) for each in PERSONS} | {("ben", "cleo")}


class People:
    """Who is there; what goes with what they drive changes in between."""

    def __init__(self) -> None:
        self.there = set(PERSONS)
        self.with_it: dict[str, tuple[str, ...]] = {}

    def keeps(self, person: str) -> bool:
        return person in self.there

    def besides(self, person: str) -> tuple[str, ...]:
        return self.with_it.get(person, ())

    def disposes(self, by: str, person: str) -> bool:
        return (by, person) in DISPOSING


class History:
    """What happened: ("kept", thing, person), and ("free", "", person) for all that was theirs."""

    def __init__(self, seed: int) -> None:
        self.lots = random.Random(seed)
        self.people = People()
        self.keepers = Keepers()
        self.keepers.people = self.people
        self.list: list[tuple[str, str, str]] = []
        self.tried: Counter[str] = Counter()

    def run(self, steps: int) -> None:
        events = (self.takes, self.lets_go, self.lets_go, self.gives_back, self.comes_or_goes, self.grips)
        for _ in range(steps):
            self.lots.choice(events)()
            self.check()

    def takes(self) -> None:
        thing, person = self.lots.choice(THINGS), self.lots.choice(PERSONS)
        for each in {self.kept_for(thing), person} - {""}:
            self.list.append(("free", "", each))
        self.keepers.takes(thing, person)

    def lets_go(self) -> None:
        thing, person = self.lots.choice(THINGS), self.lots.choice(PERSONS)
        by_word = self.lots.random() < 0.3
        if not by_word and person in self.people.there:
            self.list += [("kept", each, person) for each in (thing, *self.people.besides(person))]
        self.keepers.lets_go(thing, person, by_word=by_word)

    def gives_back(self) -> None:
        person = self.lots.choice(PERSONS)
        theirs = {thing for thing in THINGS if self.kept_for(thing) == person}
        self.list.append(("free", "", person))
        assert set(self.keepers.gives_back(person)) == theirs

    def comes_or_goes(self) -> None:
        self.people.there ^= {self.lots.choice(PERSONS)}

    def grips(self) -> None:
        self.people.with_it = {self.lots.choice(PERSONS): ("hand",)}

    def kept_for(self, thing: str) -> str:
        """By the list: the last who kept it, unless they have given back since."""
        for at in reversed(range(len(self.list))):
            what, which, person = self.list[at]
            if what == "kept" and which == thing:
                return "" if ("free", "", person) in self.list[at:] else person
        return ""

    def check(self) -> None:
        for thing in THINGS:
            person = self.kept_for(thing)
            for said in (*itertools.combinations((*PERSONS, "console"), 2), ("",), ()):
                enough = any(by == person or (by, person) in DISPOSING for by in said)
                expected = person if person in self.people.there and not enough else ""
                assert self.keepers.keeper(thing, said) == expected, (thing, said, self.list)
                self.tried["kept" if expected else "free"] += 1
        kept = {self.kept_for(thing) for thing in THINGS}
        assert set(self.keepers.persons) == kept & self.people.there
        assert len(set(self.keepers.persons)) == len(self.keepers.persons)


def history(seed: int, steps: int = 40) -> History:
    played = History(seed)
    played.run(steps)
    return played


def test_whatever_people_do_a_thing_is_kept_for_who_let_go_of_it_last() -> None:
    tried: Counter[str] = Counter()
    for seed in range(share(200)):
        tried += history(seed).tried
    assert min(tried["kept"], tried["free"]) > 1000
