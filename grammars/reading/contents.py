"""What is in the nodes of a network: their words, and what stands in front of any words at all. Pure.

Nodes are shared, so what was found out about one is kept.
"""

from __future__ import annotations

import msgspec

from grammars.reading.activity import ActivityNode
from grammars.reading.network import AnyOrder, Node, Row, Words
from grammars.reading.slots import SlotNode

_NO_WORDS: frozenset[str] = frozenset()


class Before(msgspec.Struct, frozen=True):
    """What may stand directly before something. is_first: nothing; is_known: a name or a number."""

    words: frozenset[str] = frozenset()
    is_first: bool = False
    is_known: bool = False

    def __or__(self, other: Before) -> Before:
        if self is other or other is _NEVER:
            return self
        return Before(
            self.words | other.words, self.is_first or other.is_first, self.is_known or other.is_known
        )


_NEVER = Before()
#: What stands in front of a whole node.
_OUTSIDE = Before(is_first=True)


class Contents:
    """What is in nodes. Ask only when they are complete."""

    def __init__(self) -> None:
        self._words: dict[Node, frozenset[str]] = {}
        self._any: dict[Node, bool] = {}
        self._before: dict[Node, Before] = {}
        self._ending: dict[Node, Before] = {}

    def words(self, node: Node) -> frozenset[str]:
        """All words that may be said for a node, besides names, numbers and any words."""
        if isinstance(node, Words):
            return frozenset(node.words)
        found = self._words.get(node)
        if found is None:
            inside = _NO_WORDS.union(*(self.words(part) for part, _, _ in node.inside()))
            found = self._words[node] = node.words if isinstance(node, SlotNode) else inside
        return found

    def words_of(self, *nodes: Node) -> frozenset[str]:
        """The words of several nodes."""
        return _NO_WORDS.union(*map(self.words, nodes))

    def takes_any(self, node: Node) -> bool:
        """Whether words that nobody knows may be said somewhere in it."""
        if isinstance(node, Words):
            return False
        found = self._any.get(node)
        if found is None:
            inside = (part for part, _, _ in node.inside())
            found = self._any[node] = _is_any(node) or any(map(self.takes_any, inside))
        return found

    def takes_text(self, node: Node) -> bool:
        """Whether names that somebody else knows may be said somewhere in it."""
        if isinstance(node, SlotNode):
            return node.accepts.is_text and not node.values
        return node.is_placed and any(self.takes_text(part) for part, _, _ in node.inside())

    def before_any(self, node: Node) -> Before:
        """What stands directly before where a node takes any words; is_first: the beginning of it may."""
        if not self.takes_any(node):
            return _NEVER
        if _is_any(node):
            return _OUTSIDE
        found = self._before.get(node)
        if found is None:
            found = self._before[node] = self._before_any(node)
        return found

    def _before_any(self, node: Node) -> Before:
        found = _NEVER
        before = _OUTSIDE
        if isinstance(node, AnyOrder):
            for part in node.parts:
                before |= self.ending(part)
            before |= Before(node.between)
        for part, _, _ in node.inside():
            of_part = self.before_any(part)
            found |= Before(of_part.words, is_known=of_part.is_known)
            if of_part.is_first:
                found |= before
            if isinstance(node, Row):
                ending = self.ending(part)
                before = ending | before if part.can_be_empty else ending
        return found

    def ending(self, node: Node) -> Before:
        """What a node may end with. Behind any words there is no need to look for more."""
        if isinstance(node, Words):
            return Before(frozenset(node.words[-1:]))
        if isinstance(node, SlotNode):
            return Before(node.words, is_known=True)
        found = self._ending.get(node)
        if found is None:
            found = _NEVER
            parts = node.parts[::-1] if isinstance(node, Row) else [part for part, _, _ in node.inside()]
            for part in parts:
                found |= self.ending(part)
                if isinstance(node, Row) and not part.can_be_empty:
                    break
            self._ending[node] = found
        return found


def _is_any(node: Node) -> bool:
    return isinstance(node, ActivityNode) or (
        isinstance(node, SlotNode) and node.accepts.is_text and not node.values and not node.has_list
    )
