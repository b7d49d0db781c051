"""Who may move what after a hand, a loss, a stop or a word; and what is kept for whom.

Two arms that could hit each other and a base that they could not. The ledger notes only what people have
said and lost, and when.
"""

from __future__ import annotations

from typing import Final

import msgspec

from framework.errors import Preempted
from framework.interlock import Interlock, Listener, Loss, LossKind
from framework.scenarios.invariants import Breach
from framework.status import Priority, ReasonKind
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.stage import History, HistoryStage
from pilothouse.testbed.histories.things import Asked, Base, Tower, label
from pilothouse.testbed.histories.users import User

LEFT, RIGHT, WHEELS = Asked("left"), Asked("right"), Asked("wheels")
DEVICES: Final = (LEFT, RIGHT, WHEELS)
KEEPING = Breach.KEEPING
MOTION = Breach.SURPRISE_MOTION
REACH: Final = {"left": ("right",), "right": ("left",), "wheels": ()}
RESTS_S: Final = 0.05
SETTLED_S: Final = 0.9


class Present:
    """The people who are there. Nobody in particular ("", the console) disposes of everything."""

    def __init__(self) -> None:
        self.here: set[str] = set()
        self.goes_with: dict[str, tuple[str, ...]] = {}

    def keeps(self, person: str) -> bool:
        return person in self.here

    def besides(self, person: str) -> tuple[str, ...]:
        return self.goes_with.get(person, ())

    def disposes(self, by: str, person: str) -> bool:
        return by == ""


async def robots(stage: HistoryStage, *, knows_reach: bool = True) -> Present:
    """Three devices, a registrar for each, and those who want them. knows_reach: which could hit which."""
    stage.interlock = Interlock((lambda device: REACH.get(device, ())) if knows_reach else None)
    people = Present()
    stage.interlock.keepers.people = people
    for name in ("robot", "loops", "plans", "people"):
        await stage.enter(name)
    stage.offer("robot", Base, preempt_grace_s=0.5)
    stage.offer("loops", Asked, preempt_grace_s=0.5)
    is_tall = stage.lots.random() < 0.5  # what is asked for stands on another thing of the same device
    for each in DEVICES:
        below = Base(each.device)
        thing = stage.thing(each, *([(below, {"exclusive": True})] if is_tall else []))
        thing.rest_s = RESTS_S
        if is_tall:
            stage.thing(below).rest_s = RESTS_S
    return people


class Words:
    """Who has said what, and what was lost when: all that the outside knows."""

    def __init__(self) -> None:
        self.now = 0
        self.lost: dict[str, int] = {}
        self.word: dict[str, int] = {}

    def says(self, plan: str) -> None:
        self.now += 1
        self.word[plan] = self.now

    def loses(self, *devices: str) -> None:
        self.now += 1
        self.lost |= dict.fromkeys(devices, self.now)

    def may(self, plan: str, device: str) -> bool:
        return self.word.get(plan, 0) > self.lost.get(device, -1)


async def losses(stage: HistoryStage) -> None:
    """What moves by itself has it only by a word since the last loss; hands come and go, stops, faults."""
    lots = stage.lots
    await robots(stage)
    interlock = stage.interlock
    assert interlock is not None
    words = Words()
    plans: dict[str, User] = {}
    hands: dict[Asked, User] = {}
    number = 0
    for _ in range(lots.randint(8, 16)):
        device = lots.choice(DEVICES)
        match lots.choice(
            ("plan", "plan", "plan", "hand", "hand", "let go", "let go", "stop", "fault", "word", "still")
        ):
            case "plan":
                number += 1
                plan = f"plan {number}"
                words.says(plan)
                interlock.give_word(plan, by="ann")
                plans[plan] = stage.user(
                    "plans", device, who=plan, exclusive=True, wait=True, permit=stage.permit(plan)
                )
            case "hand" if device not in hands:
                taken = [each for each in plans.values() if each.requests == (device,) and each.has_it]
                hands[device] = stage.user(
                    "people",
                    device,
                    who=f"hand {number}",
                    exclusive=True,
                    wait=True,
                    priority=Priority.OPERATOR,
                )
                await stage.settle(SETTLED_S)
                must(hands[device].has_it, f"a hand does not get {label(device)}")
                for each in taken:
                    must(
                        each.told_s is not None,
                        f"{each.who} is not told that a hand has {label(device)}",
                        Breach.UNTOLD,
                    )
            case "let go" if hands:
                device = lots.choice(list(hands))
                hand = hands.pop(device)
                by_word = lots.random() < 0.5
                if not by_word:
                    words.loses(device.device, *REACH[device.device])
                hand.leave(by_word=by_word, why="" if by_word else "its link broke")
            case "stop":
                words.loses(*(each.device for each in DEVICES))
                interlock.raise_all(Loss(LossKind.EMERGENCY, "somebody"))
            case "fault":
                thing = stage.things[device]
                moved = [each for each in stage.users if each.requests == (device,) and each.has_it]
                if thing.is_up and moved:
                    is_hand = device in hands
                    words.loses(device.device, *(REACH[device.device] if is_hand else ()))
                    thing.fail("its fuse blew")
                    hands.pop(device, None)
            case "word" if plans:
                plan = lots.choice(list(plans))
                words.says(plan)
                interlock.give_word(plan, by="ann")
            case "still":
                permit = interlock.permit("nobody's")
                still = stage.user(
                    "plans",
                    device,
                    who="holder",
                    exclusive=True,
                    permit=msgspec.structs.replace(permit, is_still=True),
                )
                await stage.settle(SETTLED_S)
                must(still.reason is not ReasonKind.NEEDS_WORD, "what only holds still needs a word", KEEPING)
                still.leave()
        await stage.settle(SETTLED_S)
        judge_words(stage, words, plans, hands)


def judge_words(stage: HistoryStage, words: Words, plans: dict[str, User], hands: dict[Asked, User]) -> None:
    """Everybody has what they may have, and nobody what they may not."""
    for plan, user in list(plans.items()):
        (device,) = user.requests
        name = label(device)
        if words.may(plan, device.device):
            if user.waits and device not in hands:
                others = [
                    each.who
                    for each in plans.values()
                    if each is not user and each.requests == (device,) and each.has_it
                ]
                must(others, f"{plan} has the word, and does not get {name}, which is free", KEEPING)
        elif user.over_s is None:
            must(
                False,
                f"{plan} has {name}, or waits for it, without a word since it was lost",
                Breach.SURPRISE_MOTION,
            )
        if user.over_s is not None:
            del plans[plan]
    for device, hand in hands.items():
        must(hand.has_it, f"a hand loses {label(device)}", KEEPING)
    for request in stage.things:
        masters = [each for each in stage.users if each.requests == (request,) and each.has_it]
        must(len(masters) <= 1, f"{label(request)} has {len(masters)} masters")
        if masters and lots_move(stage):
            masters[0].send()


def lots_move(stage: HistoryStage) -> bool:
    """Who has something moves it, most of the time."""
    return stage.lots.random() < 0.7


async def refused_words(stage: HistoryStage) -> None:
    """A plan without a word is refused for that, waits for it, and goes on with it; nobody else does."""
    lots = stage.lots
    knows_reach = lots.random() < 0.7
    await robots(stage, knows_reach=knows_reach)
    interlock = stage.interlock
    assert interlock is not None
    interlock.give_word("before", by="ann")
    hand = stage.user("people", LEFT, who="ann", exclusive=True, priority=Priority.OPERATOR)
    await stage.settle(0.3)
    hand.leave(why="its link broke")
    await stage.settle(0.3)
    device = lots.choice(DEVICES)
    plan = stage.user("plans", device, who="plan", exclusive=True, wait=True, permit=stage.permit("before"))
    await stage.settle(0.3)
    if device == WHEELS and knows_reach:
        must(plan.has_it, "what no lost hand could hit needs a word", KEEPING)
        return
    must(
        plan.reason is ReasonKind.NEEDS_WORD,
        f"it is refused for {plan.reason}: {plan.error}",
        Breach.SURPRISE_MOTION,
    )
    must("link broke" in str(plan.error), f"it is not said why: {plan.error}", Breach.UNTOLD)
    must(interlock.awaited("before") is not None, "nobody knows that it waits for a word", Breach.UNTOLD)
    nobody = stage.user("plans", device, who="a program", exclusive=True, wait=lots.random() < 0.5)
    await stage.settle(0.3)
    must(
        nobody.reason is ReasonKind.NEEDS_WORD,
        f"of no plan it moves: {nobody.error!r}",
        Breach.SURPRISE_MOTION,
    )
    if not stage.things[device].needs:
        looks = stage.user("plans", device, who="looker")
        await stage.settle(0.1)
        must(looks.has_it, "who only looks needs a word", KEEPING)
    again = stage.user("plans", device, who="plan", exclusive=True, wait=True, permit=stage.permit("before"))
    await stage.settle(0.3)
    must(again.has_s is None, "it moves because somebody looks", Breach.SURPRISE_MOTION)
    interlock.give_word("before", by="ann")
    must(interlock.awaited("before") is None, "it waits for a word that it has", KEEPING)
    now = stage.user("plans", device, who="plan", exclusive=True, wait=True, permit=stage.permit("before"))
    await stage.settle(0.3)
    must(now.has_it, f"it has the word and not the device: {now.error}", KEEPING)


async def interrupted(stage: HistoryStage) -> None:
    """What a hand has interrupted goes on when it is let go by word, and not if it was lost."""
    lots = stage.lots
    people = await robots(stage)
    interlock = stage.interlock
    assert interlock is not None
    people.here = {"ann"} if lots.random() < 0.5 else set()
    interlock.give_word("plan", by="ann")
    first = stage.user("plans", LEFT, who="plan", exclusive=True, permit=stage.permit("plan"))
    await stage.settle(0.3)
    first.send()
    hand = stage.user("people", LEFT, who="ann", exclusive=True, wait=True, priority=Priority.OPERATOR)
    await stage.settle(SETTLED_S)
    must(first.told_s is not None and hand.has_it, "a hand does not get what a plan has")
    hand.send()
    again = stage.user("plans", LEFT, who="plan", exclusive=True, wait=True, permit=stage.permit("plan"))
    other = stage.user("plans", RIGHT, who="plan", exclusive=True, wait=True, permit=stage.permit("plan"))
    await stage.settle(0.3)
    must(again.waits and other.has_it, "beside a hand things are not as they should be")
    by_word = lots.random() < 0.5
    if not by_word and lots.random() < 0.3:
        stage.things[LEFT].stop_s = 0.4
        stage.kill("people")
    else:
        hand.leave(by_word=by_word)
    if not by_word and lots.random() < 0.5:
        await stage.settle(0.01)
        interlock.give_word("plan", by="ann")  # just after, while it still comes to rest
        await stage.settle(SETTLED_S)
        late = stage.user("plans", LEFT, who="plan", exclusive=True, wait=True, permit=stage.permit("plan"))
        await stage.settle(SETTLED_S)
        must(late.has_it or again.has_it, f"a word is taken back: {late.error}", KEEPING)
        return
    await stage.settle(SETTLED_S)
    if by_word:
        must(
            again.has_it and other.has_it,
            f"it does not go on although the hand is done: {again.error}",
            KEEPING,
        )
    else:
        must(
            not again.has_it and not other.has_it,
            "it goes on by itself after a lost hand",
            Breach.SURPRISE_MOTION,
        )
        is_by_hand = isinstance(other.error, Preempted) and "ann" in str(other.error.by)
        must(is_by_hand, f"what ends with ann's lost hand hears {other.error!r}", Breach.UNTOLD)


def drives(stage: HistoryStage, device: Asked, who: str, *, wait: bool = False) -> User:
    """Somebody asks for themselves to have it in their hand."""
    assert stage.interlock is not None
    plan = f"{who} drives"
    stage.interlock.want(plan, who)
    stage.interlock.give_word(plan, by=who)
    permit = stage.permit(plan)
    return stage.user(
        "people", device, who=who, exclusive=True, priority=Priority.OPERATOR, wait=wait, permit=permit
    )


async def kept(stage: HistoryStage) -> None:
    """What somebody drove stays theirs while they are there, until they or the console say so."""
    lots = stage.lots
    people = await robots(stage)
    interlock = stage.interlock
    assert interlock is not None
    people.here = {"ann", "bob"}
    people.goes_with = {"ann": ("wheels",)} if lots.random() < 0.5 else {}
    hand = drives(stage, LEFT, "ann")
    await stage.settle(0.3)
    hand.send()
    by_word = lots.random() < 0.3
    hand.leave(by_word=by_word)
    await stage.settle(0.3)
    theirs = [LEFT, *([WHEELS] if people.goes_with else [])]
    persons = interlock.keepers.persons
    must(persons == (() if by_word else ("ann",)), f"something is kept for {persons}", KEEPING)
    for device in DEVICES:
        for who in ("bob",):  # to take another thing would give back ann's first
            is_kept = not by_word and device in theirs
            user = drives(stage, device, who, wait=lots.random() < 0.5)
            await stage.settle(0.2)
            if is_kept:
                must(
                    user.reason is ReasonKind.HELD and "ann" in str(user.error),
                    f"bob has what is kept for ann, or: {user.error}",
                    KEEPING,
                )
            else:
                must(user.has_it, f"bob does not get what nobody keeps: {user.error}", KEEPING)
                user.leave(by_word=True)
                await stage.settle(0.2)
    if by_word:
        return
    device = lots.choice(theirs)
    interlock.give_word("bob's", by="bob")
    plan = stage.user("plans", device, who="plan", exclusive=True, wait=True, permit=stage.permit("bob's"))
    await stage.settle(0.2)
    must(not plan.has_it, "another one's plan moves what is kept", KEEPING)
    must(
        interlock.awaits_another("bob's", "bob") == "ann", "it is not known whose word it waits for", KEEPING
    )
    if lots.random() < 0.6:
        must(not interlock.give_word("bob's", by="bob"), "it has waited for a word of bob's", KEEPING)
        must(interlock.awaited("bob's") is not None, "a word that is not enough is one", KEEPING)
        must(interlock.awaits_another("bob's", "bob") == "ann", "it waits for nobody any more", KEEPING)
    must(not interlock.awaits_another("bob's", "ann"), "ann's own word is not enough", KEEPING)
    match lots.randrange(5):
        case 0:
            interlock.give_word("bob's", by="ann")
        case 1:
            interlock.give_word("bob's", by="")
        case 2:
            people.here.discard("ann")
            interlock.give_word("bob's", by="bob")
        case 3:
            must(
                set(interlock.keepers.gives_back("ann")) == {each.device for each in theirs},
                "not all is given back",
                KEEPING,
            )
            interlock.give_word("bob's", by="bob")
        case _:
            again = drives(stage, RIGHT if lots.random() < 0.5 else LEFT, "ann")
            await stage.settle(0.3)
            must(again.has_it, f"ann does not get what is hers: {again.error}", KEEPING)
            again.leave(by_word=True)
            await stage.settle(0.3)
            interlock.give_word("bob's", by="bob")
    late = stage.user("plans", device, who="plan", exclusive=True, wait=True, permit=stage.permit("bob's"))
    await stage.settle(0.3)
    must(late.has_it, f"what is given back is still kept: {late.error}", KEEPING)


async def faults(stage: HistoryStage) -> None:
    """A device fails while a plan moves it: it moves for that plan again by another word, and not before."""
    lots = stage.lots
    await robots(stage)
    interlock = stage.interlock
    assert interlock is not None
    interlock.give_word("plan", by="ann")
    device = lots.choice(DEVICES)
    user = stage.user("plans", device, who="plan", exclusive=True, permit=stage.permit("plan"))
    await stage.settle(SETTLED_S)
    must(user.has_it, f"it is not given: {user.error}")
    user.send()
    await stage.settle()
    stage.things[device].fail("its fuse blew")
    await stage.settle(SETTLED_S)
    must(user.told_s is not None, "who moves it does not hear that it failed", Breach.UNTOLD)
    for other in DEVICES:
        again = stage.user("plans", other, who="plan", exclusive=True, permit=stage.permit("plan"))
        await stage.settle(SETTLED_S)
        if other == device:
            must(not again.has_it, "what failed moves on by itself when it is back", Breach.SURPRISE_MOTION)
            must(again.reason is ReasonKind.NEEDS_WORD, f"refused for {again.reason}", Breach.UNTOLD)
        else:
            must(again.has_it, f"beside what failed nothing may move: {again.error}", KEEPING)
            again.leave()
            await stage.settle(0.1)
    interlock.give_word("plan", by="ann")
    late = stage.user("plans", device, who="plan", exclusive=True, permit=stage.permit("plan"))
    await stage.settle(SETTLED_S)
    must(late.has_it, f"it has the word, and not what is back: {late.error}", KEEPING)


async def proxies(stage: HistoryStage) -> None:
    """What a driver holds because somebody looks at it is no hand of theirs."""
    await robots(stage)
    interlock = stage.interlock
    assert interlock is not None
    await stage.enter("tools")
    stage.offer("tools", Tower)
    stage.thing(Tower("left"), (LEFT, {"exclusive": True}))
    interlock.give_word("plan", by="ann")
    tool = stage.user("people", Tower("left"), who="ann", priority=Priority.OPERATOR)
    other = stage.user("plans", RIGHT, who="plan", exclusive=True, permit=stage.permit("plan"))
    await stage.settle(0.3)
    must(tool.has_it and other.has_it, f"it is not given: {tool.error} {other.error}")
    tool.leave()
    await stage.settle(0.5)
    must(other.has_it, "what a driver holds counts as somebody's hand", KEEPING)
    after = stage.user("plans", LEFT, who="plan", exclusive=True, wait=True, permit=stage.permit("plan"))
    await stage.settle(0.3)
    must(after.has_it, f"what a driver held counts as somebody's hand: {after.error}", KEEPING)


async def pauses(stage: HistoryStage) -> None:
    """What moves for paused plans only is told to rest, with what it stands on, until one goes on."""
    lots = stage.lots
    await robots(stage)
    interlock = stage.interlock
    assert interlock is not None
    device = lots.choice(DEVICES)
    plans = ["one", "two", "three"][: lots.randint(1, 3)]
    users: dict[str, User] = {}
    paused: set[str] = set()
    for plan in plans:
        interlock.give_word(plan, by="ann")
        users[plan] = stage.user("plans", device, who=plan, permit=stage.permit(plan))
        await stage.settle(0.1)
    below = [stage.things[each] for each, _ in stage.things[device].needs]
    for _ in range(lots.randint(4, 8)):
        plan = lots.choice(plans)
        match lots.choice(("pause", "pause", "go on", "word", "leave", "come")):
            case "pause":
                interlock.suspend(plan, True)
                paused.add(plan)
            case "go on":
                interlock.suspend(plan, False)
                paused.discard(plan)
            case "word":
                interlock.give_word(plan, by=lots.choice(("ann", "bob")))
            case "leave" if plan in users:
                users.pop(plan).leave()
            case "come" if plan not in users:
                users[plan] = stage.user("plans", device, who=plan, permit=stage.permit(plan))
            case _:
                pass
        await stage.settle(0.1)
        if not users:
            continue
        rests = set(users) <= paused
        for thing in (stage.things[device], *below):
            must(thing.is_up and thing.supply is not None, f"{label(thing.request)} is not up", KEEPING)
            assert thing.supply is not None
            told = thing.supply.is_suspended
            words = f"{sorted(users)} have {label(thing.request)}, {sorted(paused)} are paused"
            must(told is rests, f"{words}: it is told {told}", Breach.SURPRISE_MOTION if rests else KEEPING)
        for plan, user in users.items():
            must(user.has_it, f"{plan} loses what it has by a pause: {user.error}", KEEPING)


async def not_begun(stage: HistoryStage) -> None:
    """What a plan has asked for is lost before it is given: it is not given then, but by another word."""
    lots = stage.lots
    await robots(stage)
    interlock = stage.interlock
    assert interlock is not None
    device = lots.choice(DEVICES)
    thing = stage.things[device]
    thing.start_s = 1.0
    interlock.give_word("plan", by="ann")
    plan = stage.user("plans", device, who="plan", exclusive=True, wait=True, permit=stage.permit("plan"))
    queued = stage.user("plans", device, who="next", exclusive=True, wait=True, permit=stage.permit("plan"))
    looks = stage.user("people", device, who="looks") if lots.random() < 0.5 and not thing.needs else None
    await stage.settle(0.3)
    must(plan.waits and queued.waits, "it is given before it is up")
    lost = lots.random() < 0.6
    if lost:
        interlock.raise_all(Loss(LossKind.EMERGENCY, "somebody", "somebody has pressed it"))
    if lots.random() < 0.5:
        await stage.settle(0.2)
    anew = lost and lots.random() < 0.4
    if anew:
        interlock.give_word("plan", by="ann")
    await stage.settle(1.5)
    for user in (plan, queued):
        must(
            not lost or user.has_s is None or anew,
            f"{user.who} moves on after a stop",
            Breach.SURPRISE_MOTION,
        )
        if lost and user.over_s is not None:
            must(
                user.reason is ReasonKind.NEEDS_WORD,
                f"{user.who} is refused for {user.reason}",
                Breach.UNTOLD,
            )
    if not lost:
        must(plan.has_it and queued.waits, f"it is not given: {plan.error!r}", KEEPING)
    if looks is not None:
        must(looks.has_it, f"who only looks loses it: {looks.error!r}", KEEPING)
    if lost and not anew:
        must(
            plan.over_s is not None and queued.over_s is not None, "who lacks a word waits on", Breach.UNTOLD
        )
        interlock.give_word("plan", by="ann")
        late = stage.user("plans", device, who="plan", exclusive=True, permit=stage.permit("plan"))
        await stage.settle(1.5)
        must(late.has_it, f"it has the word, and not the device: {late.error!r}", KEEPING)


async def told_to_wait(stage: HistoryStage) -> None:
    """Who waits for a word is told at once for what and why; what moves for whom is always known."""
    lots = stage.lots
    await robots(stage)
    interlock = stage.interlock
    assert interlock is not None
    heard: list[tuple[str, str, str]] = []

    class Listens(Listener):
        def waits_for_word(self, plan: str, what: str, loss: Loss) -> None:
            heard.append((plan, what, loss.why))

    listener = Listens()
    interlock.listen(listener)
    moving: dict[str, User] = {}
    for number in range(lots.randint(3, 6)):
        device, plan = lots.choice(DEVICES), f"plan {number}"
        interlock.give_word(plan, by="ann")
        permit = msgspec.structs.replace(stage.permit(plan), node=f"{plan}/1")
        if any(each.has_it and each.requests == (device,) for each in moving.values()):
            continue
        moving[plan] = stage.user("plans", device, who=plan, exclusive=True, wait=True, permit=permit)
        await stage.settle(0.3)
        must(moving[plan].has_it, f"{plan} does not get what is free: {moving[plan].error}", KEEPING)
        for each, user in moving.items():
            (request,) = user.requests
            known = interlock.moved_for(f"{each}/1")
            is_known = any(request.device in name for name in known)
            must(is_known is user.has_it, f"{each} moves {label(request)}, and {known} is known", KEEPING)
        if lots.random() < 0.3:
            user = moving.pop(plan)
            user.leave()
            await stage.settle(0.3)
            must(not interlock.moved_for(f"{plan}/1"), f"{plan} is over, and moves something", KEEPING)
    interlock.raise_all(Loss(LossKind.EMERGENCY, "somebody", "somebody has pressed it"))
    await stage.settle(SETTLED_S)
    for plan, user in moving.items():
        (request,) = user.requests
        must(not user.has_it, f"{plan} moves on after a stop", Breach.SURPRISE_MOTION)
        must(not isinstance(user.error, Preempted), f"a stop has taken it from {plan}: {user.error}", KEEPING)
        must(user.reason is ReasonKind.NEEDS_WORD, f"{plan} ends for {user.reason}", Breach.UNTOLD)
        must("somebody has pressed it" in str(user.error), f"{plan} ends by {user.error}", Breach.UNTOLD)
        must(not interlock.moved_for(f"{plan}/1"), f"{plan} has been stopped, and moves something", KEEPING)
        permit = stage.permit(plan)
        must(interlock.was_before_emergency(permit), f"{plan} is after the stop", KEEPING)
        before = len(heard)
        again = stage.user("plans", request, who=plan, exclusive=True, wait=True, permit=permit)
        await stage.settle(0.3)
        must(again.reason is ReasonKind.NEEDS_WORD, f"refused for {again.reason}", Breach.SURPRISE_MOTION)
        told = [each for each in heard[before:] if each[0] == plan and each[2] == "somebody has pressed it"]
        must(told, f"{plan} waits for a word, and only {heard[before:]} is told", Breach.UNTOLD)
        must(interlock.awaited("somebody else's") is None, "somebody else waits", KEEPING)
        if lots.random() < 0.5:
            must(interlock.give_word(plan, by="ann"), f"{plan} has waited for nothing", KEEPING)
            must(not interlock.give_word(plan, by="ann"), f"{plan} has waited twice", KEEPING)
        else:
            interlock.forget(plan)
        must(interlock.awaited(plan) is None, f"{plan} still waits", KEEPING)
    interlock.unlisten(listener)
    interlock.unlisten(listener)


HISTORIES: Final = (
    History(not_begun, None, 2),
    History(pauses, None, 2),
    History(told_to_wait, None, 2),
    History(losses, None, 3),
    History(refused_words),
    History(interrupted, None, 2),
    History(kept, None, 3),
    History(faults),
    History(proxies),
)
