"""Code of others that is wrong: handlers, bodies, providers that raise; and what is left while it is asked.

Who raises harms itself and nobody else, and is told everything all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from framework.errors import CircularDependency, LeaseError, PilothouseError, RegistrarClosed, ResourceFailed
from framework.registrar import Lease, Supply
from framework.registrar.effects import JournalKind
from framework.registrar.journal import JournalEntry
from framework.scenarios.invariants import Breach
from framework.status import Severity, Status
from framework.transport.messages import Command
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.stage import History, HistoryStage
from pilothouse.testbed.histories.things import Asked, Base, Request, Tower

ARM, LAMP, TOP = Asked("arm"), Base("lamp"), Tower("d")
UNTOLD: Final = Breach.UNTOLD
UP: Final = Breach.UPBRINGING


class Wrong(Exception):
    """What is wrong with it."""


def raises(*_: object) -> None:
    """Whatever it is told."""
    raise Wrong("it cannot do that")


async def handlers(stage: HistoryStage) -> None:
    """Who hears of something raises: all others hear of it, and so does that one the next time."""
    lots = stage.lots
    for name in ("robot", "a", "b"):
        await stage.enter(name)
    stage.offer("robot", Base)
    lamp = stage.thing(LAMP)
    entries: list[JournalEntry] = []
    journal = stage.registrars["robot"].journal
    journal.listen(raises)
    journal.listen(entries.append)
    heard: list[Status] = []

    def hears(status: Status) -> None:
        heard.append(status)
        raise Wrong("it cannot hear that")

    read: list[Status] = []
    error: BaseException | None = None

    async def wrong_one() -> None:
        nonlocal error
        try:
            async with stage.registrars["a"].request(LAMP, on_status=hears, who="wrong") as lease:
                async for status in lease.statuses():
                    read.append(status)
                await asyncio.Event().wait()
        except PilothouseError as failure:
            error = failure

    task = asyncio.create_task(wrong_one())
    other = stage.user("b", LAMP, who="other")
    await stage.settle(0.2)
    must(other.has_it and lamp.supply is not None, f"it does not come up: {other.error!r}", UP)
    assert lamp.supply is not None
    said: list[tuple[Severity, str]] = []
    for number in range(lots.randint(1, 4)):
        severity = lots.choice((Severity.WARNING, Severity.ERROR))
        said.append((severity, f"number {number}"))
        lamp.supply.report(severity, f"number {number}")
        await stage.settle(0.05)
    said.append((Severity.FATAL, "it burst"))
    lamp.fail("it burst")
    await stage.settle(0.2)
    for told in (heard, [each for _, each in other.statuses]):
        must([(each.severity, each.message) for each in told] == said, f"said {said}, told {told}", UNTOLD)
    before = [(each.severity, each.message) for each in read]  # the last one ends whoever reads
    must(before == said[:-1], f"said {said}, read {read}", UNTOLD)
    must(isinstance(error, ResourceFailed), f"who raises on being told ends by {error!r}", UNTOLD)
    must(entries == list(journal.entries()), "who listens to a journal behind one that raises", UNTOLD)
    await asyncio.gather(task, return_exceptions=True)


async def commanded(stage: HistoryStage) -> None:
    """A provider raises on a command, or says late that it moves: the next command is as good as any."""
    lots = stage.lots
    for name in ("robot", "a", "b"):
        await stage.enter(name)
    stage.offer("robot", Asked, safe_stop_timeout_s=1.0)
    arm = stage.thing(ARM)
    looks = stage.user("b", ARM, who="looks")
    await stage.settle(0.1)
    supply = arm.supply
    must(looks.has_it and supply is not None, f"it does not come up: {looks.error!r}", UP)
    assert supply is not None
    moves = lots.random() < 0.6
    if moves:  # only now
        arm.rest_s = lots.choice((0.0, 0.2))
        supply.declare_safe_stop(arm._come_to_rest, device="arm")
    has = stage.user("a", ARM, exclusive=True, who="has")
    await stage.settle(0.1)
    taken: list[bytes] = []

    def takes(command: Command) -> None:
        taken.append(command.payload)
        arm._commanded(command)
        if command.payload == b"wrong":
            raise Wrong("no such thing")

    def changes_hands(lease: str, generation: int) -> None:
        arm._held_by(lease, generation)
        raise Wrong("it does not care")

    supply.on_command(takes)
    supply.on_holder(changes_hands)
    sent = [lots.choice((b"go", b"wrong")) for _ in range(lots.randint(2, 5))]
    for payload in sent:
        has.send(payload)
        await stage.settle(0.02)
    must(taken == sent, f"{sent} are commanded, and {taken} done")
    must(has.has_it and looks.has_it, "a command that goes wrong ends something", UP)
    before = len(taken)
    for _ in range(3):
        try:
            looks.send(b"look")
        except LeaseError:
            break
        await stage.settle(0.02)
    if moves:
        must(len(taken) == before, "what moves is commanded by who only looks", Breach.SURPRISE_MOTION)
        refused = [each for each in _written(stage, JournalKind.REFUSE) if each.who == "looks"]
        must(len(refused) <= 1, f"it is written {len(refused)} times", Breach.TOLD_TWICE)
    left_s = stage.now_s
    has.leave()
    await stage.settle(0.4)
    if moves:
        must(not arm.is_moving, "it moves on for nobody", Breach.SURPRISE_MOTION)
        rested = [at_s for at_s in arm.rests_s if at_s >= left_s]
        must(len(rested) == 1, f"it is brought to rest {len(rested)} times", Breach.SURPRISE_MOTION)


def _written(stage: HistoryStage, deed: JournalKind) -> list[JournalEntry]:
    return [each for each in stage.registrars["robot"].journal.entries() if each.deed is deed]


async def bodies(stage: HistoryStage) -> None:
    """A body raises, is cancelled, or has several things that fail at once: it ends once, by what it was."""
    lots = stage.lots
    for name in ("robot", "a"):
        await stage.enter(name)
    stage.offer("robot", Base)
    stage.offer("robot", Asked)
    lamp, arm = stage.thing(LAMP), stage.thing(ARM)
    registrar = stage.registrars["a"]
    told_to = ("raises when told",) * 3
    how = lots.choice(("raises", *told_to, "cancelled", "both fail", "both fail", "one fails"))
    inner: list[BaseException] = []
    outer: list[BaseException] = []
    told: list[Status] = []
    asks: Any = {"on_failure": "tell"} if how == "raises when told" and lots.random() < 0.2 else {}

    async def body() -> str:
        try:
            async with registrar.request(LAMP, on_status=told.append):
                try:
                    async with registrar.request(ARM, on_status=told.append, **asks):
                        if how == "raises":
                            raise Wrong("its own")
                        try:
                            await asyncio.sleep(10.0)
                        except asyncio.CancelledError:
                            if how != "raises when told":
                                raise
                            raise Wrong("its own") from None
                except PilothouseError as error:
                    inner.append(error)
                    if how.startswith("both"):
                        await asyncio.sleep(10.0)  # what it still has fails, too
                    await asyncio.sleep(0.3)
        except (PilothouseError, Wrong) as error:
            outer.append(error)
        await asyncio.sleep(0.5)  # nothing of it is left that would end this
        return "over"

    task = asyncio.create_task(body())
    await stage.settle(0.3)
    match how:
        case "cancelled":
            if lots.random() < 0.5:
                arm.fail("it burst")
                lamp.fail("it burst")
            task.cancel()
        case "both fail":
            for each in lots.sample((lamp, arm), 2):
                each.fail("it burst")
        case "one fails" | "raises when told":
            arm.fail("it burst")
    done, _ = await asyncio.wait([task], timeout=15.0 if asks else 3.0)  # what is only told goes on
    must(done, f"{how}: it never ends", Breach.NEVER_ENDED)
    if how == "cancelled":
        must(task.cancelled(), "who was cancelled from outside goes on", Breach.NEVER_ENDED)
    else:
        must(not task.cancelled() and task.exception() is None, f"{how}: it ends by {task}", UNTOLD)
        kinds = [type(each) for each in (*inner, *outer)]
        wanted: dict[str, list[type[BaseException]]] = {
            "raises": [Wrong],
            "raises when told": [Wrong] if not asks else [],
            "both fail": [ResourceFailed, ResourceFailed],
            "one fails": [ResourceFailed],
        }
        if how == "both fail" and not inner:  # what is further out is lost first, and ends all
            kinds = [*kinds, ResourceFailed]
        must(kinds == wanted[how], f"{how}: it ends by {kinds}", UNTOLD)
        if how == "raises when told" and not asks:
            notes = getattr(outer[0], "__notes__", [])
            must(any("it burst" in note for note in notes), f"its own error says {notes}", UNTOLD)
    fatal = [each for each in told if each.severity is Severity.FATAL]
    times = {"raises": 0, "both fail": 2, "one fails": 1, "raises when told": 1}.get(how)
    if how == "both fail" and not inner:  # the one further in may be over before it is told
        times = len({each.lease_id for each in fatal})
    must(times is None or len(fatal) == times, f"{how}: it is told {fatal}", Breach.TOLD_TWICE)
    await stage.settle(0.3)
    for thing in (lamp, arm):
        must(not thing.is_up, f"{how}: it is up for nobody", Breach.LEAKED)


async def helpers(stage: HistoryStage) -> None:
    """A provider has what it stands on by a helper that is over: if that fails it ends all the same, once."""
    lots = stage.lots
    for name in ("robot", "tools", "a"):
        await stage.enter(name)
    stage.offer("robot", Base)
    lamp, top = stage.thing(LAMP), stage.thing(TOP, (LAMP, {}))
    over: list[float] = []
    tells = lots.random() < 0.3
    wishes: Any = {"on_failure": "tell"} if tells else {}

    @asynccontextmanager
    async def provider(request: Tower, supply: Supply) -> AsyncIterator[str]:
        async with AsyncExitStack() as stack:

            async def helps() -> Lease:
                return await stack.enter_async_context(supply.request(LAMP, **wishes))

            await asyncio.create_task(helps())
            top.came_up_s.append(stage.now_s)
            try:
                yield f"handle {len(top.came_up_s)}"
            finally:
                over.append(stage.now_s)

    stage.registrars["tools"].provides(Tower)(provider)
    user = stage.user("a", TOP)
    await stage.settle(0.2)
    must(user.has_it and lamp.is_up, f"it does not come up: {user.error!r}", UP)
    failed_s = stage.now_s
    lots.choice((lamp.fail, lamp.crash))("it burst")
    await stage.settle(0.2)
    if tells:
        must(user.has_it and not over, "what is only told ends something", UP)
        user.leave()
        await stage.settle(0.2)
    else:
        must(user.told_s is not None, "who stands on what has failed is not told", UNTOLD)
        must("it burst" in str(user.error), f"it ends by {user.error!r}", UNTOLD)
        must((user.told_s or 0.0) - failed_s < 0.1, "it is told late", UNTOLD)
    must(len(over) == 1, f"its provider ends {len(over)} times", UP)
    again = stage.user("a", TOP)
    await stage.settle(0.5)
    must(again.has_it and again.lease.value == "handle 2", f"it does not come up again: {again.error!r}", UP)


async def late_words(stage: HistoryStage) -> None:
    """What is asked of a registrar that is being left is refused for that, and nothing comes of it."""
    lots = stage.lots
    for name in ("robot", "a"):
        await stage.enter(name)
    stage.offer("robot", Base)
    lamp = stage.thing(LAMP)
    lamp.stop_s = 0.3
    registrar = stage.registrars["robot"]
    user = stage.user("a", LAMP)
    await stage.settle(0.1)
    must(user.has_it, f"it does not come up: {user.error!r}", UP)
    going = asyncio.create_task(stage.leaves("robot"))
    await asyncio.sleep(lots.choice((0.0, 0.1)))
    errors: list[BaseException] = []
    for request in (LAMP, Base("other")):
        try:
            async with asyncio.timeout(2.0):
                async with registrar.request(request, wait=lots.random() < 0.5):
                    must(False, "who leaves is lent something")
        except (PilothouseError, TimeoutError) as error:
            errors.append(error)
    must(all(isinstance(each, RegistrarClosed) for each in errors), f"it is refused with {errors}", UNTOLD)
    await going
    must(lamp.lives == 1 and not stage.thing(Base("other")).lives, "something is begun by who leaves", UP)
    must(not lamp.is_up, "it runs on without its registrar", Breach.LEAKED)


async def alone(stage: HistoryStage) -> None:
    """What needs itself is refused as a circle, optional or not; beside it all is as it was."""
    lots = stage.lots
    for name in ("low", "top", "a"):
        await stage.enter(name)
    stage.offer("low", Base)
    stage.offer("top", Tower)
    is_optional = lots.random() < 0.5
    wishes = {"optional": True} if is_optional else {}
    ring: Request = Tower("ring")
    if lots.random() < 0.5:
        stage.thing(ring, (ring, wishes))
        circle = {ring}
    else:
        low: Request = Base("ring")
        stage.thing(ring, (low, wishes))
        stage.thing(low, (ring, {}))
        circle = {ring, low}
    user = stage.user("a", ring)
    other = stage.user("a", Tower("other"))
    await stage.settle(1.0)
    must(other.has_it, f"something beside it is lost: {other.error!r}")
    must(not user.waits, "who asks for what needs itself waits for ever", Breach.NEVER_ENDED)
    if is_optional:
        must(user.has_it, f"it can do without itself, and is refused: {user.error!r}", UP)
        await stage.settle(lots.choice((0.5, 40.0)))
        (held,) = stage.things[ring].held
        must(held.value is None and user.has_it, "it stands on itself", UP)
        must(stage.things[ring].lives == 1, "it comes up again and again", UP)
        circle -= {ring}
    else:
        found = user.error.circle if isinstance(user.error, CircularDependency) else ()
        must(found and found[0] == found[-1], f"it is refused with {user.error!r}", UNTOLD)
        must(len(set(found)) == len(circle), f"the circle is named as {found}", UNTOLD)
    await stage.settle(1.0)
    for each in circle:
        must(not stage.things[each].came_up_s, "something of a circle comes up", UP)


async def absent(stage: HistoryStage) -> None:
    """What can be done without is not there at first, comes, goes, comes: told each time, never an end."""
    lots = stage.lots
    for name in ("top", "a"):
        await stage.enter(name)
    stage.offer("top", Tower)
    low = stage.thing(Base("d"))
    top = stage.thing(TOP, (Base("d"), {"optional": True}))
    there = lots.choice(("nobody", "broken", "there"))
    if there != "nobody":
        await stage.enter("low")
        low.breaks = "its lens is missing" if there == "broken" else ""
    stage.offer("low", Base)
    user = stage.user("a", TOP)
    await stage.settle(0.2)
    must(user.has_it and top.is_up, f"it does not come up without what it can do without: {user.error!r}", UP)
    (held,) = top.held
    is_there = there == "there"
    for number in range(lots.randint(1, 4)):
        must((held.value is not None) is is_there, f"it is there: {is_there}, and given {held.value!r}", UP)
        told = [each.message for each in user.said(Severity.UPDATE)]
        must(len(told) == number, f"it has come or gone {number} times, and told is {told}", UNTOLD)
        words = "is there" if is_there else "it burst"
        must(not told or words in told[-1], f"it is there: {is_there}, and told is {told[-1:]}", UNTOLD)
        if is_there:
            low.breaks = "its lens is missing"
            low.fail("it burst")
            await stage.settle(0.1)
            must(held.value is None, "what is gone is still given", UP)
        else:
            low.breaks = ""
            if "low" not in stage.registrars:
                await stage.enter("low")
        is_there = not is_there
        await stage.settle(40.0)  # it is asked for ever more rarely
    must((held.value is not None) is is_there, f"it is there: {is_there}, and given {held.value!r}", UP)
    must(user.has_it and top.lives == 1, "what can be done without ends something", UP)
    must(not user.fatal, f"it is told as {user.fatal}", UNTOLD)
    if lots.random() < 0.5:
        user.leave()
        await stage.settle(0.5)
        must(not low.is_up and not top.is_up, "it is kept for nobody", Breach.LEAKED)


async def given_up(stage: HistoryStage) -> None:
    """Who waits for something, or for several things, is cancelled: nothing of it is left anywhere."""
    lots = stage.lots
    for name in ("robot", "a", "b"):
        await stage.enter(name)
    stage.offer("robot", Asked, start_timeout_s=10.0)
    stage.offer("robot", Base)
    arm, lamp = stage.thing(ARM), stage.thing(LAMP)
    holds = lots.choice(((ARM,), (LAMP,), (ARM, LAMP), ()))
    arm.start_s = 1.0 if not holds else 0.0
    has = [stage.user("a", each, exclusive=True, who=f"has {each.device}") for each in holds]
    await stage.settle(0.1)
    wanted = lots.choice(((ARM,), (LAMP,), (ARM, LAMP), (LAMP, ARM)))
    waits = stage.user("b", *wanted, exclusive=True, wait=True, who="waits")
    behind = stage.user("b", *wanted, exclusive=True, wait=True, who="behind")
    await stage.settle(lots.choice((0.0, 0.05, 0.3)))
    if lots.random() < 0.5 and has:
        has.pop().leave()  # at the same moment
        if lots.random() < 0.5:
            await stage.settle(0.01)
    was_given = waits.has_it
    waits.leave()
    await stage.settle(0.3)
    must(was_given or waits.over_s is not None, "who gives up waits on", Breach.NEVER_ENDED)
    for each in has:
        must(each.has_it, f"{each.who} loses it by somebody else's giving up")
        each.leave()
    await stage.settle(1.5)
    must(behind.has_it, f"what nobody wants any more is kept from who is next: {behind.error!r}")
    behind.leave()
    await stage.settle(0.3)
    must(not arm.is_up and not lamp.is_up, "what somebody gave up stays up", Breach.LEAKED)


HISTORIES: Final = (
    History(handlers),
    History(commanded, None, 2),
    History(bodies, None, 3),
    History(helpers),
    History(late_words),
    History(alone, None, 2),
    History(absent),
    History(given_up, None, 2),
)
