"""Children: who starts, dies, hangs, lies about its end; what is told of it and by when, and what is done.

The judging, restarting and stopping are those of real children; only the processes are scripted.
"""

from __future__ import annotations

import asyncio
import math
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from framework.errors import ProcessError
from framework.processes import wire
from framework.processes.child_events import (
    ChildEvent,
    ChildState,
    Failed,
    LossReason,
    Lost,
    NeedsHuman,
    Ready,
    Retrying,
    Said,
    StopHow,
    Stopped,
    Updated,
)
from framework.processes.spec import ProcessSpec, RestartPolicy
from framework.processes.supervise import ChildProcess
from framework.scenarios.invariants import Breach
from framework.status import Severity
from framework.testing.children import Script, ScriptedLauncher
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.distance import starve
from pilothouse.testbed.histories.stage import History, HistoryStage

NAME: Final = "child"
UP = Breach.UPBRINGING
LATE_S: Final = 0.02
POLICY: Final = RestartPolicy()


class Kept:
    """A child, and what was told of it when."""

    def __init__(self, stage: HistoryStage, spec: ProcessSpec, scripts: tuple[Script, ...]) -> None:
        self.stage = stage
        self.spec = spec
        self.launcher = ScriptedLauncher({NAME: scripts}, rng=stage.lots)
        self.told: list[tuple[float, ChildEvent]] = []
        self.child: ChildProcess | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[ChildProcess]:
        """From its start on; raises what a start raises."""
        launched = self.launcher.launch(
            self.spec, on_event=lambda told: self.told.append((self.stage.now_s, told))
        )
        async with launched as child:
            self.child = child
            yield child

    def of(self, kind: type[ChildEvent], since_s: float = -1.0) -> list[tuple[float, ChildEvent]]:
        """What was told of this kind."""
        return [(at_s, told) for at_s, told in self.told if isinstance(told, kind) and at_s >= since_s]

    def lost_by(self, reason: LossReason, since_s: float, within_s: float) -> None:
        """It is told as lost, once, for this reason, in time."""
        lost = self.of(Lost, since_s)
        must(len(lost) == 1, f"its loss is told {len(lost)} times", Breach.UNTOLD)
        at_s, told = lost[0]
        assert isinstance(told, Lost)
        must(told.reason is reason, f"told as {told.reason}, not {reason}", Breach.UNTOLD)
        must(
            at_s - since_s <= within_s,
            f"told after {at_s - since_s:.3f} s that it {reason.value}",
            Breach.UNTOLD,
        )

    @property
    def lives(self) -> int:
        """So many, so far."""
        return len(self.launcher.lives.get(NAME, ()))

    def one_at_a_time(self) -> None:
        """No two lives at once."""
        alive = sum(life.is_alive for life in self.launcher.lives.get(NAME, ()))
        must(alive <= 1, f"{alive} lives of one child at once", UP)


def spec(**changes: object) -> ProcessSpec:
    """Of a child of ours."""
    return ProcessSpec((NAME,), NAME, **changes)  # type: ignore[arg-type]


WAYS: Final = {
    "dies": (LossReason.DIED, LATE_S),
    "hangs": (LossReason.HUNG, 0.25 + LATE_S),
    "blocks": (LossReason.HUNG, 0.25 + 0.1 + LATE_S),
    "stands still": (LossReason.HUNG, 0.25 + LATE_S),
    "has no new sample": (LossReason.STALE, 0.5 + 0.1 + LATE_S),
    "talks nonsense": (LossReason.GARBAGE, LATE_S),
    "closes its channel": (LossReason.CLOSED, 0.2 + LATE_S),
    "gives up": (LossReason.GAVE_UP, LATE_S),
}


def fails(kept: Kept, how: str) -> None:
    """In this way, now."""
    life = kept.launcher.life(NAME)
    match how:
        case "dies":
            life.die()
        case "hangs":
            life.hang()
        case "blocks":
            life.block()
        case "stands still":
            life.stand_still()
        case "has no new sample":
            life.go_stale()
        case "talks nonsense":
            life.talk_nonsense(None if kept.stage.lots.random() < 0.5 else 32)
        case "closes its channel":
            life.close_channel()
            if kept.stage.lots.random() < 0.5:
                life.close_channel()
        case _:
            life.say(Severity.FATAL, "the lens fell off")


async def lives(stage: HistoryStage) -> None:
    """Lost in whatever way, again and again: told in time, tried again ever later, given to a human."""
    lots = stage.lots
    ready_s = lots.choice((0.05, 0.3, 2.0))
    script = Script(ready_after_s=ready_s, leaves_after_s=lots.choice((0.01, 0.1)))
    kept = Kept(stage, spec(stale_after_s=0.5), (script,))
    recent: list[float] = []
    tries = 0
    async with kept.running() as child:
        for number in range(lots.randint(3, 9)):
            must(
                len(kept.of(Ready)) == number + 1,
                f"told {len(kept.of(Ready))} times that it is ready",
                Breach.UNTOLD,
            )
            ready = kept.of(Ready)[-1]
            assert isinstance(ready[1], Ready)
            must(
                abs(ready[1].after_s - ready_s) < LATE_S and ready[1].restarts == number,
                f"told as {ready[1]}",
                Breach.UNTOLD,
            )
            up_s = lots.choice((0.0, 0.3, 3.0, POLICY.stable_after_s + 2.0))
            await asyncio.sleep(up_s)
            must(not kept.of(Lost, ready[0]), f"a child that is well is lost: {kept.of(Lost, ready[0])}", UP)
            how = lots.choice(list(WAYS))
            reason, within_s = WAYS[how]
            failed_s = stage.now_s
            fails(kept, how)
            before = kept.lives
            await asyncio.sleep(within_s + 0.001)
            kept.lost_by(reason, failed_s, within_s)
            lost_s = kept.of(Lost, failed_s)[0][0]
            if up_s >= POLICY.stable_after_s:
                tries = 0
            recent = [each for each in recent if lost_s - each < POLICY.within_s]
            if len(recent) >= POLICY.most:
                must(kept.of(NeedsHuman, failed_s), "it is tried again and again", UP)
                await asyncio.sleep(60.0)
                must(kept.lives == before, "what needs a human is tried by itself", UP)
                asked_s = stage.now_s
                child.retry_now()
                recent, tries = [], 0
                must(kept.of(Retrying, asked_s), "that it is tried now is not told", Breach.UNTOLD)
                await asyncio.sleep(ready_s + LATE_S)
                must(kept.lives == before + 1, "retry now does not try at once", UP)
            else:
                retrying = kept.of(Retrying, failed_s)
                must(len(retrying) == 1, f"told {len(retrying)} times that it is tried again", Breach.UNTOLD)
                assert isinstance(retrying[0][1], Retrying)
                due_s = retrying[0][1].next_attempt_s
                wait_s = min(POLICY.longest_s, POLICY.first_s * 2.0**tries)
                must(
                    abs(due_s - lost_s - wait_s) <= POLICY.jitter * wait_s + 1e-6,
                    f"the {tries + 1}. try in a row is after {due_s - lost_s:.2f} s, not {wait_s:.2f} s",
                    UP,
                )
                must(
                    retrying[0][1].tries == tries + 1,
                    f"told as try {retrying[0][1].tries}, not {tries + 1}",
                    Breach.UNTOLD,
                )
                asked_s = due_s
                if lots.random() < 0.2:
                    child.retry_now()
                    asked_s = stage.now_s
                    recent, tries = [], 0
                    must(kept.of(Retrying, asked_s), "that it is tried now is not told", Breach.UNTOLD)
                await asyncio.sleep(max(asked_s - stage.now_s, 0.0) + ready_s + 0.5)
                must(kept.lives == before + 1, f"{kept.lives - before} lives after one loss", UP)
            recent.append(max(asked_s, failed_s))
            tries += 1
            kept.one_at_a_time()
    must(not kept.launcher.running, "it lives on after it was stopped", Breach.LEAKED)


async def starts(stage: HistoryStage) -> None:
    """A start that takes long is waited for; one that fails is told, with why, and is not tried again."""
    lots = stage.lots
    how = lots.choice(("late", "never", "ends", "cannot", "foreign", "foreign ends"))
    limit_s = 3.0
    script = {
        "late": Script(ready_after_s=lots.uniform(0.5, limit_s - 0.1)),
        "never": Script(ready_after_s=None),
        "ends": Script(ready_after_s=0.3, dies_before_ready=True, last_words=("no lens",)),
        "cannot": Script(cannot_start="there is no such program"),
        "foreign": Script(ready_after_s=0.05),
        "foreign ends": Script(ready_after_s=0.01),
    }[how]
    is_foreign = how.startswith("foreign")
    ours = spec(start_timeout_s=limit_s, protocol=not is_foreign, ready_after_s=1.0)
    kept = Kept(stage, ours, (script,))
    began_s = stage.now_s
    try:
        if how == "foreign ends":
            asyncio.get_running_loop().call_later(0.5, lambda: kept.launcher.life(NAME).die(code=1))
        async with kept.running():
            must(how in ("late", "foreign"), f"a child that {how} counts as ready", UP)
            took_s = stage.now_s - began_s
            wanted_s = 1.05 if is_foreign else script.ready_after_s or 0.0
            must(
                abs(took_s - wanted_s) < LATE_S, f"it is ready after {took_s:.2f} s, not {wanted_s:.2f} s", UP
            )
            await asyncio.sleep(lots.choice((0.3, 5.0, 60.0)))
            must(not kept.of(Lost) and kept.lives == 1, f"a child that is well is lost: {kept.of(Lost)}", UP)
    except ProcessError as error:
        must(how not in ("late", "foreign"), f"a start that is {how} fails: {error}", UP)
        failed = kept.of(Failed)
        must(len(failed) == 1, f"a failed start is told {len(failed)} times", Breach.UNTOLD)
        late_s = {"never": limit_s, "ends": 0.3, "cannot": 0.0, "foreign ends": 0.5}[how]
        must(
            abs(failed[0][0] - began_s - late_s) < LATE_S,
            f"it is told after {failed[0][0] - began_s:.2f} s",
            Breach.UNTOLD,
        )
        words = {"never": "not ready within", "ends": "no lens", "cannot": "no such program"}.get(how, "")
        must(words in str(error), f"it is said as {error}", Breach.UNTOLD)
    await asyncio.sleep(8.0)
    must(kept.lives <= 1, "what did not start is tried again", UP)
    must(not kept.launcher.running, "what did not start lives on", Breach.LEAKED)


async def lost_for_good(stage: HistoryStage) -> None:
    """What is not to be restarted is lost and failed, both told, for one reason."""
    lots = stage.lots
    kept = Kept(stage, spec(restart=None, stale_after_s=0.5), (Script(),))
    async with kept.running():
        how = lots.choice(list(WAYS))
        await asyncio.sleep(0.3)
        failed_s = stage.now_s
        fails(kept, how)
        reason, within_s = WAYS[how]
        await asyncio.sleep(within_s + 0.001)
        kept.lost_by(reason, failed_s, within_s)
        failed = [told for _, told in kept.of(Failed, failed_s)]
        must(
            len(failed) == 1 and isinstance(failed[0], Failed) and failed[0].reason is reason,
            f"told as {failed}",
            Breach.UNTOLD,
        )
        await asyncio.sleep(10.0)
        must(kept.lives == 1, "it is tried again against its will", UP)
        must(not kept.launcher.running, "what is lost lives on", Breach.LEAKED)


async def stopping(stage: HistoryStage) -> None:
    """It is asked, told and killed, in this order and no sooner than it was given time; how is said."""
    lots = stage.lots
    how, leaves_on, leaves_after_s, takes_s = lots.choice(
        (
            (StopHow.INTERRUPTED, signal.SIGINT, 0.4, 0.4),
            (StopHow.TERMINATED, signal.SIGTERM, 0.3, 1.3),
            (StopHow.KILLED, signal.SIGKILL, 0.0, 2.0),
            (StopHow.ABANDONED, None, 0.0, 2.0 + 0.2 + 5.0),
        )
    )
    kept = Kept(stage, spec(), (Script(leaves_on=leaves_on, leaves_after_s=leaves_after_s),))
    async with kept.running():
        await asyncio.sleep(lots.uniform(0.0, 3.0))
        is_hanging = lots.random() < 0.3 and leaves_on is not None
        if is_hanging:
            fails(kept, "hangs")
            how, takes_s = StopHow.KILLED, 2.0
        asked_s = stage.now_s
    took_s = stage.now_s - asked_s
    must(
        abs(took_s - takes_s) < 0.05,
        f"it takes {took_s:.2f} s to stop it, not {takes_s:.2f} s",
        Breach.NEVER_ENDED,
    )
    stopped = [told for _, told in kept.of(Stopped)]
    must(
        len(stopped) == 1 and isinstance(stopped[0], Stopped) and stopped[0].how is how,
        f"told as {stopped}, not {how}",
        Breach.UNTOLD,
    )
    must(not kept.of(Lost), "a child that is being stopped is told as lost", Breach.TOLD_TWICE)
    await asyncio.sleep(5.0)
    must(kept.lives == 1, "what was stopped is started again", Breach.LEAKED)


async def undead(stage: HistoryStage) -> None:
    """What outlives a kill is said, never doubled, and goes on once it is gone."""
    lots = stage.lots
    kept = Kept(stage, spec(), (Script(leaves_on=None), Script()))
    async with kept.running() as child:
        await asyncio.sleep(0.5)
        fails(kept, "hangs")
        await asyncio.sleep(0.25 + 0.2 + 5.0 + 1.0)
        must(kept.lives == 1, "a second life beside one that cannot be ended", UP)
        human = [told for _, told in kept.of(NeedsHuman)]
        must(
            human and isinstance(human[-1], NeedsHuman) and "unplug" in human[-1].what,
            f"told as {human}",
            Breach.UNTOLD,
        )
        if lots.random() < 0.5:
            child.retry_now()
            await asyncio.sleep(1.0)
            must(
                kept.lives == 1 and len(kept.of(NeedsHuman)) == 2, "retry now is not answered", Breach.UNTOLD
            )
        kept.launcher.life(NAME).die()
        await asyncio.sleep(0.5)
        if kept.lives == 1:
            child.retry_now()
        await asyncio.sleep(1.0)
        must(kept.lives == 2 and len(kept.of(Ready)) == 2, "it does not go on once it is gone", UP)


async def comes_back_late(stage: HistoryStage) -> None:
    """It is lost, and its next life does not start: that is no end, it is tried again till it does."""
    lots = stage.lots
    how = lots.choice(("ends", "never", "cannot"))
    second = {
        "ends": Script(ready_after_s=0.3, dies_before_ready=True, last_words=("no lens",)),
        "never": Script(ready_after_s=None),
        "cannot": Script(cannot_start="there is no such program"),
    }[how]
    kept = Kept(stage, spec(start_timeout_s=1.0), (Script(), second, Script(handle=b"third")))
    async with kept.running() as child:
        await asyncio.sleep(lots.choice((0.3, 2.0)))
        died_s = stage.now_s
        kept.launcher.life(NAME).die()
        while len(kept.of(Ready)) < 2 and stage.now_s < died_s + 20.0:
            await asyncio.sleep(0.1)
            kept.one_at_a_time()
        must(len(kept.of(Ready)) == 2 and child.handle == b"third", f"{how}: it does not come back", UP)
        tries = [each.tries for _, each in kept.of(Retrying) if isinstance(each, Retrying)]
        must(tries == [1, 2], f"{how}: told as tries {tries}", Breach.UNTOLD)
        must(
            len(kept.of(Lost)) == 1, f"{how}: its loss is told {len(kept.of(Lost))} times", Breach.TOLD_TWICE
        )
        must(not kept.of(Failed) and not kept.of(NeedsHuman), f"{how}: it is given up: {kept.told}", UP)
        must(child.restarts == 1, f"{how}: it was started again {child.restarts} times", Breach.UNTOLD)
        must(kept.lives == 2 + (how != "cannot"), f"{how}: {kept.lives} lives", UP)
    must(not kept.launcher.running, "it lives on after it was stopped", Breach.LEAKED)


async def undead_for_good(stage: HistoryStage) -> None:
    """What nothing ends is said to be so, once, also if it is not to be started again; and as it is left."""
    lots = stage.lots
    is_wanted = lots.random() < 0.5
    wishes = {} if is_wanted else {"restart": None}
    kept = Kept(stage, spec(**wishes), (Script(leaves_on=None),))
    async with kept.running() as child:
        await asyncio.sleep(0.5)
        fails(kept, lots.choice(("hangs", "talks nonsense", "gives up")))
        await asyncio.sleep(0.25 + 0.2 + 5.0 + 1.0)
        must(len(kept.of(Lost)) == 1 and kept.lives == 1, f"it is told as {kept.told}", Breach.UNTOLD)
        human = [each.what for _, each in kept.of(NeedsHuman) if isinstance(each, NeedsHuman)]
        said = [each for _, each in kept.of(Said) if isinstance(each, Said)]
        told = human if is_wanted else [each.message for each in said if each.severity is Severity.ERROR]
        must(len(told) == 1 and "unplug" in told[0], f"what nothing ends is told as {told}", Breach.UNTOLD)
        must(len(kept.of(Failed)) == (not is_wanted), f"told as {kept.of(Failed)}", Breach.UNTOLD)
        must(not child.send(b"go"), "what is lost takes commands", Breach.DOING)
        left_s = stage.now_s
    must(stage.now_s - left_s < 0.1, "who leaves waits for what nothing ends", Breach.NEVER_ENDED)
    hows = [each.how for _, each in kept.of(Stopped) if isinstance(each, Stopped)]
    must(hows == ([StopHow.ABANDONED] if is_wanted else []), f"its end is told as {hows}", Breach.UNTOLD)
    kept.launcher.life(NAME).die()


async def polite_end(stage: HistoryStage) -> None:
    """Whatever hangs is first told to make itself safe, and killed when it had its time for that."""
    kept = Kept(stage, spec(safe_stop_s=0.2), (Script(),))
    async with kept.running():
        await asyncio.sleep(0.5)
        life = kept.launcher.life(NAME)
        quits: list[float] = []
        kills: list[float] = []
        quit_, signal_ = life.quit, life.signal
        life.quit = lambda: quits.append(stage.now_s)  # type: ignore[method-assign]

        def signalled(number: int) -> None:
            kills.append(stage.now_s)
            signal_(number)

        life.signal = signalled  # type: ignore[method-assign]
        obeys = stage.lots.random() < 0.5
        if obeys:

            def quits_then() -> None:
                quits.append(stage.now_s)
                quit_()

            life.quit = quits_then  # type: ignore[method-assign]
        life.hang()
        await asyncio.sleep(0.25 + 0.2 + LATE_S + 0.05)
        must(len(quits) == 1, "what hangs is not told to make itself safe", Breach.SURPRISE_MOTION)
        must(obeys == (not kills), "what has made itself safe is killed, or what has not is not", UP)
        must(
            obeys or abs(kills[0] - quits[0] - 0.2) < LATE_S,
            "what makes itself safe has no time for it",
            Breach.SURPRISE_MOTION,
        )


async def busy(stage: HistoryStage) -> None:
    """The machine stands still, again and again: nobody who is well is lost, and who hangs still is."""
    lots = stage.lots
    kept = Kept(stage, spec(), (Script(ready_after_s=lots.choice((0.05, 1.5))),))
    async with kept.running():
        beats = asyncio.create_task(beating(kept))
        try:
            for _ in range(lots.randint(4, 8)):
                await asyncio.sleep(lots.choice((0.5, 1.0, 30.0)))
                starve(lots.choice((0.2, 0.6, 2.0)))
                await asyncio.sleep(lots.uniform(0.0, 0.2))
            await asyncio.sleep(1.0)
            must(not kept.of(Lost), f"a pause of the machine loses a child: {kept.of(Lost)}", UP)
        finally:
            beats.cancel()
        hung_s = stage.now_s
        fails(kept, "hangs")
        until_s = hung_s + 3.0
        while stage.now_s < until_s:  # and the machine is late all the time
            await asyncio.sleep(0.06)
            if lots.random() < 0.8:
                starve(0.08)
        must(kept.of(Lost, hung_s), "on a busy machine a hang is never noticed", Breach.UNTOLD)


async def beating(kept: Kept) -> None:
    """It beats as a child does, that is only when the machine lets it."""
    while True:
        life = kept.launcher.life(NAME)
        life._say(wire.Beat())
        await asyncio.sleep(kept.spec.beat_s)


async def said(stage: HistoryStage) -> None:
    """What it says of itself is told on, once."""
    lots = stage.lots
    kept = Kept(stage, spec(), (Script(),))
    async with kept.running():
        words = [f"number {number}" for number in range(lots.randint(2, 6))]
        for each in words:
            kept.launcher.life(NAME).say(lots.choice((Severity.WARNING, Severity.ERROR, Severity.OK)), each)
            await asyncio.sleep(0.05)
        told = [each.message for _, each in kept.of(Said) if isinstance(each, Said)]
        must(told == words, f"it said {words}, and told is {told}", Breach.UNTOLD)


async def beats(stage: HistoryStage) -> None:
    """It beats as real ones do: slow to start is not silent, and a stream that never begins is stale."""
    lots = stage.lots
    limit_s = 0.5
    kept = Kept(stage, spec(stale_after_s=limit_s, start_timeout_s=10.0), (Script(ready_after_s=None),))
    first_s = lots.choice((0.1, 0.4, None))
    starts_s = lots.choice((0.1, 1.0, 5.0))

    async def lives_on() -> None:
        await asyncio.sleep(starts_s)
        kept.launcher.life(NAME)._say(wire.ReadyReport(b""))
        ready_s = stage.now_s
        while True:
            await asyncio.sleep(kept.spec.beat_s)
            since_s = stage.now_s - ready_s
            age_s = math.inf if first_s is None or since_s < first_s else 0.02
            kept.launcher.life(NAME)._say(wire.Beat(age_s, "pictures"))

    living = asyncio.create_task(lives_on())
    try:
        async with kept.running():
            await asyncio.sleep(limit_s + 0.25)
            lost = kept.of(Lost)
            if first_s is None:
                must(lost, "a stream that never begins counts as well", Breach.UNTOLD)
                must(
                    isinstance(lost[0][1], Lost) and lost[0][1].reason is LossReason.STALE,
                    f"told as {lost}",
                    Breach.UNTOLD,
                )
            else:
                must(not lost, f"a child that is well is lost: {lost}", UP)
    finally:
        living.cancel()


async def talks(stage: HistoryStage) -> None:
    """It is told things, gives new handles, babbles a little or too much: all is passed on, or is its end."""
    lots = stage.lots
    kept = Kept(stage, spec(), (Script(handle=b"first"),))
    commands: list[bytes] = []
    restarts = babbled = 0
    handle = b"first"
    async with kept.running() as child:
        for number in range(lots.randint(4, 9)):
            life = kept.launcher.life(NAME)
            since_s = stage.now_s
            must(child.handle == handle, f"its handle is {child.handle!r}, not {handle!r}", UP)
            must(child.restarts == restarts, f"it was started again {child.restarts} times", Breach.UNTOLD)
            must(child.pid == life.pid, "it has the number of another one", UP)
            match lots.choice(
                ("command", "command", "large", "handle", "babble", "too much", "flood", "dies")
            ):
                case "command":
                    commands.append(f"command {number}".encode())
                    must(child.send(commands[-1]), "a command is not sent", Breach.DOING)
                case "large":
                    with suppress(ProcessError):
                        child.send(bytes(wire.MAX_PAYLOAD_BYTES + 1))
                        must(False, "what is too large is sent", Breach.DOING)
                    commands.append(bytes(wire.MAX_PAYLOAD_BYTES))
                    must(child.send(commands[-1]), "what is just not too large is not sent", Breach.DOING)
                case "handle":
                    handle = f"handle {number}".encode()
                    life.become_ready(handle)
                    await asyncio.sleep(LATE_S)
                    told = [each.handle for _, each in kept.of(Updated, since_s) if isinstance(each, Updated)]
                    must(told == [handle], f"a new handle is told as {told}", Breach.UNTOLD)
                case "babble":
                    life.say(Severity.OK, "before")
                    before, babbled = babbled, babbled + lots.randint(1, kept.spec.max_garbage)
                    life.talk_nonsense(babbled - before)
                    life.say(Severity.OK, "after")  # not all of it is nonsense: that counts from here
                    await asyncio.sleep(LATE_S)
                    warned = [each for _, each in kept.of(Said, since_s) if isinstance(each, Said)]
                    severe = [each for each in warned if each.severity is Severity.WARNING]
                    news = [2**each for each in range(9) if before < 2**each <= babbled]  # ever more rarely
                    numbers = [
                        f"no. {each}:" in word.message for each, word in zip(news, severe, strict=False)
                    ]
                    must(
                        len(severe) == len(news) and all(numbers),
                        f"{news} are told as {severe}",
                        Breach.UNTOLD,
                    )
                    must(not kept.of(Lost, since_s), "a little nonsense is its end", UP)
                case how:
                    lost = asyncio.create_task(child.lost())
                    await asyncio.sleep(0)
                    if how == "too much":
                        life.talk_nonsense(kept.spec.max_garbage + 1)
                    elif how == "flood":
                        for _ in range(kept.spec.max_reports_per_s + 1):
                            life.say(Severity.OK, "well")
                    else:
                        life.die()
                    reasons = {
                        "too much": LossReason.GARBAGE,
                        "flood": LossReason.FLOOD,
                        "dies": LossReason.DIED,
                    }
                    await asyncio.sleep(0.3)
                    kept.lost_by(reasons[how], since_s, LATE_S)
                    must(lost.done(), "who waits for its loss is not told", Breach.UNTOLD)
                    if child.state not in (ChildState.READY, ChildState.DEGRADED):
                        must(not child.send(b"lost"), "what is lost takes commands", Breach.DOING)
                    again = await child.ready()
                    must(again == b"first", f"a new life has the handle {again!r}", UP)
                    must([*life.commands] == commands, "commands got lost, or out of order", Breach.DOING)
                    restarts, handle, commands, babbled = restarts + 1, b"first", [], 0
                    await asyncio.sleep(POLICY.within_s)
            await asyncio.sleep(1.1)
        must(kept.launcher.life(NAME).commands == commands, "commands got lost", Breach.DOING)
        must(not kept.of(NeedsHuman), "what is lost now and then needs a human", UP)


async def conditions(stage: HistoryStage) -> None:
    """How it is, as it says: well, or not; and as whoever asks is shown it."""
    lots = stage.lots
    kept = Kept(stage, spec(), (Script(),))
    async with kept.running() as child:
        is_well = True
        for number in range(lots.randint(3, 7)):
            severity = lots.choice((Severity.WARNING, Severity.ERROR, Severity.OK))
            kept.launcher.life(NAME).say(severity, f"number {number}")
            if (
                severity is not Severity.WARNING
            ):  # that it is worth a look says nothing about whether it works
                is_well = severity is Severity.OK
            await asyncio.sleep(0.05)
            shown = ChildState.READY if is_well else ChildState.DEGRADED
            must(child.state is shown, f"it said {severity.name}, and is shown as {child.state}", UP)
            must(child.send(b"go"), "what is unwell takes no commands", Breach.DOING)
        if lots.random() < 0.5:
            kept.launcher.life(NAME).die()
            await child.ready()
            must(child.state is ChildState.READY, "a new life is as unwell as the last one", UP)


async def adopted(stage: HistoryStage) -> None:
    """Its owner is killed: who comes in time has it as it is; else it ends, and is nobody's."""
    lots = stage.lots
    grace_s = 2.0
    kept = Kept(stage, spec(adopt_grace_s=grace_s), (Script(handle=b"first"),))
    loop = asyncio.get_running_loop()
    owning = asyncio.create_task(_own(kept))
    await asyncio.sleep(0.5)
    assert kept.child is not None
    life = kept.launcher.life(NAME)
    record = kept.child.record
    must(record is not None, "nobody knows how it could be adopted", UP)
    assert record is not None
    kept.launcher.kill_owner()
    in_time = lots.random() < 0.6
    await asyncio.sleep(lots.uniform(0.1, grace_s - 0.1) if in_time else grace_s + 0.1)
    must(life.is_alive is in_time, "it ends before its time, or does not", UP)
    told: list[ChildEvent] = []
    try:
        async with kept.launcher.adopt(kept.spec, record, on_event=told.append) as child:
            must(in_time, "what is gone is adopted", UP)
            must(child.handle == b"first" and child.pid == life.pid, "another one is adopted", UP)
            must(kept.lives == 1, "it is started anew beside the one that lives", UP)
            must(
                child.send(b"go") and life.commands == [b"go"], "it does not obey its new owner", Breach.DOING
            )
            if lots.random() < 0.5:
                died_s = loop.time()
                life.die()
                await child.ready()
                must(kept.lives == 2, "what was adopted is not started again", UP)
                must(loop.time() - died_s < 2.0, "what was adopted is started again late", UP)
    except ProcessError as error:
        must(not in_time, f"it is not adopted: {error}", UP)
    await asyncio.sleep(1.0)
    must(not kept.launcher.running, "it lives on after it was stopped", Breach.LEAKED)
    owning.cancel()
    await asyncio.gather(owning, return_exceptions=True)


async def _own(kept: Kept) -> None:
    """As somebody who never leaves it in order."""
    async with kept.running():
        await asyncio.Event().wait()


HISTORIES: Final = (
    History(talks, None, 3),
    History(conditions),
    History(adopted, None, 2),
    History(beats, None, 2),
    History(lives, None, 4),
    History(starts, None, 4),
    History(lost_for_good, None, 2),
    History(stopping, None, 2),
    History(undead),
    History(comes_back_late, None, 2),
    History(undead_for_good),
    History(polite_end),
    History(busy, None, 2),
    History(said),
)
