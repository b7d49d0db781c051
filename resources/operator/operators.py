"""Everybody who is there: for each session its hands, its link, its words, and what it may do.

Made of what other files know: who is who (`sessions.py`), how words reach the main process
(`console_link.py`), how poses reach the rings (a `Link`: `links.py`, `spes_link.py`). Nothing here decides
whether an arm may move.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from framework.processes.emergency import EmergencyStop
from resources.operator.console_link import SILENT_S, ConsoleLink
from resources.operator.entry_log import EntryLog
from resources.operator.hand_rings import HandRings
from resources.operator.memory_file import write_memory
from resources.operator.orders import SeatOf, Shown
from resources.operator.present import Link, Present
from resources.operator.protocol import (
    LINK_PROTOCOL,
    Done,
    Health,
    Heard,
    PageSays,
    PointAt,
    Replied,
    Said,
    StopConfirmed,
    StopNow,
    TalkBegins,
    Tracking,
    WayIn,
    Welcome,
)
from resources.operator.scene_part import scene_part
from resources.operator.sessions import Session, SessionBook
from resources.types.operator import AwayLine, DeviceKind, Refusal, SessionLine
from resources.types.operator_client import Seat, SeatOrder
from resources.web.protocol import TalkState
from resources.web.sound_packets import SoundPacket

HEALTH_EVERY_S: Final = 0.5
REMEMBERED_EVERY_S: Final = 60.0
LEAVES_WITHIN_S: Final = 1.0
"""A page that was told not to come back leaves by itself; one that has not, so much later, is cut off [s]."""

MOST_TRACKING_CHARS: Final = 300

NOT_YET: Final = "nobody hears instructions yet: the main process has not told where it is"
KICKED: Final = "this session was ended on the console; pair anew to come back"
_REPLACED: Final = "this session was opened in another window"
_FORGOTTEN: Final = "nothing was heard from here for a minute; open this page again"
_ENDS: Final = "the process that serves operators ends; this page comes back with it"
_STOPPED: Final = "{who} stopped everything"

_log = logging.getLogger(__name__)

L = TypeVar("L", bound=Link)


class _Parting(NamedTuple):
    """A link whose page was told not to come back, until it has left."""

    link: Link
    words: str
    until_s: float


class Operators:
    """All sessions.

    Parameters
        directory: of the run, where the rings are. stop: its emergency stop.
        book: who is who. installation: what pages call it.
        console: address of the console's server; console_certificate: the file of its own one, "" for http.
        monotonic_s: CLOCK_MONOTONIC [s].
        changed: called when `lines` may say something else.
    """

    def __init__(
        self,
        *,
        directory: Path,
        stop: EmergencyStop,
        book: SessionBook,
        installation: str,
        console: str,
        console_certificate: str = "",
        monotonic_s: Callable[[], float],
        changed: Callable[[], None],
    ) -> None:
        self.log = EntryLog()
        self._directory = directory
        self._stop = stop
        self._book = book
        self._installation = installation
        self._console = console
        self._console_certificate = console_certificate
        self._now_s = monotonic_s
        self._changed = changed
        self._present: dict[str, Present] = {}
        self._token = ""
        self._shown = Shown()
        self._seated: SeatOf | None = None
        self._health_s = 0.0
        self._remembered_s = 0.0
        self._latched = 0
        self._ending: set[asyncio.Task[Any]] = set()
        self._parting: list[_Parting] = []

    @property
    def is_full(self) -> bool:
        """Whether nobody more gets in."""
        return self._book.is_full

    def away(self) -> tuple[AwayLine, ...]:
        """Who is not there and may come back without a code."""
        found = self._book.away(self._now_s())
        return tuple(AwayLine(each.name, each.kind, each.until_s) for each in found)

    def lines(self) -> tuple[SessionLine, ...]:
        """All sessions, in the order in which they came."""
        return tuple(present.line() for present in self._present.values())

    # ------------------------------------------------------------ coming and going

    def admit(self, kind: DeviceKind, given: str, address: str) -> tuple[Session, str]:
        """A new session, and its secret. Raises StreamError if there is no room for its hands.

        address: where it comes from, for the log.
        """
        session, secret = self._book.admit(kind, given, self._now_s())
        self._enter(session)
        self.log.entered(session, address, by_code=True)
        return session, secret

    def of_secret(self, secret: str, address: str) -> Session | None:
        """Whose secret this is, there or come back. address, raises: as of `admit`."""
        session = self._book.of_secret(secret, self._now_s())
        if session is not None and session.id not in self._present:
            self._enter(session)
            self.log.entered(session, address, by_code=False)
        return session

    def turned_away(self, why: Refusal, address: str) -> None:
        """Somebody was, from there: for the log."""
        self.log.turned_away(why, address, self._now_s())
        self._changed()

    def why_void(self, secret: str) -> str:
        """Why whoever brings this secret is not let in, if somebody has ended that session; else ""."""
        return self._book.why_void(secret)

    def connect(
        self,
        session: Session,
        make: Callable[[HandRings, Callable[[PageSays], None], Callable[[], None]], L],
        leave: Callable[[str, WayIn], None] | None,
        *,
        tracking: str = "",
    ) -> L | None:
        """Give a session a new link; the one before is over. No more is needed for a page loaded anew.

        None if the session has ended meanwhile.

        make: makes it, of the session's rings, what to call with words, what to call on changes.
        leave: called with words, and how the page may be back, when this link is over and its page is not to
            come back by itself; the page then ends the link. None: it cannot be told.
        tracking: what its poses come from, until the page says it.
        """
        present = self._present.get(session.id)
        if present is None:
            if leave is not None:
                leave(KICKED, WayIn.CODE)
            return None
        self._end_link(present, _REPLACED, way_in=WayIn.HERE)
        present.tracking = tracking
        link = make(present.rings, lambda words: self._take(present, link, words), self._on_change)
        present.link, present.leave = link, leave
        link.tell(Welcome(LINK_PROTOCOL, session.id, session.name, self._installation))
        link.show(self._shown)
        link.tell(scene_part(self._shown))
        link.seat(present.seat, self._holder)
        link.tell(self._health(present, link))
        if present.console is not None:
            present.console.tell_questions()
        self._on_change()
        return link

    def kick(self, id_or_name: str, words: str) -> bool:
        """End a session at once, also one that is away; it has to pair anew. Whether there was one."""
        session, words = self._book.find(id_or_name), words or KICKED
        if session is not None:
            self._book.remove(session, words)
            self._leave(session, words)
        elif not self._book.bar(id_or_name, words):
            return False
        self._remember()
        self._changed()
        return True

    def stop(self, session: Session, press: str = "") -> StopConfirmed:
        """Emergency stop, by this session: latched here and now, once for each press.

        The main process is not told: it finds the latch set, as everybody does.
        """
        latched = self._stop.latch_once(press, _STOPPED.format(who=session.name))
        self.look()
        return StopConfirmed(press, latched)

    async def close(self) -> None:
        """End everything: pages are told; who was there may come back to the next process."""
        self._remember()
        for session in list(self._book.sessions.values()):
            self._leave(
                session,
                _ENDS,
                for_good=False,
            )
        self._part(math.inf)
        while self._ending:
            await asyncio.gather(*self._ending, return_exceptions=True)

    # ------------------------------------------------------------ told by the owner

    def speak(self, token: str) -> None:
        """How to speak to the console's server: from now on sessions are heard there."""
        if token != self._token:
            self._token = token
            for present in self._present.values():
                self._speak_for(present)

    def show(self, shown: Shown) -> None:
        """What there is to see now."""
        self._shown = shown
        for present in self._present.values():
            if present.link is not None:
                present.link.show(shown)
                present.link.tell(scene_part(shown))

    def seat_of(self, order: SeatOf) -> None:
        """What one session may do now; all others watch, and go on reading why they do."""
        self._seated = order
        for present in self._present.values():
            if order.session in (present.session.id, present.session.name):
                present.seat = order.order
            elif present.seat.seat is not Seat.WATCHING:
                present.seat = SeatOrder(Seat.WATCHING)
            if present.link is not None:
                present.link.seat(present.seat, self._holder)
        self._changed()

    # ------------------------------------------------------------ with time

    def look(self) -> None:
        """Some ten times a second: who is dead, what pages have to know, who is forgotten."""
        now_s, is_news = self._now_s(), False
        for present in self._present.values():
            self._book.is_alive(present.session, present.is_alive, now_s)
            is_news |= present.look(now_s)
            if present.console is not None:
                present.console.look()
        self._part(now_s)
        if is_news:
            self._changed()
        for session in self._book.forget(now_s):
            self._leave(session, _FORGOTTEN, for_good=False)
            self._remember()
        latched = self._stop.token
        if now_s >= self._health_s or latched != self._latched:
            self._health_s, self._latched = now_s + HEALTH_EVERY_S, latched
            for present in self._present.values():
                if present.link is not None and present.is_alive:
                    present.link.tell(self._health(present, present.link))
        if now_s >= self._remembered_s:
            self._remember()

    # ------------------------------------------------------------ inside

    @property
    def _holder(self) -> str:
        return "" if self._seated is None else self._seated.holder

    def _enter(self, session: Session) -> None:
        try:
            rings = HandRings(session.id, self._directory)
        except Exception:
            self._book.remove(session)  # without hands it is nobody
            raise
        present = self._present[session.id] = Present(session, rings)
        self._speak_for(present)
        self._remember()
        self._changed()

    def _speak_for(self, present: Present) -> None:
        self._fall_silent(present)
        if not self._token:
            return
        present.console = ConsoleLink(
            self._console,
            self._token,
            present.session.name,
            certificate=self._console_certificate,
            tell=present.tell,
            heard_age_s=lambda: self._stop.heartbeat_age_s(self._now_s()),
            monotonic_s=self._now_s,
        )
        present.speaking = asyncio.get_running_loop().create_task(present.console.run())

    def _fall_silent(self, present: Present) -> None:
        if present.speaking is not None:
            present.speaking.cancel()
            self._in_background(_left(present.speaking))
        present.console, present.speaking = None, None

    def _leave(self, session: Session, words: str, *, for_good: bool = True) -> None:
        present = self._present.pop(session.id, None)
        if present is None:
            return
        present.rings.close()  # first: no pose of this session moves anything from here on
        self._end_link(present, words, for_good=for_good, way_in=WayIn.CODE)
        self._fall_silent(present)
        self._changed()

    def _end_link(self, present: Present, words: str, *, way_in: WayIn, for_good: bool = True) -> None:
        link, leave = present.link, present.leave
        present.link, present.leave = None, None
        if present.console is not None:
            present.console.hush()
        if link is None:
            return
        if leave is not None and for_good:
            # Were the link cut first, the page would come back, and be told less. It moves nothing meanwhile:
            # its rings are closed, or another's.
            leave(words, way_in)
            self._parting.append(_Parting(link, words, self._now_s() + LEAVES_WITHIN_S))
        else:
            self._in_background(link.close(words))

    def _part(self, now_s: float) -> None:
        """Clear away the links whose pages have left, or had their time for it."""
        gone = [each for each in self._parting if each.link.ended or now_s >= each.until_s]
        for parting in gone:
            self._parting.remove(parting)
            self._in_background(parting.link.close(parting.words))

    def _take(self, present: Present, link: Link, words: PageSays) -> None:
        match words:
            case StopNow(id=press):
                link.tell(self.stop(present.session, press))  # the way it came, be that an older link
            case Said(id=page_id) | Replied(question=page_id) if present.console is None:
                present.tell(Done(page_id, False, NOT_YET))
            case Said() if present.console is not None:
                # With the words, not beside them: else they might be read before it is known.
                present.console.say(words, present.points_at(self._now_s()))
            case SoundPacket() if present.console is not None:
                present.console.hear(words)
            case TalkBegins(talk=talk) if present.console is not None:
                present.console.begin(talk)
            case SoundPacket(talk=talk, sequence=0) | TalkBegins(talk=talk):
                present.tell(Heard(talk, TalkState.OVER, words=NOT_YET))
            case Replied() if present.console is not None:
                present.console.answer(words)
            case Tracking(words=text):
                present.tracking = text[:MOST_TRACKING_CHARS]
                self._changed()
            case PointAt():
                present.point(words, self._now_s())
                self._changed()
            case _:
                pass  # Visible: the link itself has opened the clutch

    def _health(self, present: Present, link: Link) -> Health:
        heard_s = self._stop.heartbeat_age_s(self._now_s())
        if present.console is not None:
            heard_s = present.console.heard_age_s
        health = link.health()
        words = health.words
        # That it hangs the page says by itself, of the age: everything stands then.
        if heard_s <= SILENT_S and (present.console is None or not present.console.is_connected):
            words = words or "instructions are not heard yet"
        emergency = (self._stop.reason or "stopped") if self._stop.is_latched else ""
        if emergency == _STOPPED.format(who=present.session.name):
            emergency = _STOPPED.format(who="you")
        return msgspec.structs.replace(
            health,
            emergency=emergency,
            heard_age_s=min(round(heard_s, 2), 1e6),
            words=words,
        )

    def _on_change(self) -> None:
        now_s = self._now_s()
        for present in self._present.values():
            self._book.is_alive(present.session, present.is_alive, now_s)
        self._part(now_s)
        self._changed()

    def _remember(self) -> None:
        self._remembered_s = self._now_s() + REMEMBERED_EVERY_S
        try:
            write_memory(self._directory, self._book.memory())
        except OSError as error:
            _log.warning("who is there cannot be remembered for a restart: %s", error)

    def _in_background(self, ending: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(ending)
        self._ending.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._ending.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("a link did not end well", exc_info=task.exception())


async def _left(task: asyncio.Task[None]) -> None:
    await asyncio.wait({task})
    if not task.cancelled() and task.exception() is not None:
        _log.error("words could not be passed on any more", exc_info=task.exception())
