"""What can be asked for, of whom and for how long, and what a lease is good for: before, meanwhile, after."""

from __future__ import annotations

import math
from typing import Any, Final

import msgspec

from framework.errors import (
    DescriptionError,
    LeaseError,
    PilothouseError,
    Preempted,
    RequestTypeError,
    ResourceFailed,
)
from framework.registrar.lease import MAX_COMMAND_BYTES
from framework.scenarios.invariants import Breach
from framework.status import Priority, ReasonKind, Severity
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.stage import BEAT_S, History, HistoryStage
from pilothouse.testbed.histories.things import Asked, Base, Request
from pilothouse.testbed.histories.users import User

ARM: Final = Asked("arm")
LAMP: Final = Base("lamp")
UNTOLD: Final = Breach.UNTOLD
REQUEST_TIMEOUT_S: Final = 30.0
"""So long an answer is waited for if nobody says otherwise; in a queue an hour."""


async def several(stage: HistoryStage) -> None:
    """What several provide is asked of the one that is named; unnamed, it is said who they are."""
    lots = stage.lots
    names = lots.sample(("robot", "spare", "third"), lots.randint(1, 3))
    for name in (*names, "a", "b"):
        await stage.enter(name)
        if name in names:
            stage.offer(name, Base)
    alone = len(names) == 1
    thing = stage.thing(LAMP)
    plain = stage.user("a", LAMP, exclusive=True)
    await stage.settle(0.2)
    if alone:
        must(plain.has_it, f"what only one provides is not given: {plain.error}")
        plain.leave()
    else:
        must(plain.reason is ReasonKind.AMBIGUOUS, f"of several it is refused for {plain.reason}", UNTOLD)
        must(all(name in str(plain.error) for name in names), f"it is not said whose: {plain.error}", UNTOLD)
        must(not thing.is_up, "it comes up at one of several", Breach.UPBRINGING)
    await stage.settle(0.2)
    chosen = lots.choice(names)
    named = _asks_of(stage, lots.choice(("a", "b", chosen)), chosen)
    nobody = _asks_of(stage, "b", "nobody")
    await stage.settle(0.3)
    must(named.has_it, f"what is asked of {chosen} is not given: {named.error}")
    up = [each for each in names if any(view.request == LAMP for view in _resources(stage, each))]
    must(up == [chosen], f"it is asked of {chosen}, and up at {up}", Breach.UPBRINGING)
    is_unknown = nobody.reason is ReasonKind.UNKNOWN and "nobody" in str(nobody.error)
    must(is_unknown, f"who asks nobody hears {nobody.error!r}", UNTOLD)
    named.leave()
    if not alone:
        await stage.settle(0.3)
        await stage.leaves(lots.choice([each for each in names if each != chosen]))
        await stage.settle(0.3)
        again = stage.user("a", LAMP)
        await stage.settle(0.3)
        is_right = again.has_it if len(names) == 2 else again.reason is ReasonKind.AMBIGUOUS
        must(is_right, f"once another one is gone: {again.error!r}")


def _asks_of(stage: HistoryStage, where: str, whom: str) -> User:
    """Somebody asks this registrar and no other."""
    user = User(stage, stage.registrars[where], (LAMP,), f"{where} of {whom}", exclusive=True, at=whom)
    user.at = where
    stage.users.append(user)
    return user


def _resources(stage: HistoryStage, name: str) -> tuple[Any, ...]:
    return tuple(stage.registrars[name].snapshot().resources)


async def patience(stage: HistoryStage) -> None:
    """An answer is waited for as long as was said, or as is usual; who waits in a queue waits for long."""
    lots = stage.lots
    for name in ("robot", "a", "b"):
        await stage.enter(name)
    for kind in (Asked, Base):
        stage.offer("robot", kind, start_timeout_s=60.0)
    arm, lamp = stage.thing(ARM), stage.thing(LAMP)
    takes_s = lots.choice((0.5, 20.0, None))
    timeout_s = lots.choice((None, 1.0, 25.0))
    arm.start_s = takes_s
    asked_s = stage.now_s
    user = stage.user("a", ARM, exclusive=True, timeout_s=timeout_s)
    has = stage.user("a", LAMP, exclusive=True)
    await stage.settle(0.2)
    must(has.has_it and lamp.is_up, f"something else is not given: {has.error}")
    queued = stage.user("b", LAMP, exclusive=True, wait=True)
    most_s = lots.choice((3.0, 40.0))
    hasty = stage.user("b", LAMP, exclusive=True, wait=True, timeout_s=most_s)
    group = stage.user("b", LAMP, Base("spade"), exclusive=True, wait=True, timeout_s=most_s)
    limit_s = REQUEST_TIMEOUT_S if timeout_s is None else timeout_s
    is_given = takes_s is not None and takes_s < limit_s
    wanted_s = takes_s if is_given and takes_s is not None else limit_s
    await stage.settle(wanted_s - 0.2 - 0.1)
    must(user.waits, f"it is over before {wanted_s:g} s: {user.error}", Breach.NEVER_ENDED)
    await stage.settle(0.3)
    must(user.has_it is is_given, f"after {wanted_s:g} s of {timeout_s}: {user.error!r}", Breach.NEVER_ENDED)
    if not is_given:
        must(f"{limit_s}" in str(user.error), f"it is not said how long: {user.error}", UNTOLD)
    arm.start_s = 0.0
    await stage.settle(max(45.0 - (stage.now_s - asked_s), 0.1))
    must(queued.waits, f"a queue is left after a while: {queued.error}", Breach.NEVER_ENDED)
    for each in (hasty, group):
        must(each.over_s is not None, f"{each.who} waits for ever", Breach.NEVER_ENDED)
        late_s = (each.over_s or 0.0) - each.asked_s - most_s
        must(abs(late_s) < 0.2, f"{each.who} waits {late_s:.2f} s too long", Breach.NEVER_ENDED)
    has.leave()
    await stage.settle(0.3)
    must(queued.has_it, "who waits for long is forgotten")


class Size(msgspec.Struct, frozen=True):
    """Part of a request."""

    width: float = 0.0
    names: tuple[str, ...] = ()


class Sized(msgspec.Struct, frozen=True):
    """A request of many parts."""

    device: str = ""
    size: Size = Size()
    marks: frozenset[int] = frozenset()
    corner: tuple[float, int] = (0.0, 0)
    more: Size | None = None


class Changing(msgspec.Struct):
    """No request: it can change."""

    device: str = "arm"


class Listing(msgspec.Struct, frozen=True):
    """No request: a part of it can change."""

    names: list[str] = msgspec.field(default_factory=list)


class Holding(msgspec.Struct, frozen=True):
    """No request: a part of a part of it can change."""

    inside: tuple[Changing, ...] = ()


class Endless(msgspec.Struct, frozen=True):
    """No request: nobody can say it."""

    far: float = math.inf


async def equal(stage: HistoryStage) -> None:
    """Equal requests are one thing, however they are put; others are others; what can be none is refused."""
    lots = stage.lots
    for name in ("robot", "a", "b"):
        await stage.enter(name)
    stage.offer("robot", Sized)

    def drawn(*, is_backwards: bool) -> Sized:
        marks = [3, 1, 2]
        return Sized(
            "arm",
            Size(0.0, ("x", "y")),
            frozenset(reversed(marks) if is_backwards else marks),
            (1.5, 2),
            Size(2.0),
        )

    one, same = drawn(is_backwards=False), drawn(is_backwards=True)
    others = (
        Sized("arm", Size(0.0, ("y", "x")), frozenset({1, 2, 3}), (1.5, 2), Size(2.0)),
        Sized("arm", Size(0.0, ("x", "y")), frozenset({1, 2}), (1.5, 2), Size(2.0)),
        Sized("arm", Size(0.0, ("x", "y")), frozenset({1, 2, 3}), (1.5, 3), Size(2.0)),
        Sized("arm", Size(0.0, ("x", "y")), frozenset({1, 2, 3}), (1.5, 2)),
    )
    other = lots.choice(others)
    first = _asks(stage, "a", one)
    await stage.settle(0.2)
    second = _asks(stage, "b", same)
    third = _asks(stage, "b", other)
    await stage.settle(0.2)
    must(first.has_it and third.has_it, f"it is not given: {first.error}, {third.error}")
    must(second.reason is ReasonKind.HELD, f"an equal request is another one: {second.error!r}")
    wrong: tuple[Any, ...] = (
        Changing(),
        Listing(),
        Holding((Changing(),)),
        Endless(),
        Sized("arm", Size(math.nan)),
        Sized("arm", corner=(math.inf, 0)),
        Sized(device=7),  # type: ignore[arg-type]
        "arm",
        Sized,
    )
    what = lots.choice(wrong)
    try:
        async with stage.registrars["a"].request(what):
            pass
        must(False, f"{what!r} can be asked for")
    except (RequestTypeError, PilothouseError) as error:
        must(isinstance(error, RequestTypeError), f"{what!r} is refused by {error!r}", UNTOLD)
    must(first.has_it and third.has_it, "what cannot be asked for takes something away")


def _asks(stage: HistoryStage, at: str, request: Any) -> User:
    wanted: Request = request
    return stage.user(at, wanted, exclusive=True, priority=Priority.AUTONOMY)


async def good_for(stage: HistoryStage) -> None:
    """A lease commands while it is had; before, and once it was left or lost, it says why it does not."""
    lots = stage.lots
    for name in ("robot", "a", "b"):
        await stage.enter(name)
    stage.offer("robot", Asked)
    arm = stage.thing(ARM)
    arm.rest_s = 0.05
    registrar = stage.registrars["a"]
    heard: list[Severity] = []
    ends = lots.choice(("left", "failed", "preempted"))
    error: PilothouseError | None = None
    try:
        async with registrar.request(
            ARM, exclusive=True, on_status=lambda status: heard.append(status.severity)
        ) as lease:
            must(lease.is_granted and not lease.is_reserved, "what is given cannot command")
            must(lease.priority is Priority.AUTONOMY and lease.request == ARM, "it is another lease", UNTOLD)
            must(lease.status.severity is Severity.OK, f"what is given is {lease.status}", UNTOLD)
            _refused(lease, b"x" * (MAX_COMMAND_BYTES + 1), "at most")
            most = b"x" * MAX_COMMAND_BYTES if lots.random() < 0.5 else b"go"
            lease.send(most)
            await stage.settle()
            must(arm.obeyed and arm.obeyed[-1][2] == most, "what is short enough is not obeyed")
            if ends == "preempted":
                stage.user("b", ARM, exclusive=True, wait=True, priority=Priority.OPERATOR)
            elif ends == "failed":
                arm.fail("its fuse blew")
            try:
                await stage.settle(0.5)
            finally:
                if ends != "left":
                    _refused(lease, b"late", "has failed")
                    failed = await lease.failed()
                    must(lease.status == failed, f"told {failed}, and shown {lease.status}", UNTOLD)
    except (ResourceFailed, Preempted) as lost:
        error = lost
    kind = {"left": type(None), "failed": ResourceFailed, "preempted": Preempted}[ends]
    must(isinstance(error, kind), f"{ends}: it ends with {error!r}", UNTOLD)
    _refused(lease, b"late", "was left" if ends == "left" else "has failed")
    must([status async for status in lease.statuses()] == [], "who listens afterwards hears something")
    try:
        failed = await lease.failed()
        must(ends != "left" and failed == lease.status, f"{ends}: it ends as {failed}", UNTOLD)
    except LeaseError:
        must(ends == "left", f"{ends}: it was left", UNTOLD)
    must(heard.count(Severity.FATAL) == (ends != "left"), f"{ends}: told {heard}", Breach.TOLD_TWICE)


def _refused(lease: Any, payload: bytes, words: str) -> None:
    try:
        lease.send(payload)
    except LeaseError as error:
        must(words in str(error), f"it is refused with {error}", UNTOLD)
    else:
        must(False, "it is commanded by what is no lease", Breach.SURPRISE_MOTION)


async def written(stage: HistoryStage) -> None:
    """A manager's catalog is damaged while it is away: what can be read of it is kept."""
    lots = stage.lots
    await stage.enter("robot", durable=True)
    for name in ("a", "b"):
        await stage.enter(name)
    stage.offer("robot", Asked)
    things = [stage.thing(Asked(f"thing {number}")) for number in range(lots.randint(2, 4))]
    users = [stage.user(lots.choice("ab"), thing.request, exclusive=True) for thing in things]
    await stage.settle(0.3)
    must(all(user.has_it for user in users), "it is not given")
    for user in [user for user in users if lots.random() < 0.3]:
        user.leave()
        users.remove(user)
    await stage.settle(0.3)
    file = stage.folder / "robot"
    most = max((user.lease.generation for user in users), default=0)
    stage.kill("robot")
    await stage.settle(0.1)
    lines = file.read_bytes().splitlines(keepends=True)
    how = lots.choice(("whole", "torn", "garbage", "no more", "a folder"))
    lost: list[User] = []
    if how == "torn":
        file.write_bytes(b"".join(lines) + b'{"granted": {"lea')
    elif how == "garbage":
        place = lots.randrange(len(lines) + 1)
        file.write_bytes(b"".join([*lines[:place], b"\x00\xffgarbage\n", *lines[place:]]))
    elif how == "no more":
        file.unlink()
        lost = list(users)
    elif how == "a folder":
        file.rename(file.with_name("before"))
        file.mkdir()
        try:
            await stage.enter("robot", durable=True)
            must(False, "a folder is a catalog", Breach.KEEPING)
        except DescriptionError as error:
            must(str(file) in str(error), f"it is not said what is wrong: {error}", UNTOLD)
        file.rmdir()
        file.with_name("before").rename(file)
    await stage.settle(0.1)
    await stage.enter("robot", durable=True)
    await stage.settle(3.0)
    for user in users:
        if user not in lost:
            must(user.has_it, f"{how}: what is written is lost: {user.error}", Breach.KEEPING)
    anew = stage.user("b", Asked("spade"), exclusive=True)
    await stage.settle(0.3)
    must(anew.has_it, f"{how}: nothing can be had any more: {anew.error}")
    is_newer = how == "no more" or anew.lease.generation > most
    must(is_newer, f"{how}: a number is given again after {most}: {anew.lease.generation}", Breach.KEEPING)
    numbers = [user.lease.generation for user in (*users, anew) if user.has_it]
    must(len(set(numbers)) == len(numbers), f"{how}: one number is given twice: {numbers}", Breach.KEEPING)


HISTORIES: Final = (
    History(several, None, 2),
    History(patience, None, 3),
    History(equal, None, 2),
    History(good_for, None, 2),
    History(written, BEAT_S, 3),
)
