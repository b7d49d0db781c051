"""What waits to be said to one page over its reliable channel. Pure data.

States (scene, seat, health) are newest wins. Lines of the log are many and may be lost, the oldest first,
when a page is slow; answers and questions may not: a page that is so far behind has lost track and has to
connect anew.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from resources.operator.protocol import Health, Line, OperatorWords, ScenePart, SeatNow

MOST_WAITING: Final = 256

_STATES: Final = (ScenePart, SeatNow, Health)


class WordsQueue:
    """In order of telling; a state keeps the place of the one it replaces.

    overflowed: something was lost that must not be; the link has to end.
    """

    def __init__(self) -> None:
        self.overflowed = False
        self._waiting: deque[OperatorWords] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def tell(self, words: OperatorWords) -> None:
        """Put it in; makes room by itself."""
        if isinstance(words, _STATES):
            for place, waiting in enumerate(self._waiting):
                if type(waiting) is type(words):
                    self._waiting[place] = words
                    return
        if len(self._waiting) >= MOST_WAITING and not self._drop_a_line():
            self.overflowed = True
            return
        self._waiting.append(words)

    def take(self) -> OperatorWords | None:
        """The next one, or None."""
        return self._waiting.popleft() if self._waiting else None

    def _drop_a_line(self) -> bool:
        for place, waiting in enumerate(self._waiting):
            if isinstance(waiting, Line):
                del self._waiting[place]
                return True
        return False
