"""What may be said for a slot about something being done: "tracking the hand", in an action's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from grammars.reading.matching import Head, Matching, Offer, Part
from grammars.reading.network import Node


class Activity(msgspec.Struct, frozen=True):
    """Something that may be done just now, as an action would be asked for: "track the hand"."""

    words: str
    end: int
    known: int = 0
    free: int = 0


FindActivities = Callable[[Matching, int], Sequence[Activity]]


class ActivityNode(Node):
    """`{activities:slot}`: something that is being done ("tracking the hand"), in an action's words."""

    __slots__ = ("find", "slot")

    def __init__(self, slot: str, find: FindActivities) -> None:
        super().__init__(is_open=True, is_placed=True)
        self.slot = slot
        self.find = find

    def match(self, matching: Matching, at: int, head: Head) -> Sequence[Part]:
        """The activities that are named here."""
        if at >= matching.size:
            return ()
        return [
            Part(each.end, ((self.slot, each.words),), known=each.known, free=each.free)
            for each in self.find(matching, at)
        ]

    def offers(self, matching: Matching, head: Head) -> Iterable[Offer]:
        """Nothing: the clauses inside say what they want."""
        return ()
