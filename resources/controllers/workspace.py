"""Where the tool may be and how fast it may come near: the box, declared surfaces, contacts. Knows no mode.

A goal outside the box is refused; a streamed target is moved to the nearest point of the box; and whatever
the target, the reference's velocity is restrained so that it stops at the box and comes slowly to what it may
touch. (The impact of a stiff contact does not depend on how far the spring saturates, only on speed: 52 N at
.1 m/s and 129 N at .25 m/s. So it is the speed that has to be limited.)
"""

from __future__ import annotations

import math

from resources.arms.pose import Vector3
from resources.controllers.settings import ArmSettings
from resources.types.motion_words import length_in_words

# Of the tool's acceleration, which share braking before a face counts on, and how it eases in at last [1/s].
_BRAKING, _EASING = 0.4, 10.0

# A contact is over when nothing has been felt for so long [s].
_LOST_S = 0.1

# A force that points down within 37° is a load.
_HANGING = 0.8

# Where something is outside of the box, of each axis of the base frame: below, and above what is allowed.
_SIDES = (("behind it", "ahead"), ("to its right", "to its left"), ("below it", "above it"))


class WorkspaceGuard:
    """Restrains positions and velocities of the tool point, in the base frame."""

    def __init__(self, settings: ArmSettings, up: Vector3 = (0.0, 0.0, 1.0)) -> None:
        """`up`: unit vector against gravity in the base frame."""
        self._up = up
        self._lower, self._upper = settings.workspace.lower, settings.workspace.upper
        self._surfaces = settings.surfaces
        self._approach, self._distance = settings.approach_speed, settings.approach_distance
        self._braking = 2.0 * _BRAKING * settings.tool.acceleration
        self._touch = min(settings.contact_force, 0.5 * settings.force_max)
        self._release = min(settings.contact_release, 0.5 * self._touch)
        self._touching = False
        self._lost_s = 0.0

    @property
    def touching(self) -> bool:
        """Whether there is a contact, with hysteresis (paper 000, IV-D)."""
        return self._touching

    def contains(self, position: Vector3) -> bool:
        """Whether the tool point may be there."""
        return all(
            low <= value <= high for low, value, high in zip(self._lower, position, self._upper, strict=True)
        )

    def nearest(self, position: Vector3) -> Vector3:
        """The point of the box that is nearest."""
        (x, y, z), low, high = position, self._lower, self._upper
        return (
            min(max(x, low[0]), high[0]),
            min(max(y, low[1]), high[1]),
            min(max(z, low[2]), high[2]),
        )

    def outside(self, position: Vector3) -> str:
        """In words for people, how far outside of the box a position is, and where, as seen from the arm."""
        sides = [
            side[value > low]
            for side, low, value, high in zip(_SIDES, self._lower, position, self._upper, strict=True)
            if not low <= value <= high
        ]
        return f"{length_in_words(self.beyond(position))} outside the arm's workspace, {' and '.join(sides)}"

    def beyond(self, position: Vector3) -> float:
        """How far outside of the box a position is [m]; 0 inside."""
        return math.dist(position, self.nearest(position))

    def share(self, position: Vector3, velocity: Vector3) -> float:
        """How much of a velocity may be had there, in its own direction, for a motion that cannot be bent."""
        share = 1.0
        for low, high, value, speed in zip(self._lower, self._upper, position, velocity, strict=True):
            allowed = self._towards(high - value if speed > 0.0 else value - low)
            if abs(speed) > allowed:
                share = min(share, allowed / abs(speed))
        return share

    def feel(self, force: float, dt_s: float) -> None:
        """The force at the tool now, whatever its direction [N]; `dt_s`: since it was asked last."""
        if force > (self._release if self._touching else self._touch):
            self._touching, self._lost_s = True, 0.0
        elif self._touching:
            # A contact that has just been made bounces.
            self._lost_s += dt_s
            self._touching = self._lost_s < _LOST_S

    def restrained(self, position: Vector3, velocity: Vector3, force: Vector3) -> Vector3:
        """The velocity that may be had there, (3,) [m/s]; `force`: of the surroundings on the tool [N]."""
        low, high = self._lower, self._upper
        # Within a fall-back distance of no face, nothing below changes anything.
        x, y, z = position
        vx, vy, vz = velocity
        vx = min(max(vx, -self._towards(x - low[0])), self._towards(high[0] - x))
        vy = min(max(vy, -self._towards(y - low[1])), self._towards(high[1] - y))
        vz = min(max(vz, -self._towards(z - low[2])), self._towards(high[2] - z))
        velocity = (vx, vy, vz)
        for surface in self._surfaces:
            (px, py, pz), (nx, ny, nz) = surface.point, surface.normal
            height = (x - px) * nx + (y - py) * ny + (z - pz) * nz - self._distance
            allowed = self._approach
            if height > 0.0:
                allowed = math.sqrt(allowed * allowed + self._braking * height)
            velocity = _no_faster_against(velocity, surface.normal, allowed)
        pressed = self._pressed(force)
        return velocity if pressed is None else _no_faster_against(velocity, pressed, self._approach)

    def yielding(self, velocity: Vector3, force: Vector3) -> Vector3:
        """The part of the reference's velocity that the damper may follow (3,) [m/s].

        In contact it follows none of what presses: it would add to the spring, beyond F_max.
        """
        pressed = self._pressed(force)
        return velocity if pressed is None else _no_faster_against(velocity, pressed, 0.0)

    def along(self, acceleration: Vector3, force: Vector3) -> Vector3:
        """The part of the reference's acceleration that is fed forward (3,) [m/s²]: none across a contact."""
        pressed = self._pressed(force)
        if pressed is None:
            return acceleration
        (ax, ay, az), (nx, ny, nz) = acceleration, pressed
        across = ax * nx + ay * ny + az * nz
        return (ax - across * nx, ay - across * ny, az - across * nz)

    def _pressed(self, force: Vector3) -> Vector3 | None:
        """The direction out of the contact that there is, or None."""
        if not self._touching:
            return None
        (fx, fy, fz), (ux, uy, uz) = force, self._up
        length = math.sqrt(fx * fx + fy * fy + fz * fz)
        # What pulls down is taken for a load that hangs on the tool: it may be lifted.
        if length == 0.0 or fx * ux + fy * uy + fz * uz < -_HANGING * length:
            return None
        return (fx / length, fy / length, fz / length)

    def _towards(self, distance: float) -> float:
        """How fast it may move towards a face so far away [m/s]; beyond it, not at all."""
        if distance <= 0.0:
            return 0.0
        return min(math.sqrt(self._braking * distance), _EASING * distance)


def _no_faster_against(velocity: Vector3, normal: Vector3, speed: float) -> Vector3:
    """The velocity with at most `speed` against a normal."""
    nx, ny, nz = normal
    vx, vy, vz = velocity
    against = -(vx * nx + vy * ny + vz * nz)
    if against <= speed:
        return velocity
    less = against - speed
    return (vx + less * nx, vy + less * ny, vz + less * nz)
