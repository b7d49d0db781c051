"""What moves for actions that move nothing themselves: a wrist that is swept so that its lidar sees around.

No action is paused for it: whoever shows the surroundings shows them with what is left. But what a person's
hand has interrupted is not begun again before somebody says so, and that is told when it would have begun.
Kept by the names for whom things move, as the registrars pass them on. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


class MovedBesides:
    """Asked by what moves, before it begins; told by the supervisor what must not.

    tell: called with whom, why, and what does not move, once for each that wants it while it is held back.
    rests: whether what moves for this one is to rest for now, because that is paused.
    """

    def __init__(self) -> None:
        self.tell: Callable[[str, str, str], None] = lambda who, why, what: None
        self.rests: Callable[[str], bool] = lambda who: False
        self._moving: dict[str, Callable[[], str]] = {}
        self._interrupted: set[str] = set()
        self._held: dict[str, str] = {}
        self._told: set[str] = set()

    # -- what moves

    def why_not(self, who: str, what: str) -> str:
        """Why this does not move for them now, in words; empty if it may."""
        why = self._held.get(who)
        if why is None:
            return ""
        if why and who not in self._told:
            self._told.add(who)
            self.tell(who, why, what)
        return f"{why or 'it is being handed over'}, and nobody has said that the {what} may go on"

    def interrupted(self, what: str) -> None:
        """Somebody has taken what this moves, or has it and does not let go."""
        self._interrupted.add(what)

    @contextmanager
    def moving(self, what: str, device: str, for_whom: Callable[[], str]) -> Iterator[None]:
        """It moves while the body runs. device: what it moves, as people call that."""
        self._interrupted.discard(what)
        words = f"{what}, {device}"
        self._moving[words] = for_whom
        try:
            yield
        finally:
            del self._moving[words]

    # -- the supervisor

    def moved_for(self, who: str) -> str:
        """What moves for them now, in words; empty if nothing does."""
        return " and ".join(what for what, for_whom in self._moving.items() if for_whom() == who)

    def hold_back(self, names: Iterable[str], why: str, *, if_interrupted: bool = False) -> frozenset[str]:
        """From now on nothing begins to move for these. What moves goes on.

        why: the first one counts; "" while it is not known yet whether it will be for long: nobody is told.
        if_interrupted: only if anything was interrupted. Returns those that were not held back before.
        """
        if if_interrupted and not self._interrupted:
            return frozenset()
        names = frozenset(names)
        new = names - self._held.keys()
        self._held |= {name: self._held.get(name) or why for name in names}
        return new

    def go_on(self, names: Iterable[str]) -> frozenset[str]:
        """Somebody says so. Returns those that have been told to wait."""
        names = frozenset(names)
        told = names & self._told
        self._told -= names
        for name in names:
            self._held.pop(name, None)
        return told
