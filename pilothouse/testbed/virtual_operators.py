"""Scripted people with phones, headsets and desks: they come, press the clutch, move, fall silent.

In the place of the operator process, on the virtual clock: the same handle, the same rings of hands, the same
orders. What a person does is said in a sentence, as scenarios have it:

    phone 1 comes · falls silent · is back · leaves · closes its page (after the process's end)
    phone 1 presses the clutch · lets go · moves its hand 10 cm up [in 2 s] · presses the gripper button
    phone 1 pushes the stick forward · lets the stick go · points at 1.0 0.2 0.5 · scales by 0.5

A page that was there comes back by itself a second after the process was started anew.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from framework.errors import ResourceUnavailable
from pilothouse.testbed.virtual_ailments import HEALTHY
from resources.operator.arguments import OperatorArguments
from resources.operator.hand_rings import HandRings
from resources.operator.orders import Kick, OpenPairing, SeatOf, decode_order
from resources.types.masters import HandSample, HandSide
from resources.types.operator import (
    AwayLine,
    DeviceKind,
    EntryNote,
    OperatorLinksHandle,
    Pairing,
    SessionLine,
)
from resources.types.operator_client import Seat, SeatOrder
from resources.types.streams import Pose7

PERIOD_S: Final = 0.02
COMES_BACK_S: Final = 1.0

LATENCY_DRAWN_S: Final = (0.002, 0.04)
"""A person's link takes between these, as the seed draws it; none in the plain run."""

_SENTENCE = re.compile(r"((phone|headset|desk) \d+) (.+)")
_MOVES = re.compile(r"moves its (?:(left|right) )?hand (\d+(?:\.\d+)?) cm (\w+)(?: in (\d+(?:\.\d+)?) s)?")
_POINTS = re.compile(r"points at (-?\d+(?:\.\d+)?) (-?\d+(?:\.\d+)?) (-?\d+(?:\.\d+)?)")
_SCALES: Final = "scales by "
_WAYS: Final = {
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
    "left": (0.0, 1.0, 0.0),
    "right": (0.0, -1.0, 0.0),
    "forward": (1.0, 0.0, 0.0),
    "back": (-1.0, 0.0, 0.0),
}
_EYES: Final = (0.0, 0.0, 1.5)  # from where it points, in the robot's frame [m]


class VirtualHand:
    """One hand: where it is, and whether its clutch is pressed."""

    def __init__(self) -> None:
        self.place = (0.0, 0.0, 0.0)
        self.engagement = 0
        self._way = (0.0, 0.0, 0.0)
        self._began_s = 0.0
        self._lasts_s = 0.0
        self._from = self.place

    def move(self, way: tuple[float, float, float], lasts_s: float, now_s: float) -> None:
        """Go along a way [m], smoothly."""
        self._from, self._way, self._began_s, self._lasts_s = self.place, way, now_s, lasts_s

    def pose(self, now_s: float) -> Pose7:
        """Where it is now."""
        if self._lasts_s > 0.0:
            t = min((now_s - self._began_s) / self._lasts_s, 1.0)
            t = max(t, 0.0)  # the link is still on its way to where it began
            share = t * t * (3.0 - 2.0 * t)
            x, y, z = (here + share * way for here, way in zip(self._from, self._way, strict=True))
            self.place = (x, y, z)
            if t >= 1.0:
                self._lasts_s = 0.0
        return (*self.place, 0.0, 0.0, 0.0, 1.0)


class VirtualSession:
    """One person. seat: what the page was told last.

    back_s: when its page is back [s]: infinite while it is there, no number if it never is. latency_s: so old
    is what its link brings.
    """

    def __init__(self, name: str, kind: DeviceKind, directory: Path, latency_s: float = 0.0) -> None:
        self.name = name
        self.latency_s = latency_s
        self.kind = kind
        self.id = name.replace(" ", "")
        self.alive = True
        self.back_s = math.inf
        self.returns = True
        self.seat = SeatOrder(Seat.WATCHING)
        self.points_at: tuple[float, float, float, float, float, float] | None = None
        self.pointed_s = 0.0
        self.stick = (0.0, 0.0, 0.0)
        self.grips = 0
        self.scale = 1.0
        self.hands = {HandSide.RIGHT: VirtualHand()}
        if kind is DeviceKind.HEADSET:
            self.hands[HandSide.LEFT] = VirtualHand()
        self._directory = directory
        self.ailment = HEALTHY
        self._lots = random.Random(name)
        self._due_s = 0.0
        self._pressings = 0
        self.rings = HandRings(self.id, directory)

    def renew(self) -> None:
        """Its process is another one: new rings, and the clutch is open."""
        self.rings.close()
        self.rings = HandRings(self.id, self._directory)
        self._pressings, self.grips = 0, 0
        for hand in self.hands.values():
            hand.engagement = 0

    def press(self) -> None:
        """Press the clutch of each hand."""
        self._pressings += 1
        for hand in self.hands.values():
            hand.engagement = self._pressings

    def write(self, now_s: float) -> None:
        """A sample of each hand, as its link lets it through."""
        ailment = self.ailment
        if now_s < self._due_s or ailment.is_away(now_s) or self._lots.random() < ailment.lost:
            return
        self._due_s = now_s + (ailment.slower - 1.0) * PERIOD_S
        for side, hand in self.hands.items():
            taken_s = now_s - self.latency_s
            x, y, z, *turn = hand.pose(taken_s)
            pose: Pose7 = (x + ailment.place_off_m, y, z, turn[0], turn[1], turn[2], turn[3])
            sample = HandSample(
                self.id,
                self.rings.number + 1,
                taken_s + min(ailment.stamps_off_s, 0.0),
                now_s,
                hand.engagement,
                scale=self.scale,
                base_T_hand=pose,
                stick=self.stick,
                grips=self.grips,
            )
            self.rings.write(side, sample)

    def line(self) -> SessionLine:
        """As its process says it."""
        hands = tuple(each for each in self.rings.hands if each.side in self.hands)
        drives = self.seat.seat is not Seat.WATCHING
        return SessionLine(
            self.id,
            self.name,
            self.kind,
            self.alive,
            drives,
            hands=hands,
            points_at=self.points_at,
            pointed_s=self.pointed_s,
        )


class Person(msgspec.Struct, frozen=True):
    """Who outlives the process that serves them. returns: their page comes back to the next one."""

    name: str
    kind: DeviceKind
    alive: bool
    returns: bool


class VirtualOperators:
    """Everybody who is there. `changed` is called with the handle when that is another one.

    lots: how long each one's link takes is drawn from these; without, no time.
    """

    def __init__(self, arguments: OperatorArguments, lots: random.Random | None = None) -> None:
        self._lots = lots
        self._directory = Path(arguments.run_directory)
        self._address = f"http://virtual.invalid:{arguments.port}/"
        self._codes = 0
        self._due_s = 0.0
        self._now_s = 0.0
        self.holder = ""
        self.sessions: dict[str, VirtualSession] = {}
        self.away: tuple[AwayLine, ...] = ()
        self.notes: tuple[EntryNote, ...] = ()
        self.changed: Callable[[bytes], object] = lambda handle: None

    @property
    def handle(self) -> OperatorLinksHandle:
        """As the process says it."""
        url = f"{self._address}#code{self._codes}" if self._codes else ""
        pairing = Pairing(url, self._now_s + 120.0 if url else 0.0)
        there = [each for each in self.sessions.values() if each.back_s == math.inf]
        sessions = tuple(each.line() for each in there)
        return OperatorLinksHandle(self._address, pairing, sessions, self.away, self.notes)

    @property
    def people(self) -> tuple[Person, ...]:
        """Everybody, for the process after this one."""
        return tuple(
            Person(each.name, each.kind, each.alive, each.returns) for each in self.sessions.values()
        )

    def come_back(self, people: Sequence[Person], now_s: float) -> None:
        """They were here before this process, which has just been started anew."""
        self._now_s = now_s
        for person in people:
            session = self._session(person.name, person.kind)
            session.alive, session.returns = person.alive, person.returns
        self.restarted()

    def restarted(self) -> None:
        """Its process was started anew: nobody is there yet, and pages come back soon."""
        for session in self.sessions.values():
            session.back_s = self._now_s + COMES_BACK_S if session.returns else math.nan
            session.seat = SeatOrder(Seat.WATCHING)
            session.renew()

    def tick(self, now_s: float) -> None:
        """Write what is due."""
        self._now_s = now_s
        for session in self.sessions.values():
            if session.back_s <= now_s:
                session.back_s = math.inf
                self._tell()
        if now_s < self._due_s - 1e-6:
            return
        self._due_s = now_s + PERIOD_S
        for session in self.sessions.values():
            if session.alive and session.back_s == math.inf:
                session.write(now_s)

    def order(self, payload: bytes) -> None:
        """What the manager tells. Raises msgspec.MsgspecError if it is no order of its."""
        match decode_order(payload):
            case SeatOf(session=name, order=order, holder=holder):
                self.holder = holder
                for session in self.sessions.values():
                    if name in (session.id, session.name):
                        session.seat = order
                    elif session.seat.seat is not Seat.WATCHING:  # else why it does stays on its page
                        session.seat = SeatOrder(Seat.WATCHING)
                self._tell()
            case Kick(session=name):
                for key, session in tuple(self.sessions.items()):
                    if name in (session.id, session.name):
                        self.sessions.pop(key).rings.close()
                self.away = tuple(each for each in self.away if each.name != name)
                self._tell()
            case OpenPairing():
                self._codes += 1
                self._tell()

    def play(self, sentence: str, now_s: float) -> str:
        """Have somebody do something; see the module. Raises ResourceUnavailable if nobody knows how."""
        found = _SENTENCE.fullmatch(sentence.strip())
        if found is None:
            raise ResourceUnavailable(f'{sentence!r} is nobody doing anything: "phone 1 comes", for example')
        name, kind, what = found.groups()
        if what == "comes" and name not in self.sessions:
            self._session(name, DeviceKind(kind))
            self._tell()
            return f"{name} is there"
        session = self.sessions.get(name)
        if session is None:
            raise ResourceUnavailable(f"{name} is not there: let it come first")
        if not self._does(session, what, now_s):
            raise ResourceUnavailable(f"nobody can play that {name} {what!r}")
        return sentence

    def close(self) -> None:
        """They are gone."""
        for session in self.sessions.values():
            session.rings.close()

    def _session(self, name: str, kind: DeviceKind) -> VirtualSession:
        latency_s = self._lots.uniform(*LATENCY_DRAWN_S) if self._lots is not None else 0.0
        session = self.sessions[name] = VirtualSession(name, kind, self._directory, latency_s)
        return session

    def _does(self, session: VirtualSession, what: str, now_s: float) -> bool:
        hands = session.hands
        if moves := _MOVES.fullmatch(what):
            side, centimetres, way, lasts = moves.groups()
            if way not in _WAYS or HandSide(side or "right") not in hands:
                return False
            far = float(centimetres) / 100.0
            x, y, z = (far * each for each in _WAYS[way])
            hands[HandSide(side or "right")].move((x, y, z), float(lasts or 1.0), now_s)
            return True
        if points := _POINTS.fullmatch(what):
            x, y, z = (float(to) - eye for to, eye in zip(points.groups(), _EYES, strict=True))
            session.points_at, session.pointed_s = (*_EYES, x, y, z), now_s
            self._tell()
            return True
        if what.startswith(_SCALES):
            session.scale = float(what.removeprefix(_SCALES))
            return True
        match what:
            case "falls silent" | "is back" | "comes":
                session.alive = what != "falls silent"
                if what == "comes":  # its page is opened again, whatever became of the one before
                    session.returns, session.back_s = True, math.inf
                self._tell()
            case "leaves":
                self.sessions.pop(session.name).rings.close()
                self._tell()
            case "closes its page":  # it drives on, but does not come back to another process
                session.returns = False
            case "presses the clutch":
                session.press()
            case "lets go":
                for hand in hands.values():
                    hand.engagement = 0
            case "presses the gripper button":
                session.grips += 1
            case "pushes the stick forward":
                session.stick = (0.5, 0.0, 0.0)
            case "lets the stick go":
                session.stick = (0.0, 0.0, 0.0)
            case _:
                return False
        return True

    def _tell(self) -> None:
        self.changed(msgspec.json.encode(self.handle))
