"""What the console shows and does of operators: the code to point a phone at, who is paired, who drives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

import segno

from framework.errors import PilothouseError
from framework.plan.ast import Do
from framework.supervisor import Reply, Supervisor
from managers.operator_manager import OperatorManager
from resources.operator.pairing import PAIRING_S
from resources.types.begun import BOTH
from resources.types.operator import CodeEnd, OperatorLinksHandle, SessionLine
from resources.types.operator_client import Driven, Following
from resources.web.protocol import AwayOperator, OperatorLine, Operators

DRIVE = "teleoperate_phone"
"""The action by which whoever is handed the arm drives: the same that "let me drive" means there."""

_NO_CODE: Final = {
    None: "nobody has asked for one since phones are served",
    CodeEnd.USED: "the last one has let a device in, and each lets in one",
    CodeEnd.EXPIRED: f"the last one was open for {PAIRING_S:.0f} s, and none is for longer",
}
_OPEN_WITHIN_S = 25.0
_LOOK_S = 0.05


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
            return Operators(no_code=_no_code(None))
        pairing = links.pairing
        left_s = max(pairing.expires_s - self._monotonic_s(), 0.0)
        url = pairing.url if left_s > 0.0 else ""
        return Operators(
            True,
            url,
            _code(url) if url else (),
            left_s if url else 0.0,
            _no_code(CodeEnd.EXPIRED if pairing.url else pairing.ended),
            pairing.words,
            pairing.certificate,
            tuple(map(_line, self.sessions)),
            tuple(AwayOperator(line.name, line.kind.value) for line in self._manager.away),
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
        """Of a device that is there, or that may come back: it needs a new code, and is told why.

        Raises PilothouseError if there is no such session.
        """
        words = f"{who} has ended this session: pair again to come back"
        if any(line.name == session for line in self._manager.away):
            self._manager.kick(session, words)
            return f"{session} cannot come back without a new code any more."
        line = self._known(session)
        self._manager.kick(line.session, words)
        return f"{line.name} was sent away."

    async def hand_over(self, session: str, *, side: str = "", drives: str = "") -> str:
        """Whoever drives stops; then it is this one's. Raises PilothouseError in words.

        side, drives: of what it is to have (`actions.driving`); "" is what was driven.
        """
        line, before = self._known(session), self._manager.driver
        if before == line.name:
            return f"{line.name} drives already."
        if not line.alive:
            raise PilothouseError(f"{line.name} is silent: open its page again")
        self._manager.give_back()
        plan = _to_drive(line.name, self._manager.driven, side, drives)
        supervisor = self._supervisor()
        stops = supervisor.stops
        if not before:
            await self._let_drive(line.name, plan, stops)
            return f"{line.name} drives."
        await self._left(f"handed over to {line.name}")
        if self._manager.driver != line.name:  # what it has just asked for itself may have been granted
            await self._let_drive(line.name, plan, stops)
        return f"{line.name} drives."

    def tell_then(self) -> None:
        """Whoever drives is told what would move with their "carry on", before they say it."""
        person = self._manager.driver or self._manager.keeper
        found = self._supervisor().goes_on_after(person) if person else ()
        self._manager.tell_then(tuple(Following(each.words, each.who) for each in found))

    async def take_back(self, who: str) -> str:
        """Whoever drives stops, and nobody drives. Raises PilothouseError in words."""
        driver, keeper = self._manager.driver, self._manager.keeper
        if not driver and keeper:
            self._manager.give_back()
            return f"What {keeper} drove is not kept for it any more."
        if not driver:
            raise PilothouseError("nobody drives")
        await self._left(f"{who} took it back")
        return f"{driver} does not drive any more."

    async def _left(self, why: str) -> None:
        """Whoever drives has stopped."""
        driver = self._manager.driver
        self._manager.ask_to_leave(why)
        await self._until(lambda: not driver or self._manager.driver != driver)

    async def _let_drive(self, name: str, plan: Do, stops: int) -> None:
        """Raises PilothouseError if it does not come to drive. stops: as many as there had been before."""
        supervisor = self._supervisor()
        pending = {plan.id for plan in supervisor.plans()}

        def begin() -> Reply:
            if supervisor.stops != stops:
                raise PilothouseError(f"{name} does not drive: everything was stopped meanwhile")
            return supervisor.carry_out(plan, who=name)

        try:
            async with asyncio.timeout(_OPEN_WITHIN_S):
                reply = begin()
                if not await reply.done() and reply.plan in pending:
                    # It had asked for that itself, in vain as somebody else still drove: now nobody does.
                    reply = begin()
                if await reply.done() or self._manager.driver == name:
                    return
        except TimeoutError:
            raise _not_happened() from None
        raise PilothouseError(reply.events[-1].text if reply.events else f"{name} does not drive")

    def _known(self, session: str) -> SessionLine:
        for line in self.sessions:
            if session in (line.session, line.name):
                return line
        there = ", ".join(line.name for line in self.sessions) or "nobody"
        away = ", ".join(line.name for line in self._manager.away)
        others = f"; may come back: {away}" if away else ""
        raise PilothouseError(f"there is no session {session!r}; connected: {there}{others}")

    def _pairing_url(self) -> str:
        links = self._manager.links
        return links.pairing.url if links is not None else ""

    async def _served(self) -> OperatorLinksHandle:
        await self._until(lambda: self._manager.links is not None)
        links = self._manager.links
        assert links is not None
        return links

    async def _until(self, is_so: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(_OPEN_WITHIN_S):
                while not is_so():  # noqa: ASYNC110 - what is waited for is told by another process
                    await asyncio.sleep(_LOOK_S)
        except TimeoutError:
            raise _not_happened() from None


def _not_happened() -> PilothouseError:
    return PilothouseError(
        f"that has not happened within {_OPEN_WITHIN_S:g} s; the log says what came instead"
    )


def _to_drive(name: str, driven: Sequence[Driven], side: str, drives: str) -> Do:
    """What has the next one, `name`, drive the same, or what was asked for."""
    arms = [each.arm_side for each in driven if each.arm]
    has_base = any(each.base for each in driven) and drives != "arm"
    if not (side or drives in ("base", "robot")):
        if len(arms) > 1:
            side = BOTH
        elif arms:
            side = arms[0]
        drives = ("robot" if arms else "base") if has_base and side != BOTH else ""
    given = {"session": name, "side": side, "drives": drives}
    return Do(DRIVE, {parameter: value for parameter, value in given.items() if value})


def _no_code(ended: CodeEnd | None) -> str:
    """Why no code is open, and what to do. ended: what became of the last one."""
    return f"No code is open: {_NO_CODE[ended]}. Press “New code” to have one."


@lru_cache(maxsize=4)
def _code(url: str) -> tuple[str, ...]:
    """Rows of the QR code, "1" for a dark module."""
    return tuple("".join("1" if module else "0" for module in row) for row in segno.make_qr(url).matrix)


def _line(line: SessionLine) -> OperatorLine:
    words = line.words or line.tracking
    if line.rtt_ms is not None:
        words = f"{words}, {line.rtt_ms:.0f} ms there and back".lstrip(", ")
    return OperatorLine(line.session, line.name, line.kind.value, line.alive, line.driving, words)
