"""From pictures to events: a gesture that was held is said once. Pure; times come in, and nothing waits here.

What gives no event: less than `hold_s`, or fewer than `least_frames` new pictures; a source that is silent,
or gives the same again (a time that does not rise, the same points with a new time, a stamp from long ago
or from the future); a hand that jumps, so that another one goes by its name; two hands that are so near
each other that a tracker may take one for the other; two of the same side. After each of these, holding
begins anew.

One hold is one event: the same gesture of that hand has to be seen to be over before it counts again, and a
source that was silent meanwhile has not seen that. After an event a hand's other gestures wait
`refractory_s`. A gesture whose hand may have become the other one is spent for both.

An event says since when the hand shows it: that is not when its hold began to count, which may be long
after. What was not seen to be over before has begun at 0: whoever asked something meanwhile was not answered.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import Final

import msgspec

from resources.types.gestures import Gesture, GestureKind, TrackedHand
from resources.types.masters import HandSide
from resources.types.whereabouts import Point


class Seen(msgspec.Struct, frozen=True):
    """A hand in one picture, read (`reading.seen`).

    untold: the gestures of which this picture cannot tell; it neither speaks for them nor against.
    centre: of its palm in the hand's frame, size_m: from wrist to middle knuckle (`palm.py`); None and 0 if
    too little of it was seen.
    """

    hand: TrackedHand
    kind: GestureKind
    confidence: float
    untold: frozenset[GestureKind]
    centre: Point | None
    size_m: float


class HoldRules(msgspec.Struct, frozen=True):
    """How long is held, and what is no holding.

    `hold_s`, `agreeing` and `sure` were chosen on generated hands of seed set A (experiment `gesture`): of
    some that were tried, those with few false gestures and hardly a held one that is missed.

    hold_s: so long a gesture is held; least_frames: so many new pictures of it; a slow tracker takes longer.
    agreeing: their share of all in that time that can tell, for single pictures are read wrong; sure: their
        mean confidence at least.
    refractory_s: after an event no other one of this hand for so long.
    release_s: a gesture is over when it was not seen so long, while pictures came.
    silent_s: without a new picture for so long, what was held before does not count.
    ahead_s: a stamp may be ahead of now by as much.
    speed: no hand that holds moves faster, in palms a second, beyond `slack` palms from picture to picture.
    apart: hands that are nearer than so many palms may be taken for each other.
    """

    hold_s: float = 0.7
    least_frames: int = 4
    agreeing: float = 0.75
    sure: float = 0.87
    refractory_s: float = 1.0
    release_s: float = 0.4
    silent_s: float = 0.5
    ahead_s: float = 0.05
    speed: float = 8.0
    slack: float = 0.4
    apart: float = 2.0


RULES: Final = HoldRules()


class _Held:
    """What is known of one hand."""

    def __init__(self) -> None:
        self.last: Seen | None = None
        self.placed: Seen | None = None  # the last of which it is known where it was
        self.marks: deque[Seen] = deque()  # of hold_s, and the one before
        #: Gestures that gave an event and are not over.
        self.spent: set[GestureKind] = set()
        #: Since when those are shown that are not over. Nobody has seen yet that any is not.
        self.since_s: dict[GestureKind, float] = dict.fromkeys(GestureKind, 0.0)
        #: How long these were seen not to be there [s].
        self.away_s: dict[GestureKind, float] = dict.fromkeys(GestureKind, 0.0)
        self.event_s = -math.inf

    def begin_anew(self) -> None:
        self.marks.clear()


class Holding:
    """The hands of one source."""

    def __init__(self, rules: HoldRules = RULES) -> None:
        self._rules = rules
        self._hands = {side: _Held() for side in HandSide}
        self._called_s = -math.inf

    def saw(self, seen: Iterable[Seen], now_s: float) -> tuple[Gesture, ...]:
        """The next picture's hands, none included; the gestures that were held just now.

        now_s: CLOCK_MONOTONIC [s], as `TrackedHand.taken_s`; it never falls.
        """
        every = tuple(seen)
        # Two pictures at least say that a gesture is over: one may be read wrong.
        elapsed_s = min(now_s - self._called_s, self._rules.release_s / 2)
        self._called_s = now_s
        fresh = {each.hand.side: each for each in every if self._is_fresh(each, now_s)}
        shown = {side: (each.kind, each.untold) for side, each in fresh.items()}
        present = {each.hand.side for each in every}
        self._release(present, shown, elapsed_s)
        is_confusing = self._is_confusing(every)
        if is_confusing or any(self._is_another(each, present) for each in fresh.values()):
            self._confuse()
        events: list[Gesture] = []
        for side, each in fresh.items():
            held = self._hands[side]
            if held.last is not None and each.hand.taken_s - held.last.hand.taken_s > self._rules.silent_s:
                held.begin_anew()
            held.last, held.placed = each, each if each.centre is not None else held.placed
            if each.kind not in held.since_s:
                held.since_s[each.kind], held.away_s[each.kind] = each.hand.taken_s, 0.0
            if is_confusing:
                continue
            held.marks.append(each)
            if (gesture := self._held(held, side, now_s)) is not None:
                events.append(gesture)
        return tuple(events)

    def share(self, side: HandSide) -> float:
        """How much of its time the gesture that a hand shows now was held, 0 … 1; 1 after its event."""
        held = self._hands[side]
        if not held.marks or (kind := held.marks[-1].kind) is GestureKind.NONE:
            return 0.0
        if kind in held.spent:
            return 1.0
        first = next(mark for mark in held.marks if mark.kind is kind)
        return min((held.marks[-1].hand.taken_s - first.hand.taken_s) / self._rules.hold_s, 1.0)

    def _is_fresh(self, each: Seen, now_s: float) -> bool:
        last, taken_s = self._hands[each.hand.side].last, each.hand.taken_s
        if not now_s - self._rules.silent_s <= taken_s <= now_s + self._rules.ahead_s:
            return False
        return last is None or (taken_s > last.hand.taken_s and each.hand.points != last.hand.points)

    def _release(
        self,
        present: set[HandSide],
        shown: dict[HandSide, tuple[GestureKind, frozenset[GestureKind]]],
        elapsed_s: float,
    ) -> None:
        """Time in which a gesture was not there: then it is over.

        A hand that is present and not new says nothing; one of which too much is lost says nothing of what
        it may have shown.
        """
        for side, held in self._hands.items():
            if side in present and side not in shown:
                continue
            now, untold = shown.get(side, (GestureKind.NONE, frozenset[GestureKind]()))
            for kind in tuple(held.since_s):
                if kind in untold:
                    continue
                away_s = 0.0 if now is kind else held.away_s[kind] + elapsed_s
                held.away_s[kind] = away_s
                if away_s >= self._rules.release_s:
                    del held.since_s[kind]
                    held.spent.discard(kind)

    def _is_confusing(self, every: tuple[Seen, ...]) -> bool:
        """Whether two hands may be taken for each other."""
        if len({each.hand.side for each in every}) < len(every):
            return True
        placed = [(each.centre, each.size_m) for each in every if each.centre is not None]
        if len(placed) < 2:
            return False
        (one, size_m), (other, other_size_m) = placed[:2]
        return math.dist(one, other) < self._rules.apart * (size_m + other_size_m) / 2.0

    def _is_another(self, each: Seen, present: set[HandSide]) -> bool:
        """Whether it may not be the hand that had this name in the picture before."""
        rules, last = self._rules, self._hands[each.hand.side].placed
        if last is None or each.hand.taken_s - last.hand.taken_s > rules.silent_s:
            # One that appears when the other is gone may be that one, under another name.
            return any(
                held.last is not None and each.hand.taken_s - held.last.hand.taken_s <= rules.refractory_s
                for side, held in self._hands.items()
                if side not in present
            )
        if last.hand.frame != each.hand.frame:
            return True
        if last.centre is None or each.centre is None:
            return False
        elapsed_s = each.hand.taken_s - last.hand.taken_s
        reach = (rules.slack + rules.speed * elapsed_s) * max(each.size_m, last.size_m)
        return math.dist(each.centre, last.centre) > reach

    def _confuse(self) -> None:
        """Nobody knows any more which hand is which."""
        every = self._hands.values()
        spent = set[GestureKind]().union(*(held.spent for held in every))
        event_s = max(held.event_s for held in every)
        since_s: dict[GestureKind, float] = {}
        for held in every:
            for kind, kind_s in held.since_s.items():
                since_s[kind] = min(kind_s, since_s.get(kind, math.inf))
        for held in every:
            held.begin_anew()
            held.spent, held.since_s, held.event_s = set(spent), dict(since_s), event_s
            held.away_s = dict.fromkeys(GestureKind, 0.0)

    def _held(self, held: _Held, side: HandSide, now_s: float) -> Gesture | None:
        """The gesture that has been held for long enough just now, if one has."""
        rules, marks = self._rules, held.marks
        since_s = marks[-1].hand.taken_s - rules.hold_s
        while len(marks) > rules.least_frames and marks[1].hand.taken_s <= since_s:
            marks.popleft()
        kind = marks[-1].kind
        is_long = marks[0].hand.taken_s <= since_s and marks[0].kind is kind
        if not is_long or kind is GestureKind.NONE or kind in held.spent:
            return None
        agreeing = [mark for mark in marks if mark.kind is kind]
        telling = sum(kind not in mark.untold for mark in marks)
        if len(agreeing) < max(rules.least_frames, rules.agreeing * telling):
            return None
        confidence = sum(mark.confidence for mark in agreeing) / len(agreeing)
        if confidence < rules.sure or now_s - held.event_s < rules.refractory_s:
            return None
        held.event_s = now_s
        held.spent.add(kind)
        tracked = sum(mark.hand.confidence for mark in agreeing) / len(agreeing)
        return Gesture(kind, held.since_s[kind], min(confidence, tracked), side)
