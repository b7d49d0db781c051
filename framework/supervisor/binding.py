"""Which arm, which gripper: filled in from what this person has named last, or asked.

The rules are in `framework.dialogue.discourse`; here is what was said before, and the question is put.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from framework.clock import Clock
from framework.dialogue.discourse import as_moved_last, bound, with_which
from framework.dialogue.values import actions_in
from framework.dialogue.wish import Wish
from framework.plan.ast import Do
from framework.plan.parser import Reading, World
from framework.plan.signature import Signatures
from framework.supervisor.book import PlanBook
from framework.supervisor.exchange import Ask, Exchange, Steps, Think
from framework.supervisor.retained import retained_by

#: After its end, what an instruction named is still what was named last for so long [s].
NAMED_WITHIN_S = 300.0


class Binding:
    """Knows what each operator has named. world: knows the names of each kind; pronouns: of the language."""

    def __init__(
        self,
        book: PlanBook,
        signatures: Signatures,
        world: World,
        clock: Clock,
        pronouns: tuple[str, ...] = (),
    ) -> None:
        self._pronouns = pronouns
        self._book = book
        self._signatures = signatures
        self._world = world
        self._clock = clock

    def bound(self, wish: Wish, exchange: Exchange) -> Steps[Wish]:
        """The wish with what was left unsaid. What does not come from words is not changed.

        Whoever has something in their hand means that: what is wanted of it is decided where plans are let in
        (`objections.held`).
        """
        has_in_hand = bool(retained_by(exchange.who, self._book.wanted, self._signatures))
        while wish.text and not has_in_hand:
            earlier = self._earlier(exchange.who)
            given = (wish.plan, earlier, self._signatures, self._world)
            find = partial(bound, *given, text=wish.text, pronouns=self._pronouns)
            found = yield Think(find)
            wish = msgspec.structs.replace(wish, plan=found.plan)
            if found.open is None:
                break
            names = tuple(each.name for each in found.open.known)
            answer = yield Ask(f"Which {found.open.noun} do you mean?", names)
            exchange.add_doubt(answer.source)
            chosen = found.open.known[answer.choice - 1].value
            wish = msgspec.structs.replace(wish, plan=with_which(wish.plan, found.open, chosen))
        return wish

    def as_moved_last(self, readings: Sequence[Reading], who: str) -> tuple[Reading, ...]:
        """The readings of what somebody says, given what they have moved last."""
        if len(readings) < 2:
            return tuple(readings)
        return as_moved_last(readings, self._earlier(who), self._signatures)

    def _earlier(self, who: str) -> list[Do]:
        """What this person wanted, the oldest first; an emergency stop ends what is said of that."""
        now_s = self._clock.now_s()
        records = [
            record
            for record in reversed(self._book.started_by(who))
            if not record.is_before_emergency
            and (record.is_active or now_s - record.ended_s <= NAMED_WITHIN_S)
        ]
        return [do for record in records for _, do in actions_in(record.plan)]
