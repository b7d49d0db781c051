"""Registrars that are far from each other: silence, lost and doubled messages, kills and restarts."""

from __future__ import annotations

import asyncio
from typing import Final
from unittest import mock

from framework.scenarios.invariants import Breach
from framework.status import Priority, ReasonKind, Severity
from framework.testing.virtual_loop import VirtualLoop
from framework.transport.local import LocalLink
from framework.transport.messages import Heartbeat, Message, Reprioritise
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.stage import BEAT_S, WINDOW_S, History, HistoryStage
from pilothouse.testbed.histories.things import Asked, Base, Tower, label
from pilothouse.testbed.histories.users import User

ARM = Asked("arm")
UNTOLD: Final = Breach.UNTOLD
REPAIRED_S = 4 * WINDOW_S + 4 * BEAT_S
"""After so long whatever one lost message has done is put right."""

LATE_S = 0.06
"""A look, a message, a rest."""

RECONFIRMED_S = 5.0
GIVEN_UP_S = 10.0


async def apart(stage: HistoryStage) -> None:
    """A device, and two who want it."""
    for name in ("robot", "a", "b"):
        await stage.enter(name)
    stage.offer("robot", Asked, preempt_grace_s=0.5)
    stage.offer("robot", Base)
    arm = stage.thing(ARM)
    arm.rest_s = stage.lots.choice((0.0, 0.1))
    arm.start_s = stage.lots.choice((0.0, 0.3))


async def silence(stage: HistoryStage) -> None:
    """Somebody is not heard of any more: whoever deals with them knows within the window, and it is safe."""
    lots = stage.lots
    await apart(stage)
    arm = stage.things[ARM]
    user = stage.user("a", ARM, exclusive=True)
    beside = stage.user("a", Base("lamp"))
    await stage.settle(0.5 + lots.uniform(0.0, BEAT_S))
    must(user.has_it, "it is not given")
    user.send()
    await stage.settle()
    behind = stage.user("b", ARM, exclusive=True, wait=True)
    await stage.settle(lots.uniform(0.0, 0.3))
    who = lots.choice(("robot", "a"))
    stage.cut = {who}
    cut_s = stage.now_s
    await stage.settle(WINDOW_S + BEAT_S + LATE_S + (arm.rest_s or 0.0))
    must(not arm.is_moving, f"{who} is silent, and it moves on", Breach.SURPRISE_MOTION)
    must(
        user.told_s is not None and beside.told_s is not None,
        f"who has it does not hear that {who} is silent",
        Breach.UNTOLD,
    )
    for each in (user, beside):
        late_s = (each.told_s or 0.0) - cut_s
        must(late_s <= WINDOW_S + 0.02, f"it hears after {late_s:.3f} s that {who} is silent", Breach.UNTOLD)
        must(late_s >= WINDOW_S - BEAT_S - LATE_S, f"it is given up after {late_s:.3f} s", Breach.UNTOLD)
    if who == "a":
        must(behind.has_it, "who is next does not get what nobody has any more")
    asked_s = stage.now_s
    again = stage.user("a", ARM, exclusive=True, wait=True)
    await stage.settle(2 * WINDOW_S + BEAT_S)
    if who == "robot" or lots.random() < 0.5:
        must(not again.waits, "who asks who is silent waits for a dead peer", Breach.NEVER_ENDED)
        must(again.reason is ReasonKind.FAILED, f"refused for {again.reason}", Breach.UNTOLD)
        must(
            (again.over_s or 0.0) - asked_s <= WINDOW_S + BEAT_S + LATE_S,
            "a dead peer is waited for",
            Breach.NEVER_ENDED,
        )
    stage.cut = set()
    behind.leave()
    await stage.settle(REPAIRED_S)
    back = stage.user("a", ARM, exclusive=True, wait=True)
    await stage.settle(1.0)
    must(back.has_it or not again.over_s, f"who is heard of again does not get it: {back.error}")


async def chains_of_silence(stage: HistoryStage) -> None:
    """Three hops away it comes to rest one window after the hand was lost, and not after three."""
    lots = stage.lots
    for name in ("low", "middle", "top", "a", "b"):
        await stage.enter(name)
    stage.offer("low", Base)
    stage.offer("middle", Asked)
    stage.offer("top", Tower)
    device = stage.thing(Base("arm"))
    device.rest_s = 0.0
    between = [stage.thing(ARM, (Base("arm"), {"exclusive": True}))]
    between.append(stage.thing(Tower("arm"), (ARM, {"exclusive": True})))
    for each in between:
        each.stop_s = lots.choice((0.0, 0.4, None))
    user = stage.user("a", Tower("arm"), exclusive=True)
    beside = stage.user("b", Base("lamp"))
    await stage.settle(0.5 + lots.uniform(0.0, BEAT_S))
    must(user.has_it, f"it is not given: {user.error}")
    for _ in range(3):
        user.send()
        await stage.settle(0.05)
    must(device.is_moving, "what is commanded three hops away does nothing")
    who = lots.choice(("a", "a", "middle", "top"))
    stage.cut = {who}
    cut_s = stage.now_s
    await stage.settle(1.2)
    must(device.rests_s, f"it moves on without {who}", Breach.SURPRISE_MOTION)
    late_s = device.rests_s[0] - cut_s
    must(
        late_s <= WINDOW_S + LATE_S / 3,
        f"it moves on for {late_s:.3f} s without {who}",
        Breach.SURPRISE_MOTION,
    )
    must(beside.has_it, f"{who} is silent, and who has nothing to do with that is told")


async def calm(stage: HistoryStage) -> None:
    """Nothing happens, also while the machine stands still for a while: nobody loses anything."""
    lots = stage.lots
    await apart(stage)
    users = [
        stage.user("a", ARM, exclusive=True),
        stage.user("b", Base("lamp")),
        stage.user("a", Base("lamp")),
    ]
    waits = stage.user("b", ARM, exclusive=True, wait=True)
    await stage.settle(0.6)
    for _ in range(4):
        await stage.settle(lots.uniform(0.1, 1.0))
        if lots.random() < 0.7:
            starve(lots.choice((0.2, 0.4, 1.0)))
            await stage.settle(lots.uniform(0.0, 0.3))
    must(all(user.has_it for user in users), "what everybody had is lost by a pause of the machine")
    must(waits.waits, "a pause of the machine lets somebody in")
    told = [
        status.message for user in users for _, status in user.statuses if status.severity > Severity.UPDATE
    ]
    must(not told, f"a pause of the machine is told as {told}", Breach.TOLD_TWICE)
    # And whoever vanishes just then is noticed all the same.
    starve(0.4)
    stage.cut = {"a"}
    users[0].send() if users[0].has_it else None
    await stage.settle(WINDOW_S + 2 * BEAT_S + 0.3)
    must(waits.has_it, "who vanishes in a pause of the machine keeps what they had")


def starve(for_s: float) -> None:
    """The machine stands still."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    loop.starve(for_s)


KINDS = ("Ask", "Grant", "Refusal", "Release", "Queued", "Tell", "Commit", "Reprioritise")


async def one_lost(stage: HistoryStage) -> None:
    """One message is lost, comes twice, or comes late: soon all is as if nothing had been."""
    lots = stage.lots
    await apart(stage)
    kind = lots.choice(KINDS)
    nth = lots.randint(1, 4)
    seen = 0

    becomes: tuple[float, ...] = lots.choice(((), (), (0.0, 0.0), (0.0, 0.15), (0.06,), (0.3,)))

    def fate(sender: str, to: str, message: Message) -> tuple[float, ...] | None:
        nonlocal seen
        seen += type(message).__name__ == kind
        return becomes if type(message).__name__ == kind and seen == nth else None

    stage.fate = fate
    users: list[User] = []
    for _ in range(lots.randint(4, 9)):
        match lots.randrange(5):
            case 0 | 1:
                users.append(
                    stage.user(
                        lots.choice("ab"),
                        lots.choice((ARM, ARM, Base("lamp"))),
                        exclusive=lots.random() < 0.7,
                        wait=lots.random() < 0.8,
                        priority=lots.choice(list(Priority)),
                    )
                )
            case 2:
                users.append(
                    stage.user(lots.choice("ab"), ARM, Base("lamp"), exclusive=True, wait=lots.random() < 0.8)
                )
            case 3 if users:
                users.pop(lots.randrange(len(users))).leave()
            case _:
                for thing in stage.things.values():
                    if thing.is_up and thing.supply is not None and lots.random() < 0.4:
                        thing.fail("it came unplugged")
        await stage.settle(lots.choice((0.0, 0.05, 0.7)))
    await stage.settle(3 * REPAIRED_S)
    judge_agreement(stage)


def judge_agreement(stage: HistoryStage) -> None:
    """What is free and wanted is had; who has it can command it; nobody believes what is not so."""
    for request, thing in stage.things.items():
        mine = [user for user in stage.users if request in user.requests]
        masters = [user for user in mine if user.has_it and user.lease.held.exclusive]
        must(len(masters) <= 1, f"{label(request)} has {len(masters)} masters")
        for user in mine:
            must(not user.has_it or thing.is_up, f"{user.who} has {label(request)}, which is not up")
        single = [user for user in mine if user.waits and len(user.requests) == 1]
        # It may be reserved for somebody who waits for more.
        taken = masters or any(user.waits and len(user.requests) > 1 for user in mine)
        must(taken or not single, f"{label(request)} is nobody's, and {[each.who for each in single]} wait")
        for user in single:
            must(user.place is not None, f"{user.who} is not told for whom it waits", Breach.UNTOLD)
    for registrar in stage.registrars.values():
        views = registrar.snapshot()
        for view in views.resources:
            must(view.leases, f"{view.request} is up for nobody", Breach.LEAKED)
    held = {
        view.id
        for registrar in stage.registrars.values()
        for view in registrar.snapshot().leases
        if view.side != "lent"
    }
    lent = {
        view.id
        for registrar in stage.registrars.values()
        for view in registrar.snapshot().leases
        if view.side != "held"
    }
    must(lent == held, f"known to one end only: {sorted(lent ^ held)}", Breach.DANGLING)


SAID: Final = (
    {*KINDS, "Audit", "Holding"},
    {"Grant", "Refusal", "Queued", "Tell"},
    {"Ask", "Commit", "Release", "Reprioritise"},
)
"""All but the beats; what a provider says; what a client says."""


async def deaf(stage: HistoryStage) -> None:
    """One side hears nothing but beats for a while, whatever is said: soon after it all know how it is."""
    lots = stage.lots
    await apart(stage)
    arm = stage.things[ARM]
    has = stage.user("a", ARM, exclusive=True)
    looks = [stage.user(who, Base("lamp"), who=f"{who} looks") for who in "ab"]
    waits = stage.user("b", ARM, exclusive=True, wait=True, who="waits")
    await stage.settle(0.6)
    must(has.has_it and all(each.has_it for each in looks), "it is not given")
    has.send()
    await stage.settle()
    lost = lots.choice(SAID)
    who = lots.choice(("a", "b", "robot"))
    one_way = lots.random() < 0.5

    def fate(sender: str, to: str, message: Message) -> tuple[float, ...] | None:
        is_hit = to == who or (sender == who and not one_way)
        return () if is_hit and type(message).__name__ in lost else None

    stage.fate = fate
    lamp = stage.things[Base("lamp")]
    assert lamp.supply is not None
    said: tuple[Severity, str] = (Severity.OK, "")
    new = ""
    failed: list[User] = []
    for _ in range(lots.randint(1, 4)):
        match lots.choice(("warns", "warns", "well", "new", "fails", "leaves", "more", "thrown out")):
            case "warns" if not failed:
                said = (Severity.WARNING, f"it flickers {stage.now_s:.3f}")
                lamp.supply.report(*said)
            case "well" if said[0] is not Severity.OK and not failed:
                said = (Severity.OK, "it shines")
                lamp.supply.report(*said)
            case "new" if not failed:
                new = f"handle {stage.now_s:.3f}"
                lamp.supply.update(new, "it has changed")
                said = (Severity.OK, "")
            case "fails" if not failed:
                failed = list(looks)
                lamp.fail("it burst")
            case "leaves" if has.has_it:
                has.leave()
            case "more":
                stage.user(lots.choice("ab"), lots.choice((ARM, Base("lamp"))), timeout_s=2.0)
            case "thrown out":
                stage.user("b", ARM, exclusive=True, priority=Priority.OPERATOR, wait=True, timeout_s=3.0)
            case _:
                pass
        await stage.settle(lots.choice((0.02, 0.3)))
        masters = [each for each in stage.users if each.has_it and ARM in each.requests]
        masters = [each for each in masters if each.lease.held.exclusive and each.lease.is_granted]
        for each in masters:
            each.send()
    stage.fate = lambda *_: None
    await stage.settle(3 * REPAIRED_S + 1.0)
    judge_agreement(stage)
    for user in looks:
        if user in failed:
            must(user.told_s is not None, f"{user.who} never hears that it failed", Breach.UNTOLD)
            continue
        must(user.has_it, f"{user.who} loses what is there: {user.error}")
        spoken = [each.severity for _, each in user.statuses if each.severity is not Severity.UPDATE]
        is_known = (spoken or [Severity.OK])[-1] is said[0]
        must(is_known or new, f"{user.who} believes {spoken[-1:]}, it is {said}", Breach.UNTOLD)
        must(not new or user.lease.value == new, f"{user.who} has an old handle", Breach.UNTOLD)
    if not any(each.has_it for each in stage.users if ARM in each.requests):
        must(not arm.is_moving, "it moves on for nobody", Breach.SURPRISE_MOTION)
    must(has.has_it or not waits.waits or len(stage.users) > 4, "who is next waits for nobody")


async def newcomers(stage: HistoryStage) -> None:
    """What nobody provides yet is waited for while others may come; who gives up is served by nobody."""
    lots = stage.lots
    waits_s = 1.0
    with mock.patch.object(LocalLink, "discovery_s", waits_s):
        for name in ("a", "b"):
            await stage.enter(name)
        stage.offer("robot", Base)
        asked_s = stage.now_s
        stays = stage.user("a", Base("lamp"), exclusive=True, wait=True)
        leaves = stage.user("b", Base("spade"), exclusive=True)
        await stage.settle(0.2)
        must(stays.waits and leaves.waits, "who may be there soon is not waited for", Breach.NEVER_ENDED)
        leaves.leave()
        await stage.settle(0.1)
        comes = lots.random() < 0.7
        if comes:
            await stage.enter("robot")
            await stage.settle(0.2)
            must(stays.has_it, f"who comes is not asked: {stays.error}")
        await stage.settle(waits_s + 0.1)
        if comes:
            must(stays.has_it, f"it is lost by having been sought: {stays.error}")
        else:
            must(stays.reason is ReasonKind.UNKNOWN, f"refused for {stays.reason}", Breach.UNTOLD)
            late_s = (stays.over_s or 0.0) - asked_s
            must(abs(late_s - waits_s) < 0.1, f"refused after {late_s:.2f} s", Breach.NEVER_ENDED)
            await stage.enter("robot")
        await stage.settle(2 * WINDOW_S)
        for request, thing in stage.things.items():
            wanted = comes and request == Base("lamp")
            must(thing.is_up is wanted, f"{label(request)} comes up for nobody", Breach.LEAKED)
            must(thing.lives == wanted, f"{label(request)} came up {thing.lives} times", Breach.LEAKED)
        again = stage.user("b", Base("spade"), exclusive=True)
        await stage.settle(0.2)
        must(again.has_it, f"what somebody gave up cannot be had: {again.error}")
        judge_agreement(stage)


async def bad_weather(stage: HistoryStage) -> None:
    """The network loses and doubles for a while; nobody commands besides another, and then all is well."""
    lots = stage.lots
    await apart(stage)
    arm = stage.things[ARM]
    await stage.settle(0.3)
    stage.lost = 0.15
    users: list[User] = []
    until_s = stage.now_s + lots.uniform(1.0, 4.0)
    while stage.now_s < until_s:
        if lots.random() < 0.5 or not users:
            users.append(
                stage.user(
                    lots.choice("ab"),
                    lots.choice((ARM, ARM, Base("lamp"))),
                    exclusive=lots.random() < 0.7,
                    wait=True,
                    timeout_s=lots.choice((0.2, 3.0)),
                )
            )
        elif lots.random() < 0.5:
            users.pop(lots.randrange(len(users))).leave()
        for user in users:
            if (
                user.has_it
                and user.requests == (ARM,)
                and user.lease.held.exclusive
                and user.lease.is_granted
            ):
                user.send()
        await stage.settle(lots.choice((0.02, 0.1, 0.3)))
    stage.lost = 0.0
    await stage.settle(3 * REPAIRED_S + 3.0)
    judge_agreement(stage)
    if not any(user.has_it and user.requests == (ARM,) and user.lease.held.exclusive for user in stage.users):
        must(not arm.is_moving, "it moves on for nobody", Breach.SURPRISE_MOTION)


async def killed_clients(stage: HistoryStage) -> None:
    """A program is killed: what it had is anybody's, what it moved rests, nobody speaks to it any more."""
    lots = stage.lots
    await apart(stage)
    arm = stage.things[ARM]
    user = stage.user("a", ARM, exclusive=True)
    stage.user("a", Base("lamp"))
    await stage.settle(0.5)
    user.send()
    behind = stage.user("b", ARM, exclusive=True, wait=True)
    quietly = lots.random() < 0.5
    if quietly:
        stage.cut = {"a"}
        await stage.settle(lots.uniform(0.0, 0.2))
    else:
        await stage.settle()
    stage.kill("a")
    await stage.settle(WINDOW_S + BEAT_S + LATE_S + (arm.rest_s or 0.0))
    must(behind.has_it, "what a dead program had is nobody's")
    must(not stage.things[Base("lamp")].is_up, "what nobody uses stays up for a dead program", Breach.LEAKED)
    stage.cut = set()
    if lots.random() < 0.5:
        await stage.enter("a")
        again = stage.user("a", ARM, exclusive=True)
        await stage.settle(0.2)
        must(again.reason is ReasonKind.HELD, "a new life has what its former one had")
        behind.leave()
        await stage.settle(0.3)
        anew = stage.user("a", ARM, exclusive=True)
        await stage.settle(0.3)
        must(anew.has_it, f"a new life cannot have anything: {anew.error}")
    else:
        await stage.settle(3.0)
        since_s = stage.now_s - 1.0
        beats = [
            message
            for at_s, _, to, message in stage.sent
            if to == "a" and at_s > since_s and isinstance(message, Heartbeat)
        ]
        must(not beats, f"the dead are spoken to {len(beats)} times a second", Breach.LEAKED)


async def restarts(stage: HistoryStage) -> None:
    """A manager that keeps a catalog is killed and started again: everybody keeps what they had."""
    lots = stage.lots
    await stage.enter("robot", durable=True)
    for name in ("a", "b", "c"):
        await stage.enter(name)
    stage.offer("robot", Asked, preempt_grace_s=0.5)
    stage.offer("robot", Base)
    arm, lamp = stage.thing(ARM), stage.thing(Base("lamp"))
    arm.rest_s = 0.05
    has = stage.user("a", ARM, exclusive=True)
    looks = stage.user("b", Base("lamp"))
    done = stage.user("b", Base("spade"))
    gone = stage.user("c", Base("fork"))
    await stage.settle(0.5)
    must(has.has_it and looks.has_it and done.has_it and gone.has_it, "it is not given")
    old = has.lease.generation
    ends = lots.choice(("before", "meanwhile", "no"))
    if ends == "before":
        done.leave()
        await stage.settle(0.3)
    stage.kill("robot")
    killed_s = stage.now_s
    await stage.settle(lots.choice((0.1, 0.5)))
    if ends == "meanwhile":
        done.leave()
    dies = lots.random() < 0.4
    if dies:
        stage.kill("c")
    late = stage.user("b", ARM, exclusive=True, wait=True)
    away_s = lots.choice((0.2, 2.0, 12.0))
    await stage.settle(away_s)
    for user in (has, looks):
        if away_s < GIVEN_UP_S:
            must(user.has_it, f"{user.who} is told that it lost what may be back", Breach.UNTOLD)
            must(
                user.said(Severity.WARNING), f"{user.who} is not told that its manager is away", Breach.UNTOLD
            )
        else:
            must(user.told_s is not None, f"{user.who} is never told that its manager is gone", Breach.UNTOLD)
            late_s = (user.told_s or 0.0) - killed_s
            must(abs(late_s - GIVEN_UP_S) < 0.6, f"{user.who} is told after {late_s:.1f} s", Breach.UNTOLD)
    is_slow = lots.random() < 0.4
    offers = stage._offers["robot"]
    if is_slow:
        stage._offers["robot"] = []
    is_cut = away_s < GIVEN_UP_S and lots.random() < 0.5
    stage.cut = {"a"} if is_cut else set()  # its holder is heard of a little later than somebody else
    await stage.enter("robot", durable=True)
    quick = stage.user("b", ARM, exclusive=True, wait=True) if is_cut else None
    if is_cut:
        await stage.settle(WINDOW_S / 2)
        stage.cut = set()
    if is_slow:
        await stage.settle(lots.choice((0.1, 0.4)))
        for kind, policy in offers:
            stage.offer("robot", kind, **policy)
    await stage.settle(RECONFIRMED_S + 1.5)
    if away_s < GIVEN_UP_S:
        must(has.has_it and looks.has_it, f"what it had is lost by a restart: {has.error}, {looks.error}")
        must(arm.is_up and lamp.is_up, "what is had is not up after a restart", Breach.UPBRINGING)
        must(has.lease.generation > old, "commands from before a restart are as good as new ones")
        must(has.said(Severity.UPDATE), "who has it is not told that its manager is back", Breach.UNTOLD)
        has.send(b"after")
        await stage.settle(0.1)
        must(arm.obeyed and arm.obeyed[-1][2] == b"after", f"who kept it is not obeyed: {arm.refused}")
        for each in (late, quick):
            must(each is None or each.has_s is None, "a restart gives away what somebody has")
        rival = stage.user("b", ARM, exclusive=True, wait=True, priority=Priority.OPERATOR)
        await stage.settle(0.8)
        must(rival.has_it, "what was kept over a restart cannot be taken by who has more right")
        must(len(has.fatal) == 1, "who is thrown out is not told", Breach.UNTOLD)
    else:
        anew = stage.user("c" if not dies else "a", ARM, exclusive=True, wait=True)
        await stage.settle(1.0)
        must(anew.has_it or late.has_it, "what nobody claims is kept for ever")
    must(
        stage.thing(Base("spade")).is_up == (ends == "no" and away_s < GIVEN_UP_S),
        "what was given back is up again",
        Breach.LEAKED,
    )
    if dies:
        must(not stage.thing(Base("fork")).is_up, "it is up for a program that was killed", Breach.LEAKED)


async def plain_restarts(stage: HistoryStage) -> None:
    """One without a catalog is killed: everybody hears at once, and can have all anew when it is back."""
    lots = stage.lots
    await apart(stage)
    await stage.enter("middle")
    stage.offer("middle", Tower)
    stage.thing(Tower("arm"), (ARM, {"exclusive": True}))
    user = stage.user("a", Tower("arm"), exclusive=True)
    await stage.settle(0.8)
    must(user.has_it, f"it is not given: {user.error}")
    waits = stage.user("b", ARM, exclusive=True, wait=True)
    await stage.settle()
    who = lots.choice(("robot", "middle"))
    killed_s = stage.now_s
    stage.kill(who)
    await stage.settle(0.1)
    must(
        user.told_s is not None and user.told_s - killed_s < 0.1,
        "who has it does not hear that its manager died",
        Breach.UNTOLD,
    )
    (fatal,) = user.said(Severity.FATAL)
    must(fatal.hops[0].registrar == who, f"blamed is {fatal.hops[0].registrar}, not {who}", Breach.UNTOLD)
    kind = ARM if who == "robot" else Tower("arm")
    asks = stage.user("a", kind, exclusive=True, timeout_s=lots.choice((None, 5.0)))
    await stage.settle(0.2)
    must(
        not asks.waits and asks.reason is ReasonKind.UNKNOWN,
        f"requests go to the dead: {asks.error}",
        Breach.NEVER_ENDED,
    )
    if who == "robot":
        must(not waits.waits, "who waits at the dead waits on", Breach.NEVER_ENDED)
    else:
        await stage.settle(WINDOW_S + BEAT_S + 0.2)
        must(waits.has_it, "what a dead manager had is nobody's")
        waits.leave()
    await stage.settle(lots.choice((0.0, 0.5)))
    await stage.enter(who)
    anew = stage.user("a", Tower("arm"), exclusive=True, wait=True)
    await stage.settle(1.5)
    must(anew.has_it, f"what is back cannot be had: {anew.error}")


async def echoes(stage: HistoryStage) -> None:
    """What was asked for, and given back since, is asked for again by a network that is late: for nobody."""
    lots = stage.lots
    await apart(stage)
    stage.things[ARM].start_s = lots.choice((0.0, 0.02, 0.3))
    late = lots.choice(
        (("Ask",), ("Ask", "Commit"), ("Commit",), ("Release",), ("Ask", "Release", "Reprioritise"))
    )

    def fate(sender: str, to: str, message: Message) -> tuple[float, ...] | None:
        return (0.0, lots.uniform(0.05, 1.0)) if type(message).__name__ in late else None

    stage.fate = fate
    alone = lots.random() < 0.5
    users: list[User] = []
    for _ in range(lots.randint(3, 7)):
        what = lots.choice(((ARM,), (ARM,), (Base("lamp"),), (ARM, Base("lamp"))))
        users.append(stage.user(lots.choice("ab"), *what, exclusive=True, wait=True))
        await stage.settle(lots.choice((0.0, 0.1, 0.4)))
        for user in list(users):
            if user.has_it and lots.random() < 0.6:
                if ARM in user.requests:
                    user.send()
                    await stage.settle(0.01)
                user.leave()
                users.remove(user)
        if alone:
            for user in users:
                user.leave()
            users.clear()
            await stage.settle(1.3)
    for user in users:
        await stage.settle(0.5)
        user.leave()
    await stage.settle(0.5)
    for request, thing in stage.things.items():
        must(not thing.is_up, f"{label(request)} is up for an echo", Breach.LEAKED)
    await stage.settle(2.0)
    for request, thing in stage.things.items():
        must(not thing.is_up, f"{label(request)} is up for a late echo", Breach.LEAKED)


async def unheard_ends(stage: HistoryStage) -> None:
    """A program is killed and is back before anybody hears of its end: it is another one all the same."""
    lots = stage.lots
    is_durable = lots.random() < 0.4
    await stage.enter("robot", durable=is_durable)
    for name in ("a", "b"):
        await stage.enter(name)
    stage.offer("robot", Asked, preempt_grace_s=0.5)
    stage.offer("robot", Base)
    arm, lamp = stage.thing(ARM), stage.thing(Base("lamp"))
    arm.rest_s = 0.05
    has = stage.user("a", ARM, exclusive=True, who="has")
    looks = stage.user("b", Base("lamp"), who="looks")
    await stage.settle(0.3)
    waits = stage.user("b", ARM, exclusive=True, wait=True, who="waits")
    group = stage.user("b", Base("spade"), ARM, exclusive=True, wait=True, who="group")
    await stage.settle(0.1)
    must(has.has_it and looks.has_it and waits.waits and group.waits, "it is not given")
    who = lots.choice(("robot", "robot", "a"))
    stage.transport.late_s = lots.choice((0.05, 0.15, 1.0))
    killed_s = stage.now_s
    stage.kill(who)
    await stage.settle(lots.choice((0.0, 0.02)))
    is_slow = lots.random() < 0.3 and who == "robot"
    offers = stage._offers["robot"]
    if is_slow:
        stage._offers["robot"] = []
    await stage.enter(who, durable=is_durable and who == "robot")
    if is_slow:
        await stage.settle(0.1)
        for kind, policy in offers:
            stage.offer("robot", kind, **policy)
    await stage.settle(0.15)
    if who == "a":
        must(waits.has_it, f"what a killed program had is nobody's: {waits.error!r}")
        must(looks.has_it, f"who has nothing to do with it loses something: {looks.error!r}")
    elif not is_durable:
        for user in (has, looks):
            must(
                user.told_s is not None, f"{user.who} is not told that its manager was started again", UNTOLD
            )
            late_s = (user.told_s or 0.0) - killed_s
            must(late_s < 0.1, f"{user.who} is told {late_s:.2f} s late", UNTOLD)
            must(user.reason is ReasonKind.FAILED, f"{user.who} is told {user.reason}", UNTOLD)
    await stage.settle(2.0 + RECONFIRMED_S if is_durable else 2.0)
    if who == "robot" and is_durable:
        must(has.has_it and looks.has_it, f"what it had is lost: {has.error!r}, {looks.error!r}")
        must(arm.is_up and lamp.is_up, "what is had is not up", Breach.UPBRINGING)
        must(waits.has_s is None, "what somebody has is given away")
    elif who == "robot":
        must(not waits.waits, "who waited at one that is no more waits on", Breach.NEVER_ENDED)
    for user in stage.users:
        must(all(times == 1 for times in user.fatal.values()), f"told {user.fatal}", Breach.TOLD_TWICE)
    (waits if waits.has_it else has).leave()
    await stage.settle(0.5)
    if who == "robot" and is_durable and waits.over_s is None:
        must(waits.has_it, f"who is next does not get it: {waits.error!r}")
        waits.leave()
        await stage.settle(0.5)
    must(group.has_it or group.over_s is not None, "who waits for several things waits for ever")
    stage.transport.late_s = 0.0


async def back_in_vain(stage: HistoryStage) -> None:
    """A manager with a catalog is back, and does not provide what it lent: that is given up in time."""
    lots = stage.lots
    await stage.enter("robot", durable=True)
    for name in ("a", "b"):
        await stage.enter(name)
    stage.offer("robot", Asked)
    has = stage.user("a", ARM, exclusive=True, who="has")
    await stage.settle(0.3)
    must(has.has_it, f"it is not given: {has.error!r}")
    killed_s = stage.now_s
    stage.kill("robot")
    stage._offers["robot"] = []
    others: list[type] = [Base, Tower]
    for _ in range(lots.randint(1, 3)):
        await stage.settle(lots.uniform(0.2, 2.5))
        if "robot" not in stage.registrars:
            await stage.enter("robot", durable=True)
        elif others and lots.random() < 0.5:
            stage.offer("robot", others.pop())
        else:
            stage.kill("robot")
    await stage.settle(max(GIVEN_UP_S - 0.6 - (stage.now_s - killed_s), 0.0))
    must(has.has_it, f"what may be back is given up: {has.error!r}")
    warned = has.said(Severity.WARNING)
    must(len(warned) == 1, f"told {len(warned)} times that its manager is away", UNTOLD)
    await stage.settle(1.5)
    must(has.told_s is not None, "what is not there any more is waited for for ever", Breach.NEVER_ENDED)
    late_s = (has.told_s or 0.0) - killed_s
    must(abs(late_s - GIVEN_UP_S) < 0.6, f"it is given up after {late_s:.1f} s", UNTOLD)


async def left_alone(stage: HistoryStage) -> None:
    """All are killed, and only the manager comes back: what it had lent is nobody's after a while."""
    lots = stage.lots
    await stage.enter("robot", durable=True)
    stage.offer("robot", Asked)
    stage.offer("robot", Base)
    await stage.enter("a")
    users = [stage.user("a", ARM, exclusive=True), stage.user("a", Base("lamp"))]
    own = stage.user("robot", Base("spade")) if lots.random() < 0.5 else None
    await stage.settle(0.3)
    must(all(user.has_it for user in users) and (own is None or own.has_it), "it is not given")
    for name in lots.sample(("a", "robot"), 2):
        stage.kill(name)
    await stage.settle(lots.choice((0.1, 20.0)))
    registrar = await stage.enter("robot", durable=True)
    await stage.settle(RECONFIRMED_S + 1.5)
    view = registrar.snapshot()
    must(not view.leases, f"of the dead it still knows {view.leases}", Breach.DANGLING)
    must(not view.resources, f"for the dead it still has {view.resources}", Breach.LEAKED)
    for thing in stage.things.values():
        must(not thing.is_up, f"{label(thing.request)} is up for the dead", Breach.LEAKED)
    await stage.enter("a")
    anew = stage.user("a", ARM, exclusive=True)
    await stage.settle(0.5)
    must(anew.has_it, f"what was the dead's cannot be had: {anew.error!r}")


async def late_beats(stage: HistoryStage) -> None:
    """One goes silent, and its network repeats for a while what it said last: it is gone in time."""
    lots = stage.lots
    await apart(stage)
    arm = stage.things[ARM]
    user = stage.user("a", ARM, exclusive=True)
    stage.user("a", Base("lamp"))
    gone = lots.choice(("a", "robot"))
    again_s = tuple(round(0.05 + number * lots.choice((0.05, 0.1)), 3) for number in range(30))

    def fate(sender: str, to: str, message: Message) -> tuple[float, ...] | None:
        return (0.0, *again_s) if isinstance(message, Heartbeat) and sender == gone else None

    stage.fate = fate
    await stage.settle(1.0)
    must(user.has_it, f"it is lost by what is said twice: {user.error!r}")
    user.send()
    behind = stage.user("b", ARM, exclusive=True, wait=True)
    await stage.settle(0.1)
    stage.cut = {gone}
    await stage.settle(WINDOW_S + BEAT_S + LATE_S + (arm.rest_s or 0.0))
    must(not arm.is_moving, f"it moves on without {gone}", Breach.SURPRISE_MOTION)
    must(user.told_s is not None, f"who has it does not hear that {gone} is silent", UNTOLD)
    if gone == "a":
        must(behind.has_it, "what is nobody's is kept for what was said before")
    else:
        must(not behind.waits, "who waits at the dead waits on", Breach.NEVER_ENDED)
    stage.fate = lambda *_: None
    await stage.settle(4.0)
    stage.cut = set()
    await stage.settle(REPAIRED_S)


async def ranks_unheard(stage: HistoryStage) -> None:
    """For whom something is held changes, and nobody hears it at first: soon it counts all the same."""
    lots = stage.lots
    for name in ("robot", "tools", "a", "b", "c"):
        await stage.enter(name)
    stage.offer("robot", Base, preempt_grace_s=0.5)
    stage.offer("tools", Asked)
    base = Base("arm")
    stage.thing(base).rest_s = 0.05
    stage.thing(ARM, (base, {"exclusive": True}))
    low = stage.user("a", ARM, priority=Priority.BACKGROUND, who="low")
    await stage.settle(0.4)
    must(low.has_it, f"it does not come up: {low.error!r}")
    rises = lots.random() < 0.6
    high = None if rises else stage.user("b", ARM, priority=Priority.OPERATOR, who="high")
    await stage.settle(0.4)
    lost = 0

    def fate(sender: str, to: str, message: Message) -> tuple[float, ...] | None:
        nonlocal lost
        is_hit = isinstance(message, Reprioritise) and to == "robot"
        lost += is_hit
        return () if is_hit else None

    stage.fate = fate
    if high is None:
        high = stage.user("b", ARM, priority=Priority.OPERATOR, who="high")
    else:
        high.leave()
    await stage.settle(0.1)
    stage.fate = lambda *_: None
    must(lost, "that it has changed is not said")
    await stage.settle(2 * REPAIRED_S)
    rival = stage.user("c", base, exclusive=True, wait=True, priority=Priority.AUTONOMY, who="rival")
    await stage.settle(1.0)
    if rises:
        must(low.has_it and high.has_it and rival.waits, "what an operator uses is taken from below")
        must(rival.place == ("high", 1), f"told to wait for {rival.place}, not for high")
        high.leave()
        await stage.settle(1.5)
    must(rival.has_it, "what no operator uses any more is kept from those with more right")
    must(low.told_s is not None, "who stood on what was taken is not told", UNTOLD)


HISTORIES: Final = (
    History(unheard_ends, BEAT_S, 3),
    History(back_in_vain, BEAT_S, 2),
    History(left_alone, BEAT_S),
    History(late_beats, BEAT_S, 2),
    History(ranks_unheard, BEAT_S),
    History(echoes, BEAT_S, 2),
    History(silence, BEAT_S, 2),
    History(chains_of_silence, BEAT_S),
    History(calm, BEAT_S),
    History(one_lost, BEAT_S, 4),
    History(deaf, BEAT_S, 4),
    History(newcomers, BEAT_S, 2),
    History(bad_weather, BEAT_S, 3),
    History(killed_clients, BEAT_S),
    History(restarts, BEAT_S, 2),
    History(plain_restarts, BEAT_S),
)
