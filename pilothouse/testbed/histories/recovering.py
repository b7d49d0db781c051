"""What is ill and comes round: retries, what needs a human, "retry now", new handles; and what a handle is.

The ledger knows what was said last of each thing, and by whom. Handles travel as what they are, or are
refused in words.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, ClassVar, Final

import msgspec

from framework.errors import ResourceUnavailable
from framework.registrar import ResourceRegistrar, Supply
from framework.registrar.effects import JournalKind
from framework.registrar.snapshot import ResourceView
from framework.scenarios.invariants import Breach
from framework.status import ReasonKind, Severity
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.networks import Network
from pilothouse.testbed.histories.stage import History, HistoryStage
from pilothouse.testbed.histories.things import Asked, Base, label
from pilothouse.testbed.histories.users import User

LOW, MIDDLE = Base("d"), Asked("d")
UP: Final = Breach.UPBRINGING
UNTOLD: Final = Breach.UNTOLD
RETRYING, UNSTEADY, NEEDS_HUMAN = "retrying", "unsteady", "needs a human"


class Said:
    """What was said of a thing last. state: as `pilothouse status` shows it."""

    def __init__(self) -> None:
        self.state = "ready"
        self.detail = ""
        self.next_s: float | None = None
        self.tries = 0

    @property
    def words(self) -> str:
        """As its clients are told."""
        return f"{self.state}: {self.detail}"


async def ailments(stage: HistoryStage) -> None:
    """Something retries, needs a human, works after many failures, is well again, has another handle."""
    lots = stage.lots
    for name in ("low", "middle", "a", "b"):
        await stage.enter(name)
    stage.offer("low", Base)
    stage.offer("middle", Asked)
    low = stage.thing(LOW)
    stage.thing(MIDDLE, (LOW, {}))
    users = [stage.user("a", MIDDLE, who="above"), stage.user("b", LOW, who="at it")]
    await stage.settle(0.3)
    must(all(user.has_it for user in users), "it does not come up", UP)
    assert low.supply is not None
    retried: list[float] = []
    waiting = asyncio.create_task(_retries(low.supply, retried))
    said = Said()
    restarts = wanted = 0
    for number in range(lots.randint(4, 8)):
        before = [len(user.statuses) for user in users]
        what = lots.choice(
            ("retrying", "retrying", "unsteady", "needs a human", "well", "new", "now", "late")
        )
        was = said.state
        say: Callable[[], object] | None = None
        match what:
            case "retrying":
                said.state, said.detail, said.tries = RETRYING, f"it died {number}", number + 1
                said.next_s = round(stage.now_s + lots.uniform(1.0, 30.0), 3)
                restarts += 1
                attempt = (said.detail, said.next_s, said.tries)
                say = partial(low.supply.retrying, *attempt)
            case "unsteady" | "needs a human":
                said.state, said.detail, said.next_s, said.tries = what, f"it is worn {number}", None, 0
                tell = low.supply.unsteady if what == UNSTEADY else low.supply.needs_human
                say = partial(tell, said.detail)
            case "well":
                said = Said()
                say = partial(low.supply.report, Severity.OK, "well again")
            case "new":
                said = Said()
                handle = f"handle {number}"
                say = partial(low.supply.update, handle)
                if was != "ready":  # that it has changed is for who has it; how it is, for all above
                    say()
                    say = partial(low.supply.report, Severity.OK, "well again")
            case "now":
                stage.registrars["low"].retry_now(_only(stage.registrars["low"]).id)
                wanted += 1
            case _:
                await _in_vain(stage.registrars["low"])
        if say is not None:
            if lots.random() < 0.3:
                await asyncio.to_thread(say)
            else:
                say()
        await stage.settle(0.05)
        _judge_view(_only(stage.registrars["low"]), said)
        above = _only(stage.registrars["middle"])
        must((above.state == "ready") is (said.state == "ready"), f"above it is shown as {above.state}", UP)
        for user, heard_before in zip(users, before, strict=True):
            heard = [status for _, status in user.statuses[heard_before:]]
            severe = [each for each in heard if each.severity is not Severity.UPDATE]
            if what in (RETRYING, UNSTEADY, NEEDS_HUMAN):
                must(len(severe) == 1, f"{user.who} hears {len(severe)} times that it is {what}", UNTOLD)
                must(
                    severe[0].severity is Severity.WARNING, f"{what} is told as {severe[0].severity}", UNTOLD
                )
                must(severe[0].message == said.words, f"{what} is told as {severe[0].message!r}", UNTOLD)
                must(
                    severe[0].reason.kind is ReasonKind(what),
                    f"{what} is told for {severe[0].reason}",
                    UNTOLD,
                )
            elif what in ("well", "new") and was != "ready":
                must(
                    [each.severity for each in severe] == [Severity.OK], f"{user.who} hears {severe}", UNTOLD
                )
            elif what in ("now", "late"):
                must(not heard, f"{user.who} hears {heard} of what was only asked", Breach.TOLD_TWICE)
        if what == "new":
            must(users[1].lease.value == handle, f"its handle is {users[1].lease.value}", UP)
            must(users[0].lease.value == f"handle of {label(MIDDLE)}", "above has another's handle", UP)
        must(len(retried) == wanted, f"it tries {len(retried)} times, asked {wanted} times", UP)
    written = [entry.deed for entry in stage.registrars["low"].journal.entries()]
    must(
        written.count(JournalKind.RESTART) == restarts,
        f"{restarts} restarts are written as {written}",
        UNTOLD,
    )
    late = stage.user("b", LOW, who="late")
    await stage.settle(0.5)
    must(late.has_it, f"what is {said.state} cannot be had: {late.error}", UP)
    told = [each for _, each in late.statuses if each.severity is Severity.WARNING]
    must(bool(told) is (said.state != "ready"), f"who comes late hears {told}, it is {said.state}", UNTOLD)
    waiting.cancel()
    if lots.random() < 0.5:
        stage.registrars["low"].fail(_only(stage.registrars["low"]).id, "somebody broke it")
        await stage.settle(0.3)
        for user in users:
            must(user.told_s is not None, f"{user.who} does not hear that it was broken", UNTOLD)
            must("somebody broke it" in str(user.error), f"{user.who} hears {user.error}", UNTOLD)


async def _retries(supply: Supply, retried: list[float]) -> None:
    """A provider that waits to be told to try again."""
    while True:
        await supply.retry_requested()
        retried.append(asyncio.get_running_loop().time())


async def _in_vain(registrar: ResourceRegistrar) -> None:
    """What is not there can neither be tried again nor broken."""
    for deed in (registrar.retry_now, lambda which: registrar.fail(which, "broken")):
        for which in (f"{registrar.name}/4711", "the arm", ""):
            try:
                deed(which)
            except ResourceUnavailable as error:
                must(repr(which) in str(error), f"it is not said what is not there: {error}", UNTOLD)
            else:
                must(False, f"{which!r} is tried, and is not there", UP)


def _only(registrar: ResourceRegistrar) -> ResourceView:
    (view,) = registrar.snapshot().resources
    return view


def _judge_view(view: ResourceView, said: Said) -> None:
    shown = (view.state, view.detail, view.next_attempt_s, view.tries)
    wanted = (said.state, said.detail, said.next_s, said.tries)
    must(shown == wanted, f"it is shown as {shown}, and was said to be {wanted}", UP)


# -- handles


class Feed(msgspec.Struct, frozen=True):
    """A handle with parts."""

    key: str
    size: tuple[int, int] = (640, 480)
    frames: tuple[Feed, ...] = ()


class Film(msgspec.Struct, frozen=True):
    """A request that names the type of its handle."""

    handle_type: ClassVar[type] = Feed

    name: str = ""


class Note(msgspec.Struct, frozen=True):
    """One that does not."""

    name: str = ""


WHOLE: Final[tuple[tuple[Any, Any], ...]] = (
    (Film("plain"), Feed("camera")),
    (Film("nested"), Feed("camera", (3, 4), (Feed("left"), Feed("right")))),
    (Note("words"), "words"),
    (Note("none"), None),
    (Note("list"), [1, 2.5, "three", None, b"four"]),
    (Note("table"), {"a": [True, {"b": 1}]}),
)
"""Handles that arrive as they are."""

BROKEN: Final[tuple[tuple[Any, Any], ...]] = (
    (Film("wrong"), {"key": 3}),
    (Film("object"), object()),
    (Note("struct"), Feed("camera")),
    (Note("set"), {1, 2}),
    (Note("inside"), [1, {"a": Feed("camera")}]),
    (Note("key"), {("a", Feed("b")): 1}),
    (Note("item"), {"a": (1, object())}),
    (Note("large"), "x" * (2 << 20)),
)
"""Some that nobody elsewhere could make whole."""


async def handles(stage: HistoryStage) -> None:
    """What a provider gives arrives as it is, in another process, too; or is refused, and said why."""
    lots = stage.lots
    for name in ("robot", "a", "b"):
        await stage.enter(name)
    made: dict[Any, Any] = {}
    supplies: dict[Any, Supply] = {}

    @asynccontextmanager
    async def gives(request: Any, supply: Supply) -> AsyncIterator[Any]:
        supplies[request] = supply
        yield made[request]

    for kind in (Film, Note):
        stage.registrars["robot"].provides(kind)(gives)
    users: list[User] = []
    for request, handle in lots.sample(WHOLE, 3):
        made[request] = handle
        users += [stage.user(at, request, who=f"{at} {request.name}") for at in lots.choice(("a", "ab"))]
    await stage.settle(0.3)
    for user in users:
        handle = made[user.requests[0]]
        must(user.has_it, f"{user.who} does not get what can travel: {user.error}", UP)
        must(_same(user.lease.value, handle), f"{user.who} has {user.lease.value!r}, not {handle!r}", UP)
    wrong, handle = lots.choice(BROKEN)
    made[wrong] = handle
    refused = stage.user("a", wrong, who="wrong")
    await stage.settle(0.5)
    must(refused.over_s is not None, f"{wrong} with {handle!r:.40} is waited for", Breach.NEVER_ENDED)
    must(refused.has_s is None, f"{wrong} is given as {handle!r:.40}", UP)
    kind_of_it = type(wrong).__name__
    must(
        kind_of_it in str(refused.error) or "Grant" in str(refused.error),
        f"it is told as {refused.error}",
        UNTOLD,
    )
    named = "Feed" if isinstance(wrong, Film) else type(handle).__name__
    is_named = named in str(refused.error) or wrong.name == "large"
    must(is_named, f"it is not said what cannot travel: {refused.error}", UNTOLD)
    asked_s = stage.now_s
    too_long: Any = Note("x" * (2 << 20))
    endless = stage.user("b", too_long, who="endless")
    await stage.settle(0.1)
    must(not endless.waits, "what is too long to be asked for is waited for", Breach.NEVER_ENDED)
    must((endless.over_s or 0.0) - asked_s < 0.1, "what is too long is refused late", Breach.NEVER_ENDED)
    must(endless.reason is ReasonKind.MALFORMED, f"what is too long is refused for {endless.reason}", UNTOLD)
    again = lots.choice(users)
    request = again.requests[0]
    is_whole = lots.random() < 0.5
    fitting = [each for each in (WHOLE if is_whole else BROKEN) if type(each[0]) is type(request)]
    new = lots.choice(fitting)[1]
    supplies[request].update(new)
    await stage.settle(0.5)
    holders = [user for user in users if user.requests == again.requests]
    for user in holders:
        if is_whole:
            must(user.has_it and _same(user.lease.value, new), f"{user.who} has {user.lease.value!r}", UP)
        else:
            must(user.over_s is not None, f"{user.who} keeps what has changed into {new!r:.40}", UP)
            must(user.error is not None, f"{user.who} does not hear why it ended", UNTOLD)
    for user in users:
        must(user in holders or user.has_it, f"{user.who} loses what is as it was: {user.error}", UP)


def _same(one: Any, other: Any) -> bool:
    """Apart from lists and tuples, which are the same on the way."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


HISTORIES: Final = (
    History(ailments, None, 2),
    History(handles, 0.1, 2, Network.BYTES),
)
