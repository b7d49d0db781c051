"""The two smallest pure parts: the gate before everything that moves, and the deadlines."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from framework.errors import CommandRefused
from framework.registrar.fencing import CommandGate, CommandStamp
from framework.registrar.timers import Timers
from tests.effort import share


def stamp(lease: str = "l1", generation: int = 1, sequence: int = 0, sent_s: float = 10.0) -> CommandStamp:
    return CommandStamp(lease, generation, sequence, sent_s)


@pytest.fixture
def gate() -> CommandGate:
    gate = CommandGate(max_age_s=0.2, ahead_s=0.05)
    gate.open("l1", 1)
    return gate


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (stamp(lease="l2"), "is not the holder"),
        (stamp(generation=0), "is not the holder"),
        (stamp(generation=2), "is not the holder"),
        (stamp(sent_s=9.7), r"0\.300 s old"),
        (stamp(sent_s=10.1), "allowed"),
        (stamp(sent_s=math.nan), "allowed"),
        (stamp(sent_s=-math.inf), "allowed"),
    ],
)
def test_a_command_that_is_foreign_old_or_from_the_future_is_refused(
    gate: CommandGate, command: CommandStamp, reason: str
) -> None:
    with pytest.raises(CommandRefused, match=reason):
        gate.check(command, 10.0)
    gate.check(stamp(), 10.0)  # and has used up nothing


def test_a_doubled_or_overtaken_command_is_refused(gate: CommandGate) -> None:
    gate.check(stamp(sequence=5), 10.0)
    for sequence in (5, 4):
        with pytest.raises(CommandRefused, match="doubled, or out of order"):
            gate.check(stamp(sequence=sequence), 10.0)
    gate.check(stamp(sequence=6), 10.0)


def test_a_former_holder_stays_shut_out_whatever_happens_after_it(gate: CommandGate) -> None:
    gate.close()
    with pytest.raises(CommandRefused, match="nobody holds this"):
        gate.check(stamp(), 10.0)
    with pytest.raises(CommandRefused, match="has been here already"):
        gate.open("l1", 1)
    gate.open("l2", 2)
    assert gate.silence_s(10.0) == math.inf
    with pytest.raises(CommandRefused, match="is not the holder"):
        gate.check(stamp(), 10.0)
    gate.check(stamp("l2", 2), 10.0)
    assert gate.holder == "l2" and gate.silence_s(10.5) == pytest.approx(0.5)


def test_deadlines_are_met_in_order_once_and_the_next_one_is_known() -> None:
    timers, met = Timers(), []
    for name, at_s in (("b", 2.0), ("a", 1.0), ("c", 3.0)):
        timers.set((name, 0), at_s, lambda name=name: met.append(name))  # type: ignore[misc]
    timers.clear(("nothing", 0))
    timers.tick(0.5)
    assert met == [] and timers.wake_s == 1.0
    timers.tick(2.0)
    timers.tick(2.0)
    assert met == ["a", "b"] and timers.wake_s == 3.0
    timers.clear(("c", 0))
    timers.tick(9.0)
    assert met == ["a", "b"] and timers.wake_s == math.inf


def test_a_deadline_that_is_cleared_or_set_anew_by_an_earlier_one_is_not_met() -> None:
    timers, met = Timers(), []

    def late() -> None:
        met.append("third")

    def first() -> None:
        timers.clear(("second", 0))
        timers.set(("third", 0), 5.0, late)

    timers.set(("first", 0), 1.0, first)
    timers.set(("second", 0), 1.0, lambda: met.append("second"))
    timers.set(("third", 0), 1.0, late)
    timers.tick(2.0)
    assert met == [] and timers.wake_s == 5.0


def test_a_standstill_moves_every_deadline() -> None:
    timers, met = Timers(), []
    timers.set(("a", 0), 1.0, lambda: met.append("a"))
    timers.shift(10.0)
    timers.tick(10.9)
    assert met == [] and timers.wake_s == 11.0
    timers.tick(11.0)
    assert met == ["a"]


@pytest.mark.parametrize("seed", range(share(40)))
def test_of_random_holders_and_commands_those_pass_that_are_the_present_one_s_and_new(seed: int) -> None:
    """Beside a list of what has passed; grants come late and doubled, commands besides from the future."""
    lots = random.Random(seed)
    gate = CommandGate(max_age_s=0.2, ahead_s=0.05)
    holder, newest, now_s = "", 0, 100.0
    passed: list[int] = []
    last_s = -math.inf
    tried: Counter[bool] = Counter()
    for _ in range(400):
        now_s += lots.choice((0.0, 0.01, 0.3))
        match lots.randrange(12):
            case 0 | 1:
                generation = newest + lots.choice((-1, 0, 1, 1, 2))
                lease = f"l{generation}"
                if generation > newest:
                    gate.open(lease, generation)
                    holder, newest, passed, last_s = lease, generation, [], -math.inf
                else:
                    with pytest.raises(CommandRefused, match="has been here already"):
                        gate.open(lease, generation)
            case 2:
                gate.close()
                holder = ""
            case _:
                generation = newest + lots.choice((-1, 0, 0, 0, 0, 1))
                lease = lots.choice((f"l{newest}",) * 4 + (f"l{newest - 1}",))
                sequence, age_s = (
                    lots.randrange(8) + len(passed),
                    lots.choice((-0.06, -0.04, 0.0, 0.1, 0.19, 0.21)),
                )
                is_holder = bool(holder) and (lease, generation) == (holder, newest)
                may = is_holder and sequence > max(passed, default=-1) and -0.05 <= age_s <= 0.2
                tried[may] += 1
                if may:
                    gate.check(stamp(lease, generation, sequence, now_s - age_s), now_s)
                    passed.append(sequence)
                    last_s = now_s
                else:
                    with pytest.raises(CommandRefused):
                        gate.check(stamp(lease, generation, sequence, now_s - age_s), now_s)
        assert gate.holder == holder
        assert gate.silence_s(now_s) == now_s - last_s
    assert min(tried.values()) > 20, tried
