"""What the console shows and does of operators: the code to point a phone at, who is paired, who drives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache

import segno

from framework.errors import PilothouseError
from framework.supervisor import Supervisor
from managers.operator_manager import OperatorManager
from resources.console.protocol import OperatorLine, Operators
from resources.types.naming import plain
from resources.types.operator import OperatorLinksHandle, SessionLine
from resources.types.operator_client import Driven

LET_ME_DRIVE = "let me drive"
"""What is said for a session that is handed the arm: the same words a person would say there."""

_OPEN_WITHIN_S = 25.0
_LOOK_S = 0.05

#: What was interrupted must not get going between two people's hands [s].
_HAND_OVER_LOOK_S = 0.01


class OperatorDesk:
    """Pairing, sending away and handing over, as the console asks for them.

    Args:
        want: have operators served from now on.
        monotonic_s: reads CLOCK_MONOTONIC, with which codes lapse.
    """

    def __init__(
        self,
        manager: OperatorManager,
        supervisor: Callable[[], Supervisor],
        want: Callable[[], None],
        monotonic_s: Callable[[], float],
    ) -> None:
        self._manager = manager
        self._supervisor = supervisor
        self._want = want
        self._monotonic_s = monotonic_s

    def shown(self) -> Operators:
        """As it stands now."""
        links = self._manager.links
        if links is None:
            return Operators()
        pairing = links.pairing
        left_s = max(pairing.expires_s - self._monotonic_s(), 0.0)
        url = pairing.url if left_s > 0.0 else ""
        return Operators(
            True,
            url,
            _code(url) if url else (),
            left_s if url else 0.0,
            pairing.words,
            pairing.certificate,
            tuple(map(_line, self.sessions)),
        )

    @property
    def is_served(self) -> bool:
        """Whether pages can be opened."""
        return self._manager.links is not None

    @property
    def sessions(self) -> tuple[SessionLine, ...]:
        """Who is there, or may be back in a moment (not `alive` meanwhile)."""
        return self._manager.sessions

    async def open_pairing(self) -> str:
        """A new code. Raises PilothouseError if operators cannot be served."""
        self._want()
        await self._served()
        before = self._pairing_url()
        self._manager.open_pairing()
        await self._until(lambda: self._pairing_url() not in ("", before))
        return "Point the phone's camera at the code."

    def end_session(self, session: str, who: str) -> str:
        """Raises PilothouseError if there is no such session."""
        line = self._known(session)
        self._manager.kick(line.session, f"{who} has ended this session: pair again to come back")
        return f"{line.name} was sent away."

    async def hand_over(self, session: str) -> str:
        """Whoever drives stops; then it is this one's. Raises PilothouseError in words."""
        line = self._known(session)
        if self._manager.driver == line.name:
            return f"{line.name} drives already."
        words = _let_me_drive(self._manager.driven)
        self._manager.ask_to_leave(f"handed over to {line.name}")
        await self._until(lambda: not self._manager.driver, _HAND_OVER_LOOK_S)
        reply = self._supervisor().say(words, who=line.name)
        if not await reply.done():
            raise PilothouseError(reply.events[-1].text if reply.events else f"{line.name} does not drive")
        return f"{line.name} drives."

    def _known(self, session: str) -> SessionLine:
        for line in self.sessions:
            if session in (line.session, line.name):
                return line
        there = ", ".join(line.name for line in self.sessions) or "nobody"
        raise PilothouseError(f"there is no session {session!r}; connected: {there}")

    def _pairing_url(self) -> str:
        links = self._manager.links
        return links.pairing.url if links is not None else ""

    async def _served(self) -> OperatorLinksHandle:
        await self._until(lambda: self._manager.links is not None)
        links = self._manager.links
        assert links is not None
        return links

    async def _until(self, is_so: Callable[[], bool], look_s: float = _LOOK_S) -> None:
        try:
            async with asyncio.timeout(_OPEN_WITHIN_S):
                while not is_so():  # noqa: ASYNC110 - what is waited for is told by another process
                    await asyncio.sleep(look_s)
        except TimeoutError:
            raise PilothouseError(
                f"that has not happened within {_OPEN_WITHIN_S:g} s; the log says what came instead"
            ) from None


def _let_me_drive(driven: Sequence[Driven]) -> str:
    """What the next one says to get the same."""
    arms = [each.arm for each in driven if each.arm]
    has_base = any(each.base for each in driven)
    if len(arms) > 1:
        return f"{LET_ME_DRIVE} both arms"
    if has_base:
        return f"{LET_ME_DRIVE} the {'robot' if arms else 'base'}"
    return " the ".join((LET_ME_DRIVE, *map(plain, arms)))


@lru_cache(maxsize=4)
def _code(url: str) -> tuple[str, ...]:
    """Rows of the QR code, "1" for a dark module."""
    return tuple("".join("1" if module else "0" for module in row) for row in segno.make_qr(url).matrix)


def _line(line: SessionLine) -> OperatorLine:
    words = line.words or line.tracking
    if line.rtt_ms is not None:
        words = f"{words}, {line.rtt_ms:.0f} ms there and back".lstrip(", ")
    return OperatorLine(line.session, line.name, line.kind.value, line.alive, line.driving, words)
