"""Random histories of hands, plans, losses, stops and words: nothing autonomous moves on without a word.

Real cores and a real interlock, on a wire and a clock of the test's own. Which devices were lost, and to
which plan somebody has said that it goes on, the test notes by itself, in the order in which that happens:

* a hand that had something lets go of it without a word of its own: lost, with all that it could hit;
* a device fails while somebody has it: lost; an emergency stop: everything is lost.

After that no plan may be granted what was lost, nor still have it, unless there was a word to it since.
A failure names its seed: `history(SEED)` is that one again.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from framework.interlock import Interlock, Loss, LossKind, Permit
from framework.registrar.records import Resource, ServerLease, ServerPhase
from framework.status import Priority, ReasonKind, Severity
from tests.framework.registrar.simulated import Body, Need, Recipe, World
from tests.framework.registrar.simulated.world import fail

REACH = {"left": ("right",), "right": ("left",), "base": ()}
DEVICES = tuple(REACH)

#: The right to move a device; an arm that is chosen; a sweep that moves for whoever looks.
RECIPES = {
    "motion-left": Recipe("c", moves=True, device="left"),
    "motion-right": Recipe("c", moves=True, device="right"),
    "motion-base": Recipe("c", moves=True, device="base"),
    "arm-left": Recipe("c", (Need("motion-left", exclusive=True),), moves=True, device="left"),
    "arm-right": Recipe("c", (Need("motion-right", exclusive=True, wait=True),), moves=True, device="right"),
    "sweep": Recipe("c", (Need("motion-right", exclusive=True),), moves=True, device="right"),
    "cloud": Recipe("s", (Need("sweep", exclusive=True),)),
}
MOVED = ("arm-left", "arm-right", "motion-left", "motion-base", "sweep")
PLANS = tuple(f"plan {number}" for number in range(4))
MOST_BODIES = 9
EVENTS = 60


class History:
    """One of them; `tried` counts what has happened."""

    def __init__(self, seed: int) -> None:
        self.lots = random.Random(seed)
        self.interlock = Interlock(REACH.__getitem__)
        self.world = World(RECIPES, ("u", "c", "s"), interlock=self.interlock)
        self.tried: Counter[str] = Counter()
        self._plans: dict[Body, str] = {}
        self._hands: dict[Body, str] = {}
        self._moment = 0
        self._lost_at = dict.fromkeys(DEVICES, 0)
        self._left_at = (
            0  # a hand, by no word, or a device has failed: who had it by then, only the cores know
        )
        self._known_at = dict(self._lost_at)
        self._word_at = dict.fromkeys(PLANS, 0)
        for plan in PLANS:
            self._word(plan)

    def run(self) -> None:
        """All of it; then a word lets a plan have everything again."""
        events = (
            *(self.a_plan_asks,) * 5,
            *(self.a_hand_takes,) * 3,
            *(self.a_hand_is_done,) * 2,
            *(self.a_hand_is_lost,) * 2,
            *(self.somebody_says_so,) * 2,
            *(self.time_passes,) * 3,
            self.a_plan_is_done,
            self.a_plan_is_paused,
            self.a_device_fails,
            self.an_emergency_stop,
        )
        for _ in range(EVENTS):
            self._moment += 1
            self.lots.choice(events)()
            self.check_grants()
            if self.lots.random() < 0.8:
                self.world.settle()
                self.check_grants()
                self.check_holders()
        self.world.release_all()
        self.world.advance(5.0)
        self._word(PLANS[0])
        for thing in ("arm-left", "arm-right", "motion-base"):
            self.tried["has it after a word"] += self._ask(PLANS[0], thing).state == "in"
        assert self.tried["has it after a word"] == 3

    # -- what happens

    def a_plan_asks(self) -> None:
        plan = self.lots.choice(PLANS)
        match self.lots.randrange(6):
            case 0:
                self._ask(plan, "cloud", exclusive=False)
            case 1:
                self._ask(plan, "arm-left", "arm-right", group=True, wait=self.lots.random() < 0.5)
            case _:
                self._ask(plan, self.lots.choice(MOVED), wait=self.lots.random() < 0.5)

    def a_plan_is_done(self) -> None:
        if self._plans:
            self._leave(self.lots.choice(list(self._plans)), by_word=True)

    def a_plan_is_paused(self) -> None:
        self.interlock.suspend(self.lots.choice(PLANS), self.lots.random() < 0.5)

    def a_hand_takes(self) -> None:
        thing = self.lots.choice(("arm-left", "arm-right", "motion-base", "motion-left"))
        body = self.world["u"].request(thing, exclusive=True, priority=Priority.OPERATOR, wait=True)
        self._hands[body] = RECIPES[thing].device

    def a_hand_is_done(self) -> None:
        if self._hands:
            self._leave(self.lots.choice(list(self._hands)), by_word=True)

    def a_hand_is_lost(self) -> None:
        if self._hands:
            self._leave(self.lots.choice(list(self._hands)), by_word=False)

    def somebody_says_so(self) -> None:
        self._word(self.lots.choice(PLANS))

    def a_device_fails(self) -> None:
        self._left_at = self._moment
        device = self.lots.choice(DEVICES)
        for resource in list(self.world["c"].core.by_key.values()):
            if resource.request.name == f"motion-{device}":
                holder = resource.holder
                if resource.state.is_up and holder is not None and holder.phase is ServerPhase.GRANTED:
                    self._lose(device, by_hand=holder.priority is Priority.OPERATOR)
                fail(self.world["c"], resource.request.name)
                return

    def an_emergency_stop(self) -> None:
        for device in DEVICES:
            self._lose(device)
        self.interlock.raise_all(Loss(LossKind.EMERGENCY))

    def time_passes(self) -> None:
        self.world.advance(self.lots.random() * 1.5)

    # -- what has to be

    def check_grants(self) -> None:
        """Of the last event: each had to heed what was lost, and known everywhere, before it."""
        for served in self.world.grants:
            self._check(served, self._known_at)
        self.world.grants.clear()

    def check_holders(self) -> None:
        """When nothing is on its way: what has been lost by now is known everywhere."""
        self._known_at = dict(self._lost_at)
        for node in self.world.nodes.values():
            for resource in node.core.resources.values():
                holder = resource.holder
                if resource.moving and holder is not None and holder.phase is ServerPhase.GRANTED:
                    self._check(holder, self._lost_at)

    def _check(self, served: ServerLease, lost_at: dict[str, int]) -> None:
        if served.priority is Priority.OPERATOR or not served.resource.moving:
            return
        device = served.resource.device
        plans = self._behind(served)
        said_at = max((self._word_at[plan] for plan in plans), default=0)
        self.tried["moves by itself"] += 1
        assert not plans or said_at > lost_at[device], (
            f"{device} moves for {', '.join(plans)}, last told so at {said_at}; "
            f"it was lost at {lost_at[device]}, now is {self._moment}"
        )

    def _behind(self, served: ServerLease) -> set[str]:
        """The plans for which that lease is in the end; none if they have just left."""
        found: set[str] = set()
        for body, plan in self._plans.items():
            found |= {plan} if any(held.id == served.id for held in body.held) else set()
        for node in self.world.nodes.values():
            for resource in node.core.resources.values():
                if served.id in resource.holds:
                    found |= self._behind_resource(resource)
        return found

    def _behind_resource(self, resource: Resource) -> set[str]:
        live = (each for each in resource.leases.values() if each.phase is not ServerPhase.ENDED)
        return set[str]().union(*map(self._behind, live))

    # -- inside

    def _ask(
        self, plan: str, *things: str, exclusive: bool = True, group: bool = False, wait: bool = False
    ) -> Body:
        live = [body for body in self._plans if body.state in ("asking", "taking", "in")]
        for body in live[: max(0, len(live) - MOST_BODIES)]:
            self._leave(body, by_word=True)
        permit = self.interlock.permit(plan)
        body = self.world["u"].request(*things, exclusive=exclusive, group=group, wait=wait, permit=permit)
        body.is_stubborn = self.lots.random() < 0.2
        self._plans[body] = plan
        self.world.settle()
        self.tried["a plan asks"] += 1
        if body.refusal is not None and body.refusal.status.reason.kind is ReasonKind.NEEDS_WORD:
            was_lost = max(self._left_at, *self._lost_at.values()) >= self._word_at[plan]
            assert was_lost, f"{plan} waits for a word, and nothing was lost since the last one"
            self.tried["refused with reason"] += 1
        self.tried["a plan waits for a word"] += self.interlock.awaited(plan) is not None
        return body

    def _leave(self, body: Body, *, by_word: bool) -> None:
        device = self._hands.pop(body, "")
        if device and not by_word:
            self._left_at = self._moment
        if device and not by_word and body.state == "in":
            self._lose(device, by_hand=True)
        self._plans.pop(body, None)
        body.leave(by_word=by_word)

    def _lose(self, device: str, *, by_hand: bool = False) -> None:
        self.tried["lost"] += 1
        for each in (device, *(REACH[device] if by_hand else ())):
            self._lost_at[each] = self._moment

    def _word(self, plan: str) -> None:
        self.world.settle()  # what was lost by now is known
        self._moment += 1
        self._word_at[plan] = self._moment
        self.interlock.give_word(plan)


def history(seed: int) -> Counter[str]:
    one = History(seed)
    try:
        one.run()
    except AssertionError as error:
        error.add_note(f"history({seed})")
        raise
    return one.tried


def histories(seeds: range) -> None:
    tried: Counter[str] = Counter()
    for seed in seeds:
        tried += history(seed)
    least = {"moves by itself": 20, "a plan waits for a word": 3, "lost": 4}
    assert all(tried[what] > count * len(seeds) for what, count in least.items()), tried


def test_who_looks_at_what_sweeps_does_not_hold_it_still() -> None:
    one = History(0)
    one.interlock.raise_for("right", Loss(LossKind.HAND))
    looking = Permit("looks", is_still=True)
    body = one.world["u"].request("cloud", permit=looking)
    one.world.settle()
    assert body.state == "refused"
    still = one.world["u"].request("arm-right", exclusive=True, permit=looking)
    one.world.settle()
    assert still.state == "in"


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_nothing_moves_by_itself_after_a_loss_unless_somebody_said_so(first: int) -> None:
    histories(range(first, first + 50))


@pytest.mark.parametrize("seed", [7962, 9219])
def test_two_lives_of_one_thing_may_have_failed_in_the_same_words_for_different_reasons(seed: int) -> None:
    """One lacked a word because something was unplugged, the other one stood on what was."""
    history(seed)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1000, 11_000, 1000))
def test_nothing_moves_by_itself_in_ten_thousand_histories(first: int) -> None:
    histories(range(first, first + 1000))


def test_who_is_being_thrown_out_already_is_not_thrown_out_again() -> None:
    """Two stops in a row: one word to the body, and its time to leave does not begin anew."""
    one = History(0)
    body = one._ask(PLANS[0], "motion-left")
    body.is_stubborn = True
    one.interlock.raise_all(Loss(LossKind.EMERGENCY))
    one.world.advance(0.4)
    one.interlock.raise_all(Loss(LossKind.EMERGENCY))
    one.world.settle()
    assert [status.severity for status in body.statuses] == [Severity.FATAL]
    one.world.advance(0.11)
    (resource,) = (
        each for each in one.world["c"].core.resources.values() if each.request.name == "motion-left"
    )
    assert resource.holder is None


def test_what_a_provider_says_that_it_moves_counts_before_what_its_request_is_called() -> None:
    one = History(0)
    one._ask(PLANS[0], "cloud", exclusive=False)
    resource = next(
        each for each in one.world["c"].core.resources.values() if each.request.name == "motion-right"
    )
    assert resource.device == "right"
    one.world["c"].happen(lambda core: core.lifecycle.moves(resource.number))
    assert resource.device == "right"
    one.world["c"].happen(lambda core: core.lifecycle.moves(resource.number, "base"))
    assert resource.device == "base"


def arm_in_hand(*, is_free: bool) -> tuple[History, Body]:
    """A person's hand asks for an arm; unless that is free, a plan has it and does not let go at once."""
    one = History(0)
    if not is_free:
        body = one._ask(PLANS[0], "motion-left")
        body.is_stubborn = True
    hand = one.world["u"].request("arm-left", exclusive=True, priority=Priority.OPERATOR, wait=True)
    one.world.settle()
    assert hand.state == ("in" if is_free else "asking")
    return one, hand


@pytest.mark.parametrize("by_word", [True, False])
def test_the_word_of_who_leaves_before_they_had_anything_reaches_what_was_asked_to_let_go(
    by_word: bool,
) -> None:
    one, hand = arm_in_hand(is_free=False)
    epoch = one.interlock.epoch
    hand.leave(by_word=by_word)
    one.world.advance(3.0)
    assert (one.interlock.epoch > epoch) is not by_word


def test_a_hand_is_lost_once_however_late_what_is_below_is_given_back() -> None:
    """The word that follows the loss counts, and what goes down slowly does not take it away."""
    one, hand = arm_in_hand(is_free=True)
    one.world.stop_mode["arm-left"] = "hang"
    hand.leave()
    one.world.settle()
    epoch = one.interlock.epoch
    one.interlock.give_word(PLANS[0])
    one.world.advance(3.0)
    assert one.interlock.epoch == epoch
    assert one._ask(PLANS[0], "motion-left").state == "in"


def test_only_what_moves_is_said_to_move() -> None:
    interlock = Interlock()
    world = World({"lamp": Recipe("c"), "arm": Recipe("c", moves=True)}, ("u", "c"), interlock=interlock)
    permit = Permit("plan", "node")
    for name in ("lamp", "arm"):
        world["u"].request(name, exclusive=True, permit=permit)
    world.settle()
    assert set(interlock.moved_for("node")) == {"Thing(name='arm')"}
