"""The clutch between a person's hand and the tool: paper 000, eq 6 and 7 as repaired. Pure, without a clock.

While it is on, the tool moves as the hand does, from where the tool was when it went on:

    B_p_T,d(t) = B_p_T(t_c) + s (A_p_P(t) − A_p_P(t_c))        B_R_T,d(t) = A_R_P(t) · P_R_A(t_c) · B_R_T(t_c)

It goes on only when a person is seen to press it, and only while the robot rests: what was pressed while
nothing was heard does not count. It goes off by itself at once when a pose cannot be (a jump, no number, lost
tracking), was measured more than 0.1 s after the one before, and 0.1 s after the last good one came; the
same pressing never brings it back. So neither a gap nor what comes after it moves anything.
"""

from __future__ import annotations

import math

import msgspec

from resources.arms.pose import Pose, Quaternion, product
from resources.controllers.feed_forward import FeedForward
from resources.controllers.rotation import between
from resources.types.masters import LEAST_SCALE, MOST_SCALE, SEEN_WITHIN_S, SILENCE_S, HandSample
from resources.types.motion import TrackPose, Vector6
from resources.types.streams import Pose7

FASTEST, FASTEST_TURN = 3.0, 20.0
"""No hand is faster [m/s], [rad/s] (3 turns a second): what is, was not measured well."""

ARMING_S = 0.5
"""So long a pressed clutch waits for the robot to come to rest before it goes on all the same [s]."""

_SLACK, _SLACK_TURN = 0.02, 0.1  # [m], [rad] that a pose may be off by, besides
_UNIT = 1e-3  # a quaternion further from unit length than this is no rounding
_AHEAD_S = 0.05  # of now no sample was taken, but its stamp may be read in the same tick

_RELOAD = "if that comes again, load the page anew"
_SEE_MORE = "move more slowly, in more light"
FIRST_OPEN = "open the clutch first: it was held before the robot was yours"
UNSEEN = "the link was silent when the clutch was pressed"


class Latch(msgspec.Struct, frozen=True):
    """Where hand and tool were when the clutch went on, or when the scale was changed."""

    hand: Pose
    tool: Pose
    scale: float

    def target(self, hand: Pose) -> Pose:
        """Where the tool is to be for a hand that is here (eq 6, 7)."""
        moved = (
            self.tool.position[0] + self.scale * (hand.position[0] - self.hand.position[0]),
            self.tool.position[1] + self.scale * (hand.position[1] - self.hand.position[1]),
            self.tool.position[2] + self.scale * (hand.position[2] - self.hand.position[2]),
        )
        turn = product(hand.quaternion, _inverse(self.hand.quaternion))
        return Pose(moved, _unit(product(turn, self.tool.quaternion)))


class Clutch:
    """One hand's. `engaged` is the number of the pressing that moves the robot now, 0 if none does.

    Args:
        session: whose samples count.
    """

    def __init__(self, session: str) -> None:
        self._session = session
        self._number = -1
        self._spent: int | None = (
            None  # pressings up to this one move nothing any more; None: nothing heard yet
        )
        self._last: HandSample | None = None
        self._open_s = -math.inf  # when it was last heard to be open
        self._pressed_s = 0.0
        self._least_delay_s = math.inf
        self._latch: Latch | None = None
        self._feed_forward = FeedForward()
        self.engaged = 0
        self.disengaged = ""

    @property
    def last(self) -> HandSample | None:
        """The newest good sample while a pressing lasts."""
        return self._last

    def hear(self, sample: HandSample, now_s: float, *, at_rest: bool) -> bool:
        """A new sample of the ring; whether it moves the robot: then ask for `target`.

        at_rest: nothing moves yet, so the clutch may go on.
        """
        if sample.session != self._session or sample.number <= self._number:
            return False
        is_first, self._number = self._spent is None, sample.number
        if is_first:
            # Whoever held the clutch before the robot was theirs did not mean this moment.
            self._spent = sample.engagement
            self.disengaged = FIRST_OPEN if sample.engagement else ""
        assert self._spent is not None
        if sample.engagement <= self._spent:  # open, or a pressing that is over: none that lasts is left
            if sample.engagement == 0:
                self._open_s = sample.received_s
            self._open("")
            return False
        last = self._last
        if last is not None and sample.engagement != last.engagement:
            self._open("")
            if sample.engagement < last.engagement:
                return False  # numbers only rise: that pressing was over before
            self._open_s = sample.received_s  # let go and pressed again between two samples
        if why := self._wrong(sample, now_s):
            self._break(sample.engagement, why)
            return False
        if self._last is None:
            if not 0.0 <= sample.received_s - self._open_s <= SEEN_WITHIN_S:
                self._break(sample.engagement, UNSEEN)
                return False
            self._pressed_s, self._least_delay_s = now_s, math.inf
            self._feed_forward = FeedForward()
        self._last = sample
        self._feed_forward.see(sample)
        self._least_delay_s = min(self._least_delay_s, sample.received_s - sample.taken_s)
        if not self.engaged:
            if not at_rest and now_s - self._pressed_s < ARMING_S:
                return False
            self.engaged, self.disengaged = sample.engagement, ""
        return True

    def look(self, now_s: float) -> bool:
        """Every tick, by the clock of the process that moves; whether it has just gone off by itself."""
        last = self._last
        if last is None or now_s - last.received_s <= SILENCE_S:
            return False
        was_on = self.engaged != 0
        self._break(last.engagement, _gap(SILENCE_S))
        return was_on

    def give_up(self, why: str) -> None:
        """The robot cannot follow: off, until it is pressed anew."""
        if self._last is not None:
            self._break(self._last.engagement, why)

    def target(self, tool: Pose7) -> tuple[TrackPose, float]:
        """Where the tool is to be, and when that was given, while engaged.

        tool: where it is (measured), in the base frame; what it counts for is the moment the clutch goes on.

        The time is that of the hand's measurement as if every sample had come as quickly as the quickest of
        this pressing: what the network adds to some must not look like motion, and nothing is predicted.
        """
        sample = self._last
        assert sample is not None, "asked only while it is on"
        hand = _pose(sample.base_T_hand)
        latch = self._latch
        if latch is None:
            latch = self._latch = Latch(hand, _pose(tool), sample.scale)
        elif latch.scale != sample.scale:
            latch = self._latch = Latch(hand, latch.target(hand), sample.scale)
        target, s = latch.target(hand), latch.scale
        vx, vy, vz, wx, wy, wz = self._feed_forward.twist
        ax, ay, az, bx, by, bz = self._feed_forward.acceleration
        twist: Vector6 = (s * vx, s * vy, s * vz, wx, wy, wz)
        acceleration: Vector6 = (s * ax, s * ay, s * az, bx, by, bz)
        track = TrackPose((*target.position, *target.quaternion), twist, acceleration)
        return track, min(sample.taken_s + self._least_delay_s, sample.received_s)

    def _wrong(self, sample: HandSample, now_s: float) -> str:
        """Why a sample is no pose of a hand, and what to do, for whoever drives; or ""."""
        values = (*sample.base_T_hand, *sample.twist, *sample.acceleration, *sample.stick, sample.scale)
        if not all(map(math.isfinite, (*values, sample.taken_s, sample.received_s))):
            return f"the page sent a pose that is not a number; {_RELOAD}"
        if abs(math.hypot(*sample.base_T_hand[3:]) - 1.0) > _UNIT:
            return f"the page sent a pose without a valid rotation; {_RELOAD}"
        if not LEAST_SCALE <= sample.scale <= MOST_SCALE:
            return (
                f"the page asked for a scale of {sample.scale:g}, and {LEAST_SCALE:g} to {MOST_SCALE:g} "
                "is allowed; choose another one"
            )
        if max(map(abs, sample.stick)) > 1.0:
            return f"the page sent a stick that is beyond its end; {_RELOAD}"
        if not sample.tracked:
            return f"the device lost track of where it is; {_SEE_MORE}"
        if sample.received_s > now_s + _AHEAD_S or sample.taken_s > sample.received_s + _AHEAD_S:
            return f"the page's clock is ahead of the robot's; {_RELOAD}"
        if now_s - sample.taken_s > SILENCE_S:
            return (
                f"a pose came {1e3 * (now_s - sample.taken_s):.0f} ms late; "
                "come nearer to the access point, or close what else runs on the device"
            )
        if math.hypot(*sample.twist[:3]) > FASTEST or math.hypot(*sample.twist[3:]) > FASTEST_TURN:
            return f"the hand went faster than {FASTEST:g} m/s, or 3 turns a second; move more slowly"
        return self._jumped(sample)

    def _jumped(self, sample: HandSample) -> str:
        last = self._last
        if last is None:
            return ""
        passed_s = sample.taken_s - last.taken_s
        if passed_s < 0.0:
            return f"the page's clock went backwards; {_RELOAD}"
        if passed_s > SILENCE_S:  # poses came meanwhile, but only late ones
            return _gap(passed_s)
        far = math.dist(sample.base_T_hand[:3], last.base_T_hand[:3])
        turn = math.hypot(*between(_pose(last.base_T_hand).quaternion, _pose(sample.base_T_hand).quaternion))
        if far > FASTEST * passed_s + _SLACK or turn > FASTEST_TURN * passed_s + _SLACK_TURN:
            return (
                f"the hand jumped by {1e3 * far:.0f} mm and {math.degrees(turn):.0f}°: it went too fast, "
                f"or the device lost track of it; {_SEE_MORE}"
            )
        return ""

    def _break(self, engagement: int, why: str) -> None:
        self._open(why)
        self._spent = max(self._spent or 0, engagement)

    def _open(self, why: str) -> None:
        if self._last is not None:
            self._spent = max(self._spent or 0, self._last.engagement)
        if why or self.engaged:
            self.disengaged = why
        self.engaged, self._last, self._latch = 0, None, None


def _gap(seconds: float) -> str:
    return f"no pose for {1e3 * seconds:.0f} ms"


def _pose(pose: Pose7) -> Pose:
    x, y, z, qx, qy, qz, qw = pose
    return Pose((x, y, z), _unit((qx, qy, qz, qw)))


def _unit(rotation: Quaternion) -> Quaternion:
    x, y, z, w = rotation
    length = math.sqrt(x * x + y * y + z * z + w * w)
    return (x / length, y / length, z / length, w / length)


def _inverse(rotation: Quaternion) -> Quaternion:
    x, y, z, w = rotation
    return (-x, -y, -z, w)
