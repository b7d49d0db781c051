"""A hand and what follows it: pressed, moved, let go, lost, turned round, late; an arm's tool and a base.

The hand is played in time as a page sends it; what follows is at once where it is told to be. The tool has to
be where the hand says while it is on, and nowhere else.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec

from framework.scenarios.invariants import Breach
from pilothouse.testbed.histories.breaches import must
from pilothouse.testbed.histories.stage import History, HistoryStage
from resources.arms.pose import Quaternion, product
from resources.controllers.following import Following
from resources.types.masters import SILENCE_S, HandSample
from resources.types.motion import Drive, MotionCommand, TrackPose
from resources.types.streams import Pose7

SESSION: Final = "phone 1"
TICK_S: Final = 0.01
PERIOD_S: Final = 0.0125
MOVES = Breach.SURPRISE_MOTION
WELL_M: Final = 0.001


def turned(axis: tuple[float, float, float], angle: float) -> Quaternion:
    """A turn."""
    x, y, z = axis
    s = math.sin(angle / 2)
    return (s * x, s * y, s * z, math.cos(angle / 2))


class Arm:
    """It is at once where it is told to be."""

    def __init__(self, tool: Pose7) -> None:
        self.base_T_tool = tool
        self.is_at_rest = True
        self.begun: list[tuple[float, TrackPose, float]] = []
        self.rests = 0

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        assert isinstance(command, TrackPose)
        self.begun.append((now_s, command, given_s))
        self.base_T_tool = command.base_T_tool
        self.is_at_rest = False

    def rest(self) -> None:
        self.rests += 1
        self.is_at_rest = True


class Wheels:
    """It is told how fast to go."""

    stick_bounds = (0.5, 1.0)

    def __init__(self) -> None:
        self.is_at_rest = True
        self.driven: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        assert isinstance(command, Drive)
        self.driven = (command.forward, command.left, command.turn)
        self.is_at_rest = False

    def rest(self) -> None:
        self.driven = (0.0, 0.0, 0.0)
        self.is_at_rest = True


class Hand:
    """A person's, over a link that takes its time."""

    def __init__(self, stage: HistoryStage, follower: Following) -> None:
        lots = stage.lots
        self.lots = lots
        self.follower = follower
        self.now_s = 100.0
        self.place = [0.0, 0.0, 0.0]
        self.turn: Quaternion = turned((0.0, 0.0, 1.0), lots.uniform(-3.0, 3.0))
        self.speed = [0.0, 0.0, 0.0]
        self.spin: tuple[tuple[float, float, float], float] = ((0.0, 0.0, 1.0), 0.0)
        self.pressing = 0
        self.presses = 0
        self.scale = 1.0
        self.stick = (0.0, 0.0, 0.0)
        self.delay_s = lots.uniform(0.002, 0.03)
        self.jitter_s = 0.0
        self.is_silent = False
        self.is_tracked = True
        self._number = 0
        self._due_s = self.now_s
        self._flying: list[tuple[float, HandSample]] = []

    def press(self) -> None:
        self.presses += 1
        self.pressing = self.presses

    def let_go(self) -> None:
        self.pressing = 0

    def passes(self, for_s: float) -> None:
        """Time passes for hand, link and what follows."""
        until_s = self.now_s + for_s
        while self.now_s < until_s:
            self.now_s += TICK_S
            self._move(TICK_S)
            while self._due_s <= self.now_s:
                self._due_s += PERIOD_S
                if not self.is_silent:
                    self.send()
            ready = [each for each in self._flying if each[0] <= self.now_s]
            self._flying = [each for each in self._flying if each[0] > self.now_s]
            for received_s, sample in ready:
                self.follower.hear(msgspec.structs.replace(sample, received_s=received_s), self.now_s)
            self.follower.look(self.now_s)

    def send(self, **changes: object) -> None:
        """A sample, perhaps not as it should be."""
        self._number += 1
        axis, rate = self.spin
        twist = (*self.speed, *(rate * each for each in axis))
        sample = HandSample(
            SESSION,
            self._number,
            self.now_s,
            0.0,
            self.pressing,
            self.is_tracked,
            (*self.place, *self.turn),  # type: ignore[arg-type]
            twist,  # type: ignore[arg-type]
            scale=self.scale,
            stick=self.stick,
        )
        self._flying.append(
            (
                self.now_s + self.delay_s + self.lots.uniform(0.0, self.jitter_s),
                msgspec.structs.replace(sample, **changes),
            )
        )

    def _move(self, dt_s: float) -> None:
        self.place = [place + dt_s * speed for place, speed in zip(self.place, self.speed, strict=True)]
        axis, rate = self.spin
        self.turn = product(turned(axis, rate * dt_s), self.turn)


def angle_between(one: Quaternion, other: Quaternion) -> float:
    """[rad]"""
    return 2.0 * math.acos(min(1.0, abs(sum(a * b for a, b in zip(one, other, strict=True)))))


class Followed:
    """A hand that moves an arm, and where the tool has to be."""

    def __init__(self, stage: HistoryStage) -> None:
        lots = stage.lots
        turn = product(
            turned((1.0, 0.0, 0.0), lots.uniform(-3.0, 3.0)), turned((0.0, 1.0, 0.0), lots.uniform(-1.0, 1.0))
        )
        self.arm = Arm((0.4, 0.1, 0.3, *turn))
        self.following = Following(self.arm, SESSION)
        self.hand = Hand(stage, self.following)

    @property
    def is_on(self) -> bool:
        return self.following.clutch.engaged != 0

    def wave(self, stage: HistoryStage, for_s: float) -> None:
        """The hand goes somewhere and turns, and stops there; the tool goes and turns as much."""
        lots, hand = stage.lots, self.hand
        tool, place, turn = self.arm.base_T_tool, list(hand.place), hand.turn
        hand.speed = [lots.uniform(-0.3, 0.3) for _ in range(3)]
        axis = lots.choice(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        hand.spin = (axis, lots.uniform(-1.0, 1.0))
        hand.passes(for_s)
        begun = self.arm.begun[-1][1]
        wanted = [hand.scale * each for each in hand.speed]
        must(
            math.dist(begun.twist[:3], wanted) < 0.05,
            f"at a scale of {hand.scale} it is to go {begun.twist[:3]}, not {wanted}",
            MOVES,
        )
        _, rate = hand.spin
        must(abs(math.hypot(*begun.twist[3:]) - abs(rate)) < 0.1, "a scale is for turns, too", MOVES)
        hand.speed, hand.spin = [0.0, 0.0, 0.0], (axis, 0.0)
        hand.passes(0.15)
        went = [now - before for now, before in zip(self.arm.base_T_tool[:3], tool[:3], strict=True)]
        meant = [hand.scale * (now - before) for now, before in zip(hand.place, place, strict=True)]
        must(math.dist(went, meant) < WELL_M, f"the hand went {meant}, the tool {went}", MOVES)
        by = product(hand.turn, (-turn[0], -turn[1], -turn[2], turn[3]))
        off = angle_between(product(by, tool[3:]), self.arm.base_T_tool[3:])
        must(off < 0.01, f"the tool has turned otherwise than the hand, by {off:.2f}", MOVES)

    def stays(self, for_s: float, why: str) -> None:
        """The hand goes about, and the tool does not."""
        tool = self.arm.base_T_tool
        self.hand.speed = [0.1, 0.2, -0.1]
        self.hand.passes(for_s)
        self.hand.speed = [0.0, 0.0, 0.0]
        far = math.dist(self.arm.base_T_tool[:3], tool[:3])
        must(
            far == 0.0 and angle_between(self.arm.base_T_tool[3:], tool[3:]) < 1e-6,
            f"it moves {1e3 * far:.1f} mm {why}",
            MOVES,
        )
        must(not self.is_on, f"it is on {why}", MOVES)


async def follows(stage: HistoryStage) -> None:
    """While it is pressed the tool goes as the hand, from where each is at that moment; else not at all."""
    lots = stage.lots
    it = Followed(stage)
    it.hand.jitter_s = lots.choice((0.0, 0.02))
    it.hand.passes(0.2)
    for _ in range(lots.randint(2, 4)):
        it.stays(0.3, "while nobody presses anything")
        tool = it.arm.base_T_tool
        it.hand.press()
        it.hand.passes(0.1)
        must(it.is_on, f"it does not follow a hand that presses: {it.following.clutch.disengaged}", MOVES)
        must(math.dist(it.arm.base_T_tool[:3], tool[:3]) < WELL_M, "it jumps when it is pressed", MOVES)
        for _ in range(lots.randint(1, 3)):
            it.wave(stage, 0.4)
            if lots.random() < 0.5:
                tool = it.arm.base_T_tool
                it.hand.scale = lots.choice((0.1, 0.5, 1.0, 2.0))
                it.hand.passes(0.15)
                must(
                    math.dist(it.arm.base_T_tool[:3], tool[:3]) < WELL_M,
                    "it jumps when the scale is changed",
                    MOVES,
                )
        rests = it.arm.rests
        it.hand.let_go()
        it.hand.passes(0.1)
        must(it.arm.rests > rests, "it goes on towards its last target when it is let go", MOVES)
    delay_s = it.hand.delay_s
    given_s = [now_s - given_s for now_s, _, given_s in it.arm.begun]
    must(
        min(given_s) > -0.06 and max(given_s) < delay_s + it.hand.jitter_s + 3 * TICK_S,
        "a hand's samples count as given at another time",
        MOVES,
    )
    it.hand.delay_s = delay_s + 0.05  # the link is slower from now on: so are all its samples
    it.hand.press()
    it.hand.passes(0.4)
    late_s = [now_s - given_s for now_s, _, given_s in it.arm.begun[-5:]]
    must(
        max(late_s) < it.hand.jitter_s + 4 * TICK_S,
        f"after the link has become slower all counts as {max(late_s):.3f} s old",
        MOVES,
    )


BAD: Final[dict[str, dict[str, object]]] = {
    "is no number": {"base_T_hand": (math.nan, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)},
    "is no rotation": {"base_T_hand": (0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.2)},
    "is of another size": {"scale": 7.0},
    "has lost track": {"tracked": False},
    "is too fast": {"twist": (9.0, 0.0, 0.0, 0.0, 0.0, 0.0)},
    "turns too fast": {"twist": (0.0, 0.0, 0.0, 99.0, 0.0, 0.0)},
    "is beyond its end": {"stick": (1.5, 0.0, 0.0)},
    "is elsewhere": {},
    "is turned round": {},
    "is late": {},
    "is of tomorrow": {},
}


async def goes_wrong(stage: HistoryStage) -> None:
    """What cannot be, or comes too late, lets go at once, and nothing but a new pressing brings it back."""
    lots = stage.lots
    it = Followed(stage)
    hand = it.hand
    hand.passes(0.2)
    hand.press()
    hand.passes(0.2)
    it.wave(stage, 0.3)
    how = lots.choice((*BAD, *("silent",) * 4))
    if how == "silent":
        gap_s = lots.choice((0.13, 0.2, 0.35, 1.0))
        last_s = hand.now_s
        hand.is_silent = True
        hand.speed = [0.3, 0.0, 0.0]
        hand.passes(SILENCE_S + hand.delay_s + 2 * TICK_S)
        must(not it.is_on, f"it follows {hand.now_s - last_s:.2f} s after the last sample", MOVES)
        must(it.arm.is_at_rest, "it goes on towards its last target", MOVES)
        if lots.random() < 0.4:
            hand.let_go()
            hand.passes(0.05)
            hand.press()  # unseen
        hand.passes(max(gap_s - SILENCE_S, 0.02))
        unseen = gap_s > 0.3 + hand.delay_s
        again = hand.pressing != 1 and not unseen
        hand.is_silent = False
        if not again:
            it.stays(0.4, "after a gap, without a new pressing")
    else:
        changes = dict(BAD[how])
        pose = (*hand.place, *hand.turn)
        if how == "is elsewhere":
            changes["base_T_hand"] = (pose[0] + 0.2, *pose[1:])
        elif how == "is turned round":
            changes["base_T_hand"] = (*pose[:3], *product(turned((0.0, 1.0, 0.0), 2.5), hand.turn))
        elif how == "is late":
            changes["taken_s"] = hand.now_s - 0.15
        elif how == "is of tomorrow":
            changes["taken_s"] = hand.now_s + 1.0
        rests = it.arm.rests
        hand.send(**changes)
        tool = it.arm.base_T_tool
        hand.passes(hand.delay_s + 2 * TICK_S)
        must(not it.is_on, f"it follows a pose that {how}", MOVES)
        must(it.arm.rests > rests, f"it goes on after a pose that {how}", MOVES)
        must(math.dist(it.arm.base_T_tool[:3], tool[:3]) < 0.01, f"it goes to a pose that {how}", MOVES)
        must(it.following.clutch.disengaged, "it is not said why it let go", Breach.UNTOLD)
        it.stays(0.4, f"after a pose that {how}, without a new pressing")
    hand.let_go()
    hand.passes(0.1)
    if lots.random() < 0.3:
        hand._number -= 5  # samples of before come again
        hand.passes(0.05)
        hand._number += 5
    it.stays(0.2, "after it was let go")
    hand.press()
    hand.passes(0.1)
    must(it.is_on, f"a new pressing does not bring it back: {it.following.clutch.disengaged}", MOVES)
    it.wave(stage, 0.3)


async def pressed_before(stage: HistoryStage) -> None:
    """What was pressed before it was theirs, or unheard, or while it still moved, moves nothing yet."""
    lots = stage.lots
    it = Followed(stage)
    hand = it.hand
    match lots.randrange(3):
        case 0:
            hand.press()
            it.stays(0.6, "by a clutch that was held before")
        case 1:
            hand.passes(0.1)
            hand.is_silent = True
            hand.passes(lots.uniform(0.35, 1.0))
            hand.press()
            hand.is_silent = False
            it.stays(0.5, "by a clutch that was pressed unheard")
        case _:
            hand.passes(0.1)
            it.arm.is_at_rest = False
            tool = it.arm.base_T_tool
            hand.press()
            hand.passes(0.3)
            must(not it.is_on and it.arm.base_T_tool == tool, "it takes what still moves", MOVES)
            it.arm.is_at_rest = True
            hand.passes(0.05)
            must(it.is_on, "it does not follow when all rests", MOVES)
            return
    hand.let_go()
    hand.passes(0.1)
    hand.press()
    hand.passes(0.1)
    must(it.is_on, f"a new pressing does not count: {it.following.clutch.disengaged}", MOVES)


async def pressed_anew(stage: HistoryStage) -> None:
    """Let go and pressed again between two samples: it rests first, and begins anew from where it is."""
    it = Followed(stage)
    hand = it.hand
    hand.passes(0.1)
    hand.press()
    hand.passes(0.2)
    it.wave(stage, 0.3)
    tool, rests = it.arm.base_T_tool, it.arm.rests
    hand.press()
    hand.passes(0.2)
    must(it.arm.rests > rests, "it goes on through a new pressing", MOVES)
    must(math.dist(it.arm.base_T_tool[:3], tool[:3]) < WELL_M, "it jumps at a new pressing", MOVES)
    hand.pressing = 1  # a sample that comes late says so
    hand.passes(0.05)
    it.stays(0.3, "by a pressing that was over")


async def stick(stage: HistoryStage) -> None:
    """A base drives by the stick while it is pressed, from neutral, and at rest when anything ends that."""
    lots = stage.lots
    wheels = Wheels()
    following = Following(wheels, SESSION)
    hand = Hand(stage, following)
    hand.passes(0.2)
    pushed = (lots.choice((-1.0, 1.0)) * lots.uniform(0.3, 1.0), 0.0, 0.0)
    if lots.random() < 0.4:
        hand.stick = pushed
        hand.press()
        hand.passes(0.3)
        must(wheels.driven == (0.0, 0.0, 0.0), "it drives off with a thumb that lay on the stick", MOVES)
        hand.let_go()
        hand.stick = (0.0, 0.0, 0.0)
        hand.passes(0.1)
    hand.press()
    hand.passes(0.1)
    hand.stick = pushed
    hand.passes(0.1)
    must(
        abs(wheels.driven[0] - 0.5 * pushed[0]) < 1e-6,
        f"pushed by {pushed[0]:.2f} it drives {wheels.driven}",
        MOVES,
    )
    how = lots.choice(("let go", "silent", "lost track", "neutral"))
    match how:
        case "let go":
            hand.let_go()
        case "silent":
            hand.is_silent = True
        case "lost track":
            hand.is_tracked = False
        case _:
            hand.stick = (0.0, 0.0, 0.0)
    hand.passes(SILENCE_S + hand.delay_s + 3 * TICK_S)
    must(wheels.driven == (0.0, 0.0, 0.0), f"it drives on although: {how}", MOVES)
    if how == "silent":
        hand.is_silent = False
        hand.passes(0.5)
        must(wheels.driven == (0.0, 0.0, 0.0), "it drives on by itself when the link is back", MOVES)


HISTORIES: Final = (
    History(follows, None, 2),
    History(goes_wrong, None, 4),
    History(pressed_before, None, 2),
    History(pressed_anew),
    History(stick, None, 2),
)
