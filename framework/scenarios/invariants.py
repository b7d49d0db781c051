"""What holds in every run, whatever fails. Each breach is a kind with words; each kind can be made to happen.

| kind | what must hold |
|---|---|
| leaked | after the clean-up nothing is up but what is kept for good |
| dangling | there is no lease that only one of its ends knows |
| never ended | every plan ends, and whoever gave an instruction is answered |
| surprise motion | after a stop, a pause or a lost hand nothing moves by itself before somebody says so |
| jump | nothing is faster than it can be: no step from one look to the next |
| untold | whoever has lost something is told, in time |
| told twice | and once |
| raw error | nobody is told a program's own words: an exception, a path of this machine |
| error | nothing is logged as an error: nobody expected it |
| afterwards | when all is mended everything works again: the rounds that the seed draws go well |
| contention | what several want goes to who is first by right and by time, and all others know |
| upbringing | what is wanted comes up once, after what it stands on, and goes down before that |
| keeping | what a person has, or has said, stays theirs; what was written stays written |
| doing | what was said is done, as it was said, in that order, and nothing else is |

The looks come from the watcher; nothing here changes anything.
"""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import Final

import msgspec

from framework.events import Event, EventKind
from framework.scenarios.scenario import Deed, EmergencyStop, Play, Say
from framework.scenarios.stage import Stage, StageMotion

BRAKES_WITHIN_S: Final = 0.6
"""What is stopped rests after so long."""

SETTLES_WITHIN_S: Final = 0.9
"""And then sways no longer: compliant arms do when the base that carries them brakes."""

SWAYS_M: Final = 1e-4
"""From one look to the next, at least."""

LETS_GO_WITHIN_S: Final = 1.0
"""After the word or the finger that ends it a hand moves nothing any more: for real both take their way."""

SURPRISE_M: Final = 0.002
"""So far something that was told to rest may still settle."""

JUMP_M: Final = 0.005
"""More than its top speed allows."""

SHORTEST_S: Final = 0.005
"""Between two looks by which a speed is judged."""

ONCE_WITHIN_S: Final = 0.5
"""The same words about the same plan again, so soon, are once too often."""


class Breach(StrEnum):
    """Which invariant did not hold."""

    LEAKED = "leaked"
    DANGLING = "dangling"
    NEVER_ENDED = "never ended"
    SURPRISE_MOTION = "surprise motion"
    JUMP = "jump"
    UNTOLD = "untold"
    TOLD_TWICE = "told twice"
    RAW_ERROR = "raw error"
    ERROR = "error"
    AFTERWARDS = "afterwards"
    CONTENTION = "contention"
    UPBRINGING = "upbringing"
    KEEPING = "keeping"
    DOING = "doing"


class Broken(msgspec.Struct, frozen=True):
    """An invariant did not hold. at_s: since the scenario's beginning."""

    breach: Breach
    words: str
    at_s: float = 0.0

    def __str__(self) -> str:
        return f"{self.breach.value} at {self.at_s:.3f} s: {self.words}"


_RAW = re.compile(r"\b[A-Z]\w+Error\b|Traceback|/dev/shm|/tmp/")
_STOPS = ("stop", "pause", "cancel", "freeze")
_TOLD_ONCE = (EventKind.FAILED, EventKind.SWITCHED, EventKind.PAUSED, EventKind.EMERGENCY)


class MotionWatch:
    """Watches what moves for jumps, and for motion that nobody has given the word for."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[float, StageMotion]] = {}
        self._rests_from: dict[str, tuple[float, str, StageMotion | None]] = {}
        self._let_go_until_s = -math.inf
        self._taken_s: dict[str, float] = {}
        self.broken: list[Broken] = []

    def deed(self, deed: Deed, now_s: float) -> None:
        """Somebody does something: a word lets things move, a stop forbids it."""
        match deed:
            case Say(text=text) if text.casefold().split()[0] in _STOPS:
                named = tuple(each for each in self._last if each.replace("_", " ") in text.casefold())
                self.forbid(f'after "{text}"', now_s, named or None)
            case Say():
                self._rests_from.clear()
                self._let_go_until_s = now_s + LETS_GO_WITHIN_S  # they may end their driving by a word
            case EmergencyStop():
                self.forbid("after the emergency stop", now_s)
            case Play(sentence=sentence) if sentence.endswith("lets go"):
                self._let_go_until_s = now_s + LETS_GO_WITHIN_S

    def forbid(self, why: str, now_s: float, devices: tuple[str, ...] | None = None) -> None:
        """Nothing of this may move by itself until somebody says a word."""
        for device in self._last if devices is None else devices:
            self._rests_from.setdefault(device, (now_s + BRAKES_WITHIN_S, why, None))

    def see(self, motions: tuple[StageMotion, ...], now_s: float) -> None:
        """How everything stands now."""
        for motion in motions:
            name = motion.device
            if not motion.is_seen:
                if name in self._rests_from:  # it may brake meanwhile, or when it goes on
                    self._rests_from[name] = now_s + BRAKES_WITHIN_S, self._rests_from[name][1], None
                continue
            before_s, before = self._last.get(name, (now_s, motion))
            if name in self._last and now_s - before_s < SHORTEST_S:
                continue  # a look in between says nothing about speeds
            self._last[name] = now_s, motion
            if before.life != motion.life:
                self._rests_from.pop(name, None)
                continue
            # What reports seldom goes far from one report to the next, however soon after it one looks.
            self._judge_jump(
                motion, before, now_s, max(now_s - before_s, motion.reported_s - before.reported_s)
            )
            if motion.by_hand and not before.by_hand:
                self._taken_s[name] = now_s
            if before.by_hand and not motion.by_hand and not self._was_let_go(name, now_s):
                self.forbid("after its hand was lost", now_s, (name,))
            self._judge_rest(motion, before, now_s)

    def _was_let_go(self, name: str, now_s: float) -> bool:
        """Whether a hand has been taken off by a word or a finger, and not put on again since."""
        let_go_s = self._let_go_until_s - LETS_GO_WITHIN_S
        return now_s <= self._let_go_until_s and self._taken_s.get(name, -math.inf) <= let_go_s

    def _judge_jump(self, motion: StageMotion, before: StageMotion, now_s: float, dt_s: float) -> None:
        step_m = math.dist(motion.place, before.place)
        if step_m > motion.top_speed * dt_s + JUMP_M:
            words = f"{motion.device} was {1000 * step_m:.1f} mm elsewhere after {1000 * dt_s:.0f} ms"
            self.broken.append(Broken(Breach.JUMP, words, now_s))

    def _judge_rest(self, motion: StageMotion, before: StageMotion, now_s: float) -> None:
        forbidden = self._rests_from.get(motion.device)
        if forbidden is None or now_s < forbidden[0]:
            return
        since_s, why, at = forbidden
        if at is None and not motion.is_at_rest and motion.place == before.place:
            # Its world stands still, and time with it: it brakes when that goes on.
            self._rests_from[motion.device] = now_s + BRAKES_WITHIN_S, why, None
            return
        step_m = math.dist(motion.counts_at, before.counts_at)
        sways = step_m > SWAYS_M and now_s < since_s + SETTLES_WITHIN_S
        if at is None and sways:
            return
        if at is None or motion.by_hand:
            self._rests_from[motion.device] = since_s, why, motion
        elif math.dist(motion.counts_at, at.counts_at) > SURPRISE_M:
            del self._rests_from[motion.device]
            self.broken.append(Broken(Breach.SURPRISE_MOTION, f"{motion.device} moves {why}", now_s))


def told_twice(events: tuple[Event, ...]) -> list[Broken]:
    """The same news about the same plan, again and at once."""
    found: list[Broken] = []
    last: dict[tuple[EventKind, str, str, str, str], float] = {}
    for event in events:
        if event.kind in _TOLD_ONCE:
            key = (event.kind, event.plan, event.node, event.who, event.text)
            if event.t_s - last.get(key, -math.inf) < ONCE_WITHIN_S:
                found.append(Broken(Breach.TOLD_TWICE, f"{event.kind.value}: {event.text}", event.t_s))
            last[key] = event.t_s
    return found


def raw_errors(events: tuple[Event, ...]) -> list[Broken]:
    """What only programmers understand, among what is told."""
    return [Broken(Breach.RAW_ERROR, event.text, event.t_s) for event in events if _RAW.search(event.text)]


def left_at_the_end(stage: Stage) -> list[Broken]:
    """What must be gone when all was stopped and mended."""
    now_s = stage.now_s()
    found = [Broken(Breach.LEAKED, each, now_s) for each in stage.leaked()]
    found += [Broken(Breach.DANGLING, each, now_s) for each in stage.dangling()]
    found += [
        Broken(Breach.NEVER_ENDED, f"the plan {plan.words!r} is {plan.state.value}", now_s)
        for plan in stage.plans()
        if not plan.state.is_over
    ]
    return found
