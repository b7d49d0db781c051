"""The emergency stop in shared memory, in several hands: who presses, takes back, beats and lends; and pages.

Beside it stands a list of what was pressed, taken back and lent, from the documents.
"""

from __future__ import annotations

import math
from typing import Final

from framework.errors import InstallationError
from framework.processes.emergency import EmergencyStop, is_press
from framework.scenarios.invariants import Breach
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.stage import History, HistoryStage

MOTION: Final = Breach.SURPRISE_MOTION
DOING: Final = Breach.DOING
MOST_PAGES: Final = 64
MOST_LENT_S: Final = 0.75
NO_PRESSES: Final = ("", "x-1", "0123456789ab", "0123456789ab-0", "0123456789ab-01", "0123456789ab-65536")


class Ledger:
    """What was done to it. pressed: of each page its latest press, in the order in which pages came."""

    def __init__(self) -> None:
        self.is_set = False
        self.reason = ""
        self.tokens: list[int] = []
        self.pressed: dict[str, int] = {}
        self.beat_s = -math.inf
        self.lent = (0.0, 0.0)


async def latch(stage: HistoryStage) -> None:
    """Whoever looks sees what was pressed and taken back last; no press counts twice, and none is lost."""
    lots = stage.lots
    folder = stage.folder
    missing = folder / "nowhere"
    missing.mkdir()
    _refused(lambda: EmergencyStop.attach(missing), "nothing is an emergency stop")
    made = EmergencyStop.create(folder)
    _refused(lambda: EmergencyStop.create(folder), "an emergency stop is set up over another one")
    hands = [made, EmergencyStop.attach(folder), EmergencyStop.attach(folder)]
    ledger = Ledger()
    now_s = lots.uniform(10.0, 1e5)
    pages = [f"{lots.getrandbits(48):012x}" for _ in range(lots.choice((2, 2, MOST_PAGES + 3)))]
    pages[0] = lots.choice((pages[0], f"{1:012x}", f"{2**48 - 1:012x}"))
    for _ in range(60 if len(pages) == 2 else 110):
        now_s += lots.choice((0.01, 0.1, 0.5, 1.0))
        hand = lots.choice(hands)
        match lots.choice(
            ("latch", "press", "press", "press", "press", "reset", "old", "beat", "beat", "lend")
        ):
            case "latch":
                reason = f"reason {lots.randrange(99)} " * lots.choice((1, 1, 40, 200))
                hand.latch(reason)
                _is_set(ledger, hand, reason)
            case "press":
                _pressed(ledger, hand, lots.choice(pages), lots.randint(1, 4))
            case "reset" if ledger.tokens:
                must(hand.reset(ledger.tokens[-1]), "the stop is not taken back", DOING)
                ledger.is_set = False
            case "old":
                for token in (*ledger.tokens[-3:-1], 4711):
                    must(not hand.reset(token), "another stop is taken back", MOTION)
            case "beat":
                hand.beat(now_s)
                ledger.beat_s = now_s
            case "lend":
                since_s = now_s - lots.choice((0.1, 0.5, 0.74, 0.76, 2.0))
                hand.lend(since_s, now_s)
                ledger.lent = (since_s, now_s)
            case _:
                press = lots.choice(NO_PRESSES)
                must(not is_press(press) and not hand.has_had(press), f"{press!r} is a press", MOTION)
                must(hand.latch_once(press, "a page"), "what has no number stops nothing", MOTION)
                _is_set(ledger, hand, "a page")
        for each in hands:
            _judge(ledger, each, now_s)
    hands.pop().close()
    made.latch("the last")
    late = EmergencyStop.attach(folder)
    must(late.is_latched and late.reason == "the last", "who comes late does not see the stop", MOTION)
    late.close()
    late.close()
    path = folder / "emergency"
    must(path.stat().st_mode & 0o077 == 0, "others may write to the stop", MOTION)
    made.remove()
    must(not path.exists(), "the stop stays after its installation", Breach.LEAKED)
    _refused(lambda: EmergencyStop.attach(folder), "what was removed is an emergency stop")
    for content in (b"", b"x" * 100, bytes(4096)):
        path.write_bytes(content)
        _refused(lambda: EmergencyStop.attach(folder), f"{len(content)} bytes are an emergency stop")
    hands[1].close()


def _refused(deed: object, words: str) -> None:
    try:
        deed()  # type: ignore[operator]
    except InstallationError:
        return
    must(False, words, MOTION)


def _pressed(ledger: Ledger, hand: EmergencyStop, page: str, number: int) -> None:
    had = number <= ledger.pressed.get(page, 0)
    press = f"{page}-{number}"
    must(is_press(press), f"{press} is no press", MOTION)
    must(hand.has_had(press) is had, f"{press} has come before, or has not", MOTION)
    is_set = hand.latch_once(press, f"page {page}")
    must(is_set is (ledger.is_set or not had), f"a press is confirmed as {is_set}", MOTION)
    if not had:
        if page not in ledger.pressed and len(ledger.pressed) == MOST_PAGES:
            del ledger.pressed[next(iter(ledger.pressed))]
        ledger.pressed[page] = number
        _is_set(ledger, hand, f"page {page}")


def _is_set(ledger: Ledger, hand: EmergencyStop, reason: str) -> None:
    must(hand.token not in (0, *ledger.tokens), "a stop has the number of another one", MOTION)
    ledger.is_set, ledger.reason = True, reason
    ledger.tokens.append(hand.token)


def _judge(ledger: Ledger, hand: EmergencyStop, now_s: float) -> None:
    """What each hand sees."""
    must(hand.is_latched is ledger.is_set, f"it is set: {hand.is_latched}", MOTION)
    latest = ledger.tokens[-1] if ledger.tokens else 0
    must(hand.token == (latest if ledger.is_set else 0) and hand.latest == latest, "another stop", DOING)
    must(hand.reason == ledger.reason[:1000], f"it is set because of {hand.reason[:40]!r}", Breach.UNTOLD)
    age_s = now_s - ledger.beat_s
    must(_same(hand.heartbeat_age_s(now_s), age_s), "the heartbeat is of another age", MOTION)
    from_s, until_s = ledger.lent
    counts = 0.0 < until_s - from_s <= MOST_LENT_S
    must(_same(hand.lent[1], until_s if counts else 0.0), f"it was lent until {hand.lent[1]}", MOTION)
    is_soon = counts and 0.0 < until_s - ledger.beat_s <= MOST_LENT_S
    must(
        _same(hand.motion_age_s(now_s), now_s - until_s if is_soon else age_s),
        f"who moves goes by a heartbeat of {hand.motion_age_s(now_s):.3f} s",
        MOTION,
    )


def _same(one: float, other: float) -> bool:
    return one == other or abs(one - other) < 1e-6


HISTORIES: Final = (History(latch, None, 2),)
