"""Who holds the loop is named, told once, and stops nobody else's arm for a bounded time."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from contextvars import Context

import pytest

from framework.loop_lag import LoopLag
from framework.loop_watchdog import (
    BORROWED_S,
    LIMIT_S,
    LOOK_S,
    Held,
    HeldBook,
    HeldJudge,
    Holder,
    LoopWatchdog,
    Owner,
    Place,
    blamed,
    in_words,
)
from framework.thread_state import ThreadProcessor, state_of

NAP = Holder(Owner.ACTION, "nap", Place("/plugins/nap/__init__.py", 12, "Nap.run"), is_alone=True)
OURS = Holder(Owner.OURS, "console states", Place("/house/managers/x.py", 3, "look"))


class Watched:
    """A loop that is looked at every `LOOK_S`."""

    def __init__(self, holder: Holder = NAP) -> None:
        self.judge = HeldJudge()
        self.holder = holder
        self.context: Context | None = None
        self.now_s = 100.0
        self.turned_s = 100.0
        self.beats_s: list[float] = []
        self.news_s: list[float] = []

    def turns(self, for_s: float) -> None:
        """The loop turns again and again."""
        end_s = self.now_s + for_s
        while self.now_s < end_s:
            self.turned_s = self.now_s
            self.look()

    def is_held(self, for_s: float, *, can_stop: bool = True, every_s: float = LOOK_S) -> None:
        """It does not turn."""
        end_s = self.now_s + for_s
        while self.now_s < end_s:
            self.look(can_stop=can_stop, every_s=every_s)

    def look(self, *, can_stop: bool = True, every_s: float = LOOK_S, waited_s: float = 0.0) -> None:
        look = self.judge.look(
            self.now_s,
            self.turned_s,
            lambda: (self.holder, self.context),
            can_stop=can_stop,
            waited_s=waited_s,
        )
        if look.beats:
            self.beats_s.append(self.now_s)
        if look.is_news:
            self.news_s.append(self.now_s)
        self.now_s += every_s


def test_a_loop_that_turns_is_nobodys_news() -> None:
    watched = Watched()
    watched.turns(5.0)
    assert not watched.news_s
    assert not watched.beats_s


def test_whoever_holds_the_loop_is_told_once_and_soon() -> None:
    watched = Watched()
    watched.turns(1.0)
    watched.is_held(5.0)
    (news_s,) = watched.news_s
    longest = watched.judge.hold.longest
    assert longest is not None and longest.holder == NAP
    assert longest.held_s == pytest.approx(5.0, abs=2 * LOOK_S)
    assert LIMIT_S < news_s - watched.turned_s <= LIMIT_S + 2 * LOOK_S
    watched.turns(1.0)
    watched.is_held(0.5)
    assert len(watched.news_s) == 2


def test_while_a_plugin_holds_it_the_heartbeat_goes_on_for_a_bounded_time() -> None:
    watched = Watched()
    watched.turns(1.0)
    watched.is_held(5.0)
    assert watched.beats_s[0] - watched.turned_s < 0.2, "before control processes stop"
    gaps_s = [later - sooner for sooner, later in zip(watched.beats_s, watched.beats_s[1:], strict=False)]
    assert max(gaps_s) < 0.1
    assert watched.beats_s[-1] - watched.turned_s <= LIMIT_S + BORROWED_S + 3 * LOOK_S


def test_a_plugin_that_holds_it_again_and_again_borrows_no_more() -> None:
    watched = Watched()
    watched.turns(1.0)
    for _ in range(20):
        watched.is_held(0.4)
        watched.turns(0.1)
    assert LOOK_S * len(watched.beats_s) < 1.5 * BORROWED_S
    watched.turns(20.0)
    before = len(watched.beats_s)
    watched.is_held(0.6)
    assert len(watched.beats_s) > before, "after a while it may again"


@pytest.mark.parametrize(
    ("holder", "can_stop", "every_s"),
    [
        (OURS, True, LOOK_S),
        (Holder(Owner.ACTION, "nap", NAP.place, is_alone=False), True, LOOK_S),
        (NAP, False, LOOK_S),
        (NAP, True, 10 * LOOK_S),  # nobody knows what happened while the watchdog did not run either
    ],
)
def test_nothing_is_borrowed_where_it_is_not_known_to_be_safe(
    holder: Holder, can_stop: bool, every_s: float
) -> None:
    watched = Watched(holder)
    watched.turns(1.0)
    watched.is_held(5.0, can_stop=can_stop, every_s=every_s)
    assert not watched.beats_s
    assert watched.news_s


def test_of_several_who_hold_it_one_after_the_other_the_one_who_did_so_for_longest_is_told() -> None:
    """With their own time and their own context, though another one was seen first or last."""
    watched = Watched()
    watched.turns(1.0)
    contexts = [Context(), Context(), Context()]
    watched.holder, watched.context = NAP, contexts[0]
    watched.is_held(0.16)
    hold = watched.judge.hold  # it is told by now
    assert hold.is_told
    watched.holder, watched.context = OURS, contexts[1]
    watched.is_held(2.0)
    watched.holder, watched.context = Holder(Owner.ACTION, "yawn", NAP.place, is_alone=True), contexts[2]
    watched.is_held(0.1)
    watched.turns(1.0)
    longest = hold.longest
    assert longest is not None
    assert longest.holder == OURS
    assert longest.context is contexts[1]
    assert longest.held_s == pytest.approx(2.0, abs=2 * LOOK_S)


def test_the_time_in_which_the_machine_stood_still_is_not_charged_to_who_held_it() -> None:
    """A plugin that is held up for longer than `FAILS_S` in all has not failed by what others did."""
    watched = Watched()
    watched.turns(1.0)
    watched.is_held(0.16)
    watched.now_s += 3.0
    watched.look()
    longest = watched.judge.hold.longest
    assert longest is not None and longest.held_s < 0.25


def test_nothing_is_borrowed_once_our_own_code_had_a_part_in_it() -> None:
    watched = Watched()
    watched.turns(1.0)
    watched.is_held(0.2)
    before = len(watched.beats_s)
    watched.holder = OURS
    watched.is_held(0.1)
    watched.holder = NAP
    watched.is_held(0.5)
    assert len(watched.beats_s) == before > 0


def test_a_machine_that_stood_still_is_nobodys_fault() -> None:
    watched = Watched()
    watched.turns(1.0)
    watched.now_s += 3.0  # nobody ran, the watchdog neither
    watched.look()
    watched.turns(1.0)
    assert not watched.news_s


def test_a_loop_that_others_take_the_processor_from_is_nobodys_fault() -> None:
    watched = Watched()
    watched.turns(1.0)
    for _ in range(20):
        watched.look(waited_s=0.9 * LOOK_S)
    assert not watched.news_s, "it ran for 40 ms"
    watched.is_held(0.2)
    assert watched.news_s


def test_a_thread_that_sleeps_does_not_wait_for_a_processor() -> None:
    ended = threading.Event()
    sleeper = threading.Thread(target=ended.wait)
    sleeper.start()
    assert sleeper.native_id is not None
    assert sleeper.ident is not None
    processor = ThreadProcessor(sleeper.ident, sleeper.native_id)
    try:
        while state_of(os.getpid(), str(sleeper.native_id)) != b"S":
            os.sched_yield()
        later_s = time.monotonic() + 10.0
        assert processor.waited_s(later_s) == 0.0
    finally:
        ended.set()
        sleeper.join()
    mine = ThreadProcessor(threading.get_ident(), threading.get_native_id())
    assert mine.waited_s(time.monotonic() + 10.0) > 9.0, "it runs, and had none of these ten seconds"


# -- whose code it is


def whose(file: str) -> tuple[Owner, str] | None:
    if file.startswith("/plugins/nap"):
        return Owner.ACTION, "nap"
    return (Owner.OURS, "") if file.startswith("/house") else None


SLEEPS = Place("/plugins/nap/__init__.py", 12, "Nap.run")
WAITS = Place("/lib/python/subprocess.py", 2000, "wait")
MOVES = Place("/house/resources/types/arms.py", 40, "move_to")
STEPS = Place("/house/framework/plugins/attempt.py", 190, "Attempt._body")


@pytest.mark.parametrize(
    ("stack", "holder"),
    [
        ((SLEEPS, STEPS), Holder(Owner.ACTION, "nap", SLEEPS, is_alone=True)),
        ((WAITS, SLEEPS, STEPS), Holder(Owner.ACTION, "nap", SLEEPS, is_alone=True)),
        ((MOVES, SLEEPS, STEPS), Holder(Owner.OURS, "nap", MOVES)),
        ((WAITS, MOVES), Holder(Owner.OURS, "action nap", MOVES)),
        ((WAITS,), Holder(Owner.OURS, "action nap", WAITS)),
        ((), Holder(Owner.OURS, "action nap", Place("", 0, "?"))),
    ],
)
def test_the_innermost_code_of_a_plugin_or_of_ours_is_to_blame(
    stack: tuple[Place, ...], holder: Holder
) -> None:
    assert blamed(stack, whose, "action nap") == holder


def test_a_person_reads_who_and_where() -> None:
    words = in_words(Held(NAP, 5.04, 0.0))
    assert words == "the action nap held up everything for 5.0 s: nap/__init__.py:12, in Nap.run"


def test_the_same_place_is_told_once_a_minute_with_a_count() -> None:
    book = HeldBook()
    told = [book.note(Held(NAP, 0.2, float(at_s))) for at_s in range(0, 130, 10)]
    assert [each.times for each in told if each is not None] == [1, 7, 13]
    assert book.count == 13
    assert book.note(Held(OURS, 0.2, 130.0)) is not None


# -- the thread


@pytest.mark.real
def test_a_thread_names_the_code_that_holds_a_real_loop() -> None:
    async def play() -> tuple[Held, Context | None, bool]:
        released = threading.Event()
        told: asyncio.Future[tuple[Held, Context | None]] = asyncio.get_running_loop().create_future()

        def here(file: str) -> tuple[Owner, str] | None:
            return (Owner.ACTION, "nap") if file == __file__ else None

        def tell(held: Held, context: Context | None) -> None:
            if not told.done():
                told.set_result((held, context))

        def lends(since_s: float, now_s: float) -> None:
            released.set()  # it has been named, and its time is borrowed

        async with LoopLag() as lag:
            with LoopWatchdog(lag, here, tell, lend=lends, can_stop=lambda: True):
                while lag.woken_s is None:
                    await asyncio.sleep(0)
                was_released = released.wait(30.0)  # the line that is named
                held, context = await told
                return held, context, was_released

    held, context, was_released = asyncio.run(play())
    assert was_released
    assert held.holder.name == "nap"
    assert held.holder.is_alone
    with open(__file__) as code:
        assert "the line that is named" in code.readlines()[held.holder.place.line - 1]
    assert context is not None
    assert held.held_s > LIMIT_S
