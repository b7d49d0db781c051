"""Random histories of two persons' hands at real cores: what is kept for whom, and who gets it.

What is kept the test notes by itself, as it happens: a hand that had something and does not have it any
more, by no word of its own, keeps it while its person is there. A failure names its seed: `history(SEED)`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from framework.interlock import Interlock
from framework.registrar.records import ClientLease, ServerPhase
from framework.status import Priority, ReasonKind
from tests.effort import share
from tests.framework.people_there import PERSONS, People
from tests.framework.registrar.simulated import Body, Need, Recipe, World, fail

RECIPES = {
    "motion-left": Recipe("c", moves=True, device="left"),
    "motion-right": Recipe("c", moves=True, device="right"),
    "arm-left": Recipe("c", (Need("motion-left", exclusive=True),), moves=True, device="left"),
    "arm-right": Recipe("c", (Need("motion-right", exclusive=True, wait=True),), moves=True, device="right"),
    "seat": Recipe("c"),
}
#: As what each is kept; what does not move, by its own name.
KEPT_AS = {name: recipe.device for name, recipe in RECIPES.items()} | {"seat": "Thing(name='seat')"}
TAKEN = ("arm-left", "arm-right", "motion-left", "seat")


class History:
    """One of them; `tried` counts what has happened."""

    def __init__(self, seed: int) -> None:
        self.lots = random.Random(seed)
        self.interlock = Interlock(lambda device: ())
        self.people = self.interlock.keepers.people = People("console")
        self.world = World(RECIPES, ("c", *PERSONS), interlock=self.interlock)
        self.kept: dict[str, str] = {}
        self.has: dict[str, tuple[str, str]] = {}
        self.asked: dict[Body, tuple[str, str, str]] = {}
        self.tried: Counter[str] = Counter()
        self.plans = 0

    def run(self) -> None:
        events = (
            *(self.a_hand_takes,) * 6,
            *(self.a_hand_leaves,) * 4,
            *(self.autonomy_asks,) * 2,
            self.a_device_fails,
            self.a_provider_ends,
            self.somebody_comes_or_goes,
            self.it_is_given_back,
        )
        for _ in range(40):
            self.lots.choice(events)()
            self.world.settle()
            self.check()
            if self.lots.random() < 0.3:
                self.world.advance(self.lots.random() * 2)
                self.check()

    def a_hand_takes(self) -> None:
        """With a plan that they, or both, or the console, have asked for, or with none."""
        person, thing = self.lots.choice(PERSONS), self.lots.choice(TAKEN)
        self.plans += 1
        plan = str(self.plans)
        wanted_by = self.lots.choice(((), (person,), (person,), (person,), PERSONS, ("console",)))
        for by in wanted_by:
            self.interlock.want(plan, by)
        permit = self.interlock.permit(plan) if wanted_by else None
        said = {person, *wanted_by}
        keeper = self.kept.get(KEPT_AS[thing], "")
        is_kept = keeper in self.people.there and keeper not in said and "console" not in said
        body = self.world[person].request(
            thing, exclusive=True, priority=Priority.OPERATOR, wait=self.lots.random() < 0.5, permit=permit
        )
        self.world.settle()
        if is_kept:
            assert body.state == "refused" and body.refusal is not None, (
                f"{person} has {thing}, kept for {keeper}"
            )
            reason = body.refusal.status.reason
            assert (reason.kind, reason.holder) == (ReasonKind.HELD, keeper)
            self.tried["refused, as it is kept"] += 1

    def a_hand_leaves(self) -> None:
        bodies = [
            body for person in PERSONS for body in self.world[person].bodies if body.state in ("in", "asking")
        ]
        if bodies:
            body, by_word = self.lots.choice(bodies), self.lots.random() < 0.4
            held = body.held[0]
            if body.state == "in" and held.priority is Priority.OPERATOR:
                self._lets_go(held, by_word=by_word)
            body.leave(by_word=by_word)

    def a_device_fails(self) -> None:
        self._fails(lambda name: fail(self.world["c"], name))

    def a_provider_ends(self) -> None:
        def ends(name: str) -> None:
            next(each for each in self.world["c"].providers.values() if each.name == name).stop("it broke")

        self._fails(ends)

    def autonomy_asks(self) -> None:
        """It drives nothing of a person's away, nor does it keep anything."""
        self.plans += 1
        by = self.lots.choice(("console", *PERSONS, *PERSONS))
        self.interlock.give_word(str(self.plans), by=by)
        permit = self.interlock.permit(str(self.plans))
        thing = self.lots.choice(TAKEN[:3])
        keeper = self.kept.get(KEPT_AS[thing], "")
        is_kept = keeper in self.people.there and by not in (keeper, "console")
        body = self.world["c"].request(thing, exclusive=True, permit=permit)
        self.world.settle()
        if is_kept:
            assert body.state == "refused" and body.refusal is not None
            assert body.refusal.status.reason.kind in (ReasonKind.NEEDS_WORD, ReasonKind.HELD)
            self.tried["autonomy waits for who keeps it"] += 1
        body.leave()

    def somebody_comes_or_goes(self) -> None:
        self.people.there ^= {self.lots.choice(PERSONS)}

    def it_is_given_back(self) -> None:
        person = self.lots.choice(PERSONS)
        self.interlock.keepers.gives_back(person)
        self._free(person)

    # -- what has to be so

    def check(self) -> None:
        """What is granted to a hand by now is nobody's any more; all else is kept as it was."""
        for served in self.world.grants:
            if served.priority is Priority.OPERATOR and served.ask.parent is None:
                thing = KEPT_AS[served.resource.request.name]
                for each in {self.kept.get(thing, served.who), served.who}:
                    self._free(each)
                self.tried["a hand has it"] += 1
        self.world.grants.clear()
        for thing in set(KEPT_AS.values()):
            person = self.kept.get(thing, "")
            expected = person if person in self.people.there else ""
            assert self.interlock.keepers.keeper(thing, ()) == expected, f"{thing} is kept for {expected!r}"

    # -- inside

    def _fails(self, ends: Callable[[str], None]) -> None:
        up = [each for each in self.world["c"].core.by_key.values() if each.state.is_up]
        if not up:
            return
        resource = self.lots.choice(up)
        name = resource.request.name
        lost = {name} | {
            over for over, recipe in RECIPES.items() if any(n.name == name for n in recipe.needs)
        }
        for each in up:
            holder = each.holder
            is_had = holder is not None and holder.phase is ServerPhase.GRANTED and each.moving
            # What does not move and fails is not kept: there is nothing of it to be had.
            if holder is None or not is_had or each.request.name not in lost:
                continue
            if holder.ask.parent is None and holder.priority is Priority.OPERATOR:
                self._lets_go(self.world[holder.who].core.holds[holder.id], by_word=False)
        ends(name)

    def _lets_go(self, held: ClientLease, *, by_word: bool) -> None:
        if not by_word and held.who in self.people.there:
            self.kept[KEPT_AS[held.request.name]] = held.who
            self.tried["kept"] += 1

    def _free(self, person: str) -> None:
        self.kept = {thing: keeper for thing, keeper in self.kept.items() if keeper != person}


def history(seed: int) -> Counter[str]:
    one = History(seed)
    try:
        one.run()
    except AssertionError as error:
        error.add_note(f"history({seed})")
        raise
    return one.tried


def test_nobody_has_what_is_kept_for_another_without_a_word_that_is_enough() -> None:
    tried: Counter[str] = Counter()
    for seed in range(share(200)):
        tried += history(seed)
    least = ("kept", "a hand has it", "refused, as it is kept", "autonomy waits for who keeps it")
    assert all(tried[each] > 10 for each in least), tried
