"""`BaseController`: the mechanism of a mobile base that goes wherever its velocity points. Pure ticks.

It drives by streamed velocities or to a pose of the odometry frame, under acceleration limits, and only as
fast as its guard allows. What measures the odometry and turns the velocity into wheels' motion is elsewhere.
"""

from __future__ import annotations

import math

from framework.errors import CommandRefused
from resources.controllers.base_guard import BaseGuard, Odometry
from resources.controllers.base_ramp import BASE_LIMITS, REST, BaseLimits, BaseRamp
from resources.controllers.goals import GoalMechanism, bounded
from resources.controllers.loop import Ended
from resources.controllers.protective_field import Braking, Outline, Twist
from resources.types.motion import TARGET_LAPSES_S, Drive, MotionCommand, MoveBase
from resources.types.motion_words import length_in_words

_RULE_EVERY_S = 0.01
_REACTION_S = 0.1
_MARGIN_M = 0.06
_CAUTION = 0.6  # share of the deceleration that is planned with; the rest is for what comes in between
_APPROACH = (
    6.0  # [1/s] how a goal is neared in the end: slower than the drives follow, so that none overshoots
)
_ARRIVED_M, _ARRIVED_RAD = 0.002, 0.003
_AT_REST_M_S, _AT_REST_RAD_S = 0.005, 0.02
_PATIENCE_S, _GETS_ON_S = 3.0, 0.005
_HELD_AFTER_S, _PUSHES = 0.2, 0.04  # driven for so long faster than this [m/s], it should have moved
_SLACK = 0.85  # a velocity of which the field allows no more than this has to be braked at once
_FARTHEST_M = 100.0
# Of a base that cannot go sideways: what may be missing beside its way [m], or of it; over which distance
# before the end it aligns [m]; how much it leans towards its line [rad/m], and at most [rad].
_BESIDE_M, _BESIDE = 0.05, 0.2
_ALIGNS_M, _LEANS, _MOST_LEAN = 0.15, 1.5, 0.4


class BaseController(GoalMechanism):
    """See `resources.controllers.loop.Mechanism`; `tick` besides.

    outline: what has to fit; driven: the velocity that the drives have now, from which it brakes; sideways:
    it can go sideways, else it turns, goes ahead and back. `guard` is given scans and scanners by whoever
    reads them.
    """

    def __init__(
        self,
        outline: Outline,
        limits: BaseLimits = BASE_LIMITS,
        *,
        driven: Twist = REST,
        sideways: bool = True,
    ) -> None:
        super().__init__()
        self._sideways = sideways
        caution = Braking(
            _CAUTION * limits.deceleration, _CAUTION * limits.turn_deceleration, _REACTION_S, _MARGIN_M
        )
        self.guard = BaseGuard(outline, caution)
        self.blocked = ""
        self.is_blind = False
        self._limits = limits
        self._ramp = BaseRamp(limits)
        self._ramp.velocity = driven
        self._odometry: Odometry = (0.0, 0.0, 0.0)
        self._velocity: Twist = REST
        self._drive: Drive | None = None
        self._given_s = self._now_s = 0.0
        self._goal: MoveBase | None = None
        self._whole_s = 0.0  # what the whole way takes, about
        self._least_left_s = self._got_on_s = 0.0
        self._lever_m = outline.radius_m
        self._follows_s = 0.0
        self._allowed: Twist = REST
        self._rule_at_s = float("-inf")

    @property
    def mode(self) -> str:
        """See `Mechanism.mode`."""
        if self._is_locked:
            return "locked"
        if self._drive is None and self._goal is None:
            return "hold" if self.is_at_rest else "brake"
        return "wait" if self.blocked else "drive" if self._goal is None else "move"

    @property
    def is_at_rest(self) -> bool:
        """See `Mechanism.is_at_rest`."""
        forward, left, turn = self._velocity
        return (
            (self._drive is None or not any((self._drive.forward, self._drive.left, self._drive.turn)))
            and self._goal is None
            and self._ramp.velocity == REST
            and max(abs(forward), abs(left)) < _AT_REST_M_S
            and abs(turn) < _AT_REST_RAD_S
        )

    @property
    def progress(self) -> float:
        """See `Mechanism.progress`: by the time that the way takes."""
        if self._goal is None or self._whole_s <= 0.0:
            return 0.0
        return min(max(1.0 - self._left_s(self._goal) / self._whole_s, 0.0), 1.0)

    @property
    def target_age_s(self) -> float:
        """See `Mechanism.target_age_s`."""
        return max(self._now_s - self._given_s, 0.0) if self._drive is not None else 0.0

    @property
    def stick_bounds(self) -> tuple[float, float]:
        """What a stick at its end asks for: speed [m/s], turn [rad/s]."""
        return self._limits.speed, self._limits.turn

    @property
    def odometry(self) -> Odometry:
        """As last measured."""
        return self._odometry

    @property
    def velocity(self) -> Twist:
        """As last measured, in the base frame."""
        return self._velocity

    def begin(self, command: MotionCommand, given_s: float, now_s: float) -> None:
        """See `Mechanism.begin`."""
        limits = self._limits
        match command:
            case Drive():
                for name, value in (("forward", command.forward), ("left", command.left)):
                    bounded(name, value, -limits.speed, limits.speed)
                bounded("turn", command.turn, -limits.turn, limits.turn)
                self._drive, self._goal, self._given_s = command, None, given_s
            case MoveBase():
                for name, value, here in (("x", command.x, 0), ("y", command.y, 1)):
                    near = self._odometry[here]
                    bounded(name, value, near - _FARTHEST_M, near + _FARTHEST_M)
                bounded("yaw", command.yaw, self._odometry[2] - _FARTHEST_M, self._odometry[2] + _FARTHEST_M)
                bounded("speed", command.speed, 0.01, limits.speed)
                bounded("turn", command.turn, 0.01, limits.turn)
                self._look_aside(command)
                self._drive, self._goal = None, command
                self._whole_s = self._left_s(command)
            case _:
                raise CommandRefused(
                    f"{type(command).__name__} was sent to a base; it takes Drive and MoveBase"
                )
        self._ended = None
        self._least_left_s, self._got_on_s = math.inf, now_s
        self._rule_at_s = float("-inf")

    def drives_stand(self) -> None:
        """They were told nothing for a while, and stand: it goes on from that, not from the last velocity."""
        self._ramp.velocity = REST

    def rest(self) -> None:
        """See `Mechanism.rest`."""
        self._drive = self._goal = None
        self._ended = None
        self._allowed = REST
        self.blocked, self.is_blind = "", False

    def tick(self, odometry: Odometry, velocity: Twist, now_s: float, dt_s: float) -> Twist:
        """The velocity to drive with for the next `dt_s`; both velocities in the base frame."""
        self._odometry, self._velocity, self._now_s = odometry, velocity, now_s
        if now_s >= self._rule_at_s:
            if self._ramp.velocity == REST:
                self._follows_s = now_s
            self._rule_at_s = now_s + _RULE_EVERY_S - 1e-9
            self.guard.moved(odometry, now_s)
            self._allowed = self._ruled(self._wanted(now_s), now_s)
        return self._ramp.advance(self._allowed, dt_s)

    def _wanted(self, now_s: float) -> Twist:
        if self._is_locked:
            return REST
        if self._drive is not None:
            if now_s - self._given_s > TARGET_LAPSES_S:
                self._finish("the velocities ceased to come")
                return REST
            return (self._drive.forward, self._drive.left if self._sideways else 0.0, self._drive.turn)
        if self._goal is not None:
            return self._towards(self._goal)
        return REST

    def _ruled(self, wanted: Twist, now_s: float) -> Twist:
        """What of the wish may be driven; what is driven already may have to brake at once."""
        ruling = self.guard.rule(wanted, self._odometry, now_s)
        self.blocked, self.is_blind = ruling.words, ruling.is_blind
        self._wait(now_s)
        driven = self._ramp.velocity
        if self._is_held(driven, now_s):
            if self._drive is not None or self._goal is not None:
                self._finish("something holds the base")
            return REST
        if any(driven) and self.guard.rule(driven, self._odometry, now_s).share < _SLACK:
            return REST
        forward, left, turn = wanted
        return (ruling.share * forward, ruling.share * left, ruling.share * turn)

    def _wait(self, now_s: float) -> None:
        """A goal waits a while for what is in its way to go."""
        if self._goal is None:
            return
        left_s = self._left_s(self._goal)
        if left_s < self._least_left_s - _GETS_ON_S:
            self._least_left_s, self._got_on_s = left_s, now_s
        elif now_s - self._got_on_s > _PATIENCE_S:
            self._finish(f"the base cannot go on: {self.blocked or 'something holds it'}")

    def _is_held(self, driven: Twist, now_s: float) -> bool:
        """Whether the wheels are driven and the base does not follow: it pushes against what nobody sees."""
        lever_m = self._lever_m
        fast = driven[0] ** 2 + driven[1] ** 2 + (lever_m * driven[2]) ** 2
        is_going = (
            driven[0] * self._velocity[0]
            + driven[1] * self._velocity[1]
            + lever_m**2 * driven[2] * self._velocity[2]
        )
        if fast < _PUSHES**2 or is_going > 0.5 * fast:
            self._follows_s = now_s
        return now_s - self._follows_s > _HELD_AFTER_S

    def _look_aside(self, goal: MoveBase) -> None:
        """CommandRefused for a goal beside a base that goes ahead and back only."""
        ahead, aside = self._way_to(goal)
        if not self._sideways and abs(aside) > max(_BESIDE_M, _BESIDE * abs(ahead)):
            raise CommandRefused(
                f"that is {length_in_words(abs(aside))} beside the base, which cannot go sideways: "
                "turn it first, then drive forward"
            )

    def _way_to(self, goal: MoveBase) -> tuple[float, float]:
        """How far a goal is ahead, and to the left [m]."""
        x, y, yaw = self._odometry
        cos, sin = math.cos(yaw), math.sin(yaw)
        dx, dy = goal.x - x, goal.y - y
        return cos * dx + sin * dy, cos * dy - sin * dx

    def _ahead_or_back(self, goal: MoveBase) -> Twist:
        """The same for a base that cannot go sideways: along its line, to which it comes back on the way."""
        ahead, aside = self._way_to(goal)
        angle = goal.yaw - self._odometry[2]
        forward, left, turn = self._velocity
        if (
            abs(ahead) < _ARRIVED_M
            and abs(angle) < _ARRIVED_RAD
            and math.hypot(forward, left) < _AT_REST_M_S
            and abs(turn) < _AT_REST_RAD_S
        ):
            beside = f"the base stands {length_in_words(abs(aside))} beside where it was to go"
            self._finish(beside if abs(aside) > _BESIDE_M else "")
            return REST
        limits = self._limits
        speed = _approach(abs(ahead), goal.speed, _CAUTION * limits.acceleration)
        # Near its end it only turns to where it is to look; before, towards the line, more if that is far.
        share = min(max(abs(ahead) / _ALIGNS_M - 1.0, 0.0), 1.0)
        lean = share * min(max(_LEANS * aside, -_MOST_LEAN), _MOST_LEAN)
        angle += math.copysign(1.0, ahead) * lean
        turning = _approach(abs(angle), goal.turn, _CAUTION * limits.turn_acceleration)
        return (math.copysign(speed, ahead), 0.0, math.copysign(turning, angle))

    def _towards(self, goal: MoveBase) -> Twist:
        if not self._sideways:
            return self._ahead_or_back(goal)
        x, y, yaw = self._odometry
        dx, dy, angle = goal.x - x, goal.y - y, goal.yaw - yaw
        distance = math.hypot(dx, dy)
        if (
            distance < _ARRIVED_M
            and abs(angle) < _ARRIVED_RAD
            and math.hypot(*self._velocity[:2]) < _AT_REST_M_S
            and abs(self._velocity[2]) < _AT_REST_RAD_S
        ):
            self._finish("")
            return REST
        speed = _approach(distance, goal.speed, _CAUTION * self._limits.acceleration)
        turn = math.copysign(
            _approach(abs(angle), goal.turn, _CAUTION * self._limits.turn_acceleration), angle
        )
        share = speed / distance if distance > 0.0 else 0.0
        cos, sin = math.cos(yaw), math.sin(yaw)
        return (share * (cos * dx + sin * dy), share * (cos * dy - sin * dx), turn)

    def _left_s(self, goal: MoveBase) -> float:
        x, y, yaw = self._odometry
        return max(math.hypot(goal.x - x, goal.y - y) / goal.speed, abs(goal.yaw - yaw) / goal.turn)

    def _finish(self, why: str) -> None:
        self.rest()
        self._ended = Ended(why)


def _approach(distance: float, speed: float, deceleration: float) -> float:
    """The speed from which braking gently still ends at the goal."""
    return min(speed, math.sqrt(2.0 * deceleration * distance), _APPROACH * distance)
