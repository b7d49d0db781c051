"""Who gets what several want, and in which order: queues, preemption, groups, commands."""

from __future__ import annotations

from typing import Final

from framework.errors import LeaseError, Preempted
from framework.scenarios.invariants import Breach
from framework.status import Priority, ReasonKind, Severity
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.stage import SETTLES_S, History, HistoryStage
from pilothouse.testbed.histories.things import Asked, Base, Tower
from pilothouse.testbed.histories.users import User

ARM, BASE = Asked("arm"), Asked("base")


async def queues(stage: HistoryStage) -> None:
    """Many want one thing that moves; who is first by right and by time gets it, and all others know."""
    lots = stage.lots
    for name in ("robot", "a", "b", "c"):
        await stage.enter(name)
    stage.offer("robot", Asked, preempt_grace_s=0.5, safe_stop_timeout_s=1.0)
    arm = stage.thing(ARM)
    arm.rest_s = lots.choice((0.0, 0.2))
    arm.start_s = lots.choice((0.0, 0.3))
    ledger = Ledger()
    for _ in range(lots.randint(6, 14)):
        if lots.random() < 0.62 or not ledger.here:
            user = stage.user(
                lots.choice("abc"),
                ARM,
                exclusive=True,
                priority=lots.choice(list(Priority)),
                wait=lots.random() < 0.8,
                stays_s=lots.choice((0.0, 0.0, 0.2, 5.0)),
            )
            blocker = ledger.asks(user)
            await stage.settle()
            if blocker is not None:
                must(not user.waits and user.reason is ReasonKind.HELD, f"{user.who} is not refused")
                must(
                    blocker.who in str(user.error),
                    f"{user.who} is not told that {blocker.who} has it: {user.error}",
                )
        else:
            user = lots.choice(ledger.here)
            if user.has_it and lots.random() < 0.7:
                user.send()
                await stage.settle()
                must(
                    arm.obeyed and arm.obeyed[-1][1] == user.lease.id,
                    f"{user.who} commands, and nothing is done",
                )
            user.leave()
            ledger.leaves(user)
        # Who was thrown out has left after its grace at the latest, and then the device comes to rest.
        await stage.settle(1.2)
        judge_queue(ledger)
    must(all(not user.lease.is_granted for user in ledger.thrown_out), "who was thrown out can still command")


class Ledger:
    """Who has to have it, and who waits in which order, by the rules for people: rank first, then time."""

    def __init__(self) -> None:
        self.holder: User | None = None
        self.queue: list[User] = []
        self.thrown_out: list[User] = []

    @property
    def here(self) -> list[User]:
        return [*([self.holder] if self.holder is not None else ()), *self.queue]

    def asks(self, user: User) -> User | None:
        """Who is in its way, if it would not wait."""
        ahead = [each for each in self.here if each.priority >= user.priority]
        if ahead and not user.wait:
            return ahead[0]
        if self.holder is None:
            self.holder = user
            return None
        place = sum(each.priority >= user.priority for each in self.queue)
        self.queue.insert(place, user)
        self._preempt()
        return None

    def leaves(self, user: User) -> None:
        if user is self.holder:
            self.holder = self.queue.pop(0) if self.queue else None
        elif user in self.queue:
            self.queue.remove(user)

    def _preempt(self) -> None:
        if self.holder is not None and self.queue and self.queue[0].priority > self.holder.priority:
            self.thrown_out.append(self.holder)
            self.holder = self.queue.pop(0)


def judge_queue(ledger: Ledger) -> None:
    """Everybody has what the ledger says, and knows where they stand."""
    if ledger.holder is not None:
        must(ledger.holder.has_it, f"{ledger.holder.who} is first and does not have it")
    for number, user in enumerate(ledger.queue, 1):
        must(user.waits, f"{user.who} does not wait behind {ledger.holder and ledger.holder.who}")
        in_front = next(
            (
                each
                for each in (*([ledger.holder] if ledger.holder else ()), *ledger.queue)
                if each.priority >= user.priority
            ),
            None,
        )
        if in_front is not None and in_front is not user:
            must(
                user.place == (in_front.who, number),
                f"{user.who} is told {user.place}, and waits for {in_front.who} as number {number}",
            )
    for user in ledger.thrown_out:
        must(user.told_s is not None, f"{user.who} is not told that it was thrown out")
        if user.over_s is not None:
            must(isinstance(user.error, Preempted), f"{user.who} hears of a failure instead: {user.error!r}")


async def grace(stage: HistoryStage) -> None:
    """A body that does not leave is waited for as long as it may take, and no longer."""
    lots = stage.lots
    await stage.enter("robot")
    await stage.enter("a")
    await stage.enter("b")
    grace_s, rest_s = 0.5, lots.choice((0.1, 0.3))
    stage.offer("robot", Asked, preempt_grace_s=grace_s)
    arm = stage.thing(ARM)
    arm.rest_s = rest_s
    stays_s = lots.choice((0.1, 0.3, 5.0))
    slow = stage.user("a", ARM, exclusive=True, stays_s=stays_s)
    await stage.settle()
    slow.send()
    await stage.settle()
    asked_s = stage.now_s
    operator = stage.user("b", ARM, exclusive=True, wait=True, priority=Priority.OPERATOR)
    for again_s in (0.2,) if lots.random() < 0.5 else ():
        await stage.settle(again_s)
        stage.user("b", ARM, exclusive=True, wait=True, priority=Priority.OPERATOR)
    await stage.settle(grace_s + rest_s + 0.1)
    leaves_s = min(stays_s, grace_s) + rest_s
    must(operator.has_s is not None, f"{operator.who} waits for a body that does not leave")
    took_s = (operator.has_s or 0.0) - asked_s
    must(
        abs(took_s - leaves_s) < 2 * SETTLES_S,
        f"{operator.who} has it after {took_s:.2f} s, not {leaves_s:.2f} s",
    )
    must(len(arm.rests_s) == 1, f"it is brought to rest {len(arm.rests_s)} times")
    # Two more in a row give the second body no more time than the first.
    operator.leave()
    await stage.settle(rest_s + 0.1)


async def two_thrown_out(stage: HistoryStage) -> None:
    """Whoever is being thrown out already gets no more time by another one who wants it still more."""
    for name in ("robot", "a"):
        await stage.enter(name)
    grace_s = 0.5
    stage.offer("robot", Asked, preempt_grace_s=grace_s)
    stage.thing(ARM).rest_s = 0.0
    stubborn = stage.user("a", ARM, exclusive=True, priority=Priority.BACKGROUND, stays_s=10.0)
    await stage.settle()
    began_s = stage.now_s
    is_patient = stage.lots.random() < 0.5
    first = stage.user("a", ARM, exclusive=True, wait=is_patient, priority=Priority.AUTONOMY)
    await stage.settle(stage.lots.uniform(0.1, 0.4))
    second = stage.user("a", ARM, exclusive=True, wait=True, priority=Priority.OPERATOR)
    await stage.settle(grace_s)
    must(second.has_s is not None, "the operator waits for longer than the grace")
    must((second.has_s or 0.0) - began_s < grace_s + 0.1, "a second rival gives a body more time")
    if is_patient:
        must(first.waits, "who wants it less gets it first")
    else:
        must(first.reason is ReasonKind.HELD, f"who would not wait does: {first.error!r}")
        must(second.who in str(first.error), f"refused for somebody else: {first.error}")
    must(len(stubborn.fatal) == 1, "who is thrown out is told once")


async def equals(stage: HistoryStage) -> None:
    """What two want with the same right is the first one's until it leaves; commands of others do nothing."""
    lots = stage.lots
    for name in ("robot", "a", "b"):
        await stage.enter(name)
    stage.offer("robot", Asked)
    arm = stage.thing(ARM)
    arm.rest_s = 0.05
    priority = lots.choice(list(Priority))
    first = stage.user("a", ARM, exclusive=True, priority=priority)
    await stage.settle()
    second = stage.user("b", ARM, exclusive=True, wait=True, priority=priority)
    looks = stage.user("b", ARM)
    await stage.settle()
    must(first.has_it and second.waits and looks.has_it, "the first one loses what an equal one wants")
    for lease in (looks.lease,):
        try:
            lease.send(b"look")
            must(False, "who only looks at it can command it")
        except LeaseError:
            pass
    numbers = [f"{number}".encode() for number in range(lots.randint(3, 8))]
    for number in numbers:
        first.send(number)
        await stage.settle(0.0 if lots.random() < 0.5 else 0.05)
    await stage.settle()
    must(
        [payload for _, _, payload in arm.obeyed] == numbers,
        f"commands get lost, or out of order: {arm.refused}",
    )
    old = first.lease
    first.leave()
    await stage.settle(0.1)
    must(second.has_it, "who is next does not get it")
    must(second.lease.generation > old.generation, "a new grant has no newer number")
    second.send(b"mine")
    await stage.settle()
    must(arm.obeyed[-1][1:] == (second.lease.id, b"mine"), f"a new holder is not obeyed: {arm.refused}")
    must(not arm.refused, f"commands of the present holder are refused: {arm.refused}")
    looks.leave()


async def groups(stage: HistoryStage) -> None:
    """All or nothing: nobody loses anything for a group before all of it can be had."""
    lots = stage.lots
    for name in ("robot", "a", "b", "c"):
        await stage.enter(name)
    stage.offer("robot", Asked, preempt_grace_s=0.5)
    arm, base = stage.thing(ARM), stage.thing(BASE)
    arm.rest_s = base.rest_s = 0.05
    low = stage.user("a", ARM, exclusive=True, priority=Priority.BACKGROUND)
    equal = stage.user("b", BASE, exclusive=True, priority=Priority.AUTONOMY)
    await stage.settle()
    low.send()
    group = stage.user(
        "c",
        ARM,
        BASE,
        exclusive=True,
        wait=True,
        priority=Priority.AUTONOMY,
        timeout_s=lots.choice((None, 2.0)),
    )
    behind = stage.user("a", ARM, exclusive=True, wait=True, priority=Priority.BACKGROUND)
    await stage.settle(0.6)
    must(low.has_it, "somebody is thrown out for a group that may never come together")
    must(group.waits and behind.waits, "a group has what it cannot have")
    low.send(b"still")
    await stage.settle()
    must(arm.obeyed[-1][2] == b"still", "who keeps it is not obeyed any more")
    match lots.randrange(4):
        case 0:
            equal.leave()
            await stage.settle(0.8)
            must(group.has_it, "a group does not get what is free")
            must(isinstance(low.error, Preempted), f"who is thrown out for a group hears {low.error!r}")
            group.leave()
            await stage.settle(0.3)
            must(behind.has_it, "who waited behind a group is forgotten")
        case 1:
            group.leave()
            await stage.settle(0.3)
            must(low.has_it and equal.has_it, "a group that gives up takes something along")
            low.leave()
            await stage.settle(0.3)
            must(behind.has_it, "who waited behind a group that gave up is forgotten")
        case 2:
            middle = stage.user("b", ARM, exclusive=True, wait=True, priority=Priority.OPERATOR)
            await stage.settle(0.8)
            must(middle.has_it, "a group that only reserves keeps somebody from what they may have")
            must(isinstance(low.error, Preempted), f"who is thrown out hears {low.error!r}")
            middle.leave()
            equal.leave()
            await stage.settle(0.8)
            must(group.has_it, "a group does not get what is free at last")
        case _:
            arm.fail("it is unplugged")
            await stage.settle(0.3)
            must(
                not group.waits and "unplugged" in str(group.error),
                f"a group waits for what has failed: {group.error}",
            )
            must(equal.has_it, "what a failed group had asked for is lost for others, too")


async def exchanges(stage: HistoryStage) -> None:
    """One mode of a device is exchanged for another in one step; if that cannot be had all is as before."""
    lots = stage.lots
    for name in ("robot", "modes", "a", "b"):
        await stage.enter(name)
    stage.offer("robot", Base)
    stage.offer("modes", Asked)
    below = stage.thing(Base("arm"))
    below.rest_s = 0.05
    old_mode, new_mode = Asked("arm", "pose"), Asked("arm", "twist")
    for mode in (old_mode, new_mode):
        stage.thing(mode, (Base("arm"), {"exclusive": True})).rest_s = 0.0
    new = stage.things[new_mode]
    goes_wrong = lots.random() < 0.5
    new.breaks = "no such mode" if goes_wrong else ""
    registrar = stage.registrars["a"]
    done: list[str] = []
    async with registrar.request(old_mode, exclusive=True) as held:
        held.send(b"before")
        await stage.settle()
        try:
            async with registrar.request_all(new_mode, exclusive=True, instead_of=(held,), timeout_s=3.0) as (
                other,
            ):
                must(not goes_wrong, "it has a mode that cannot be had")
                other.send(b"after")
                await stage.settle()
                done.append("had")
        except Exception as error:
            must(goes_wrong, f"an exchange goes wrong by itself: {error!r}")
            must("no such mode" in str(error), f"it is not said why: {error}")
            must(held.status.severity is not Severity.FATAL, "what should have been kept is lost")
            held.send(b"again")
            await stage.settle()
            done.append("kept")
    must(done, "nothing has come of it")
    last = below.obeyed[-1][2]
    must(last == (b"again" if goes_wrong else b"after"), f"it obeys {last!r}: {below.refused}")


async def stages_above(stage: HistoryStage) -> None:
    """What stands on a device has it with the highest right of those who want it, and for them."""
    lots = stage.lots
    for name in ("robot", "tools", "a", "b", "c"):
        await stage.enter(name)
    stage.offer("robot", Base, preempt_grace_s=0.5)
    stage.offer("tools", Asked)
    base = Base("arm")
    stage.thing(base).rest_s = 0.05
    tool = stage.thing(ARM, (base, {"exclusive": True}))
    low = stage.user("a", ARM, priority=Priority.BACKGROUND, who="low")
    await stage.settle()
    must(low.has_it and tool.is_up, "it does not come up")
    high = stage.user("b", ARM, priority=Priority.OPERATOR, who="high")
    await stage.settle()
    rival = stage.user("c", base, exclusive=True, wait=True, priority=Priority.AUTONOMY, who="rival")
    await stage.settle(0.3)
    must(low.has_it and high.has_it and rival.waits, "what an operator uses is taken from below")
    must(
        rival.place is not None and rival.place[0] == "high", f"told to wait for {rival.place}, not for high"
    )
    if lots.random() < 0.3:
        impatient = stage.user("c", base, exclusive=True, priority=Priority.AUTONOMY)
        await stage.settle()
        must(impatient.reason is ReasonKind.HELD, "who would not wait does")
        must("high" in str(impatient.error), f"refused for somebody else: {impatient.error}")
    if lots.random() < 0.5:
        high.leave()
        await stage.settle(0.9)
        must(rival.has_it, "what no operator uses any more is kept from those with more right")
        must(low.told_s is not None, "who stood on what was taken is not told")
        must(isinstance(low.error, Preempted), f"who stood on what was taken hears {low.error!r}")
    else:
        low.leave()
        await stage.settle(0.3)
        must(high.has_it and rival.waits, "the end of one use is the end of another")


async def heirs(stage: HistoryStage) -> None:
    """Several use one thing high up: what it holds far below is held for whoever of them is left."""
    for name in ("robot", "tools", "sights", "a", "b", "c"):
        await stage.enter(name)
    stage.offer("robot", Base)
    stage.offer("tools", Asked)
    stage.offer("sights", Tower)
    base = Base("arm")
    stage.thing(base).rest_s = 0.05
    stage.thing(ARM, (base, {"exclusive": True}))
    stage.thing(Tower("arm"), (ARM, {}))
    users = [stage.user("a", Tower("arm"), who=who) for who in ("ann", "bob", "cid")]
    await stage.settle(0.2)
    must(all(user.has_it for user in users), "several cannot use one thing")
    patient = stage.user("b", base, exclusive=True, wait=True, who="pat")
    await stage.settle()
    while len(users) > 1:
        must(patient.place == (users[0].who, 1), f"told to wait for {patient.place}, not for {users[0].who}")
        users.pop(0).leave()
        await stage.settle()
        rival = stage.user("c", base, exclusive=True, who="imp")
        await stage.settle()
        must(
            users[0].who in str(rival.error), f"refused for somebody else than {users[0].who}: {rival.error}"
        )
    users[0].leave()
    await stage.settle(0.3)
    must(patient.has_it, "what nobody uses any more is not given on")


async def not_begun(stage: HistoryStage) -> None:
    """Who comes while it is still being started has it first by right; nobody is thrown out of nothing."""
    lots = stage.lots
    for name in ("robot", "a", "b", "c"):
        await stage.enter(name)
    starts_s = 2.0
    stage.offer("robot", Asked, start_timeout_s=10.0)
    arm = stage.thing(ARM)
    arm.rest_s, arm.start_s = 0.05, starts_s
    here: list[User] = []
    for _ in range(lots.randint(2, 6)):
        if here and lots.random() < 0.2:
            user = here.pop(lots.randrange(len(here)))
            user.leave()
            await stage.settle()
        priority, wait = lots.choice(list(Priority)), lots.random() < 0.6
        user = stage.user(lots.choice("abc"), ARM, exclusive=True, priority=priority, wait=wait)
        ahead = [each for each in here if each.priority >= user.priority]
        refused: list[tuple[User, User]] = []
        if ahead and not user.wait:
            refused.append((user, ahead[0]))
        else:
            here.insert(len(ahead), user)
            if len(here) > 1 and here[0] is user and not here[1].wait:
                refused.append((here.pop(1), user))
        await stage.settle(0.03)
        for each, blocker in refused:
            must(each.reason is ReasonKind.HELD, f"{each.who} is not refused: {each.error!r}")
            must(blocker.who in str(each.error), f"refused for {each.error}, not for {blocker.who}")
        must(all(each.waits for each in here), "somebody has what is still being started")
        for number, each in enumerate(here[1:], 1):
            must(each.place == (here[0].who, number), f"{each.who} is told {each.place}, is number {number}")
        must(stage.registrars["robot"].snapshot().resources != (), "what several want is given up")
    await stage.settle(starts_s + 0.5)
    must(len(arm.came_up_s) == 1, f"it is started {len(arm.came_up_s)} times")
    while here:
        first = here.pop(0)
        must(first.has_it, f"{first.who} is first and does not have it: {first.error!r}")
        must(all(each.waits for each in here), "several have it")
        must(not first.fatal, f"{first.who} is told that it lost what it never had", Breach.TOLD_TWICE)
        first.send(first.who.encode())
        await stage.settle()
        must(arm.obeyed[-1][2] == first.who.encode(), f"{first.who} is not obeyed: {arm.refused}")
        first.leave()
        await stage.settle(0.2)


async def rises(stage: HistoryStage) -> None:
    """Who waits is asked for by somebody with more right: it goes past those with less, and back again."""
    lots = stage.lots
    for name in ("robot", "tools", "a", "b", "c"):
        await stage.enter(name)
    stage.offer("robot", Base, preempt_grace_s=0.5)
    stage.offer("tools", Asked, start_timeout_s=60.0)
    base = Base("arm")
    stage.thing(base).rest_s = 0.05
    stage.thing(ARM, (base, {"exclusive": True, "wait": True}))
    has = stage.user("a", base, exclusive=True, priority=Priority.OPERATOR, who="has")
    await stage.settle()
    ranks = {who: lots.choice((Priority.BACKGROUND, Priority.AUTONOMY)) for who in ("ann", "low", "bob")}
    order = ["ann", "low", "bob"]
    users: dict[str, User] = {}
    for who in order:
        request = ARM if who == "low" else base
        users[who] = stage.user("b", request, exclusive=who != "low", wait=True, priority=ranks[who], who=who)
        await stage.settle(0.05)
    _judge_order(users, ranks, order, "has")
    top = lots.choice((Priority.AUTONOMY, Priority.OPERATOR))
    high = stage.user("c", ARM, wait=True, priority=top, who="high")
    ranks["low"] = max(ranks["low"], top)
    await stage.settle(0.05)
    _judge_order(users, ranks, order, "has")
    if lots.random() < 0.4:
        ranks["low"] = users["low"].priority
        high.leave()
        await stage.settle(0.05)
        _judge_order(users, ranks, order, "has")
    has.leave()
    await stage.settle(0.3)
    for who in sorted(order, key=lambda each: -ranks[each]):
        must(users[who].has_it, f"{who} is first and does not have it: {users[who].error!r}")
        users[who].leave()
        if who == "low":
            high.leave()
        await stage.settle(0.3)


def _judge_order(users: dict[str, User], ranks: dict[str, Priority], order: list[str], has: str) -> None:
    """By rank, then by time, each knows for whom it waits, and as which number."""
    for number, who in enumerate(sorted(order, key=lambda each: -ranks[each]), 1):
        must(users[who].waits, f"{who} does not wait")
        must(users[who].place == (has, number), f"{who} is told {users[who].place}, is number {number}")


async def reserved(stage: HistoryStage) -> None:
    """Of a group one thing is reserved, the next one waited for: then it fails, is free, or is given up."""
    lots = stage.lots
    for name in ("robot", "below", "a", "b", "c"):
        await stage.enter(name)
    stage.offer("robot", Asked)
    stage.offer("below", Base)
    is_tall = lots.random() < 0.5
    low = Base("arm")
    arm = stage.thing(ARM, *([(low, {"exclusive": True})] if is_tall else []))
    base = stage.thing(BASE)
    has = stage.user("a", BASE, exclusive=True, who="has")
    await stage.settle(0.1)
    timeout_s = lots.choice((None, None, 2.0))
    group = stage.user("b", ARM, BASE, exclusive=True, wait=True, who="group", timeout_s=timeout_s)
    await stage.settle(0.2)
    must(group.waits and has.has_it, "a group has what somebody else has")
    must(arm.is_up, "what a group reserves is not there")
    how = lots.choice(("fails", "below fails", "free", "free", "given up", "in time", "both"))
    failing = stage.things[low] if how == "below fails" and is_tall else arm
    since_s = stage.now_s
    match how:
        case "fails" | "below fails":
            failing.fail("it is unplugged")
        case "free":
            has.leave()
        case "given up":
            group.leave()
        case "both":
            failing.fail("it is unplugged")
            has.leave()
    await stage.settle(0.3)
    if how in ("fails", "below fails", "both"):
        must(not group.waits, f"{how}: a group waits for the rest of what it has lost", Breach.NEVER_ENDED)
        must("unplugged" in str(group.error), f"{how}: a group hears {group.error!r}", Breach.UNTOLD)
        late_s = (group.over_s or 0.0) - since_s
        must(late_s < 0.2, f"{how}: a group hears {late_s:.2f} s late", Breach.UNTOLD)
    elif how == "free":
        must(group.has_it, f"a group does not get what is free: {group.error!r}")
        for lease in group.leases:
            lease.send(b"go")
        await stage.settle()
        must(bool(arm.obeyed and base.obeyed), "a group has what does not obey it")
    elif timeout_s is not None and how == "in time":
        await stage.settle(2.0)
        must(not group.waits, "a group waits for longer than it would", Breach.NEVER_ENDED)
    if how in ("free", "both"):
        group.leave()
    else:
        must(has.has_it, f"{how}: who has it loses it by a group: {has.error!r}")
    await stage.settle(0.4)
    must(arm.is_up is (how == "in time" and timeout_s is None), f"{how}: it is up for nobody", Breach.LEAKED)
    if not arm.is_up:
        again = stage.user("c", ARM, exclusive=True)
        await stage.settle(0.3)
        must(again.has_it, f"{how}: what a group had reserved cannot be had: {again.error!r}")


async def fails(stage: HistoryStage) -> None:
    """What several wait for fails: each hears that once, and of no place in a queue that is none any more."""
    lots = stage.lots
    for name in ("robot", "a", "b"):
        await stage.enter(name)
    stage.offer("robot", Asked)
    arm = stage.thing(ARM)
    arm.rest_s = lots.choice((None, 0.05))
    arm.start_s = lots.choice((0.0, 0.5))
    has = stage.user("a", ARM, exclusive=True, who="has")
    await stage.settle(0.1)
    waits = [
        stage.user(
            lots.choice("ab"),
            ARM,
            exclusive=True,
            wait=True,
            priority=lots.choice((Priority.AUTONOMY, Priority.BACKGROUND)),
        )
        for _ in range(lots.randint(2, 4))
    ]
    looks = stage.user("b", ARM, who="looks")
    await stage.settle(0.1)
    before = {user.who: len(user.statuses) for user in waits}
    assert arm.supply is not None
    lots.choice((arm.fail, arm.crash) if arm.came_up_s else (arm.fail,))("its fuse blew")
    await stage.settle(0.3)
    for user in (has, looks, *waits):
        must(user.over_s is not None or user.told_s is not None, f"{user.who} is not told", Breach.UNTOLD)
        must("fuse blew" in str(user.error), f"{user.who} hears {user.error!r}", Breach.UNTOLD)
    for user in waits:
        news = [each.message for _, each in user.statuses[before[user.who] :]]
        must(not news, f"{user.who}, who is refused, is told {news} before", Breach.TOLD_TWICE)
        must(user.reason is ReasonKind.FAILED, f"{user.who} is refused for {user.reason}", Breach.UNTOLD)
    again = stage.user("b", ARM, exclusive=True)
    await stage.settle(1.2)
    must(again.has_it, f"what has failed cannot be had again: {again.error!r}")


HISTORIES: Final = (
    History(reserved, None, 2),
    History(fails),
    History(not_begun, None, 2),
    History(rises),
    History(heirs),
    History(queues, None, 2),
    History(grace),
    History(two_thrown_out),
    History(equals),
    History(groups),
    History(exchanges),
    History(stages_above),
)
