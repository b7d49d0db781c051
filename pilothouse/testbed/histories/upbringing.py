"""What is wanted comes up once, in order, is told how it is to whoever has it, and goes down again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from framework.errors import CircularDependency, ResourceFailed
from framework.scenarios.invariants import Breach
from framework.status import Priority, ReasonKind, Severity
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.networks import Network
from pilothouse.testbed.histories.stage import SETTLES_S, History, HistoryStage
from pilothouse.testbed.histories.things import Asked, Base, Request, Thing, Tower, label
from pilothouse.testbed.histories.users import User

LOW, MIDDLE, TOP = Base("d"), Asked("d"), Tower("d")
UP = Breach.UPBRINGING
STOP_S = 1.0


async def tower(stage: HistoryStage, **wishes: object) -> tuple[Thing, Thing, Thing]:
    """A thing on a thing on a thing, each provided by a registrar of its own."""
    for name in ("low", "middle", "top", "a", "b"):
        await stage.enter(name)
    stage.offer("low", Base, start_timeout_s=2.0, stop_timeout_s=STOP_S)
    stage.offer("middle", Asked, start_timeout_s=4.0, stop_timeout_s=STOP_S)
    stage.offer("top", Tower, start_timeout_s=6.0, stop_timeout_s=STOP_S)
    low = stage.thing(LOW)
    middle = stage.thing(MIDDLE, (LOW, dict(wishes)))
    top = stage.thing(TOP, (MIDDLE, dict(wishes)))
    lots = stage.lots
    for each in (low, middle, top):
        each.start_s = lots.choice((0.0, 0.1, 0.3))
        each.stop_s = lots.choice((0.0, 0.0, 0.2))
    return low, middle, top


def hears(
    user: User, words: str, hops: Sequence[str], within_s: float, since_s: float, stage: HistoryStage
) -> None:
    """It was told once that it has lost what it had, when, why, and where that began."""
    must(user.told_s is not None, f"{user.who} does not hear that {words}", Breach.UNTOLD)
    late_s = (user.told_s or 0.0) - since_s
    must(late_s <= within_s, f"{user.who} hears {late_s:.3f} s late that {words}", Breach.UNTOLD)
    (fatal,) = user.said(Severity.FATAL)
    must(words in fatal.message, f"{user.who} hears {fatal.message!r}, not {words!r}", Breach.UNTOLD)
    names = [hop.registrar for hop in fatal.hops]
    must(names == list(hops), f"{user.who} hears that it came by {names}, not by {list(hops)}", Breach.UNTOLD)
    must(
        fatal.reason.kind is ReasonKind.FAILED,
        f"{user.who} hears as a reason {fatal.reason.kind}",
        Breach.UNTOLD,
    )
    must(isinstance(user.error, ResourceFailed), f"{user.who} ends by {user.error!r}", Breach.UNTOLD)


async def chains(stage: HistoryStage) -> None:
    """Something fails, at whatever height: all above hear, it goes down in order, comes up anew."""
    lots = stage.lots
    low, middle, top = await tower(stage)
    things = {"low": low, "middle": middle, "top": top}
    above = stage.user("a", TOP)
    await stage.settle(1.2)
    must(above.has_it and low.is_up and middle.is_up and top.is_up, "it does not come up", UP)
    must(above.lease.value == f"handle of {label(TOP)}", f"it is given {above.lease.value!r}", UP)
    beside = stage.user("b", LOW)
    await stage.settle()
    where = lots.choice(list(things))
    names = list(things)[list(things).index(where) :]
    if lots.random() < 0.5:
        await stage.settle(8.0)  # longer than any start may take
        must(above.has_it and beside.has_it, "what has long been up is lost by itself", UP)
    hangs = lots.choice((None, None, top, middle))
    if hangs is not None:
        hangs.stop_s = None
    since_s = stage.now_s
    words = "it came unplugged"
    if lots.random() < 0.5:
        things[where].fail(words)
    else:
        things[where].crash(words)
    await stage.settle()
    hears(above, words, names, SETTLES_S, since_s, stage)
    if where == "low":
        hears(beside, words, ["low"], SETTLES_S, since_s, stage)
    else:
        must(beside.has_it, "what stands below is lost by what is above it", UP)
        beside.leave()
    if lots.random() < 0.6:
        again = stage.user("a", TOP)
        await stage.settle(3 * STOP_S + 1.2)
        must(again.has_it, f"it does not come up again: {again.error}", UP)
        for thing in things.values():
            must(thing.lives == 2, f"{label(thing.request)} came up {thing.lives} times", UP)
        again.leave()
    await stage.settle(3 * STOP_S + 0.5)
    for thing in things.values():
        must(not thing.is_up or thing is hangs, f"{label(thing.request)} stays up for nobody", Breach.LEAKED)
    for name in things:
        left = stage.registrars[name].snapshot().resources
        must(not left, f"{name} still has {[each.state for each in left]}", Breach.LEAKED)


async def shared(stage: HistoryStage) -> None:
    """Several use one thing: it is up once, as long as anybody has it."""
    lots = stage.lots
    low, middle, top = await tower(stage)
    users: list[User] = []
    for _ in range(lots.randint(5, 12)):
        if lots.random() < 0.6 or not users:
            users.append(stage.user(lots.choice("ab"), lots.choice((LOW, MIDDLE, TOP))))
        else:
            users.pop(lots.randrange(len(users))).leave()
        await stage.settle(lots.choice((0.0, 0.02, 0.15, 1.2)))
        must(not any(user.over_s is not None for user in users), "one's end is another's", UP)
    await stage.settle(2.0)
    must(all(user.has_it for user in users), "somebody does not have what others have", UP)
    wanted = {user.requests[0] for user in users}
    heights = [LOW, MIDDLE, TOP]
    most = max((heights.index(each) for each in wanted if each in heights), default=-1)
    for number, thing in enumerate((low, middle, top)):
        is_wanted = number <= most
        must(thing.is_up == is_wanted, f"{label(thing.request)} is {'not ' if is_wanted else ''}up", UP)
        states = [
            each.state
            for name in ("low", "middle", "top")
            for each in stage.registrars[name].snapshot().resources
            if each.request == thing.request
        ]
        must(states == (["ready"] if is_wanted else []), f"{label(thing.request)} is shown as {states}", UP)


async def starts_that_fail(stage: HistoryStage) -> None:
    """What does not come up is said in its own words, in time, and nothing of it is left."""
    lots = stage.lots
    low, middle, top = await tower(stage)
    broken = lots.choice((low, middle, top))
    how = lots.choice(("breaks", "never", "gives up"))
    if how == "breaks":
        broken.breaks = "the lens is missing"
    else:
        broken.start_s = None
    user = stage.user("a", TOP, timeout_s=1.0 if how == "gives up" else None)
    other = stage.user("b", broken.request)
    await stage.settle(0.9)
    if how == "gives up" and lots.random() < 0.5:
        user.leave()
    await stage.settle(7.0)
    must(not user.waits and not other.waits, f"who wants what {how} waits for ever", Breach.NEVER_ENDED)
    if how == "breaks":
        for each in (user, other):
            must("the lens is missing" in str(each.error), f"{each.who} hears {each.error}", Breach.UNTOLD)
            must(each.reason is ReasonKind.FAILED, f"{each.who} is refused for {each.reason}", Breach.UNTOLD)
    elif how == "never":
        must("did not start within" in str(other.error), f"{other.who} hears {other.error}", Breach.UNTOLD)
    await stage.settle(3 * STOP_S)
    for thing in (low, middle, top):
        must(not thing.is_up, f"{label(thing.request)} stays up for nobody", Breach.LEAKED)
    broken.breaks, broken.start_s = "", 0.0
    again = stage.user("a", TOP)
    await stage.settle(2.0)
    must(again.has_it, f"what failed once fails for ever: {again.error}", UP)


async def conditions(stage: HistoryStage) -> None:
    """How a thing is is told to everybody above it, once each, and shown of all that stands on it."""
    lots = stage.lots
    low, middle, _ = await tower(stage)
    users = [stage.user("a", TOP), stage.user("b", LOW), stage.user("b", MIDDLE)]
    await stage.settle(1.5)
    said: dict[str, Severity] = {"low": Severity.OK, "middle": Severity.OK}
    things = {"low": low, "middle": middle}
    order = ["low", "middle", "top"]
    reaches = {"low": users, "middle": [users[0], users[2]]}
    for number in range(lots.randint(3, 8)):
        where = lots.choice(("low", "middle"))
        severity = lots.choice((Severity.WARNING, Severity.ERROR, Severity.OK))
        words = f"{severity.name.lower()} number {number}"
        was_well = said[where] is Severity.OK
        said[where] = severity
        before = {user.who: len(user.statuses) for user in users}
        supply = things[where].supply
        assert supply is not None
        supply.report(severity, words)
        await stage.settle()
        for user in users:
            news = [each for _, each in user.statuses[before[user.who] :] if each.message == words]
            wanted = 1 if user in reaches[where] else 0
            if severity is Severity.OK and was_well:
                wanted = min(wanted, len(news))
            if severity is not Severity.OK:
                must(
                    len(news) == wanted,
                    f"{user.who} hears {len(news)} times: {words}",
                    Breach.UNTOLD if len(news) < wanted else Breach.TOLD_TWICE,
                )
            for each in news:
                way = [hop.registrar for hop in each.hops]
                must(way == order[order.index(where) :][: len(way)], f"{words} comes by {way}", Breach.UNTOLD)
                must(each.severity is severity, f"{words} is told as {each.severity.name}", Breach.UNTOLD)
        judge_states(stage, said, order)
        if lots.random() < 0.3:
            await late_comer(stage, said)
    handle = f"another handle of {label(LOW)}"
    assert low.supply is not None
    low.supply.update(handle, "it has changed")
    await stage.settle()
    must(users[1].lease.value == handle, "a new handle does not reach who has the old one", UP)
    must(users[0].lease.value == f"handle of {label(TOP)}", "somebody has another thing's handle", UP)


async def late_comer(stage: HistoryStage, said: dict[str, Severity]) -> None:
    """Who asks for something while it is unwell hears so, once; who asks for what is well hears nothing."""
    request = stage.lots.choice((LOW, MIDDLE, TOP))
    below = {"low"} if request is LOW else {"low", "middle"}
    user = stage.user("b", request, who="late")
    await stage.settle(
        0.1 if stage.network is Network.STEADY else 0.5
    )  # what overtook its grant is said again
    must(user.has_it, f"{label(request)} is not given to who comes late", UP)
    is_unwell = any(said[each] is not Severity.OK for each in below)
    told = [each for _, each in user.statuses if each.severity in (Severity.WARNING, Severity.ERROR)]
    must(bool(told) is is_unwell, f"who comes late hears {len(told)} times of what is unwell", Breach.UNTOLD)
    user.leave()
    await stage.settle()


def judge_states(stage: HistoryStage, said: dict[str, Severity], order: Sequence[str]) -> None:
    """As `pilothouse status` shows it: well exactly if nothing below says otherwise."""
    is_well = True
    for name in order:
        is_well = is_well and said.get(name, Severity.OK) is Severity.OK
        for view in stage.registrars[name].snapshot().resources:
            must((view.state == "ready") == is_well, f"{name} is shown as {view.state}, said was {said}", UP)


async def makes_do(stage: HistoryStage) -> None:
    """What can do without something is told when that comes and goes, and lives on."""
    lots = stage.lots
    for name in ("low", "top", "a"):
        await stage.enter(name)
    stage.offer("low", Base, stop_timeout_s=STOP_S)
    stage.offer("top", Tower, stop_timeout_s=STOP_S)
    low = stage.thing(LOW)
    how = lots.choice(("optional", "tell"))
    top = stage.thing(TOP, (LOW, {"optional": True} if how == "optional" else {"on_failure": "tell"}))
    user = stage.user("a", TOP)
    await stage.settle(0.2)
    must(user.has_it and low.is_up, "it does not come up", UP)
    assert low.supply is not None
    if lots.random() < 0.5:
        low.supply.report(Severity.ERROR, "it flickers")
        await stage.settle()
        (view,) = stage.registrars["top"].snapshot().resources
        must(view.state != "ready", "what stands on something that is unwell is shown as well", UP)
    low.fail("it burnt out")
    await stage.settle(0.1)
    must(user.has_it and top.is_up, "what can do without something ends with it", UP)
    if how == "optional":
        must(top.held[0].value is None, "what is gone is still given", UP)
    for lease in top.held:
        if how == "tell" and lease.is_open:
            must(lease.status.severity is Severity.FATAL, "what can do without it is not told", Breach.UNTOLD)
    await stage.settle(12.0)
    (view,) = stage.registrars["top"].snapshot().resources
    if how == "optional":
        must(low.lives >= 2 and top.held[0].value is not None, "what is there again is not given", UP)
    must(view.state == "ready", f"what has long done without it is shown as {view.state}", UP)


async def leaving(stage: HistoryStage) -> None:
    """A program that is left takes all down that it has brought up, and lets nobody wait for it."""
    lots = stage.lots
    low, middle, top = await tower(stage)
    who = lots.choice(("low", "middle", "top", "a"))
    stays_s = lots.choice((0.0, 0.0, 20.0))  # some do not let go of what they have lost
    users = [
        stage.user("a", TOP, stays_s=stays_s),
        stage.user("b", MIDDLE, exclusive=True),
        stage.user("b", LOW, stays_s=stays_s),
    ]
    await stage.settle(1.5)
    waits = stage.user("b", MIDDLE, exclusive=True, wait=True)
    slow = Base("slow")
    stage.thing(slow).start_s = 1.5
    starting = stage.user("b", slow)
    group = stage.user("b", LOW, Base("other"), timeout_s=4.0)
    if lots.random() < 0.5:
        await stage.settle()
    if lots.random() < 0.4:
        lots.choice((low, middle, top)).stop_s = None
    began_s = stage.now_s
    await stage.leaves(who)
    took_s = stage.now_s - began_s
    if stays_s:
        for thing, at in ((low, "low"), (middle, "middle"), (top, "top")):
            is_left = at == who and thing.stop_s is not None
            must(
                not is_left or not thing.is_up, f"{label(thing.request)} runs on without {at}", Breach.LEAKED
            )
        return
    must(took_s < 3 * STOP_S + 1.1, f"{who} takes {took_s:.1f} s to leave", Breach.NEVER_ENDED)
    for thing, at in ((low, "low"), (middle, "middle"), (top, "top")):
        must(
            at != who or not thing.is_up or thing.stop_s is None,
            f"{label(thing.request)} runs on without {at}",
            Breach.LEAKED,
        )
    depth = {"low": 0, "middle": 1, "top": 2, "a": 3}[who]
    await stage.settle()
    hit = [user for user, height in zip(users, (2, 1, 0), strict=True) if height >= depth]
    if who == "a":
        hit = [users[0]]
    for user in hit:
        must(user.over_s is not None, f"{user.who} is not told that {who} has left", Breach.UNTOLD)
        must(
            len(user.fatal) == 1 and set(user.fatal.values()) == {1},
            f"{user.who} is told {user.fatal}",
            Breach.TOLD_TWICE,
        )
    for user in users:
        must(user in hit or user.has_it, f"{user.who} loses what has nothing to do with {who}", UP)
    if who in ("low", "middle"):
        must(not waits.waits, "who waits is not told that nobody is left to wait for", Breach.UNTOLD)
    if who == "low":
        must(not starting.waits and not group.waits, "who wants it waits for who has left", Breach.UNTOLD)
    if who != "a":
        kinds: dict[str, Request] = {"low": LOW, "middle": MIDDLE, "top": TOP}
        kind = kinds[who]
        asked_s = stage.now_s
        late = stage.user("b", kind)
        await stage.settle()
        must(
            not late.waits,
            f"who asks for what has left waits: {stage.now_s - asked_s:.1f} s",
            Breach.NEVER_ENDED,
        )
        must(late.reason is ReasonKind.UNKNOWN, f"refused for {late.reason}: {late.error}", Breach.UNTOLD)
        await stage.settle(3 * STOP_S)
        for thing in (low, middle, top):
            if thing.stop_s is None:
                thing.stop_s = 0.0
        await stage.settle(0.6)  # what has hung is gone at last
        await stage.enter(who)
        again = stage.user("b", kind)
        await stage.settle(3 * STOP_S + 2.0)
        must(again.has_it, f"what is there again cannot be had: {again.error}", UP)


async def closing_and_asking(stage: HistoryStage) -> None:
    """While a program leaves, slowly, nothing is lent there that would be gone at once."""
    for name in ("low", "a", "b"):
        await stage.enter(name)
    stage.offer("low", Base, stop_timeout_s=STOP_S)
    thing = stage.thing(LOW)
    thing.stop_s = 0.6
    user = stage.user("a", LOW)
    await stage.settle(0.1)
    must(user.has_it, "it does not come up", UP)
    going = asyncio.create_task(stage.leaves("low"))
    await asyncio.sleep(0.1)
    late = [
        stage.user("b", LOW),
        stage.user("b", Base("other")),
        stage.user("b", LOW, exclusive=True, wait=True),
    ]
    await asyncio.sleep(0.1)
    for each in late:
        must(each.has_s is None, f"{each.who} is lent what is being left")
        must(
            not each.waits and each.reason in (ReasonKind.CLOSED, ReasonKind.UNKNOWN),
            f"{each.who} hears {each.error}",
        )
    await going
    must(not stage.thing(Base("other")).lives, "something is begun by who leaves", UP)


async def rings(stage: HistoryStage) -> None:
    """What would wait for itself is found, wherever one enters, and named."""
    lots = stage.lots
    for name in ("low", "middle", "top", "a"):
        await stage.enter(name)
    stage.offer("low", Base)
    stage.offer("middle", Asked)
    stage.offer("top", Tower)
    ring: list[Request] = [Base("ring"), Asked("ring"), Tower("ring")]
    for one, other in zip(ring, ring[1:] + ring[:1], strict=True):
        stage.thing(one, (other, {}))
    users = [stage.user("a", each) for each in lots.sample(ring, lots.randint(1, 3))]
    await stage.settle(0.5)
    for user in users:
        must(not user.waits, "who asks for a ring waits for ever", Breach.NEVER_ENDED)
        circle = user.error.circle if isinstance(user.error, CircularDependency) else ()
        must(circle, f"{user.who} hears {user.error!r}", Breach.UNTOLD)
        must(
            len(set(circle)) == 3 and circle[0] == circle[-1],
            f"the ring is named as {circle}",
            Breach.UNTOLD,
        )
    must(not any(thing.came_up_s for thing in stage.things.values()), "something of a ring has come up", UP)


async def moving_things_fail(stage: HistoryStage) -> None:
    """What moves comes to rest before anybody else opens or has it, whatever has failed."""
    lots = stage.lots
    for name in ("low", "a", "b"):
        await stage.enter(name)
    stage.offer("low", Base, stop_timeout_s=STOP_S, safe_stop_timeout_s=1.0, preempt_grace_s=0.5)
    thing = stage.thing(LOW)
    thing.rest_s = lots.choice((0.1, 0.4))
    thing.wont_rest = lots.random() < 0.3
    user = stage.user("a", LOW, exclusive=True)
    await stage.settle()
    user.send()
    await stage.settle()
    must(thing.is_moving, "it does not do as it is told")
    thing.stop_s = lots.choice((0.0, 0.2))
    how = lots.choice(("fails", "crashes", "left", "thrown out", "killed"))
    asked_s = stage.now_s
    behind = stage.user(
        "b",
        LOW,
        exclusive=True,
        wait=True,
        priority=Priority.OPERATOR if how == "thrown out" else Priority.AUTONOMY,
    )
    await stage.settle(0.0)
    if how == "fails":
        thing.fail("its fuse blew")
    elif how == "crashes":
        thing.crash("its fuse blew")
    elif how == "killed":
        stage.kill("a")
    elif how == "left":
        user.leave()
    began_s = asked_s if how == "thrown out" else stage.now_s
    await stage.settle(0.05)
    again = stage.user("b", LOW, exclusive=True) if how in ("fails", "crashes") else None
    await stage.settle(2.0)
    if thing.wont_rest:
        if how not in ("fails", "crashes"):
            must(
                "worn" in str(behind.error),
                f"who waits for what does not come to rest hears {behind.error}",
                Breach.UNTOLD,
            )
        thing.is_moving = False
        return
    must(not thing.is_moving, "it moves on", Breach.SURPRISE_MOTION)
    must(
        thing.rests_s and abs(thing.rests_s[0] - began_s - thing.rest_s) < 0.03,
        "it is not stopped at once",
        Breach.SURPRISE_MOTION,
    )
    if again is not None:
        must(again.has_it, f"what came to rest cannot be had again: {again.error}", UP)
        must(thing.came_up_s[-1] >= thing.rests_s[0], "it is opened while it moves", UP)
        must("fuse" in str(behind.error), f"who waited for it hears {behind.error}", Breach.UNTOLD)
    else:
        must(behind.has_it, "who is next does not get it")


async def waits_below(stage: HistoryStage) -> None:
    """What stands on something that another one has waits for it, or not, as its own clients do."""
    lots = stage.lots
    for name in ("low", "middle", "a", "b"):
        await stage.enter(name)
    stage.offer("low", Base)
    stage.offer("middle", Asked, start_timeout_s=60.0)
    base = stage.thing(LOW)
    base.rest_s = 0.0
    stage.thing(MIDDLE, (LOW, {"exclusive": True}))
    stage.thing(Asked("e"), (LOW, {"exclusive": True}))
    has = stage.user("a", LOW, exclusive=True, who="ann")
    await stage.settle()
    patient = stage.user("b", MIDDLE, exclusive=True, wait=True, who="pat")
    impatient = stage.user("b", Asked("e"), exclusive=True, who="imp")
    await stage.settle()
    must(
        patient.waits and patient.place is not None and patient.place[0] == "ann",
        f"told to wait for {patient.place}",
    )
    must(
        impatient.reason is ReasonKind.HELD and "ann" in str(impatient.error),
        f"refused with {impatient.error}",
    )
    if lots.random() < 0.5:
        patient.leave()
        await stage.settle()
        has.leave()
        await stage.settle(0.3)
        must(not base.is_up, "what somebody gave up waiting for comes up", Breach.LEAKED)
    else:
        has.leave()
        await stage.settle(0.3)
        must(patient.has_it, "who waited does not get it")


async def unwell_while_it_starts(stage: HistoryStage) -> None:
    """Something is said of what it stands on while it comes up: it comes up as well as that is."""
    lots = stage.lots
    low, middle, top = await tower(stage)
    low.start_s, middle.start_s, top.start_s = 0.0, 0.5, lots.choice((0.0, 0.3))
    user = stage.user("a", TOP)
    await stage.settle(0.2)
    must(low.supply is not None and user.waits, "it does not come up in order", UP)
    assert low.supply is not None
    low.supply.report(lots.choice((Severity.WARNING, Severity.ERROR)), "it flickers")
    is_over = lots.random() < 0.4
    if is_over:
        await stage.settle(0.1)
        low.supply.report(Severity.OK, "well again")
    await stage.settle(1.5)
    must(user.has_it, f"it does not come up: {user.error}", UP)
    views = {
        view.request: view.state
        for name in ("low", "middle")
        for view in stage.registrars[name].snapshot().resources
    }
    for request in (LOW, MIDDLE):
        must((views[request] == "ready") == is_over, f"{label(request)} is shown as {views[request]}", UP)


HISTORIES: Final = (
    History(unwell_while_it_starts),
    History(chains),
    History(shared),
    History(starts_that_fail),
    History(conditions),
    History(makes_do),
    History(leaving),
    History(closing_and_asking),
    History(rings),
    History(moving_things_fail),
    History(waits_below),
)
